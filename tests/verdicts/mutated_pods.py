"""Pods with claims broken at random: the questions of pod/mutated."""

from __future__ import annotations

import copy
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from tests.kube.mutations import Question

_TRIES = 4000
_ENOUGH = 6
_POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {
        "resourceClaims": [
            {"name": "a", "resourceClaimName": "x"},
            {"name": "b", "resourceClaimTemplateName": "y.z"},
        ],
        "containers": [
            {
                "name": "c1",
                "image": "i",
                "resources": {
                    "claims": [
                        {"name": "a"},
                        {"name": "b", "request": "r1"},
                        {"name": "b", "request": "r2"},
                    ],
                    "limits": {
                        "example.com/gpu": "2",
                        "deviceclass.resource.kubernetes.io/gpu": "1",
                    },
                    "requests": {
                        "example.com/gpu": 2,
                        "deviceclass.resource.kubernetes.io/gpu": "500m",
                    },
                },
            }
        ],
        "initContainers": [
            {"name": "i1", "image": "i", "resources": {"claims": [{"name": "a", "request": "q"}]}}
        ],
    },
}
_CLAIM_VALUES: tuple[Any, ...] = ("", "a", "b", "c", "A.b", "x" * 64, "r1", 0, True, None, [], {})
_AMOUNTS: tuple[Any, ...] = (0, 1, -1, "2", "1500m", "1Gi", 1.5, "no", True, None, [])
_CLAIM_KEYS = ("name", "request", "resourceClaimName", "resourceClaimTemplateName", "source")
_RESOURCES = ("example.com/gpu", "deviceclass.resource.kubernetes.io/x", "bad/na me", "a/b/c")


def _broken(random: Random) -> Question:
    pod = copy.deepcopy(_POD)
    spec = pod["spec"]
    for _ in range(random.choice([1, 1, 2, 3])):
        container = random.choice([spec["containers"][0], spec["initContainers"][0]])
        lists = [spec["resourceClaims"], container["resources"]["claims"]]
        entries = random.choice(lists)
        action = random.random()
        if action < 0.2:
            entries.append(copy.deepcopy(random.choice(random.choice(lists))))
        elif action < 0.3:
            entries.pop(random.randrange(len(entries)))
            entries.append({})
        elif action < 0.7:
            entry = random.choice([e for e in entries if isinstance(e, dict)])
            entry[random.choice(_CLAIM_KEYS)] = copy.deepcopy(random.choice(_CLAIM_VALUES))
        elif action < 0.75:
            entries[0] = copy.deepcopy(random.choice(_CLAIM_VALUES))
            entries.append({})
        else:
            part = container["resources"].setdefault(random.choice(["limits", "requests"]), {})
            part[random.choice(_RESOURCES)] = copy.deepcopy(random.choice(_AMOUNTS))
    return {"default": True, "object": pod}


def questions() -> list[Question]:
    """The pods that are kept: each shows a reason that few others show."""
    random = Random(7)
    server = ApiServer(RELEASES["1.36"], RELEASES["1.36"].features())
    seen: Counter[str] = Counter()
    kept: list[Question] = []
    for _ in range(_TRIES):
        asked = _broken(random)
        shows = {e.reason for e in server.pod(asked["object"]["spec"], {}, ("spec",))} or {"-"}
        if any(seen[reason] < _ENOUGH for reason in shows):
            seen.update(shows)
            kept.append({"id": len(kept), **asked})
    return kept
