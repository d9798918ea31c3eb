"""The hooks under the real pre-commit, which installs this checkout as a user's would be."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  namespace: ml
spec:
  containers:
  - name: main
    image: example.com/trainer
    resources:
      claims:
      - name: gpu
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: missing
"""

# What pip prints where the package index is out of reach.
OFFLINE = ("Failed to establish a new connection", "Could not find a version", "ConnectTimeout")


class Scratch:
    """A Git repository whose hooks come from this checkout."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(cache),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, env=self.environment, check=True)

    def run(self, text: str) -> tuple[dict[str, str], str]:
        """Run all hooks on one manifest: "Passed" or "Failed" by the hook's name, and the output."""
        (self.folder / "manifest.yaml").write_text(text)
        self.git("add", "--all")
        result = subprocess.run(
            [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "--all-files"],
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


def test_hooks(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """In one test, as each process that runs it installs the project once (some 15 seconds)."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a Git checkout: pre-commit has nothing to clone")
    scratch = Scratch(tmp_path, tmp_path_factory.mktemp("pre-commit"))

    outcomes, output = scratch.run(GOOD)
    assert set(outcomes.values()) == {"Passed"}, output

    outcomes, output = scratch.run(BAD)
    assert outcomes["dradsl lint"] == outcomes["dradsl lint (whole repository)"] == "Failed"
    assert output.count("manifest.yaml:11:9: DRA005") == 2

    # The template may stand in a file that is not part of the commit.
    outcomes, output = scratch.run(POD)
    assert outcomes["dradsl lint"] == "Passed", output
    assert outcomes["dradsl lint (whole repository)"] == "Failed"
    assert "DRA410" in output
