"""The reasons of what the declarative rules reject: `declarative_reasons.json`, by `RULE`, and where a field or a type makes
it a more special one by `FIELD RULE` or `TYPE FIELD RULE`."""

from __future__ import annotations

import functools
import json

from dradsl.data import text_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["reason_of", "reasons_by_rule"]


@functools.cache
def reasons_by_rule() -> Mapping[str, str]:
    """The reason ids."""
    table: Mapping[str, str] = json.loads(text_beside(__file__, "declarative_reasons.json"))
    return table


def reason_of(owner: str, field: str, rule: str) -> str:
    """The reason id of an error of `rule` at `field` of the type `owner`."""
    table = reasons_by_rule()
    return table.get(f"{owner} {field} {rule}") or table.get(f"{field} {rule}") or table[rule]
