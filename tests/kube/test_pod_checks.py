"""Pod specs that are not checked again get the answer that a check would have given."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from hypothesis import given, settings, strategies as st

from dradsl.kube.pods.spec import validate_pod_spec
from dradsl.kube.server.pod_checks import PodChecks
from dradsl.releases import RELEASES
from tests.kube.mutations import mutated

FEATURES = RELEASES["1.36"].features()
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
        alone = validate_pod_spec(spec, FEATURES, annotations=annotations, path=path)
        assert checks.errors(spec, annotations, path) == alone
        assert spec == before
