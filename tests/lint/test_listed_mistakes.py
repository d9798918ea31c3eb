"""Mistakes that the facts on drivers list and that are not in a selector: each found, its correction not."""

from __future__ import annotations

from dradsl.lint.engine import lint_text

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: a, namespace: ml}}
spec:
  devices:
    requests:
    - name: r
      exactly: {{deviceClassName: {name}, {more}}}
"""


def test_a_mode_in_lower_case() -> None:
    written = CLAIM.format(name="neuron.aws.com", more="allocationMode: all")
    assert [finding.code for finding in lint_text(written).findings] == ["DRA305"]
    assert lint_text(written.replace("all}", "All}")).findings == ()


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
  - {name: c, image: x, resources: {claims: [{name: channel}]}}
  resourceClaims:
  - {name: channel, resourceClaimTemplateName: job-channel}
"""
COMPUTE_DOMAIN = """\
---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: job, namespace: ml}
spec:
  numNodes: 2
  channel: {resourceClaimTemplate: {name: job-channel}}
"""


def test_the_template_that_a_compute_domain_makes_is_not_missing() -> None:
    assert [finding.code for finding in lint_text(POD).findings] == ["DRA410"]
    assert lint_text(POD + COMPUTE_DOMAIN).findings == ()
