"""Writes `table.json` and `scheduling.json` of `dradsl/releases` from the pages `schemas/releases/*.yaml`.

`python -m maintenance.release_table`. A page says what differs from the release before it; the first one says
everything. A run loads what is made of them, in full, as JSON: one file for what the API server does, one for the
scheduler. A test holds both against the pages.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import yaml

from dradsl.data import data_path
from dradsl.releases import table
from dradsl.releases.scheduling import AllocatorVariant, NodeRules, Plugin
from dradsl.releases.server import CelLibraries, Validation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["VARIANTS", "full_pages", "main", "names_of_pages", "own_page", "texts"]

VARIANTS = ("stable", "incubating", "experimental")
"""The implementations of the allocator, in the order in which upstream tries them."""

_PAGES = Path(data_path("schemas", "releases"))
_MADE = Path(table.__file__).parent
_FIELDS = {"SINCE": "added", "REMOVED_IN": "removed", "NOT_REQUIRED_SINCE": "no_longer_required"}
_RECORDS = {
    "cel": CelLibraries,
    "validation": Validation,
    "plugin": Plugin,
    **dict.fromkeys(("variants", *VARIANTS), AllocatorVariant),
}


def names_of_pages() -> tuple[str, ...]:
    """The releases that have a page, oldest first."""
    minors = sorted(int(path.stem.partition(".")[2]) for path in _PAGES.glob("*.yaml"))
    return tuple(f"1.{minor}" for minor in minors)


def own_page(name: str) -> dict[str, Any]:
    """What the page of a release says itself.

    Raises:
        ValueError: for a section or a switch that there is not.
    """
    page: dict[str, Any] = yaml.safe_load((_PAGES / f"{name}.yaml").read_text("utf-8"))
    known = {"patch", "gates", "served", "fields", "earlier_patches", *_RECORDS}
    wrong = [*(page.keys() - known), *(page.get("fields", {}).keys() - _FIELDS.values())]
    for part, record in _RECORDS.items():
        wrong += page.get(part, {}).keys() - _switches(record)
    if wrong:
        raise ValueError(f"the page of {name} has what is not known: {', '.join(sorted(wrong))}")
    return page


def _switches(record: type) -> tuple[str, ...]:
    return tuple(each.name for each in dataclasses.fields(record) if each.name != "name")


def full_pages() -> dict[str, dict[str, Any]]:
    """The pages by release, each with what it keeps of the release before."""
    pages: dict[str, dict[str, Any]] = {}
    before: dict[str, Any] = {}
    for name in names_of_pages():
        own = own_page(name)
        page = {"patch": own["patch"], "fields": own.get("fields", {})}
        for part in ("gates", "served", "cel", "validation", "plugin"):
            page[part] = before.get(part, {}) | own.get(part, {})
        for each in VARIANTS:
            page[each] = before.get(each, {}) | own.get("variants", {}) | own.get(each, {})
        page["earlier_patches"] = own.get("earlier_patches", {})
        _expect_all(name, page)
        pages[name] = before = page
    return pages


def _expect_all(name: str, page: Mapping[str, Any]) -> None:
    """See to it that each record has all its switches.

    Raises:
        ValueError: for one that the page does not set, and no page before it.
    """
    parts = {part: page[part] for part in _RECORDS if part in page}
    records = [(_RECORDS[part], row) for part, row in parts.items()]
    if page["plugin"].get("node_rules"):
        records.append((NodeRules, page["plugin"]["node_rules"]))
    for record, row in records:
        missing = {*_switches(record)} - row.keys()
        if missing:
            raise ValueError(f"the page of {name} does not set {', '.join(sorted(missing))}")


def texts() -> dict[Path, str]:
    """The files that are made, with their texts."""
    pages = full_pages()
    return {
        _MADE / "table.json": _text(dict(_served_and_validated(pages))),
        _MADE / "scheduling.json": _text(dict(_scheduled(pages))),
    }


def _served_and_validated(pages: Mapping[str, dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The parts of `table.json`: a row is a switch, a column a release."""
    rows = pages.values()
    yield "NAMES", [*pages]
    yield "PATCHES", [page["patch"] for page in rows]
    gates = dict.fromkeys(gate for page in rows for gate in page["gates"])
    yield "GATES", {gate: [page["gates"].get(gate, "-") for page in rows] for gate in gates}
    served = dict.fromkeys(
        (version, kind)
        for page in rows
        for version, kinds in page["served"].items()
        for kind in kinds
    )
    yield (
        "SERVED",
        {
            f"{version} {kind}": [kind in page["served"].get(version, ()) for page in rows]
            for version, kind in served
        },
    )
    for part in ("cel", "validation"):
        switches = _switches(_RECORDS[part])
        yield part.upper(), {name: [page[part][name] for page in rows] for name in switches}
    # Fields, TYPE.FIELD, and the first release that has them, lacks them, takes objects without them.
    for made, part in _FIELDS.items():
        yield (
            made,
            {
                f"{type_name}.{field}": name
                for name, page in pages.items()
                for type_name, listed in page["fields"].get(part, {}).items()
                for field in listed.split()
            },
        )


def _scheduled(pages: Mapping[str, dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The parts of `scheduling.json`: the allocators by release, and by older patch of which there are recorded answers."""
    yield (
        "variants",
        {
            patch: [{"name": each} | page[each] | changes for each in VARIANTS]
            for name, page in pages.items()
            for patch, changes in {name: {}, **page["earlier_patches"]}.items()
        },
    )
    yield "plugins", {name: page["plugin"] for name, page in pages.items()}


def _text(parts: Mapping[str, Any]) -> str:
    """The JSON text, a line for each row."""
    blocks = []
    for name, part in parts.items():
        text = json.dumps(part)
        if isinstance(part, dict):
            rows = (f" {json.dumps(key)}: {json.dumps(row)}" for key, row in part.items())
            text = "{\n" + ",\n".join(rows) + "\n}"
        blocks.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main() -> int:
    """Write the files."""
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
