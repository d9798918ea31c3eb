"""What `dradsl schema` prints besides schemas: JSON, and how recorded devices agree with a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.cli.say import columns
from dradsl.records import Record
from dradsl.values.counted import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.drivers.judge.compare import SchemaChange, SelectorChange
    from dradsl.drivers.judge.selectors import FoundSelector
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.conform import Conformance
    from dradsl.drivers.schema.model import DriverSchema

__all__ = [
    "BrokenSelector",
    "breaking",
    "changed",
    "changes_as_json",
    "details",
    "report",
    "result",
    "summary",
    "terminal_width",
]


def terminal_width() -> int:
    """Columns to print tables in."""
    return max(60, min(columns() or 100, 160))


def summary(schema: DriverSchema) -> dict[str, object]:
    """A driver in the list, as JSON."""
    return {
        "driver": schema.name,
        "vendor": schema.vendor,
        "summary": schema.summary,
        "completeness": schema.completeness,
        "versions": list(schema.version_order),
        "deviceTypes": [kind.name for kind in schema.device_types],
        "classes": [known.name for known in schema.classes],
    }


def details(
    schema: DriverSchema, device_type: str | None, versions: tuple[str, ...]
) -> dict[str, object]:
    """What a driver publishes, as JSON; with versions, what the first of them publishes."""
    from dradsl.drivers.judge.compare import at_version

    shown = at_version(schema, versions[0]) if versions else schema
    kinds = [kind for kind in shown.device_types if device_type in (None, kind.name)]
    return {
        **summary(schema),
        "deviceTypes": [
            {
                "name": kind.name,
                "discriminator": kind.discriminator,
                "attributes": [
                    {
                        "name": each.qualified,
                        "types": [str(kind) for kind in each.types],
                        "presence": str(each.presence),
                        "since": each.lifetime.since,
                        "removedIn": each.lifetime.removed_in,
                        "replacedBy": each.lifetime.replaced_by,
                        "deprecated": each.deprecated,
                        "values": None if each.values is None else list(each.values),
                        "examples": list(each.examples),
                        "meaning": each.meaning,
                    }
                    for each in kind.attributes.values()
                ],
                "capacities": [
                    {
                        "name": each.qualified,
                        "presence": str(each.presence),
                        "unit": each.unit,
                        "since": each.lifetime.since,
                        "removedIn": each.lifetime.removed_in,
                        "replacedBy": each.lifetime.replaced_by,
                        "values": None if each.values is None else list(each.values),
                        "examples": dict(each.examples or {}),
                    }
                    for each in kind.capacities.values()
                ],
            }
            for kind in kinds
        ],
    }


def result(each: Conformance) -> dict[str, object]:
    """A recorded device against its schema, as JSON."""
    return {
        "driver": each.device.driver,
        "device": each.device.name,
        "type": each.device_type,
        "known": each.schema is not None,
        "mismatches": [
            {"reason": m.reason, "kind": m.kind, "name": m.name, "detail": m.detail}
            for m in each.mismatches
        ],
    }


def report(results: list[Conformance], catalogue: Catalogue) -> Iterator[str]:
    """A line for each driver, and under it what its devices have and lack against the schema."""
    from dradsl.drivers.schema.conform import fitting_versions

    by_driver: dict[str, list[Conformance]] = {}
    for each in results:
        by_driver.setdefault(each.device.driver, []).append(each)
    for driver, group in sorted(by_driver.items()):
        schema = group[0].schema
        if schema is None:
            yield f"{driver}: {plural(len(group), 'device')}, no schema (`dradsl schema infer` derives one)"
            continue
        counts: dict[str, int] = {}
        for each in group:
            counts[str(each.device_type)] = counts.get(str(each.device_type), 0) + 1
        types = ", ".join(f"{count} {name}" for name, count in counts.items())
        faults: dict[tuple[str, str, str], list[str]] = {}
        for each in group:
            for m in each.mismatches:
                faults.setdefault((m.kind, m.name, m.detail), []).append(each.device.name)
        fitting = fitting_versions([each.device for each in group], schema)
        either = " or ".join(", ".join(fitting).rsplit(", ", 1))
        origin = f", as {either} publishes them" if fitting else ""
        if not faults:
            verdict = ": as the schema says"
        elif compared := catalogue.versions(driver):
            verdict = f"; compared with {', '.join(compared)}:"
        else:
            verdict = "; compared with the schema:"
        yield f"{driver}: {types}{origin}{verdict}"
        for (kind, name, detail), devices in faults.items():
            more = f" and {len(devices) - 3} more" if len(devices) > 3 else ""
            yield f"  {kind} {name}: {detail} ({', '.join(devices[:3])}{more})"


class BrokenSelector(Record):
    """A selector that an update breaks, with code and message of what lint says then."""

    selector: FoundSelector
    findings: tuple[tuple[str, str], ...]


def breaking(found: Iterable[SelectorChange]) -> Iterator[BrokenSelector]:
    """The selectors about which an update brings errors or warnings, in lint's words."""
    from dradsl.diagnostics import Severity
    from dradsl.lint.catalogue.rules import RULES
    from dradsl.lint.catalogue.selector_messages import SELECTOR_MESSAGES

    for each in found:
        findings = []
        for observed in each.observed:
            row = SELECTOR_MESSAGES[type(observed.facts)]
            words = row.words(observed.facts)
            if (words.severity or RULES[row.code].severity) is not Severity.INFO:
                findings.append((row.code, words.message))
        if findings:
            yield BrokenSelector(each.selector, tuple(findings))


def changed(
    changes: Sequence[SchemaChange], broken: Sequence[BrokenSelector], selectors: int | None
) -> Iterator[str]:
    """What an update changes, then what it breaks among the `selectors` of manifests, if given."""
    for change in changes:
        sign = "-" if change.breaks else "+"
        if change.kind == "device-type":
            yield f"{sign} type {change.name} {change.text}"
        else:
            where = f"type {change.device_type}, " if change.device_type else ""
            yield f"{sign} {where}{change.kind} {change.name} {change.text}"
    if not changes:
        yield "nothing changes"
    for each in broken:
        yield f"breaks {each.selector.object} {each.selector.place}: {each.selector.text}"
        for code, message in each.findings:
            yield f"    {code} {message}"
    if selectors is not None and not broken:
        read = "1 selector" if selectors == 1 else f"{selectors} selectors"
        yield f"breaks none of {read} in the manifests" if selectors else "no selectors found"


def changes_as_json(
    changes: Sequence[SchemaChange], broken: Sequence[BrokenSelector]
) -> dict[str, object]:
    """The same as data."""
    rows = [
        {"kind": c.kind, "deviceType": c.device_type, "name": c.name, "text": c.text,
         "breaks": c.breaks}
        for c in changes
    ]  # fmt: skip
    found = [
        {"object": b.selector.object, "field": b.selector.place, "text": b.selector.text,
         "findings": [{"code": code, "message": text} for code, text in b.findings]}
        for b in broken
    ]  # fmt: skip
    return {"changes": rows, "broken": found}
