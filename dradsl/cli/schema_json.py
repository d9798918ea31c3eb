"""`dradsl schema json`: print the JSON Schemas that editors check and complete files with."""

from __future__ import annotations

from pathlib import Path

import click

from dradsl.cli.commands import Command
from dradsl.cli.say import put
from dradsl.cli.schema_input import write_output

__all__ = ["json_command"]

# Of files that users write for dradsl itself, and of what commands print; every other name is an API version.
_REPORTS = ("lint", "simulate", "why", "devices", "claims", "migrate", "cel", "rules")
_OWN = ("config", "driver", *_REPORTS)


@click.command("json", cls=Command, short_help="Print a JSON Schema for editors.")
@click.argument("name", metavar="config|driver|COMMAND|VERSION")
@click.option(
    "--kube-version", metavar="RELEASE", help="The release of VERSION. Default: the newest."
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
def json_command(name: str, kube_version: str | None, output: Path | None) -> None:
    """Print a JSON Schema: of the configuration, of driver schemas, of the output of a command with
    `--output-format json`, or of an API version.

    COMMAND is lint, simulate, why, devices, claims, migrate, cel or rules.

    VERSION is a version of resource.k8s.io: v1, v1beta2, v1beta1 or v1alpha3. Exit code 2 if the
    command line cannot be used.
    """
    from dradsl.data import data_path

    if name not in _OWN:
        path = _of_version(name, kube_version)
    elif kube_version is not None:
        raise click.UsageError("--kube-version is for API versions only")
    else:
        path = Path(data_path("schemas", f"{name}.schema.json"))
    text = path.read_text(encoding="utf-8")
    if output is None:
        put(text)
    else:
        write_output(output, text)


def _of_version(version: str, kube_version: str | None) -> Path:
    from dradsl.data import data_path
    from dradsl.releases import UnknownReleaseError, get_release, newest_release

    try:
        release = newest_release() if kube_version is None else get_release(kube_version)
    except UnknownReleaseError as error:
        raise click.BadParameter(str(error), param_hint="--kube-version") from None
    known = {
        path.stem: path
        for path in Path(data_path("schemas", "kubernetes", release.name)).glob("*.json")
    }
    if version not in known:
        names = ", ".join((*_OWN, *sorted(known)))
        raise click.BadParameter(f"no JSON Schema {version!r} (known: {names})", param_hint="NAME")
    return known[version]
