"""What is rejected with which question, and what each answer leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.migrate.planning.answers import AnswersError, literal, read_answers, write_answers
from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, only, pod, run, with_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.migrate.result import Item, Migration


def requests(migration: Migration) -> list[dict[str, Any]]:
    """The requests of the one new template."""
    made = data_of(migration.files[0].text)
    (template,) = (obj for obj in made if obj["kind"] == "ResourceClaimTemplate")
    found: list[dict[str, Any]] = template["spec"]["spec"]["devices"]["requests"]
    return found


def exactly(migration: Migration) -> dict[str, Any]:
    (request,) = requests(migration)
    result: dict[str, Any] = request["exactly"]
    return result


@pytest.mark.parametrize(
    ("resource", "amount", "wanted"),
    [
        ("nvidia.com/gpu", "2", {"deviceClassName": "gpu.nvidia.com", "count": 2}),
        ("gpu.intel.com/xe", "1", {"deviceClassName": "gpu.intel.com"}),
        ("habana.ai/gaudi", "8", {"deviceClassName": "gaudi.intel.com", "count": 8}),
        (
            "nvidia.com/mig-1g.10gb",
            "1",
            {
                "deviceClassName": "mig.nvidia.com",
                "selectors": [
                    {
                        "cel": {
                            "expression": 'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"'
                        }
                    }
                ],
            },
        ),
    ],
)
def test_resources_become_requests(resource: str, amount: str, wanted: dict[str, Any]) -> None:
    migration = run(with_gpu(amount, resource))
    assert exactly(migration) == wanted
    assert migration.faults == ()


@pytest.mark.parametrize(
    ("text", "question", "words"),
    [
        (with_gpu("1.5"), None, "no whole number"),
        (with_gpu("33"), None, "at most 32"),
        (with_gpu(resource="nvidia.com/gpu.shared"), "sharing", "share of a device"),
        (with_gpu("2", "nvidia.com/gpu.shared"), None, "give no more than one"),
        (with_gpu(resource="gpu.intel.com/millicores"), None, "part of a GPU"),
        (with_gpu(resource="gpu.intel.com/i915_monitoring"), "accept", "adminAccess"),
        (with_gpu(resource="volcano.sh/vgpu-memory"), None, "Volcano"),
        (with_gpu(resource="nvidia.com/gpumem"), None, "how many GPUs"),
        (with_gpu(resource="aws.amazon.com/neuron"), "accept", "not confirmed"),
        (with_gpu(resource="aws.amazon.com/neuroncore"), None, "per core"),
        (with_gpu(rest="  nodeName: node-1\n"), "node-name", "bypasses the scheduler"),
        (
            with_gpu(rest="  nodeName: node-1\n  affinity: {nodeAffinity: {}}\n"),
            "node-name",
            "bypasses the scheduler",
        ),
        (
            with_gpu(rest="  nodeName: node-1\n  affinity: {nodeAffinity: {x: y}}\n"),
            None,
            "bypasses the scheduler",
        ),
        (
            with_gpu(rest="  nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4-SHARED}\n"),
            "sharing",
            "shared GPUs",
        ),
        (
            with_gpu(rest="  resourceClaims: [{name: x, resourceClaimTemplateName: elsewhere}]\n"),
            "existing-claims",
            "claims already",
        ),
    ],
)
def test_rejections(text: str, question: str | None, words: str) -> None:
    migration = run(text)
    item = only(migration)
    assert item.outcome is Outcome.REJECTED
    assert item.question == question
    assert words in item.reason
    assert migration.files[0].text == text


def test_a_node_that_is_named_becomes_an_affinity() -> None:
    """Only the scheduler allocates claims: a pod may name its node as the controller of a DaemonSet does."""
    rest = "  nodeName: ${NODE}\n  affinity: {podAffinity: {a: b}}\n"
    migration = run(with_gpu(rest=rest), answers={"node-name": "affinity"})
    assert (migration.faults, only(migration).outcome) == ((), Outcome.TRANSLATED)
    spec = data_of(migration.files[0].text)[0]["spec"]
    assert "nodeName" not in spec
    field = {"key": "metadata.name", "operator": "In", "values": ["${NODE}"]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    assert spec["affinity"] == {
        "podAffinity": {"a": "b"},
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms},
    }
    kept = run(
        with_gpu(rest=rest), answers={"strategy": "extended-resource", "node-name": "affinity"}
    )
    assert only(kept).outcome is Outcome.REJECTED


def test_limits_that_requests_contradict_are_rejected() -> None:
    text = with_gpu() + "      requests: {nvidia.com/gpu: 2}\n"
    assert "differ" in only(run(text)).reason


def test_a_share_is_a_capacity_request() -> None:
    migration = run(
        with_gpu(resource="nvidia.com/gpu.shared"), answers={"sharing": "consumable-shares"}
    )
    assert exactly(migration)["capacity"] == {"requests": {"shares": "1"}}
    assert migration.faults == ()


def test_time_slicing_in_another_file_of_the_run_is_known() -> None:
    config = (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  any: |\n"
        "    version: v1\n    sharing:\n      timeSlicing:\n        resources:\n"
        "        - {name: nvidia.com/gpu, replicas: 4}\n"
    )
    items = list(run(with_gpu() + config).items())
    assert [item.question for item in items] == ["sharing", None]


def test_mig_single_needs_a_profile() -> None:
    assert only(run(with_gpu(), answers={"mig-strategy": "single"})).question == "mig-profile"
    answers = {"mig-strategy": "single", "mig-profile": "1g.10gb"}
    request = exactly(run(with_gpu("2"), answers=answers))
    assert request["deviceClassName"] == "mig.nvidia.com"
    assert "1g.10gb" in request["selectors"][0]["cel"]["expression"]


HAMI = pod(
    "  containers:\n  - name: main\n    image: i\n    resources:\n      limits:\n"
    "        nvidia.com/gpu: 2\n        nvidia.com/gpumem: 3000\n        nvidia.com/gpucores: 30\n"
).replace("{name: a}", '{name: a, annotations: {nvidia.com/use-gputype: "A100,V100"}}')


def test_hami_amounts_become_capacity_of_different_cards() -> None:
    migration = run(HAMI, answers={"fraction-driver": "hami"})
    request = exactly(migration)
    assert request["count"] == 2
    assert request["capacity"] == {"requests": {"memory": "3000Mi", "cores": "30"}}
    (selector,) = request["selectors"]
    assert '.contains("a100") || ' in selector["cel"]["expression"]
    assert "distinctAttribute: hami-core-gpu.project-hami.io/uuid" in migration.files[0].text
    assert migration.faults == ()


def test_nvidia_s_driver_does_not_divide_cores() -> None:
    items = list(run(HAMI, answers={"fraction-driver": "nvidia"}).items())
    assert {item.outcome for item in items} == {Outcome.REJECTED}


def visible(amount: str, value: str) -> str:
    return pod(
        f'  containers:\n  - name: main\n    env:\n    - {{name: NVIDIA_VISIBLE_DEVICES, value: "{value}"}}\n'
        f"    - {{name: B, value: b}}\n    image: i\n    resources: {{limits: {{nvidia.com/gpu: {amount}}}}}\n"
    )


def test_visible_devices_without_a_request_is_never_guessed() -> None:
    item = only(run(visible("0", "0"), answers={"visible-devices": "remove"}))
    assert item.outcome is Outcome.REJECTED


def test_a_variable_for_devices_of_others_says_nothing() -> None:
    text = visible("1", "all").replace("NVIDIA_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES")
    assert only(run(text)).outcome is Outcome.TRANSLATED


def test_visible_devices_beside_a_request_is_a_question() -> None:
    assert only(run(visible("1", "all"))).question == "visible-devices"
    assert only(run(visible("1", "void"))).outcome is Outcome.TRANSLATED
    text = run(visible("1", "all"), answers={"visible-devices": "remove"}).files[0].text
    assert "NVIDIA_VISIBLE_DEVICES" not in text
    assert "{name: B, value: b}" in text


def init_and_main(init: int, main: int, restart: str = "") -> str:
    return pod(
        f"  initContainers:\n  - name: warm\n    image: i\n{restart}"
        f"    resources: {{limits: {{nvidia.com/gpu: {init}}}}}\n"
        f"  containers:\n  - name: main\n    image: i\n    resources: {{limits: {{nvidia.com/gpu: {main}}}}}\n"
    )


def test_init_containers_share_the_devices_of_containers() -> None:
    migration = run(init_and_main(2, 2))
    assert exactly(migration)["count"] == 2
    assert migration.files[0].text.count("request: main-gpu") == 2


def test_init_containers_with_another_number_are_a_question() -> None:
    items: list[Item] = list(run(init_and_main(1, 2)).items())
    assert "init-containers" in {item.question for item in items}
    answered = run(init_and_main(1, 2), answers={"init-containers": "separate"})
    assert sorted(r["exactly"].get("count", 1) for r in requests(answered)) == [1, 2]


def test_sidecars_keep_devices_of_their_own() -> None:
    migration = run(init_and_main(1, 1, "    restartPolicy: Always\n"))
    assert len(requests(migration)) == 2


def test_containers_get_a_request_each() -> None:
    two = "  containers:\n" + "".join(
        f"  - name: {name}\n    image: i\n    resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
        for name in ("a", "b")
    )
    assert [r["name"] for r in requests(run(pod(two)))] == ["a-gpu", "b-gpu"]


def test_claims_of_other_devices_do_not_stand_in_the_way() -> None:
    network = (
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: net}\n"
        "spec: {spec: {devices: {requests: [{name: n, exactly: {deviceClassName: dra.cpu}}]}}}\n"
    )
    rest = "  resourceClaims: [{name: devices, resourceClaimTemplateName: net}]\n"
    migration = run(with_gpu(rest=rest) + network)
    assert only(migration).outcome is Outcome.TRANSLATED
    assert "name: devices-2" in migration.files[0].text


def test_a_crd_that_may_drop_claims_is_a_question() -> None:
    text = with_gpu().replace("v1\nkind: Pod", "example.com/v1\nkind: Thing", 1)
    item = only(run(text))
    assert (item.question, item.hint) == ("accept", "Thing.example.com")
    assert only(run(text, answers={"accept": "Thing.example.com"})).outcome is Outcome.TRANSLATED


def test_ray_is_told_the_number_that_it_read_off_the_limit() -> None:
    text = (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec:\n  workerGroupSpecs:\n"
        "  - groupName: g\n    template:\n      spec:\n        containers:\n        - name: w\n"
        "          image: i\n          resources: {limits: {nvidia.com/gpu: 4}}\n"
    )
    migration = run(text)
    assert '      num-gpus: "4"' in migration.files[0].text
    assert migration.faults == ()


def test_answers_of_one_workload_do_not_hold_for_others(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(
        "version: 1\nanswers: {sharing: exclusive}\nworkloads:\n"
        "- {workload: 'Pod ml/*', mig-strategy: single, mig-profile: 1g.5gb}\n"
    )
    answers = read_answers(path)
    assert answers.decide("f", "Pod ml/a").mig_profile == "1g.5gb"
    assert answers.decide("f", "Pod b").mig_profile is None
    more = answers.answering(literal("Pod [x]"), "accept", "Thing.example.com")
    write_answers(path, more)
    again = read_answers(path)
    assert again.decide("f", "Pod [x]").accept == {"Thing.example.com"}
    assert again.decide("f", "Pod x").accept == frozenset()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a", "mapping"),
        ("answer: {}", "unknown key"),
        ("version: 2", "version"),
        ("answers: {sharing: maybe}", "maybe"),
        ("answers: {colour: red}", "no question"),
        ("workloads: [{workload: 1}]", "pattern"),
        ("a: [", "a.yaml"),
    ],
)
def test_bad_answers_are_told(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(AnswersError, match=words):
        read_answers(path)


def test_kinds_without_a_namespace_are_a_question() -> None:
    text = with_gpu().replace(
        "v1\nkind: Pod", "trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime", 1
    )
    item = only(run(text))
    assert (item.question, item.hint) == ("accept", "ClusterTrainingRuntime.trainer.kubeflow.org")
    answered = only(run(text, answers={"accept": item.hint}))
    assert any("every namespace" in note for note in answered.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\n"
            "spec: {hard: {requests.nvidia.com/gpu: 4}}\n",
            "deviceclass.resource.k8s.io",
        ),
        (
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: q}\n"
            "spec: {resourceGroups: [{coveredResources: [cpu, nvidia.com/gpu]}]}\n",
            "deviceClassMappings",
        ),
        (
            "apiVersion: v1\nkind: LimitRange\nmetadata: {name: q}\n"
            "spec: {limits: [{default: {nvidia.com/gpu: 1}}]}\n",
            "defaults",
        ),
        (
            pod(
                "  containers:\n  - {name: c, image: i, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}\n"
            ),
            "without asking",
        ),
    ],
)
def test_what_counts_or_sees_devices_is_told(text: str, words: str) -> None:
    migration = run(text)
    (note,) = migration.files[0].notes
    assert words in note
    assert migration.files[0].text == text


def test_a_percentage_needs_cards_of_one_size() -> None:
    text = HAMI.replace("nvidia.com/gpumem: 3000", "nvidia.com/gpumem-percentage: 50")
    answers = {"fraction-driver": "hami"}
    assert "(--slices)" in next(run(text, answers=answers).items()).reason

    def slices(*sizes: str) -> tuple[dict[str, Any], ...]:
        devices = [
            {"name": f"d{number}", "capacity": {"memory": {"value": size}}}
            for number, size in enumerate(sizes)
        ]
        spec = {"driver": "hami-core-gpu.project-hami.io", "nodeName": "n", "devices": devices}
        return ({"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1", "spec": spec},)

    same = run(text, answers=answers, inventory=slices("24Gi", "24Gi"), prove=False)
    assert exactly(same)["capacity"]["requests"]["memory"] == "12288Mi"
    other = run(text, answers=answers, inventory=slices("24Gi", "16Gi"), prove=False)
    assert other.count(Outcome.REJECTED) == 3


def test_hami_s_annotation_alone_asks_for_whole_cards() -> None:
    text = HAMI.replace("        nvidia.com/gpumem: 3000\n        nvidia.com/gpucores: 30\n", "")
    migration = run(text, answers={"fraction-driver": "nvidia"})
    request = exactly(migration)
    assert request.keys() == {"deviceClassName", "count", "selectors"}
    assert "constraints" not in migration.files[0].text
    assert migration.faults == ()


@pytest.mark.parametrize(
    "other",
    [
        "apiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {name: d}\n"
        "spec: {numNodes: 2, channel: {resourceClaimTemplate: {name: t}}}\n",
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: own}\n"
        "spec: {selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}\n---\n"
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
        "spec: {spec: {devices: {requests: [{name: n, exactly: {deviceClassName: own}}]}}}\n",
    ],
)
def test_claims_of_drivers_that_the_run_tells_of(other: str) -> None:
    rest = "  resourceClaims: [{name: net, resourceClaimTemplateName: t}]\n"
    migration = run(f"{with_gpu(rest=rest)}---\n{other}")
    assert only(migration).outcome is Outcome.TRANSLATED


def test_a_kind_with_claims_already_keeps_them() -> None:
    rest = "  resourceClaims: [{name: net, resourceClaimTemplateName: t}]\n"
    text = with_gpu(rest=rest).replace("v1\nkind: Pod", "example.com/v1\nkind: Thing", 1)
    item = only(run(text, answers={"existing-claims": "other-devices"}))
    assert item.outcome is Outcome.TRANSLATED


def test_shares_bring_no_mps_along() -> None:
    text = with_gpu().replace(
        "image: i", "image: i\n    env: [{name: CUDA_MPS_PIPE_DIRECTORY, value: x}]"
    )
    assert only(run(text)).question == "sharing"
    answered = only(run(text, answers={"sharing": "consumable-shares"}))
    assert any("MPS" in note for note in answered.notes)


@pytest.mark.parametrize("topology", ["<tpu_topology>", "${TOPOLOGY}", "2x"])
def test_a_topology_that_is_a_placeholder_has_no_chips(topology: str) -> None:
    rest = f'  nodeSelector: {{cloud.google.com/gke-tpu-topology: "{topology}"}}\n'
    item = only(run(with_gpu("4", "google.com/tpu", rest)))
    assert item.outcome is Outcome.REJECTED
    assert "is a placeholder, not of the form NxM" in item.reason


@pytest.mark.parametrize("amount", ["GPU_COUNT", "${GPUS}", "<NUMBER>", "$(GPUS)", "__GPUS__"])
def test_a_class_answers_an_amount_that_a_script_fills_in(amount: str) -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: i\n"
        f'    resources:\n      limits:\n        nvidia.com/gpu: "{amount}"\n'
    )
    item = only(run(text))
    assert item.outcome is Outcome.REJECTED
    assert any(route.startswith("--set strategy=extended-resource") for route in item.routes)
    migration = run(text, answers={"strategy": "extended-resource"})
    assert only(migration).outcome is Outcome.TRANSLATED
    assert migration.files[0].text == text


def test_a_broken_amount_is_answered_by_nothing() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: i\n"
        '    resources:\n      limits:\n        nvidia.com/gpu: "half of one"\n'
    )
    assert not only(run(text)).routes
    assert only(run(text, answers={"strategy": "extended-resource"})).outcome is Outcome.REJECTED


def test_classes_answer_each_use_of_a_pod_for_itself() -> None:
    """The requests stay: what has no class yet stays with its plugin. But the scheduler makes one claim of all of them."""
    text = pod(
        "  containers:\n  - name: a\n    image: i\n    resources:\n"
        "      limits: {nvidia.com/gpu: 8, amd.com/gpu: 8, aws.amazon.com/neuron: 1}\n"
    )
    by_class = {"strategy": "extended-resource"}
    few = run(text, answers=by_class)
    assert [item.outcome for item in few.items()] == [
        Outcome.TRANSLATED,
        Outcome.TRANSLATED,
        Outcome.REJECTED,
    ]
    assert [item.question for item in few.items()] == [None, None, "accept"]
    many = run(text.replace("amd.com/gpu: 8", "amd.com/gpu: 32"), answers=by_class)
    assert {item.outcome for item in many.items()} == {Outcome.REJECTED}


@pytest.mark.parametrize(
    ("resource", "amount", "answer", "wanted"),
    [
        ("aws.amazon.com/neuroncore", "3", "neuron.aws.com/2", {"count": 2}),
        ("aws.amazon.com/neuroncore", "8", "neuron.aws.com/8", {}),
        ("aliyun.com/gpu-mem", "7", "gpu.nvidia.com/24", {}),
    ],
)
def test_whole_devices_take_the_place_of_parts(
    resource: str, amount: str, answer: str, wanted: dict[str, Any]
) -> None:
    """The route that the rejection prints works, and gives at least as much as was asked for."""
    text = with_gpu(amount, resource)
    (route,) = only(run(text)).routes
    assert route.startswith(f"--set class={resource}={answer.partition('/')[0]}/")
    answers: dict[str, object] = {"class": {resource: answer}}
    migration = run(text, answers=answers)
    assert exactly(migration) == {"deviceClassName": answer.partition("/")[0], **wanted}
    assert any("no other pod has" in note for note in only(migration).notes)
    by_class = run(text, answers={**answers, "strategy": "extended-resource"})
    assert only(by_class).outcome is Outcome.REJECTED


@pytest.mark.parametrize("answer", ["neuron.aws.com/0", "neuron.aws.com/", "neuron.aws.com/x/2"])
def test_units_of_a_device_are_a_number(answer: str) -> None:
    with pytest.raises(ValueError, match="is not a legal name"):
        run(with_gpu(), answers={"class": {"aws.amazon.com/neuroncore": answer}})


def test_a_monitor_is_accepted_by_the_answer_that_is_offered() -> None:
    """The choice of the question leads to admin access; others would leave it open."""
    text = with_gpu(resource="gpu.intel.com/i915_monitoring")
    item = only(run(text))
    assert (item.question, item.hint) == ("accept", "gpu.intel.com/i915_monitoring")
    migration = run(text, answers={"accept": "gpu.intel.com/i915_monitoring"})
    assert exactly(migration)["adminAccess"] is True
