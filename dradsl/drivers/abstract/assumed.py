"""What a run of an expression takes for granted beside what the expression and the schema say."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.shapes import Name

__all__ = ["NOTHING", "Assumed"]


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is at the nodes `right` may come out in any way; literals may stand for other `texts`.

    `values` are those that the device has of some names.
    """

    right: frozenset[Expr] = frozenset()
    texts: Mapping[Expr, str] = MappingProxyType({})
    values: Mapping[Name, Any] = MappingProxyType({})


NOTHING = Assumed()
