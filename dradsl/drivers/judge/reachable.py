"""Which devices may pass selectors: shapes of devices, and the drivers that publish them."""

from __future__ import annotations

import functools

from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.abstract.explore import candidate_shapes, explore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.shapes import Shape

__all__ = ["class_of", "drivers_of", "parsed", "reachable", "reachable_drivers"]


def parsed(selectors: Iterable[str]) -> Iterator[Expr]:
    """The trees of `selectors`; what does not parse is left out."""
    return (tree for text in selectors if (tree := _tree(text)) is not None)


@functools.lru_cache(512)  # requests of a set of manifests have few selectors
def _tree(text: str) -> Expr | None:
    try:
        return parse(text)
    except CelSyntaxError:
        return None


def reachable(selectors: Sequence[str], catalogue: Catalogue) -> tuple[Shape, ...]:
    """The shapes of device that all `selectors` together may let through.

    Drivers that no selector mentions are behind the one shape without a driver.
    """
    expressions = tuple(parsed(selectors))
    shapes = candidate_shapes(expressions, catalogue)
    if not expressions:
        return shapes
    return explore(expressions[:-1], expressions[-1], shapes).passing(shapes)


def class_of(shapes: Sequence[Shape], catalogue: Catalogue) -> str | None:
    """A class that a driver installs and that lets only these shapes through; None if there is none."""
    wanted = {shape.label for shape in shapes}
    drivers = {shape.driver.name: shape.driver for shape in shapes if shape.driver is not None}
    for known in (known for driver in drivers.values() for known in driver.classes):
        types = {shape.label for shape in reachable(known.selectors, catalogue)}
        if types and types <= wanted:
            return known.name
    return None


def reachable_drivers(selectors: Sequence[str], catalogue: Catalogue) -> frozenset[str] | None:
    """The drivers whose devices may pass all `selectors`; None if it may be any driver."""
    return drivers_of(reachable(selectors, catalogue))


def drivers_of(shapes: Iterable[Shape]) -> frozenset[str] | None:
    """The drivers of some shapes; None if one of them may be of any driver."""
    drivers = [shape.driver for shape in shapes]
    names = frozenset([driver.name for driver in drivers if driver is not None])
    return None if None in drivers else names
