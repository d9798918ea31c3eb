"""Which release of each driver and related project was read, and when; and which of them are older than releases there are.

`python -m maintenance.sources` lists them. The rows stand in `schemas/sources.yaml`. Newer releases are named by the caller, or lie as tags in a checkout: no
connection is opened, and no program is started.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from dradsl.cli.say import say, say_json
from dradsl.data import data_path
from dradsl.records import dataclass
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["UpstreamProject", "command", "newer_than", "read_sources", "repository_of", "tags_of"]

_NUMBERS = pattern(r"\d{1,18}", re.ASCII)
_PRE_RELEASE = pattern(r"(?:-|\.)(?:rc|alpha|beta|devel|dev)\b", re.IGNORECASE)
_URL = pattern(r"^\s*url\s*=\s*(\S+)\s*$", re.MULTILINE)
_GITHUB = pattern(r"(?:github\.com[:/])([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


@dataclass(frozen=True, slots=True)
class UpstreamProject:
    """A project that was read: its newest release then (or a commit, where it has none), and the day of reading."""

    repository: str
    read: str
    release: str | None = None
    commit: str | None = None
    released: str | None = None
    tags: str = "v"
    ignore: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def read_sources() -> tuple[UpstreamProject, ...]:
    """Every project that was read, in the order of the file."""
    from dradsl.text.documents import SCHEMA_LIMITS, load
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    stream = load(read_bytes(data_path("schemas", "sources.yaml"), SETTINGS_BYTES), SCHEMA_LIMITS)
    data = stream.documents[0].data
    rows = data.get("sources") if isinstance(data, dict) else None
    return tuple(_source(row) for row in rows or () if isinstance(row, dict))


def _source(row: Mapping[str, object]) -> UpstreamProject:
    def text(key: str) -> str | None:
        value = row.get(key)
        return None if value is None else str(value)

    def texts(key: str) -> tuple[str, ...]:
        value = row.get(key)
        return tuple(str(each) for each in value) if isinstance(value, list) else ()

    return UpstreamProject(
        repository=str(row["repository"]),
        read=str(row["read"]),
        release=text("release"),
        commit=text("commit"),
        released=text("released"),
        tags=str(row.get("tags", "v")),
        ignore=texts("ignore"),
        drivers=texts("drivers"),
        rules=texts("rules"),
    )


def newer_than(source: UpstreamProject, tags: Iterable[str]) -> str | None:
    """The newest of some tags that is a later release than the one that was read; None if none is.

    Of a project that was read without a release, any release is.
    """
    found = [(_numbers(tag), tag) for tag in tags if _is_release(source, tag)]
    newest = max(found, default=None)
    if newest is None:
        return None
    read = () if source.release is None else _numbers(source.release)
    return newest[1] if newest[0] > read else None


def _is_release(source: UpstreamProject, tag: str) -> bool:
    if not tag.startswith(source.tags) or any(tag.startswith(each) for each in source.ignore):
        return False
    rest = tag[len(source.tags) :]
    return rest[:1].isdigit() and _PRE_RELEASE.search(rest) is None


def _numbers(tag: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall(tag))


def repository_of(checkout: str) -> str | None:
    """The repository on GitHub that a checkout's configuration names as a remote; None if it names none."""
    for each in _git_files(checkout, "config"):
        for url in _URL.findall(each):
            match = _GITHUB.search(url)
            if match is not None:
                return match[1]
    return None


def tags_of(checkout: str) -> Sequence[str]:
    """The tags in a checkout or a bare repository, as its files have them."""
    found = dict[str, None]()
    for text in _git_files(checkout, "packed-refs"):
        for line in text.splitlines():
            name = line.rpartition(" ")[2]
            if name.startswith("refs/tags/"):
                found[name.removeprefix("refs/tags/")] = None
    for folder in _git_folders(checkout):
        top = folder / "refs" / "tags"
        found |= {
            path.relative_to(top).as_posix(): None for path in top.rglob("*") if path.is_file()
        }
    return list(found)


def _git_folders(checkout: str) -> Iterator[Path]:
    for folder in (Path(checkout, ".git"), Path(checkout)):
        if (folder / "HEAD").is_file():
            yield folder


def _git_files(checkout: str, name: str) -> Iterator[str]:
    for folder in _git_folders(checkout):
        if (folder / name).is_file():
            yield (folder / name).read_text("utf-8", "replace")


@click.command("sources")
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
def command(releases: tuple[str, ...], checkouts: tuple[str, ...], output_format: str) -> None:
    """List the projects that schemas and rules were read from: the newest release, and the day.

    With --release or --checkout: only these projects, and what is newer.

    \b
    Exit codes:
      0  no newer release is known
      1  there is a newer release than the one that was read
      2  wrong command line
    """
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


if __name__ == "__main__":
    command()
