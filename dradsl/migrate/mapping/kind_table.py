"""What kinds of objects do with claims in their pod templates: keep, drop or reject them, and since when.

The rows are in `schemas/workload-kinds.yaml`, each with what was read of the project.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from dradsl.data import data_path
from dradsl.records import dataclass

__all__ = ["KindRow", "Verdict", "kind_rows", "row_of"]

# `varies`: releases or installations differ, so the user is asked.
Verdict = Literal["keeps", "drops", "rejects", "varies"]


@dataclass(frozen=True, slots=True)
class KindRow:
    """Kinds of a group ("*" is all of them). `since` is the first release for which the verdict holds, `why` is
    the explanation in a report."""

    group: str
    kinds: tuple[str, ...]
    verdict: Verdict
    source: str
    since: str = ""
    why: str = ""


@cache
def kind_rows() -> tuple[KindRow, ...]:
    """All rows, read once."""
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    data: Any = load(read_bytes(data_path("schemas", "workload-kinds.yaml"))).documents[0].data
    return tuple(KindRow(**{**row, "kinds": tuple(row["kinds"])}) for row in data["kinds"])


def row_of(group: str, kind: str) -> KindRow | None:
    """The row of a kind; None for a kind that is not in the table."""
    of_group = (row for row in kind_rows() if row.group == group)
    return next((row for row in of_group if {"*", kind} & {*row.kinds}), None)
