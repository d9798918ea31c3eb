"""Which release of each driver and related project was read, and when; and which of them are older than releases there are.

The rows stand in `schemas/sources.yaml`. Newer releases are named by the caller, or lie as tags in a checkout: no
connection is opened, and no program is started.
"""

from __future__ import annotations

import os
import re

from dradsl.data import data_path
from dradsl.records import dataclass
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["UpstreamProject", "newer_than", "read_sources", "repository_of", "tags_of"]

_NUMBERS = pattern(r"\d{1,18}", re.ASCII)
_PRE_RELEASE = pattern(r"(?:-|\.)(?:rc|alpha|beta|devel|dev)\b", re.IGNORECASE)
_URL = pattern(r"^\s*url\s*=\s*(\S+)\s*$", re.MULTILINE)
_GITHUB = pattern(r"(?:github\.com[:/])([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_MOST_TAGS = 100_000


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
    from dradsl.tree.files import Tree

    found = dict[str, None]()
    for text in _git_files(checkout, "packed-refs"):
        for line in text.splitlines():
            name = line.rpartition(" ")[2]
            if name.startswith("refs/tags/"):
                found[name.removeprefix("refs/tags/")] = None
    for folder in _git_folders(checkout):
        top = os.path.join(folder, "refs", "tags")
        for path, _, names in Tree((os.path.realpath(folder),)).walk(top):
            for name in names:
                tag = os.path.relpath(os.path.join(path, name), top).replace(os.sep, "/")
                found[tag] = None
    return list(found)[:_MOST_TAGS]


def _git_folders(checkout: str) -> Iterator[str]:
    for folder in (os.path.join(checkout, ".git"), checkout):
        if os.path.isfile(os.path.join(folder, "HEAD")):
            yield folder


def _git_files(checkout: str, name: str) -> Iterator[str]:
    from dradsl.text.files import FileError, read_bytes

    for folder in _git_folders(checkout):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            try:
                yield read_bytes(path).decode("utf-8", "replace")
            except FileError:
                continue
