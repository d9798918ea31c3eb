"""The claims of a pod in a remedy: written out where the manifests show which ones are meant."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.lint.engine.run import lint_text

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: {kind}
metadata: {{name: {name}}}
spec: {spec}
---
"""
WRITE = "write resourceClaims: [{{name: gpu, {}}}] in the spec of the pod"
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
        (claim("gpu"), "gpu", WRITE.format("resourceClaimName: gpu")),
        (template("gpu"), "gpu", WRITE.format("resourceClaimTemplateName: gpu")),
        (template("only"), "gpu", WRITE.format("resourceClaimTemplateName: only")),
        (claim("a") + template("gpu"), "gpu", WRITE.format("resourceClaimTemplateName: gpu")),
        (claim("a") + claim("b"), "gpu", "write {name: gpu, resourceClaimTemplateName: …}"),
        ("", "gpu", "write {name: gpu, resourceClaimTemplateName: …}"),
        (claim("a"), "{name: gpu}", WRITE.format("resourceClaimName: a")),
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
    assert help_ == ["write claims: [{name: gpu}] under resources of container c"]


def written(spec: str, objects: str = "") -> set[str]:
    """The remedies for a pod of one container `c`, that are claims written out."""
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {spec}\n"
    found = [each.help for each in lint_text(objects + pod).findings]
    return {each for each in found if each and "claims: [" in each.lower()}


SPEC = "{{containers: [{{name: c, image: i, {}}}], {}}}"
GPU = "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]"
USED = "claims: [{name: gpu}] under resources of container c"


@pytest.mark.parametrize(
    "resources",
    [
        "resources: {limits: {gpu: 1}}",
        "volumeDevices: [{name: gpu, devicePath: /dev/nvidia0}]",
    ],
)
def test_what_names_a_claim_elsewhere_is_removed(resources: str) -> None:
    assert written(SPEC.format(resources, GPU)) == {f"remove it, and write {USED}"}


def test_a_volume_that_is_no_claim_is_no_claim() -> None:
    assert not written(SPEC.format("volumeMounts: [{name: data, mountPath: /data}]", GPU))


@pytest.mark.parametrize(
    ("container", "pod"),
    [
        (
            "resources: {claims: [{name: gpu, resourceClaimTemplateName: t}]}",
            "restartPolicy: Never",
        ),
        ("resources: {claims: [gpu]}", "resourceClaims: {gpu: {resourceClaimTemplateName: t}}"),
        (
            "resources: {claims: {gpu: {}}}",
            "resourceClaimTemplates: [{name: gpu, spec: {name: t}}]",
        ),
    ],
)
def test_lists_in_other_shapes(container: str, pod: str) -> None:
    assert any(
        each.startswith(f"write {GPU} in the spec")
        for each in written(SPEC.format(container, pod), template("t"))
    )


def test_a_claim_of_another_namespace() -> None:
    text = POD.format(entry="{name: gpu, resourceClaimName: team-b/shared}")
    assert "write shared: a pod has the claims of its own namespace only" in {
        each.help for each in lint_text(text).findings
    }


LEAVES = st.sampled_from(["gpu", "t", "", 1, None, True, 2.5])
KEYS = st.sampled_from(
    ["name", "claims", "resourceClaimName", "request", "requests", "template", "source", "metadata"]
)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(ANY, ANY, ANY, KEYS)
@settings(max_examples=150, deadline=None)
def test_whatever_stands_there(entries: object, claims: object, volumes: object, key: str) -> None:
    container = {"name": claims, "resources": {"claims": claims, "limits": {"gpu": 1}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "containers": [container, {"name": "d", "volumeMounts": volumes, key: entries}],
            "resourceClaims": entries,
            "claims": claims,
            "volumes": volumes,
        },
    }
    found = lint_text(json.dumps(pod), "x.yaml").findings
    assert "DRA099" not in {each.code for each in found}


CLAIM_OF_ALTERNATIVES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c}}
spec:
  devices:
    requests:
    - name: gpu
      firstAvailable:
      - {{name: large, deviceClassName: gpu.nvidia.com}}
      - {{name: small, deviceClassName: mig.nvidia.com}}
    - {{name: nic, exactly: {{deviceClassName: nic.example.com}}}}
    constraints:
    - {{requests: [{requests}], matchAttribute: resource.kubernetes.io/pcieRoot}}
"""


@pytest.mark.parametrize(
    ("requests", "help_"),
    [
        ("nic, large", "write gpu/large"),
        ("gpu, card", "write nic"),
        ("other", "write a request of this claim: gpu, nic"),
    ],
)
def test_a_request_that_a_constraint_means(requests: str, help_: str) -> None:
    found = lint_text(CLAIM_OF_ALTERNATIVES.format(requests=requests)).findings
    assert [each.help for each in found if each.code == "DRA308"] == [help_]


WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d}}
spec:
  template:
    {metadata}
    spec:
      containers: [{{name: c, image: i, resources: {{limits: {{gpu.example.com: 1}}}}, unknown: 1}}]
      resourceClaims: [{{name: gpu, resourceClaimTemplateName: t}}]
"""


@pytest.mark.parametrize(
    ("metadata", "help_"),
    [
        ("metadata: {labels: {a: b}}", "write selector: {matchLabels: {a: b}}"),
        (
            "metadata: {}",
            "write selector: {matchLabels: {app: d}}, and metadata: {labels: {app: d}} in the template",
        ),
    ],
)
def test_what_is_wrong_beside_an_unknown_field(metadata: str, help_: str) -> None:
    found = lint_text(WORKLOAD.format(metadata=metadata)).findings
    assert {"DRA005", "DRA407", "DRA408"} <= {each.code for each in found}
    assert [each.help for each in found if each.code == "DRA408"] == [help_]


ONLY = CLAIM.format(kind="ResourceClaimTemplate", name="one-gpu", spec=f"{{spec: {DEVICES}}}")


def test_the_only_template_of_a_file_is_named() -> None:
    pod = POD.format(entry="{name: gpu, resourceClaimTemplateName: another}")
    (found,) = lint_text(ONLY + pod).findings
    assert str(found.help).startswith("write one-gpu, the only one in this file, or ")
    both = lint_text(ONLY + template("two") + pod).findings
    assert not any("the only one" in str(each.help) for each in both)


def test_a_list_of_requests_in_one_text_is_one_mistake() -> None:
    text = CLAIM_OF_ALTERNATIVES.format(requests="gpu").replace("[gpu]", '"gpu, nic"')
    assert [(e.code, e.help) for e in lint_text(text).findings if e.severity.value == "error"] == [
        ("DRA006", "write requests: [gpu, nic]")
    ]


def test_the_only_claim_is_not_meant_twice() -> None:
    pod = POD.replace("  resourceClaims:\n  - {entry}\n", "").format()
    pod = pod.replace("[{name: gpu}]", "[{name: gpu}, {name: nic}]")
    found = [each.help for each in lint_text(claim("nic") + pod).findings]
    assert not any("resourceClaimName: nic" in str(each) for each in found)
    alone = pod.replace(", {name: nic}", "")
    wanted = WRITE.format("resourceClaimName: nic")
    assert wanted in [each.help for each in lint_text(claim("nic") + alone).findings]


def test_a_namespace_beside_the_name_of_a_claim() -> None:
    text = POD.format(entry="{name: gpu, resourceClaimName: gpu, namespace: other}")
    (found,) = [each for each in lint_text(text).findings if each.code == "DRA005"]
    assert str(found.help).startswith("remove it: a pod names what is in its own namespace")
