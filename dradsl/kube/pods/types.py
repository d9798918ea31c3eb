"""The Go types of Kubernetes' own kinds with pods, of all releases: the table `types.json`.

Upstream's types have written it (k8s.io/api core/v1, apps/v1, batch/v1 and what they use, at 0.34.13 to 0.37.2;
`tests/kube/workloads/types.py`, where its form is described).
"""

from __future__ import annotations

import functools
import json

from dradsl.records import dataclass
from dradsl.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["FieldOf", "fields_of", "types"]


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of a struct: its type as Go writes it, and the embedded struct that has it.

    `since` and `until` are the releases that have it, where these are not all.
    """

    type: str
    embedded: str = ""
    since: str | None = None
    until: str | None = None

    def exists_in(self, release: str) -> bool:
        """Whether `release` ("1.36") knows the field."""
        if self.since is self.until:  # most fields are in all
            return True
        order = tuple(RELEASES)
        at = order.index(release)
        return (self.since is None or at >= order.index(self.since)) and (
            self.until is None or at <= order.index(self.until)
        )


@functools.cache
def types() -> Mapping[str, Any]:
    """The named types: a struct as its fields, another one as what it is."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    text = read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES)
    table: Mapping[str, Any] = json.loads(text)
    return table


@functools.cache
def fields_of(name: str) -> Mapping[str, FieldOf]:
    """The fields of a struct in all releases; none of another type."""
    rows = types().get(name)
    return {each: _field(row) for each, row in rows.items()} if isinstance(rows, dict) else {}


def _field(row: str) -> FieldOf:
    type_, *more = row.split(" ")
    marks = dict(each.split("=") for each in more[1:])
    return FieldOf(type_.lstrip("*"), "".join(more[:1]).lstrip("-"), **marks)
