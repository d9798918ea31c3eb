"""The hooks under the real pre-commit, which installs this checkout as a user's would be."""

from __future__ import annotations

import os
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
    """A Git repository whose hooks come from this checkout; pre-commit's own cache is shared."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(cache),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, env=self.environment, check=True
        )

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name}.yaml").write_text(text)
        self.git("add", "--all")

    def run(self, hook: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), hook, "--all-files"]
        result = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if any(sign in result.stdout + result.stderr for sign in OFFLINE):
            pytest.skip("the package index cannot be reached: pre-commit cannot install the hook")
        return result


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def scratch(tmp_path: Path, cache: Path) -> Scratch:
    if not (ROOT / ".git").exists():
        pytest.skip("not a Git checkout: pre-commit has nothing to clone")
    return Scratch(tmp_path, cache)


@pytest.mark.parametrize("hook", ["dradsl-lint", "dradsl-lint-all"])
def test_hooks_pass_and_fail(scratch: Scratch, hook: str) -> None:
    scratch.write(claim=GOOD)
    passed = scratch.run(hook)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    scratch.write(claim=BAD)
    failed = scratch.run(hook)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "claim.yaml:11:9: DRA005" in failed.stdout


def test_only_the_whole_run_misses_objects_of_other_files(scratch: Scratch) -> None:
    scratch.write(pod=POD)
    alone = scratch.run("dradsl-lint")
    assert alone.returncode == 0, alone.stdout + alone.stderr
    together = scratch.run("dradsl-lint-all")
    assert together.returncode == 1, together.stdout + together.stderr
    assert "DRA410" in together.stdout
