"""Claims and pods against quotas: every way to ask, every key that counts it, with and without what carries it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz.objects import in_beta1

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["claims", "generate"]

Json = dict[str, Any]

# No two carry one resource: of such classes upstream takes any.
_CLASSES = {"gpu.example.com": "example.com/gpu", "fpga": "example.com/fpga", "plain": None}
_UNKNOWN = ("lost", "fpga.other")  # classes that are not there
_RESOURCES = (
    "example.com/gpu", "example.com/fpga", "example.com/other", "deviceclass.resource.kubernetes.io/plain",
    "deviceclass.resource.kubernetes.io/gpu.example.com", "deviceclass.resource.kubernetes.io/lost", "cpu",
)  # fmt: skip
_MODES = (None, None, "ExactCount", "All", "Unheard")
_VALID = (None, None, "ExactCount", "All")
_ANNOTATION = "resource.kubernetes.io/extended-resource-claim"


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `quota` without end."""
    while True:
        seed = rng.getrandbits(48)
        yield {"id": f"quota-{seed:x}", **_question(random.Random(seed))}


def claims(rng: random.Random) -> Iterator[Json]:
    """Claims that the API server takes, and nothing else: what `dradsl lint` can be asked as well."""
    while True:
        names = rng.sample(sorted(_CLASSES), rng.randint(1, len(_CLASSES)))
        yield {
            "id": f"claims-{rng.getrandbits(48):x}",
            "default": True,
            "features": {"DRAExtendedResource": True},
            "classes": [_class(name) for name in names],
            "quotas": [_quota(rng, f"q{number}") for number in range(rng.randint(1, 2))],
            "objects": [_claim(rng, f"c{n}", _VALID) for n in range(rng.randint(1, 3))],
        }


def _question(rng: random.Random) -> Json:
    names = rng.sample(sorted(_CLASSES), rng.randint(1, len(_CLASSES)))
    objects = []
    for number in range(rng.randint(1, 5)):
        if rng.random() < 0.6:
            objects.append(_claim(rng, f"c{number}"))
            continue
        objects.append(_pod(rng, f"p{number}"))
        if rng.random() < 0.4:
            objects += _made_for(rng, objects[-1])
    return {
        "default": rng.random() < 0.9,
        "features": rng.choice(("defaults", "all", {"DRAExtendedResource": rng.random() < 0.5})),
        "classes": [_class(name) for name in names],
        "quotas": [_quota(rng, f"q{number}") for number in range(rng.randint(1, 2))],
        "objects": objects,
    }


def _class(name: str) -> Json:
    resource = _CLASSES[name]
    return {
        "metadata": {"name": name},
        "spec": {"extendedResourceName": resource} if resource else {},
    }


def _quota(rng: random.Random, name: str) -> Json:
    keys = ["count/resourceclaims.resource.k8s.io"]
    keys += [f"{each}.deviceclass.resource.k8s.io/devices" for each in (*_CLASSES, *_UNKNOWN)]
    keys += [f"requests.{each}" for each in _RESOURCES if "/" in each]
    keys += [
        f"requests.deviceclass.resource.kubernetes.io/{each}" for each in ("fpga", "fpga.other")
    ]
    hard = {
        key: str(rng.choice((0, 1, 2, 3, 4, 8, 32, 33, "1k", "1500m")))
        for key in rng.sample(keys, rng.randint(1, 4))
    }
    return {"metadata": {"name": name, "namespace": "default"}, "spec": {"hard": hard}}


def _claim(rng: random.Random, name: str, modes: Sequence[str | None] = _MODES) -> Json:
    requests = [_request(rng, f"r{number}", modes) for number in range(rng.randint(1, 3))]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": requests}},
    }
    if rng.random() < 0.2:
        return {**in_beta1(claim), "apiVersion": "resource.k8s.io/v1beta1"}
    return claim


def _request(rng: random.Random, name: str, modes: Sequence[str | None]) -> Json:
    if rng.random() < 0.6:
        return {"name": name, "exactly": _body(rng, modes)}
    listed = [{"name": f"s{number}", **_body(rng, modes)} for number in range(rng.randint(1, 4))]
    return {"name": name, "firstAvailable": listed}


def _body(rng: random.Random, modes: Sequence[str | None]) -> Json:
    body: Json = {"deviceClassName": rng.choice((*_CLASSES, *_CLASSES, *_UNKNOWN))}
    mode = rng.choice(modes)
    if mode:
        body["allocationMode"] = mode
    if mode != "All" and rng.random() < 0.6:
        body["count"] = rng.choice((1, 2, 3, 7, 1000))
    return body


def _pod(rng: random.Random, name: str) -> Json:
    spec: Json = {"containers": [_container(rng, f"c{n}") for n in range(rng.randint(1, 3))]}
    if rng.random() < 0.4:
        spec["initContainers"] = [_container(rng, f"i{n}") for n in range(rng.randint(1, 3))]
        for container in spec["initContainers"]:
            if rng.random() < 0.5:
                container["restartPolicy"] = "Always"
    if rng.random() < 0.1:
        spec["overhead"] = {"example.com/gpu": "1"}
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _container(rng: random.Random, name: str) -> Json:
    chosen = rng.sample(_RESOURCES, rng.randint(0, 2))
    amounts = {each: str(rng.choice((1, 1, 2, 3, 1000))) for each in chosen}
    where = rng.choice((("limits",), ("requests", "limits"), ("requests",)))
    return {"name": name, "image": "x", "resources": dict.fromkeys(where, amounts)}


def _made_for(rng: random.Random, pod: Json) -> list[Json]:
    """Claims as the scheduler makes them for the extended resources of a pod, or nearly."""
    made = []
    for number in range(rng.randint(1, 2)):
        claim = _claim(rng, f"{pod['metadata']['name']}-extended-{number}")
        claim["metadata"] |= {
            "namespace": "default",
            "annotations": {_ANNOTATION: rng.choice(("true", "true", "true", "false"))},
            "ownerReferences": [
                {
                    "apiVersion": rng.choice(("v1", "v1", "v1", "apps/v1")),
                    "kind": "Pod",
                    "name": pod["metadata"]["name"],
                    "uid": rng.choice((pod["metadata"]["uid"],) * 4 + ("uid-other",)),
                    "controller": rng.random() < 0.9,
                }
            ],
        }
        made.append(claim)
    if made and rng.random() < 0.3:
        name = rng.choice((made[0]["metadata"]["name"], "another"))
        status: Json = {"requestMappings": [], "resourceClaimName": name}
        pod["status"] = {"extendedResourceClaimStatus": status}
    return made
