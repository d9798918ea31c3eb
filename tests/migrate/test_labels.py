"""Node labels: conditions on devices where that is sure, kept with a note where it is not."""

from __future__ import annotations

import pytest

from tests.migrate.runs import data_of, fleet, only, run, with_gpu


def selector(text: str) -> str | None:
    """The CEL of the migrated pod's one request, joined."""
    template = data_of(run(text).files[0].text)[1]
    request = template["spec"]["spec"]["devices"]["requests"][0]["exactly"]
    found = [each["cel"]["expression"] for each in request.get("selectors", [])]
    return " && ".join(found) or None


def labelled(*labels: str) -> str:
    return with_gpu(rest="  nodeSelector:\n" + "".join(f"    {label}\n" for label in labels))


def test_a_sure_label_becomes_cel_and_goes() -> None:
    text = labelled("nvidia.com/gpu.family: ampere", "disk: ssd")
    assert selector(text) == 'device.attributes["gpu.nvidia.com"].architecture == "Ampere"'
    after = run(text).files[0].text
    assert "gpu.family" not in after
    assert "    disk: ssd" in after


def test_the_last_label_takes_the_node_selector_with_it() -> None:
    after = run(labelled("nvidia.com/gpu.family: ampere")).files[0].text
    assert "nodeSelector" not in after


def test_a_request_says_itself_that_a_gpu_is_there() -> None:
    text = labelled('nvidia.com/gpu.present: "true"')
    assert selector(text) is None
    assert "gpu.present" not in run(text).files[0].text


@pytest.mark.parametrize(
    "label",
    [
        "nvidia.com/gpu.product: Some-New-Card-80GB",
        'nvidia.com/gpu.count: "8"',
        'nvidia.com/gpu.memory: "81920"',
        'nvidia.com/mig.capable: "true"',
        "cloud.google.com/gke-accelerator: nvidia-l4",
        "nvidia.com/gpu.family: newest",
    ],
)
def test_an_unsure_label_stays_with_a_note(label: str) -> None:
    text = labelled(label)
    migration = run(text)
    assert label in migration.files[0].text
    assert any("stays" in note for note in only(migration).notes)


def test_all_labels_stay_if_asked_for() -> None:
    text = labelled("nvidia.com/gpu.family: ampere")
    migration = run(text, answers={"node-labels": "keep"})
    assert "gpu.family: ampere" in migration.files[0].text


AFFINITY = """\
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - key: nvidia.com/gpu.family
            operator: {operator}
            values: [ampere, hopper]
"""


def test_affinity_of_one_term_becomes_alternatives() -> None:
    text = with_gpu(rest=AFFINITY.format(operator="In"))
    access = 'device.attributes["gpu.nvidia.com"].architecture'
    assert selector(text) == f'({access} == "Ampere" || {access} == "Hopper")'
    assert "affinity" not in run(text).files[0].text.lower()


def test_affinity_may_exclude() -> None:
    cel = selector(with_gpu(rest=AFFINITY.format(operator="NotIn")))
    assert cel is not None
    assert cel.startswith("!(")


def test_alternatives_of_terms_stay() -> None:
    other = "        - matchExpressions: [{key: a, operator: Exists}]\n"
    text = with_gpu(rest=AFFINITY.format(operator="In") + other)
    assert selector(text) is None
    assert "nvidia.com/gpu.family" in run(text).files[0].text


def test_the_condition_finds_the_same_devices() -> None:
    text = labelled("nvidia.com/gpu.family: ada-lovelace", "nvidia.com/gpu.product: NVIDIA-L4")
    migration = run(text, inventory=fleet())
    assert migration.faults == ()
    assert any("before and after" in sentence for sentence in migration.evidence)


def test_a_product_that_only_a_recording_knows() -> None:
    text = labelled("nvidia.com/gpu.product: NVIDIA-New-Card-9")
    slices = [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {
                "driver": "gpu.nvidia.com",
                "nodeName": "n",
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
                "devices": [
                    {"name": "a", "attributes": {"productName": {"string": "NVIDIA New Card-9"}}}
                ],
            },
        }
    ]
    assert selector(text) is None
    after = run(text, inventory=tuple(slices), prove=False).files[0].text
    assert 'productName == "NVIDIA New Card-9"' in after
    assert "gpu.product" not in after


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ("cloud.google.com/compute-class: Accelerator", "has no DRA"),
        ("eks.amazonaws.com/compute-type: auto", "has DRA from Kubernetes 1.36 on"),
        ("eks.amazonaws.com/instance-gpu-name: a10g", "has DRA from Kubernetes 1.36 on"),
    ],
)
def test_nodes_of_a_platform_without_dra_get_no_claims(label: str, says: str) -> None:
    text = labelled(label)
    item = only(run(text))
    assert run(text).files[0].text == text
    assert item.reason.startswith(f"{label} selects nodes of ")
    assert item.reason.endswith(f"which {says}")


def test_auto_mode_with_a_new_kubernetes_is_an_answer() -> None:
    text = labelled("eks.amazonaws.com/compute-type: auto")
    assert only(run(text)).question == "accept"
    item = only(run(text, answers={"accept": ["EKS-Auto-Mode"]}))
    assert item.outcome.value == "translated"
