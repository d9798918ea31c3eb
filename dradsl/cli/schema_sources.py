"""`dradsl schema sources`: which release of each driver and related project was read, and what is newer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dradsl.cli.commands import Command
from dradsl.cli.say import say, say_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.drivers.sources import UpstreamProject

__all__ = ["sources_command"]


@click.command(
    "sources", cls=Command, short_help="List the releases that schemas and rules were read from."
)
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="OWNER/NAME=TAG",
    help="A release to compare with. Repeatable.",
)
@click.option(
    "--checkout",
    "checkouts",
    multiple=True,
    metavar="[OWNER/NAME=]DIR",
    help="A git checkout, to compare with its tags. Its configuration names the project. Repeatable.",
)
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", help="Default: text."
)
def sources_command(
    releases: tuple[str, ...], checkouts: tuple[str, ...], output_format: str
) -> None:
    """List the projects that schemas and rules were read from: the newest release, and the day.

    With --release or --checkout: only these projects, and what is newer.

    \b
    Exit codes:
      0  no newer release is known
      1  there is a newer release than the one that was read
      2  wrong command line
    """
    from dradsl.drivers.sources import newer_than, read_sources

    known = read_sources()
    tags = _tags(releases, checkouts, {each.repository for each in known})
    chosen = [each for each in known if not tags or each.repository in tags]
    newer = {each: newer_than(each, tags.get(each.repository, ())) for each in chosen}
    if output_format == "json":
        say_json({"sources": [_row(each, newer[each]) for each in chosen]})
    else:
        for each in chosen:
            say(_line(each))
            if newer[each] is not None:
                say(f"  newer: {newer[each]}")
    sys.exit(1 if any(newer.values()) else 0)


def _tags(
    releases: tuple[str, ...], checkouts: tuple[str, ...], known: set[str]
) -> Mapping[str, list[str]]:
    from dradsl.drivers.sources import repository_of, tags_of

    found: dict[str, list[str]] = {}
    for each in releases:
        name, sign, tag = each.partition("=")
        if not sign or not tag:
            raise click.BadParameter(f"{each!r} is not OWNER/NAME=TAG", param_hint="--release")
        if name not in known:
            raise click.BadParameter(f"nothing was read of {name!r}", param_hint="--release")
        found.setdefault(name, []).append(tag)
    for each in checkouts:
        name, sign, path = each.rpartition("=")
        repository = name if sign else repository_of(path)
        if repository not in known:
            what = "names no repository on GitHub" if repository is None else f"is of {repository}"
            raise click.BadParameter(
                f"{path} {what}; nothing was read of it", param_hint="--checkout"
            )
        found.setdefault(repository, []).extend(tags_of(path))
    return found


def _row(source: UpstreamProject, newer: str | None) -> dict[str, object]:
    return {
        "repository": source.repository,
        "release": source.release,
        "commit": source.commit,
        "released": source.released,
        "read": source.read,
        "drivers": list(source.drivers),
        "rules": list(source.rules),
        "newer": newer,
    }


def _line(source: UpstreamProject) -> str:
    what = source.release or f"commit {(source.commit or '?')[:12]}"
    of = f" of {source.released}" if source.released else ""
    used = ", ".join((*source.drivers, *source.rules))
    return f"{source.repository}: {what}{of}, read on {source.read} ({used})"
