"""Lint for built objects: findings stand at the Python call that built what they are about."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.diagnostics import Related, Span
from dradsl.dsl.building.ignores import find_python_ignores
from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.yaml_text import to_yaml
from dradsl.lint.catalogue.rules import INTERNAL_ERROR
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.dsl.building.app import App
    from dradsl.dsl.objects.fragment import FieldPath
    from dradsl.dsl.objects.manifest import Manifest
    from dradsl.dsl.objects.places import Place
    from dradsl.lint.input.sources import SourceText
    from dradsl.lint.report import Report
    from dradsl.lint.settings.config import Config

__all__ = ["check_app"]

_NAME = "<built>"


def check_app(app: App, config: Config) -> Report:
    """What lint finds in the objects of `app`, with `config`; the app's own release goes first."""
    from dradsl.lint.engine.run import lint
    from dradsl.lint.engine.workload import Workload
    from dradsl.lint.input.sources import SourceText
    from dradsl.lint.report import sort_key
    from dradsl.text.documents import load

    stream = load(app.to_yaml().encode())
    classes = SourceText("<classes>", load(to_yaml(_classes(app)).encode()), context=True)
    work = Workload(sources=(SourceText(_NAME, stream),), context=(classes, *_context(config)))
    report = lint(work, _for_app(app, config))
    python = _PythonPlaces(app.objects, [document.span for document in stream.documents])
    placed = [python.finding(finding) for finding in report.findings]
    findings = [finding for finding in placed if not _is_hidden(finding, config)]
    findings = sorted(_not_ignored(findings, python.sources), key=sort_key)
    files = len({obj.place.path for obj in app.objects if obj.place is not None})
    return replace(report, findings=tuple(findings), sources=python.sources, files=files)


class _PythonPlaces:
    """Moves findings from the YAML of objects to the Python calls that built these."""

    def __init__(self, objects: Sequence[Manifest], spans: Sequence[Span]) -> None:
        self._objects = objects
        self._spans = spans
        self.sources: dict[str, str] = {}

    def finding(self, finding: Finding) -> Finding:
        """The finding where its object, or the part that it is about, was built."""
        about_object = finding.code != INTERNAL_ERROR
        if not (about_object and 0 <= finding.document < len(self._objects)):
            return finding
        place = _place_of(self._objects[finding.document], finding.field)
        if place is None:
            return finding
        path, span = self._shown(place)
        related = tuple(self._related(one) for one in finding.related)
        # A fix would change the YAML, which nobody keeps.
        return replace(finding, path=path, span=span, fix=None, related=related)

    def _related(self, one: Related) -> Related:
        if one.path != _NAME:
            return one
        for obj, span in zip(self._objects, self._spans, strict=False):
            if obj.place is not None and span.line <= one.span.line <= span.end_line:
                path, place = self._shown(obj.place)
                return Related(one.message, path, place)
        return one

    def _shown(self, place: Place) -> tuple[str, Span]:
        path = _relative(place.path)
        if path not in self.sources:
            self.sources[path] = _source(place.path)
        return path, _span(place, self.sources[path])


def _is_hidden(finding: Finding, config: Config) -> bool:
    """Whether `per-file-ignores` speaks of the Python file."""
    return config.ignored_in(Path.cwd() / finding.path, finding.code, finding.name)


def _not_ignored(findings: list[Finding], sources: Mapping[str, str]) -> list[Finding]:
    """`findings` without those that comments in the Python files hide."""
    from dradsl.lint.engine.suppress import suppress

    kept: list[Finding] = []
    for path in dict.fromkeys(finding.path for finding in findings):
        here = [finding for finding in findings if finding.path == path]
        kept += suppress(here, find_python_ignores(sources.get(path, ""))).kept
    return kept


def _classes(app: App) -> list[dict[str, Any]]:
    """The classes that requests name as objects, but that other apps install."""
    there = {obj.name for obj in app.objects if isinstance(obj, DeviceClass)}
    named = {
        one.name: one
        for obj in app.objects
        if isinstance(obj, ResourceClaim | ResourceClaimTemplate)
        for one in obj.device_classes()
        if one.name not in there
    }
    return [one.to_dict() for one in named.values()]


def _context(config: Config) -> tuple[SourceText, ...]:
    """The manifests that the configuration says to look into."""
    from dradsl.lint.input.reading import read_inputs
    from dradsl.lint.input.sources import find_inputs

    paths = [str(path) for path in config.context]
    return read_inputs(list(find_inputs(paths)), context=True).sources


def _for_app(app: App, config: Config) -> Config:
    if app.for_release is None:
        return config
    gates = {**config.feature_gates, **app.feature_gates}
    return replace(config, kube_version=(app.for_release,), feature_gates=gates)


def _place_of(obj: Manifest, field: str | None) -> Place | None:
    from dradsl.text.paths import parse_path

    path: FieldPath = () if field is None else parse_path(field)
    best, place = -1, obj.place
    for prefix, part in obj.parts():
        if part is not None and len(prefix) > best and path[: len(prefix)] == prefix:
            best, place = len(prefix), part
    return place


def _relative(path: str) -> str:
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def _source(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _span(place: Place, source: str) -> Span:
    """The call's span with columns in characters; Python counts them in bytes."""
    span = place.span
    lines = re.split(r"\r\n?|\n", source)
    if span.line > len(lines):
        return span
    line = lines[span.line - 1]

    def characters(byte_column: int) -> int:
        return len(line.encode()[: byte_column - 1].decode(errors="ignore")) + 1

    # Of a call over several lines, its first one: that is where its name stands.
    end = characters(span.end_column) if span.line == span.end_line else len(line) + 1
    return Span(span.line, characters(span.column), span.line, end)
