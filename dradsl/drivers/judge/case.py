"""A selector under judgement: its tree, what filters devices before it, and what was seen of it."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.cel.syntax.ast import Call, Literal, walk
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.drivers.abstract.assumed import Assumed
from dradsl.drivers.abstract.constants import Constants
from dradsl.drivers.abstract.explore import candidate_shapes, explore
from dradsl.drivers.judge.reachable import parsed
from dradsl.drivers.suggestions.drivers import mistaken_drivers
from dradsl.drivers.suggestions.tree import ExpressionTree, tree_of
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import Observations
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.drivers.schema.shapes import Name, Shape

__all__ = ["SelectorCase", "SelectorContext", "case_of"]


@dataclass(frozen=True, slots=True)
class SelectorContext:
    """What filters devices before the selector is asked.

    `before` holds the selectors of the class and those that stand earlier in the same list, in
    order. `class_known` says whether the class was found: if not, it may filter in any way, and
    nothing is said that a filter could make wrong. `is_class` marks selectors of a DeviceClass.
    `release` names the Kubernetes release whose evaluator computes constants (None: the newest). `rejected`
    are the parts of the selector that upstream's compiler rejects: they count as right. `own` is the number of
    the last ones in `before` that stand in the same list, `shown` are drivers of slices beside it: one may be meant.
    """

    before: tuple[str, ...] = ()
    class_name: str | None = None
    class_known: bool = False
    is_class: bool = False
    release: str | None = None
    rejected: tuple[tuple[int, int], ...] = ()
    own: int = 0
    shown: frozenset[str] = frozenset()

    @property
    def sees_all(self) -> bool:
        """Whether nothing but `before` filters the devices."""
        return self.class_known or self.is_class


@dataclass(frozen=True, slots=True)
class SelectorCase:
    """A selector under judgement: its text and tree, and what was seen while it ran.

    `meant` has the drivers that misspelt names in what filters before stand for, `right` what is not
    to be judged.
    """

    tree: ExpressionTree
    before: tuple[Expr, ...]
    context: SelectorContext
    catalogue: Catalogue
    shapes: tuple[Shape, ...]
    notes: Observations
    constants: Constants
    meant: Mapping[Expr, str] = MappingProxyType({})
    right: frozenset[Expr] = frozenset()

    def explored(
        self,
        right: frozenset[Expr],
        target: Expr | None = None,
        values: Mapping[Name, Any] | None = None,
    ) -> Observations:
        """What is seen if the parts at `right` may come out in any way, of the part `target` alone.

        `values` are those of a device in mind.
        """
        if not right and target is None and not values:
            return self.notes
        assumed = Assumed(self.right | right, self.meant, values or {})
        return explore(
            self.before,
            target or self.expr,
            self.shapes,
            assumed=assumed,
            constants=self.constants,
        )

    def with_notes(self, notes: Observations) -> SelectorCase:
        """The case as it would stand if other things had been seen."""
        return replace(self, notes=notes)

    def pinned(self, driver: DriverSchema) -> bool:
        """Whether it is known what this cluster's driver publishes, and not the newest one's names only."""
        return self.catalogue.settled(driver.name)

    def newest(self, driver: DriverSchema) -> str | None:
        """The version that the schema ends with, if it is unknown which one is in use."""
        versions = self.catalogue.versions(driver.name)
        return None if self.pinned(driver) or not versions else versions[-1]

    def passing(self, among: int) -> tuple[Shape, ...] | None:
        """The shapes that it and the selectors before it, `among` in all, may let through.

        None where the case was seen in another light than that of `reachable`: with something taken for granted,
        without what is before it, or with constants that only the evaluator knows.
        """
        alone = among > 1 and not self.before
        named = any(shape.none_such for shape in self.shapes)
        if alone or named or self.right or self.meant or not self.constants.all_read:
            return None
        return self.notes.passing(self.shapes)

    @property
    def text(self) -> str:
        return self.tree.text

    @property
    def expr(self) -> Expr:
        return self.tree.root

    @property
    def parents(self) -> Mapping[Expr, Expr]:
        return self.tree.parents

    def source(self, node: Expr) -> str:
        """The text that a node covers."""
        return self.tree.source(node)

    def drivers(self) -> tuple[DriverSchema, ...]:
        """The drivers whose devices may come to the selector."""
        found = {shape.driver.name: shape.driver for shape in self.shapes if shape.driver}
        return tuple(found.values())

    def shapes_of(self, driver: DriverSchema) -> tuple[Shape, ...]:
        """Every shape of a driver, also those that were filtered out."""
        return tuple(shape for shape in self.shapes if shape.driver is driver)

    def clause(self, node: Expr) -> Expr:
        """The largest condition around `node` that holds no `&&`, `||` or `?:` of its own."""
        while True:
            parent = self.parents.get(node)
            if parent is None or getattr(parent, "function", "") in ("_&&_", "_||_", "_?_:_"):
                return node
            node = parent


def case_of(text: str, catalogue: Catalogue, context: SelectorContext) -> SelectorCase | None:
    """The case of the selector `text`; None if it does not parse."""
    try:
        expr = parse(text)
    except CelSyntaxError:
        return None
    texts = [(each, one) for one in context.before for each in parsed([one])]
    before = tuple(each for each, _ in texts)
    constants = Constants(context.release, (expr, text), *texts)
    mistaken = tuple(mistaken_drivers((*before, expr), catalogue))
    shapes = candidate_shapes(
        (*before, expr),
        catalogue,
        also=[each.meant for each in mistaken],
        none_such=frozenset(each.name for each in mistaken),
    )
    tree = tree_of(text, expr)
    meant: dict[Expr, str] = {
        each.literal: each.meant
        for each in mistaken
        if each.test not in tree.parents and each.test is not expr
    }
    rejected = frozenset(context.rejected)
    right = frozenset(node for node in walk(expr) if rejected and node.span in rejected)
    right |= _open(tree, constants)
    notes = explore(before, expr, shapes, assumed=Assumed(right), constants=constants)
    if meant and notes.complete and not notes.outcomes:
        notes = explore(before, expr, shapes, assumed=Assumed(right, meant), constants=constants)
    else:
        meant = {}
    assumed = Assumed(right, meant)
    if notes.complete and not notes.outcomes and before:
        # Nothing comes here, which is said where it is to be fixed: taken by itself, the rest is judged.
        before, context = (), replace(context, before=(), class_known=False)
        notes = explore(before, expr, shapes, assumed=assumed, constants=constants)
    return SelectorCase(tree, before, context, catalogue, shapes, notes, constants, meant, right)


def _open(tree: ExpressionTree, constants: Constants) -> frozenset[Expr]:
    """The texts that hold a variable, which something else replaces, and what is computed of them alone."""
    if "${" not in tree.text:
        return frozenset()
    from dradsl.drivers.suggestions.literals import has_variable

    found: set[Expr] = set()
    for node in walk(tree.root):
        if isinstance(node, Literal) and isinstance(node.value, str) and has_variable(node.value):
            here: Expr | None = node
            while here is not None:
                found.add(here)
                here = tree.parents.get(here)
                if not isinstance(here, Call) or constants.value(here) is None:
                    break
    return frozenset(found)
