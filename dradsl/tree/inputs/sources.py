"""The files a lint run reads: found under the given paths, read within limits, parsed once."""

from __future__ import annotations

import os

from dradsl.errors import DradslError
from dradsl.records import cached, dataclass, field, once, replace
from dradsl.text.files import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.text.documents import Stream
    from dradsl.tree.files import Tree
    from dradsl.tree.git.ignored import GitIgnores

__all__ = [
    "MARKDOWN",
    "OUTSIDE",
    "STDIN",
    "Choice",
    "Input",
    "SourceText",
    "NotLinted",
    "UsageProblem",
    "find_inputs",
]

OUTSIDE = "a link out of the tree: name the file itself to have it read"
"""Why a file that was found is not read."""

STDIN = "-"
_ENDINGS = (".yaml", ".yml", ".json")
MARKDOWN = (".md", ".markdown")
"""How the names of Markdown files end; they are read where the call or `include` names them."""

_DOT_FOLDER = "a dot folder: name it to have it read"
_NEVER = "never looked into"
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox"})


class UsageProblem(DradslError, ValueError):  # noqa: N818 - it is the user's call that is wrong, not a crash
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
class NotLinted:
    """A file or folder that is left out, and why; not `named` in reports where it is one of many."""

    name: str
    reason: str
    named: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """Leaves out of folders what git ignores and dot folders; `find_inputs` fills its lists.

    `included` tells of a file with another ending whether it is read all the same. `left_out` gets
    what is left out, if it is a list: there may be much of it. `problems` gets the ignore files
    that cannot be read.
    """

    included: Callable[[str], bool]
    left_out: list[NotLinted] | None = None
    problems: list[str] = field(default_factory=list)

    def leave_out(self, name: str, reason: str) -> None:
        """Note what is left out, if the caller wants to know."""
        if self.left_out is not None:
            self.left_out.append(NotLinted(_tidy(name), reason))


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file that was read and split into documents; `top` is the folder in which it was found.

    `values_only` says that nothing in it looks like Kubernetes: it may be values of a chart, and
    errors in its text are not reported.
    `was` is given for a file of an earlier state: its name as a file of the run.
    """

    name: str
    stream: Stream
    context: bool = False  # read for look-up only; nothing is reported on it
    top: str | None = None
    values_only: bool = False
    was: str | None = None

    @cached
    def holds_values(self) -> bool:
        """Whether a document in it is a mapping that is no object, as the values of a chart are."""
        return any(
            isinstance(data := document.data, dict)
            and not ("apiVersion" in data and "kind" in data)
            for document in self.stream.documents
        )

    @property
    def is_template(self) -> bool:
        """Whether the file is the source of a template, so that what cannot be read is no mistake."""
        from dradsl.tree.inputs.choice import TEMPLATE_ENDINGS

        return self.stream.is_template or self.name.endswith(TEMPLATE_ENDINGS)

    @cached
    def is_markdown(self) -> bool:
        """Whether the documents are the fenced parts of a page."""
        return self.name.endswith(MARKDOWN)

    def rewrite(self, text: str) -> None:
        """Write `text` into the file, in the encoding that it has.

        Raises:
            FileError: if the file cannot be written, was changed since it was read, or is a link out
                of its tree; it is then as it was.
        """
        from dradsl.tree.files import Tree
        from dradsl.tree.replacing import write_bytes

        stream = self.stream
        before = stream.encode(stream.text)
        tree = None if self.top is None else Tree.of(self.top)
        write_bytes(self.name, stream.encode(text), expected=before, tree=tree)


def find_inputs(
    paths: Sequence[str], exclude: Iterable[str] = (), choice: Choice | None = None
) -> Iterator[Input]:
    """The manifest files under `paths`, in a stable order and each once.

    A directory stands for every *.yaml, *.yml and *.json below it, except for what `choice` leaves
    out. A path holding `*`, `?` or `[` that does not exist is a glob (`**` crosses directories), which
    finds Markdown too. What is found so may be a link within the git work tree, or within the folder
    where there is none; others are `outside`. What `paths` names may be a link anywhere.

    Raises:
        UsageProblem: if a path does not exist or a glob matches nothing.
    """
    excluded = tuple(exclude)
    seen: set[str] = set()
    trees: dict[str, Tree] = {}
    folders: dict[str, str] = {}
    for text in paths:
        for found in _expand(text, choice):
            key = real_path(found.path, folders)
            if key in seen or (not found.explicit and _is_excluded(found.name, excluded)):
                continue
            if _is_outside(found, key, trees):
                yield replace(found, outside=True)
                continue
            seen.add(key)
            yield found


def _is_outside(found: Input, target: str, trees: dict[str, Tree]) -> bool:
    """Whether a file leads out of the tree in which it was found; `target` has all links followed."""
    if found.top is None:
        return False
    from dradsl.tree.files import Tree

    # Of the folder, not of the file's own: that may be a link itself, to a work tree elsewhere.
    return not once(trees, found.top, Tree.of).holds(target)


def _expand(text: str, choice: Choice | None) -> Iterator[Input]:
    if os.path.isdir(text):
        yield from _walk(text, text, choice)
    elif os.path.lexists(text):
        yield Input(text, _tidy(text), explicit=True)
    elif any(mark in text for mark in "*?["):
        yield from _glob(text, choice)
    else:
        raise UsageProblem(f"no such file or directory: {text}")


def _glob(pattern: str, choice: Choice | None) -> Iterator[Input]:
    from dradsl.tree.files import Tree

    plain = pattern[: min(pattern.find(mark) for mark in "*?[" if mark in pattern)]
    top = os.path.dirname(plain) or "."
    tree = Tree.of(top)
    matches = tree.glob(pattern)
    if not matches:
        raise UsageProblem(f"no file matches {pattern}")
    ignores = None if choice is None else _ignores(top)
    for match in matches:
        reason = None if ignores is None else ignores.reason_for(_from(top, match))
        if reason is not None and choice is not None:
            choice.leave_out(match, _ignored_by(reason))
        elif tree.is_folder(match):
            yield from _walk(match, top, choice)
        elif match.endswith((*_ENDINGS, *MARKDOWN)) or os.path.isdir(match):
            yield Input(match, _tidy(match), explicit=False, top=top)
    if ignores is not None and choice is not None:
        choice.problems.extend(ignores.problems)


def _from(top: str, path: str) -> str:
    """`path` with `top` at its start, as walking there names it."""
    return path if top != "." or path.startswith("./") else f"./{path}"


def _ignores(folder: str) -> GitIgnores:
    from dradsl.tree.git.ignored import GitIgnores

    return GitIgnores(folder)


def _ignored_by(file: str) -> str:
    return f"ignored by {file}"


def _walk(start: str, top: str, choice: Choice | None) -> Iterator[Input]:
    """The files below `start`, a folder that was found in `top`."""
    from dradsl.tree.files import Tree

    unreadable: list[OSError] = []
    ignores = None if choice is None else _ignores(start)
    for folder, folders, files in Tree.of(start).walk(start, unreadable.append):
        if choice is None or ignores is None:
            folders[:] = (name for name in folders if name not in _NEVER_ENTERED)
        else:
            ignores.enter(folder, (*folders, *files))
            folders[:] = list(_entered(folder, folders, ignores, choice))
        above = os.path.join(folder, "")
        for file in files:
            name = above + file
            if not file.endswith(_ENDINGS) and (choice is None or not choice.included(name)):
                continue
            reason = None if ignores is None else ignores.reason(folder, file, is_folder=False)
            if reason is not None and choice is not None:
                choice.leave_out(name, _ignored_by(reason))
            else:
                yield Input(name, _tidy(name), explicit=False, top=top)
    for error in unreadable:
        # Reported where the directory's files would have been: reading it fails with the reason.
        yield Input(str(error.filename), _tidy(str(error.filename)), explicit=True)
    if ignores is not None and choice is not None:
        choice.problems.extend(ignores.problems)


def _entered(
    folder: str, folders: Iterable[str], ignores: GitIgnores, choice: Choice
) -> Iterator[str]:
    """The folders that are walked into."""
    for name in folders:
        if name in _NEVER_ENTERED:
            why: str | None = _NEVER
        elif name.startswith("."):
            why = _DOT_FOLDER
        else:
            ignored = ignores.reason(folder, name, is_folder=True)
            why = None if ignored is None else _ignored_by(ignored)
        if why is None:
            yield name
        elif name != ".git":
            choice.leave_out(f"{os.path.join(folder, name)}/", why)


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
