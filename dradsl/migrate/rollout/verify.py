"""The patches of a rollout applied with git, one stage on the other, to copies of the files that they change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.migrate.rollout.work_copy import put_text, text_of
from dradsl.programs import ProgramError, ask, find_program
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dradsl.migrate.rollout.plan import RolloutStage

__all__ = ["applied_with_git"]

_SECONDS = 60


def applied_with_git(
    stages: tuple[RolloutStage, ...], originals: Mapping[str, str | None], folder: Path
) -> tuple[RolloutStage, ...]:
    """The stages, each with what `git apply` made of its patch: the files of the stage, or a reason why not."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for path, text in originals.items():
        if text is not None:
            put_text(tree / path, text)
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
    put_text(patch, stage.patch)
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    try:
        words = [find_program("git"), "apply", "--whitespace=nowarn", str(patch)]
        said = ask(words, 1 << 20, seconds=_SECONDS, environment=environment, folder=str(tree))
    except ProgramError as error:
        return f"the patch was not applied: {error}"
    if said.code:
        return f"git does not apply the patch: {said.errors.decode(errors='replace').strip()}"
    wrong = [each.path for each in stage.changes if text_of(tree / each.path) != each.after]
    return f"git makes another content of {', '.join(wrong)}" if wrong else None
