"""Lists of claims at a wrong level or under a wrong name, in Kubernetes' own kinds: one finding each, and its fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.kube.pods.workloads import PLACES
from dradsl.lint.engine.run import lint_text
from dradsl.text.edits import apply

if TYPE_CHECKING:
    from dradsl.diagnostics import Finding

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
"""
LIST = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
USE = [{"name": "gpu"}]


def _pod(resources: Any = None, **fields: Any) -> dict[str, Any]:
    resources = {"claims": USE} if resources is None else resources
    return {**fields, "containers": [{"name": "c", "image": "x", "resources": resources}]}


def _text(
    version: str, kind: str, spec: Any, level: int = -1, *, flow: bool = False, **stray: Any
) -> str:
    place = PLACES[version, kind]
    obj: dict[str, Any] = {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "x", "namespace": "ml"},
    }
    if kind in ("Job", "CronJob"):
        spec = {"restartPolicy": "Never", **spec}
    above = obj
    for depth, name in enumerate(place):
        above.update(stray if depth == level else {})
        above[name] = spec if depth == len(place) - 1 else {}
        above = above[name]
    _complete(obj, kind)
    return TEMPLATE + yaml.safe_dump(obj, sort_keys=False, default_flow_style=flow)


def _complete(obj: dict[str, Any], kind: str) -> None:
    """What a workload must have besides its pod."""
    labels = {"app": "x"}
    if kind in ("ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"):
        one = kind == "ReplicationController"
        obj["spec"]["selector"] = labels if one else {"matchLabels": labels}
        obj["spec"]["template"]["metadata"] = {"labels": labels}
    elif kind == "CronJob":
        obj["spec"]["schedule"] = "0 0 * * *"


def _found(text: str) -> tuple[Finding, ...]:
    return lint_text(text, "x.yaml").findings


def _fixed(text: str) -> str:
    fixes = [each.fix for each in _found(text) if each.fix is not None]
    assert fixes
    return apply(text, [edit for fix in fixes for edit in fix.edits])


LEVELS = [
    (version, kind, level) for (version, kind), p in PLACES.items() for level in range(len(p))
]


@pytest.mark.parametrize(("version", "kind", "level"), LEVELS)
@pytest.mark.parametrize("flow", [False, True])
def test_a_list_above_the_pod_spec_is_moved_there(
    version: str, kind: str, level: int, *, flow: bool
) -> None:
    text = _text(version, kind, _pod(), level, flow=flow, resourceClaims=LIST)
    (found,) = _found(text)
    field = ".".join((*PLACES[version, kind][:level], "resourceClaims"))
    assert (found.code, found.field) == ("DRA008", field)
    assert found.upstream == f'unknown field "{field}"'
    assert _found(_fixed(text)) == ()


@pytest.mark.parametrize(("version", "kind", "level"), LEVELS)
def test_it_hides_no_other_finding_of_the_pod(version: str, kind: str, level: int) -> None:
    spec = _pod({"claims": [{"name": "other"}]}, resourceClaims=[{"name": "nic"}])
    before = [(each.code, each.field) for each in _found(_text(version, kind, spec))]
    assert {code for code, _ in before} == {"DRA401", "DRA403"}  # DRA415 is folded below DRA403
    found = _found(_text(version, kind, spec, level, resourceClaims=LIST))
    (stray,) = [each for each in found if each.code == "DRA008"]
    assert stray.fix is None  # the pod has a list of its own
    assert [(each.code, each.field) for each in found if each is not stray] == before


@pytest.mark.parametrize("part", ["limits", "requests"])
@pytest.mark.parametrize("more", [{}, {"memory": "1Gi"}])
@pytest.mark.parametrize(("version", "kind"), [("v1", "Pod"), ("batch/v1", "CronJob")])
def test_claims_among_amounts_are_moved_up(
    version: str, kind: str, more: dict[str, Any], part: str
) -> None:
    text = _text(
        version, kind, _pod({part: {"cpu": 1, "claims": USE, **more}}, resourceClaims=LIST)
    )
    (found,) = _found(text)
    assert found.code == "DRA008"
    assert found.upstream is not None
    assert found.upstream.startswith("quantities must match the regular expression")
    fixed = _fixed(text)
    assert _found(fixed) == ()
    assert "cpu: 1" in fixed


@pytest.mark.parametrize(("before", "after"), [("", "# why"), ("&a", ""), ("!!map", "")])
def test_a_list_with_more_than_its_value_is_not_moved(before: str, after: str) -> None:
    entry = f"- {before} {{name: gpu, resourceClaimTemplateName: t}} {after}\n- {{name: b, resourceClaimName: b}}"
    text = _text("v1", "Pod", _pod(), 0, resourceClaims=[])
    text = text.replace("resourceClaims: []", f"resourceClaims:\n{entry}")
    (found,) = _found(text)
    assert (found.code, found.fix) == ("DRA008", None)


@pytest.mark.parametrize("part", ["ephemeralContainers", "resources"])
def test_claims_are_not_moved_to_where_they_are_forbidden(part: str) -> None:
    resources = {"limits": {"claims": USE}}
    value: Any = resources
    if part == "ephemeralContainers":
        value = [{"name": "e", "image": "x", "resources": resources}]
    spec = {**_pod(resourceClaims=LIST), part: value}
    found = _found(_text("v1", "Pod", spec))
    assert [each.fix for each in found if each.code == "DRA008"] == [None]


def test_amounts_count_where_claims_are_mentioned() -> None:
    amounts = {"limits": {"cpu": "abc", "memory": [1]}}
    spec = _pod(amounts, resourceClaims=[])
    assert [each.code for each in _found(_text("v1", "Pod", spec))] == ["DRA006", "DRA006"]
    assert _found(_text("v1", "Pod", _pod(amounts))) == ()


@pytest.mark.parametrize(
    "name", ["resourceClaim", "resourceclaims", "resource_claims", "resourcClaims", "claim"]
)
def test_a_list_of_the_pod_under_another_name_is_renamed(name: str) -> None:
    text = _text("apps/v1", "Deployment", _pod(**{name: LIST}))
    (found,) = _found(text)
    assert (found.code, found.help) == ("DRA005", 'did you mean "resourceClaims"?')
    assert _found(_fixed(text)) == ()


@pytest.mark.parametrize("value", [{"name": "gpu"}, "gpu", 5])
def test_what_is_no_list_is_named_and_left_alone(value: object) -> None:
    text = _text("v1", "Pod", _pod({}, resourceClaim=value))
    (found,) = _found(text)
    written = (
        "write resourceClaims: [{name: gpu, resourceClaimTemplateName: t}] in the spec of the pod "
        "and claims: [{name: gpu}] under resources of container c"
    )
    help_ = 'did you mean "resourceClaims"?' if value == 5 else written
    assert (found.code, found.help, found.fix) == ("DRA005", help_, None)


@pytest.mark.parametrize("spec", [_pod({}, claims=[]), _pod({}, claims=None)])
def test_an_empty_list_is_a_mention(spec: object) -> None:
    (found,) = _found(_text("v1", "Pod", spec))
    assert (found.code, found.upstream) == ("DRA005", 'unknown field "spec.claims"')


@pytest.mark.parametrize("name", ["claims", "claim", "resourceClaim", "resourceClaims"])
def test_claims_beside_the_resources_of_a_container(name: str) -> None:
    spec = _pod({}, resourceClaims=LIST)
    spec["containers"][0][name] = USE
    (found,) = _found(_text("v1", "Pod", spec))
    assert (found.code, found.field) == ("DRA008", f"spec.containers[0].{name}")


@pytest.mark.parametrize(
    "spec", [_pod({}, volumeClaims=[]), _pod({}, resourceLimits={}), _pod({}, hostnames=[])]
)
def test_other_unknown_fields_are_no_mention(spec: object) -> None:
    assert _found(_text("v1", "Pod", spec)) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("resourceClaimStatuses", True),
        ("nodeAllocatableResourceClaimStatuses", {}),
        ("extendedResourceClaimStatus", 5),
    ],
)
def test_the_status_of_a_pod_is_decoded(field: str, value: object) -> None:
    text = _text("v1", "Pod", _pod({})) + yaml.safe_dump({"status": {field: value}})
    found = lint_text(text, "x.yaml").findings
    assert [(each.code, each.field) for each in found if each.code == "DRA006"] == (
        [("DRA006", f"status.{field}")]
    )
