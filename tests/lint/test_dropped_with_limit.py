"""DRA908 beyond the examples of its document: what is judged, and what is left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

CONFIG = LintConfig(root=Path.cwd())
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: r, namespace: ml}}
spec:
  headGroupSpec:
    rayStartParams: {{{parameters}}}
    template:
      spec:
        containers:
        - name: h
          image: registry.example.com/ray:1
          resources: {{claims: [{{name: d}}]}}
        resourceClaims:
        - name: d
          resourceClaimTemplateName: one
"""
TEMPLATE = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: one, namespace: ml}}
spec:
  spec:
    devices:
      requests:
      - name: d
        exactly: {{deviceClassName: {name}}}
"""
PROFILE = """\
singleuser:
  profileList:
  - display_name: GPU
    kubespawner_override:
      mem_limit: 8G
      extra_pod_config:
        resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
      extra_container_config:
        resources:
          claims: [{name: gpu}]
"""
STACK = """\
servingEngineSpec:
  modelSpec:
  - name: m
    resources:
      claims: [{name: gpu}]
"""


def messages(text: str, name: str = "values.yaml") -> list[str]:
    report = lint_text(text, name, CONFIG)
    return [f.message for f in report.findings if f.code == "DRA908"]


def ray(parameters: str = "", name: str = "gpu.nvidia.com") -> str:
    return RAY.format(parameters=parameters) + TEMPLATE.format(name=name)


def test_ray_s_count() -> None:
    (message,) = messages(ray())
    assert message.startswith("KubeRay: without nvidia.com/gpu in the limits there is no GPU")
    assert not messages(ray("num-gpus: '1'"))


def test_claims_for_other_devices_are_no_gpus() -> None:
    assert not messages(ray(name="dranet.networking.k8s.io"))


def test_of_a_claim_that_the_run_does_not_hold_nothing_is_said() -> None:
    assert not messages(RAY.format(parameters=""))


def test_resources_that_take_the_place_of_others() -> None:
    (message,) = messages(PROFILE)
    assert "limit of memory" in message
    assert not messages(PROFILE.replace("claims:", "limits: {memory: 8G}\n          claims:"))
    assert not messages(PROFILE.replace("      mem_limit: 8G\n", ""))


def test_a_chart_whose_values_carry_no_claims() -> None:
    (message,) = messages(STACK)
    assert "no place for the claims of a pod" in message


@pytest.mark.parametrize("wrapped", [False, True])
def test_ollama_on_knative(wrapped: bool) -> None:
    text = "knative: {enabled: true}\nollama: {gpu: {enabled: true, draEnabled: true}}\n"
    if wrapped:  # as a chart within another one
        text = "ollama:\n" + "".join(f"  {line}\n" for line in text.splitlines())
    (message,) = messages(text)
    assert "Knative" in message
    assert not messages(text.replace("knative: {enabled: true}", "knative: {enabled: false}"))


def test_values_within_a_release() -> None:
    head = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        "metadata: {name: r, namespace: ml}\nspec:\n  values:\n"
    )
    text = head + "".join(f"    {line}\n" for line in STACK.splitlines())
    report = lint_text(text, "release.yaml", CONFIG)
    (finding,) = report.findings
    assert (finding.code, finding.span.line) == ("DRA908", 10)


@pytest.mark.parametrize(
    "text",
    [
        "replicas: 2\nresources: {claims: [{name: gpu}]}\n",  # of a chart that nobody knows
        "- resourceClaims\n",
        "resourceClaims\n",
        "ollama: {gpu: [draEnabled]}\n",
        "singleuser: {profileList: {claims: 1}}\n",
        "servingEngineSpec: {modelSpec: [claims, {resources: claims}, {resources: {claims: []}}]}\n",
    ],
)
def test_what_is_not_known_is_left_in_peace(text: str) -> None:
    assert lint_text(text, "values.yaml", CONFIG).findings == ()


SERVED = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llm, namespace: ml}
spec:
  predictor:
    resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
    model:
      modelFormat: {name: huggingface}
      resources: {limits: {cpu: 1}, claims: [{name: gpu}]}
"""
HELD = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: ml}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
"""


def test_who_names_the_image_has_it() -> None:
    assert [text[:6] for text in messages(SERVED + HELD, "service.yaml")] == ["KServe"]
    named = SERVED + "      image: registry.example.com/server:v1-gpu\n" + HELD
    assert messages(named, "service.yaml") == []
