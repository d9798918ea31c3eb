"""`record` and `simulate` as processes, for fleets of three sizes: does the work grow as the fleet?

A fleet has a node, a slice of four GPUs and two fifths of a claim in use a node; the pods ask for a
GPU each, one for three nodes. "Growth" is the factor from the size before by the factor of the
nodes: 1 is linear. The peer reads the same JSON and writes it again.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.allocator import CLASS, DRIVER, gpu, one_slice
from benchmarks.measure import run

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZES = (3_000, 10_000, 30_000)  # nodes; a third of them are claims in use, a third are pods
_DEVICES = 4

_PEER = """\
import json, sys
with open(sys.argv[1]) as file:
    json.dump(json.load(file), open(sys.argv[2], "w"))
"""

_POD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpu, namespace: bench}}
spec:
  spec:
    devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu}}}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: worker, namespace: bench}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: worker}}}}
  template:
    metadata: {{labels: {{app: worker}}}}
    spec:
      containers:
      - name: main
        image: registry.example.com/worker:1
        resources: {{requests: {{cpu: 100m}}, claims: [{{name: gpu}}]}}
      resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpu}}]
"""


def _recording(nodes: int) -> Iterator[dict[str, Any]]:
    yield CLASS
    rng = random.Random(1)
    for n in range(nodes):
        name = f"node-{n:05d}"
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "pods": "110"}},
        }
        yield one_slice(name, "0", 1, devices=[gpu(rng, i, i) for i in range(_DEVICES)])
        if n % 3 == 0:
            yield _claim_in_use(n, name)


def _claim_in_use(number: int, node: str) -> dict[str, Any]:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu"}}
    result = {"request": "gpu", "driver": DRIVER, "pool": node, "device": "gpu-0"}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": f"used-{number}", "namespace": "bench", "uid": f"uid-{number}"},
        "spec": {"devices": {"requests": [request]}},
        "status": {
            "allocation": {"devices": {"results": [result]}},
            "reservedFor": [{"resource": "pods", "name": f"pod-{number}", "uid": f"pod-{number}"}],
        },
    }


def _write(folder: Path, nodes: int) -> None:
    items = ",\n".join(json.dumps(each) for each in _recording(nodes))
    text = f'{{"apiVersion": "v1", "kind": "List", "items": [\n{items}\n]}}\n'
    (folder / "fleet.json").write_text(text)
    (folder / "pods.yaml").write_text(_POD.format(replicas=nodes // 3))


def main() -> None:
    python = [sys.executable, "-m", "dradsl"]
    print(
        "\nfleet: nodes, claims in use, pods       ours    read and write   ratio  growth  memory"
    )
    before: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fleet, out, pods = (str(folder / file) for file in ("fleet.json", "out", "pods.yaml"))
        commands = (
            ("record", [*python, "record", fleet, "-o", out]),
            ("simulate", [*python, "simulate", "--slices", fleet, pods, "--output", out]),
        )
        for nodes in _SIZES:
            _write(folder, nodes)
            peer = run([sys.executable, "-c", _PEER, fleet, out]).seconds
            for title, words in commands:
                ours = run(words)
                growth = ours.seconds / before[title] if title in before else None
                before[title] = ours.seconds
                step = nodes / _SIZES[max(_SIZES.index(nodes) - 1, 0)]
                print(
                    f"{title:<9} {nodes:>6}, {nodes // 3:>6}, {nodes // 3:>6} {ours.seconds:8.1f} s"
                    f" {peer:11.1f} s {ours.seconds / peer:9.1f}x"
                    f" {'-' if growth is None else f'{growth / step:.2f}':>6}"
                    f" {ours.peak_bytes / 2**20:6.0f} MiB  exit {ours.exit_code}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
