"""The files a lint run reads: found under the given paths, read within limits, parsed once."""

from __future__ import annotations

import os

from dradsl.records import dataclass, replace
from dradsl.text.trees import leads_out, work_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.text.documents import Stream

__all__ = ["OUTSIDE", "STDIN", "Input", "SourceText", "UsageProblem", "find_inputs"]

OUTSIDE = "a link out of the tree: name the file itself to have it read"
"""Why a file that was found is not read."""

STDIN = "-"
_ENDINGS = (".yaml", ".yml", ".json")
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox"})


class UsageProblem(ValueError):  # noqa: N818 - it is the user's call that is wrong, not a crash
    """The call itself cannot be carried out: a path that does not exist, a bad option value."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read: where it is, and what the user calls it in findings.

    `top` is the folder in which it was found, None for a file that the call names. `outside` says
    that a link brings it in from outside the tree: then it is named, but not read.
    """

    path: str
    name: str
    explicit: bool  # named by the user, not found in a directory
    top: str | None = None
    outside: bool = False


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file that was read and split into documents; `top` is the folder in which it was found.

    `was` is given for a file of an earlier state: its name as a file of the run.
    """

    name: str
    stream: Stream
    context: bool = False  # read for look-up only; nothing is reported on it
    top: str | None = None
    was: str | None = None

    def rewrite(self, text: str) -> None:
        """Write `text` into the file, in the encoding that it has.

        Raises:
            FileError: if the file cannot be written, was changed since it was read, or is a link out
                of its tree; it is then as it was.
        """
        from dradsl.text.replacing import write_bytes

        stream = self.stream
        before = stream.encode(stream.text)
        write_bytes(self.name, stream.encode(text), expected=before, top=self.top)


def find_inputs(paths: Sequence[str], exclude: Iterable[str] = ()) -> Iterator[Input]:
    """The manifest files under `paths`, in a stable order and each once.

    A directory stands for every *.yaml, *.yml and *.json below it; a path holding `*`, `?` or
    `[` that does not exist is a glob (`**` crosses directories). What is found so may be a link
    within the git work tree, or within the folder where there is none; others are `outside`. What
    `paths` names may be a link anywhere.

    Raises:
        UsageProblem: if a path does not exist or a glob matches nothing.
    """
    excluded = tuple(exclude)
    seen: set[str] = set()
    real_tops: dict[str, str] = {}
    for text in paths:
        for found in _expand(text):
            key = os.path.realpath(found.path)
            if key in seen or (not found.explicit and _is_excluded(found.name, excluded)):
                continue
            if _is_outside(found, key, real_tops):
                yield replace(found, outside=True)
                continue
            seen.add(key)
            yield found


def _is_outside(found: Input, target: str, real_tops: dict[str, str]) -> bool:
    """Whether a file leads out of the tree in which it was found; `target` has all links followed."""
    if found.top is None:
        return False
    real_top = real_tops.get(found.top)
    if real_top is None:
        real_top = real_tops[found.top] = os.path.realpath(found.top).rstrip(os.sep) + os.sep
    # There are many files, and nearly all lie below the folder itself: no more is asked about those.
    if target.startswith(real_top) and ".git" not in target[len(real_top) :]:
        return False
    # Of the folder, not of the file's own: that may be a link itself, to a work tree elsewhere.
    return leads_out(target, work_tree(found.top) or found.top)


def _expand(text: str) -> Iterator[Input]:
    if os.path.isdir(text):
        yield from _walk(text, text)
    elif os.path.lexists(text):
        yield Input(text, _tidy(text), explicit=True)
    elif any(mark in text for mark in "*?["):
        yield from _glob(text)
    else:
        raise UsageProblem(f"no such file or directory: {text}")


def _glob(pattern: str) -> Iterator[Input]:
    import glob  # lazily: only few runs have a pattern

    plain = pattern[: min(pattern.find(mark) for mark in "*?[" if mark in pattern)]
    top = os.path.dirname(plain) or "."
    matches = sorted(glob.glob(pattern, recursive=True, include_hidden=False))
    if not matches:
        raise UsageProblem(f"no file matches {pattern}")
    for match in matches:
        if os.path.isdir(match):
            yield from _walk(match, top)
        elif match.endswith(_ENDINGS):
            yield Input(match, _tidy(match), explicit=False, top=top)


def _walk(start: str, top: str) -> Iterator[Input]:
    """The files below `start`, a folder that was found in `top`."""
    unreadable: list[OSError] = []
    for folder, folders, files in os.walk(start, onerror=unreadable.append):
        folders[:] = sorted(f for f in folders if f not in _NEVER_ENTERED)
        for file in sorted(files):
            if file.endswith(_ENDINGS):
                name = os.path.join(folder, file)
                yield Input(name, _tidy(name), explicit=False, top=top)
    for error in unreadable:
        # Reported where the directory's files would have been: reading it fails with the reason.
        yield Input(str(error.filename), _tidy(str(error.filename)), explicit=True)


def _tidy(name: str) -> str:
    return name.removeprefix("./") if name != "./" else name


def _is_excluded(name: str, patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return False
    from fnmatch import fnmatch

    parts = name.split("/")
    return any(
        fnmatch(name, pattern)
        or fnmatch(name, f"*/{pattern}")
        or any(fnmatch("/".join(parts[: i + 1]), pattern) for i in range(len(parts)))
        or any(fnmatch(part, pattern.rstrip("/")) for part in parts)
        for pattern in patterns
    )
