"""The name of a claim in a remedy for a pod: told where the manifests show which one is meant."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: {kind}
metadata: {{name: {name}}}
spec: {spec}
---
"""
DEVICES = "{devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}"
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers: [{{name: c, image: i, resources: {{claims: [{{name: gpu}}]}}}}]
  resourceClaims:
  - {entry}
"""


def claim(name: str) -> str:
    return CLAIM.format(kind="ResourceClaim", name=name, spec=DEVICES)


def template(name: str) -> str:
    return CLAIM.format(kind="ResourceClaimTemplate", name=name, spec=f"{{spec: {DEVICES}}}")


@pytest.mark.parametrize(
    ("objects", "entry", "written"),
    [
        (claim("gpu"), "gpu", "write {name: gpu, resourceClaimName: gpu}"),
        (template("gpu"), "gpu", "write {name: gpu, resourceClaimTemplateName: gpu}"),
        (template("only"), "gpu", "write {name: gpu, resourceClaimTemplateName: only}"),
        (claim("a") + template("gpu"), "gpu", "write {name: gpu, resourceClaimTemplateName: gpu}"),
        (claim("a") + claim("b"), "gpu", "write {name: gpu, resourceClaimTemplateName: …}"),
        ("", "gpu", "write {name: gpu, resourceClaimTemplateName: …}"),
        (claim("a"), "{name: gpu}", "write resourceClaimName: a"),
        (
            claim("a") + template("b"),
            "{name: gpu}",
            "write resourceClaimTemplateName: … for a claim of its own, "
            "or resourceClaimName: … for one that is there",
        ),
    ],
)
def test_the_claim_that_is_meant(objects: str, entry: str, written: str) -> None:
    found = [each for each in lint_text(objects + POD.format(entry=entry)).findings if each.help]
    assert written in [each.help for each in found if each.code in ("DRA006", "DRA401")]


def test_claims_beside_resources_are_written_out() -> None:
    pod = POD.format(entry="{name: gpu, resourceClaimName: gpu}").replace(
        "resources: {claims: [{name: gpu}]}", "resourceClaims: [gpu]"
    )
    help_ = [each.help for each in lint_text(claim("gpu") + pod).findings if each.code == "DRA008"]
    assert help_ == ["write claims: [{name: gpu}] under resources of the container that uses them"]
