"""Totals of a simulation: pods by answer, devices by model, and how large a group of free devices is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.records import Record
from dradsl.simulate.report.room import UNLIMITED, counters_left, model_of, rooms_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report.room import DevicePart

__all__ = ["ModelTotals", "count_pods", "counters_left", "device_totals", "model_of"]

_ROOT = "resource.kubernetes.io/pcieRoot"


class ModelTotals(Record):
    """Physical devices of one model.

    `partly`: partitions of it are held, and others can still be taken. `shared`: shares are given out, and there may
    be room for more. `blocked`: nobody holds it, and no claim gets it (a taint, counters that are missing).
    `on_one_node` is the largest number of free ones that a node has, `on_one_root` that of one PCIe root (None: no
    device says on which it is). `fits`: for each profile of partitions or shares how many claims for one of them still
    fit, if no other profile is asked for; `UNLIMITED` for shares that nothing limits.
    """

    model: str
    total: int
    used_before: int
    used_now: int
    partly: int
    shared: int
    blocked: int
    free: int
    on_one_node: int
    on_one_root: int | None
    fits: tuple[tuple[str, int], ...] = ()

    @property
    def fits_words(self) -> str:
        """What still fits per profile, in words; empty without partitions and shares."""
        return ", ".join(
            f"{profile}: {'any number' if number == UNLIMITED else f'{number:,}'}"
            for profile, number in self.fits
        )


def count_pods(reports: Iterable[PodReport]) -> dict[str, int]:
    """Pods by what was said of them; the number that fits comes first."""
    found = Counter({"fits": 0})
    for report in reports:
        found[report.prospect.value] += 1 + report.alike
    return dict(found)


def device_totals(simulation: Simulation) -> list[ModelTotals]:
    """The physical devices that slices of complete pools publish, by model."""
    models: dict[str, dict[Hashable, _Physical]] = {}
    fits: dict[str, Counter[str]] = {}
    for room in rooms_of(simulation):
        known: dict[Hashable, _Physical] = {}
        for part in room.parts:
            for key in part.physical:
                if key not in known:
                    known[key] = _Physical.of(part)
                    models.setdefault(known[key].model, {})[key] = known[key]
                known[key].add(part, simulation)
        for (model, profile), number in room.fits.items():
            found = fits.setdefault(model, Counter())
            endless = UNLIMITED in (number, found[profile])
            found[profile] = UNLIMITED if endless else found[profile] + number
    return [
        _of_model(model, devices.values(), fits.get(model, Counter()))
        for model, devices in sorted(models.items())
    ]


@dataclass(slots=True)
class _Physical:
    """A physical device: who holds parts of it, and whether a part can still be taken."""

    model: str
    node: str
    root: str
    parts: int = 0
    before: bool = False
    now: bool = False
    shared: bool = False
    fits: bool = False

    @classmethod
    def of(cls, part: DevicePart) -> _Physical:
        device, entry = part.device, part.entry
        node = entry.node_name or device.traits.node_name or ""
        root = str(device.attributes.get(_ROOT, ("", ""))[1])
        return cls(model_of(device) or entry.driver, node, root)

    def add(self, part: DevicePart, simulation: Simulation) -> None:
        self.parts += 1
        self.before |= part.identity in simulation.cluster.state.exclusive
        self.now |= part.identity in simulation.state.exclusive
        self.shared |= part.identity in simulation.state.shares
        self.fits |= part.fits

    @property
    def state(self) -> str:
        if self.now:
            if self.parts > 1 and self.fits:
                return "partly"
            return "before" if self.before else "now"
        if self.shared:
            return "shared"
        return "free" if self.fits else "blocked"


def _of_model(model: str, devices: Iterable[_Physical], fits: Counter[str]) -> ModelTotals:
    listed = list(devices)
    states = Counter(one.state for one in listed)
    free = [one for one in listed if one.state == "free"]
    nodes = Counter(one.node for one in free)
    roots = Counter((one.node, one.root) for one in free if one.root)
    has_roots = any(one.root for one in listed)
    return ModelTotals(
        model,
        len(listed),
        states["before"],
        states["now"],
        states["partly"],
        states["shared"],
        states["blocked"],
        states["free"],
        max(nodes.values(), default=0),
        max(roots.values(), default=0) if has_roots else None,
        tuple(sorted(fits.items(), key=lambda row: (row[1], row[0]))),
    )
