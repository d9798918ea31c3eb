"""Runs a selector on every shape of device that may come to it, and notes what happens."""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Ident, ListExpr, Literal, Select, reach, walk
from dradsl.cel.syntax.deep import SHALLOW, deep
from dradsl.drivers.abstract.assumed import NOTHING
from dradsl.drivers.abstract.constants import Constants
from dradsl.drivers.abstract.interpret import AbstractRun, Fuel, OutOfFuelError
from dradsl.drivers.abstract.observations import Failure, Observations
from dradsl.drivers.abstract.worlds import visit_worlds
from dradsl.drivers.schema.shapes import Shape, shapes_of
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.assumed import Assumed
    from dradsl.drivers.abstract.worlds import World
    from dradsl.drivers.schema.catalogue import Catalogue

__all__ = ["Mentions", "candidate_shapes", "explore", "mentions"]

_WORLDS_PER_SHAPE = 300
_STEPS = 60_000  # evaluated nodes, over all shapes and worlds: well below a second
_NODES = 3_000  # expressions are at most 10 KiB; macros can make them larger
_COMPARISONS = frozenset({"_==_", "_!=_", "@in"})
_INDEXING = frozenset({"_[_]", "_[?_]"})


@dataclass(frozen=True, slots=True)
class Mentions:
    """The drivers that expressions test for, and the domains that they read, as written."""

    drivers: tuple[tuple[Literal, str], ...]
    domains: tuple[str, ...]


def mentions(expressions: Iterable[Expr]) -> Mentions:
    """Driver names and domains in `expressions`."""
    drivers: list[tuple[Literal, str]] = []
    domains: dict[str, None] = {}
    for node in (node for each in expressions for node in walk(each)):
        if not isinstance(node, Call) or len(node.args) != 2:
            continue
        left, right = node.args
        if node.function in _COMPARISONS:
            if _is_field(left, "driver"):
                drivers.extend(_texts(right))
            elif _is_field(right, "driver"):
                drivers.extend(_texts(left))
        elif node.function in _INDEXING and isinstance(right, Literal):
            of_device = _is_field(left, "attributes") or _is_field(left, "capacity")
            if of_device and isinstance(right.value, str):
                domains.setdefault(right.value)
    return Mentions(tuple(drivers), tuple(domains))


def candidate_shapes(
    expressions: Iterable[Expr],
    catalogue: Catalogue,
    *,
    also: Iterable[str] = (),
    none_such: frozenset[str] = frozenset(),
) -> tuple[Shape, ...]:
    """The shapes that a selector is judged on: those of the drivers mentioned, and the unknown one.

    `also` names further drivers, `none_such` names that no driver has.
    """
    found = mentions(expressions)
    known = catalogue.names()
    names = dict.fromkeys(name for _, name in found.drivers)
    names.update(dict.fromkeys(found.domains))
    names.update(dict.fromkeys(also))
    shapes: list[Shape] = []
    for name in names:
        schema = catalogue.get(name)
        if schema is not None:
            shapes.extend(shapes_of(schema, catalogue))
    shapes.append(Shape(None, None, own_domains=frozenset(known), none_such=none_such))
    return tuple(shapes)


def explore(
    before: Sequence[Expr],
    target: Expr,
    shapes: Iterable[Shape],
    *,
    assumed: Assumed = NOTHING,
    constants: Constants | None = None,
) -> Observations:
    """What `target` does on each shape, after the selectors `before` let the device through.

    `constants` are those of a release.
    """
    notes = Observations()
    every = (*before, target)
    size = sum([1 for each in every for _ in walk(each)])
    if size > _NODES:
        notes.complete = False
        return notes
    levels = size if size < SHALLOW else max(reach(each) for each in every)
    fuel = Fuel(_STEPS)
    try:
        given = constants or Constants()
        deep(_explore, levels, before, target, shapes, notes, fuel, given, assumed)
    except OutOfFuelError:
        notes.complete = False
    return notes


def _explore(
    before: Sequence[Expr],
    target: Expr,
    shapes: Iterable[Shape],
    notes: Observations,
    fuel: Fuel,
    constants: Constants,
    assumed: Assumed,
) -> None:
    for shape in shapes:

        def run(world: World, shape: Shape = shape) -> None:
            _run(before, target, AbstractRun(shape, world, fuel, constants, assumed), notes)

        complete = visit_worlds(run, _WORLDS_PER_SHAPE)
        notes.complete = notes.complete and complete


def _run(before: Sequence[Expr], target: Expr, run: AbstractRun, notes: Observations) -> None:
    try:
        if not all(run.outcome(each) for each in before):
            return
    except Failure:
        return
    run.device.notes = notes
    outcomes = notes.outcomes.setdefault(run.device.shape, set())
    try:
        outcomes.add(run.outcome(target))
    except Failure as failure:
        outcomes.add(None)
        notes.failed(run.device.shape, failure)


def _is_field(node: Expr, field: str) -> bool:
    return (
        isinstance(node, Select)
        and node.field == field
        and isinstance(node.operand, Ident)
        and node.operand.name == "device"
    )


def _texts(node: Expr) -> Iterator[tuple[Literal, str]]:
    for each in node.elements if isinstance(node, ListExpr) else (node,):
        if isinstance(each, Literal) and isinstance(each.value, str):
            yield each, each.value
