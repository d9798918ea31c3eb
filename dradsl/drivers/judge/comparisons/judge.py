"""Every comparison of a selector: of the right type, with something that devices publish?"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call
from dradsl.drivers.abstract.described_device import DRIVER
from dradsl.drivers.judge.comparisons.operators import suspect
from dradsl.drivers.judge.comparisons.values import judge_value
from dradsl.observations import Observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import Misuse
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.judge.suspects import Suspect

__all__ = ["judge_comparisons"]


def judge_comparisons(case: SelectorCase) -> Iterator[Observation | Suspect]:
    """What is wrong with comparisons, one for each literal that cannot be right."""
    for misuse in case.notes.misuses.values():
        if _is_met(case, misuse.node, misuse.other):
            continue
        if misuse.sym.name != DRIVER and not _fits_elsewhere(case, misuse):
            from dradsl.drivers.judge.comparisons.types import wrong_type

            yield suspect(misuse.node, wrong_type(case, misuse))
    if any(_is_converted(case, access.node) for access in case.notes.accesses.values()):
        yield from _conversions(case)
    for node, sym in case.notes.fields.items():
        from dradsl.drivers.judge.comparisons.types import field_of_value
        from dradsl.drivers.judge.name_causes import dotted_domain

        access = case.notes.accesses.get((sym.node, sym.name))
        if access is not None and dotted_domain(case, access) is not None:
            continue  # said of the domain
        yield suspect(node, field_of_value(case, node, sym))
    for comparison in case.notes.comparisons.values():
        if _is_met(case, comparison.node, comparison.literal):
            continue
        if comparison.sym.name[0] == "capacity":
            from dradsl.drivers.judge.comparisons.amounts import judge_amount

            yield from judge_amount(case, comparison)
        elif comparison.sym.name != DRIVER:
            yield from judge_value(case, comparison)


def _conversions(case: SelectorCase) -> Iterator[Suspect]:
    """Texts that are taken to pieces or converted in a way that no known value lets happen."""
    from dradsl.drivers.abstract.conversions import failing_conversions

    accesses = case.notes.accesses.values()
    for each in failing_conversions(case.text, case.parents, accesses, case.context.release):
        part = case.source(each.node)
        from dradsl.drivers.judge import selector_facts as facts

        found = facts.FailsForKnownValues(each.access.name[2], part, each.error, each.values)
        yield suspect(each.node, Observation(found, span=each.node.span))


def _is_converted(case: SelectorCase, node: Expr) -> bool:
    """Whether something is called on a value that is not merely compared."""
    parent = case.parents.get(node)
    return isinstance(parent, Call) and parent.function not in ("_==_", "_!=_", "_&&_", "_||_")


def _is_met(case: SelectorCase, node: Expr, literal: Expr | None) -> bool:
    """Whether the literal stands for a missing value: `x.?mode.orValue("none") == "none"`."""
    return literal is not None and (node, literal) in case.notes.compared_with_default


def _fits_elsewhere(case: SelectorCase, misuse: Misuse) -> bool:
    """Whether another shape has the name with a type that the operation is right for, or is of the domain's driver."""
    of_others = all(shape.driver is None for shape in misuse.shapes)
    return (of_others and misuse.sym.name[1] in case.catalogue.names()) or any(
        seen.node is misuse.node and (misuse.other is None or seen.literal is misuse.other)
        for seen in case.notes.comparisons.values()
    )
