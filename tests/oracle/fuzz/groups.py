"""PodGroups and Workloads with claims: valid ones of every version, and what goes wrong in them.

Only what concerns the claims is spoilt: the lists of claims, and the lists of templates around them
(their length, names and order), because these decide whether the server looks into the claims.
"""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz.objects import spoil

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COMPOSITE", "ON", "VERSIONS", "composite", "generate", "group", "template", "workload"]

Json = dict[str, Any]

VERSIONS = ("v1alpha2", "v1alpha3", "v1beta1")
ON = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}
COMPOSITE = {"TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
_FEATURES: tuple[Any, ...] = (
    ON,
    ON,
    {**ON, **COMPOSITE},
    {**ON, **COMPOSITE},
    {"GenericWorkload": True},
    {"GenericWorkload": True, **COMPOSITE},
    "defaults",
    "all",
)


def _claims() -> list[Json]:
    return [
        {"name": "gpu", "resourceClaimTemplateName": "gpu-template"},
        {"name": "net", "resourceClaimName": "shared.net"},
    ]


def _policy() -> Json:
    return {"gang": {"minCount": 2}}


def group(version: str, claims: Any = ...) -> Json:
    """A PodGroup with claims; `claims` are others (None as well)."""
    spec: Json = {"schedulingPolicy": _policy(), "resourceClaims": _claims()}
    if claims is not ...:
        spec["resourceClaims"] = claims
    return _object(version, "PodGroup", spec)


def template(name: str, claims: Any = ...) -> Json:
    """A template of a PodGroup with claims."""
    made: Json = {"name": name, "schedulingPolicy": _policy(), "resourceClaims": _claims()}
    if claims is not ...:
        made["resourceClaims"] = claims
    return made


def composite(name: str, *templates: Json, inner: tuple[Json, ...] = ()) -> Json:
    """A template of a composite group with templates and, inside, templates of its own kind."""
    made: Json = {"name": name, "schedulingPolicy": {"basic": {}}}
    if templates:
        made["podGroupTemplates"] = list(templates)
    if inner:
        made["compositePodGroupTemplates"] = list(inner)
    return made


def workload(version: str, *templates: Json, composites: tuple[Json, ...] = ()) -> Json:
    """A Workload of templates."""
    spec: Json = {}
    if templates:
        spec["podGroupTemplates"] = list(templates)
    if composites:
        spec["compositePodGroupTemplates"] = list(composites)
    return _object(version, "Workload", spec)


def _object(version: str, kind: str, spec: Json) -> Json:
    metadata = {"name": "group", "namespace": "ns", "resourceVersion": "1"}
    api_version = f"scheduling.k8s.io/{version}"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `pod` without end."""
    while True:
        seed = rng.getrandbits(48)
        yield {"id": f"group-{seed:x}", **_question(random.Random(seed))}


def _question(rng: random.Random) -> Json:
    version = rng.choice(("v1alpha2", "v1alpha2", "v1alpha3", "v1beta1", "v1beta1"))
    obj = _base(version, rng)
    question: Json = {"default": True, "features": rng.choice(_FEATURES)}
    if rng.random() < 0.35:
        old = copy.deepcopy(obj)
        if rng.random() < 0.5:
            _spoil(old, rng)
        if version != "v1alpha2" and rng.random() < 0.1:
            old["apiVersion"] = "scheduling.k8s.io/v1alpha3"
        question["old"] = old
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        _spoil(obj, rng)
    question["object"] = obj
    return question


def _base(version: str, rng: random.Random) -> Json:
    choice = rng.random()
    if choice < 0.45:
        return group(version)
    plain = [template("a"), template("b", [_claims()[0]]), template("c", [])]
    if choice < 0.75 or version == "v1alpha2":
        return workload(version, *plain[: rng.choice((1, 2, 3))])
    nested = composite("y", template("d"), inner=(composite("z", template("e")),))
    return workload(version, composites=(composite("x", *plain[:2]), nested))


def _spoil(obj: Json, rng: random.Random) -> None:
    """Changes one thing about the claims, or about a list of templates."""
    spec = obj["spec"]
    lists = list(_template_lists(spec))
    if lists and rng.random() < 0.3:
        _spoil_templates(rng.choice(lists), rng)
        return
    holders = [spec] if obj["kind"] == "PodGroup" else [t for one in lists for t in one if t]
    if not holders:
        return
    holder = rng.choice(holders)  # a composite template as well, which has no claims
    part = {"resourceClaims": holder.pop("resourceClaims", [])}
    if rng.random() < 0.25:
        part["resourceClaims"] = _many(rng)
    else:
        spoil(part, rng)
    holder |= part


def _many(rng: random.Random) -> list[Json]:
    """About as many claims as are allowed, some of them of one name."""
    names = [rng.choice("abcdef") for _ in range(rng.choice((1, 2, 3, 4, 4, 5, 5, 6)))]
    return [
        {
            "name": name,
            rng.choice(("resourceClaimName", "resourceClaimTemplateName")): f"{name}-claim",
        }
        for name in names
    ]


def _template_lists(level: Json) -> Iterator[list[Json]]:
    if isinstance(level.get("podGroupTemplates"), list):
        yield level["podGroupTemplates"]
    composites = level.get("compositePodGroupTemplates")
    if isinstance(composites, list):
        yield composites
        for one in filter(None, composites):
            yield from _template_lists(one)


def _spoil_templates(templates: list[Json], rng: random.Random) -> None:
    choice = rng.randrange(6)
    if choice == 0 and templates:
        first = templates[0] or template("a")
        size = rng.choice((7, 8, 9, 10))
        templates[:] = [copy.deepcopy(first) | {"name": f"t{i}"} for i in range(size)]
    elif choice == 1:
        rng.shuffle(templates)
    elif choice == 2 and templates:
        templates.pop(rng.randrange(len(templates)))
    elif choice == 3:
        templates.append(template(rng.choice("abcdq")))
    elif choice == 4 and templates:
        chosen = rng.choice(templates)
        if chosen:
            chosen["name"] = rng.choice(("a", "b", "q", "", "A", "x" * 64))
    else:
        templates.insert(rng.randrange(len(templates) + 1), None)  # type: ignore[arg-type] # a null entry
