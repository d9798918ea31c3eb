"""What other systems read of the repository: the action for GitHub, the component for GitLab, the image, Renovate."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HEAD, JOBS = yaml.safe_load_all((ROOT / "templates/lint/template.yml").read_text("utf-8"))
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")
BAD = (ROOT / "examples/broken/old-request.yaml").read_text("utf-8")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A work tree with a faulty manifest, and this environment where the steps put theirs."""
    (tmp_path / "some where").mkdir()
    (tmp_path / "some where" / "claim.yaml").write_text(BAD)
    (tmp_path / "dradsl" / "bin").mkdir(parents=True)
    for name in ("dradsl/bin/dradsl", ".dradsl-venv/bin/dradsl"):
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dradsl "$@"\n')
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return {**os.environ, "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(tmp_path)}


def bash(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    checked = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], env=environment, capture_output=True, text=True
    )


def step(name: str) -> dict[str, Any]:
    (found,) = (each for each in ACTION["runs"]["steps"] if each["name"] == name)
    assert found["shell"] == "bash"
    assert "${{" not in found["run"]  # what users write is no part of a script
    result: dict[str, Any] = found
    return result


def inputs_of(name: str, given: dict[str, str]) -> dict[str, str]:
    """The variables of a step, with the inputs filled in."""
    values = {key: str(each.get("default", "")) for key, each in ACTION["inputs"].items()}
    values |= given
    found = {}
    for key, text in step(name)["env"].items():
        (wanted,) = re.findall(r"^\$\{\{ inputs\.([a-z-]+) \}\}$", text)
        found[key] = values[wanted]
    return found


def test_the_action_is_one() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert {"name", "description", "inputs", "runs"} <= ACTION.keys()
    assert all(each["description"] for each in ACTION["inputs"].values())
    assert "$GITHUB_ACTION_PATH" in step("Install dradsl")["run"]
    checked = subprocess.run(
        ["bash", "-n", "-c", step("Install dradsl")["run"]], capture_output=True, text=True
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_action_lints(environment: dict[str, str]) -> None:
    given = {"paths": "some where\n", "arguments": "--kube-version=1.36\n--select=DRA5\n"}
    done = bash(step("Lint")["run"], {**environment, **inputs_of("Lint", given)})
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error ")
    assert "DRA505" in done.stdout
    given = {"output-format": "sarif", "output": "out.sarif"}
    done = bash(step("Lint")["run"], {**environment, **inputs_of("Lint", given)})
    assert done.returncode == 1, done.stderr
    assert json.loads(Path("out.sarif").read_text("utf-8"))["runs"]


def test_what_the_action_gets_is_not_run(environment: dict[str, str]) -> None:
    given = {"paths": "$(touch owned)", "arguments": "; touch owned"}
    done = bash(step("Lint")["run"], {**environment, **inputs_of("Lint", given)})
    assert done.returncode == 2
    assert not Path("owned").exists()


@pytest.mark.parametrize(("release", "code"), [("", 1), ("1.36", 1), ("0.1", 2)])
def test_the_component_lints(release: str, code: int, environment: dict[str, str]) -> None:
    (job,) = JOBS.values()
    declared = HEAD["spec"]["inputs"]
    used = set(re.findall(r"\$\[\[ inputs\.([a-z-]+) \]\]", json.dumps(job)))
    assert used == declared.keys()
    assert "default" not in declared["source"]  # no address that is not there
    Path("some where").rename("deploy")
    given = {"kube-version": release, "paths": "deploy", "source": str(ROOT), "commit": "0" * 40}
    variables = {
        key: given[text.removeprefix("$[[ inputs.").removesuffix(" ]]")]
        for key, text in job["variables"].items()
    }
    done = bash(job["script"][-1], {**environment, **variables})
    assert done.returncode == code, done.stderr
    report = job["artifacts"]["reports"]["codequality"]
    if code == 1:
        assert json.loads(Path(report).read_text("utf-8"))[0]["check_name"]


def test_the_image_gets_what_the_package_needs() -> None:
    """Everything that the build reads is let in by .containerignore, and the shell reads the steps."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = (ROOT / ".containerignore").read_text("utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], "README.md", "packaging", ".ci/install"}
    assert needed | {"pyproject.toml", "LICENSE"} <= let_in
    assert all((ROOT / name).exists() for name in let_in)
    runs = re.findall(r"^RUN ((?:.*\\\n)*.*)$", CONTAINER, re.MULTILINE)
    assert runs
    for run in runs:
        assert subprocess.run(["sh", "-n", "-c", run], check=False).returncode == 0
    entry = json.loads(re.findall(r"^ENTRYPOINT (.*)$", CONTAINER, re.MULTILINE)[0])
    assert entry == ["/opt/dradsl/bin/dradsl"]


def test_recipes_name_no_host() -> None:
    """Until the project has an address, nothing is fetched from one."""
    for name in ("action.yml", "templates/lint/template.yml", "Containerfile"):
        assert not re.search(
            r"https?://|\b[a-z]+\.(io|com|org|dev)/", (ROOT / name).read_text("utf-8")
        )


def test_renovate_finds_the_versions_shown(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/renovate.md").read_text("utf-8")
    (settings,) = re.findall(r"```yaml[^\n]*\n(.*?)```", page, re.DOTALL)
    (text,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (manager,) = json.loads(text)["customManagers"]
    (pattern,) = manager["managerFilePatterns"]
    assert re.search(pattern.strip("/"), "deploy/.dradsl.yaml")
    (match,) = (re.sub(r"\(\?<(\w+)>", r"(?P<\1>", each) for each in manager["matchStrings"])
    found = [each.groupdict() for each in re.finditer(match, settings)]
    assert [one["depName"] for one in found] == ["kubernetes-sigs/dra-driver-nvidia-gpu"]
    versions = yaml.safe_load(settings)["driver-versions"]
    assert [one["currentValue"] for one in found] == list(versions.values())
    (tmp_path / ".dradsl.yaml").write_text(settings)
    (tmp_path / "claim.yaml").write_text(BAD)
    call = [sys.executable, "-m", "dradsl", "lint", "--exit-zero", "."]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
