"""Which devices may pass selectors: shapes of devices, and the drivers that publish them."""

from __future__ import annotations

from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.abstract.explore import candidate_shapes, explore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.shapes import Shape

__all__ = ["parsed", "reachable", "reachable_drivers"]


def parsed(selectors: Iterable[str]) -> Iterator[Expr]:
    """The trees of `selectors`; what does not parse is left out."""
    for text in selectors:
        try:
            yield parse(text)
        except CelSyntaxError:
            continue


def reachable(selectors: Sequence[str], catalogue: Catalogue) -> tuple[Shape, ...]:
    """The shapes of device that all `selectors` together may let through.

    Drivers that no selector mentions stand behind the one shape without a driver.
    """
    expressions = tuple(parsed(selectors))
    shapes = candidate_shapes(expressions, catalogue)
    if not expressions:
        return shapes
    notes = explore(expressions[:-1], expressions[-1], shapes)
    if not notes.complete:
        return shapes
    return tuple(shape for shape in shapes if True in notes.outcomes.get(shape, ()))


def reachable_drivers(selectors: Sequence[str], catalogue: Catalogue) -> frozenset[str] | None:
    """The drivers whose devices may pass all `selectors`; None if it may be any driver."""
    names = set()
    for shape in reachable(selectors, catalogue):
        if shape.driver is None:
            return None
        names.add(shape.driver.name)
    return frozenset(names)
