"""The candidates of a node in the order of the search, before any claim is known.

A layout is made of the node's pools alone. It is kept with the node, and every claim that asks the
node finds its devices laid out already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.eligibility import Fault
from dradsl.allocator.inventory.slices import DeviceRecord, Slice, Traits
from dradsl.records import Record, dataclass
from dradsl.releases.scheduling import AllocatorVariant, CounterScope, PoolModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.allocator.inventory.pools import Pool

__all__ = ["Layout", "PoolState", "SliceRow", "arrange"]

Place = tuple["Pool", Slice, DeviceRecord]


@dataclass(frozen=True, slots=True, eq=False)
class SliceRow:
    """The devices of one slice, which stand side by side from `start` to before `stop`.

    `origin` says whose counters they use. A `fault` stands for a pool whose use is fatal. `kinds`
    has equal numbers for devices that differ at most in names and in attributes that tell devices
    apart; None if that is not known.
    """

    entry: Slice
    start: int
    stop: int
    origin: Any
    fault: Fault | None = None
    kinds: tuple[int, ...] | None = None


class PoolState(Record):
    """A pool in a problem: whether it can be used, and the positions of its devices."""

    name: str
    incomplete: bool
    invalid: bool
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A node's pools, and the devices of those that are searched, one a position."""

    gathered: tuple[Pool, ...]
    runs: tuple[SliceRow, ...]
    pools: tuple[PoolState, ...]
    places: tuple[Place, ...]


def arrange(
    pools: Sequence[Pool],
    variant: AllocatorVariant,
    kinds: Mapping[Slice, tuple[int, ...]] | None = None,
) -> Layout:
    """The layout of a node with these pools; `kinds` are those of the devices of slices."""
    known = kinds or {}
    runs: list[SliceRow] = []
    places: list[Place] = []
    states: list[PoolState] = []
    by_slice = variant.counters is CounterScope.SLICE
    for number, pool in enumerate(pools):
        first = len(places)
        if pool.invalid and variant.pools is PoolModel.ON_NODE:
            # 1.34 fails when the search reaches an invalid pool.
            fault = Fault(f"pool {pool.id.pool} is invalid: {pool.reason}")
            runs.append(SliceRow(_NOWHERE, first, first + 1, None, fault))
            places.append((pool, _NOWHERE, _NOTHING))
        elif _is_searched(pool, variant):
            for entry in pool.slices:
                start = len(places)
                origin = (number, entry.name) if by_slice else number
                stop = start + len(entry.devices)
                runs.append(SliceRow(entry, start, stop, origin, kinds=known.get(entry)))
                places += [(pool, entry, device) for device in entry.devices]
        states.append(PoolState(str(pool.id), pool.incomplete, pool.invalid, first, len(places)))
    return Layout(tuple(pools), tuple(runs), tuple(states), tuple(places))


def _is_searched(pool: Pool, variant: AllocatorVariant) -> bool:
    if variant.pools is PoolModel.ON_NODE:
        return not pool.invalid
    return not pool.invalid and not pool.incomplete


_NOTHING = DeviceRecord("", {}, Traits({}, (), (), None, False, None, None, None, False, None))
_NOWHERE = Slice("", "", "", 0, 0, None, False, None, None, (_NOTHING,), ())
