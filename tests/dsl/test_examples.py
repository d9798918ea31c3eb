"""The builder examples: built, linted and simulated; and inside other tools."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl import Device, Fleet, Pool, ResourceSlice, fit, from_yaml
from dradsl.cli.build import command as build
from dradsl.devices.example import net
from tests.golden import check_golden
from tests.plugin import OPTIONS

ROOT = Path(__file__).parents[2]
BUILDERS = ROOT / "examples" / "builders"
GOLDEN = Path(__file__).parent / "golden"

WORKLOADS = [
    "training_pair",
    "mig_fallback",
    "tpu_slice",
    "gpu_nic_aligned",
    "shared_inference",
    "memory_share",
    "multi_vendor",
    "monitoring",
    "class_library/chart_training",
    "class_library/chart_inference",
    "class_library/chart_notebook",
]
# Each says what its docstring says; no device of the fleet has what the other three ask for.
PLACED_TASKS = ["tasks/one_gpu", "tasks/sharing"]
TASKS = [*PLACED_TASKS, "tasks/one_or_two", "tasks/compute_domain", "tasks/nic_share"]
LIBRARIES = ["inventory", "class_library/platform_classes"]


def built(name: str) -> str:
    """The manifests that an example builds; it must have no findings."""
    result = CliRunner().invoke(build, [str(BUILDERS / f"{name}.py")])
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def environment(*more: Path) -> dict[str, str]:
    """The environment in which programs can import the examples."""
    paths = [*more, BUILDERS, ROOT, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


@pytest.mark.parametrize("name", [*WORKLOADS, *TASKS, *LIBRARIES])
def test_examples_build_without_findings(name: str) -> None:
    text = built(name)
    check_golden(GOLDEN / f"{Path(name).name}.yaml", text)
    assert [obj.to_dict() for obj in from_yaml(text)]


@pytest.mark.parametrize("name", [*WORKLOADS, *PLACED_TASKS, "tasks/one_or_two"])
def test_examples_fit_on_the_example_fleet(name: str, tmp_path: Path) -> None:
    from dradsl.cli.simulate import command as simulate

    fleet, pods = tmp_path / "fleet.yaml", tmp_path / "pods.yaml"
    fleet.write_text(built("inventory"), encoding="utf-8")
    text = built(name)
    if name.startswith("class_library"):
        text += "---\n" + built("class_library/platform_classes")
    pods.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(
        simulate, [str(pods), "--slices", str(fleet), "--kube-version", "1.36"]
    )
    assert result.exit_code == 0, result.output
    assert "fits on" in result.output


TEMPLATE = """---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: training-pair, namespace: {}}}
spec: {{spec: {{devices: {{requests: [{{name: a, exactly: {{deviceClassName: gpu.nvidia.com}}}}]}}}}}}
"""


@pytest.mark.parametrize(
    ("rendered", "kinds"),
    [
        ("", ["ConfigMap", "DeviceClass", "ResourceClaimTemplate", "Job"]),
        # Of the same name in another namespace is another object; of the same namespace, the same.
        (
            TEMPLATE.format("other"),
            ["ConfigMap", "ResourceClaimTemplate", "DeviceClass", "ResourceClaimTemplate", "Job"],
        ),
        (TEMPLATE.format("ml"), ["ConfigMap", "ResourceClaimTemplate", "DeviceClass", "Job"]),
    ],
)
def test_post_renderer(rendered: str, kinds: list[str]) -> None:
    rendered = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-the-chart\n" + rendered
    result = subprocess.run(
        [sys.executable, str(BUILDERS / "pipelines" / "post_render.py")],
        input=rendered,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert result.returncode == 0, result.stderr
    assert [obj.to_dict()["kind"] for obj in from_yaml(result.stdout)] == kinds


FAKE_PULUMI = """
import json, sys, types

def record(*names, **arguments):
    print(json.dumps([names, arguments]))

yaml = types.SimpleNamespace(v2=types.SimpleNamespace(ConfigGroup=record))
apiextensions = types.SimpleNamespace(CustomResource=record)
"""


def test_pulumi_gets_plain_data(tmp_path: Path) -> None:
    """Pulumi needs its engine to run: what the program hands over is recorded instead."""
    (tmp_path / "pulumi_kubernetes.py").write_text(FAKE_PULUMI)
    program = "import pulumi_program as p; p.all_at_once(); p.one_by_one()"
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=environment(tmp_path, BUILDERS / "pipelines"),
    )
    assert result.returncode == 0, result.stderr
    group, *singles = map(json.loads, result.stdout.splitlines())
    objects = [obj.to_dict() for obj in from_yaml(built("training_pair"))]
    assert group == [["dra"], {"objs": objects, "opts": None}]
    assert [names for names, _ in singles] == [
        ["deviceclass-h100"],
        ["resourceclaimtemplate-ml-training-pair"],
        ["job-ml-training"],
    ]
    assert [given["spec"] for _, given in singles] == [one["spec"] for one in objects]


def test_helm_templates_render_back(tmp_path: Path) -> None:
    """Helm's own renderer would undo the escape: here its one rule is applied by hand."""
    result = CliRunner().invoke(build, [str(BUILDERS / "training_pair.py"), "--layout", "helm"])
    assert result.exit_code == 0
    assert result.stdout.replace('{{ "{{" }}', "{{") == built("training_pair")


def test_cdk8s(tmp_path: Path) -> None:
    """Run for real where cdk8s and node are there."""
    if importlib.util.find_spec("cdk8s") is None:
        pytest.skip("the Python package cdk8s is not installed")
    if shutil.which("node") is None:
        pytest.skip("cdk8s needs node, which is not installed")
    result = subprocess.run(
        [sys.executable, str(BUILDERS / "pipelines" / "cdk8s_chart.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment(),
    )
    assert result.returncode == 0, result.stderr
    [chart] = (tmp_path / "dist").glob("*.yaml")
    assert from_yaml(chart.read_text(encoding="utf-8")) == from_yaml(built("training_pair"))


def test_a_deployment_of_the_official_client() -> None:
    if importlib.util.find_spec("kubernetes") is None:
        pytest.skip("the Python package kubernetes is not installed")
    objects = from_yaml(built("pipelines/typed_deployment"))
    [deployment] = [one.to_dict() for one in objects if one.kind == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == {"claims": [{"name": "gpu"}]}


def test_a_share_of_an_interface_is_placed() -> None:
    policy = {"default": "1G", "validRange": {"min": "1G", "step": "1G"}}
    whole = {"value": "25G", "requestPolicy": policy}
    device = Device(
        "eth0",
        capacity={net.egressBandwidth: whole, net.ingressBandwidth: whole},
        other={"allowMultipleAllocations": True},
    )
    slices = ResourceSlice(
        "n1", driver="net.example.com", pool=Pool("n1"), node_name="n1", devices=[device]
    )
    objects = from_yaml(built("tasks/nic_share"))
    assert fit(objects, Fleet.from_objects([slices])) == {"Pod ml/sender": 2}


def test_the_platform_library(tmp_path: Path) -> None:
    """Its own tests, with the plugin, and builds for an environment."""
    platform = BUILDERS.parent / "platform"
    run = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", *OPTIONS, "--rootdir", ".", "tests"],
        capture_output=True, text=True, check=False, cwd=platform, env=environment(),
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    assert " passed" in run.stdout
    call = [f"{platform}/apps/teams.py", "--params", f"{platform}/environments/prod.yaml"]
    out = ["-o", str(tmp_path / "out")]
    for more in ([], ["--check"]):
        result = CliRunner().invoke(build, [*call, "--set", "team=vision", *out, *more])
        assert result.exit_code == 0, result.output
    call = [f"{platform}/apps/company.py", "--params", f"{platform}/stages/*.yaml"]
    for more in ([], ["--check"]):
        result = CliRunner().invoke(build, [*call, "-o", str(tmp_path / "all"), *more])
        assert result.exit_code == 0, result.output
    stages = ["dev", "prod", "staging", "test"]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == stages
    for stage in stages:
        apps = sorted(path.name for path in (tmp_path / "all" / stage).iterdir())
        teams = ["platform", "search", "speech", "vision"]
        assert apps == [f"{cluster}-{one}" for cluster in ("east", "west") for one in teams]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "job_vision_training.yaml",
        "resourceclaimtemplate_vision_vision-notebook.yaml",
        "resourceclaimtemplate_vision_vision-training.yaml",
    ]
