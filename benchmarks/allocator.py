"""How long the allocator takes for whole fleets, beside upstream's own where its oracle is given.

    python benchmarks/allocator.py [--nodes 1000] [--different] [--oracle tests/oracle/bin/oracle-1.36]

Every shape is asked on all nodes of a fleet with 8 GPUs each. `--different` makes all nodes
unlike: random devices are in use and PCIe roots are shuffled. The ratio is ours to upstream's; on a
shared machine `--repeat 5` gives the median of five ratios, each of two measurements in a row.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import statistics
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.plan import read_class
from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.switches import allocator_features, choose_variant, variants_of
from dradsl.kube.server.api_server import ApiServer
from dradsl.recordings import documents_in
from dradsl.releases import get_release
from dradsl.simulate.cluster import ClusterBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DRIVER = "gpu.example.com"
ROOT = "resource.kubernetes.io/pcieRoot"
Json = dict[str, Any]


def gpu(rng: random.Random, number: int, root: int) -> Json:
    attributes: Json = {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{rng.getrandbits(64):016x}"},
        "productName": {"string": "Example H100 80GB"},
        "architecture": {"string": "Hopper"},
        "driverVersion": {"version": "550.54.14"},
        "index": {"int": number},
        ROOT: {"string": f"pci0000:{root:02x}"},
    }
    return {
        "name": f"gpu-{number}",
        "attributes": attributes,
        "capacity": {"memory": {"value": "80Gi"}},
    }


def slices(nodes: int, *, different: bool, partitions: bool, seed: int = 1) -> Iterator[Json]:
    """One pool a node: 8 GPUs in pairs on four PCIe roots, or 8 GPUs in 7 partitions each."""
    rng = random.Random(seed)
    for n in range(nodes):
        name = f"node-{n:05d}"
        roots = [0, 0, 1, 1, 2, 2, 3, 3]
        if different:
            rng.shuffle(roots)
        if partitions:
            yield from partitioned(rng, name)
            continue
        devices = [gpu(rng, i, roots[i]) for i in range(8)]
        yield one_slice(name, "0", 1, devices=devices)


def one_slice(node: str, suffix: str, count: int, **spec: Any) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{suffix}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": count},
            **spec,
        },
    }


def partitioned(rng: random.Random, node: str) -> list[Json]:
    profiles = [
        ("1g", 1, 1),
        ("1g", 1, 1),
        ("1g", 1, 1),
        ("2g", 2, 2),
        ("2g", 2, 2),
        ("3g", 4, 3),
        ("7g", 8, 7),
    ]
    sets, devices = [], []
    for g in range(8):
        sets.append(
            {
                "name": f"gpu-{g}",
                "counters": {"memory-slices": {"value": "8"}, "compute": {"value": "7"}},
            }
        )
        parent = f"GPU-{rng.getrandbits(64):016x}"
        for p, (profile, memory, compute) in enumerate(profiles):
            devices.append(
                {
                    "name": f"gpu-{g}-mig-{p}",
                    "attributes": {
                        "type": {"string": "mig"},
                        "profile": {"string": profile},
                        "parentUUID": {"string": parent},
                    },
                    "consumesCounters": [
                        {
                            "counterSet": f"gpu-{g}",
                            "counters": {
                                "memory-slices": {"value": str(memory)},
                                "compute": {"value": str(compute)},
                            },
                        }
                    ],
                }
            )
    return [
        one_slice(node, "0", 2, devices=devices),
        one_slice(node, "c", 2, sharedCounters=sets),
    ]


def request(name: str, count: int = 1, selector: str | None = None, **more: Any) -> Json:
    exactly: Json = {
        "deviceClassName": "gpu",
        "allocationMode": "ExactCount",
        "count": count,
        **more,
    }
    if exactly["allocationMode"] == "All":
        exactly.pop("count")
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"name": name, "exactly": exactly}


def claim(name: str, requests: Sequence[Json], constraints: Sequence[Json] = ()) -> Json:
    devices: Json = {"requests": list(requests)}
    if constraints:
        devices["constraints"] = list(constraints)
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "bench", "uid": name},
        "spec": {"devices": devices},
    }


OWN = f"device.attributes['{DRIVER}']"
MODEL = f"{OWN}.productName.startsWith('Example H100') && {OWN}.driverVersion.isGreaterThan(semver('550.0.0'))"
SAME = [{"matchAttribute": ROOT}]


def prioritized() -> Json:
    absent = [{"cel": {"expression": f"{OWN}.architecture == 'Blackwell'"}}]
    own = {"deviceClassName": "gpu", "allocationMode": "ExactCount"}
    return {
        "name": "gpus",
        "firstAvailable": [
            {"name": "new", **own, "count": 2, "selectors": absent},
            {"name": "many", **own, "count": 16},
            {"name": "some", **own, "count": 4},
        ],
    }


SHAPES: dict[str, list[Json]] = {
    "simple": [claim("c", [request("gpu", selector=MODEL)])],
    "pair": [claim("c", [request("gpus", 2)], SAME)],
    "eight": [claim("c", [request("gpus", 8)])],
    "all": [claim("c", [request("gpus", allocationMode="All")])],
    "prioritized": [claim("c", [prioritized()])],
    "unsatisfiable": [claim("c", [request("gpu", selector=f"{OWN}.architecture == 'Blackwell'")])],
    "group+1": [claim("c", [request("gpus", 3)], SAME)],
    # Reads what each device has another value of, so that no two have one answer.
    "unique": [claim("c", [request("gpu", selector=f"{OWN}.uuid == 'none'")])],
    "unique pair": [claim("c", [request("gpus", 2, f"{OWN}.uuid.endsWith('f')")], SAME)],
    "four claims": [claim(f"c{i}", [request("gpus", 2, selector=MODEL)], SAME) for i in range(4)],
}


def mig(profile: str) -> str:
    return f"{OWN}.profile == '{profile}'"


PARTITIONED: dict[str, list[Json]] = {
    "mig mixed": [
        claim(
            "c",
            [
                request("a", selector=mig("1g")),
                request("b", selector=mig("1g")),
                request("c", selector=mig("2g")),
                request("d", selector=mig("3g")),
            ],
            [{"matchAttribute": f"{DRIVER}/parentUUID"}],
        )
    ],
    "mig too many": [claim("c", [request("a", 7, mig("3g")), request("b", 3, mig("7g"))])],
}

CLASS: Json = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]},
}


class Bench:
    """A fleet as the command loads it: from the text of a recording, item by item."""

    def __init__(self, release: str, text: bytes, in_use: list[tuple[str, str]]) -> None:
        self.release = get_release(release)
        self.features = self.release.features()
        start = time.perf_counter()
        builder = ClusterBuilder(ApiServer(self.release, self.features))
        for document in documents_in(text):
            builder.add_recorded(document)
        self.cluster = builder.build()
        self.state = AllocatedState()
        from dradsl.allocator.inventory.slices import DeviceId

        for pool, device in in_use:
            self.state.take(DeviceId(DRIVER, pool, device), "other")
        self.enabled = allocator_features(self.features)
        self.variant = choose_variant(variants_of(release), self.enabled)
        self.fleet = GatheredFleet(self.cluster.inventory, self.variant, self.enabled)
        self.fleet.prepare()
        self.loading = time.perf_counter() - start

    def run(self, claims: list[Any]) -> tuple[float, int, int]:
        """Seconds, nodes that fit, distinct answers."""
        start = time.perf_counter()
        allocator = Allocator(
            self.cluster.inventory,
            {"gpu": read_class(CLASS)},
            claims,
            self.state,
            CelSelectors(self.release, self.features),
            self.variant,
            self.enabled,
            gatherer=self.fleet.gatherer,
        )
        groups = list(self.fleet.groups(allocator, self.cluster.inventory.nodes))
        fitting = sum(len(group.nodes) for group in groups if group.fits)
        first = next((group for group in groups if group.fits), None)
        if first is not None:
            self.fleet.result(allocator, first, first.nodes[0])
        return time.perf_counter() - start, fitting, len(groups)


def upstream(
    oracle: Path, claims: list[Json], listed: list[Json], in_use: list[tuple[str, str]]
) -> tuple[float, int]:
    """Seconds that upstream's Allocate takes over all nodes, and how many fit."""
    nodes = sorted({one["spec"]["nodeName"] for one in listed})
    question = {
        "id": "bench",
        "stats": True,
        "classes": [CLASS],
        "claims": claims,
        "nodes": [{"metadata": {"name": name}} for name in nodes],
        "slices": listed,
        "allocated": [{"driver": DRIVER, "pool": pool, "device": name} for pool, name in in_use],
    }
    done = subprocess.run(
        [str(oracle), "alloc"],
        input=json.dumps(question) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if any("seconds" not in answer for answer in answers):
        raise SystemExit(f"the oracle cannot answer: {answers[0]}")
    fitting = sum(answer["allocations"] is not None for answer in answers)
    return sum(answer["seconds"] for answer in answers), fitting


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--release", default="1.36")
    parser.add_argument("--different", action="store_true", help="all nodes unlike")
    parser.add_argument("--oracle", type=Path, help="binary of tests/oracle for the release")
    parser.add_argument("--shape", action="append", help="only these shapes")
    parser.add_argument("--repeat", type=int, default=1, help="measure so often, in turns; medians")
    options = parser.parse_args()
    gc.set_threshold(500_000, 50, 100)  # as the command does
    print(f"{options.nodes} nodes x 8 GPUs, {'all different' if options.different else 'alike'}")
    for partitions, shapes in ((False, SHAPES), (True, PARTITIONED)):
        wanted = {
            name: c for name, c in shapes.items() if not options.shape or name in options.shape
        }
        if wanted:
            measure(options, wanted, partitions=partitions)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")


def measure(
    options: argparse.Namespace, shapes: dict[str, list[Json]], *, partitions: bool
) -> None:
    rng = random.Random(2)
    fleet = slices(options.nodes, different=options.different, partitions=partitions)
    listed, in_use, texts = [], [], []
    for one in fleet:
        texts.append(json.dumps(one))
        if options.oracle:
            listed.append(one)  # upstream gets objects
        in_use += [
            (one["spec"]["pool"]["name"], device["name"])
            for device in one["spec"].get("devices", ())
            if options.different and rng.random() < 0.25
        ]
    text = f'{{"kind": "List", "items": [{", ".join(texts)}]}}'.encode()
    del texts
    bench = Bench(options.release, text, in_use)
    del text
    # Imports and first compilations are no part of the comparison.
    bench.run([claim("warm", [request("gpu", selector="device.driver != ''")])])
    title = "partitions" if partitions else "whole GPUs"
    print(f"{title}: loaded and grouped in {bench.loading:.2f} s")
    for name, claims in shapes.items():
        ours: list[float] = []
        theirs: list[float] = []
        agree = ""
        for _ in range(options.repeat):
            seconds, fitting, groups = bench.run(claims)
            ours.append(seconds)
            if options.oracle:
                seconds, expected = upstream(options.oracle, claims, listed, in_use)
                theirs.append(seconds)
                agree = "" if expected == fitting else f"  DISAGREES: upstream {expected} fit"
        took = statistics.median(ours)
        line = f"  {name:14} {took * 1000:9.1f} ms {took / options.nodes * 1e6:8.1f} us/node  fits {fitting:6} answers {groups:5}"
        if theirs:
            ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
            line += (
                f"  upstream {statistics.median(theirs) * 1000:9.1f} ms  ratio {ratio:7.3f}{agree}"
            )
        print(line, flush=True)


if __name__ == "__main__":
    main()
