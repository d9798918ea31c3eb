"""Charts that install drivers and device plugins: their keys, what their own templates reject, and what they need.

The rows are in `schemas/drivers/_charts.yaml`, each with the files of the chart that were read, and the release. Defaults
count only where the values are complete. Releases of Kubernetes before 1.34 are left out, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dradsl.data import data_path
from dradsl.drivers.schema.parsed import load_shipped
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "MISSING",
    "ChartRow",
    "Conflict",
    "DriverCharts",
    "GateNeed",
    "KernelNeed",
    "KeyTest",
    "chart_of_values",
    "driver_charts",
    "named_chart",
    "value_at",
]

MISSING = object()
_EMPTY: tuple[object, ...] = (None, False, "", 0)


class KeyTest(Record):
    """A key of the values and what it must hold: one of `values`, or with `other` anything else.

    `default` is what the chart has where the key is missing.
    """

    key: str
    values: tuple[object, ...]
    default: object = None
    other: bool = False

    def holds(self, data: object) -> bool:
        """Whether the values, with the chart's default, meet this test."""
        value = value_at(data, self.key)
        if value is MISSING:
            value = self.default
        if value in ({}, []):
            value = None  # as templates see it
        return (value in self.values) is not self.other


class Conflict(Record):
    """Values that exclude each other: the chart's templates reject them, or the driver does when it starts.

    `not_in` are prefixes of the versions of the chart that do not reject them yet.
    """

    tests: tuple[KeyTest, ...]
    message: str
    help: str
    source: str
    not_in: tuple[str, ...] = ()


class GateNeed(Record):
    """A feature gate of the driver that needs one of Kubernetes, and `what` happens without that."""

    gate: str
    kubernetes: str
    what: str
    source: str


class ChartRow(Record):
    """A chart: its names, the keys of its values in all releases that were read, and what identifies it.

    Values without the name of their chart belong to it if they have all keys of one of the rows of `signs`. `gates` is
    the key that holds the driver's feature gates, `known_gates` those of all releases, `needs` those that need gates
    of Kubernetes. `devices` are what it hands out, by a device `plugin` or by DRA. `since` are keys that it reads only
    from a version on.
    """

    title: str
    names: frozenset[str]
    source: str
    keys: frozenset[str]
    signs: tuple[tuple[str, ...], ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    gates: str | None = None
    known_gates: frozenset[str] = frozenset()
    needs: tuple[GateNeed, ...] = ()
    devices: str = ""
    plugin: bool = False
    drivers: tuple[str, ...] = ()
    since: tuple[tuple[str, str], ...] = ()


class KernelNeed(Record):
    """The oldest kernel driver with which something works. Values of `chart` ask for it if all tests hold."""

    chart: str
    tests: tuple[KeyTest, ...]
    least: str
    what: str
    source: str


class DriverCharts(Record):
    """All rows."""

    charts: tuple[ChartRow, ...]
    kernel_drivers: tuple[KernelNeed, ...]


def value_at(data: object, key: str) -> Any:
    """The value under a path of keys with dots between them; `MISSING` if there is none."""
    for part in key.split("."):
        if not isinstance(data, Mapping) or part not in data:
            return MISSING
        data = data[part]
    return data


def named_chart(name: str) -> ChartRow | None:
    """The chart of that name."""
    return next((row for row in driver_charts().charts if name in row.names), None)


def chart_of_values(data: object) -> ChartRow | None:
    """The chart whose signs some values have."""
    for row in driver_charts().charts:
        if any(all(value_at(data, key) is not MISSING for key in sign) for sign in row.signs):
            return row
    return None


@cache
def driver_charts() -> DriverCharts:
    """The rows, read when they are first asked for."""
    data = load_shipped(data_path("schemas", "drivers", "_charts.yaml"))
    return DriverCharts(
        tuple(_chart(row, data["nvidiaGates"]) for row in data["charts"]),
        tuple(KernelNeed(tests=_tests(row.pop("when")), **row) for row in data["kernelDrivers"]),
    )


def _chart(row: dict[str, Any], nvidia: Mapping[str, Any]) -> ChartRow:
    conflicts = [_conflict(each) for each in row.get("conflicts", ())]
    if "gates" in row:
        conflicts += [_conflict(each, f"{row['gates']}.") for each in nvidia["conflicts"]]
        row["known_gates"] = frozenset(nvidia["known"])
        row["needs"] = tuple(GateNeed(**each) for each in nvidia["needs"])
    return ChartRow(
        **{
            **row,
            "names": frozenset(row["names"]),
            "keys": frozenset(row["keys"]),
            "signs": tuple(tuple(sign) for sign in row.get("signs", ())),
            "conflicts": tuple(conflicts),
            "drivers": tuple(row.get("drivers", ())),
            "since": tuple(row.get("since", {}).items()),
        }
    )


def _conflict(row: Mapping[str, Any], above: str = "") -> Conflict:
    tests = _tests(row["when"], above)
    return Conflict(tests, row["message"], row["help"], row["source"], tuple(row.get("notIn", ())))


def _tests(rows: list[Mapping[str, Any]], above: str = "") -> tuple[KeyTest, ...]:
    return tuple(_test(row, above) for row in rows)


def _test(row: Mapping[str, Any], above: str) -> KeyTest:
    default = row.get("default")
    if "key" in row:
        other = "except" in row
        return KeyTest(above + row["key"], tuple(row["except" if other else "in"]), default, other)
    if "on" in row:
        return KeyTest(above + row["on"], (True,), default)
    other = "set" in row
    return KeyTest(above + row["set" if other else "off"], _EMPTY, default, other)
