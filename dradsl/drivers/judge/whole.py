"""The selector as a whole: the drivers it names, whether it can fail, whether it can hold."""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Select
from dradsl.diagnostics import Severity
from dradsl.drivers.abstract.explore import explore, mentions
from dradsl.drivers.judge.findings import CelFinding, Replacement
from dradsl.drivers.judge.names import access_text, missing_everywhere, missing_key
from dradsl.drivers.schema.model import Attribute, Capacity
from dradsl.drivers.schema.shapes import Standing
from dradsl.drivers.schema.suggest import near_domain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.abstract.observe import Access, Failure
    from dradsl.drivers.judge.case import Case
    from dradsl.drivers.schema.shapes import Name, Shape

__all__ = ["judge_drivers", "judge_failures", "judge_outcome"]

_CAUSES = frozenset(
    ["DRA201", "DRA202", "DRA203", "DRA204", "DRA205", "DRA206", "DRA208", "DRA209", "DRA213",
     "DRA214", "DRA217", "DRA220", "DRA221"]
)  # fmt: skip


# Drivers --------------------------------------------------------------------------------------


def judge_drivers(case: Case) -> Iterator[CelFinding]:
    """Driver names that nobody knows: near misses of a known one, else a note once a file."""
    names = case.catalogue.names()
    index = case.catalogue.index()
    for literal, name in mentions((case.expr,)).drivers:
        if name in names:
            continue
        meant = index.mistaken.get(name) or near_domain(name, names)
        if meant is not None:
            message = f'there is no driver "{name}"; did you mean "{meant}"?'
            helped = f'"{name}" is a DeviceClass' if name in index.classes else None
            start, end = literal.span
            fix = Replacement(start, end, f"{case.text[start]}{meant}{case.text[start]}")
            yield CelFinding("DRA203", start, end, message, helped, fix)
        else:
            message = f'no schema is known of driver "{name}", so its names are not checked'
            helped = "derive one from recorded slices: dradsl schema infer"
            yield CelFinding("DRA219", *literal.span, message, helped, once_per=f"driver:{name}")


# Failures -------------------------------------------------------------------------------------


def judge_failures(case: Case, causes: list[CelFinding]) -> Iterator[CelFinding]:
    """Names that some device lacks, where that makes the selector fail: one finding a name."""
    unsettled: list[Failure] = []
    missing: dict[Name, tuple[Access, dict[Shape, None]]] = {}
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


def _access(case: Case, failure: Failure) -> Access | None:
    if failure.name is None:
        return None
    return case.notes.accesses.get((failure.node, failure.name))


def _is_foreign(case: Case, shape: Shape, access: Access) -> bool:
    """Whether the device is of a driver that the place is not about."""
    domain = access.name[1]
    if shape.driver is None:
        return True
    if shape.driver.name == domain or access.standings[shape] is not Standing.NEVER:
        return False
    return any(
        other.driver is not None and other.driver.name == domain for other in case.notes.outcomes
    )


def _unguarded(case: Case, access: Access, failing: tuple[Shape, ...]) -> CelFinding | None:
    name = access.name
    lacking = [each for each in failing if access.standings[each] is Standing.NEVER]
    if not case.context.sees_all:
        # The class is not known and may select the device type, or guard: only a name that is
        # optional on every type that has it is worth a word.
        having = [s for s in access.standings if access.standings[s] is not Standing.NEVER]
        if not having or any(access.standings[s] is not Standing.SOMETIMES for s in having):
            return None
        lacking = []
    word = "attribute" if name[0] == "attributes" else "capacity"
    message = f'not every device has {word} "{name[2]}", and one without it makes the selector fail'
    severity = None
    if lacking and len(lacking) == len(failing):
        types = " and ".join(dict.fromkeys(shape.label for shape in lacking))
        message = f'devices of type {types} have no {word} "{name[2]}", and make the selector fail'
        if all(shape.device_type is not None and shape.device_type.gate for shape in lacking):
            severity = Severity.INFO
    helped = "a failing selector stops the scheduling of the pod, it does not skip the device: " + (
        f"guard with has({access_text(name)}) &&, or read .?{name[2]}.orValue(…)"
    )
    note = next((n for shape in failing if (n := _reason(shape, name))), None)
    if note is not None:
        message += f" ({note})"
    return CelFinding(
        "DRA207", *access.name_span, message, helped, _guard(case, access), severity,
        missing_key(name),
    )  # fmt: skip


def _reason(shape: Shape, name: Name) -> str | None:
    """When the name is missing, in the words of the schema."""
    entry = shape.entry(name)
    if not isinstance(entry, Attribute | Capacity):
        return None
    if entry.gate is not None:
        return f"it comes with {entry.gate} only"
    return entry.note


def _guard(case: Case, access: Access) -> Replacement | None:
    """`has(…) &&` before the condition that reads the name."""
    node = access.node
    if isinstance(node, Call) and node.function != "_[_]":
        return None
    clause = case.clause(node)
    start = clause.span[0]
    if isinstance(node, Select) and case.source(node).startswith("device."):
        guard = f"has({case.source(node)})"
    else:
        guard = f"has({access_text(access.name)})"
    return Replacement(start, start, f"{guard} && ")


def _has_unknown_driver(causes: list[CelFinding]) -> bool:
    return any(each.code in ("DRA203", "DRA219") for each in causes)


def _without_driver(case: Case, failure: Failure) -> CelFinding:
    name = failure.name or ("attributes", "", "")
    what = "the class" if case.context.is_class else "the class of the request"
    message = f'{what} does not test device.driver: a device of another driver has no "{name[2]}", and makes the selector fail'
    owners = [driver.name for driver in case.drivers()]
    fix = None
    helped = "test the driver first"
    if len(owners) == 1 and case.context.is_class:
        test = f'device.driver == "{owners[0]}"'
        helped = f"begin with {test} &&"
        root = case.expr
        loose = isinstance(root, Call) and root.function in ("_||_", "_?_:_")
        text = f"{test} && ({case.text})" if loose else f"{test} && {case.text}"
        fix = Replacement(0, len(case.text), text)
    return CelFinding(
        "DRA215", *failure.node.span, message, helped, fix, upstream=missing_key(name)
    )


# The whole ------------------------------------------------------------------------------------


def judge_outcome(case: Case, found: list[CelFinding]) -> Iterator[CelFinding]:
    """Selectors that let nothing or everything through, if nothing else explains it."""
    notes = case.notes
    if not notes.complete or not notes.outcomes or any(each.code in _CAUSES for each in found):
        return
    outcomes = set().union(*notes.outcomes.values())
    if True not in outcomes:
        yield _never(case, outcomes)
        return
    if outcomes == {True} and not found and not _is_identity(case):
        message = "every device that comes here passes this selector"
        if case.context.sees_all and not case.context.is_class:
            message = "every device that the class lets through passes this selector"
        yield CelFinding("DRA211", *case.expr.span, message, "leave it out, or ask for more")
    elif not case.before:
        yield from _never_parts(case)


def _never(case: Case, outcomes: set[bool | None]) -> CelFinding:
    start, end = case.expr.span
    if case.before and _holds_alone(case):
        by = f"class {case.context.class_name}" if case.context.class_name else "the class"
        message = f"no device that {by} lets through passes this selector"
        if case.context.class_name is None and not case.context.class_known:
            message = "no device that passes the selectors before can pass this one"
        return CelFinding("DRA213", start, end, message, "it contradicts what filters before")
    message = "no device can pass this selector"
    if False not in outcomes:
        message = "this selector fails on every device"
    return CelFinding("DRA212", start, end, message, "its conditions exclude each other")


def _holds_alone(case: Case) -> bool:
    notes = explore((), case.expr, case.shapes)
    return any(True in outcomes for outcomes in notes.outcomes.values())


def _never_parts(case: Case) -> Iterator[CelFinding]:
    """An alternative whose conditions exclude each other."""
    for node, outcomes in case.notes.clauses.items():
        parent = case.parents.get(node)
        conjunction = isinstance(node, Call) and node.function == "_&&_"
        alternative = isinstance(parent, Call) and parent.function == "_||_"
        written = isinstance(node, Call) and node.args[0].span != node.span
        if conjunction and alternative and written and outcomes == {False}:
            message = "no device can satisfy this alternative"
            yield CelFinding("DRA212", *node.span, message, "its conditions exclude each other")


def _is_identity(case: Case) -> bool:
    """Whether the selector only repeats which driver or device type is meant: harmless."""
    accesses = case.notes.accesses.values()
    if not accesses:
        return bool(mentions((case.expr,)).drivers)
    if any(seen.operator not in ("_==_", "@in") for seen in case.notes.comparisons.values()):
        return False
    for access in accesses:
        for shape in access.standings:
            entry = shape.entry(access.name)
            if not isinstance(entry, Attribute) or entry.values is None or len(entry.values) > 1:
                return False
    return True
