"""Compares dradsl with a real API server and scheduler on loopback; see README.md beside this file."""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.oracle.controlplane import plane
from tests.oracle.controlplane.api import Api, Json, RejectedError
from tests.oracle.fuzz import schedule
from tests.replay import answer
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEED = 20261120
_PLURALS = {
    "DeviceClass": "deviceclasses",
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "ResourceSlice": "resourceslices",
    "DeviceTaintRule": "devicetaintrules",
}
_GATE = "trial.example.com/claims"
_NAMESPACED = ("ResourceClaim", "ResourceClaimTemplate", "Pod")


def _path(kind: str, version: str, namespace: str | None) -> str:
    if kind == "Pod":
        return f"/api/v1/namespaces/{namespace}/pods"
    if kind == "Node":
        return "/api/v1/nodes"
    inside = f"/namespaces/{namespace}" if kind in _NAMESPACED else ""
    return f"/apis/resource.k8s.io/{version}{inside}/{_PLURALS[kind]}"


@contextlib.contextmanager
def control_plane(release: str, folder: Path, gates: str = "") -> Iterator[Api]:
    """An API server and a scheduler, and nothing else; `gates` as in `--feature-gates`."""
    with plane.control_plane(release, folder, gates, controllers=False, kubelets=False) as running:
        yield running.api


# Validation


def validated(api: Api, release: str, limit: int) -> tuple[int, int, list[str]]:
    """Dry-run creates of recorded objects: asked, agreed, and what differs."""
    asked = agreed = 0
    different: list[str] = []
    _created(api, "/api/v1/namespaces", {"metadata": {"name": "ns"}})
    cases = [
        case
        for path in corpus.corpora("validate")
        for case in corpus.read_corpus(path)
        if _creatable(case.question, release)
    ]
    step = max(1, len(cases) // limit)
    for case in cases[::step][:limit]:
        obj = case.question["object"]
        version = obj["apiVersion"].partition("/")[2]
        namespace = str((obj.get("metadata") or {}).get("namespace") or "default")
        path = _path(obj["kind"], version, namespace) + "?dryRun=All&fieldValidation=Strict"
        code, reply = api.call("POST", path, obj)
        theirs = _server_errors(code, reply)
        line = answer("validate", case.question, RELEASES[release])[0]
        ours = {(error["type"], error["field"]) for error in line["errors"]}
        rejected = bool(ours or line.get("strictErrors") or line.get("decodeError"))
        # Strict decoding and decoding errors end the request before validation.
        if line.get("strictErrors") or line.get("decodeError"):
            same = code == 400
        else:
            # A crash upstream is an internal error to us.
            crashed = code == 500 and any(kind == "InternalError" for kind, _ in ours)
            same = crashed or (theirs == ours and rejected == (code >= 400))
        asked += 1
        agreed += same
        if not same:
            different.append(
                f"{case.name}: server {code} {sorted(theirs)} {reply.get('message', '')[:200]} ours {sorted(ours)}"
            )
    return asked, agreed, different


def _creatable(question: Any, release: str) -> bool:
    obj = question.get("object") or {}
    return (
        "old" not in question
        and question.get("default")
        and not question.get("namespaceLabels")
        and question.get("features") == "defaults"
        and obj.get("kind") in _PLURALS
        and isinstance(obj.get("metadata"), dict)
        and obj["metadata"].get("namespace") in (None, "default", "ns")
        and isinstance(obj.get("apiVersion"), str)
        and RELEASES[release].serves(obj["apiVersion"].partition("/")[2], obj["kind"]).value != "no"
    )


def _server_errors(code: int, reply: Json) -> set[tuple[str, str]]:
    if code != 422:
        return set()
    causes = (reply.get("details") or {}).get("causes") or ()
    return {(str(cause.get("reason")), str(cause.get("field"))) for cause in causes}


# Scheduling


def scheduled(
    api: Api, release: str, limit: int, *, seed: int = _SEED
) -> tuple[int, int, list[str]]:
    """Made-up clusters, created for real: pods asked, agreed, and what differs."""
    asked = agreed = 0
    different: list[str] = []
    made = schedule.generate(random.Random(seed))
    questions = itertools.islice(filter(_schedulable, itertools.islice(made, 200 * limit)), limit)
    for number, question in enumerate(questions):
        for one in question["slices"]:
            # Nothing that an earlier case left in the scheduler's caches may look like this one.
            one["spec"]["pool"]["name"] += f"-t{number}"
        try:
            theirs = _run(api, question, number)
        except RejectedError as error:
            different.append(f"{question['id']} is left out: {error}")
            continue
        finally:
            _cleared(api)
        ours = _expected(question, release)
        for name, devices in ours.items():
            asked += 1
            same = theirs.get(name) == devices
            agreed += same
            if not same:
                different.append(
                    f"{question['id']} {name}: scheduler {theirs.get(name)} ours {devices}"
                )
    return asked, agreed, different


def _schedulable(question: Any) -> bool:
    """One pod on one node with claims of its own: nothing is left to the other plugins."""
    text = json.dumps([question["pods"], question["claims"], question["slices"]])
    return (
        question.get("features") == "defaults"
        and len(question["nodes"]) == 1
        and not question.get("taintRules")
        and schedule.is_of_one_mind(question)
        and '"status": {"allocation"' not in text
        and "deletionTimestamp" not in text
        and "bindingConditions" not in text
        and "example.com/res" not in text
        and "deviceclass.resource" not in text
        and "nowhere" not in text
    )


def _expected(question: Any, release: str) -> dict[str, Any]:
    lines = answer("schedule", question, RELEASES[release])
    found: dict[str, Any] = {}
    for line in lines:
        claims = line.get("claims") or ()
        placed = line.get("chosen") or line.get("preFilter", {}).get("code") == "Skip"
        bound = placed and line.get("preBind", {}).get("code") != "Error"
        devices = _devices(claim["allocation"] for claim in claims)
        found[line["pod"].partition("/")[2]] = devices if bound else None
    return found


def _devices(allocations: Any) -> list[list[str]]:
    return sorted(
        [one["request"], one["driver"], one["pool"], one["device"]]
        for allocation in allocations
        for one in (allocation or {}).get("devices", {}).get("results") or ()
    )


def _run(api: Api, question: Any, number: int) -> dict[str, Any]:
    """Creates the objects of a case in a namespace of its own, waits, and takes all away again."""
    namespace = f"trial-{number}"
    _created(api, "/api/v1/namespaces", {"metadata": {"name": namespace}})
    for node in question["nodes"]:
        _node(api, node)
    for kind, key in (("DeviceClass", "classes"), ("ResourceSlice", "slices")):
        for obj in question[key]:
            _created(api, _path(kind, "v1", None), _clean(obj, "resource.k8s.io/v1", kind))
    generated = [obj for obj in question["claims"] if obj["metadata"].get("ownerReferences")]
    for obj in question["claims"]:
        if obj not in generated:
            _claim(api, namespace, obj)
    time.sleep(1)  # for the scheduler to hear of all that
    found: dict[str, Any] = {}
    for obj in question["pods"]:
        found[obj["metadata"]["name"]] = _pod(api, namespace, obj, generated)
    return found


def _cleared(api: Api) -> None:
    """Takes away what stands outside of namespaces, and all pods."""
    for path in ("resource.k8s.io/v1/resourceslices", "resource.k8s.io/v1/deviceclasses"):
        api.call("DELETE", f"/apis/{path}")
    api.call("DELETE", "/api/v1/nodes")
    for claim in api.call("GET", "/apis/resource.k8s.io/v1/resourceclaims")[1].get("items") or ():
        metadata = claim["metadata"]
        place = _path("ResourceClaim", "v1", metadata["namespace"]) + f"/{metadata['name']}"
        # The scheduler protects what it has allocated.
        api.call("PATCH", place, {"metadata": {"finalizers": None}})
        api.call("DELETE", place)
    for pod in api.call("GET", "/api/v1/pods")[1].get("items") or ():
        metadata = pod["metadata"]
        place = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        api.call("DELETE", f"{place}?gracePeriodSeconds=0")


def _claim(api: Api, namespace: str, obj: Json, owners: Any = ()) -> None:
    claim = _clean(obj, "resource.k8s.io/v1", "ResourceClaim")
    if owners:
        claim["metadata"]["ownerReferences"] = owners
    _created(api, _path("ResourceClaim", "v1", namespace), claim)


def _pod(api: Api, namespace: str, obj: Json, generated: list[Json]) -> list[list[str]] | None:
    """Creates a pod, lets the scheduler have it, and reads what its claims got.

    What the controller would do is done while a scheduling gate keeps the pod back: its generated claims are made, with the
    UID that the pod got where the question has the pod as their owner, and its status names them.
    """
    pod = _clean(obj, "v1", "Pod")
    pod["spec"]["schedulingGates"] = [{"name": _GATE}]
    path = _path("Pod", "v1", namespace)
    place = f"{path}/{pod['metadata']['name']}"
    _created(api, path, pod)
    uid = api.call("GET", place)[1]["metadata"]["uid"]
    statuses = obj.get("status", {}).get("resourceClaimStatuses", ())
    own = [
        one for one in generated if one["metadata"]["uid"].startswith(f"{obj['metadata']['uid']}-")
    ]
    for one in own:
        owners = [
            owner | {"uid": uid if owner["uid"] == obj["metadata"]["uid"] else owner["uid"]}
            for owner in one["metadata"]["ownerReferences"]
        ]
        _claim(api, namespace, one, owners)
    if statuses:
        code, reply = api.call(
            "PATCH", f"{place}/status", {"status": {"resourceClaimStatuses": statuses}}
        )
        if code >= 400:
            raise RejectedError(f"PATCH {place}/status: {code} {reply.get('message')}")
    code, reply = api.call("PATCH", place, {"spec": {"schedulingGates": None}})
    if code >= 400:
        raise RejectedError(f"PATCH {place}: {code} {reply.get('message')}")
    if not _bound(api, place):
        return None
    made = {one["name"]: one.get("resourceClaimName") for one in statuses}
    entries = pod["spec"].get("resourceClaims") or ()
    names = [each.get("resourceClaimName") or made.get(each["name"]) for each in entries]
    claims = [
        api.call("GET", _path("ResourceClaim", "v1", namespace) + f"/{name}")[1]
        for name in names
        if name
    ]
    return _devices(claim.get("status", {}).get("allocation") for claim in claims)


def _bound(api: Api, place: str) -> bool:
    """Waits until the scheduler has bound or rejected a pod."""
    for _ in range(40):
        time.sleep(0.25)
        current = api.call("GET", place)[1]
        if current.get("spec", {}).get("nodeName"):
            return True
        conditions = current.get("status", {}).get("conditions") or ()
        # After an error, such as a claim that has just changed, the scheduler tries again.
        if any(c.get("reason") == "Unschedulable" for c in conditions):
            return False
    return False


def _node(api: Api, node: Json) -> None:
    name = node["metadata"]["name"]
    clean = {"metadata": {"name": name, "labels": node["metadata"].get("labels") or {}}}
    _created(api, "/api/v1/nodes", clean)
    allocatable = {
        "cpu": "64",
        "memory": "256Gi",
        "pods": "110",
        **(node.get("status") or {}).get("allocatable", {}),
    }
    status = {
        **clean,
        "status": {
            "allocatable": allocatable,
            "capacity": allocatable,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    api.call("PUT", f"/api/v1/nodes/{name}/status", status)
    # The lifecycle taint would go only with a controller.
    api.call("PUT", f"/api/v1/nodes/{name}", {**clean, "spec": {"taints": []}})


def _clean(obj: Json, version: str, kind: str) -> Json:
    copy: Json = json.loads(json.dumps(obj))
    copy |= {"apiVersion": version, "kind": kind}
    copy.pop("status", None)
    metadata = copy["metadata"]
    for key in ("uid", "resourceVersion", "creationTimestamp", "ownerReferences", "namespace"):
        metadata.pop(key, None)
    return copy


def _created(api: Api, path: str, obj: Json) -> None:
    code, reply = api.call("POST", path, obj)
    if code >= 400 and code != 409:
        raise RejectedError(f"POST {path}: {code} {reply.get('message')}")


def main(arguments: list[str] | None = None) -> int:
    """Runs the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--validate", type=int, default=300)
    parser.add_argument("--schedule", type=int, default=60)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="a folder for logs and data that stays")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        with control_plane(options.release, folder) as api:
            for name, compare, limit in (
                ("validate", validated, options.validate),
                ("schedule", functools.partial(scheduled, seed=options.seed), options.schedule),
            ):
                asked, agreed, different = compare(api, options.release, limit)
                sys.stdout.write(f"{name}: {agreed} of {asked} agreed\n")
                sys.stdout.write("".join(f"  {line}\n" for line in different[: options.show]))
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
