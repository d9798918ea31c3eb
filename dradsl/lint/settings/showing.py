"""The settings of a run as `--show-settings` prints them: each option with its value, and where it was set."""

from __future__ import annotations

import os
from collections.abc import Mapping

from dradsl.lint.settings.config import LintConfig
from dradsl.lint.settings.options import OPTIONS
from dradsl.values.printable import json_text, printable

__all__ = ["settings_as_json", "settings_as_text"]


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
    import json

    source = _source(config)
    lines = [f"# from {printable(source)} and the call" if source else "# no configuration file"]
    for key, value in _settings(config).items():
        unset = value is None or value in ([], {})
        lines.append(f"# {key}: not set" if unset else f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"
