"""A reader's shell: commands of a page run one after the other in a folder, calls of dradsl without a new process."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of

if TYPE_CHECKING:
    import click
    import pytest

GROUP: click.Group = group_of(_COMMANDS)

# Programs that every reader has, or that the page has them install with dradsl.
PROGRAMS = frozenset(
    {"cat", "cd", "cp", "dradsl", "echo", "git", "grep", "head", "kubectl-dra", "ls", "mkdir"}
    | {"mv", "pytest", "python", "rm", "sed"}
)
_SYNTAX = re.compile(r"[|&;<>$`*?~]")


class Shell:
    """Where a page's commands work: `folder` is the checkout of the reader."""

    def __init__(self, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.code = 0
        tools = home / "bin"
        tools.mkdir(parents=True)
        for name in ("dradsl", "python", "pytest"):
            words = {"dradsl": "-m dradsl", "python": "", "pytest": "-m pytest"}[name]
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            (tools / name).chmod(0o755)
        (home / ".gitconfig").write_text(
            "[user]\nname = Reader\nemail = reader@example.com\n[init]\ndefaultBranch = main\n"
        )
        for name in [name for name in os.environ if name.startswith(("GIT_", "PYTEST"))]:
            monkeypatch.delenv(name)
        for name in ("COLUMNS", "FORCE_COLOR"):  # printed into a file, lines unbroken
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def run(self, line: str) -> str:
        """What a command prints, both streams as a terminal shows them; `code` is its exit code."""
        words = shlex.split(line, comments=True)
        named = {words[0]} | {
            words[place + 1] for place, word in enumerate(words[:-1]) if word in ("|", "&&", ";")
        }
        assert named <= PROGRAMS, f"{line}: a block `console` runs {sorted(PROGRAMS)} only"
        if line.strip() == "echo $?":
            return f"{self.code}\n"
        if words[0] == "cd" and len(words) == 2:
            self.folder = (self.folder / Path(words[1]).expanduser()).resolve(strict=True)
            return ""
        if words[0] == "dradsl" and not _SYNTAX.search(re.sub(r"'[^']*'|\s#.*", "", line)):
            return self._in_process(words[1:])
        call = ["bash", "-c", line]
        done = subprocess.run(
            call, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.code = done.returncode
        return done.stdout

    def _in_process(self, words: list[str], stdin: str | None = None) -> str:
        path, modules = list(sys.path), dict(sys.modules)
        try:
            with chdir(self.folder):
                done = CliRunner().invoke(
                    GROUP, words, input=stdin, prog_name="dradsl", catch_exceptions=False
                )
        finally:
            sys.path[:] = path
            for name, module in [*sys.modules.items()]:
                file = getattr(module, "__file__", None) or ""
                if name not in modules and Path(file).is_relative_to(self.folder):
                    del sys.modules[name]
        self.code = done.exit_code
        return done.output

    def call(self, words: list[str], stdin: str) -> str:
        """A call of dradsl behind a pipe."""
        return self._in_process(words, stdin)


def commands_in(text: str) -> list[tuple[str, str]]:
    """The commands of a block `console`, each with the output that is below it."""
    found = []
    for one in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*\n?", one)
        assert command is not None
        found.append((re.sub(r"\\\n\s*", "", command[0]).rstrip("\n"), one[command.end() :]))
    return found


_ALIKE = (
    (re.compile(r"\bin \d+\.\d+ ?s\b"), "in 0.0s"),
    (re.compile(r" +$", re.MULTILINE), ""),  # nobody sees them
    (re.compile(r"^(diff --git .*|index [0-9a-f]+\.\.[0-9a-f]+.*)\n", re.MULTILINE), ""),
)
_ANY_LINES = re.compile(r"^(?:…|\\\.\\\.\\\.)\n", re.MULTILINE)


def shows(shown: str, real: str) -> bool:
    """Whether `shown` is what was printed.

    A line `...` or `…` stands for any lines, `…` within a line for any part of that line, and at the
    end for all that follows.
    """
    for pattern, instead in _ALIKE:
        shown, real = pattern.sub(instead, shown), pattern.sub(instead, real)
    if shown.strip().endswith("…"):
        shown = shown.strip() + "\n…"
    pattern_text = _ANY_LINES.sub(
        "(?:.*\n)*?", re.escape(shown.strip() + "\n").replace("\\\n", "\n")
    )
    return re.fullmatch(pattern_text.replace("…", ".*?"), real.strip() + "\n") is not None
