"""Lint for built objects: findings are at the Python call that built what they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.diagnostics import Finding, ObjectRef, Related, Severity
from dradsl.dsl.checking.held import is_held
from dradsl.dsl.checking.ignores import find_python_ignores
from dradsl.dsl.checking.python_places import Sources
from dradsl.dsl.checking.python_words import in_python
from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.manifest import KubernetesObject, describe
from dradsl.dsl.objects.yaml_text import to_yaml
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, MISSING, RULES
from dradsl.lint.rules.references.missing import NO_ALTERNATIVE, NO_CLASS
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.diagnostics import Span
    from dradsl.dsl.checking.held import BuiltApp
    from dradsl.dsl.data.fragment import FieldPath
    from dradsl.dsl.data.places import PythonPlace
    from dradsl.dsl.objects.manifest import Manifest
    from dradsl.lint.report import Report
    from dradsl.lint.settings.config import LintConfig
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["check_app", "check_apps", "merge_reports"]

_NAME = "<built>"
_MOST_CEL = 200


def check_apps(
    apps: Sequence[BuiltApp],
    config: LintConfig,
    *,
    releases_of_config: bool = False,
    context: Sequence[Mapping[str, object]] = (),
    inventory: Sequence[Mapping[str, object]] = (),
) -> Report:
    """What lint finds in several apps that go to one cluster: each may name objects of the others.

    Args:
        apps: the apps.
        config: the configuration.
        releases_of_config: its releases hold, and not those that the apps are for.
        context: more objects to look into.
        inventory: more recorded objects.
    """
    reports = []
    for app in apps:
        own = config if releases_of_config else _for_app(app, config)
        others = [one for one in apps if one is not app]
        reports.append(check_app(app, own, others, (context, inventory)))
    return merge_reports(reports, files=len({place.path for app in apps for place in _places(app)}))


def merge_reports(reports: Sequence[Report], files: int) -> Report:
    """One report on what several say, of so many Python files."""
    from dradsl.lint.report import Report, sort_key

    if len(reports) == 1:
        return reports[0]
    findings = [finding for report in reports for finding in report.findings]
    sources = {name: text for report in reports for name, text in report.sources.items()}
    return Report(
        findings=tuple(sorted(dict.fromkeys(findings), key=sort_key)),
        files=files,
        documents=sum(report.documents for report in reports),
        objects=sum(report.objects for report in reports),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        releases=tuple(dict.fromkeys(name for report in reports for name in report.releases)),
        unfinished=next((report.unfinished for report in reports if report.unfinished), ""),
        sources=sources,
        own={code: rule for report in reports for code, rule in report.own.items()},
    )


def check_app(
    app: BuiltApp,
    config: LintConfig,
    around: Sequence[BuiltApp] = (),
    more: tuple[Sequence[Mapping[str, object]], Sequence[Mapping[str, object]]] = ((), ()),
) -> Report:
    """What lint finds in the objects of `app`, with `config`.

    Objects of the apps `around`, and of those that it uses, are looked into, and so are `more`: objects
    of the cluster, and recorded ones.
    """
    from dradsl.lint.engine.run import lint
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.report import sort_key
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    others = _all_used([app, *around])
    stream = load(app.to_yaml().encode())
    classes = list(_classes(app, others))
    context = [one.to_dict() for one in classes] + [d for one in others for d in one.to_dicts()]
    context += [dict(one) for one in more[0]]
    seen = SourceText("<around>", load(to_yaml(context).encode()), context=True)
    work = RunInput(
        sources=(SourceText(_NAME, stream),),
        context=(seen, *_context(config)),
        inventory=(*_inventory(config), *more[1]),
    )
    report = lint(work, config)
    python = _PythonPlaces(app.objects, [document.span for document in stream.documents])
    placed = [python.finding(finding) for finding in report.findings]
    given = {_class_name(data) for data in (*_context_documents(config), *more[0])}
    placed = [_nearer(one, app, config) for one in placed]
    placed += [python.missing(*one) for one in _not_added(app, classes, config, given)]
    kept = sorted(_not_ignored(placed, python, config), key=sort_key)
    files = len({place.path for place in _places(app)})
    return replace(report, findings=tuple(kept), sources=python.sources.texts, files=files)


def check_forgotten(objects: Sequence[Manifest], config: LintConfig) -> Report:
    """The warnings on objects that were built in the modules of the apps, and that no app adds."""
    from dradsl.lint.report import Report

    python = _PythonPlaces((), ())
    found = [
        python.forgotten(one, one.place, code)
        for one in objects
        if one.place and (code := _REFERENCE.get(one.kind or type(one).__name__)) is not None
        if config.enabled(code, RULES[code].name) and config.severity is not Severity.ERROR
    ]
    kept = [
        replace(one, severity=config.severity_of(one))
        for one in _not_ignored(found, python, config)
    ]
    return Report(tuple(kept), sources=python.sources.texts)


_REFERENCE = MISSING
"""Kind -> the rule on references to such an object that does not exist."""


class _PythonPlaces:
    """Moves findings from the YAML of objects to the Python calls that built these."""

    def __init__(self, objects: Sequence[Manifest], spans: Sequence[Span]) -> None:
        self._objects = objects
        self._spans = spans
        self.sources = Sources()
        self.calls: dict[int, tuple[tuple[str, Span], ...]] = {}
        """For a moved finding, by its id, the calls at whose lines a comment may hide it."""

    def finding(self, finding: Finding) -> Finding:
        """The finding where its object, or the part that it is about, was built."""
        about_object = finding.code != INTERNAL_ERROR
        if not (about_object and 0 <= finding.document < len(self._objects)):
            return finding
        obj = self._objects[finding.document]
        field, place, below = _place_of(obj, finding.field)
        if place is None:
            return finding
        related = tuple(self._related(one) for one in finding.related)
        # A fix would change the YAML, which is not kept.
        unfixed = replace(finding, fix=None, related=related)
        built = not isinstance(obj, KubernetesObject)
        words = in_python(unfixed, obj.to_dict(), built=built)
        return self._at(words, place, below, _origin(obj, field))

    def missing(
        self, obj: Manifest, request: str, path: str, place: PythonPlace, one: DeviceClass
    ) -> Finding:
        """The finding on a class that a request was given as an object, and that is added nowhere."""
        message = f'request {request} names the DeviceClass "{one.name}", which no app adds'
        finding = _warning(NO_CLASS, obj, place, message, "without the class the pod stays pending")
        help_ = f"{_ADD}; if another app does, say so: App(uses=[platform.app])"
        origin = f"{describe(obj.to_dict())}, {path}"
        finding = replace(finding, field=path, help=help_)
        return self._at(finding, place, ("deviceClassName",), origin)

    def forgotten(self, obj: Manifest, place: PythonPlace, code: str) -> Finding:
        """The finding on an object that no app adds."""
        what = describe(obj.to_dict())
        why = "it is in none of the files that are written"
        finding = _warning(code, obj, place, f"{what} is built, and no app adds it", why)
        return self._at(finding, place, (), what)

    def _at(self, finding: Finding, place: PythonPlace, below: FieldPath, origin: str) -> Finding:
        path, span = self.sources.place(place, below)
        calls = [(path, span), self.sources.place(place)]
        callers = [self.sources.place(one) for one in place.callers]
        related = (
            *finding.related,
            *(Related("called from here", *one) for one in callers),
        )
        moved = replace(finding, path=path, span=span, related=related, origin=origin)
        self.calls[id(moved)] = (*calls, *callers)
        return moved

    def _related(self, one: Related) -> Related:
        if one.path != _NAME:
            return one
        for obj, span in zip(self._objects, self._spans, strict=False):
            if obj.place is not None and span.line <= one.span.line <= span.end_line:
                path, place = self.sources.place(obj.place)
                return Related(one.message, path, place)
        return one


_ADD = "add it: app.add(...)"


def _warning(code: str, obj: Manifest, place: PythonPlace, message: str, why: str) -> Finding:
    data = obj.to_dict()
    names = data["metadata"].get("namespace"), data["metadata"].get("name")
    return Finding(
        code=code,
        name=RULES[code].name,
        severity=Severity.WARNING,
        message=message,
        path=_NAME,
        span=place.span,
        object=ObjectRef(data["apiVersion"], data["kind"], *names),
        help=_ADD,
        why=why,
    )


def _nearer(finding: Finding, app: BuiltApp, config: LintConfig) -> Finding:
    """The finding on a class that does not exist, certain if the app has one of nearly that name."""
    if finding.code not in _NO_CLASS or finding.severity is not Severity.INFO:
        return finding
    said = _NAMED.search(finding.message)
    names = [one.name for one in app.objects if isinstance(one, DeviceClass)]
    near = [one for one in names if said and _is_one_edit(said[1], one)]
    if not near:
        return finding
    meant = replace(finding, severity=Severity.WARNING, help=f'did you mean "{near[0]}"?')
    return replace(meant, severity=config.severity_of(meant))


_NO_CLASS = frozenset({NO_CLASS, NO_ALTERNATIVE})
_NAMED = re.compile(r'no DeviceClass "([^"]*)"')


def _is_one_edit(one: str, other: str) -> bool:
    """Whether a character that is added, missing, another or in another case tells two names apart."""
    start = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    mine, theirs = one[start:], other[start:]
    same = mine[1:] == theirs[1:] or mine[1:] == theirs or mine == theirs[1:]
    return same or one.casefold() == other.casefold() or mine[1::-1] + mine[2:] == theirs


def _origin(obj: Manifest, field: FieldPath) -> str:
    """Object and field, and the CEL that is there."""
    from dradsl.text.paths import format_path

    data = obj.to_dict()
    value: Any = data
    for part in field:
        try:
            value = value[part]
        except (LookupError, TypeError):
            value = None
    while isinstance(value, dict) and value.keys() <= {"cel", "expression"} and value:
        value = next(iter(value.values()))
    is_cel = isinstance(value, str) and {"expression", "selectors"} & {*map(str, field)}
    cel = " ".join(value.split()) if is_cel else ""
    cel = cel if len(cel) <= _MOST_CEL else f"{cel[:_MOST_CEL]}…"
    where = f"{describe(data)}, {format_path(field)}" if field else describe(data)
    return f"{where}: {cel}" if cel else where


def _not_added(
    app: BuiltApp, classes: Sequence[DeviceClass], config: LintConfig, there: set[str]
) -> Iterator[tuple[Manifest, str, str, PythonPlace, DeviceClass]]:
    """The requests whose class is an object that no app adds, and no driver is known to install."""
    from dradsl.drivers.schema.catalogue import shipped_catalogue
    from dradsl.dsl.objects.requests import FirstAvailable
    from dradsl.text.paths import format_path

    known = shipped_catalogue()
    wanted = {
        id(one) for one in classes if not is_held(one) and known.device_class(one.name) is None
    }
    if not wanted or not config.enabled(NO_CLASS, RULES[NO_CLASS].name):
        return
    if config.severity is Severity.ERROR:
        return
    for obj in app.objects:
        if not isinstance(obj, ResourceClaim | ResourceClaimTemplate):
            continue
        for path, place in obj.parts():
            request = _at_path(obj, path)
            if request is None or isinstance(request, FirstAvailable) or place is None:
                continue
            one = request.device_class
            if isinstance(one, DeviceClass) and id(one) in wanted and one.name not in there:
                yield obj, request.name, format_path(path), place, one


def _at_path(obj: ResourceClaim | ResourceClaimTemplate, path: FieldPath) -> Any:
    """The request at a path; None where there is something else."""
    from dradsl.dsl.objects.requests import FirstAvailable

    if "requests" not in path:
        return None
    rest = path[path.index("requests") + 1 :]
    one = tuple(obj.requests)[int(rest[0])]
    return (
        one.alternatives[int(rest[2])] if isinstance(one, FirstAvailable) and len(rest) > 2 else one
    )


def _not_ignored(
    findings: Sequence[Finding], python: _PythonPlaces, config: LintConfig
) -> Iterator[Finding]:
    """`findings` without those that comments in the Python files hide, at any of their calls."""
    for finding in findings:
        calls = python.calls.get(id(finding), ((finding.path, finding.span),))
        # `per-file-ignores` may mention the Python file.
        if config.ignored_in(Path.cwd() / finding.path, finding.code, finding.name):
            continue
        if not any(_is_hidden(finding, path, span, python.sources.texts) for path, span in calls):
            yield finding


def _is_hidden(finding: Finding, path: str, span: Span, sources: Mapping[str, str]) -> bool:
    from dradsl.lint.engine.suppress import suppress

    ignores = find_python_ignores(sources.get(path, ""))
    return bool(ignores) and not suppress([replace(finding, path=path, span=span)], ignores).kept


def _all_used(apps: Sequence[BuiltApp]) -> list[BuiltApp]:
    """The apps besides the first one, and those that any of them uses."""
    found: dict[int, BuiltApp] = {}
    todo = list(apps)
    while todo:
        app = todo.pop(0)
        if id(app) not in found:
            found[id(app)] = app
            todo += app.uses
    found.pop(id(apps[0]))
    return list(found.values())


def _places(app: BuiltApp) -> Iterator[PythonPlace]:
    return (obj.place for obj in app.objects if obj.place is not None)


def _classes(app: BuiltApp, others: Sequence[BuiltApp]) -> Iterator[DeviceClass]:
    """The classes that requests name as objects, but that neither this nor other apps hold."""
    seen = {
        obj.name for one in (app, *others) for obj in one.objects if isinstance(obj, DeviceClass)
    }
    for obj in app.objects:
        if isinstance(obj, ResourceClaim | ResourceClaimTemplate):
            for one in obj.device_classes():
                if one.name not in seen:
                    seen.add(one.name)
                    yield one


def _context(config: LintConfig) -> tuple[SourceText, ...]:
    """The manifests that the configuration says to look into."""
    from dradsl.lint.input.reading import read_inputs
    from dradsl.tree.inputs.sources import find_inputs

    paths = [str(path) for path in config.context]
    return read_inputs(list(find_inputs(paths)), context=True).sources


def _context_documents(config: LintConfig) -> Iterator[object]:
    for source in _context(config):
        yield from (document.data for document in source.stream.documents)


def _class_name(data: object) -> str:
    """The name of a DeviceClass; empty for other data."""
    metadata = data.get("metadata") if isinstance(data, Mapping) else None
    is_class = isinstance(data, Mapping) and data.get("kind") == "DeviceClass"
    return str(metadata.get("name")) if is_class and isinstance(metadata, Mapping) else ""


def _inventory(config: LintConfig) -> tuple[Mapping[str, object], ...]:
    """The recorded objects that the configuration names."""
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.recordings import RecordingError, find_recordings, read_recording

    try:
        return tuple(
            recorded
            for path in config.slices
            for file in find_recordings(path)
            for recorded in read_recording(file)
        )
    except RecordingError as error:
        raise ConfigError(None, f"slices: {error}") from error


def _for_app(app: BuiltApp, config: LintConfig) -> LintConfig:
    if app.for_release is None:
        return config
    gates = {**config.feature_gates, **app.feature_gates}
    return replace(config, kube_version=(app.for_release,), feature_gates=gates)


def _place_of(obj: Manifest, field: str | None) -> tuple[FieldPath, PythonPlace | None, FieldPath]:
    """The path of a field, the call that built the nearest part around it, and the rest below that."""
    from dradsl.text.paths import parse_path

    path: FieldPath = () if field is None else parse_path(field)
    best, place = 0, obj.place
    for prefix, part in obj.parts():
        if part is not None and len(prefix) > best and path[: len(prefix)] == prefix:
            best, place = len(prefix), part
    return path, place, path[best:]
