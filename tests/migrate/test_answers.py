"""Answers for some workloads: how these are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.call import options_of, read_files
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.report.open_questions import interview
from dradsl.migrate.run import Options, migrate
from dradsl.records import replace
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dradsl.migrate.result import Migration

TWO_ROLES = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a, namespace: ml}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: h, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}}
  workerGroupSpecs:
  - groupName: big
    template: {spec: {containers: [{name: w, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}}
"""


@pytest.mark.parametrize(
    ("pattern", "profiles"),
    [
        ("RayCluster ml/a", ["1g.10gb", "1g.10gb"]),
        ("RayCluster ml/a (head*)", ["1g.10gb", None]),
        ("RayCluster ml/b", [None, None]),
        ("*", ["1g.10gb", "1g.10gb"]),
    ],
)
def test_answers_name_an_object_or_one_of_its_pods(
    pattern: str, profiles: list[str | None]
) -> None:
    source = SourceText("a.yaml", load(TWO_ROLES.encode()))
    answers = Answers({}).answering(pattern, "mig-profile", "1g.10gb")
    found = [item.after or "" for item in migrate([source], Options(answers=answers)).items()]
    assert ["1g.10gb" if "1g.10gb" in each else None for each in found] == profiles


@pytest.mark.parametrize(
    ("title", "pattern", "holds"),
    [
        ("values of HelmRelease media/plex (controllers.plex)", "HelmRelease media/plex", True),
        ("values of HelmRelease media/plex", "values of HelmRelease media/*", True),
        ("values of HelmRelease media/plex", "HelmRelease media/ple", False),
        ("Deployment ml/a", "ml/a", False),
    ],
)
def test_values_are_named_as_the_object_that_holds_them(
    title: str, pattern: str, *, holds: bool
) -> None:
    answers = Answers({}).answering(pattern, "sharing", "exclusive")
    assert (answers.decide("a.yaml", title).sharing == "exclusive") is holds


FLUX_APP = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: frigate}
spec:
  chart: {spec: {chart: app-template, version: 4.5.0, sourceRef: {kind: HelmRepository, name: x}}}
  values:
    controllers:
      frigate: {containers: {app: {image: {repository: a, tag: b}, resources: {limits: {gpu.intel.com/i915: 1}}}}}
---
apiVersion: deviceplugin.intel.com/v1
kind: GpuDevicePlugin
metadata: {name: p}
spec: {sharedDevNum: 3}
"""
FLUX_BUILD = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: frigate, namespace: flux-system}
spec: {targetNamespace: home, path: ./apps, prune: true, interval: 1h, sourceRef: {kind: GitRepository, name: x}}
"""


def _flux_tree(folder: Path, build: str = FLUX_BUILD) -> None:
    files = {
        "apps/release.yaml": FLUX_APP,
        "apps/kustomization.yaml": "resources: [release.yaml]\n",
        "flux/ks.yaml": build,
        ".git/HEAD": "ref: refs/heads/main\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("title", "matches"),
    [
        ("values of HelmRelease frigate", True),  # as the report says
        ("HelmRelease frigate", True),
        ("values of HelmRelease home/frigate", True),  # as it is built
        ("HelmRelease home/frigate", True),
        ("*frigate", True),
        ("HelmRelease lab/frigate", False),
        ("HelmRelease home/other", False),
        ("Deployment home/frigate", False),
    ],
)
def test_a_title_of_the_file_or_of_a_build_answers(
    title: str, matches: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _flux_tree(tmp_path)
    (tmp_path / "answers.yml").write_text(
        f"workloads: [{{workload: '{title}', sharing: shared-claim}}]\n"
    )
    result = CliRunner().invoke(command, ["--scan", "--answers", "answers.yml", "apps", "flux"])
    assert ("1 translated" in result.output) is matches, result.output
    assert ("there is no such workload" in result.output) is not matches
    assert result.exit_code == (0 if matches else 1)


def test_of_lists_each_workload_and_each_file_has_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        text = TWO_ROLES.replace("name: a,", f"name: {name},")
        (tmp_path / f"{name}.yaml").write_text(text)
    item = (
        "{workload: [RayCluster ml/a, RayCluster ml/b], file: [a.yaml, b.yaml], sharing: exclusive}"
    )
    call = ["--scan", "--answers", "answers.yml", "a.yaml", "b.yaml"]
    (tmp_path / "answers.yml").write_text(f"workloads: [{item}]\n")
    told = CliRunner().invoke(command, call).output
    assert "4 translated" in told
    assert "there is no such workload" not in told
    more = item.replace("ml/b]", "ml/b, Pod c]").replace("b.yaml]", "b.yaml, c.yaml]")
    (tmp_path / "answers.yml").write_text(f"workloads: [{more}]\n")
    told = CliRunner().invoke(command, call).output
    assert told.count("there is no such workload") == 5  # Pod c in three files, and two in c.yaml


def test_each_question_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _flux_tree(tmp_path)
    reading = read_files(["apps", "flux"])
    options = options_of(reading.sources, Answers({}))
    saved: list[Answers] = []
    asked: list[str] = []

    class Terminal:
        def say(self, line: str) -> None:
            pass

        def confirm(self, question: str) -> bool:
            return False

        def choose(self, question: str, choices: Sequence[str], default: str) -> str:
            asked.append(question)
            assert len(asked) < 5
            return "shared-claim"

        def ask(self, question: str, default: str) -> str:
            raise AssertionError(question)

    def migrated(answers: Answers) -> Migration:
        return migrate(reading.sources, replace(options, answers=answers))

    first = migrated(options.answers)
    done = interview(first, options.answers, migrated, Terminal(), saved.append)
    assert len(asked) == 1
    assert not any(item.question for item in done.items())
    # What was saved closes the question in the next run too.
    again = migrate(reading.sources, options_of(reading.sources, saved[-1]))
    assert {str(item.outcome) for item in again.items()} == {"translated"}
