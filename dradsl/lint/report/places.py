"""Names of places for every format: paths relative to the project, addresses of rule pages."""

from __future__ import annotations

import os
from collections.abc import Mapping

from dradsl.diagnostics import Finding
from dradsl.records import once
from dradsl.text.files import StrPath, absolute, relative
from dradsl.text.lines import Lines

__all__ = [
    "PROJECT_URL",
    "REPOSITORY_URL",
    "SourceLines",
    "origin_line",
    "relative_path",
    "rule_url",
]

# The address of the documentation, without a slash at the end: the only place that holds it. None
# while the documentation is published nowhere; then reports name no address.
PROJECT_URL: str | None = None

# The address of the repository, without a slash at the end, likewise: the site links to it, the metadata of the package name it.
REPOSITORY_URL: str | None = None


def rule_url(code: str) -> str | None:
    """The page of a rule, or None while `PROJECT_URL` is unset (`dradsl rule CODE` prints the page).

    It holds the code alone, so that renaming a rule breaks no link.
    """
    return None if PROJECT_URL is None else f"{PROJECT_URL}/rules/{code}/"


def relative_path(path: str, base: StrPath | None) -> str:
    """`path` relative to `base` with forward slashes; a path outside of it stays absolute.

    Code hosts match paths with those of the repository: without a leading "./".
    """
    # Only ".." needs resolving, and a symbolic link is reported where the user named it.
    if base is None:
        return os.path.normpath(path).replace(os.sep, "/")
    return relative(os.path.normpath(absolute(path)), base)


def origin_line(finding: Finding) -> str | None:
    """From which file the object was rendered, as a line of a message; None where that is not known."""
    return f"origin: {finding.origin}" if finding.origin else None


class SourceLines:
    """Lines of the files of a report; a text is split only where all of its lines are asked for."""

    __slots__ = ("_places", "_sources")

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._places: dict[str, Lines] = {}

    def line(self, path: str, number: int) -> str | None:
        """Line `number`, counted from 1, without its break; None where there is none."""
        text = self._sources.get(path)
        if text is None:
            return None
        lines = once(self._places, path, lambda _: Lines(text))
        if not 0 < number <= len(lines):
            return None
        start = lines.offset(number, 1)
        end = text.find("\n", start)
        return text[start : len(text) if end < 0 else end].removesuffix("\r")
