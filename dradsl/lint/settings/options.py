"""The one table of the options that say what lint finds: how each is read, and what it is on the command line.

Configuration files, the command line, `dradsl.lint` and the language server read it. An option of the command
that says how to run or to report is in `dradsl.cli.lint_options`. `schemas/config.schema.json` says the same to
editors; a test holds the two together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.errors import DradslError
from dradsl.records import Record
from dradsl.releases import RELEASES, UnknownReleaseError, known_gates, parse_releases
from dradsl.text.files import StrPath, absolute, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from dradsl.lint.custom.model import CustomRule

__all__ = [
    "FORMATS",
    "OPTIONS",
    "PRESETS",
    "ConfigKey",
    "InvalidValueError",
    "Merge",
    "expect_known",
    "nearest",
]


class InvalidValueError(DradslError, ValueError):
    """A value that an option does not take; `str()` is the end of a sentence that names the option."""


MOST_ENTRIES = 1000
"""How many entries a list of files or patterns may have, and a table of them."""

MOST_CHARACTERS = 1024
"""How long a pattern may be."""


def _strings(value: object, _root: StrPath) -> tuple[str, ...]:
    if isinstance(value, str):
        raise InvalidValueError(f"expects a list of strings, such as [{_shown(value)}]")
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidValueError("expects a list of strings")
    return tuple(value)


def _few(value: object, root: StrPath) -> tuple[str, ...]:
    strings = _strings(value, root)
    _expect_few(len(strings))
    return strings


def _expect_few(count: int) -> None:
    if count > MOST_ENTRIES:
        raise InvalidValueError(f"has {count} entries; the limit is {MOST_ENTRIES}")


def _patterns(value: object, root: StrPath) -> tuple[str, ...]:
    patterns = _few(value, root)
    for pattern in patterns:
        _expect_pattern(pattern)
    return patterns


def _expect_pattern(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        message = f"has {len(text)} characters; the limit is {MOST_CHARACTERS}"
        raise InvalidValueError(f"the pattern {_shown(text)} {message}")


def _selectors(value: object, _root: StrPath) -> tuple[str, ...]:
    # Each once, so that however long a list is, there are no more than rules and their prefixes.
    selectors = {text.strip().upper(): text for text in reversed(_strings(value, _root))}
    return tuple(reversed(selectors.values()))


def expect_known(value: object, own: Sequence[CustomRule]) -> None:
    """See to it that all selectors in a value that was read mean rules: ours, or a team's `own`.

    Raises:
        InvalidValueError: for the first that means none.
    """
    from dradsl.lint.settings.selection import is_known, suggest_rule

    if isinstance(value, Mapping):
        # By patterns of files, each with a list of selectors; or by selectors, each with a severity.
        lists = [[key] if isinstance(each, str) else each for key, each in value.items()]
    else:
        lists = [value]
    for selectors in lists:
        for selector in selectors:
            if not is_known(selector, own):
                near = suggest_rule(selector, own) if len(selector) <= MOST_CHARACTERS else None
                hint = f"; did you mean {near}?" if near else ""
                raise InvalidValueError(
                    f"no rule has the code, prefix or name {_shown(selector)}{hint}"
                )


def _file_selectors(value: object, root: StrPath) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise InvalidValueError("expects a table of path patterns, each with a list of rules")
    _expect_few(len(value))
    for key in value:
        _expect_pattern(str(key))
    return MappingProxyType({str(key): _selectors(item, root) for key, item in value.items()})


def _severities(value: object, _root: StrPath) -> Mapping[str, Severity]:
    if not isinstance(value, dict):
        raise InvalidValueError("expects a table of rules, each with a severity")
    _expect_few(len(value))
    return MappingProxyType({str(key): _severity(item, _root) for key, item in value.items()})


def _one_of(value: object, known: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in known:
        return value
    near = nearest(value, known) if isinstance(value, str) else ""
    raise InvalidValueError(f"expects one of {', '.join(known)}{near}")


def _severity(value: object, _root: StrPath) -> Severity:
    return Severity(_one_of(value, tuple(Severity)))


def _choice(choices: tuple[str, ...]) -> Callable[[object, StrPath], str]:
    return lambda value, _root: _one_of(value, choices)


def _releases(value: object, _root: StrPath) -> tuple[str, ...]:
    texts = value if isinstance(value, list | tuple) else (value,)
    names: dict[str, str] = {}
    for text in texts:
        if not isinstance(text, str):
            raise InvalidValueError(f'expects text: write "{_shown(text)}" in quotes')
        try:
            for each in parse_releases(text):
                names[each.name] = each.name if each == RELEASES[each.name] else each.patch
        except UnknownReleaseError as error:
            reason = str(error) if len(text) <= MOST_CHARACTERS else f"no release: {_shown(text)}"
            raise InvalidValueError(reason) from error
    return tuple(names[name] for name in RELEASES if name in names)


def _gates(value: object, _root: StrPath) -> Mapping[str, bool]:
    if not isinstance(value, dict):
        raise InvalidValueError("expects a table of feature gates, each true or false")
    for name, on in value.items():
        if name not in known_gates():
            near = nearest(str(name), known_gates())
            raise InvalidValueError(f"no feature gate {_shown(name)}{near}")
        if not isinstance(on, bool):
            raise InvalidValueError(f"{name} is true or false, not {_shown(on)}")
    return MappingProxyType(dict(value))


def _versions(value: object, _root: StrPath) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise InvalidValueError("expects a table of driver names, each with a version")
    for driver, version in value.items():
        if not isinstance(version, str):
            text = f'write the version "{_shown(version)}" in quotes'
            raise InvalidValueError(f"{_shown(driver)[1:-1]}: {text}")
    return MappingProxyType({str(driver): version for driver, version in value.items()})


def _paths(value: object, root: StrPath) -> tuple[str, ...]:
    return tuple(_placed(item, root) for item in _few(value, root))


def _substitutes(value: object, root: StrPath) -> tuple[str, ...]:
    """Assignments as they are, and files."""
    from dradsl.tree.applied.variable_values import is_assignment

    return tuple(item if is_assignment(item) else _placed(item, root) for item in _few(value, root))


def _namespace(value: object, _root: StrPath) -> str:
    if isinstance(value, str) and value:
        return value
    raise InvalidValueError("expects the name of a namespace")


def _path(value: object, root: StrPath) -> str:
    if not isinstance(value, str):
        raise InvalidValueError("expects a path")
    return _placed(value, root)


def _placed(path: str, root: StrPath) -> str:
    """The path from `root`, short where it lies below the working directory: findings show it."""
    if "\0" in path:
        raise InvalidValueError(f"no path holds a null character: {_shown(path)}")
    return relative(os.path.join(absolute(root), path), os.getcwd())


def _boolean(value: object, _root: StrPath) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidValueError(f"is true or false, not {_shown(value)}")


def _duration(value: object, _root: StrPath) -> float:
    from dradsl.values.deadline import read_duration

    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidValueError(
            f"expects seconds or a duration, such as 90 or 5m, not {_shown(value)}"
        )
    try:
        return read_duration(str(value))
    except ValueError as error:
        raise InvalidValueError(str(error)) from error


Merge: TypeAlias = "Literal['replace', 'extend', 'update']"


class ConfigKey(Record):
    """A key of the configuration, how its value is read, and what a call's value does to it.

    With `help`, the command line has an option of that name; `metavar` and `choices` are what its help shows.
    """

    key: str
    read: Callable[[object, StrPath], object]
    merge: Merge = "replace"
    help: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def is_repeatable(self) -> bool:
        """Whether a call gives a list."""
        return self.read in (_selectors, _releases, _paths, _patterns, _substitutes)

    @property
    def has_commas(self) -> bool:
        """Whether one text of a call may hold several values, with commas between them."""
        return self.read in (_selectors, _releases)

    def given(self, value: Any) -> object:
        """A value of a call as a configuration has it; None if it is empty, which counts as not given."""
        if self.read is _path and value is not None:
            return os.fspath(value)
        if isinstance(value, Mapping):
            return dict(value) or None
        if not self.is_repeatable:
            return value
        items = list(value or ())
        return ([os.fspath(each) for each in items] if self.read is _paths else items) or None

    def paths_in(self, value: object) -> tuple[str, ...]:
        """The paths in a value that was read; none for an option that names no files."""
        if self.read is _substitutes and isinstance(value, tuple):
            from dradsl.tree.applied.variable_values import is_assignment

            return tuple(item for item in value if not is_assignment(item))
        if self.read not in (_path, _paths):
            return ()
        return (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()

    @property
    def names_rules(self) -> bool:
        """Whether its value names rules: a list of selectors, a table of such, or a table by selectors."""
        return self.read in (_selectors, _file_selectors, _severities)

    @property
    def field(self) -> str:
        return self.key.replace("-", "_")

    def of_text(self, text: str) -> object:
        """A value as `--config KEY=VALUE` gives it: lists and tables as in YAML, a list also with commas.

        Raises:
            ConfigError: for a list or table that is not YAML.
        """
        if text.startswith(("[", "{")):
            from dradsl.lint.settings.config_file import value_of

            return value_of(self.key, text)
        if self.is_repeatable:
            return [each.strip() for each in text.split(",")] if self.has_commas else [text]
        return text == "true" if self.read is _boolean and text in ("true", "false") else text


FORMATS = ("text", "concise", "statistics", "json", "sarif", "junit", "github", "gitlab")
PRESETS = ("default", "strict", "platform", "workload")
ORDERS = ("score", "name", "pack", "spread")
_SEVERITIES = tuple(map(str, Severity))
_FAILING = (*_SEVERITIES, "never")

_EVERY = (
    ConfigKey(
        "preset",
        _choice(PRESETS),
        help="Severities for your task. Default: default.",
        choices=PRESETS,
    ),
    ConfigKey("select", _selectors, help="Run these rules only.", metavar="RULES"),
    ConfigKey("extend-select", _selectors, "extend"),
    ConfigKey("ignore", _selectors, "extend", "Do not run these rules.", "RULES"),
    ConfigKey("per-file-ignores", _file_selectors, "update"),
    ConfigKey("severities", _severities, "update"),
    ConfigKey("custom-rules", _paths),
    ConfigKey(
        "severity",
        _severity,
        help="Show this severity and worse. Default: info.",
        choices=_SEVERITIES,
    ),
    ConfigKey(
        "fail-on",
        _choice(_FAILING),
        help="Exit with 1 for this severity and worse. Default: warning.",
        choices=_FAILING,
    ),
    ConfigKey(
        "kube-version", _releases
    ),  # the command line: cli.cluster_options, as other commands
    ConfigKey("feature-gates", _gates, "update"),
    ConfigKey(
        "slices",
        _paths,
        help="Recorded ResourceSlices, to check if claims can be met. Repeatable.",
        metavar="PATH",
    ),
    ConfigKey(
        "context",
        _paths,
        help="Manifests to look into, but not to report on. Repeatable.",
        metavar="PATH",
    ),
    ConfigKey(
        "driver-schema", _paths, help="A driver schema of your own. Repeatable.", metavar="PATH"
    ),
    ConfigKey("driver-versions", _versions, "update"),
    ConfigKey(
        "substitute",
        _substitutes,
        "extend",
        "Values of variables such as ${NAME}. Repeatable.",
        "FILE|NAME=VALUE",
    ),
    ConfigKey("namespace", _namespace, help="Namespace of objects that name none.", metavar="NAME"),
    ConfigKey("exclude", _patterns, "extend", "Leave these files out. Repeatable.", "GLOB"),
    ConfigKey("include", _patterns, "extend"),
    ConfigKey("fail-if-empty", _boolean),
    # Of `dradsl simulate`.
    ConfigKey("known-classes", _boolean),
    ConfigKey("node-order", _choice(ORDERS), choices=ORDERS),
    ConfigKey("baseline", _path, help="Report only findings that are not in FILE.", metavar="FILE"),
    ConfigKey("output-format", _choice(FORMATS), help="Default: text.", choices=FORMATS),
    ConfigKey(
        "timeout",
        _duration,
        help="Stop after this time (90, 30s, 5m), with exit code 2.",
        metavar="DURATION",
    ),
)

OPTIONS: Mapping[str, ConfigKey] = MappingProxyType({option.key: option for option in _EVERY})


def _shown(value: object) -> str:
    from dradsl.values.shown import shown

    return shown(value)


def nearest(word: str, known: tuple[str, ...]) -> str:
    """The end of a message that suggests a known word; empty where none is near."""
    from difflib import get_close_matches

    if len(word) > MOST_CHARACTERS:
        return ""
    near = get_close_matches(word.lower(), {name.lower(): name for name in known}, n=1)
    original = {name.lower(): name for name in known}
    return f"; did you mean {original[near[0]]}?" if near else ""
