"""Pod specs that are not checked again get the answer that a check would have given."""

from __future__ import annotations

import copy
from pathlib import Path
from random import Random
from typing import Any

import yaml
from hypothesis import given, settings, strategies as st

from dradsl.kube.pods.workloads import PLACES
from dradsl.kube.server.api_server import ApiServer
from dradsl.kube.server.pod_checks import PodChecks
from dradsl.releases import RELEASES
from tests.kube.mutations import mutated

FEATURES = RELEASES["1.36"].features()
OBJECTS = [
    each
    for each in yaml.safe_load((Path(__file__).parent / "workloads/bases.yaml").read_text())
    if (each["apiVersion"], each["kind"]) in PLACES
]
SPEC: dict[str, Any] = {
    "resourceClaims": [
        {"name": "a", "resourceClaimName": "x"},
        {"name": "b", "resourceClaimTemplateName": "y"},
    ],
    "containers": [
        {
            "name": "c",
            "resources": {
                "claims": [{"name": "a"}, {"name": "b", "request": "r1"}],
                "limits": {"cpu": 1, "example.com/gpu": "2"},
                "requests": {"example.com/gpu": 2},
            },
        }
    ],
    "initContainers": [{"name": "i", "resources": {"claims": [{"name": "a", "request": "q"}]}}],
    "ephemeralContainers": [{"name": "e"}],
    "resources": {"limits": {"cpu": 2}},
}
STATIC = {"kubernetes.io/config.mirror": "x"}
NAMES: list[Any] = ["x", "y", "a-1", "a.b", "A", "", "x" * 70, None, 5, [], "\ud800"]


def _variants(random: Random) -> list[Any]:
    """Specs of few forms: the same broken ones with other names of claims, and parts moved."""
    specs = [SPEC, *(mutated(SPEC, random) for _ in range(2))]
    found = []
    for _ in range(12):
        spec = copy.deepcopy(random.choice(specs))
        entries = spec.get("resourceClaims")
        for entry in entries if isinstance(entries, list) else ():
            for field in ("resourceClaimName", "resourceClaimTemplateName"):
                if isinstance(entry, dict) and field in entry:
                    entry[field] = random.choices(NAMES, [8, 8, 8, 4, *[1] * 7])[0]
        if random.random() < 0.1:
            _misplace(spec, random)
        if random.random() < 0.1:
            parts = random.sample(["containers", "initContainers", "ephemeralContainers"], 2)
            spec[parts[0]], spec[parts[1]] = spec.get(parts[1]), spec.get(parts[0])
        found.append(spec)
    return found


def _misplace(spec: dict[str, Any], random: Random) -> None:
    """Puts claims where they are not looked for, or not allowed."""
    containers = spec.get("containers")
    container = containers[0] if isinstance(containers, list) and containers else {}
    places = [spec, spec.get("resources"), container]
    place = random.choice([each for each in places if isinstance(each, dict)])
    place[random.choice(["claims", "claims", "resourceClaims"])] = random.choice(
        [[{"name": "a", "resourceClaimName": "x"}], [{"name": "a"}], [], 7]
    )


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_as_if_checked_alone(seed: int) -> None:
    random = Random(seed)
    checks = PodChecks(FEATURES)
    for spec in _variants(random):
        before = copy.deepcopy(spec)
        annotations = random.choices([{}, STATIC], [5, 1])[0]
        path = random.choice([(), ("spec", "template", "spec")])
        alone = ApiServer(RELEASES["1.36"], FEATURES).pod(spec, annotations, path)
        assert checks.errors(spec, annotations, path) == alone
        assert spec == before


def _renamed(obj: dict[str, Any], random: Random) -> dict[str, Any]:
    """The object with other names, labels and claims; now and then they do not fit together, or are wrong."""
    found = copy.deepcopy(obj)
    *above, last = PLACES[obj["apiVersion"], obj["kind"]]
    inner = found
    for step in above:
        inner = inner[step]
    name = random.choices(NAMES, [8, 8, 8, *[1] * 8])[0]
    found["metadata"]["name"] = name
    for metadata in (found["metadata"], inner.setdefault("metadata", {})):
        if random.random() < 0.9:
            metadata["labels"] = {"app": name}
    selector = found["spec"].get("selector") if "spec" in found else None
    if isinstance(selector, dict) and "matchLabels" in selector and random.random() < 0.9:
        selector["matchLabels"] = {"app": name}
    if obj["kind"] == "StatefulSet" and random.random() < 0.8:
        found["spec"]["serviceName"] = random.choice([name, *NAMES])
    spec = inner[last]
    if random.random() < 0.9:
        spec["containers"][0]["name"] = name
    if spec.get("resourceClaims") and random.random() < 0.2:
        spec["resourceClaims"][0]["name"] = random.choice(NAMES)
    if random.random() < 0.1:
        inner["metadata"]["labels"] = {"job-name": name, "app": name}
    return found


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["1.34", "1.37"]))
def test_whole_objects_as_if_checked_alone(seed: int, release: str) -> None:
    random = Random(seed)
    first = RELEASES[release]
    server = ApiServer(first, first.features())
    base = random.choice(OBJECTS)
    for obj in [base, *(_renamed(base, random) for _ in range(6))]:
        alone = ApiServer(first, first.features())
        expected = alone.workload(obj)
        decoded = server.workload(obj)
        assert decoded == expected
        assert server.workload_values(obj, decoded) == alone.workload_values(obj, expected)
