"""The hooks as the pages configure them, under the real pre-commit, which installs this checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("pre_commit", reason="pre-commit belongs to the extra `dev`")

ROOT = Path(__file__).parents[2]

GOOD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
"""
BAD = GOOD.replace("deviceClassName:", "deviceClassNam:")
SLIP = GOOD.replace("gpu.nvidia.com", "gpu.nvidia.co")

# What pip prints where the package index is out of reach.
OFFLINE = ("Failed to establish a new connection", "Could not find a version", "ConnectTimeout")


class Repository:
    """A Git repository in a folder, out of reach of the user's own Git configuration."""

    def __init__(self, folder: Path, cache: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(cache),
            "GIT_CONFIG_GLOBAL": os.devnull,
            # Most of what is installed never runs here.
            "PIP_NO_COMPILE": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        command = ["git", *identity, *arguments]
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True)

    def head(self) -> str:
        command = ["git", "rev-parse", "HEAD"]
        found = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return str(found.stdout).strip()

    def run_hooks(self, text: str) -> tuple[dict[str, str], str]:
        """Run all hooks on one manifest: "Passed" or "Failed" by name, and the output."""
        (self.folder / "manifest.yaml").write_text(text)
        self.git("add", "--all")
        result = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        output = result.stdout + result.stderr
        if any(sign in output for sign in OFFLINE):
            pytest.skip("the package index cannot be reached: pre-commit cannot install the hook")
        outcomes = dict(re.findall(r"^(dradsl .*?)\.{3,}(\w+)$", result.stdout, re.MULTILINE))
        assert (result.returncode != 0) is ("Failed" in outcomes.values()), output
        return outcomes, output


def shown_configuration(source: Repository) -> str:
    """What docs/how-to/pre-commit.md and docs/migrate.md say to configure, for the hooks of `source`."""
    names = ("how-to/pre-commit.md", "migrate.md")
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in names]
    blocks: list[str] = [
        text
        for page in pages
        for text in re.findall(r"^```yaml[^\n]*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    ]
    lint, migrate = (text for text in blocks if "rev:" in text)
    text = (lint + textwrap.indent(migrate, "  ")).replace("<address>", str(source.folder))
    return text.replace("<commit>", source.head())


def copy_of_the_checkout(folder: Path, cache: Path) -> Repository:
    """The files as they are now, new ones included, committed: pre-commit clones what it installs."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a Git checkout: it cannot be told which files belong to it")
    copy = Repository(folder, cache)
    for name in filter(None, listed.stdout.split("\0")):
        if not name.startswith(("tests/", "benchmarks/")) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    copy.git("add", "--all")
    copy.git("commit", "--quiet", "--message", "as it is")
    return copy


def test_hooks(tmp_path: Path) -> None:
    """In one test, so that the project is installed once (some 15 seconds)."""
    cache = tmp_path / "cache"
    source = copy_of_the_checkout(tmp_path / "dradsl", cache)
    user = Repository(tmp_path / "user", cache)
    (user.folder / ".pre-commit-config.yaml").write_text(shown_configuration(source))

    outcomes, output = user.run_hooks(GOOD)
    assert list(outcomes.values()) == ["Passed"] * 3, output

    outcomes, output = user.run_hooks(BAD)
    assert outcomes["dradsl lint"] == outcomes["dradsl lint (whole repository)"] == "Failed"
    assert output.count("manifest.yaml:11:9: DRA005") == 2, output

    # The class may stand in a file that is not part of the commit.
    outcomes, output = user.run_hooks(SLIP)
    assert outcomes["dradsl lint"] == "Passed", output
    assert outcomes["dradsl lint (whole repository)"] == "Failed"
    assert "DRA412" in output
