"""What the quota evaluator of the API server rejects, `dradsl lint` finds, and nothing else: recorded verdicts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import dradsl
from dradsl.kube.quota import IMPLICIT
from dradsl.releases import RELEASES, UnknownGateError
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dradsl import Finding

_FILE = corpus.FOLDER / "quota" / "claims.jsonl.gz"


def _documents(question: Mapping[str, object]) -> list[dict[str, object]]:
    classes, quotas, objects = (question[key] for key in ("classes", "quotas", "objects"))
    assert isinstance(classes, list)
    assert isinstance(quotas, list)
    assert isinstance(objects, list)
    valid = {"selectors": [{"cel": {"expression": "device.driver == 'd.example.com'"}}]}
    return [
        *({"apiVersion": "v1", "kind": "ResourceQuota", **one} for one in quotas),
        *(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "DeviceClass",
                **one,
                "spec": {**valid, **one["spec"]},
            }
            for one in classes
        ),
        *({**one, "metadata": {**one["metadata"], "namespace": "default"}} for one in objects),
    ]


def _is_open(question: Mapping[str, Any]) -> bool:
    """Whether a quota counts a class that is not there: upstream never, and we take it to be elsewhere."""
    text = json.dumps(question["quotas"])
    names = {"gpu.example.com", "fpga", "plain", "lost", "fpga.other"}
    there = {one["metadata"]["name"] for one in question["classes"]}
    return any(f'"{IMPLICIT}{name}"' in text for name in names - there)


def _exceeded(file: Path, release: str, gates: Mapping[str, bool]) -> tuple[Finding, ...]:
    result = dradsl.lint(
        file,
        kube_version=release,
        feature_gates=gates,
        select=("DRA909", "DRA910"),
        isolated=True,
    )
    return tuple(one for one in result.findings if one.severity.value == "error")


@pytest.mark.parametrize("release", list(RELEASES))
def test_what_quotas_reject_is_found(release: str, tmp_path: Path) -> None:
    rejected = allowed = 0
    wrong = []
    for case in corpus.read_corpus(_FILE):
        if release not in case.answers or _is_open(case.question):
            continue
        gates = {"DRAExtendedResource": True}
        try:
            RELEASES[release].features(gates)
        except UnknownGateError:
            gates = {}
        verdicts = [choices[0].get("refused", "") for choices in case.answers[release]]
        expected = any(verdicts)
        file = tmp_path / "all.yaml"
        documents = _documents(case.question)
        file.write_text("---\n".join(json.dumps(one) + "\n" for one in documents), "utf-8")
        found = _exceeded(file, release, gates)
        rejected += expected
        allowed += not expected
        if bool(found) is not expected:
            wrong.append((case.name, verdicts, [one.message for one in found]))
    assert not wrong, f"{len(wrong)} of {rejected + allowed}: {wrong[:3]}"
    assert rejected > 50
    assert allowed > 50
