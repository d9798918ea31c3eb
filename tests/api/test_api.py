"""`dradsl.lint`, `simulate`, `fit`, `migrate` and `Fleet`, as programs call them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import dradsl
from dradsl import App, DeviceClass, Fleet, Request, ResourceClaimTemplate, Severity, Taint
from dradsl.devices.dranet import nic
from dradsl.devices.nvidia import gpu, mig

ROOT = Path(__file__).parents[2]
BAD = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c", "namespace": "ml"},
    "spec": {
        "devices": {
            "requests": [
                {
                    "name": "r",
                    "exactly": {
                        "deviceClassName": "gpu.nvidia.com",
                        "selectors": [{"cel": {"expression": "device.nonsense"}}],
                    },
                }
            ]
        }
    },
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ml"},
    "spec": {
        "containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
    },
}


def app_with(*requests: Request) -> App:
    app = App(for_release="1.36")
    app.add(ResourceClaimTemplate("t", namespace="ml", requests=requests))
    return app


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- lint ---


def test_lint_of_an_app() -> None:
    app = app_with(Request("gpu", gpu, select="device.nonsense"))
    for result in (app.lint(), dradsl.lint(app)):
        assert result.codes == ("DRA102",)
        [finding] = result.errors
        assert (finding.severity, Path(finding.path).name) == (Severity.ERROR, "test_api.py")
        assert finding.object is not None
        assert (finding.object.kind, finding.object.name) == ("ResourceClaimTemplate", "t")
        assert not result.ok
        assert "DRA102" in str(result)
        assert "ResourceClaimTemplate ml/t, spec.spec.devices.requests[0]" in str(result)
        assert result.kubernetes == ("1.36",)
    assert app.lint(ignore=["DRA102"]).ok
    assert app.lint(select=["DRA9"]).ok
    assert dradsl.lint(app, kube_version=["1.34", "1.35"]).kubernetes == ("1.34", "1.35")
    assert result.without(["cel-type"]).ok
    with pytest.raises(TypeError, match="no truth value"):
        bool(result)


def test_lint_says_what_the_command_says(tmp_path: Path) -> None:
    from dradsl.cli.lint import command

    (tmp_path / "bad.yaml").write_text(yaml.safe_dump(BAD))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/pod.yaml").write_text(yaml.safe_dump(POD))
    run = CliRunner().invoke(command, ["bad.yaml", "folder", "--output-format", "json"])
    expected = json.loads(run.stdout)["findings"]
    found = dradsl.lint("bad.yaml", Path("folder"))
    assert [(one.code, one.path, one.span.line, one.message) for one in found] == [
        (one["code"], one["path"], one["line"], one["message"]) for one in expected
    ]
    assert found.codes


def test_lint_of_plain_data_and_files_together(tmp_path: Path) -> None:
    assert dradsl.lint(BAD).codes == dradsl.lint([BAD]).codes == ("DRA102",)
    (tmp_path / "classes.yaml").write_text(DeviceClass("big", select=gpu).to_yaml())
    app = app_with(Request("gpu", "big"))
    assert "DRA412" in dradsl.lint(app).codes
    assert "DRA412" not in dradsl.lint(app, context="classes.yaml").codes
    assert "DRA412" not in dradsl.lint(app, "classes.yaml").codes
    assert "DRA412" not in dradsl.lint(app, context=DeviceClass("big", select=gpu)).codes
    with pytest.raises(
        TypeError, match="expected an App, an object, plain data or a path, not int"
    ):
        dradsl.lint(3)  # type: ignore[arg-type] # what is to be rejected


def test_lint_with_a_fleet() -> None:
    app = app_with(Request("gpu", gpu, select=gpu.memory >= "500Gi"))
    fleet = Fleet.of(gpu, capacity={gpu.memory: "80Gi"})
    assert dradsl.lint(app).ok
    assert "DRA703" in dradsl.lint(app, fleet=fleet).codes


def test_configuration_counts(tmp_path: Path) -> None:
    (tmp_path / ".dradsl.yaml").write_text("ignore: [DRA102]")
    assert dradsl.lint(BAD).ok
    assert dradsl.lint(BAD, isolated=True).codes == ("DRA102",)
    (tmp_path / "other.yaml").write_text("{}")
    assert dradsl.lint(BAD, config="other.yaml").codes == ("DRA102",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kube_version": "9.9"},
        {"select": ["DRAX"]},
        {"feature_gates": {"No": True}},
        {"preset": "x"},
    ],
)
def test_calls_that_cannot_be_used(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        dradsl.lint(BAD, **wrong)  # type: ignore[arg-type] # what is to be rejected


# --- fleets ---


def test_fleets_of_handles() -> None:
    fleet = Fleet.of(
        gpu,
        count=8,
        nodes=["a", "b"],
        attributes={gpu.productName: "NVIDIA L4", gpu.driverVersion: "580.126.09"},
        capacity={gpu.memory: "24Gi"},
        taints=[Taint("x.example.com/old", "NoSchedule")],
    )
    assert (len(fleet), fleet.nodes, repr(fleet)) == (
        16,
        ("a", "b"),
        "<fleet of 16 devices on 2 nodes>",
    )
    document: Any = fleet.documents[0]
    [device, *_] = document["spec"]["devices"]
    assert device["attributes"]["gpu.nvidia.com/type"] == {"string": "gpu"}
    assert device["attributes"]["gpu.nvidia.com/driverVersion"] == {"version": "580.126.9"}
    assert dradsl.lint(*fleet.documents).ok
    many = Fleet.of(gpu, count=300)
    assert (len(many), len(many.documents)) == (300, 3)
    assert dradsl.simulate(app_with(Request("g", gpu, count=30)), many).fits


@pytest.mark.parametrize("kind", [gpu, mig, nic])
def test_what_a_fleet_publishes_is_of_the_kind(kind: dradsl.Expression) -> None:
    app = App()
    app.add(DeviceClass("c", select=kind))
    app.add(ResourceClaimTemplate("t", namespace="x", requests=[Request("r", "c")]))
    assert dradsl.simulate(app, Fleet.of(kind)).fits  # type: ignore[arg-type] # a type of the parameters


def test_fleets_are_added() -> None:
    small, large = (
        Fleet.of(gpu, count=n, capacity={gpu.memory: memory})
        for n, memory in ((1, "8Gi"), (2, "80Gi"))
    )
    both = small + large + Fleet.of(mig) + large
    assert (len(both), both.nodes) == (6, ("node-1",))
    assert dradsl.simulate(
        app_with(Request("g", gpu, count=4, select=gpu.memory >= "70Gi")), both
    ).fits
    with pytest.raises(TypeError, match="a fleet is made of a handle"):
        Fleet.of("gpu.nvidia.com")  # type: ignore[arg-type] # what is to be rejected


def test_fleets_from_files() -> None:
    folder = ROOT / "examples/inventory/gpu.nvidia.com-eks-p4d-a100-full-gpu"
    fleet = Fleet.from_file(folder)
    assert len(fleet) > 0
    assert Fleet.from_objects(*fleet.documents) == fleet
    with pytest.raises(ValueError, match="nowhere"):
        Fleet.from_file("nowhere")


# --- simulate ---


def test_simulate() -> None:
    fleet = Fleet.of(gpu, count=2, nodes=2, capacity={gpu.memory: "80Gi"})
    app = app_with(Request("gpus", gpu, count=2, select=gpu.memory >= "40Gi"))
    result = dradsl.simulate(app, fleet)
    assert (result.fits, result.kubernetes, result.pending) == (True, "1.36", ())
    pod = result.pod("ml/t")
    assert (pod.answer, pod.node) == ("fits", "node-1")
    assert [(one.request, one.pool, one.device) for one in pod.devices] == [
        ("gpus", "node-1", "gpu-0"),
        ("gpus", "node-1", "gpu-1"),
    ]
    assert "fits on 2 of 2 nodes" in str(result)
    assert dradsl.fit(app, fleet) == {"Pod ml/t": 2}

    never = dradsl.simulate(app_with(Request("gpus", gpu, count=3)), fleet)
    assert (never.fits, never.pod("t").answer, never.pod("t").node) == (False, "never", None)
    assert never.pod("t").reason
    with pytest.raises(KeyError, match="0 pods are called x"):
        never.pod("x")
    with pytest.raises(TypeError, match="no truth value"):
        bool(never)


def test_simulate_says_what_the_command_says(tmp_path: Path) -> None:
    from dradsl.cli.simulate import command

    app = app_with(Request("g", gpu))
    claim = dradsl.PodClaim("d", app.objects[0])  # type: ignore[arg-type] # the template that was added
    spec = {
        "containers": [{"name": "c", "image": "i", "resources": {"claims": [claim.container()]}}],
        "resourceClaims": [claim.to_dict()],
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "ml"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "d"}},
            "template": {"metadata": {"labels": {"app": "d"}}, "spec": spec},
        },
    }
    fleet = Fleet.of(gpu, count=2)
    (tmp_path / "fleet.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [*fleet.documents]})
    )
    (tmp_path / "app.yaml").write_text(app.to_yaml() + "---\n" + yaml.safe_dump(deployment))
    run = CliRunner().invoke(
        command,
        ["app.yaml", "--slices", "fleet.json", "--kube-version", "1.36", "--output-format", "json"],
    )
    expected = json.loads(run.stdout)["pods"]
    result = dradsl.simulate([app, deployment], fleet)
    assert [(one.name, one.answer, one.node) for one in result] == [
        (one["name"], one["answer"], one["node"]) for one in expected
    ]
    assert [one.answer for one in result] == ["fits", "fits", "never"]
    assert dradsl.simulate("app.yaml", Fleet.from_file("fleet.json"), kube_version="1.36") == result
    assert dradsl.simulate([app, deployment], fleet, replicas=1).fits


def test_apps_that_are_used_bring_their_classes() -> None:
    base, platform = App(), App()
    platform.uses = (base,)
    large = base.add(DeviceClass("large", select=gpu & (gpu.memory >= "70Gi")))
    platform.add(ResourceClaimTemplate("own", namespace="ml", requests=[Request("g", gpu)]))
    team = App(for_release="1.36", uses=[platform])
    team.add(ResourceClaimTemplate("t", namespace="ml", requests=[Request("g", large)]))
    fleet = Fleet.of(gpu, capacity={gpu.memory: "80Gi"})
    assert team.lint().ok
    result = dradsl.simulate(team, fleet)
    assert result.fits
    assert [pod.name for pod in result] == ["t"]  # the pods of others are theirs
    assert dradsl.fit([team, base], fleet) == {"Pod ml/t": 1}


def test_simulate_without_anything() -> None:
    with pytest.raises(ValueError, match="no pods, workloads or claims"):
        dradsl.simulate(App(), Fleet.of(gpu))
    with pytest.raises(TypeError, match="expected a Fleet"):
        dradsl.simulate(App(), "slices.yaml")  # type: ignore[arg-type] # what is to be rejected
    rejected = dradsl.simulate(
        BAD | {"spec": {"devices": {"requests": [{"name": "A"}]}}}, Fleet.of(gpu)
    )
    assert not rejected.fits
    assert rejected.rejected


# --- migrate ---


def test_migrate(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(yaml.safe_dump(POD))
    for result in (dradsl.migrate("pod.yaml"), dradsl.migrate(POD)):
        assert result.complete
        [file] = result.files
        assert file.changed
        [pod, template] = yaml.safe_load_all(file.after)
        assert pod["spec"]["resourceClaims"]
        assert template["kind"] == "ResourceClaimTemplate"
        [item] = result.items
        assert (item.outcome, item.object) == ("translated", "Pod ml/p")
        assert result.evidence
    assert (tmp_path / "pod.yaml").read_text() == yaml.safe_dump(POD)
    by_class = dradsl.migrate("pod.yaml", answers={"strategy": "extended-resource"})
    assert by_class.complete


def test_migrate_with_questions() -> None:
    pod = json.loads(json.dumps(POD).replace("nvidia.com/gpu", "nvidia.com/mig-1g.5gb"))
    result = dradsl.migrate(pod)
    assert result.questions == () or not result.complete
    with pytest.raises(ValueError, match=r"."):
        dradsl.migrate(POD, answers={"nonsense": 1})


@pytest.mark.parametrize("value", ["false", "true", "False", 0, 1, None, "off", []])
@pytest.mark.parametrize(
    "call",
    [
        lambda gates: App(feature_gates=gates),
        lambda gates: App(for_release="1.36", feature_gates=gates),
        lambda gates: App().lint(feature_gates=gates),
        lambda gates: dradsl.lint(BAD, feature_gates=gates, isolated=True),
        lambda gates: dradsl.simulate(POD, Fleet(), feature_gates=gates),
        lambda gates: dradsl.fit(POD, Fleet(), feature_gates=gates),
    ],
)
def test_a_feature_gate_is_a_bool(call: Any, value: object) -> None:
    """The text "false" is true to Python: it would turn the gate on."""
    with pytest.raises(
        TypeError, match="feature gate DRAConsumableCapacity: expected True or False"
    ):
        call({"DRAConsumableCapacity": value})


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"count": -3}, ValueError, "count: expected 0 or more, not -3"),
        ({"count": True}, TypeError, "count: expected a whole number, not True"),
        ({"count": "2"}, TypeError, "count: expected a whole number, not '2'"),
        ({"count": 2.0}, TypeError, "count: expected a whole number, not 2.0"),
        ({"nodes": 0}, ValueError, "nodes: expected 1 or more, not 0"),
        ({"nodes": -1}, ValueError, "nodes: expected 1 or more, not -1"),
        ({"nodes": True}, TypeError, "nodes: expected a whole number, not True"),
        ({"nodes": "node-a"}, TypeError, "nodes: expected a whole number, not 'node-a'"),
        ({"nodes": []}, ValueError, "nodes: expected at least one name"),
        ({"nodes": [1]}, TypeError, "nodes: expected names, not 1"),
        ({"shared": "false"}, TypeError, "shared: expected True or False, not 'false'"),
    ],
)
def test_numbers_of_a_fleet(given: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=f"^{said}$"):
        Fleet.of(gpu, **given)
    assert len(Fleet.of(gpu, count=0)) == 0
    assert Fleet.of(gpu, nodes=iter(["a", "b"])).nodes == ("a", "b")


def test_nothing_to_look_at_is_no_success(tmp_path: Path) -> None:
    nothings: list[list[Any]] = [[], [App()], [[]], [tmp_path]]
    for nothing in nothings:
        result = dradsl.lint(*nothing, isolated=True)
        assert not result.ok
        assert result.findings == ()
    assert not App().lint().ok
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert dradsl.lint(tmp_path, isolated=True).ok


def test_a_simulation_can_be_pickled() -> None:
    app = dradsl.App()
    app.add(ResourceClaimTemplate("t", requests=[Request("g", gpu, count=2)]))
    result = dradsl.simulate(app, dradsl.Fleet.of(gpu, count=1) + dradsl.Fleet.of(gpu, count=4))
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result
        assert str(again) == str(result)
        assert again.report("json") == result.report("json")
