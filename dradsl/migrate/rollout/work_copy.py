"""A copy of a user's tree in which a rollout is made, stage by stage, and copies to which git applies its patches."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.migrate.rollout.plan import FileChange
from dradsl.programs import ProgramError, ask, find_program
from dradsl.records import replace
from dradsl.text.documents import load
from dradsl.text.files import MANIFEST_BYTES
from dradsl.tree.files import Tree
from dradsl.tree.git.ignored import GitIgnores
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.values.limits import MOST_FILES_COPIED
from dradsl.values.plain import list_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.rollout.plan import RolloutStage
    from dradsl.values.deadline import Deadline

__all__ = ["WorkCopy", "applied_with_git"]


def _text_of(path: Path) -> str | None:
    """What a file of a copy holds, whatever its encoding; None if there is none."""
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else None


def _put_text(path: Path, text: str) -> None:
    """Write a file of a copy."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


class WorkCopy:
    """The files below `top`, copied to `root`; paths are those from the top, with slashes."""

    def __init__(self, top: str, root: Path, deadline: Deadline) -> None:
        self.root = root.resolve()
        self.originals: dict[str, str | None] = {}
        self._since: dict[str, str | None] = {}
        (self.root / ".git").mkdir(parents=True)  # the top, for all that looks for one
        tree, ignores, number = Tree.of(top), GitIgnores(top), 0
        for folder, below, names in tree.walk(top):
            deadline.check()
            ignores.enter(folder, [*below, *names])
            kept = [each for each in below if not ignores.reason(folder, each, is_folder=True)]
            below[:] = [each for each in kept if each != ".git"]
            for name in names:
                path = f"{folder}{os.sep}{name}"
                real, target = tree.real(path), self.root / os.path.relpath(path, top)
                if real is None or ignores.reason(folder, name, is_folder=False):
                    continue
                number += 1
                if number > MOST_FILES_COPIED:
                    raise UsageProblem(f"{top} holds more than {MOST_FILES_COPIED:,} files")
                if Path(real).is_file() and Path(real).stat().st_size <= MANIFEST_BYTES:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(real, target)

    def name(self, text: str) -> str:
        """A text with the paths of the copy as paths from the top."""
        shorter = text.replace(os.path.relpath(self.root) + os.sep, "")
        return shorter.replace(f"{self.root}{os.sep}", "").replace(os.sep, "/")

    def exists(self, path: str) -> bool:
        return (self.root / path).is_file()

    def read(self, path: str) -> str:
        return _text_of(self.root / path) or ""

    def data(self, path: str) -> Any:
        """The first document of a file."""
        documents = load(self.read(path).encode("utf-8", "surrogateescape")).documents
        return documents[0].data if documents else None

    def listing(self, file: str) -> tuple[str, int] | None:
        """The kustomization, beside a file or in a folder above, that lists it, and its number there."""
        folder = posixpath.dirname(file)
        while True:
            for path in (posixpath.join(folder, name) for name in NAMES):
                listed = list_at(self.data(path), "resources") if self.exists(path) else []
                for number, each in enumerate(listed):
                    if posixpath.normpath(posixpath.join(folder, str(each))) == file:
                        return path, number
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def api_version(self, group: str, kind: str) -> str:
        """The version in which the tree writes a kind: that of the first such object."""
        object_of = re.compile(
            rf"^apiVersion: ({re.escape(group)}/\w+)\s*\nkind: {kind}\b", re.MULTILINE
        )
        for path in sorted(self.root.rglob("*.y*ml")):
            found = object_of.search(_text_of(path) or "")
            if found:
                return found[1]
        return f"{group}/v1"

    def write(self, path: str, text: str | None) -> None:
        """Give a file a content, or take it away."""
        before = _text_of(self.root / path)
        self.originals.setdefault(path, before)
        self._since.setdefault(path, before)
        if text is None:
            (self.root / path).unlink()
        else:
            _put_text(self.root / path, text)

    def stage(self) -> tuple[FileChange, ...]:
        """The changes since the last call."""
        since, self._since = self._since, {}
        made = [FileChange(p, old, _text_of(self.root / p)) for p, old in sorted(since.items())]
        return tuple(each for each in made if each.before != each.after)


def applied_with_git(
    stages: tuple[RolloutStage, ...], originals: Mapping[str, str | None], folder: Path
) -> tuple[RolloutStage, ...]:
    """The stages, each with what `git apply` made of its patch: the files of the stage, or a reason why not."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for path, text in originals.items():
        if text is not None:
            _put_text(tree / path, text)
    made = []
    for stage in stages:
        fault = _fault(stage, tree, folder / "stage.patch") if stage.changes else None
        said = (
            ("git applies the patch on the stages before",) if stage.changes and not fault else ()
        )
        unproven = (*stage.unproven, *((fault,) if fault else ()))
        made.append(replace(stage, proven=(*said, *stage.proven), unproven=unproven))
    return tuple(made)


def _fault(stage: RolloutStage, tree: Path, patch: Path) -> str | None:
    """Why the patch of a stage is not proven."""
    _put_text(patch, stage.patch)
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    try:
        words = [find_program("git"), "apply", "--whitespace=nowarn", str(patch)]
        said = ask(words, 1 << 20, seconds=60, environment=environment, folder=str(tree))
    except ProgramError as error:
        return f"the patch was not applied: {error}"
    if said.code:
        return f"git does not apply the patch: {said.errors.decode(errors='replace').strip()}"
    wrong = [each.path for each in stage.changes if _text_of(tree / each.path) != each.after]
    return f"git makes another content of {', '.join(wrong)}" if wrong else None
