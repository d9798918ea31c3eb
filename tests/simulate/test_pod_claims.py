"""Which claims a pod means: those that its status names, those still to be made, and whose they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.simulate import command
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
REQUESTS = [
    {
        "name": "r",
        "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
    }
]


def resource(kind: str, name: str, spec: Json, **more: Any) -> Json:
    metadata = {"name": name, **more.pop("metadata", {})}
    return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec, **more}


def recorded(*claims: Json) -> list[Json]:
    """Two nodes with two devices each, and what else was there."""
    found: list[Json] = list(claims)
    for name in ("node1", "node2"):
        found.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": f"{name}-gpu0"}, {"name": f"{name}-gpu1"}]
        spec = {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices}
        found.append(resource("ResourceSlice", f"s-{name}", spec))
    expression = f"device.driver == '{DRIVER}'"
    found.append(
        resource("DeviceClass", "gpu", {"selectors": [{"cel": {"expression": expression}}]})
    )
    return found


def claim(name: str, owner: str | None = "uid-w", on: str = "", **metadata: Any) -> Json:
    """A claim, made for the pod with the UID `owner`, and perhaps allocated on a node."""
    if owner is not None:
        reference = {"apiVersion": "v1", "kind": "Pod", "name": "w", "uid": owner}
        metadata["ownerReferences"] = [reference | {"controller": True}]
    metadata["namespace"] = "default"
    found = resource("ResourceClaim", name, {"devices": {"requests": REQUESTS}}, metadata=metadata)
    if on:
        result = {"request": "r", "driver": DRIVER, "pool": on, "device": f"{on}-gpu1"}
        fields = [{"key": "metadata.name", "operator": "In", "values": [on]}]
        found["status"] = {
            "allocation": {
                "devices": {"results": [result]},
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]},
            }
        }
    return found


def pod(claims: dict[str, str | None] | None = None, **more: Any) -> Json:
    """A pod with an entry `g` from a template; `claims` are those that its status names."""
    statuses = [
        {"name": own} | ({} if name is None else {"resourceClaimName": name})
        for own, name in (claims or {}).items()
    ]
    found: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "w", "namespace": "default", "uid": "uid-w"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
        },
        **more,
    }
    return found | ({"status": {"resourceClaimStatuses": statuses}} if statuses else {})


TEMPLATE = resource("ResourceClaimTemplate", "t", {"spec": {"devices": {"requests": REQUESTS}}})


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def simulated(folder: Path, release: str, found: list[Json], *manifests: Json, **more: str) -> Json:
    paths = []
    for name, documents in (("slices", found), ("pods", [TEMPLATE, *manifests])):
        path = folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump_all(documents), "utf-8")
        paths.append(str(path))
    options = [text for name, value in more.items() for text in (f"--{name}", value)]
    call = ["--slices", *paths, "--kube-version", release, "--output-format", "json", *options]
    done = CliRunner().invoke(command, call, catch_exceptions=False)
    document: Json = json.loads(done.stdout)
    assert done.exit_code == (document["answer"] != "fits")
    return document


def one(folder: Path, release: str, found: list[Json], *manifests: Json) -> Json:
    (report,) = simulated(folder, release, found, *manifests)["pods"]
    return dict(report)


def device_of(report: Json) -> str:
    (made,) = report["claims"]
    (result,) = made["allocation"]["devices"]["results"]
    device: str = result["device"]
    return device


def test_a_claim_that_is_being_deleted(tmp_path: Path, release: str) -> None:
    leaving: Json = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["x"]}
    of_template = one(
        tmp_path, release, recorded(claim("w-g-x7k2p", **leaving)), pod({"g": "w-g-x7k2p"})
    )
    assert of_template["answer"] == "never"
    assert of_template["problem"] == 'resourceclaim "w-g-x7k2p" is being deleted'
    entries = [{"name": "g", "resourceClaimName": "own"}]
    by_name = pod()
    by_name["spec"]["resourceClaims"] = entries
    direct = one(tmp_path, release, recorded(claim("own", None, **leaving)), by_name)
    assert direct["problem"] == 'resourceclaim "own" is being deleted'


@pytest.mark.parametrize("owner", ["uid-other", None])
def test_a_claim_that_was_made_for_another_pod(
    tmp_path: Path, release: str, owner: str | None
) -> None:
    found = recorded(claim("w-g-x7k2p", owner, "node2"))
    report = one(tmp_path, release, found, pod({"g": "w-g-x7k2p"}))
    words = "Pod default/w (Pod is not owner)"
    if release in ("1.34", "1.35"):
        words = words.replace("Pod ", "pod ")
    assert report["answer"] == "never"
    assert report["problem"] == f"ResourceClaim default/w-g-x7k2p was not created for {words}"


@pytest.mark.parametrize(
    ("group", "problem"),
    [
        ("crew", ""),
        (
            "other",
            "ResourceClaim default/g-x7k2p was not created for Pod default/w "
            "(neither Pod nor PodGroup other is the owner)",
        ),
    ],
)
def test_a_claim_of_the_pods_group(tmp_path: Path, group: str, problem: str) -> None:
    shared = claim("g-x7k2p", None, "node2")
    reference = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "name": "crew"}
    shared["metadata"]["ownerReferences"] = [reference | {"uid": "uid-crew", "controller": True}]
    member = pod({"g": "g-x7k2p"})
    member["spec"]["schedulingGroup"] = {"podGroupName": group}
    gate = {"feature-gates": "DRAWorkloadResourceClaims=true"}
    (report,) = simulated(tmp_path, "1.37", recorded(shared), member, **gate)["pods"]
    assert report.get("problem", "") == problem
    assert report["node"] == (None if problem else "node2")
    (report,) = simulated(tmp_path, "1.37", recorded(shared), member)["pods"]
    assert report["problem"].endswith("was not created for Pod default/w (Pod is not owner)")


def test_a_claim_that_the_status_names(tmp_path: Path, release: str) -> None:
    """Not the one of that name without a suffix, and where it is allocated already."""
    found = recorded(claim("w-g", "uid-other", "node1"), claim("w-g-x7k2p", on="node2"))
    report = one(tmp_path, release, found, pod({"g": "w-g-x7k2p"}))
    assert (report["answer"], report["node"], report["claims"]) == ("fits", "node2", [])
    pending = recorded(claim("w-g-x7k2p"))
    report = one(tmp_path, release, pending, pod({"g": "w-g-x7k2p"}))
    assert [entry["claim"] for entry in report["claims"]] == ["w-g-x7k2p"]


def test_a_claim_that_the_status_names_and_nobody_has(tmp_path: Path, release: str) -> None:
    report = one(tmp_path, release, recorded(), pod({"g": "w-g-x7k2p"}))
    assert report["problem"] == "ResourceClaim default/w-g-x7k2p is not in the input"


def test_an_entry_that_needs_no_claim(tmp_path: Path, release: str) -> None:
    report = one(tmp_path, release, recorded(), pod({"g": None}))
    assert (report["answer"], report["claims"]) == ("fits", [])


def test_an_entry_that_names_nothing(tmp_path: Path, release: str) -> None:
    """The API server takes no such pod, so that no plugin ever sees it."""
    empty = pod()
    empty["spec"]["resourceClaims"] = [{"name": "g"}]
    document = simulated(tmp_path, release, recorded(), empty)
    assert document["pods"] == []
    (rejected,) = [note for note in document["notes"] if note["kind"] == "rejected"]
    assert rejected["text"].startswith("spec.resourceClaims[0]: Invalid value")


def test_a_claim_that_is_still_to_be_made_is_a_new_one(tmp_path: Path, release: str) -> None:
    """Its name ends at random, so that it is never that of a claim that is there."""
    for other in (claim("w-g", "uid-other", "node2"), claim("w-g", None, "node2")):
        report = one(tmp_path, release, recorded(other), pod())
        assert (report["answer"], report["node"]) == ("fits", "node1")
        assert [entry["claim"] for entry in report["claims"]] == ["w-g-1"]


def test_a_claim_that_the_status_does_not_name_yet(tmp_path: Path, release: str) -> None:
    """The controller finds what it has made already by owner and annotation."""
    named: Json = {"annotations": {"resource.kubernetes.io/pod-claim-name": "g"}}
    found = recorded(claim("w-g-x7k2p", on="node2", **named))
    report = one(tmp_path, release, found, pod())
    assert (report["node"], report["claims"]) == ("node2", [])
    of_another_entry: Json = {"annotations": {"resource.kubernetes.io/pod-claim-name": "h"}}
    found = recorded(claim("w-h-x7k2p", on="node2", **of_another_entry))
    assert one(tmp_path, release, found, pod())["node"] == "node1"
    leaving: Json = {**named, "deletionTimestamp": "2026-01-01T00:00:00Z"}
    found = recorded(claim("w-g-x7k2p", on="node2", **leaving))
    report = one(tmp_path, release, found, pod())
    assert report["problem"] == 'resourceclaim "w-g-x7k2p" is being deleted'


def test_pods_of_one_name_do_not_share_a_claim(tmp_path: Path, release: str) -> None:
    """A Deployment and a StatefulSet of one name: each of their pods has claims of its own."""
    spec = {
        "containers": [{"name": "c", "image": "example"}],
        "resourceClaims": pod()["spec"]["resourceClaims"],
    }
    template = {"metadata": {"labels": {"app": "w"}}, "spec": spec}
    both = [
        {
            "apiVersion": "apps/v1",
            "kind": kind,
            "metadata": {"name": "w", "namespace": "default"},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "w"}},
                "template": template,
            },
        }
        for kind in ("Deployment", "StatefulSet")
    ]
    document = simulated(tmp_path, release, recorded(), *both)
    devices = {device_of(report) for report in document["pods"]}
    assert (document["answer"], len(devices)) == ("fits", 2)


def test_replicas_have_claims_of_their_own(tmp_path: Path, release: str) -> None:
    found = recorded(claim("w-g-x7k2p", on="node2"))
    named = pod({"g": "w-g-x7k2p"})
    document = simulated(tmp_path, release, found, named, replicas="3")
    devices = {device_of(report) for report in document["pods"]}
    assert (document["answer"], len(devices)) == ("fits", 3)


@pytest.mark.parametrize(
    ("status", "place"),
    [
        ([], "status"),
        ({"resourceClaimStatuses": {}}, "status.resourceClaimStatuses"),
        ({"resourceClaimStatuses": ["g"]}, "status.resourceClaimStatuses[0]"),
        ({"resourceClaimStatuses": [{"name": 1}]}, "status.resourceClaimStatuses[0].name"),
        ({"nominatedNodeName": 1}, "status.nominatedNodeName"),
    ],
)
def test_a_status_of_wrong_types(tmp_path: Path, status: Any, place: str) -> None:
    document = simulated(tmp_path, "1.37", recorded(), pod(status=status))
    assert document["answer"] == "never"
    (note,) = document["notes"]
    assert (note["kind"], note["subject"]) == ("rejected", "Pod w")
    assert note["text"].startswith("json: cannot unmarshal ")
    assert place.replace("[0]", "") in note["text"]


@pytest.mark.parametrize("form", ["exactly", "firstAvailable", "v1beta1"])
def test_what_the_server_fills_in(tmp_path: Path, release: str, form: str) -> None:
    """Claims and templates beside the slices, as people write them, are defaulted when read."""
    ask: Json = {"deviceClassName": "gpu"}
    bodies = {
        "exactly": {"name": "r", "exactly": ask},
        "firstAvailable": {"name": "r", "firstAvailable": [ask | {"name": "s"}]},
        "v1beta1": {"name": "r", **ask},
    }
    spec = {"devices": {"requests": [bodies[form]]}}
    own = resource("ResourceClaim", "own", spec)
    made = resource("ResourceClaimTemplate", "by-hand", {"spec": spec})
    if form == "v1beta1":
        own["apiVersion"] = made["apiVersion"] = "resource.k8s.io/v1beta1"
    both = pod()
    both["spec"]["resourceClaims"] = [
        {"name": "g", "resourceClaimName": "own"},
        {"name": "h", "resourceClaimTemplateName": "by-hand"},
    ]
    report = one(tmp_path, release, [*recorded(), own, made], both)
    counts = [len(entry["allocation"]["devices"]["results"]) for entry in report["claims"]]
    assert (report["answer"], counts) == ("fits", [1, 1])
