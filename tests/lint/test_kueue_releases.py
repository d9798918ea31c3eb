"""What Kueue's releases do with claims: each construct in each release, read from `pkg/dra/claims.go` at its tag."""

from __future__ import annotations

import pytest

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

_TEMPLATE = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com, count: 2%s}}]%s}}}
---
"""
_FIRST = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: a, firstAvailable: [{name: x, deviceClassName: gpu.nvidia.com},
  {name: y, deviceClassName: mig.nvidia.com}]}]}}}
---
"""
_REST = """
apiVersion: v1
kind: Pod
metadata: {name: kueue, namespace: kueue-system}
spec: {containers: [{name: manager, image: 'registry.k8s.io/kueue/kueue:v%s'}]}
---
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
featureGates: {%s: true}
resources: {deviceClassMappings: [{name: gpus, deviceClassNames: [gpu.nvidia.com, mig.nvidia.com]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]
      resourceClaims: [{name: g, resourceClaimTemplateName: t}]
"""
CLAIMS = {
    "all": _TEMPLATE.replace("count: 2", "allocationMode: All") % ("", ""),
    "first": _FIRST,
    "admin": _TEMPLATE % (", adminAccess: true", ""),
    "constraints": _TEMPLATE
    % ("", ", constraints: [{matchAttribute: resource.kubernetes.io/pcieRoot}]"),
    "config": _TEMPLATE
    % (
        "",
        ", config: [{opaque: {driver: gpu.nvidia.com, parameters: {apiVersion: resource.nvidia.com/v1beta1, "
        "kind: GpuConfig}}}]",
    ),
    "selectors": _TEMPLATE
    % (
        """, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].type == "gpu"'}}]""",
        "",
    ),
}
# Release -> what it rejects (error), and what it lets in without counting it (warning).
READ = {
    "0.14.8": (set[str](), {"all", "first"}),
    "0.15.0": ({"all", "first", "admin", "constraints", "config", "selectors"}, set[str]()),
    "0.16.9": ({"all", "first", "admin", "constraints", "config", "selectors"}, set[str]()),
    "0.17.5": ({"all", "first", "admin", "constraints", "config", "selectors"}, set[str]()),
    "0.18.0": ({"all", "first", "admin", "constraints", "config"}, set[str]()),
    "0.18.1": ({"all", "first", "admin", "constraints", "config"}, set[str]()),
    "0.18.2": ({"all", "first", "admin"}, set[str]()),
    "0.19.2": ({"all", "first", "admin"}, set[str]()),
}


@pytest.mark.parametrize("construct", CLAIMS)
@pytest.mark.parametrize("release", READ)
def test_each_release_takes_what_its_source_takes(release: str, construct: str) -> None:
    rejected, uncounted = READ[release]
    gate = "DynamicResourceAllocation" if release < "0.18" else "KueueDRAIntegration"
    text = CLAIMS[construct] + _REST % (release, gate)
    report = lint_text(text, "job.yaml", LintConfig(root="."))
    said = [str(each.severity) for each in report.findings if each.code == "DRA921"]
    expected = ["error"] if construct in rejected else ["warning"] if construct in uncounted else []
    assert said == expected


def test_a_release_newer_than_those_read_gives_no_error() -> None:
    text = CLAIMS["all"] + _REST % ("0.25.0", "KueueDRAIntegration")
    report = lint_text(text, "job.yaml", LintConfig(root="."))
    assert [str(each.severity) for each in report.findings if each.code == "DRA921"] == ["warning"]


def test_a_workload_read_from_a_cluster_is_not_judged() -> None:
    text = CLAIMS["all"] + _REST % ("0.19.2", "KueueDRAIntegration")
    text = text.replace("{name: j, namespace: ml,", "{name: j, namespace: ml, uid: u1,")
    report = lint_text(text, "job.yaml", LintConfig(root="."))
    assert [each.code for each in report.findings if each.code == "DRA921"] == []
