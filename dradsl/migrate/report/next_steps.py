"""The commands that lead on from a migration, as a shell reads them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.migrate.result import Migration

__all__ = ["next_steps"]


def next_steps(
    migration: Migration,
    paths: Sequence[str],
    words: Sequence[str] = (),
    *,
    answers: str | None = None,
    questions: str | None = None,
    written: bool = False,
) -> tuple[str, ...]:
    """The commands after a call for `paths` with further `words`.

    Args:
        migration: what the call made.
        paths: what it read; standard input leads nowhere.
        words: its options that hold for the next call too.
        answers: the answers file that it read.
        questions: the answers file that it wrote.
        written: whether it wrote the files.
    """
    given = [] if answers is None else ["--answers", answers]
    steps: list[list[str]] = []
    if any(item.question is not None for item in migration.items()):
        file = answers or questions or "answers.yaml"
        steps = [] if questions is not None else [[*given, "--questions", file]]
        steps.append(["--answers", file, "--write"])
    elif migration.changed and not written:
        steps = [[*given, "--write"]]
    if "-" in paths:
        return ()
    return tuple(shlex.join(["dradsl", "migrate", *words, *each, *paths]) for each in steps)
