"""Lint for built objects: findings stand at the Python call that built what they are about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.diagnostics import Finding
    from dradsl.dsl.app import App
    from dradsl.dsl.manifest import FieldPath, Manifest
    from dradsl.dsl.places import Place
    from dradsl.lint.config import Config
    from dradsl.lint.report import Report

__all__ = ["check_app"]

_NAME = "<built>"


def check_app(app: App, config: Config) -> Report:
    """What lint finds in the objects of `app`, with `config`; the app's own release goes first."""
    from dradsl.lint.engine import Workload, lint
    from dradsl.lint.sources import SourceText
    from dradsl.text.documents import load

    stream = load(app.to_yaml().encode())
    report = lint(Workload((SourceText(_NAME, stream),)), _for_app(app, config))
    sources: dict[str, str] = {}
    findings = [_at_python(finding, app.objects, sources) for finding in report.findings]
    files = len({obj.place.path for obj in app.objects if obj.place is not None})
    return replace(report, findings=tuple(findings), sources=sources, files=files)


def _for_app(app: App, config: Config) -> Config:
    if app.for_release is None:
        return config
    gates = {**config.feature_gates, **app.feature_gates}
    return replace(config, kube_version=(app.for_release,), feature_gates=gates)


def _at_python(finding: Finding, objects: Sequence[Manifest], sources: dict[str, str]) -> Finding:
    if not 0 <= finding.document < len(objects):
        return finding
    place = _place_of(objects[finding.document], finding.field)
    if place is None:
        return finding
    path = _shown(place.path)
    if path not in sources:
        sources[path] = _source(place.path)
    related = tuple(
        replace(one, path=path, span=_span(place, sources[path])) if one.path == _NAME else one
        for one in finding.related
    )
    # A fix would change the YAML, which nobody keeps.
    return replace(finding, path=path, span=_span(place, sources[path]), fix=None, related=related)


def _place_of(obj: Manifest, field: str | None) -> Place | None:
    from dradsl.text.paths import parse_path

    path: FieldPath = () if field is None else parse_path(field)
    best, place = -1, obj.place
    for prefix, part in obj.parts():
        if part is not None and len(prefix) > best and path[: len(prefix)] == prefix:
            best, place = len(prefix), part
    return place


def _shown(path: str) -> str:
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
    lines = source.splitlines()
    span = place.span

    def column(line: int, byte_column: int) -> int:
        if not 0 < line <= len(lines):
            return byte_column
        return len(lines[line - 1].encode()[: byte_column - 1].decode(errors="ignore")) + 1

    if span.line == span.end_line:
        return Span(
            span.line,
            column(span.line, span.column),
            span.line,
            column(span.line, span.end_column),
        )
    # Of a call over several lines, its first line: that is where its name stands.
    end = len(lines[span.line - 1]) + 1 if span.line <= len(lines) else span.column
    return Span(span.line, column(span.line, span.column), span.line, end)
