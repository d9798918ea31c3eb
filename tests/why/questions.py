"""Small clusters for questions that are asked often: nodes with GPUs, and pods that have or want some."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

DRIVER = "gpu.example.com"
MADE = "2026-11-20T08:00:00Z"


def node(name: str, *, taints: Any = (), cpu: str = "32", **labels: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "spec": {"taints": list(taints)},
        "status": {
            "allocatable": {"cpu": cpu, "memory": "128Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.36.0"},
        },
    }


def gpu(name: str, model: str = "a100", memory: str = "40Gi", **more: Any) -> Object:
    attributes = {"model": {"string": model}, "type": {"string": "gpu"}}
    attributes |= more.pop("attributes", {})
    return {
        "name": name,
        "attributes": attributes,
        "capacity": {"memory": {"value": memory}},
        **more,
    }


def slice_of(name: str, *devices: Object, driver: str = DRIVER, **spec: Any) -> Object:
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1, **spec.pop("pool", {})}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{name}-{driver}-x1"},
        "spec": {
            "driver": driver,
            "nodeName": name,
            "pool": pool,
            "devices": list(devices),
            **spec,
        },
    }


def device_class(name: str = DRIVER, expression: str = "", **spec: Any) -> Object:
    text = (
        expression or f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].type == "gpu"'
    )
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": text}}], **spec},
    }


def request(name: str = "gpu", *selectors: str, of: str = DRIVER, **exactly: Any) -> Object:
    found: Object = {"deviceClassName": of, "allocationMode": "ExactCount", "count": 1, **exactly}
    if selectors:
        found["selectors"] = [{"cel": {"expression": one}} for one in selectors]
    return {"name": name, "exactly": found}


def template(name: str, *requests: Object, space: str = "ml", **devices: Any) -> Object:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": space, "creationTimestamp": MADE},
        "spec": {"spec": {"devices": {"requests": list(requests), **devices}}},
    }


def claim(
    name: str,
    *requests: Object,
    space: str = "ml",
    on: str = "",
    has: Any = (),
    users: Any = (),
    pod: str = "",
    entry: str = "gpu",
    **devices: Any,
) -> Object:
    """A claim; with `on` it is allocated there and has `has` (requests with devices), with `pod` it is made for this pod."""
    metadata: Object = {
        "name": name,
        "namespace": space,
        "uid": f"u-{name}",
        "creationTimestamp": MADE,
    }
    if pod:
        metadata["annotations"] = {"resource.kubernetes.io/pod-claim-name": entry}
        metadata["ownerReferences"] = [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "name": pod,
                "uid": f"u-{pod}",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    found: Object = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": {"devices": {"requests": list(requests), **devices}},
    }
    if on:
        metadata["finalizers"] = ["resource.kubernetes.io/delete-protection"]
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}
        results = [
            {"request": one.get("request", "gpu"), "driver": DRIVER, "pool": on, **one}
            for one in map(_result, has)
        ]
        found["status"] = {
            "allocation": {
                "devices": {"results": results},
                "nodeSelector": {"nodeSelectorTerms": [term]},
            },
            "reservedFor": [{"resource": "pods", "name": one, "uid": f"u-{one}"} for one in users],
        }
    return found


def _result(one: Any) -> Object:
    return {"device": one} if isinstance(one, str) else dict(one)


def pod(
    name: str,
    *entries: tuple[str, str, str],
    on: str = "",
    said: str = "",
    space: str = "ml",
    owner: tuple[str, str] | None = None,
    phase: str = "",
    made: str = MADE,
    **spec: Any,
) -> Object:
    """A pod. An entry has a name, the claim (or "" if none is made), and the template (or "")."""
    metadata: Object = {
        "name": name,
        "namespace": space,
        "uid": f"u-{name}",
        "creationTimestamp": made,
    }
    if owner:
        metadata["ownerReferences"] = [
            {
                "apiVersion": "v1",
                "kind": owner[0],
                "name": owner[1],
                "uid": f"u-{owner[1]}",
                "controller": True,
            }
        ]
    claims = [
        {"name": entry, "resourceClaimTemplateName": made_of}
        if made_of
        else {"name": entry, "resourceClaimName": one}
        for entry, one, made_of in entries
    ]
    statuses = [
        {"name": entry, "resourceClaimName": one}
        for entry, one, made_of in entries
        if made_of and one
    ]
    container: Object = {"name": "main", "image": "x"}
    resources = spec.pop("resources", {})
    if entries or resources:
        container["resources"] = {
            **resources,
            **({"claims": [{"name": one[0]} for one in entries]} if entries else {}),
        }
    conditions = [{"type": "PodScheduled", "status": "True"}] if on else []
    if said:
        conditions = [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
        ]
    found: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "containers": [container],
            **({"resourceClaims": claims} if claims else {}),
            **spec,
        },
        "status": {"phase": phase or ("Running" if on else "Pending"), "conditions": conditions},
    }
    if statuses:
        found["status"]["resourceClaimStatuses"] = statuses
    if on:
        found["spec"]["nodeName"] = on
    return found


def workload(
    kind: str,
    name: str,
    replicas: int,
    entry: Object,
    *,
    space: str = "ml",
    up: tuple[str, str] | None = None,
    **spec: Any,
) -> Object:
    metadata: Object = {
        "name": name,
        "namespace": space,
        "uid": f"u-{name}",
        "creationTimestamp": MADE,
    }
    if up:
        metadata["ownerReferences"] = [
            {
                "apiVersion": "apps/v1",
                "kind": up[0],
                "name": up[1],
                "uid": f"u-{up[1]}",
                "controller": True,
            }
        ]
    inner = {
        "containers": [
            {"name": "main", "image": "x", "resources": {"claims": [{"name": entry["name"]}]}}
        ],
        "resourceClaims": [entry],
    }
    count = (
        {"parallelism": replicas, "completions": replicas}
        if kind == "Job"
        else {"replicas": replicas}
    )
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {
            **count,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": inner},
            **spec,
        },
    }


def event(about: Object, reason: str, message: str) -> Object:
    head = about["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{head['name']}.{reason.lower()}", "namespace": head["namespace"]},
        "involvedObject": {
            "apiVersion": about["apiVersion"],
            "kind": about["kind"],
            "namespace": head["namespace"],
            "name": head["name"],
            "uid": head["uid"],
        },
        "type": "Warning",
        "reason": reason,
        "message": message,
        "lastTimestamp": "2026-11-20T09:00:00Z",
    }


def using(
    name: str,
    on: str,
    *devices: Any,
    space: str = "ml",
    owner: tuple[str, str] | None = None,
    made_of: str = "one",
    made: str = MADE,
    entry: str = "gpu",
    **spec: Any,
) -> list[Object]:
    """A pod that runs with devices, and its claim made of a template."""
    held = claim(
        f"{name}-{entry}",
        request(count=len(devices)),
        space=space,
        on=on,
        has=devices,
        users=[name],
        pod=name,
        entry=entry,
    )
    return [
        pod(
            name,
            (entry, f"{name}-{entry}", made_of),
            on=on,
            space=space,
            owner=owner,
            made=made,
            **spec,
        ),
        held,
    ]


def wanting(
    name: str,
    *requests: Object,
    said: str = "",
    space: str = "ml",
    owner: tuple[str, str] | None = None,
    made_of: str = "one",
    pod_spec: Object | None = None,
    **devices: Any,
) -> list[Object]:
    """A pod that waits, its template and its claim."""
    return [
        pod(
            name,
            ("gpu", f"{name}-gpu", made_of),
            said=said,
            space=space,
            owner=owner,
            **(pod_spec or {}),
        ),
        claim(f"{name}-gpu", *requests, space=space, pod=name, **devices),
        template(made_of, *requests, space=space, **devices),
    ]


def none_of(number: int, more: str = "") -> str:
    text = more or f"{number} cannot allocate all claims"
    return f"0/{number} nodes are available: {text}. still not schedulable, preemption: 0/{number} nodes are available: {number} Preemption is not helpful for scheduling."
