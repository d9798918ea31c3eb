"""What counts devices, and the checklist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.migrate.result import Migration, Outcome
from tests.migrate.runs import only, run, with_gpu
from tests.migrate.test_overlays import call, tree
from tests.migrate.test_sharing import several

if TYPE_CHECKING:
    from pathlib import Path

GANG = (
    "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: pg}\n"
    "spec: {minMember: 2, minResources: {nvidia.com/gpu: 2, cpu: 4}, queue: default}\n"
)
BY_CLASS: dict[str, object] = {"strategy": "extended-resource"}
MEMBER = with_gpu().replace(
    "{name: a}", "{name: a, annotations: {scheduling.k8s.io/group-name: pg}}"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GANG, "the gang never starts"),
        (
            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
            "spec: {capability: {nvidia.com/gpu: 8}}\n",
            "Volcano's queues count the extended resource",
        ),
        (
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\n"
            "spec: {limits: {nvidia.com/gpu: 16}}\n",
            "Karpenter counts",
        ),
        (
            "apiVersion: quota.openshift.io/v1\nkind: ClusterResourceQuota\nmetadata: {name: q}\n"
            "spec: {quota: {hard: {requests.nvidia.com/gpu: 4}}}\n",
            "deviceclass.resource.k8s.io/devices",
        ),
    ],
)
def test_what_counts_devices_makes_no_pods(text: str, words: str) -> None:
    migration = run(text)
    assert not list(migration.items())
    assert any(words in note for note in migration.files[0].notes)


@pytest.mark.parametrize("listed", [False, True])
def test_what_counts_devices_within_values_makes_no_pods(*, listed: bool) -> None:
    pool = "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: gpu}, spec: {limits: {nvidia.com/gpu: 16}}}"
    if listed:
        pool = f"{{apiVersion: v1, kind: List, items: [{pool}]}}"
    migration = run(f"extraObjects:\n- {pool}\n", "values.yaml")
    assert not list(migration.items())
    (note,) = (note for note in migration.files[0].notes if "Karpenter counts" in note)
    assert note.startswith("NodePool in values")


def test_a_gang_whose_pods_claim_is_found_and_not_judged() -> None:
    migration = several({"pod.yaml": MEMBER, "gang.yaml": GANG}, {})
    pod, amount = migration.items()
    assert (pod.outcome, amount.outcome) == (Outcome.TRANSLATED, Outcome.REJECTED)
    assert migration.files[1].text == GANG
    assert amount.reason.startswith("found, not judged")
    assert "take the amount out of spec.minResources" in amount.routes[0]
    assert migration.open


def test_a_gang_keeps_its_amounts_while_no_pod_claims_them() -> None:
    rejected = MEMBER.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 33")
    migration = several({"pod.yaml": rejected, "gang.yaml": GANG}, {})
    assert [item.path for item in migration.items()] == ["pod.yaml"]
    assert any("never starts" in note for note in migration.files[1].notes)
    by_class = several({"pod.yaml": MEMBER, "gang.yaml": GANG}, BY_CLASS)
    assert [item.path for item in by_class.items()] == ["pod.yaml"]


@pytest.mark.parametrize(
    "member",
    [
        MEMBER.replace("limits:\n        nvidia.com/gpu: 1", "limits: 5"),
        MEMBER.replace("containers:", "initContainers: 5\n  containers:"),
    ],
)
def test_a_member_with_what_is_no_list_of_resources_breaks_nothing(member: str) -> None:
    assert member != MEMBER
    migration = several({"pod.yaml": MEMBER, "odd.yaml": member, "gang.yaml": GANG}, {})
    assert migration.failed == ()
    assert Outcome.TRANSLATED in {item.outcome for item in migration.items()}


def checklist(*others: str) -> str:
    files = {"pod.yaml": with_gpu(), **{f"{i}.yaml": text for i, text in enumerate(others)}}
    migration: Migration = several(files, {})
    return "\n".join(migration.checklist)


POOL = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec: {}\n"
EXPORTER = (
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: dcgm}\nspec:\n  selector: {matchLabels: {a: b}}\n"
    "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: e\n"
    "        image: dcgm-exporter\n        env: [{name: KUBERNETES_VIRTUAL_GPUS, value: 'true'}]\n"
)
SCALED = (
    "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s}\nspec:\n  triggers:\n"
    "  - type: prometheus\n    metadata: {query: 'avg(DCGM_FI_DEV_GPU_UTIL{exported_pod=~\"a.*\"})'}\n"
)
PROVISIONING = "apiVersion: autoscaling.x-k8s.io/v1\nkind: ProvisioningRequest\nmetadata: {name: p}\nspec: {}\n"
INTEL = "apiVersion: deviceplugin.intel.com/v1\nkind: GpuDevicePlugin\nmetadata: {name: gpu}\nspec: {}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (POOL, "0.yaml:2: NodePool gpu is Karpenter's"),
        (EXPORTER, "KUBERNETES_ENABLE_DRA=true, and a ClusterRole"),
        (SCALED, "reads DCGM_FI_DEV_GPU_UTIL"),
        (
            SCALED.replace("DCGM_FI_DEV_GPU_UTIL", "kube_nvidia_com_gpu"),
            "counts nvidia_com_gpu",
        ),
        (PROVISIONING, "those of its template node"),
        (
            with_gpu(rest="  nodeSelector: {karpenter.sh/nodepool: gpu}\n"),
            "nodes are selected by karpenter.sh/nodepool",
        ),
    ],
)
def test_the_checklist_names_what_is_there(text: str, words: str) -> None:
    assert words in checklist(text)
    assert words not in checklist()


@pytest.mark.parametrize("text", [EXPORTER, SCALED])
def test_what_is_for_devices_of_another_vendor_is_not_said(text: str) -> None:
    pod = with_gpu().replace("nvidia.com/gpu", "gpu.intel.com/i915")
    said = "\n".join(several({"pod.yaml": pod, "0.yaml": INTEL, "1.yaml": text}, {}).checklist)
    assert "claims of gpu.intel.com" in said
    assert "1.yaml" not in said


def test_the_order_of_the_change_is_said() -> None:
    assert "cannot run pods with claims of gpu.nvidia.com" in checklist()
    assert run(with_gpu("33")).checklist == ()


def test_a_label_of_feature_discovery_is_told_for_each_use() -> None:
    rest = "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}\n"
    item = only(run(with_gpu(rest=rest), answers=BY_CLASS))
    assert any("without feature discovery" in note for note in item.notes)


def test_a_namespace_without_the_label_of_admin_access_is_named() -> None:
    pod = with_gpu().replace("{name: a}", "{name: a, namespace: media}")
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: media\n"
    answers: dict[str, object] = {"sharing": "admin-access"}
    label = '  labels: {resource.kubernetes.io/admin-access: "true"}\n'

    def told(text: str) -> bool:
        found = several({"pod.yaml": pod, "ns.yaml": text}, answers).checklist
        return any("ns.yaml:2: Namespace media needs the label" in each for each in found)

    assert told(namespace)
    assert not told(namespace + label)


def test_a_gang_in_a_base_is_found_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which pods a group gets is decided in overlays: formerly only those in the base were seen."""
    monkeypatch.chdir(tmp_path)
    files = {
        ".git/HEAD": "",
        "base/pod.yaml": MEMBER,
        "base/gang.yaml": GANG,
        "base/kustomization.yaml": "resources: [pod.yaml, gang.yaml]\n",
    }
    tree(tmp_path, files)
    result = call("--write", ".")
    assert result.exit_code == 1
    assert "1 translated, 1 rejected" in result.stdout
    assert "gang.yaml:4" in result.stdout
    assert (tmp_path / "base/gang.yaml").read_text() == GANG
    assert "resourceClaims" in (tmp_path / "base/pod.yaml").read_text()


def test_a_gang_whose_pod_is_withdrawn_is_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    from dradsl.migrate.proof import prove

    def faults(file: Any, *_: object) -> list[str]:
        return ["DRA000 at fault"] if file.path == "pod.yaml" else []

    monkeypatch.setattr(prove, "lint_faults", faults)
    migration = several({"pod.yaml": MEMBER, "gang.yaml": GANG}, {})
    assert [file.text for file in migration.files] == [MEMBER, GANG]
    assert [item.path for item in migration.items()] == ["pod.yaml"]


def test_a_claim_beside_a_kustomization_is_no_class() -> None:
    files = {"a/pod.yaml": with_gpu(), "a/kustomization.yaml": "resources: [pod.yaml]\n"}
    shared = several(files, {"sharing": "shared-claim"})
    assert not any(each.startswith("classes:") for each in shared.checklist)
    mig = {**files, "a/pod.yaml": with_gpu(resource="nvidia.com/mig-1g.5gb")}
    said = several(mig, BY_CLASS).checklist
    assert any(each.startswith("classes: the new DeviceClasses of a/pod.yaml") for each in said)
