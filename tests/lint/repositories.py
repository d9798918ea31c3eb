"""Repositories of git for tests of `dradsl lint --since`, and calls of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: gpu.nvidia.com, count: COUNT}
"""


def claim(count: int, name: str = "gpu") -> str:
    return CLAIM.replace("NAME", name).replace("COUNT", str(count))


def only_git_of_the_test(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves nothing of the user's git about, and goes to `folder`."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(folder)


def git(folder: Path, *words: str, stdin: bytes = b"") -> str:
    settings = ("user.name=x", "user.email=x@example.com", "protocol.file.allow=always")
    options = [word for setting in settings for word in ("-c", setting)]
    done = subprocess.run(
        ["git", *options, *words], check=True, capture_output=True, cwd=folder, input=stdin
    )
    return done.stdout.decode().strip()


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path) -> Path:
    """A repository with one commit of `a.yaml` (two devices), which then asks for three."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.yaml").write_text(claim(2))
    commit(folder)
    (folder / "a.yaml").write_text(claim(3))
    return folder


def run(*words: str) -> Result:
    return CliRunner().invoke(command, ["--isolated", *words])


def codes(*words: str) -> list[tuple[str, str]]:
    """Path and code of each finding."""
    result = run(*words, "--output-format", "json")
    assert result.exit_code in (0, 1), result.output
    return [(f["path"], f["code"]) for f in json.loads(result.stdout)["findings"]]


def rejected(*words: str) -> str:
    """What a call that cannot be carried out says: one line, with nothing that a terminal obeys."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.removesuffix("\n").isprintable()
    return result.stderr


def wrapper(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A `git` that is found first; `$GIT` is the real one."""
    real = shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\nGIT={real}\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
