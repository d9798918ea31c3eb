"""`dradsl why` on incidents of public issues, recorded in a real control plane (see `incidents/RULE.md`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from dradsl.cli.why import command

FOLDER = Path(__file__).parent / "incidents"
# What is not asked yet (`asked: false`, see RULE.md) has no expected output.
NAMES = sorted(
    path.stem for path in FOLDER.glob("*.yaml") if "\nasked: false\n" not in path.read_text("utf-8")
)


def about(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    return found


def ask(name: str, *words: str) -> Result:
    given = about(name)
    objects = given.get("objects")
    call = [given["target"], "-" if objects else str(FOLDER / f"{name}.json.gz")]
    call += ["--kube-version", given.get("release", "1.36")]
    call += ["--feature-gates", given["gates"]] if given.get("gates") else []
    return CliRunner().invoke(command, [*call, *words], input=objects, catch_exceptions=False)


@pytest.mark.parametrize("name", NAMES)
def test_the_true_cause_is_the_headline(name: str) -> None:
    truth = about(name)["truth"]
    answers = json.loads(ask(name, "--output-format", "json").stdout)["answers"]
    of_step = [each for each in answers if each["step"] == truth["step"]]
    answer = (of_step or answers)[0]  # of a workload there may be several
    assert answer["step"] == truth["step"]
    for words in truth["cause"]:
        assert words in answer["cause"]
    assert (truth.get("fix") or "") in (answer["change"] or "")
    assert bool(answer["change"]) is bool(truth.get("fix"))


@pytest.mark.parametrize("name", NAMES)
def test_cause_and_fix_are_in_the_first_ten_lines(name: str) -> None:
    truth = about(name)["truth"]
    head = "\n".join(ask(name).stdout.splitlines()[:10])
    assert all(words in head for words in (*truth["cause"], truth.get("fix") or ""))


@pytest.mark.parametrize("name", [name for name in NAMES if about(name)["truth"].get("fix")])
def test_a_fix_prints_as_a_patch(name: str) -> None:
    lines = ask(name, "--diff").stdout.splitlines()
    is_patch = any(line.startswith(("kubectl ", "--- a/", "# write it in ")) for line in lines)
    gives_up = any(line.startswith("# gives up: ") for line in lines)
    assert (gives_up and is_patch) or "# not tried" in lines


def test_each_names_its_thread() -> None:
    assert all(about(name)["link"].startswith("https://github.com/") for name in NAMES)
