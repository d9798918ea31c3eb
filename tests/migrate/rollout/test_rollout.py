"""`dradsl migrate --plan` on small GitOps trees: golden plans, and what must hold of every plan."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.migrate import command
from tests.migrate.rollout.fleets import recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
TREES = HERE / "trees"
FLEET = HERE.parent / "fleet.yaml"
# All files of these plans are compared; of the others the overview and the patches.
WHOLE = ("flux-operator", "intel-shared", "gke")
ANSWERS = {
    "intel-shared": ("--set", "sharing=shared-claim", "--set", "claim-name=gpu"),
    "rendered-plugin": ("--set", "sharing=consumable-shares"),
    "two-vendors": ("--answers", str(HERE / "fleets" / "two-vendors.answers.yaml")),
}
# Trees with the shapes of public ones that were played in a control plane, on the same nodes.
PLAYED = {"argo-whole": "whole", "rendered-plugin": "shared", "two-vendors": "two-vendors"}
NAMES = sorted(path.name for path in TREES.iterdir())
PLANNED = [name for name in NAMES if name != "openshift"]


def plan(tree: Path, out: Path, *options: str) -> tuple[int, str]:
    """The exit code and what the command says."""
    made = CliRunner().invoke(command, ["--plan", str(out), *options, str(tree)])
    assert made.exception is None or isinstance(made.exception, SystemExit), made.exception
    return made.exit_code, made.output


@functools.cache
def planned(name: str, top: Path) -> tuple[int, Path, Path]:
    """A tree of its own that is a git work tree, and its plan."""
    tree, out = top / name / "tree", top / name / "plan"
    shutil.copytree(TREES / name, tree)
    (tree / ".git").mkdir()
    fleet = FLEET
    if name in PLAYED:
        fleet = top / f"{name}.slices.yaml"
        fleet.write_text(recorded(HERE / "fleets" / f"{PLAYED[name]}.yaml"))
    code, _ = plan(tree, out, "--slices", str(fleet), *ANSWERS.get(name, ()))
    return code, tree, out


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rollouts")


def files_of(out: Path, name: str) -> Iterator[str]:
    for path in sorted(out.rglob("*")):
        if path.is_file() and (name in WHOLE or path.suffix != ".md" or path.parent == out):
            yield f"===== {path.relative_to(out).as_posix()}\n{path.read_text()}"


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_is_as_recorded(name: str, top: Path) -> None:
    code, _, out = planned(name, top)
    assert code == (0 if name in PLANNED else 1)
    text = "\n".join(files_of(out, name))
    golden = HERE / "golden" / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


def states(name: str, top: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """The tree after each stage, its patch applied by git to the one before."""
    _, tree, out = planned(name, top)
    shutil.copytree(tree, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    for stage in sorted(each for each in out.iterdir() if each.is_dir()):
        patch = stage / "changes.patch"
        if patch.exists():
            words = ["git", "apply", "--whitespace=error-all", str(patch)]
            environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
            subprocess.run(words, cwd=folder, env=environment, check=True)
        yield stage.name, folder


def documents(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.rglob("*.yaml")):
        for data in yaml.safe_load_all(path.read_text()):
            yield from ([data] if isinstance(data, dict) else [])


def at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


PLUGIN = ("gpu-operator", "nvidia-device-plugin", "amd-gpu")


def installed(folder: Path) -> Iterator[tuple[bool, dict[str, Any]]]:
    """What serves devices in a tree: whether it is the driver, and its values, as the charts themselves take them."""
    for data in documents(folder):
        spec = data.get("spec") or {}
        entries = [
            (at(spec, "chart", "spec", "chart"), at(spec, "values")),
            (
                at(spec, "source", "chart"),
                at(spec, "source", "helm", "valuesObject") or at(spec, "source", "helm", "values"),
            ),
            (at(data, "spec", "chart"), at(spec, "valuesContent")),
            *((each.get("name"), each.get("valuesInline")) for each in data.get("helmCharts", ())),
            *((key, value) for key, value in data.items() if key in PLUGIN),
        ]
        for chart, values in entries:
            known = yaml.safe_load(values) if isinstance(values, str) else values or {}
            name = str(chart).rpartition("/")[2]
            is_driver = "dra-driver" in name or name == "helm-charts-k8s"
            if is_driver and known:
                yield True, known["kubeletPlugin"]
            elif name in PLUGIN and at(known, "devicePlugin", "enabled") is not False:
                operator = {"nodeSelector": {"nvidia.com/gpu.deploy.device-plugin": "true"}}
                yield (
                    False,
                    operator
                    if name == "gpu-operator"
                    else {"nodeSelector": known.get("node_selector"), **known},
                )
        kind = data.get("kind")
        if kind == "DaemonSet":
            yield False, spec["template"]["spec"]
        elif kind == "GpuDevicePlugin":
            yield False, spec
        elif kind == "ClusterPolicy" and at(spec, "devicePlugin", "enabled") is not False:
            yield False, {"nodeSelector": {"nvidia.com/gpu.deploy.device-plugin": "true"}}
        elif kind == "DeviceConfig":
            with_driver = at(spec, "draDriver", "enable") is True
            assert not (with_driver and at(spec, "devicePlugin", "enableDevicePlugin") is not False)
            yield with_driver, {"nodeSelector": spec["selector"]}


def runs(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a pod with these fields may run on a node with the labels (In, NotIn and Exists suffice here)."""
    chosen = {k: v for k, v in (spec.get("nodeSelector") or {}).items() if v is not None}
    if any(labels.get(key) != value for key, value in chosen.items()):
        return False
    terms = at(
        spec.get("affinity") or {},
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    return not terms or any(
        all(holds(each, labels) for each in term["matchExpressions"]) for term in terms
    )


def holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values", ())
    return {"In": value in values, "NotIn": value not in values, "Exists": value is not None}[
        expression["operator"]
    ]


def keys_of(specs: list[dict[str, Any]]) -> set[str]:
    text = [key for spec in specs for key in (spec.get("nodeSelector") or {})]
    terms = [
        each["key"]
        for spec in specs
        for term in at(
            spec.get("affinity") or {},
            "nodeAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms",
        )
        or ()
        for each in term["matchExpressions"]
    ]
    return {*text, *terms}


@pytest.mark.parametrize("name", PLANNED)
def test_no_node_can_have_the_plugin_and_the_driver(name: str, top: Path, tmp_path: Path) -> None:
    """Whatever labels a node has. A driver that a command installs has its values in the plan."""
    _, _, out = planned(name, top)
    by_command = [
        yaml.safe_load(p.read_text())["kubeletPlugin"] for p in out.glob("*/*.values.yaml")
    ]
    seen = []
    for stage, folder in states(name, top, tmp_path / "tree"):
        found = list(installed(folder))
        drivers = [spec for is_driver, spec in found if is_driver]
        drivers += by_command if stage != "01-prepare" else []
        plugins = [spec for is_driver, spec in found if not is_driver]
        seen.append((len(plugins), len(drivers)))
        for driver, plugin in itertools.product(drivers, plugins):
            keys = sorted(keys_of([driver, plugin]))
            values = (None, "true", "false", "dra", "plugin", "gpu", "NVIDIA")
            for chosen in itertools.product(values, repeat=len(keys)):
                labels = {key: value for key, value in zip(keys, chosen, strict=True) if value}
                assert not (runs(driver, labels) and runs(plugin, labels)), (stage, labels)
    assert seen[0][1] == 0  # no driver before the plugin can leave
    assert all(drivers for _, drivers in seen[1:])
    assert seen[-1] == (0, seen[1][1])  # the plugin is gone or off


@pytest.mark.parametrize("name", PLANNED)
def test_the_last_tree_asks_no_plugin_for_devices(name: str, top: Path, tmp_path: Path) -> None:
    for _, folder in states(name, top, tmp_path / "tree"):
        last = folder
    said = CliRunner().invoke(command, ["--scan", "--output-format", "json", str(last)]).output
    assert '"outcome": "translated"' not in said
    assert '"outcome": "rejected"' not in said
    limits = [text for text in map(str, documents(last)) if "'limits': {'nvidia.com/gpu'" in text]
    assert limits == []


def test_a_stage_that_takes_a_device_away_is_rejected_with_the_pod(tmp_path: Path) -> None:
    """Two pods share the one GPU; if each asks for a whole one, one of them starts no more."""
    shutil.copytree(TREES / "intel-shared", tmp_path / "tree")
    code, said = plan(
        tmp_path / "tree", tmp_path / "out", "--set", "sharing=exclusive", "--slices", str(FLEET)
    )
    assert code == 1
    assert "03-workloads would leave Deployment media/tdarr: 1 of 1 pods without a device" in said
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "01-prepare",
        "02-driver",
        "README.md",
    ]


def test_recorded_gpus_are_played_as_the_driver_will_share_them(tmp_path: Path) -> None:
    """Slices from before the driver publishes shares would give a GPU to one pod."""
    shutil.copytree(TREES / "rendered-plugin", tmp_path / "tree")
    fleet = (HERE / "fleets" / "shared.yaml").read_text()
    (tmp_path / "one.yaml").write_text(fleet.partition("- name: right")[0].replace("shares: 8", ""))
    (tmp_path / "slices.yaml").write_text(recorded(tmp_path / "one.yaml"))
    words = ("--slices", str(tmp_path / "slices.yaml"), *ANSWERS["rendered-plugin"])
    code, _ = plan(tmp_path / "tree", tmp_path / "out", *words)
    assert code == 0
    text = (tmp_path / "out/03-workloads/README.md").read_text()
    assert "2 pods had devices before and have them after it, on 1 recorded nodes" in text


def test_a_node_of_each_vendor_moves_before_the_workloads(top: Path) -> None:
    """Otherwise pods of one vendor wait while the nodes of the other move."""
    _, _, out = planned("two-vendors", top)
    text = (out / "03-workloads" / "README.md").read_text()
    assert text.index("the first node of each vendor: drain it") < text.index("merge the pull")
    assert "gpu, from the drain until it is back: Deployment ai/chat" in text


def test_a_plugin_listed_in_a_folder_above_is_taken_out_there(top: Path) -> None:
    _, _, out = planned("rendered-plugin", top)
    patch = (out / "04-plugin-off" / "changes.patch").read_text()
    assert "-- helm/daemonset.yml" in patch
    assert "Not proven" not in (out / "README.md").read_text()
    assert "EKS" not in (out / "README.md").read_text()  # a definition of a kind names it


def test_without_a_recording_the_plan_says_what_is_not_proven(tmp_path: Path) -> None:
    shutil.copytree(TREES / "flux-operator", tmp_path / "tree")
    code, said = plan(tmp_path / "tree", tmp_path / "out")
    assert code == 0
    assert "no recorded nodes with devices (--slices)" in said
    assert "with a single node, until that one is back: Deployment vllm" in said


def test_the_plugin_stays_on_while_something_asks_for_it(tmp_path: Path) -> None:
    shutil.copytree(TREES / "flux-operator", tmp_path / "tree")
    deployment = tmp_path / "tree/apps/llm/deployment.yaml"
    service = (
        deployment.read_text()
        .replace("apps/v1", "serving.knative.dev/v1")
        .replace("Deployment", "Service")
    )
    deployment.with_name("service.yaml").write_text(service.replace("name: vllm", "name: other"))
    listed = deployment.with_name("kustomization.yaml")
    listed.write_text(listed.read_text() + "- service.yaml\n")
    code, said = plan(tmp_path / "tree", tmp_path / "out")
    assert code == 1
    assert "The plugin stays on for these" in said
    assert "other" in said
    assert not (tmp_path / "out/04-plugin-off").exists()


def test_before_the_gate_is_on_no_class_bridges(tmp_path: Path) -> None:
    shutil.copytree(TREES / "flux-operator", tmp_path / "tree")
    plan(tmp_path / "tree", tmp_path / "out", "--kube-version", "1.35")
    prepare = (tmp_path / "out/01-prepare/README.md").read_text()
    assert "no class bridges GPUs of NVIDIA, so pods move with their node" in prepare
    assert "drain it" not in (tmp_path / "out/02-driver/README.md").read_text()
    assert "the first node: drain it" in (tmp_path / "out/03-workloads/README.md").read_text()


def test_pods_that_find_room_elsewhere_wait_for_no_node(tmp_path: Path) -> None:
    shutil.copytree(TREES / "flux-operator", tmp_path / "tree")
    second = (
        FLEET.read_text()
        .replace("name: nvidia\n", "name: other\n")
        .replace("name: nvidia-", "name: other-")
    )
    second = second.replace("nodeName: nvidia\n", "nodeName: other\n").replace(
        "hostname: nvidia", "hostname: other"
    )
    (tmp_path / "fleet.yaml").write_text(f"{FLEET.read_text()}\n---\n{second}")
    _, said = plan(tmp_path / "tree", tmp_path / "out", "--slices", str(tmp_path / "fleet.yaml"))
    assert "nvidia, while its pods start on another node: there is room for each" in said
    assert "from the drain until it is back" not in said


def test_a_tree_without_devices_has_no_plan(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    code, said = plan(tmp_path, tmp_path / "out")
    assert (code, (tmp_path / "out").exists()) == (3, False)
    assert "nothing in these files asks for devices" in said


@pytest.mark.parametrize("words", [["-"], ["--write", "a.yaml"]])
def test_the_plan_goes_with_files_alone(words: list[str], tmp_path: Path) -> None:
    made = CliRunner().invoke(command, ["--plan", str(tmp_path / "out"), *words])
    assert made.exit_code == 2


def test_a_template_is_no_sign_of_a_platform(tmp_path: Path) -> None:
    """A chart for every platform names the labels of each."""
    tree = tmp_path / "tree"
    shutil.copytree(TREES / "flux-operator", tree)
    (tree / ".git").mkdir()
    text = "{{- if .Values.azure }}\nlabels: {kubernetes.azure.com/cluster: x}\n{{- end }}\n"
    (tree / "charts" / "a" / "templates").mkdir(parents=True)
    (tree / "charts" / "a" / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    (tree / "charts" / "a" / "templates" / "x.yaml").write_text(text)
    plan(tree, tmp_path / "out", "--slices", str(FLEET))
    assert "AKS" not in (tmp_path / "out" / "README.md").read_text()


def test_the_folder_of_the_plan_is_empty_or_new(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    code, said = plan(TREES / "gke", tmp_path / "out")
    assert (code, "is not an empty folder" in said) == (2, True)


def test_nothing_in_the_tree_changes(top: Path) -> None:
    for name in NAMES:
        _, tree, _ = planned(name, top)
        for path in (TREES / name).rglob("*.yaml"):
            assert (tree / path.relative_to(TREES / name)).read_bytes() == path.read_bytes()


ODD = ("[]", "text", "{a: [1]}", "[1, {matchExpressions: 3}]", "null", "{nodeAffinity: 5}")


@pytest.mark.parametrize("value", ODD)
def test_values_of_another_shape_are_no_traceback(value: str, tmp_path: Path) -> None:
    keys = ("nodeSelector", "affinity", "tolerations", "devicePlugin", "driver", "hostPaths")
    spec = "".join(f"    {key}: {value}\n" for key in keys)
    for number, chart in enumerate(PLUGIN):
        (tmp_path / f"{number}.yaml").write_text(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n"
            f"spec:\n  chart: {{spec: {{chart: {chart}}}}}\n  values:\n{spec}"
        )
    (tmp_path / "kustomization.yaml").write_text(f"helmCharts: [{value}]\nresources: {value}\n")
    (tmp_path / "daemons.yaml").write_text(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n"
        f"      affinity: {value}\n      nodeSelector: {value}\n"
        "      containers: [{name: a, image: nvidia/k8s-device-plugin}]\n"
    )
    code, _ = plan(tmp_path, tmp_path / "out")
    assert code in (0, 1, 2)
