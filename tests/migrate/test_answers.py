"""Answers for some workloads: how these are named."""

from __future__ import annotations

import pytest

from dradsl.lint.input.sources import SourceText
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load

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
