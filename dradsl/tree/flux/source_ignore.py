"""Files that Flux's sources leave out: those that `.sourceignore` and Flux's own patterns name.

Upstream: fluxcd/pkg sourceignore/sourceignore.go and sourceignore/gitignore (which is not quite git's way).
"""

from __future__ import annotations

import fnmatch
import os

from dradsl.records import dataclass
from dradsl.text.files import SETTINGS_BYTES
from dradsl.tree.kustomize.parts.files import KustomizeError
from dradsl.values.limits import MOST_SOURCE_PATTERNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.tree.kustomize.parts.files import Files

__all__ = ["Ignored", "ignored_below"]

_NAME = ".sourceignore"
_OWN = (
    ".git/,.gitignore,.gitmodules,.gitattributes,"
    "*.jpg,*.jpeg,*.gif,*.png,*.wmv,*.flv,*.tar.gz,*.zip,"
    ".github/,.circleci/,.travis.yml,.gitlab-ci.yml,appveyor.yml,.drone.yml,cloudbuild.yaml,"
    "codeship-services.yml,codeship-steps.yml,**/.goreleaser.yml,**/.sops.yaml,**/.flux.yaml"
)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A line: the folder that it counts from, as steps from the top, and its own steps."""

    folder: Sequence[str]
    steps: Sequence[str]
    keeps: bool
    folders_only: bool

    def fits(self, path: Sequence[str]) -> bool:
        """Whether it is about a file, or about a folder above it."""
        rest = path[len(self.folder) :]
        if not rest or tuple(path[: len(self.folder)]) != tuple(self.folder):
            return False
        if len(self.steps) == 1:
            names = rest[:-1] if self.folders_only else rest
            return any(_fits(name, self.steps[0]) for name in names)
        return self._fits_way(list(rest))

    def _fits_way(self, rest: list[str]) -> bool:
        matched = anywhere = False
        for number, step in enumerate(self.steps):
            if step == "":
                anywhere = False
            elif step == "**":
                if number == len(self.steps) - 1:
                    break
                anywhere = True
            elif "**" in step or not rest:
                return False
            elif anywhere:
                anywhere = False
                at = next((i for i, name in enumerate(rest) if _fits(name, step)), None)
                matched = at is not None
                rest = [] if at is None else rest[at + 1 :]
            elif not _fits(rest.pop(0), step):
                return False
            else:
                matched = True
        return matched and not (self.folders_only and not rest)


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns of a tree; the last one that fits a file decides."""

    top: str
    patterns: Sequence[_Pattern]

    def holds(self, path: str) -> bool:
        """Whether a file is left out."""
        steps = os.path.relpath(path, self.top).split(os.sep)
        return next((not each.keeps for each in reversed(self.patterns) if each.fits(steps)), False)


def ignored_below(folder: str, top: str, files: Files) -> Ignored:
    """What is left out of a folder of a tree: by Flux's own patterns, and by the files above and below.

    Raises:
        KustomizeError: if there are too many patterns.
    """
    patterns = list(_patterns(_OWN.split(","), ()))
    above = os.path.relpath(folder, top).split(os.sep)
    for end in range(len(above)) if above != ["."] else ():
        patterns += _of_folder(os.path.join(top, *above[:end]), top, files)
    for here, below, names in files.walk(folder):
        below[:] = (each for each in below if each != ".git")
        if _NAME in names:
            patterns += _of_folder(here, top, files)
        if len(patterns) > MOST_SOURCE_PATTERNS:
            raise KustomizeError(
                f"there are more than {MOST_SOURCE_PATTERNS} patterns in files {_NAME}"
            )
    return Ignored(top, patterns)


def _of_folder(folder: str, top: str, files: Files) -> list[_Pattern]:
    data = files.read(files.real(os.path.join(folder, _NAME)))
    if data is None or len(data) > SETTINGS_BYTES:
        return []
    path = os.path.relpath(folder, top)
    steps = () if path == "." else tuple(path.split(os.sep))
    lines = data.decode("utf-8", "replace").splitlines()
    return list(_patterns([each for each in lines if each.strip() and each[0] != "#"], steps))


def _patterns(lines: Iterable[str], folder: Sequence[str]) -> Iterable[_Pattern]:
    for line in lines:
        keeps = line.startswith("!")
        text = line[1:] if keeps else line
        if not text.endswith("\\ "):
            text = text.rstrip(" ")
        folders_only = text.endswith("/")
        yield _Pattern(folder, text.removesuffix("/").split("/"), keeps, folders_only)


def _fits(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern.replace("[^", "[!").replace("\\", ""))
