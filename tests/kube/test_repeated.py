"""An admission that is used again is the one that the object would have got itself."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.kube.context import Context
from dradsl.kube.expressions import Expressions
from dradsl.kube.server.admission import DEFAULT_NAMESPACE, Admission, admit
from dradsl.kube.server.api_server import ApiServer
from dradsl.kube.server.repeated import Admissions
from dradsl.releases import Features, Release, get_release, validation_of
from tests.kube.mutations import bases, mutated, question

RELEASE = get_release("1.36")
FEATURES = RELEASE.features()
OBJECTS = [base["object"] for base in bases()]
NAMES: list[tuple[Any, Any]] = [
    ("a", None),
    ("b", None),
    ("b", "team"),
    ("c", "other-team"),
    ("c", ""),
    ("", "team"),
    (None, "team"),
    (7, "team"),
    ("Upper", "team"),
    ("a.b", "team"),
    ("b", "Team"),
    ("x" * 70, "y" * 70),
    ("1g.10gb", "7"),
]


# Two of them in a claim are allowed, three cost too much together.
COSTLY = " && ".join(["(" + 'device.attributes["d"].all(a, ' * 3 + "true)))" + ")"] * 4)


def context_of(release: Release, features: Features) -> Context:
    return Context(features, validation_of(release.name), Expressions(release, features))


CONTEXT = context_of(RELEASE, FEATURES)


def alone(
    obj: Any, labels: Any, release: Release = RELEASE, context: Context = CONTEXT
) -> Admission:
    return admit(obj, release, context, namespace=DEFAULT_NAMESPACE, namespace_labels=labels)


def plain(obj: Any) -> Admission:
    return alone(obj, None)


def named(obj: Any, name: Any, namespace: Any) -> Any:
    made = copy.deepcopy(obj)
    made.setdefault("metadata", {})
    made["metadata"].pop("namespace", None)
    made["metadata"]["name"] = name
    if namespace is not None:
        made["metadata"]["namespace"] = namespace
    return made


def test_there_are_objects() -> None:
    assert {obj["kind"] for obj in OBJECTS} >= {"ResourceClaim", "ResourceSlice", "DeviceClass"}


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_as_if_admitted_alone(number: int) -> None:
    admissions = Admissions(RELEASE, CONTEXT)
    for name, namespace in (*NAMES, *NAMES):  # the second time all of them are known
        obj = named(OBJECTS[number], name, namespace)
        before = copy.deepcopy(obj)
        assert admissions.admit(obj, None) == plain(before)
        assert obj == before


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_objects_as_if_admitted_alone(seed: int) -> None:
    asked = question(RELEASE, Random(seed))
    admissions = Admissions(RELEASE, CONTEXT)
    labels = asked.get("namespaceLabels")
    for name, namespace in (("a", "b"), ("c", "d"), ("c", None)):
        obj = asked["object"]
        if isinstance(obj, dict) and isinstance(obj.get("metadata"), dict):
            obj = named(obj, name, namespace)
        assert admissions.admit(obj, labels) == alone(obj, labels)


def test_content_and_namespace_labels_matter() -> None:
    claim = next(obj for obj in OBJECTS if obj["kind"] == "ResourceClaim")
    admissions = Admissions(RELEASE, CONTEXT)
    assert admissions.admit(claim, None) == plain(claim)
    other = copy.deepcopy(claim)
    other["spec"] = {"devices": {"requests": [{"name": "a"}]}}
    assert admissions.admit(other, None) == plain(other)
    admin = copy.deepcopy(claim)
    admin["spec"] = {
        "devices": {
            "requests": [{"name": "a", "exactly": {"deviceClassName": "gpu", "adminAccess": True}}]
        }
    }
    labels = {"resource.kubernetes.io/admin-access": "true"}
    assert admissions.admit(admin, labels).accepted
    assert not admissions.admit(admin, {}).accepted
    assert admissions.admit(admin, labels).accepted


def test_derived_attributes_are_judged_across_known_parts() -> None:
    """Each part was accepted before; together they cost too much, or are of no use."""
    release = get_release("1.37")
    server = ApiServer(release, release.features({"DRADerivedAttributes": True}))

    def claim(*names: str, constraints: bool = True) -> dict[str, Any]:
        attribute = {"name": "example.com/d", "expression": COSTLY}
        exactly = {"deviceClassName": "gpu", "derivedAttributes": [attribute]}
        devices: dict[str, Any] = {"requests": [{"name": n, "exactly": exactly} for n in names]}
        if constraints:
            devices["constraints"] = [{"matchAttribute": "example.com/d"}]
        obj = copy.deepcopy(next(o for o in OBJECTS if o["kind"] == "ResourceClaim"))
        return {**obj, "apiVersion": "resource.k8s.io/v1", "spec": {"devices": devices}}

    def said(obj: dict[str, Any]) -> list[str]:
        return [problem.error.reason for problem in server.create(obj).problems]

    for name in ("d", "e", "f", "g"):  # a server remembers from the fifth object on
        assert said(claim(name)) == []
    assert said(claim("a", "b")) == []
    assert said(claim("c")) == []
    assert said(claim("a", "b", "c")) == ["derived-attributes-too-complex"]
    assert said(claim("a", constraints=False)) == ["derived-attribute-unused"]


def claims_of_common_parts(random: Random, count: int) -> list[Any]:
    """Claims of one version whose parts are drawn from a few, some of them broken."""
    version = random.choice(["v1", "v1", "v1beta1", "v1beta2"])
    parts: dict[str, list[Any]] = {"requests": [], "constraints": [], "config": []}
    for obj in OBJECTS:
        if obj["kind"].startswith("ResourceClaim") and obj["apiVersion"].endswith(version):
            spec = obj["spec"].get("spec", obj["spec"])
            for name, items in spec.get("devices", {}).items():
                parts[name] += [_costly(item) for item in items]
    for items in parts.values():
        items[:] = [item for item in items if random.random() < 0.6]
        broken = [mutated({"part": item}, random) for item in items]
        items += [item["part"] for item in broken if "part" in item and random.random() < 0.2]
    return [_claim(f"resource.k8s.io/{version}", parts, random) for _ in range(count)]


def _costly(item: Any) -> Any:
    """The part of a claim with derived attributes, if it has any, that cost much."""
    item = copy.deepcopy(item)
    for body in (item.get("exactly"), *item.get("firstAvailable", ())):
        for attribute in (body or {}).get("derivedAttributes", ()):
            attribute["expression"] = COSTLY
    return item


def _claim(version: str, parts: dict[str, list[Any]], random: Random) -> Any:
    names = random.sample(["r1", "r2", "r3", "a", "b-1"], 3)
    if random.random() < 0.1:
        names[random.randrange(3)] = random.choice(["r1", "a", "A", "", "x" * 64])
    devices: dict[str, Any] = {}
    for list_name, items in parts.items():
        if not items or random.random() < 0.1:
            continue
        picked = copy.deepcopy(random.choices(items, k=random.randint(0, 3)))
        picked *= random.choices([1, 12], [30, 1])[0]
        for item, name in zip(picked, names * 12, strict=False):
            if not isinstance(item, dict):
                continue
            if list_name == "requests":
                item["name"] = name
                names.extend(f"{name}/{alternative}" for alternative in _alternatives(item))
                _ask_otherwise(item.get("exactly"), random)
            elif random.random() < 0.9:
                known = devices.get("requests", [])
                own = [*names[: len(known)], *names[3:]]
                wanted = random.sample(own, random.randint(0, len(own)))
                item["requests"] = wanted if random.random() < 0.9 else [*wanted, "r2"]
        devices[list_name] = picked
    spec = {"devices": devices}
    kind = random.choices(["ResourceClaim", "ResourceClaimTemplate"], [4, 1])[0]
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": _metadata(random),
        "spec": spec if kind == "ResourceClaim" else {"spec": spec},
    }


def _ask_otherwise(exactly: Any, random: Random) -> None:
    """Another class and count, most of them good ones."""
    if not isinstance(exactly, dict):
        return
    if random.random() < 0.5:
        classes = [
            "gpu",
            "gpu.example.com",
            "nic.example.com",
            "Gpu",
            "",
            "a..b",
            "x" * 254,
            7,
            None,
        ]
        exactly["deviceClassName"] = random.choices(classes, [5, 5, 5, 1, 1, 1, 1, 1, 1])[0]
    if random.random() < 0.5:
        counts = [1, 2, 3, 2**31, 0, -1, 2**63, 2.0, True, "2", None]
        exactly["count"] = random.choices(counts, [5, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1])[0]


def _alternatives(request: dict[str, Any]) -> list[Any]:
    items = request.get("firstAvailable")
    if not isinstance(items, list):
        return []
    return [item["name"] for item in items if isinstance(item, dict) and "name" in item]


def _metadata(random: Random) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": random.choice("abc")}
    if random.random() < 0.8:
        metadata["namespace"] = random.choice(["one", "two"])
    for field in ("labels", "annotations"):
        if random.random() < 0.25:
            values = ["x", "y", "", "", "A b", None, 7, "é", "\ud800", "z" * 64]
            value = random.choices(values, [6, 2, 2, *[1] * 7])[0]
            metadata[field] = {random.choice(["app", "app", "-"]): value}
    return metadata


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["1.34", "1.35", "1.36", "1.37"]))
def test_claims_of_common_parts_as_if_admitted_alone(seed: int, name: str) -> None:
    random = Random(seed)
    release = get_release(name)
    gates = {"DRAConsumableCapacity": random.random() < 0.7, "DRADerivedAttributes": True}
    features = release.features({gate: on for gate, on in gates.items() if gate in release.gates})
    context = context_of(release, features)
    admissions = Admissions(release, context)
    admin = {"resource.kubernetes.io/admin-access": "true"}
    for claim in claims_of_common_parts(random, 40):
        labels = random.choices([None, {}, admin], [8, 1, 3])[0]
        before = copy.deepcopy(claim)
        expected = alone(claim, labels, release, context)
        assert admissions.admit(claim, labels) == expected
        assert claim == before
