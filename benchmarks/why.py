"""`dradsl why` for one pod of a large cluster: 5,000 nodes of eight GPUs, 100,000 pods, 12,000 claims.

From a dump of several files, and from a cluster that a shell script plays, in pages of 500 objects. Seconds of
processor time and the most memory of whole processes. `WHY_NODES` makes a smaller cluster of the same shape.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import run

if TYPE_CHECKING:
    from collections.abc import Iterator

_NODES = int(os.environ.get("WHY_NODES", "5000"))
_PAGE, _FILE = 500, 20_000
_GPU = "gpu.nvidia.com"
_MIB = 1024 * 1024
_KUBECTL = """#!/bin/sh
for word; do case $word in /*) path=$word;; esac; done
case "$*" in *api-resources*) exec cat PLACE/served;; esac
case $path in
  "") echo ml; exit 0;;
  /version) echo '{"gitVersion": "v1.36.2"}'; exit 0;;
esac
page=0; case $path in *continue=*) page=${path##*continue=}; page=${page%%&*};; esac
path=${path%%\\?*}; file=PLACE/${path##*/}-$page.json
[ -e "$file" ] && exec cat "$file"
echo "Error from server (NotFound): the server could not find the requested resource" >&2
exit 1
"""


def _meta(name: str, **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"f:metadata": {"f:labels": {f"f:label-{n}": {} for n in range(12)}}}
    managed = [
        {"manager": f"manager-{n}", "operation": "Update", "fieldsV1": fields} for n in (1, 2, 3)
    ]
    labels = {f"example.com/label-{n}": "a-value-of-some-length" for n in range(6)}
    return {"name": name, "uid": f"uid-{name}", "labels": labels, "managedFields": managed, **more}


def _pod(number: int, claim: str = "") -> dict[str, Any]:
    env = [{"name": f"VARIABLE_{n}", "value": "a value of some length" * 2} for n in range(24)]
    resources: dict[str, Any] = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    spec: dict[str, Any] = {"nodeName": f"node-{number % _NODES}"}
    if claim:
        resources["claims"] = [{"name": "gpu"}]
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claim}]
    spec["containers"] = [{"name": "main", "image": "example", "env": env, "resources": resources}]
    states = [{"name": "main", "ready": True, "state": {"running": {}}, "image": "example"}]
    status = {"phase": "Running", "containerStatuses": states}
    metadata = _meta(f"pod-{number}", namespace="ml")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _waiting() -> dict[str, Any]:
    made = _pod(0, "waiting")
    del made["spec"]["nodeName"]
    message = f"0/{_NODES} nodes are available: {_NODES} cannot allocate all claims."
    condition = {"type": "PodScheduled", "status": "False", "message": message}
    made["metadata"]["name"], made["status"] = (
        "waiting",
        {"phase": "Pending", "conditions": [condition]},
    )
    return made


def _claim(number: int) -> dict[str, Any]:
    """A claim of two GPUs, so that no node has all eight free; a negative number: that of the waiting pod, of eight."""
    wanted = {"deviceClassName": _GPU, "count": 8 if number < 0 else 2}
    made = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": wanted}]}}
    if number < 0:
        return {**made, "metadata": _meta("waiting", namespace="ml"), "spec": spec}
    node, first = f"node-{number % _NODES}", number // _NODES * 2
    results = [
        {"request": "gpu", "driver": _GPU, "pool": node, "device": f"gpu-{first + n}"}
        for n in (0, 1)
    ]
    fields = [{"key": "metadata.name", "operator": "In", "values": [node]}]
    where = {"nodeSelectorTerms": [{"matchFields": fields}]}
    status = {
        "allocation": {"devices": {"results": results}, "nodeSelector": where},
        "reservedFor": [{"resource": "pods", "name": f"pod-{number}", "uid": f"uid-pod-{number}"}],
    }
    return {
        **made,
        "metadata": _meta(f"claim-{number}", namespace="ml"),
        "spec": spec,
        "status": status,
    }


def _objects() -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """The objects by the name of their resource, with the version of the API."""
    claims = _NODES * 12 // 5
    amounts = {"cpu": "128", "memory": "1024Gi", "pods": "110"}
    ready = [{"type": "Ready", "status": "True"}]
    values = {"productName": {"string": "NVIDIA H100"}, "type": {"string": "gpu"}}
    gpus = [
        {"name": f"gpu-{n}", "attributes": values, "capacity": {"memory": {"value": "81559Mi"}}}
        for n in range(8)
    ]
    rule = {"cel": {"expression": f"device.driver == '{_GPU}'"}}
    nodes, slices = [], []
    for number in range(_NODES):
        name = f"node-{number}"
        status = {
            "allocatable": amounts,
            "conditions": ready,
            "nodeInfo": {"kubeletVersion": "v1.36.1"},
        }
        nodes.append(
            {"apiVersion": "v1", "kind": "Node", "metadata": _meta(name), "status": status}
        )
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": _GPU, "nodeName": name, "pool": pool, "devices": gpus}
        slices.append({"kind": "ResourceSlice", "metadata": _meta(f"{name}-gpu"), "spec": spec})
    pods = [_waiting(), *(_pod(n, f"claim-{n}" if n < claims else "") for n in range(_NODES * 20))]
    one_class = {"kind": "DeviceClass", "metadata": _meta(_GPU), "spec": {"selectors": [rule]}}
    version = "resource.k8s.io/v1"
    return {
        "pods": ("v1", pods),
        "nodes": ("v1", nodes),
        "events": ("v1", []),
        "resourceclaims": (version, [_claim(n) for n in range(-1, claims)]),
        "resourceslices": (version, slices),
        "deviceclasses": (version, [one_class]),
    }


def _lists(version: str, items: list[dict[str, Any]], size: int) -> Iterator[dict[str, Any]]:
    for begin in range(0, max(len(items), 1), size):
        more = {"continue": str(begin + size)} if begin + size < len(items) else {}
        part = [{"apiVersion": version, **one} for one in items[begin : begin + size]]
        yield {"kind": "List", "apiVersion": version, "metadata": more, "items": part}


def _write(folder: Path) -> None:
    """The files of a dump, and the pages that the script plays."""
    for resource, (version, items) in _objects().items():
        for number, one in enumerate(_lists(version, items, _FILE)):
            path = folder / f"dump-{resource}-{number}.json"
            path.write_text(json.dumps({**one, "apiVersion": "v1"}), "utf-8")
        for number, one in enumerate(_lists(version, items, _PAGE)):
            kind = {"pods": "Pod", "nodes": "Node"}.get(resource, "")
            page = {**one, "kind": f"{kind}List"} if kind else one
            (folder / f"{resource}-{number * _PAGE}.json").write_text(json.dumps(page), "utf-8")
    kinds = "pods v1 true Pod,nodes v1 false Node,events v1 true Event,"
    kinds += "resourceclaims resource.k8s.io/v1 true ResourceClaim,"
    kinds += "resourceslices resource.k8s.io/v1 false ResourceSlice,"
    kinds += "deviceclasses resource.k8s.io/v1 false DeviceClass"
    (folder / "served").write_text(kinds.replace(",", "\n") + "\n", "utf-8")
    program = folder / "kubectl"
    program.write_text(_KUBECTL.replace("PLACE", str(folder)), "utf-8")
    program.chmod(0o755)


def main() -> None:
    """Print seconds and memory of one pod's answer from a dump and from a cluster."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # By another process: what this one held would count as the most memory of those that it starts.
        writer = multiprocessing.Process(target=_write, args=(folder,))
        writer.start()
        writer.join()
        dumps = sorted(map(str, folder.glob("dump-*")))
        written = sum(Path(one).stat().st_size for one in dumps)
        call = ["env", f"DRADSL_KUBECTL={folder / 'kubectl'}", sys.executable, "-m", "dradsl"]
        print(f"{_NODES} nodes, {_NODES * 20} pods, {written / _MIB:.0f} MiB of JSON")
        for name, words in (("a dump", dumps), ("a cluster", ["--from-cluster"])):
            used = run([*call, "why", "ml/waiting", *words])
            memory = used.peak_bytes / _MIB
            print(f"{name:10} {used.seconds:6.1f} s  {memory:6.0f} MiB  exit {used.exit_code}")
