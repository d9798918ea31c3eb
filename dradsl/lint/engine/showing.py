"""What a run would do: the list of `--show-files`, and the options of `--show-settings` with where each was set."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from dradsl.lint.engine.state import RunInput
from dradsl.lint.engine.textual import has_plain_parts, is_none_of_ours
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.settings.options import OPTIONS
from dradsl.tree.inputs.choice import BROKEN, NOT_KUBERNETES, PLAIN_PARTS, TEMPLATE
from dradsl.tree.inputs.sources import SourceText
from dradsl.values.printable import json_text, printable

__all__ = ["render_files", "settings_as_json", "settings_as_text"]


def render_files(work: RunInput, *, as_json: bool) -> Iterator[str]:
    """Give a line for each file or folder, by name; folders that are not entered end in a slash."""
    rows = sorted(_rows(work), key=lambda row: row[0])
    if as_json:
        files = [{"path": name, "read": reason is None, "reason": reason} for name, reason in rows]
        yield json.dumps({"version": 1, "files": files}, indent=2) + "\n"
        return
    for name, reason in rows:
        yield f"{printable(name)}: {'read' if reason is None else f'left out, {reason}'}\n"


def _rows(work: RunInput) -> Iterator[tuple[str, str | None]]:
    for source in work.sources:
        yield source.name, _why_not(source)
    for each in (*work.skipped, *work.left_out):
        yield each.name, each.reason
    for failure in work.failures:
        yield failure.path, failure.message


def _why_not(source: SourceText) -> str | None:
    """Why a file that was opened is not judged, as far as that shows before anything is checked."""
    if source.values_only:
        return f"{NOT_KUBERNETES}, perhaps values of a chart: only looked at as such"
    if is_none_of_ours(source):
        return BROKEN
    broken = all(document.data is None for document in source.stream.documents)
    if not (source.is_template and broken):
        return None
    return PLAIN_PARTS if has_plain_parts(source) else TEMPLATE


def _source(config: LintConfig) -> str | None:
    return None if config.source is None else os.fspath(config.source)


def _plain(value: object) -> object:
    """The value as plain data."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _settings(config: LintConfig) -> dict[str, object]:
    return {key: _plain(getattr(config, option.field)) for key, option in OPTIONS.items()}


def settings_as_json(config: LintConfig) -> str:
    """One object with `source` and `settings`."""
    data = {"version": 1, "source": _source(config), "settings": _settings(config)}
    return f"{json_text(data)}\n"


def settings_as_text(config: LintConfig) -> str:
    """The settings as the YAML that a configuration has; what is not set is a comment."""
    source = _source(config)
    lines = [f"# from {printable(source)} and the call" if source else "# no configuration file"]
    for key, value in _settings(config).items():
        unset = value is None or value in ([], {})
        lines.append(f"# {key}: not set" if unset else f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"
