"""Pod specs in all kinds of objects: where they stand and how many pods they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, strategies as st

from dradsl.kube.pods.workloads import PLACES, pod_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

_POD = "{containers: [{name: c, image: i}]}"


def _found(text: str) -> list[tuple[str, int | None]]:
    found = pod_specs(yaml.safe_load(text.replace("POD", _POD)))
    return [(".".join(map(str, at.path)), at.replicas) for at in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{kind: Pod, spec: POD}", [("spec", 1)]),
        ("{kind: PodTemplate, template: {spec: POD}}", [("template.spec", 1)]),
        ("{kind: Deployment, spec: {template: {spec: POD}}}", [("spec.template.spec", 1)]),
        (
            "{kind: Deployment, spec: {replicas: 3, template: {spec: POD}}}",
            [("spec.template.spec", 3)],
        ),
        (
            "{kind: StatefulSet, spec: {replicas: 0, template: {spec: POD}}}",
            [("spec.template.spec", 0)],
        ),
        (
            "{kind: ReplicaSet, spec: {replicas: 2, template: {spec: POD}}}",
            [("spec.template.spec", 2)],
        ),
        ("{kind: DaemonSet, spec: {template: {spec: POD}}}", [("spec.template.spec", None)]),
        (
            "{kind: Job, spec: {parallelism: 4, completions: 9, template: {spec: POD}}}",
            [("spec.template.spec", 4)],
        ),
        (
            "{kind: CronJob, spec: {jobTemplate: {spec: {parallelism: 2, template: {spec: POD}}}}}",
            [("spec.jobTemplate.spec.template.spec", 2)],
        ),
        (
            "{kind: JobSet, spec: {replicatedJobs: [{replicas: 2, template: {spec: {parallelism: 3,"
            " template: {spec: POD}}}}]}}",
            [("spec.replicatedJobs.0.template.spec.template.spec", 6)],
        ),
        (
            "{kind: RayCluster, spec: {headGroupSpec: {template: {spec: POD}}, workerGroupSpecs:"
            " [{replicas: 5, template: {spec: POD}}]}}",
            [
                ("spec.headGroupSpec.template.spec", 1),
                ("spec.workerGroupSpecs.0.template.spec", 5),
            ],
        ),
        (
            "{kind: RayJob, spec: {rayClusterSpec: {workerGroupSpecs: [{replicas: 2, template:"
            " {spec: POD}}]}}}",
            [("spec.rayClusterSpec.workerGroupSpecs.0.template.spec", 2)],
        ),
        (
            "{kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec:"
            " POD}}, Worker: {replicas: 7, template: {spec: POD}}}}}",
            [
                ("spec.pytorchReplicaSpecs.Master.template.spec", 1),
                ("spec.pytorchReplicaSpecs.Worker.template.spec", 7),
            ],
        ),
        (
            "{kind: LeaderWorkerSet, spec: {replicas: 2, leaderWorkerTemplate: {size: 4,"
            " workerTemplate: {spec: POD}}}}",
            [("spec.leaderWorkerTemplate.workerTemplate.spec", 8)],
        ),
        (
            "{kind: LeaderWorkerSet, spec: {replicas: 2, leaderWorkerTemplate: {size: 4,"
            " leaderTemplate: {spec: POD}, workerTemplate: {spec: POD}}}}",
            [
                ("spec.leaderWorkerTemplate.leaderTemplate.spec", 2),
                ("spec.leaderWorkerTemplate.workerTemplate.spec", 6),
            ],
        ),
        (
            "{kind: Job, apiVersion: batch.volcano.sh/v1alpha1, spec: {tasks: [{replicas: 3,"
            " template: {spec: POD}}]}}",
            [("spec.tasks.0.template.spec", 3)],
        ),
        (
            "{kind: TrainingRuntime, spec: {template: {spec: {replicatedJobs: [{template: {spec:"
            " {template: {spec: POD}}}}]}}}}",
            [("spec.template.spec.replicatedJobs.0.template.spec.template.spec", 1)],
        ),
        (
            "{kind: Workflow, spec: {templates: [{name: main, container: {image: i}}]}}",
            [("spec.templates.0", 1)],
        ),
        (
            "{kind: RayCluster, spec: {workerGroupSpecs: [{replicas: 3, minReplicas: 2, template:"
            " {spec: POD}}, {minReplicas: 2, template: {spec: POD}}]}}",
            [
                ("spec.workerGroupSpecs.0.template.spec", 3),
                ("spec.workerGroupSpecs.1.template.spec", 2),
            ],
        ),
        (
            "{kind: InferenceService, spec: {predictor: {minReplicas: 2, containers: [{image: i}]}}}",
            [("spec.predictor", 1)],
        ),
        (
            "{kind: InferenceService, spec: {predictor: {model: {image: i}, resourceClaims:"
            " [{name: gpu, resourceClaimTemplateName: t}]}}}",
            [("spec.predictor", 1)],
        ),
        (
            "{kind: Anything, spec: {replicas: '{{ n }}', deep: [{er: {template: {spec: POD}}}]}}",
            [("spec.deep.0.er.template.spec", None)],
        ),
        ("{kind: ConfigMap, data: {containers: [{name: c, image: i}]}}", []),
        (
            "{apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, spec: {podGroupTemplates:"
            " [{name: a, resourceClaims: [{name: a, resourceClaimName: b}]}]}}",
            [],
        ),
        (
            "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, spec: {podSets: [{name: a,"
            " template: {spec: {containers: [{name: c}]}}}]}}",
            [("spec.podSets.0.template.spec", 1)],
        ),
        ("{kind: PodGroup, spec: {resourceClaims: [{name: a, resourceClaimName: b}]}}", []),
        ("{kind: Pod, spec: {}}", []),
        ("{kind: Thing, spec: {containers: [1, 2]}}", []),
        ("{kind: Thing, status: {template: {spec: POD}}}", []),
        ("[]", []),
    ],
)
def test_pod_specs(text: str, expected: list[tuple[str, int | None]]) -> None:
    assert _found(text) == expected


def test_metadata_and_names() -> None:
    (pod,) = pod_specs(
        {"kind": "Pod", "metadata": {"annotations": {"a": "b"}}, "spec": yaml.safe_load(_POD)}
    )
    assert pod.named
    assert pod.annotations == {"a": "b"}
    template = {"metadata": {"labels": {"x": "y"}}, "spec": yaml.safe_load(_POD)}
    (pod,) = pod_specs({"kind": "DaemonSet", "spec": {"template": template}})
    assert not pod.named
    assert pod.per_node
    assert pod.metadata == {"labels": {"x": "y"}}
    assert pod.annotations == {}


_ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "kind",
                    "spec",
                    "containers",
                    "replicas",
                    "metadata",
                    "resourceClaims",
                    "size",
                    "leaderWorkerTemplate",
                    "workerTemplate",
                    "container",
                    "name",
                    "image",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(_ANY)
def test_any_data_is_searched(value: Any) -> None:
    for at in pod_specs(value):
        part = value
        for element in at.path:
            part = part[element]
        assert part is at.spec
        assert at.replicas is None or isinstance(at.replicas, int)
        assert at.annotations is not None


def test_deep_nesting_ends() -> None:
    value: Any = yaml.safe_load(_POD)
    for _ in range(5000):
        value = {"x": value}
    assert list(pod_specs(value)) == []


class _Counted(dict[str, Any]):
    """A mapping that counts the keys that are walked over, which a loop in C does unseen."""

    walked = 0

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            self.walked += 1
            yield key


def test_the_numbers_above_a_spec_are_looked_up() -> None:
    """Each of the specs beside each other would otherwise walk over all its neighbours."""

    def walked(size: int) -> int:
        pods = {f"worker-{number}": yaml.safe_load(f"{{spec: {_POD}}}") for number in range(size)}
        pools = _Counted(pods, replicas=2)
        assert [at.replicas for at in pod_specs({"kind": "X", "pools": pools})] == [2] * size
        return pools.walked

    assert walked(40) <= 2 * walked(20)


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("v1", "{kind: Pod, metadata: {annotations: {a: b}}, spec: POD}"),
        ("v1", "{kind: Pod, spec: {volumes: []}}"),
        ("v1", "{kind: PodTemplate, template: {metadata: {name: a}, spec: POD}}"),
        ("v1", "{kind: ReplicationController, spec: {replicas: 2, template: {spec: POD}}}"),
        ("apps/v1", "{kind: DaemonSet, spec: {template: {metadata: {name: a}, spec: POD}}}"),
        ("apps/v1", "{kind: Deployment, spec: {replicas: 3, template: {spec: POD}}}"),
        ("apps/v1", "{kind: StatefulSet, spec: {template: {spec: POD}, volumeClaimTemplates: []}}"),
        ("batch/v1", "{kind: Job, spec: {parallelism: 4, template: {spec: POD}}}"),
        (
            "batch/v1",
            "{kind: CronJob, spec: {jobTemplate: {spec: {parallelism: 2, template: {spec: POD}}}}}",
        ),
    ],
)
def test_the_known_place_is_what_a_search_finds(version: str, text: str) -> None:
    obj = yaml.safe_load(text.replace("POD", _POD))
    searched = list(pod_specs({**obj, "apiVersion": "example.com/v1"}))
    assert list(pod_specs({**obj, "apiVersion": version})) == searched


@pytest.mark.parametrize(("version", "kind"), PLACES)
@pytest.mark.parametrize("stray", [_POD, "{resourceClaims: [{name: a, resourceClaimName: b}]}"])
def test_only_the_known_place_counts(version: str, kind: str, stray: str) -> None:
    """A list of claims or containers at each level above the pod spec is none, and hides none."""
    place = PLACES[version, kind]
    rights: list[dict[str, Any]] = [{}, yaml.safe_load(_POD)]
    for depth in range(len(place)):
        for right in rights:
            obj: dict[str, Any] = {"apiVersion": version, "kind": kind}
            above = obj
            for level, name in enumerate(place):
                if level == depth:
                    above.update(yaml.safe_load(stray))
                above[name] = right if level == len(place) - 1 else {}
                above = above[name]
            assert [at.path for at in pod_specs(obj)] == ([place] if right else [])
