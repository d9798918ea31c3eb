"""The options of `dradsl lint`: one table for click and for the calls that need no click.

Those that a configuration may have as well are declared there (`dradsl.lint.settings.options`).
"""

from __future__ import annotations

from dradsl.cli.cluster_options import GATES, RELEASES, parse_gates
from dradsl.cli.options import Option, flag, many, string
from dradsl.lint.settings.options import OPTIONS as KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cli.options import Kind, OptionValues

__all__ = ["OPTIONS", "of_key", "overrides_in"]


def of_key(name: str) -> Option:
    """The option of a configuration key that the command line has, too."""
    key = KEYS[name]
    kind: Kind = "choice" if key.choices else "many" if key.is_repeatable else "text"
    return Option(key.field, (f"--{key.key}",), kind, key.help, key.metavar, key.choices)


OPTIONS = (
    RELEASES,
    GATES,
    *(of_key(name) for name, key in KEYS.items() if key.help is not None),
    Option("output_file", ("--output-file",), "file", "Write the report to FILE.", "FILE"),
    string(
        "--stdin-filename",
        "NAME",
        "Name of standard input, in findings and for the configuration.",
        default="<stdin>",
    ),
    Option(
        "color",
        ("--color",),
        "choice",
        "Default: auto.",
        choices=("auto", "always", "never"),
        default="auto",
    ),
    flag("--quiet", "Print findings only.", short="-q"),
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
    flag("--fail-if-empty", "Exit with 2 if nothing was checked."),
    Option("config_file", ("--config",), "path", "Use this configuration."),
    flag("--isolated", "Use no configuration."),
    flag("--show-settings", "Print the settings and where they come from. Check nothing."),
    flag("--statistics", "Print the number of findings of each rule."),
    Option(
        "write_baseline",
        ("--write-baseline",),
        "path",
        "Write all findings to a baseline, to accept them.",
    ),
)


def overrides_in(options: OptionValues) -> dict[str, object]:
    """The keys of a configuration that options of a call give; other options are passed over.

    Raises:
        GateSyntaxError: for text that is no feature gate.
    """
    from dradsl.lint.engine.session import overrides_of

    given = {key.field: options[key.field] for key in KEYS.values() if key.field in options}
    for name, value in given.items():
        if KEYS[name.replace("_", "-")].has_commas:
            given[name] = [part.strip() for each in value for part in each.split(",")]
    if GATES.name in given:
        given[GATES.name] = parse_gates(given[GATES.name])
    return overrides_of(**given)
