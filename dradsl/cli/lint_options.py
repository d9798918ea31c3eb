"""The options of `dradsl lint`: one table for click and for the calls that need no click.

Those that a configuration may have as well are declared there (`dradsl.lint.settings.options`).
"""

from __future__ import annotations

import os

from dradsl.cli.cluster_options import (
    COLOR,
    GATES,
    OUTPUT,
    QUIET,
    RELEASES,
    STDIN_FILENAME,
    parse_gates,
)
from dradsl.cli.options import Option, flag, many, string
from dradsl.lint.settings.options import OPTIONS as KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dradsl.cli.options import Kind, OptionValues

__all__ = ["CONFIG", "ISOLATED", "OPTIONS", "config_in", "of_key", "overrides_in"]


def of_key(name: str) -> Option:
    """The option of a configuration key that the command line has, too."""
    key = KEYS[name]
    kind: Kind = "choice" if key.choices else "many" if key.is_repeatable else "text"
    return Option(key.field, (f"--{key.key}",), kind, key.help, key.metavar, key.choices)


CONFIG = many(
    "--config",
    "FILE|KEY=VALUE",
    "Use this configuration, or a value of one for this call. Repeatable.",
)
ISOLATED = flag("--isolated", "Use no configuration.")
OPTIONS = (
    RELEASES,
    GATES,
    *(of_key(name) for name, key in KEYS.items() if key.help is not None),
    OUTPUT,
    STDIN_FILENAME,
    COLOR,
    QUIET,
    flag("--exit-zero", "Exit with 0, also if there are findings."),
    flag("--fix", "Apply the safe fixes to the files."),
    flag("--unsafe-fixes", "With --fix or --diff: also the unsafe fixes."),
    flag("--diff", "Print what --fix would change. Write nothing."),
    string(
        "--since",
        "REV|DIR",
        "Compare with this commit or folder: also report updates that the API server rejects.",
    ),
    many(
        "--build-with",
        "helm|kustomize[=PATH]",
        "Render charts and overlays with this program. Repeatable.",
    ),
    flag("--show-files", "List which files are read or left out, and why. Check nothing."),
    flag("--each-file", "Check each file by itself, for hooks that pass the names of files."),
    CONFIG,
    ISOLATED,
    flag("--show-settings", "Print the settings and where they come from. Check nothing."),
    flag("--write", "Write all findings to the file of --baseline, to accept them."),
)


def overrides_in(options: OptionValues) -> dict[str, object]:
    """The keys of a configuration that options of a call give; other options are passed over.

    Raises:
        ConfigError: for values of --config that cannot be used.
        GateSyntaxError: for text that is no feature gate.
    """
    from dradsl.lint.engine.session import overrides_of

    given = {key.field: options[key.field] for key in KEYS.values() if key.field in options}
    for name, value in given.items():
        if KEYS[name.replace("_", "-")].has_commas:
            given[name] = [part.strip() for each in value for part in each.split(",")]
    if GATES.name in given:
        given[GATES.name] = parse_gates(given[GATES.name])
    return config_in(options.get(CONFIG.name) or ())[1] | overrides_of(**given)


def config_in(texts: Iterable[str]) -> tuple[str | None, dict[str, object]]:
    """The configuration file and the values of keys that `--config` gives.

    Raises:
        ConfigError: for a second file, a file that is not there, and a key that is not known.
    """
    from dradsl.lint.settings.options import nearest
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.values.shown import shown

    file: str | None = None
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if equals and not os.path.lexists(text):
            if name not in KEYS:
                known = nearest(name, tuple(KEYS))
                raise ConfigError(None, f"--config: unknown option {shown(name)}{known}")
            given = KEYS[name].of_text(value)
            values[name] = [*values.get(name, ()), *given] if isinstance(given, list) else given
        elif file is not None:
            raise ConfigError(None, f"--config: expected one file, found {file} and {text}")
        elif not os.path.lexists(text):
            raise ConfigError(None, f"--config: no such file or directory: {text}")
        else:
            file = text
    return file, values
