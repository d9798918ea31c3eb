"""What the API server would reject, as findings: reason ids become codes and words (`server_words`)."""

from __future__ import annotations

import functools
import re
from itertools import takewhile

from dradsl.diagnostics import Fix, Severity
from dradsl.kube.errors import (
    DUPLICATE,
    MapKey,
    UnknownField,
    WrongType,
)
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.records import replace
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, SCHEDULING_GROUP
from dradsl.values.limits import MOST_ISSUES
from dradsl.values.plain import list_at, member, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.kube.errors import FieldError
    from dradsl.kube.server.api_server import Admission, AdmissionProblem
    from dradsl.lint.catalogue.server_words import Wording
    from dradsl.lint.view.view import Run
    from dradsl.observations import Replacement
    from dradsl.tree.manifests.manifest import Manifest

    _Fixed: TypeAlias = Sequence[Replacement]
    _Said: TypeAlias = tuple[FieldPath, str, str]  # where, for which reason, the value's text

__all__ = ["api_server_findings"]


def api_server_findings(run: Run, manifest: Manifest) -> Iterator[RuleFinding]:
    """Everything that the API server of the run's release rejects in one object."""
    if manifest.group == RESOURCE_GROUP:
        admission = run.admission(manifest)
        if admission is not None:
            problems = (
                *admission.problems,
                *_status_problems(run, manifest, admission),
                *_update_problems(run, manifest, admission),
            )
            yield from _elsewhere(run, manifest, admission)
            if not problems:
                return
            said_nearer = _reported_below(problems)
            left_out = _left_out(manifest)
            unlike, others = _of_another_shape(manifest, problems)
            skipped = {problem.written for problem in others}
            if _is_shown(manifest):
                skipped |= {dropped.path[:-1] for dropped in admission.dropped}  # DRA503 says it
            for problem in problems:
                if problem.error.reason in left_out or problem.written in skipped:
                    continue
                said = _said(problem, problem.written)
                if said not in said_nearer and not _follows(problem.error, problems):
                    found = _found(run, manifest, problem.error, _place(run, manifest, problem))
                    yield found if problem is not unlike else _for_all(run, found, problem, others)
                    for error in _other_issues(problem.error):
                        yield _found(run, manifest, error, problem.written)
        return
    if manifest.group == SCHEDULING_GROUP:
        for problem in _group_problems(run, manifest):
            yield _found(run, manifest, problem.error, problem.written)
    unread = run.workload_errors(manifest)
    for error in unread:
        yield _found(run, manifest, error, error.path)
    for error in _causes(run, manifest, run.workload_values(manifest, unread)):
        yield _found(run, manifest, error, _written(error.path))
    yield from _of_pods(run, manifest, unread)


def _other_issues(error: FieldError) -> Iterator[FieldError]:
    """What the type checker says of an expression after the first issue, each by itself."""
    fault = error.fault
    if fault is not None and error.reason == "cel-does-not-compile":
        for issue in fault.issues[1:MOST_ISSUES]:
            if "!error!" not in issue.types:  # it follows from another one
                yield replace(error, data=replace(fault, issues=(issue,)))


def _of_pods(run: Run, manifest: Manifest, unread: Sequence[FieldError]) -> Iterator[RuleFinding]:
    """What is rejected in the claims of pods, but for what follows from fields that cannot be read."""
    listed = [*_listed(run, manifest, unread)] if unread else []
    entries = [error.path[:-1] for error in unread]
    for pod in run.pods_of(manifest):
        nameless = any(not each.get("name") for _, each in pod.claims)
        for error in run.pod_errors(pod, unread):
            if error.reason == "container-claim-name-required" and error.path in entries:
                continue  # a field of the entry has the name
            if error.reason == "unknown-pod-claim" and (nameless or error.value in listed):
                continue
            yield _found(run, manifest, error, error.path)


def _listed(run: Run, manifest: Manifest, unread: Sequence[FieldError]) -> Iterator[object]:
    """The names of claims that the pod has as soon as the list of them, or the source of one, is at its place."""
    from dradsl.kube.pods.claim_entries import SOURCES

    for error in unread:
        if str(error.suggestion).endswith("resourceClaims"):
            yield from _names_at(run, manifest, error.path)
        elif error.path[-3:-2] == ("claims",) and error.path[-1] in SOURCES:
            yield member(run.written_value(manifest, error.path[:-1]), "name")


def _causes(run: Run, manifest: Manifest, errors: Sequence[FieldError]) -> Iterator[FieldError]:
    """The errors without those that follow from another one: of a whole whose part is wrong, of labels without a
    selector, of the use of a volume that is wrong itself; none of what is a patch by all that it lacks. A page leaves
    out what does not matter to it."""
    if manifest.source.is_markdown:
        errors = [each for each in errors if each.reason != "pod-value-required"]
    if not errors or _is_part(run, manifest, errors):
        return
    said = {(each.reason, each.path) for each in errors}
    above = {(reason, path[:end]) for reason, path in said for end in range(len(path))}
    before: FieldError | None = None
    for each in errors:
        path, follows = each.path, (each.reason, each.path) in above
        if each.reason == "labels-not-selected":
            follows = ("pod-value-required", (*path[:-3], "selector")) in said
        elif each.reason == "unknown-in-pod":
            names = _names_at(run, manifest, (*path[:-5], "volumes"))
            follows = each.value in names
            each = _with_near(each, names)
        elif before is not None and path == before.path and "[" in str(path[-1]):
            follows = each.reason == before.reason  # upstream says two things of one name
        elif str(path[-1]).startswith("requests["):  # those of the limits, if none are written
            limit = (*path[:-1], str(path[-1]).replace("requests", "limits", 1))
            follows = (each.reason, limit) in said and run.written_value(
                manifest, (*path[:-1], "requests")
            ) is None
        before = each
        if not follows:
            yield each


def _written(path: FieldPath) -> FieldPath:
    """The path of a field as far as one is written: upstream also names `limits[cpu]`, and what is no field."""
    found: list[str | int] = []
    for step in path:
        if isinstance(step, int | MapKey):
            found.append(step)
            continue
        name, _, key = step.partition("[")
        if not name.isidentifier():
            break
        found += [name, MapKey(key.rstrip("]"))] if key else [name]
    return tuple(found)


def _is_part(run: Run, manifest: Manifest, errors: Sequence[FieldError]) -> bool:
    """Whether a workload lacks so much that it is a patch, of which no kustomization is seen."""
    lacks = {each.path[-1] for each in errors if each.reason == "pod-value-required"}
    if manifest.kind == "Pod":  # `containers: []` is no patch
        return "containers" in lacks and run.written_value(manifest, ("spec", "containers")) is None
    has_selector = manifest.group != "apps" or run.written_value(manifest, ("spec", "selector"))
    return bool(lacks & {"containers", "image"}) and ("restartPolicy" in lacks or not has_selector)


def _with_near(error: FieldError, names: Sequence[str]) -> FieldError:
    """A name that is not found, with the one that was meant, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(str(error.value), names, 1)
    return replace(error, suggestion=near[0]) if near else error


def _names_at(run: Run, manifest: Manifest, path: FieldPath) -> list[str]:
    """The names of the entries of a list, as it is written."""
    listed = list_at(run.written_value(manifest, path))
    return [str(entry.get("name")) for entry in listed if isinstance(entry, dict)]


def _group_problems(run: Run, manifest: Manifest) -> Iterator[AdmissionProblem]:
    """What the server rejects in the claims of a group of pods, also as an update (`--since`)."""
    yield from run.server.group_problems(manifest.data)
    if run.previous is None or manifest.is_patch:
        return
    old = run.previous.find(manifest)
    if old is not None and old.group == SCHEDULING_GROUP:
        for problem in run.server.group_problems(manifest.data, old.data):
            if problem.error.reason == "group-claims-immutable":
                yield problem


_NAMED = frozenset({"attributes", "capacity"})  # of devices


def _of_another_shape(
    manifest: Manifest, problems: Sequence[AdmissionProblem]
) -> tuple[AdmissionProblem | None, Sequence[AdmissionProblem]]:
    """The first attribute or capacity of a slice that is no mapping, and the others: they have one cause."""
    if manifest.kind != "ResourceSlice":
        return None, ()
    found = [
        problem
        for problem in problems
        if problem.error.reason == "wrong-type"
        and len(problem.written) > 1
        and problem.written[-2] in _NAMED
    ]
    return (found[0], found[1:]) if len(found) > 1 else (None, ())


def _for_all(
    run: Run, found: RuleFinding, problem: AdmissionProblem, others: Sequence[AdmissionProblem]
) -> RuleFinding:
    """One finding for all of them, with one fix: what fixes one fixes the slice."""
    fixes = [_found(run, found.manifest, each.error, each.written).fix for each in others]
    fix = found.fix
    if fix is not None and all(fixes):
        edits = tuple(edit for each in fixes if each is not None for edit in each.edits)
        fix = replace(fix, edits=(*fix.edits, *edits))
    name, several = problem.written[-1], len(others)
    more = f"{several} more attributes and capacities" if several > 1 else "one more"
    return replace(
        found,
        message=f"{found.message}; so it is with {more} of this slice",
        help=None
        if fix is None
        else f"{fix.title.replace('write ', f'write {name}: ', 1)}, and so on",
        fix=fix if fix is None or all(fixes) else None,
    )


def _place(run: Run, manifest: Manifest, problem: AdmissionProblem) -> FieldPath:
    """Where a problem is written: that of a name at its key, where it is one."""
    below = (
        run.written_value(manifest, problem.written)
        if problem.error.reason == "invalid-attribute-name"
        else None
    )
    names = below if isinstance(below, dict) else ()
    key = next((e for e in names if str(e).rpartition("/")[2] == problem.error.value), None)
    return problem.written if key is None else (*problem.written, key)


_OF_NO_OWNER = frozenset({"owner-incomplete"})
_OF_AN_EXCERPT = frozenset(
    {"driver-required", "pool-name-required", "slice-count-not-positive", "node-choice-missing"}
)


def _follows(error: FieldError, problems: Sequence[AdmissionProblem]) -> bool:
    """Whether an error is one of another that is said: entries of a list are called the same because they have no
    name; a request is empty, and what it lacks is a level too high; a selector or config has several fields of another shape."""
    if error.reason == "unknown-field" and error.path[-3:-2] in (("selectors",), ("config",)):
        return not error.suggestion and any(
            each.error.path[:-1] == error.path[:-1] and not each.error.suggestion
            for each in takewhile(lambda e: e.error is not error, problems)
        )
    if error.reason in ("unknown-field", "attribute-without-value") and "attributes" in error.path:
        said = (e.error for e in problems if e.error.reason == "invalid-attribute-name")
        return any(each.value in error.path for each in said)
    if error.reason == "request-empty":
        fields = ((*error.path[:-2], name) for name in ("exactly", "firstAvailable"))
        return not {each.error.path for each in problems}.isdisjoint(fields)
    return error.type == DUPLICATE and isinstance(error.value, dict) and not error.value.get("name")


def _left_out(manifest: Manifest) -> frozenset[str]:
    """The reasons that say only that something of a record was cut off.

    People remove uids from records: of slices, which nobody applies, and on pages; these show the devices of a slice.
    """
    of_record = manifest.kind == "ResourceSlice" or manifest.source.is_markdown
    left_out = _OF_NO_OWNER if manifest.is_recorded and of_record else frozenset()
    spec = manifest.data.get("spec")
    shown = manifest.kind == "ResourceSlice" and manifest.source.is_markdown
    if shown and isinstance(spec, dict) and not {"driver", "pool"} & set(spec):
        return left_out | _OF_AN_EXCERPT
    return left_out


def _reported_below(problems: Sequence[AdmissionProblem]) -> set[_Said]:
    """What is rejected at some place below, for the same reason and for the same value.

    Upstream checks some values twice, once for the list and once for the item.
    """
    return {
        _said(problem, problem.written[:end])
        for problem in problems
        for end in range(len(problem.written))
    }


def _said(problem: AdmissionProblem, path: FieldPath) -> _Said:
    return path, problem.error.reason, repr(problem.error.value)


# An apply carries the stored object's resourceVersion itself; manifests do not.
_NOT_OF_MANIFESTS = frozenset({"resource-version-required"})


def _update_problems(
    run: Run, manifest: Manifest, admission: Admission
) -> Iterator[AdmissionProblem]:
    """What the server rejects only because the object existed before (`--since`)."""
    if run.previous is None or manifest.is_patch:
        return
    old = run.previous.find(manifest)
    if old is None or old.group != RESOURCE_GROUP:
        return
    known = {(p.written, p.error.reason) for p in admission.problems}
    before: object = old.data
    if old.build_context.holes or manifest.build_context.holes:
        from dradsl.lint.view.partial import as_it_may_have_been

        before = as_it_may_have_been(old, manifest)
    labels = run.namespace_labels(manifest)
    known_labels = labels[0] if len(labels) == 1 else None
    for problem in run.server.update(manifest.data, before, labels=known_labels).problems:
        is_new = (problem.written, problem.error.reason) not in known
        if is_new and problem.error.reason not in _NOT_OF_MANIFESTS:
            yield problem


def _status_problems(
    run: Run, manifest: Manifest, admission: Admission
) -> Iterator[AdmissionProblem]:
    """What is wrong with a recorded status.

    A create empties the status (DRA012 reports that for a manifest), so it only means something in an
    object that was read from a cluster, which shows by its uid.
    """
    recorded = member(manifest.data, "metadata", "uid")
    if recorded and manifest.data.get("status") and admission.accepted:
        stored = {key: value for key, value in manifest.data.items() if key != "status"}
        for problem in run.server.update_status(manifest.data, stored).problems:
            if problem.written[:1] == ("status",):
                yield problem


# What is taken once its symbols, methods, domains or searches are others.
_REWRITTEN = frozenset(
    {"cel-syntax", "cel-does-not-compile", "cel-internal-error", "cel-too-complex"}
)
# What the parser or the type checker of a newer release may take.
_MAY_COMPILE_LATER = frozenset({"cel-syntax", "cel-does-not-compile"})


def _found(run: Run, manifest: Manifest, problem: FieldError, path: FieldPath) -> RuleFinding:
    from dradsl.lint.catalogue.server_words import wording_of, words_of  # most objects are accepted

    wording = wording_of(manifest, problem)
    value = problem.value
    if isinstance(problem.data, UnknownField) or value == "<value omitted>":
        value = run.written_value(manifest, path)
    message, help_, is_own = words_of(wording, manifest, problem, value)
    code, fault = wording.code, problem.fault
    may_later = problem.reason in _MAY_COMPILE_LATER and not (fault and fault.is_foreign())
    if may_later and run.compiles_later(str(problem.value)):
        code, help_ = "DRA106", "a newer release takes it: see `dradsl rule DRA106`"
    elif help_ is None and fault is not None:
        help_ = fault.advice()[0]
    rewritten = code == wording.code and problem.reason in _REWRITTEN
    fixed = _fixed(run, manifest, path, problem) if rewritten else ()
    if rewritten:
        help_ = _to_write(run, manifest, path, problem, fixed, help_)
    is_type = isinstance(problem.data, WrongType)
    fix = _fix(manifest, problem, path, wording, fixed) if is_type or not is_own else None
    if fix is not None and is_type:
        help_ = fix.title
    help_, fix = _better(run, manifest, problem, path, is_own, help_, fix)
    if help_ is not None and fix is not None and wording.on_key and fix.applicability == "safe":
        help_ = f"{help_} (`dradsl lint --fix` does it)"
    return RuleFinding(
        code=code,
        manifest=manifest,
        path=path,
        message=message,
        help=fix.title if help_ is None and fix is not None else help_,
        upstream=str(problem),
        on_key=wording.on_key,
        text=None if fault is None else fault.text_range,
        fix=fix,
        severity=_severity(manifest, code, problem.reason),
        related=_namespaces(run, manifest) if problem.reason == _OF_NAMESPACE else (),
    )


def _better(
    run: Run,
    manifest: Manifest,
    problem: FieldError,
    path: FieldPath,
    is_own: bool,
    help_: str | None,
    fix: Fix | None,
) -> tuple[str | None, Fix | None]:
    """The remedy in the words of the object, if there is one."""
    from dradsl.kube.pods.meant import remedy_of_pod
    from dradsl.lint.rules.remedies import remedy

    better = remedy(run, manifest, problem, path, is_own=is_own)
    if better is not None:
        help_, fix = better.help, better.fix
    if fix is not None:
        return help_, fix
    read = functools.partial(run.written_value, manifest)
    return remedy_of_pod(help_, path, read, run.index.names), None


_OF_SERVER = ("uid", "resourceVersion", "creationTimestamp", "managedFields")


def _severity(manifest: Manifest, code: str, reason: str) -> Severity | None:
    of_record = reason in _OF_NO_OWNER and manifest.is_recorded
    is_shown = RULES[code].traits.shown == "info" and _is_shown(manifest)
    return Severity.INFO if of_record or is_shown else None


def _is_shown(manifest: Manifest) -> bool:
    """Whether a slice is shown and not applied: drivers write slices, pages and recordings leave parts of them out."""
    if manifest.kind != "ResourceSlice":
        return False
    recorded = any(member(manifest.data, "metadata", name) for name in _OF_SERVER)
    return recorded or manifest.source.is_markdown


_OF_NAMESPACE = "admin-access-not-allowed"


def _namespaces(run: Run, manifest: Manifest) -> tuple[RelatedField, ...]:
    """The Namespaces whose labels count for an object."""
    return tuple(
        RelatedField(f"the labels of namespace {namespace}", each, ("metadata", "name"))
        for namespace in manifest.namespaces
        for each in run.index.meant("Namespace", namespace, manifest)
    )


def _elsewhere(run: Run, manifest: Manifest, admission: Admission) -> Iterator[RuleFinding]:
    """Of an object that goes to several namespaces, admission in one of them, where it is not rejected in all."""
    if len(manifest.namespaces) < 2 or any(
        each.error.reason == _OF_NAMESPACE for each in admission.problems
    ):
        return
    for namespace in manifest.namespaces:
        problems = [
            [
                one
                for one in run.admitted(manifest, each).problems
                if one.error.reason == _OF_NAMESPACE
            ]
            for each in run.labels_of(namespace, manifest)
        ]
        if problems and all(problems):
            ((problem, *_), *_) = problems
            found = _found(run, manifest, problem.error, problem.written)
            where = f'namespace "{namespace}" does not allow admin access'
            related = tuple(
                each for each in found.related if each.message.endswith(f" {namespace}")
            )
            yield replace(found, message=where, severity=Severity.WARNING, related=related)
            return


def _fix(
    manifest: Manifest,
    problem: FieldError,
    path: FieldPath,
    wording: Wording,
    fixed: _Fixed,
) -> Fix | None:
    if path and wording.on_key:
        from dradsl.lint.fixes.shape import shape_fix

        return shape_fix(manifest, problem, path)
    if isinstance(problem.data, WrongType):
        from dradsl.lint.fixes.types import type_fix

        return type_fix(manifest, problem.data.wanted, path)
    from dradsl.lint.fixes.edits import replace_in_string

    edits = [replace_in_string(manifest, path, each.start, each.end, each.text) for each in fixed]
    whole = tuple(edit for edit in edits if edit is not None)
    title = f"write {' … '.join(each.text for each in fixed)}"
    return Fix(title, whole, "unsafe") if whole and len(whole) == len(fixed) else None


def _fixed(run: Run, manifest: Manifest, path: FieldPath, problem: FieldError) -> _Fixed:
    """What the compiler rejects in an expression, written as it must be."""
    text = run.written_value(manifest, path)
    if not isinstance(text, str):
        return ()
    from dradsl.drivers.suggestions.domains import with_domain
    from dradsl.drivers.suggestions.operators import with_methods

    if problem.reason == "cel-syntax":
        from dradsl.drivers.suggestions.symbols import with_symbols

        return with_symbols(text)
    drivers = tuple(_drivers_at(run, manifest, path, text))
    found = [*with_domain(text, drivers), *with_methods(text, drivers)]
    node = problem.fault.issues[0].node if problem.fault is not None else None
    if node is not None:
        start, end = node.span
        found = [each for each in found if each.start < end and start < each.end]
    return found[:1]


def _to_write(
    run: Run,
    manifest: Manifest,
    path: FieldPath,
    problem: FieldError,
    fixed: _Fixed,
    help_: str | None,
) -> str | None:
    """The text to write; where a name needs a domain, the names of the only driver that there can be."""
    from dradsl.drivers.rewriting.expressions import written_right
    from dradsl.observations import replaced

    text = str(problem.value)
    drivers = [*_drivers_at(run, manifest, path, text)]
    several = problem.fault is not None and len(problem.fault.issues) > 1
    is_one = problem.reason != "cel-syntax" and not re.search(r"&&|\|\|", text)
    if problem.reason == "cel-syntax" or several or is_one:
        key = ("written right", text, *(each.name for each in drivers))
        right = run.remember(key, lambda: written_right(text, drivers, run.drivers), by="schemas")
        is_more = right != text and (is_one or len(fixed) > 1 or right != replaced(text, fixed))
        if is_more and run.server.expression(right, "new").accepted:
            return f"write {right}"
    if fixed and not (help_ or "").startswith(("write '", "'", "typographic")):
        part = written_right(fixed[0].text, drivers, run.drivers)
        return f"write {part if run.server.expression(part, 'new').accepted else fixed[0].text}"
    is_open = problem.reason != "cel-syntax" and '["DRIVER"].' in (help_ or "")
    from dradsl.drivers.suggestions.drivers import of_driver

    return of_driver(help_ or "", drivers[0]) if is_open and len(drivers) == 1 else help_


def _drivers_at(run: Run, manifest: Manifest, path: FieldPath, text: str) -> Iterator[DriverSchema]:
    """The drivers whose devices a selector sees: those with a schema, or the only one that there is, without."""
    from dradsl.drivers.schema.read import build_schema

    names = sorted(_driver_names(run, manifest, path, text))
    for each in names:
        schema = run.drivers.get(each) or (
            build_schema({"driver": each}) if len(names) == 1 else None
        )
        if schema is not None:
            yield schema


def _driver_names(run: Run, manifest: Manifest, path: FieldPath, text: str) -> set[str]:
    """The drivers whose devices a selector sees: those of its request's class, or that the selectors name."""
    from dradsl.drivers.judge.reachable import parsed
    from dradsl.drivers.schema.device_plugin import class_meant
    from dradsl.drivers.suggestions.drivers import drivers_read
    from dradsl.drivers.suggestions.products import drivers_named
    from dradsl.lint.rules.drivers import classes

    at = max((i for i, part in enumerate(path) if part == "selectors"), default=0)
    holder = run.written_value(manifest, path[:at]) if at else None
    name = string_at(holder, "deviceClassName")
    drivers = set(classes.drivers_of_class(run, name))
    if not drivers and (meant := class_meant(str(name), run.drivers)) is not None:
        drivers = set(classes.drivers_of_class(run, meant))
    texts = (text, *classes.expressions(member(holder, "selectors")))
    of_class = classes.selectors_of_class(run, name) or ()
    drivers |= drivers_read(parsed((*texts, *of_class)), run.drivers)
    drivers = (
        drivers
        or {*drivers_named(f"{name} {text}", run.drivers)}
        or {*classes.drivers_shown(run, manifest)}
        or {each for each in (str(name),) if "." in each}  # classes are called like their drivers
    )
    mistaken = run.drivers.index().mistaken
    return {mistaken.get(each, each) for each in drivers}
