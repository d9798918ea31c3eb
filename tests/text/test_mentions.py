"""The words of each topic are in the names of the API that it stands for, and each word is needed for one."""

from __future__ import annotations

import pytest

from dradsl.kube.fields.table import GROUP, KINDS, VERSIONS, _blocks, fields_of
from dradsl.kube.pods.claim_entries import SOURCES
from dradsl.kube.pods.fields import means_claims
from dradsl.kube.pods.workloads import PLACES
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from dradsl.text import mentions
from dradsl.text.mentions import Topic

# Of pods: the fields that hold lists of claims.
LISTS = {"resourceClaims", "claims"}
VERSION_LINES = {f"apiVersion: {GROUP}/{version}" for version in VERSIONS}
EVERY_NAME = {
    name
    for release in RELEASES
    for version in VERSIONS
    for struct in _blocks()
    for name in fields_of(struct, version, release)
} | set(KINDS)
OF_DEVICES = {name for name in EVERY_NAME if "device" in name.lower() or "claim" in name.lower()}
BRINGING = {name for name in OF_DEVICES if "DeviceClass" in name or "deviceClass" in name} | {
    *SOURCES,
    *(kind for kind in KINDS if kind.startswith("ResourceClaim")),
    "resourceClaims",
    "resourceclaims",
    "deviceclasses",
}
VALUES = {"draExistingClaimTemplate", "resourceClaims", "claim", "draEnabled"}
PATCHED = {
    "deviceClassName",
    "devices",
    "/spec/devices/requests/0",
    *LISTS,
    *SOURCES,
}

NAMES: dict[str, set[str]] = {
    "CLAIM_LISTS": LISTS | VERSION_LINES,
    "CLAIM_TEMPLATES": LISTS | VERSION_LINES | {"resourceClaimTemplateName"},
    "CLASSES": LISTS | VERSION_LINES | {"deviceClassName"},
    "CLAIM_SOURCES": BRINGING | VERSION_LINES,
    "CLAIM_VALUES": VALUES,
    "DEVICES": OF_DEVICES | LISTS | set(SOURCES),
    "PATCHED": PATCHED | VERSION_LINES,
    "PATCHES": {"patches", "patchesStrategicMerge", "patchesJson6902", "kustomizePatches"},
    "GENERATORS": {"configMapGenerator", "secretGenerator"},
    "KUSTOMIZE": {"kustomization.yaml", "Kustomization", "kind: Kustomization", "kustomize:"},
}


def test_every_topic_has_its_names() -> None:
    topics = {name for name, value in vars(mentions).items() if isinstance(value, Topic)}
    assert topics == set(NAMES) == set(mentions.__all__) - {"Topic"}


@pytest.mark.parametrize("topic", NAMES)
def test_a_topic_is_in_all_of_its_names(topic: str) -> None:
    asked: Topic = getattr(mentions, topic)
    assert {name for name in NAMES[topic] if not asked.is_in(f"a: b\n{name}: c\n")} == set()
    assert not asked.is_in("spec: {replicas: 2, nodes: [a], selector: {app: x}}")


@pytest.mark.parametrize("topic", NAMES)
def test_each_word_of_a_topic_is_needed(topic: str) -> None:
    words = getattr(mentions, topic).words
    for word in words:
        others = Topic(tuple(each for each in words if each != word))
        assert any(not others.is_in(name) for name in NAMES[topic]), word


def test_fields_of_pods_that_mean_claims_are_these() -> None:
    """A name that the decoder takes for a list of claims is in a topic of all claims."""
    assert all(means_claims(name) for name in LISTS)
    server = ApiServer(RELEASES["1.37"], RELEASES["1.37"].features())
    for name in ("resourceClaim", "resource_claims", "podClaims"):
        (version, kind), place = next(iter(PLACES.items()))
        assert server.workload({"apiVersion": version, "kind": kind, place[0]: {name: []}})
        assert mentions.DEVICES.is_in(name)
        assert mentions.CLAIM_VALUES.is_in(name) or name.islower()
