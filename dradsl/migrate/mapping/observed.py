"""What recorded slices show: texts of attributes, and how much memory the cards have."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dradsl.migrate.places import whole
from dradsl.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Observed", "observe"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Observed:
    """Texts by driver and attribute (its name without domain), bytes of memory by driver."""

    texts: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    memory: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def mebibytes(self, driver: str, percent: int) -> int | None:
        """A part of a card of `driver` in MiB, rounded down; None unless all have one size."""
        sizes = self.memory.get(driver, frozenset())
        return next(iter(sizes)) * percent // 100 // _MIB if len(sizes) == 1 else None


def observe(inventory: Iterable[Mapping[str, object]]) -> Observed:
    """Read recorded objects; objects other than ResourceSlices are left out."""
    from dradsl.drivers.schema.model import AttributeType
    from dradsl.drivers.schema.recorded import recorded_devices

    slices = [dict(each) for each in inventory if each.get("kind") == "ResourceSlice"]
    texts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    memory: defaultdict[str, set[int]] = defaultdict(set)
    for device in recorded_devices(slices):
        for key, (kind, value) in device.attributes.items():
            if kind is AttributeType.STRING:
                texts[device.driver, key.rpartition("/")[2]].add(str(value))
        for key, amount in device.capacities.items():
            if key.rpartition("/")[2] == "memory":
                memory[device.driver].add(whole(amount) or 0)
    return Observed(
        {key: frozenset(found) for key, found in texts.items()},
        {key: frozenset(found) for key, found in memory.items()},
    )
