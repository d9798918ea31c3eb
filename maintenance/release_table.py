"""Writes `dradsl/releases/table.py` from the pages of the releases: `python -m maintenance.release_table`.

A test holds the table against the pages.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from dradsl.releases import page_of, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.releases.page import Page

__all__ = ["main", "names_of_pages", "table_text"]

_TABLE = Path(table.__file__)
_WIDTH = 100
_HEAD = '''"""What the API server of each release does; written by `python -m maintenance.release_table`.

The source are the pages `v1_*.py`: change those. A row is a switch, a column a release, in the order of
`NAMES`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CEL",
    "GATES",
    "NAMES",
    "NOT_REQUIRED_SINCE",
    "PATCHES",
    "REMOVED_IN",
    "SERVED",
    "SINCE",
    "VALIDATION",
]
'''


def names_of_pages() -> tuple[str, ...]:
    """The releases that have a page, oldest first."""
    minors = sorted(int(path.stem.partition("_")[2]) for path in _TABLE.parent.glob("v1_*.py"))
    return tuple(f"1.{minor}" for minor in minors)


def table_text(pages: Sequence[Page]) -> str:
    """The text of `table.py` for these pages, which stand in order."""
    return "\n".join((_HEAD, *_lines(pages), ""))


def _lines(pages: Sequence[Page]) -> Iterator[str]:
    yield f"NAMES = {_literal(tuple(page.name for page in pages))}"
    yield f"PATCHES = {_literal(tuple(page.patch for page in pages))}"
    gates = dict.fromkeys(gate for page in pages for gate in page.gates)
    yield from _rows(
        "GATES: dict[str, tuple[str, ...]]",
        {gate: tuple(page.gates.get(gate, "-") for page in pages) for gate in gates},
    )
    served = dict.fromkeys(
        (version, kind)
        for page in pages
        for version, kinds in page.served.items()
        for kind in kinds
    )
    yield from _rows(
        "SERVED: dict[tuple[str, str], tuple[bool, ...]]",
        {
            (version, kind): tuple(kind in page.served.get(version, ()) for page in pages)
            for version, kind in served
        },
    )
    for name, part in (("CEL", "cel"), ("VALIDATION", "validation")):
        records = [getattr(page, part) for page in pages]
        switches = (field.name for field in dataclasses.fields(records[0]))
        rows = {switch: tuple(getattr(each, switch) for each in records) for switch in switches}
        yield from _rows(f"{name}: dict[str, tuple[Any, ...]]", rows)
    yield "# Fields, TYPE.FIELD, and the first release that has them, lacks them, takes objects without them."
    for name, part in (
        ("SINCE", "added"),
        ("REMOVED_IN", "removed"),
        ("NOT_REQUIRED_SINCE", "no_longer_required"),
    ):
        fields = {
            f"{type_name}.{field}": page.name
            for page in pages
            for type_name, listed in getattr(page.fields, part).items()
            for field in listed.split()
        }
        yield from _rows(f"{name}: dict[str, str]", fields)


def _rows(name: str, rows: Mapping[Any, Any]) -> Iterator[str]:
    yield f"{name} = {{"
    for key, value in rows.items():
        line = f"    {_literal(key)}: {_literal(value)},"
        if len(line) <= _WIDTH:
            yield line
            continue
        yield f"    {_literal(key)}: ("
        yield from (f"        {_literal(each)}," for each in value)
        yield "    ),"
    yield "}"


def _literal(value: Any) -> str:
    """As the formatter writes it, as far as such values go."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def main() -> int:
    """Write the table."""
    pages = [page_of(name) for name in names_of_pages()]
    _TABLE.write_text(table_text(pages), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
