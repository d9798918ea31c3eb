"""The state before a change, for rules on updates: a git revision, or a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from dradsl.lint.input.sources import SourceText, UsageProblem, find_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_previous"]

_TIMEOUT = 60  # seconds for one call of git: it reads local objects only


def read_previous(since: str, sources: Sequence[SourceText]) -> tuple[SourceText, ...]:
    """The files as they were: `since` is a folder of manifests or a git revision.

    Raises:
        UsageProblem: if it is neither, or git cannot be asked.
    """
    if Path(since).is_dir():
        from dradsl.lint.input.reading import read_inputs

        return read_inputs(list(find_inputs([since]))).sources
    return _from_git(since, sources)


def _from_git(revision: str, sources: Sequence[SourceText]) -> tuple[SourceText, ...]:
    from dradsl.text.documents import load

    if revision.startswith("-"):
        raise UsageProblem(f"--since: {revision!r} is no folder and no git revision")
    found: list[SourceText] = []
    checked: set[str] = set()
    for source in sources:
        path = Path(source.name)
        folder = os.fspath(path.parent)
        if not path.exists():
            continue  # standard input has no past
        if folder not in checked:
            _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
            checked.add(folder)
        data = _git(folder, "show", f"{revision}:./{path.name}", missing_ok=True)
        if data is not None:
            found.append(SourceText(f"{source.name}@{revision}", load(data)))
    return tuple(found)


def _git(folder: str, *words: str, missing_ok: bool = False) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed program, the revision cannot be an option
            ["git", "-C", folder, *words],  # noqa: S607 - git from the user's PATH is meant
            capture_output=True,
            check=False,
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageProblem(f"--since: git cannot be asked: {error}") from error
    if done.returncode == 0:
        return done.stdout
    if missing_ok:
        return None
    reason = done.stderr.decode(errors="replace").strip() or "no such revision"
    raise UsageProblem(f"--since: {words[-1].removesuffix('^{commit}')}: {reason}")
