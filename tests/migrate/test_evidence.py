"""What a run says about its cluster: each place that speaks, and what follows for the pods."""

from __future__ import annotations

import pytest

from dradsl.migrate.result import Item, Outcome
from tests.migrate.runs import data_of, run, with_gpu
from tests.migrate.test_sharing import several

I915 = with_gpu(resource="gpu.intel.com/i915")


def flux(chart: str, values: str, *, reference: bool = False) -> str:
    """A HelmRelease with values in flow style."""
    where = f"chart: {{spec: {{chart: {chart}}}}}"
    if reference:
        where = f"chartRef: {{kind: OCIRepository, name: {chart}}}"
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: plugin}\nspec:\n"
        f"  {where}\n  values: {values}\n"
    )


def item_of(pod: str, other: str, **answers: object) -> Item:
    """The use of a pod in a run with another file, `there.yaml`."""
    migration = several({"pod.yaml": pod, "there.yaml": other}, answers)
    (item,) = migration.files[0].items
    return item


def daemon_set(container: str) -> str:
    return (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: plugin}\nspec:\n"
        "  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
        f"      containers:\n      - name: plugin\n        image: i\n        {container}\n"
    )


def config(text: str) -> str:
    """A ConfigMap with a configuration of NVIDIA's plugin."""
    return (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  any: |\n    version: v1\n"
        + "".join(f"    {line}\n" for line in text.splitlines())
    )


GPU_DEVICE_PLUGIN = (
    "apiVersion: deviceplugin.intel.com/v1\nkind: GpuDevicePlugin\nmetadata: {name: gpu}\n"
    "spec: {sharedDevNum: 10}\n"
)
INTEL = {
    "GpuDevicePlugin": GPU_DEVICE_PLUGIN,
    "HelmRelease": flux("intel-device-plugins-gpu", "{sharedDevNum: 10}"),
    "chartRef": flux("intel-device-plugins-gpu", "{sharedDevNum: 10}", reference=True),
    "argument": daemon_set('args: ["-v=2", "-shared-dev-num=10"]'),
    "two words": daemon_set('args: ["-shared-dev-num", "10"]'),
    "values": "name: gpu\nsharedDevNum: 10\n",
    "Application": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: p}\nspec:\n  source:\n"
        "    chart: intel-device-plugins-gpu\n    helm:\n      values: |\n        sharedDevNum: 10\n"
    ),
    "valuesFrom": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v}\ndata:\n  values.yaml: |\n"
        "    name: gpu\n    sharedDevNum: 10\n"
    ),
    "k3s": (
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: p}\nspec:\n"
        "  chart: intel-device-plugins-gpu\n  valuesContent: |\n    sharedDevNum: 10\n"
    ),
}


@pytest.mark.parametrize("place", INTEL)
def test_shared_gpus_of_intel_are_a_question(place: str) -> None:
    item = item_of(I915, INTEL[place])
    assert (item.outcome, item.question) == (Outcome.REJECTED, "sharing")
    assert item.reason.startswith("there.yaml:")
    assert "10" in item.reason
    answered = item_of(I915, INTEL[place], sharing="shared-claim")
    assert answered.outcome is Outcome.TRANSLATED
    assert any(
        "there.yaml:" in note and "answered: shared-claim" in note for note in answered.notes
    )


def test_the_line_is_the_one_that_speaks() -> None:
    assert "there.yaml:4 " in item_of(I915, GPU_DEVICE_PLUGIN).reason


def test_gpus_that_are_said_not_to_be_shared_are_no_question() -> None:
    text = GPU_DEVICE_PLUGIN.replace("10", "1")
    item = item_of(I915, text)
    assert item.outcome is Outcome.TRANSLATED
    assert any("no GPU is shared" in note for note in item.notes)


def test_sources_that_differ_are_both_shown() -> None:
    text = GPU_DEVICE_PLUGIN + "---\n" + GPU_DEVICE_PLUGIN.replace("10", "1")
    item = item_of(I915, text)
    assert item.question == "sharing"
    assert "there.yaml:4" in item.reason
    assert "; but there.yaml:9" in item.reason


def test_sharing_is_that_of_one_resource() -> None:
    assert item_of(with_gpu(), GPU_DEVICE_PLUGIN).outcome is Outcome.TRANSLATED
    sliced = config(
        "sharing:\n  timeSlicing:\n    resources: [{name: nvidia.com/gpu, replicas: 4}]"
    )
    assert item_of(I915, sliced).outcome is Outcome.TRANSLATED
    mig = sliced.replace("nvidia.com/gpu", "nvidia.com/mig-1g.5gb")
    assert item_of(with_gpu(), mig).outcome is Outcome.TRANSLATED
    assert item_of(with_gpu(resource="nvidia.com/mig-1g.5gb"), mig).question == "sharing"


def test_shares_of_another_name_leave_whole_gpus() -> None:
    sliced = config(
        "sharing:\n  timeSlicing:\n    renameByDefault: true\n"
        "    resources: [{name: nvidia.com/gpu, replicas: 4}]"
    )
    assert item_of(with_gpu(), sliced).outcome is Outcome.TRANSLATED
    item = item_of(with_gpu(resource="nvidia.com/gpu.shared"), sliced)
    assert "4 pods share" in item.reason


def test_replicas_that_no_plugin_takes() -> None:
    sliced = config('sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: "0"}]}}')
    migration = several({"pod.yaml": with_gpu(), "there.yaml": sliced}, {})
    (use,), (setting,) = migration.files[0].items, migration.files[1].items
    assert "0 is no usable number" in use.reason
    assert 'consumableShares: "0"' not in setting.reason
    assert "0 is no usable number" in setting.reason
    answered = several({"there.yaml": sliced}, {"sharing": "consumable-shares"}).files[0].items[0]
    assert answered.outcome is Outcome.REJECTED


def test_slots_of_the_generic_plugin_are_shares() -> None:
    text = daemon_set(
        "args:\n        - --domain=squat.ai\n        - --device\n        - |\n"
        "          name: dri\n          groups:\n            - count: 4\n"
        "              paths:\n                - path: /dev/dri"
    )
    answers = {"class": {"squat.ai/dri": "gpu.amd.com"}}
    pod = with_gpu(resource="squat.ai/dri")
    assert "--set class=squat.ai/dri=CLASS names a class" in item_of(pod, "").reason
    item = item_of(pod, text, **answers)
    assert item.question == "sharing"
    assert "4 containers" in item.reason


SINGLE = {
    "values of the operator": "mig: {strategy: single}\ndevicePlugin: {enabled: true}\ndcgmExporter: {}\n",
    "HelmRelease": flux("gpu-operator", "{mig: {strategy: single}}"),
    "mirror": flux("nvidia-gpu-operator", "{mig: {strategy: single}}", reference=True),
    "ClusterPolicy": (
        "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cp}\n"
        "spec: {mig: {strategy: single}, devicePlugin: {enabled: true}}\n"
    ),
    "values of the plugin": "migStrategy: single\ngfd: {enabled: true}\n",
    "argument": daemon_set('args: ["--mig-strategy=single"]'),
    "variable": daemon_set("env: [{name: MIG_STRATEGY, value: single}]"),
    "configuration": config("flags: {migStrategy: single}"),
    "layout": flux("gpu-operator", "{migManager: {config: {default: all-1g.10gb}}}"),
}


@pytest.mark.parametrize("place", SINGLE)
def test_mig_strategy_single_asks_for_the_profile(place: str) -> None:
    item = item_of(with_gpu(), SINGLE[place])
    assert (item.outcome, item.question) == (Outcome.REJECTED, "mig-profile")
    assert item.reason.startswith("there.yaml:")
    assert item.hint == ("1g.10gb" if place == "layout" else None)
    answers: dict[str, object] = {"mig-profile": "1g.10gb"}
    answered = several({"pod.yaml": with_gpu(), "there.yaml": SINGLE[place]}, answers)
    request = data_of(answered.files[0].text)[1]["spec"]["spec"]["devices"]["requests"][0][
        "exactly"
    ]
    assert request["deviceClassName"] == "mig.nvidia.com"
    whole = item_of(with_gpu(), SINGLE[place], **{"mig-profile": "none"})
    assert whole.after == "request gpu: 1 x gpu.nvidia.com"


def test_undivided_gpus_are_no_question() -> None:
    values = "{mig: {strategy: single}, migManager: {config: {default: all-disabled}}}"
    item = item_of(with_gpu(), flux("gpu-operator", values))
    assert item.outcome is Outcome.TRANSLATED
    assert any("all-disabled" in note for note in item.notes)
    defaults = item_of(with_gpu(), flux("gpu-operator", "{driver: {enabled: false}}"))
    assert defaults.outcome is Outcome.TRANSLATED


def test_mig_strategies_that_differ_are_both_shown() -> None:
    other = config("flags: {migStrategy: mixed}")
    text = f"{SINGLE['HelmRelease']}---\n{other}"
    item = item_of(with_gpu(), text)
    assert item.question == "mig-strategy"
    assert "there.yaml:12 sets migStrategy: mixed; but there.yaml:6 " in item.reason
    assert item_of(with_gpu(), other).outcome is Outcome.TRANSLATED


@pytest.mark.parametrize(
    "label",
    [
        "nvidia.com/gpu.product: NVIDIA-A100-MIG-1g.5gb",
        "cloud.google.com/gke-gpu-partition-size: 1g.5gb",
    ],
)
def test_a_node_label_decides_the_profile(label: str) -> None:
    migration = run(with_gpu(rest=f"  nodeSelector: {{{label}}}\n"))
    (item,) = migration.items()
    assert item.outcome is Outcome.TRANSLATED
    assert 'profile == "1g.5gb"' in str(item.after)


AFFINITY = """  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: nvidia.com/mig.config, operator: In, values: [all-1g.24gb]}
"""


@pytest.mark.parametrize(
    "rest", ["  nodeSelector: {nvidia.com/mig.config: all-1g.24gb}\n", AFFINITY]
)
def test_a_node_label_with_a_layout_asks_for_the_profile(rest: str) -> None:
    # The name of a layout is free: it proposes a profile, and decides none.
    (item,) = run(with_gpu(rest=rest)).items()
    assert (item.outcome, item.question) == (Outcome.REJECTED, "mig-profile")
    assert "nvidia.com/mig.config=all-1g.24gb is that of divided GPUs" in item.reason


def test_a_node_label_with_the_layout_of_whole_gpus_asks_nothing() -> None:
    rest = "  nodeSelector: {nvidia.com/mig.config: all-disabled}\n"
    (item,) = run(with_gpu(rest=rest)).items()
    assert item.outcome is Outcome.TRANSLATED


def test_gke_says_shared_gpus_by_a_node_label() -> None:
    label = "cloud.google.com/gke-gpu-sharing-strategy: time-sharing"
    (item,) = run(with_gpu(rest=f"  nodeSelector: {{{label}}}\n")).items()
    assert item.question == "sharing"
