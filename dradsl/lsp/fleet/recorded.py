"""The devices of recorded slices as selectors see them: which match, clause by clause, and which values they have."""

from __future__ import annotations

from collections import Counter

from dradsl.records import Record, dataclass
from dradsl.values.deadline import NO_DEADLINE
from dradsl.values.limits import MOST_MATCHED_DEVICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.cel.dra import CompiledSelector, DeviceView
    from dradsl.releases import Features, Release
    from dradsl.values.deadline import Deadline

__all__ = ["ClauseCount", "Matches", "Recorded", "SeenDevice"]


_NAMES = 6
_VALUES = 4
_CHECKED = 64  # devices between two looks at the clock


@dataclass(frozen=True, slots=True, eq=False)
class SeenDevice:
    """A recorded device: where it is, and how CEL sees it."""

    driver: str
    pool: str
    name: str
    node: str | None
    view: DeviceView


class ClauseCount(Record):
    """How the devices fare with one clause; `values` are those of devices that fail it, as they are looked up."""

    text: str
    passed: int
    failed: int
    errors: int
    values: tuple[str, ...]


class Matches(Record):
    """How many of the devices match a selector. `whole` tells whether all were looked at."""

    of: int
    matched: int
    errors: int
    clauses: tuple[ClauseCount, ...]
    names: tuple[str, ...]
    whole: bool


class Recorded:
    """The devices of one inventory, for one release."""

    def __init__(
        self, objects: Sequence[Mapping[str, object]], release: Release, features: Features
    ) -> None:
        self.objects = objects
        self.release = release
        self.features = features
        self._devices: tuple[SeenDevice, ...] | None = None
        self._selectors: dict[str, CompiledSelector] = {}
        self._found: dict[tuple[str, tuple[str, ...] | None], Matches] = {}
        self._values: dict[tuple[str, str, str], tuple[Counter[str], int]] = {}
        self.cut = False

    @property
    def devices(self) -> tuple[SeenDevice, ...]:
        """The devices; slices that cannot be read have none."""
        if self._devices is None:
            self._devices = tuple(self._read())
        return self._devices

    def _read(self) -> list[SeenDevice]:
        from dradsl.allocator.inventory.slices import InventoryError, SliceReader, slice_in_v1
        from dradsl.cel.dra import device_view
        from dradsl.values.quantity import QuantityError

        reader = SliceReader()
        found: list[SeenDevice] = []
        for document in self.objects:
            if document.get("kind") != "ResourceSlice":
                continue
            try:
                entry: Any = slice_in_v1(dict(document))
                reader.read(entry)
                spec = entry["spec"]
                driver, pool = str(spec["driver"]), str((spec.get("pool") or {}).get("name") or "")
                for device in spec.get("devices") or ():
                    if len(found) == MOST_MATCHED_DEVICES:
                        self.cut = True
                        return found
                    node = spec.get("nodeName") or device.get("nodeName")
                    view = device_view(driver, device)
                    found.append(SeenDevice(driver, pool, str(device["name"]), node, view))
            except (InventoryError, QuantityError):
                continue  # lint says what is wrong with it
        return found

    # Values

    def drivers(self) -> set[str]:
        """The drivers that publish devices."""
        return {device.driver for device in self.devices}

    def values(self, kind: str, domain: str, name: str) -> tuple[Counter[str], int]:
        """The values of an "attributes" or "capacity" entry as CEL writes them, and how many devices of the
        drivers that publish it do without."""
        key = (kind, domain, name)
        if key not in self._values:
            self._values[key] = self._counted(kind, domain, name)
        return self._values[key]

    def _counted(self, kind: str, domain: str, name: str) -> tuple[Counter[str], int]:
        from dradsl.cel.explain import shown_value

        found: Counter[str] = Counter()
        lacking: Counter[str] = Counter()
        having: set[str] = set()
        for device in self.devices:
            entries = device.view.value[kind]
            here: Mapping[str, object] = dict.get(entries, domain, {})
            if name in here:
                found[shown_value(here[name])] += 1
                having.add(device.driver)
            else:
                lacking[device.driver] += 1
        return found, sum(lacking[driver] for driver in having)

    # Selectors

    def selector(self, text: str) -> CompiledSelector:
        """A selector as the scheduler compiles it."""
        from dradsl.cel.dra import compile_selector

        found = self._selectors.get(text)
        if found is None:
            if len(self._selectors) > 2000:
                self._selectors.clear()
            found = compile_selector(text, self.release, self.features, "stored")
            self._selectors[text] = found
        return found

    def matches(
        self,
        text: str,
        before: Iterable[str] | None = None,
        deadline: Deadline = NO_DEADLINE,
    ) -> Matches | None:
        """How the devices fare with a selector; None if it does not compile.

        `before` are selectors that a device has to pass to be asked at all: those of the class. Devices on
        which one of these fails are not asked either.

        Raises:
            TimeOverError: if the deadline comes first.
        """
        key = (text, None if before is None else tuple(before))
        known = self._found.get(key)
        if known is not None:
            return known
        selector = self.selector(text)
        if selector.program is None:
            return None
        first = [self.selector(each) for each in key[1] or ()]
        found = self._count(selector, first, deadline)
        if len(self._found) > 2000:
            self._found.clear()
        self._found[key] = found
        return found

    def _count(
        self, selector: CompiledSelector, first: Sequence[CompiledSelector], deadline: Deadline
    ) -> Matches:
        from dradsl.cel.explain import clauses

        assert selector.program is not None  # noqa: S101 - asked before
        counts = [_Counting(clause.text) for clause in clauses(selector.program)]
        pieces = clauses(selector.program)
        of = matched = errors = 0
        names: list[str] = []
        for number, device in enumerate(self.devices):
            if number % _CHECKED == 0:
                deadline.check()
            if not all(_passes(each, device.view) is True for each in first):
                continue
            of += 1
            outcome = _passes(selector, device.view)
            matched += outcome is True
            errors += outcome is None
            if outcome is True and len(names) < _NAMES:
                names.append(f"{device.pool}/{device.name}")
            if device.view.problem is None:
                for clause, count in zip(pieces, counts, strict=True):
                    count.add(clause.outcome([device.view.value]))
        rows = tuple(count.done() for count in counts)
        return Matches(of, matched, errors, rows, tuple(names), not self.cut)


def _passes(selector: CompiledSelector, view: DeviceView) -> bool | None:
    """Whether a device passes; None if the evaluation fails."""
    from dradsl.cel.runtime.values import CelRuntimeError

    try:
        return selector.match(view)
    except CelRuntimeError:
        return None


class _Counting:
    """What becomes of devices at one clause."""

    def __init__(self, text: str) -> None:
        self._text = " ".join(text.split())
        self._passed = self._failed = self._errors = 0
        self._values: Counter[str] = Counter()

    def add(self, outcome: Any) -> None:
        from dradsl.cel.explain import shown_value

        if outcome.error is not None:
            self._errors += 1
            self._values[outcome.error.message] += 1
        elif outcome.value is True:
            self._passed += 1
        else:
            self._failed += 1
            for _, value in outcome.seen:
                self._values[shown_value(value)] += 1

    def done(self) -> ClauseCount:
        values = tuple(text for text, _ in self._values.most_common(_VALUES))
        return ClauseCount(self._text, self._passed, self._failed, self._errors, values)
