"""Options of several commands: which cluster a command judges for, what it prints, and where."""

from __future__ import annotations

from dradsl.cli.options import Option, choice, file, flag, many, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.cli.options import OptionValues
    from dradsl.releases import Features, Release

__all__ = [
    "COLOR",
    "DRIVER_SCHEMA",
    "FORMAT",
    "FROM_CLUSTER",
    "GATES",
    "OUTPUT",
    "QUIET",
    "RELEASE",
    "RELEASES",
    "STDIN_FILENAME",
    "GateSyntaxError",
    "parse_gates",
    "release_and_features",
]

RELEASE = Option(
    "kube_version",
    ("--kube-version",),
    "text",
    'Kubernetes release, such as "1.36". Default: the newest known.',
    "RELEASE",
)
RELEASES = Option(
    "kube_version",
    ("--kube-version",),
    "many",
    'Kubernetes release: "1.36", or "1.34-1.37". Repeatable. Default: the newest known.',
    "RELEASE",
)
GATES = Option(
    "feature_gates",
    ("--feature-gates",),
    "many",
    "Turn a feature gate on (true) or off (false). Several with commas. Repeatable.",
    "NAME=BOOL",
)
DRIVER_SCHEMA = many("--driver-schema", "PATH", "A driver schema of your own. Repeatable.")
FORMAT = choice("--output-format", ("text", "json"), "Default: text.", default="text")
FROM_CLUSTER = (
    flag("--from-cluster", "Ask the current cluster with kubectl."),
    string("--kube-context", "NAME", "The context of kubectl."),
)
"""The options of commands that can ask a cluster."""
COLOR = choice("--color", ("auto", "always", "never"), "When to colour the output. Default: auto.")
QUIET = flag("--quiet", "No summary, notes or progress.", short="-q")
STDIN_FILENAME = string(
    "--stdin-filename",
    "NAME",
    "Name of standard input, in messages and for the configuration.",
    default="<stdin>",
)
OUTPUT = file(
    "--output", "Write to FILE, compressed if it ends in .gz. Default: standard output.", short="-o"
)


class GateSyntaxError(ValueError):
    """Text after `--feature-gates` that is not NAME=true or NAME=false."""


def parse_gates(texts: Iterable[str]) -> dict[str, bool]:
    """The feature gates of a call: each text is "Name=true", or several of them with commas.

    Raises:
        GateSyntaxError: for text of another form.
    """
    from dradsl.values.shown import shown

    gates: dict[str, bool] = {}
    for text in texts:
        for part in text.split(","):
            name, equals, value = part.strip().partition("=")
            if not (name and equals) or value.lower() not in ("true", "false"):
                message = f"--feature-gates: expected NAME=true or NAME=false, not {shown(part)}"
                raise GateSyntaxError(message)
            gates[name] = value.lower() == "true"
    return gates


def release_and_features(options: OptionValues) -> tuple[Release, Features]:
    """The release and its feature gates, from the values of `RELEASE` and `GATES`.

    Raises:
        click.UsageError: for a release or a gate that is not known, or cannot be turned that way.
    """
    from dradsl.releases import (
        UnknownGateError,
        UnknownReleaseError,
        get_release,
        newest_release,
    )

    name = options[RELEASE.name]
    try:
        release = get_release(name) if name else newest_release()
        return release, release.features(parse_gates(options[GATES.name]))
    except (GateSyntaxError, UnknownReleaseError, UnknownGateError) as error:
        import click

        raise click.UsageError(str(error)) from None
