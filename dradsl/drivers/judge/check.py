"""Checks a CEL selector against what drivers publish (family DRA2).

The selector runs on every shape of device that can come to it (`explore`); what was seen is judged
by `judge_names` (does the name exist here?), `judge_values` (can the value be had, is it of that
type?) and `judge_whole` (can it fail, can it hold at all?). Upstream's own verdict on the text is
not repeated: what does not parse gives nothing here.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import children
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.diagnostics import Severity
from dradsl.drivers.abstract.explore import candidate_shapes, explore
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observe import Observations
    from dradsl.drivers.judge.findings import CelFinding
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.drivers.schema.shapes import Shape

__all__ = ["Case", "SelectorContext", "check_selector", "reachable", "reachable_drivers"]


@dataclass(frozen=True, slots=True)
class SelectorContext:
    """What filters devices before the selector is asked.

    `before` holds the selectors of the class and those that stand earlier in the same list, in
    order. `class_known` says whether the class was found: if not, it may filter in any way, and
    nothing is said that a filter could make wrong. `is_class` marks selectors of a DeviceClass.
    """

    before: tuple[str, ...] = ()
    class_name: str | None = None
    class_known: bool = False
    is_class: bool = False
    alternative: bool = False
    """It is one of several alternatives (`firstAvailable`): to match nothing here is no mistake."""

    @property
    def sees_all(self) -> bool:
        """Whether nothing but `before` filters the devices."""
        return self.class_known or self.is_class


@dataclass(frozen=True, slots=True)
class Case:
    """A selector under judgement: its text and tree, and what was seen while it ran."""

    text: str
    expr: Expr
    before: tuple[Expr, ...]
    context: SelectorContext
    catalogue: Catalogue
    shapes: tuple[Shape, ...]
    notes: Observations
    parents: dict[int, Expr]

    def source(self, node: Expr) -> str:
        """The text that a node covers."""
        return self.text[node.span[0] : node.span[1]]

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
            parent = self.parents.get(id(node))
            if parent is None or getattr(parent, "function", "") in ("_&&_", "_||_", "_?_:_"):
                return node
            node = parent


def check_selector(
    text: str, catalogue: Catalogue, context: SelectorContext | None = None
) -> list[CelFinding]:
    """Findings of family DRA2 in the selector `text`, in the order of their places."""
    from dradsl.drivers.judge.names import judge_names
    from dradsl.drivers.judge.values import judge_values
    from dradsl.drivers.judge.whole import judge_drivers, judge_failures, judge_outcome

    case = _case(text, catalogue, context or SelectorContext())
    if case is None:
        return []
    causes = [*judge_drivers(case), *judge_names(case), *judge_values(case)]
    found = [*causes, *judge_failures(case, causes)]
    found.extend(judge_outcome(case, found))
    if case.context.alternative:
        found = [_mild(finding) for finding in found]
    return _first_of_each(sorted(found, key=lambda each: (each.start, each.end, each.code)))


def _mild(finding: CelFinding) -> CelFinding:
    """A value that no device has may be meant, where another alternative follows."""
    if finding.code in ("DRA209", "DRA212"):
        return replace(finding, severity=Severity.INFO)
    return finding


def _first_of_each(found: list[CelFinding]) -> list[CelFinding]:
    """Without repetitions that leave nothing to mend at their place."""
    kept: list[CelFinding] = []
    said: set[tuple[str, str]] = set()
    for finding in found:
        key = (finding.code, finding.message)
        if finding.fix is None and key in said:
            continue
        said.add(key)
        if finding not in kept:
            kept.append(finding)
    return kept


def reachable(selectors: Sequence[str], catalogue: Catalogue) -> tuple[Shape, ...]:
    """The shapes of device that all `selectors` together may let through.

    Drivers that no selector mentions stand behind the one shape without a driver.
    """
    expressions = tuple(_parsed(selectors))
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


def _case(text: str, catalogue: Catalogue, context: SelectorContext) -> Case | None:
    try:
        expr = parse(text)
    except CelSyntaxError:
        return None
    before = tuple(_parsed(context.before))
    shapes = candidate_shapes((*before, expr), catalogue)
    notes = explore(before, expr, shapes)
    return Case(text, expr, before, context, catalogue, shapes, notes, _parents(expr))


def _parsed(selectors: Iterable[str]) -> Iterable[Expr]:
    for text in selectors:
        try:
            yield parse(text)
        except CelSyntaxError:
            continue


def _parents(root: Expr) -> dict[int, Expr]:
    parents: dict[int, Expr] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in children(node):
            parents[id(child)] = node
            stack.append(child)
    return parents
