"""The selector as a whole: the drivers it names, whether it can fail, whether it can hold."""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Literal, Select
from dradsl.drivers.abstract.explore import explore, mentions
from dradsl.drivers.abstract.values import KnownValue
from dradsl.drivers.judge.names import missing_everywhere
from dradsl.drivers.judge.suspects import Suspect
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.drivers.schema.shapes import Standing
from dradsl.drivers.suggestions.drivers import mistaken_drivers
from dradsl.observations import Impact, Observation, Replacement
from dradsl.values.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import Failure, NameAccess
    from dradsl.drivers.judge import selector_facts as facts
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.schema.shapes import Name, Shape
else:
    facts = Later("dradsl.drivers.judge.selector_facts")

__all__ = [
    "judge_alternatives",
    "judge_constants",
    "judge_drivers",
    "judge_failures",
    "judge_outcome",
]

# Drivers --------------------------------------------------------------------------------------


def judge_drivers(case: SelectorCase) -> Iterator[Observation | Suspect]:
    """Unknown driver names: near misses of a known one, else a note once a file."""
    names = case.catalogue.names()
    reads = bool(mentions((case.expr,)).domains)
    mistaken = {each.literal: each for each in mistaken_drivers((case.expr,), case.catalogue)}
    for literal, name in mentions((case.expr,)).drivers:
        if name in names or literal in case.right:
            continue
        wrong = mistaken.get(literal)
        if wrong is None:
            if reads and not case.catalogue.is_hidden(name):
                yield Observation(facts.DriverWithoutSchema(name), span=literal.span)
            continue
        start, end = literal.span
        fix = Replacement(start, end, f"{case.text[start]}{wrong.meant}{case.text[start]}")
        found = facts.UnknownDriver(name, wrong.meant, name in case.catalogue.index().classes)
        said = Observation(found, span=literal.span, fix=fix)
        yield Suspect(said, (wrong.test,), ("driver", name))


# Constants ------------------------------------------------------------------------------------


def judge_constants(case: SelectorCase) -> Iterator[Suspect]:
    """Constants that cannot be computed: the selector fails wherever it reaches one."""
    told = set()
    for _, failure in case.notes.failures:
        if failure.constant is None or failure.node in told:
            continue
        told.add(failure.node)
        said = _constant_fails(failure.node, failure.constant)
        yield Suspect(said, (failure.node,), said.facts)


def _constant_fails(node: Expr, error: str) -> Observation:
    from dradsl.drivers.suggestions.literals import suggested_constants

    place, meant = suggested_constants(node)
    function = node.function if isinstance(node, Call) else ""
    from dradsl.drivers.schema import device_plugin

    fix = Replacement(*place.span, device_plugin.quote(meant[0])) if meant else None
    found = facts.ConstantFails(function, error, meant)
    return Observation(found, span=place.span, fix=fix)


# Failures -------------------------------------------------------------------------------------


def judge_failures(case: SelectorCase, causes: list[Observation]) -> Iterator[Observation]:
    """Names that some device lacks, where that makes the selector fail: one finding a name."""
    unsettled: list[Failure] = []
    missing: dict[Name, tuple[NameAccess, dict[Shape, None]]] = {}
    for shape, failure in case.notes.failures:
        access = _access(case, failure)
        if access is None or "/" in access.name[1]:
            continue
        if _is_foreign(case, shape, access):
            if not failure.driver_known or shape.driver is not None:
                unsettled.append(failure)
        elif not missing_everywhere(access):
            missing.setdefault(access.name, (access, {}))[1][shape] = None
    for access, shapes in missing.values():
        finding = _unguarded(case, access, tuple(shapes))
        if finding is not None:
            yield finding
    if unsettled and case.context.sees_all and not _has_unknown_driver(causes):
        yield _without_driver(case, unsettled[0])


def _access(case: SelectorCase, failure: Failure) -> NameAccess | None:
    if failure.name is None:
        return None
    return case.notes.accesses.get((failure.node, failure.name))


def _is_foreign(case: SelectorCase, shape: Shape, access: NameAccess) -> bool:
    """Whether the device is of a driver that the place is not about."""
    domain = access.name[1]
    if shape.driver is None:
        return True
    if shape.driver.name == domain or access.standings[shape] is not Standing.NEVER:
        return False
    return any(
        other.driver is not None and other.driver.name == domain for other in case.notes.outcomes
    )


def _unguarded(
    case: SelectorCase, access: NameAccess, failing: tuple[Shape, ...]
) -> Observation | None:
    name = access.name
    # Missing on odd machines only: no reason to guard every selector.
    failing = tuple(s for s in failing if access.standings[s] is not Standing.USUALLY)
    if not failing:
        return None
    lacking = [each for each in failing if access.standings[each] is Standing.NEVER]
    class_known = case.context.sees_all
    if not class_known:
        # The class is not known and may select the device type, or guard: only a name that is
        # optional on every type that has it is worth a word.
        having = [s for s in access.standings if access.standings[s] is not Standing.NEVER]
        if not having or any(access.standings[s] is not Standing.SOMETIMES for s in having):
            return None
        lacking = []
    if len(lacking) < len(failing):
        lacking = []
    gate, note = _reason(failing, name)
    found = facts.UnguardedName(
        name=name,
        lacking=tuple(dict.fromkeys(shape.label for shape in lacking)),
        behind_gate=bool(lacking)
        and all(shape.device_type is not None and shape.device_type.gate for shape in lacking),
        gate=gate,
        note=note,
        class_known=class_known,
    )
    return Observation(found, span=access.name_span, fix=_guard(case, access))


def _reason(shapes: tuple[Shape, ...], name: Name) -> tuple[str | None, str | None]:
    """When the name is missing, as the schema has it: the driver's gate, or a note."""
    for shape in shapes:
        entry = shape.entry(name)
        if isinstance(entry, AttributeSchema | CapacitySchema) and (entry.gate or entry.note):
            return entry.gate, entry.note
    return None, None


def _guard(case: SelectorCase, access: NameAccess) -> Replacement | None:
    """`has(…) &&` before the condition that reads the name."""
    node = access.node
    if isinstance(node, Call) and node.function != "_[_]":
        return None
    clause = case.clause(node)
    start = clause.span[0]
    if isinstance(node, Select) and case.source(node).startswith("device."):
        guard = f"has({case.source(node)})"
    else:
        from dradsl.drivers.suggestions.names import access_text

        guard = f"has({access_text(access.name)})"
    return Replacement(start, start, f"{guard} && ")


def _has_unknown_driver(causes: list[Observation]) -> bool:
    return any(
        isinstance(each.facts, facts.UnknownDriver | facts.DriverWithoutSchema) for each in causes
    )


def _without_driver(case: SelectorCase, failure: Failure) -> Observation:
    name = failure.name or ("attributes", "", "")
    owners = [driver.name for driver in case.drivers()]
    fix = owner = None
    if len(owners) == 1 and case.context.is_class:
        (owner,) = owners
        test = f'device.driver == "{owner}"'
        root = case.expr
        loose = isinstance(root, Call) and root.function in ("_||_", "_?_:_")
        text = f"{test} && ({case.text})" if loose else f"{test} && {case.text}"
        fix = Replacement(0, len(case.text), text)
    found = facts.DriverNotTested(name, case.context.is_class, owner)
    return Observation(found, span=failure.node.span, fix=fix)


# The whole ------------------------------------------------------------------------------------


def judge_outcome(
    case: SelectorCase, found: list[Observation], *, explained: bool
) -> Iterator[Observation]:
    """Selectors that let nothing or everything through, if nothing else explains it.

    `explained` says that it is known already why nothing passes.
    """
    notes = case.notes
    if not notes.complete or not notes.outcomes:
        return
    outcomes = set().union(*notes.outcomes.values())
    if True not in outcomes:
        if not explained:
            yield from _never(case, outcomes)
        return
    if any(isinstance(each.facts, facts.Cause) for each in found):
        return
    if outcomes == {True} and not found and not _is_identity(case):
        by_class = case.context.sees_all and not case.context.is_class
        yield Observation(facts.AlwaysTrue(by_class), span=case.expr.span)
    elif not case.before:
        yield from _never_parts(case)


def judge_alternatives(case: SelectorCase) -> Iterator[Observation]:
    """Constant conditions that hold beside others, such as what text from elsewhere leaves in a selector."""
    for parent in case.parents.values():
        if not isinstance(parent, Call) or parent.function != "_||_":
            continue
        for node in parent.args:
            if _holds_always(case, node):
                start, end = node.span
                computed = not isinstance(node, Literal)
                found = facts.AlternativeAlwaysTrue(case.text[start:end], computed)
                yield Observation(found, span=node.span, impact=Impact.MISLEADING)


def _holds_always(case: SelectorCase, node: Expr) -> bool:
    if isinstance(node, Literal):
        return node.value is True
    value = case.constants.value(node) if isinstance(node, Call) else None
    return isinstance(value, KnownValue) and value.value is True


def _never(case: SelectorCase, outcomes: set[bool | None]) -> Iterator[Observation]:
    if not case.before or not _holds_alone(case):
        yield Observation(facts.NeverTrue(False not in outcomes), span=case.expr.span)
        return
    earlier = _contradicted(case)
    if earlier is not None:
        yield Observation(earlier, span=case.expr.span)
        return
    root = case.expr
    parts = root.args if isinstance(root, Call) and root.function == "_&&_" else ()
    context = case.context
    never = [each for each in parts if case.explored(frozenset(), each).never]
    for each in never or [root]:
        told = context.class_name, context.class_known, case.source(each)
        yield Observation(facts.ContradictsBefore(*told), span=each.span)


def _contradicted(case: SelectorCase) -> facts.ContradictsEarlier | None:
    """The earlier selector of the same list without which devices pass."""
    own = case.context.own if len(case.before) == len(case.context.before) else 0
    for number in range(own):
        at = len(case.before) - own + number
        rest = (*case.before[:at], *case.before[at + 1 :])
        notes = explore(rest, case.expr, case.shapes, constants=case.constants)
        if any(True in outcomes for outcomes in notes.outcomes.values()):
            text = case.context.before[at]
            return facts.ContradictsEarlier(number + 1, _together(case.before[at], text, case))
    return None


def _together(one: Expr, text: str, case: SelectorCase) -> str | None:
    """Two comparisons of one name for equality as a single one."""
    match one, case.expr:
        case (
            Call(function="_==_", args=(name, Literal(value=first))),
            Call(function="_==_", args=(other, Literal(value=second))),
        ) if type(first) is type(second):
            access = case.source(other)
            if text[name.span[0] : name.span[1]].replace("'", '"') == access.replace("'", '"'):
                values = (text[slice(*one.args[1].span)], case.source(case.expr.args[1]))
                return f"{access} in [{', '.join(values)}]"
    return None


def _holds_alone(case: SelectorCase) -> bool:
    known = [shape for shape in case.shapes if shape.driver is not None]
    notes = explore((), case.expr, known or case.shapes, constants=case.constants)
    return any(True in outcomes for outcomes in notes.outcomes.values())


def _never_parts(case: SelectorCase) -> Iterator[Observation]:
    """An alternative whose conditions exclude each other."""
    for node, outcomes in case.notes.clauses.items():
        parent = case.parents.get(node)
        conjunction = isinstance(node, Call) and node.function == "_&&_"
        alternative = isinstance(parent, Call) and parent.function == "_||_"
        written = isinstance(node, Call) and node.args[0].span != node.span
        if conjunction and alternative and written and outcomes == {False}:
            yield Observation(facts.AlternativeNeverTrue(), span=node.span, impact=Impact.NO_EFFECT)


def _is_identity(case: SelectorCase) -> bool:
    """Whether the selector only repeats which driver or device type is meant: harmless."""
    accesses = case.notes.accesses.values()
    if not accesses:
        return bool(mentions((case.expr,)).drivers)
    if any(seen.operator not in ("_==_", "@in") for seen in case.notes.comparisons.values()):
        return False
    # An alternative that is never reached is not among the comparisons: "a or not a" means no type.
    if any(isinstance(node, Call) and node.function in ("_!=_", "!_") for node in case.parents):
        return False
    for access in accesses:
        for shape in access.standings:
            entry = shape.entry(access.name)
            if (
                not isinstance(entry, AttributeSchema)
                or entry.values is None
                or len(entry.values) > 1
            ):
                return False
    return True
