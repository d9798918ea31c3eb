"""Objects of Kubernetes' own kinds with pods that have claims, each with one or two mistakes around the claims.

`python -m tests.kube.workloads.mistakes` asks upstream's decoder about all of them (`make -C tests/oracle
bin/workloads-1.37`) and writes the answers to `recorded.jsonl.gz` beside this file.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import PLACES

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED = Path(__file__).with_name("recorded.jsonl.gz")
_ORACLE = Path(__file__).parents[2] / "oracle" / "bin" / "workloads-1.37"

Json = dict[str, Any]
Change = tuple[tuple[str | int, ...], Any]

SOURCES = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
NAMES = [{"name": "gpu"}]
POD: Json = {
    "resourceClaims": SOURCES,
    "containers": [{"name": "c", "image": "i", "resources": {"claims": NAMES}}],
    "initContainers": [{"name": "n", "image": "i", "resources": {"limits": {"cpu": 1}}}],
    "ephemeralContainers": [{"name": "e", "image": "i", "resources": {}}],
    "resources": {"limits": {"cpu": 4}},
}
NEAR = (
    *("resourceClaim", "resourceclaims", "resource_claims", "resource-claims", "ResourceClaims"),
    *("resourcClaims", "resourceClaims", "claim", "claims", "Claims", "clams", "podClaims"),
)
LISTS: tuple[Any, ...] = (SOURCES, NAMES, [], None, NAMES[0], "gpu")
FIELDS: dict[str, Any] = {
    "containers": POD["containers"],
    "initContainers": [],
    "ephemeralContainers": [],
    "Containers": [],
    "resources": {"claims": NAMES},
    "nodeSelector": {"a": "b"},
    "tolerations": [],
    "volumes": [],
    "runtimeClassName": "nvidia",
    "activeDeadlineSeconds": 5,
}
AMOUNTS: tuple[Any, ...] = (
    *("abc", "", "1", "1.5", "1e3", ".5", "5 Gi", " 5", "+1", "1ki", "1Ei", "٣"),
    *(1, 1.5, True, None, [1], {}, [], {"a": "b"}),
)
STATUS: dict[str, Any] = {
    "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "x"}],
    "extendedResourceClaimStatus": {
        "resourceClaimName": "x",
        "requestMappings": [{"containerName": "c", "resourceName": "r", "requestName": "q"}],
    },
    "nodeAllocatableResourceClaimStatuses": [{"resourceClaimName": "x", "containers": ["c"]}],
}
ANY: tuple[Any, ...] = (None, True, 5, 1.5, "x", [], {}, ["x"], [5], [[]], [None], {"name": 5})


def objects() -> list[Json]:
    """All of them, the same each time."""
    found: list[Json] = []
    rng = random.Random(36)
    for (version, kind), place in PLACES.items():
        changes = [*_above(place), *_in_pod(place), *_amounts(place)]
        chosen = changes if kind in ("Pod", "CronJob") else _sample(changes, 3, rng)
        found += [_changed(version, kind, place, [change]) for change in chosen]
        for _ in range(40):
            pair = rng.sample(changes, 2)
            found.append(_changed(version, kind, place, pair))
    found += [_changed("v1", "Pod", ("spec",), [change]) for change in _status()]
    return found


def _sample(changes: list[Change], part: int, rng: random.Random) -> list[Change]:
    return rng.sample(changes, len(changes) // part)


def _above(place: tuple[str, ...]) -> Iterator[Change]:
    for depth in range(len(place)):
        for name in NEAR:
            for value in LISTS:
                yield (*place[:depth], name), value
        for name, value in FIELDS.items():
            yield (*place[:depth], name), value


def _in_pod(place: tuple[str, ...]) -> Iterator[Change]:
    for at in (
        (),
        *((part, 0) for part in ("containers", "initContainers", "ephemeralContainers")),
        *((part, 0, "resources") for part in ("containers", "initContainers")),
        ("ephemeralContainers", 0, "resources"),
        ("resources",),
    ):
        for name in NEAR:
            for value in LISTS:
                yield (*place, *at, name), value
    for part in ("containers", "initContainers", "ephemeralContainers"):
        for value in ANY:
            yield (*place, part, 0, "resources", "claims"), value


def _amounts(place: tuple[str, ...]) -> Iterator[Change]:
    for at in (
        *((part, 0) for part in ("containers", "initContainers", "ephemeralContainers")),
        (),
    ):
        for part in ("limits", "requests"):
            for name in ("cpu", "memory", "example.com/gpu", "claims"):
                for value in (*AMOUNTS, NAMES) if name != "claims" else (NAMES, NAMES[0]):
                    yield (*place, *at, "resources", part, name), value


def _status() -> Iterator[Change]:
    for name, right in STATUS.items():
        yield ("status", name), right
        for value in ANY:
            yield ("status", name), value
        first, at = (right, ()) if isinstance(right, dict) else (right[0], (0,))
        for key in first:
            for value in ANY:
                yield ("status", name), _with(right, (*at, key), value)
    for key in STATUS["extendedResourceClaimStatus"]["requestMappings"][0]:
        right = STATUS["extendedResourceClaimStatus"]
        for value in ANY:
            yield (
                ("status", "extendedResourceClaimStatus"),
                _with(right, ("requestMappings", 0, key), value),
            )


def _with(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    found = copy.deepcopy(value)
    inner = found
    for step in path[:-1]:
        if isinstance(step, str) and step not in inner:
            inner[step] = {}
        inner = inner[step]
    inner[path[-1]] = copy.deepcopy(new)
    return found


def _changed(version: str, kind: str, place: tuple[str, ...], changes: list[Change]) -> Json:
    obj = _with({"apiVersion": version, "kind": kind}, place, POD)
    for path, value in changes:
        try:
            obj = _with(obj, path, value)
        except (TypeError, KeyError, IndexError):
            continue  # the first change took away what the second one is about
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **obj}


def recorded() -> list[tuple[Json, Json]]:
    """The objects with what upstream says of each."""
    lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines()
    return [(row["object"], row["answer"]) for row in map(json.loads, lines)]


def _record() -> None:
    asked = objects()
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    # A program of this repository, with the objects above.
    done = subprocess.run([_ORACLE], input=lines, text=True, capture_output=True, check=True)
    rows = [
        {"object": obj, "answer": json.loads(answer)}
        for obj, answer in zip(asked, done.stdout.splitlines(), strict=True)
    ]
    text = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    _record()
