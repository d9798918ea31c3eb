"""Where a gate says that a text mentions nothing, nothing is found: the same runs with all gates open."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.pages.documents import all_documents
from dradsl.text.mentions import Topic
from maintenance.rule_examples import examples_of
from tests.lint.trees import as_json, write

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = {document.code: document for document in all_documents()}
FAMILIES = sorted({document.family for document in DOCUMENTS.values()})
WORDS = (
    *("claims", "resourceClaims", "resourceClaimTemplateName", "deviceClassName", "devices"),
    *(
        "ResourceClaimTemplate",
        "DeviceClass",
        "resource.k8s.io/v1",
        "patches",
        "configMapGenerator",
    ),
)
OTHERS = ("claim", "Claims", "resourceClaim", "device", "x", "limits", "apps/v1", "HelmRelease")
TREE = {
    "base/deploy.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec:
  template:
    spec:
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]
""",
    "base/kustomization.yaml": "resources: [deploy.yaml, claim.yaml]\n",
    "base/claim.yaml": """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
""",
    "over/kustomization.yaml": """\
resources: [../base]
namespace: ml
configMapGenerator: [{name: values, files: [values.yaml]}]
patches:
- target: {kind: Deployment, name: x}
  patch: |
    - {op: replace, path: /spec/template/spec/resourceClaims/0/name, value: gpus}
- {path: patch.yaml, target: {kind: ResourceClaimTemplate}}
- patch: |
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaimTemplate
    metadata: {name: t}
    spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.co}}]}}}
""",
    "over/values.yaml": "server: {resourceClaims: [{name: g, resourceClaimName: u}], resources: {claims: [{name: h}]}}\n",
    "over/release.yaml": """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: r}
spec:
  chart: {spec: {chart: c, sourceRef: {kind: HelmRepository, name: h}}}
  valuesFrom: [{kind: ConfigMap, name: values}]
  values: {server: {resources: {claims: [{name: k}]}}}
""",
    "over/patch.yaml": "- {op: add, path: /spec/spec/devices/requests/0/exactly/count, value: x}\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    "maps.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: texts}
data:
  values.yaml: |
    main: {resourceClaims: [{name: g, resourceClaimName: u}], resources: {claims: [{name: m}]}}
  claim.yaml: |
    {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: nn}, spec: {device: []}}
""",
}


def _all_open(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Topic, "is_in", lambda _topic, _text: True)


def _mutated(text: str, random: Random) -> str:
    for _ in range(random.choice((1, 2))):
        word = random.choice([each for each in WORDS if each in text] or ["metadata"])
        text = text.replace(word, random.choice(OTHERS))
    return text


@pytest.mark.parametrize("family", FAMILIES)
def test_of_the_examples_of_the_rules(family: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(family)
    texts = [
        example.source
        for document in DOCUMENTS.values()
        if document.family == family
        for example in examples_of(document)[:2]
    ]
    texts += [_mutated(text, random) for text in texts]
    before = [lint_text(text, "x.yaml").findings for text in texts]
    _all_open(monkeypatch)
    for text, findings in zip(texts, before, strict=True):
        assert lint_text(text, "x.yaml").findings == findings, text


@pytest.mark.parametrize("seed", range(12))
def test_of_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    random = Random(seed)
    files = dict(TREE)
    for name in random.sample(sorted(files), min(seed, 3)):
        files[name] = _mutated(files[name], random)
    for name in random.sample(sorted(files), seed % 2):
        del files[name]
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    part = "base" if seed % 3 == 2 else "."
    before = as_json(part)
    assert seed or len(before["findings"]) > 3
    _all_open(monkeypatch)
    assert as_json(part) == before
