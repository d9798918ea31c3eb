"""What kinds of objects do with claims in their pod templates: keep, drop or reject them, and since when.

The rows are in `schemas/workload-kinds.yaml`, each with what was read of the project.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from dradsl.data import data_path
from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CountingKind", "KindRow", "Verdict", "counting_kinds", "kind_rows", "row_of"]

# `varies`: releases or installations differ, so the user is asked.
Verdict = Literal["keeps", "drops", "rejects", "varies"]


class KindRow(Record):
    """Kinds of a group ("*" is all of them). `since` is the first release for which the verdict holds, `why` is
    the explanation in a report."""

    group: str
    kinds: tuple[str, ...]
    verdict: Verdict
    source: str
    since: str = ""
    why: str = ""


class CountingKind(Record):
    """A kind whose objects count devices, and make no pods: where the amounts are, and what becomes of them."""

    kind: str
    places: tuple[str, ...]
    why: str


@cache
def _table() -> Any:
    """The file, read once."""
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    return load(read_bytes(data_path("schemas", "workload-kinds.yaml"))).documents[0].data


@cache
def kind_rows() -> tuple[KindRow, ...]:
    """All rows on claims in pods."""
    return tuple(KindRow(**{**row, "kinds": tuple(row["kinds"])}) for row in _table()["kinds"])


@cache
def counting_kinds() -> Mapping[tuple[str, str], CountingKind]:
    """The kinds that count devices, by kind and group."""
    return {
        (kind, row["group"]): CountingKind(kind, tuple(row["places"]), row["why"])
        for row in _table()["counting"]
        for kind in row["kinds"]
    }


def row_of(group: str, kind: str) -> KindRow | None:
    """The row of a kind; None for a kind that is not in the table."""
    of_group = (row for row in kind_rows() if row.group == group)
    return next((row for row in of_group if {"*", kind} & {*row.kinds}), None)
