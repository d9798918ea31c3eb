"""Charts of Helm: typed values that stay open, and the files of a chart."""

from __future__ import annotations

import copy
import json
import pickle
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

import dradsl
from dradsl import App, DeviceClass, Fleet, PodClaim, Request, ResourceClaimTemplate
from dradsl.cel.syntax.parse import parse
from dradsl.devices.nvidia import gpu
from dradsl.integrations.helm import Chart, UnusedValueError

if TYPE_CHECKING:
    from pathlib import Path

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "i", "args": ["{{ braces }}"]}]},
}


def made() -> tuple[Chart, App]:
    chart = Chart("training", version="1.2.3")
    gpus = chart.value(
        "gpus.count", default=2, minimum=1, maximum=8, description="GPUs of each pod"
    )
    memory = chart.value("gpus.memory", default="40Gi", pattern="^[0-9]+Gi$")
    product = chart.value("product", default="NVIDIA L4")
    node = chart.value("numaNode", default=0)
    namespace = chart.release_namespace("ml")
    app = App(for_release="1.36")
    select = (gpu.memory >= memory) & (gpu.productName == product) & (gpu.numaNode == node)
    template = app.add(
        ResourceClaimTemplate(
            "pair", namespace=namespace, requests=[Request("gpus", gpu, count=gpus, select=select)]
        )
    )
    pod = {**POD, "metadata": {"name": "p", "namespace": namespace}}
    app.add(dradsl.KubernetesObject(PodClaim("d", template).attach(pod)))
    return chart, app


def test_defaults_are_checked() -> None:
    _, app = made()
    assert app.lint().ok
    assert "count: 2" in app.to_yaml()
    fleet = Fleet.of(
        gpu,
        count=2,
        attributes={gpu.productName: "NVIDIA L4", gpu.numaNode: 0},
        capacity={gpu.memory: "48Gi"},
    )
    assert dradsl.simulate(app, fleet).pod("p").fits


def test_files() -> None:
    chart, app = made()
    files = chart.files(app)
    assert sorted(files) == [
        "Chart.yaml",
        "templates/pod_ml_p.yaml",
        "templates/resourceclaimtemplate_ml_pair.yaml",
        "values.schema.json",
        "values.yaml",
    ]
    text = files["templates/resourceclaimtemplate_ml_pair.yaml"]
    assert "count: {{ .Values.gpus.count | int64 }}\n" in text
    assert "namespace: {{ .Release.Namespace | quote }}\n" in text
    assert "quantity({{ .Values.gpus.memory | toString | toJson }})" in text
    assert ".productName == {{ .Values.product | toString | toJson }}" in text
    assert ".numaNode == {{ .Values.numaNode | int64 }}" in text
    assert "placeholder" not in text
    assert '{{ "{{" }} braces }}' in files["templates/pod_ml_p.yaml"]
    values = yaml.safe_load(files["values.yaml"])
    assert values == {
        "gpus": {"count": 2, "memory": "40Gi"}, "product": "NVIDIA L4", "numaNode": 0
    }  # fmt: skip
    schema = json.loads(files["values.schema.json"])
    jsonschema.validate(values, schema)
    for wrong in ({"gpus": {"count": 9}}, {"gpus": {"count": "2"}}, {"gpus": {"memory": "40"}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
    assert schema["properties"]["gpus"]["properties"]["count"]["description"] == "GPUs of each pod"
    assert yaml.safe_load(files["Chart.yaml"]) == {
        "apiVersion": "v2", "name": "training", "version": "1.2.3"
    }  # fmt: skip


def test_the_schema_knows_what_values_are_used_for() -> None:
    chart = Chart("c")
    memory = chart.value("memory", default="40Gi")
    share = chart.value("share", default="10Gi")
    size = chart.value("size", default="40Gi", choices=["40Gi", "80Gi"])
    driver = chart.value("driver", default="580.65.6")
    product = chart.value("product", default="NVIDIA L4")
    select = [
        gpu.memory >= memory,
        gpu.memory <= size,
        gpu.driverVersion >= driver,
        gpu.productName == product,
    ]
    app = App()
    request = Request("r", gpu, select=select, capacity={gpu.memory: share})
    app.add(ResourceClaimTemplate("t", requests=[request]))
    files = chart.files(app)
    assert "semver({{ .Values.driver | toString | toJson }})" in "".join(files.values())
    schema = json.loads(files["values.schema.json"])
    assert "pattern" not in schema["properties"]["product"]
    assert "pattern" not in schema["properties"]["size"]
    jsonschema.validate(chart.values(), schema)
    for name, right, wrong in (
        ("memory", ["1", "1.5Gi", "80e9", "-1k", ".5", "3n"], ["lots", "40gi", "40 Gi", "", "1Gi ", "4KB"]),
        ("share", ["10G"], ["a lot", '1" || "a" == "a']),
        ("driver", ["1.2.3", "1.2.3-rc.1"], ["580", "v1.2.3", "1.02.3"]),
    ):  # fmt: skip
        for value in right:
            jsonschema.validate({name: value}, schema)
        for value in wrong:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({name: value}, schema)


def test_a_value_that_is_lost_is_found() -> None:
    chart = Chart("c")
    team = chart.value("team", default="vision")
    app = App()
    app.add(ResourceClaimTemplate(f"{team}-pair", requests=[Request("r", gpu)]))
    with pytest.raises(UnusedValueError, match=r"no template uses \.Values\.team"):
        chart.files(app)


@pytest.mark.parametrize(
    ("name", "default", "error"),
    [("a b", 1, ValueError), ("a", {1}, TypeError), ("a", 1.5, TypeError), ("a", None, TypeError)],
)
def test_values_that_cannot_be(name: str, default: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Chart("c").value(name, default)  # type: ignore[type-var] # what is to be rejected
    chart = Chart("c")
    chart.value("x", 1)
    with pytest.raises(ValueError, match="there already"):
        chart.value("x", 2)


def test_rules_that_do_not_fit() -> None:
    chart = Chart("c")
    with pytest.raises(TypeError, match="do not fit 'x'"):
        chart.value("a", "x", minimum=1)
    with pytest.raises(TypeError, match="do not fit 1"):
        chart.value("a", 1, pattern="x")
    with pytest.raises(TypeError, match=r"do not fit \[1\]"):
        chart.value("a", [1], choices=[[1]])


def switched() -> tuple[Chart, App]:
    """A chart whose values are lists, maps, and true or false."""
    chart = Chart("lab")
    products = chart.value("products", default=["NVIDIA L4", "NVIDIA L40S"])
    nodes = chart.value("numaNodes", default=[0, 1])
    labels = chart.value("labels", default={"team": "lab"})
    tolerations = chart.value("pod.tolerations", default=[{"key": "gpu", "operator": "Exists"}])
    suspend = chart.value("suspend", default=True)
    monitored = chart.value("monitoring.enabled", default=False, description="a pod more")
    app = App(for_release="1.36")
    select = [gpu.productName.in_(products), gpu.numaNode.in_(nodes)]
    one = app.add(
        ResourceClaimTemplate(
            "one", namespace="ml", labels=labels, requests=[Request("gpu", gpu, select=select)]
        )
    )
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ml"},
        "spec": {
            "suspend": suspend,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "tolerations": tolerations,
                    "containers": POD["spec"]["containers"],  # type: ignore[index]
                }
            },
        },
    }
    # Also what is attached to an object keeps what is open.
    app.add(PodClaim("gpu", one).attach(dradsl.KubernetesObject(job)))
    app.add(dradsl.KubernetesObject(PodClaim("gpu", one).attach(POD)), when=monitored)
    return chart, app


def test_lists_maps_and_switches() -> None:
    chart, app = switched()
    assert app.lint().ok
    template, job, _ = app.to_dicts()
    assert template["metadata"]["labels"] == {"team": "lab"}
    assert job["spec"]["suspend"] is True
    assert json.loads(json.dumps(job)) == job
    assert chart.files(pickle.loads(pickle.dumps(app))) == chart.files(app)
    assert copy.deepcopy(app).to_yaml() == app.to_yaml()
    files = chart.files(app)
    pod = files["templates/pod_p.yaml"]
    assert pod.startswith("{{- if .Values.monitoring.enabled }}\napiVersion")
    assert pod.endswith("{{- end }}\n")
    assert "suspend: {{ .Values.suspend | toJson }}\n" in files["templates/job_ml_j.yaml"]
    assert yaml.safe_load(files["values.yaml"])["pod"] == {
        "tolerations": [{"key": "gpu", "operator": "Exists"}]
    }
    schema = json.loads(files["values.schema.json"])
    jsonschema.validate(chart.values(), schema)
    wrong_values: list[dict[str, Any]] = [
        {"products": "NVIDIA L4"}, {"products": [1]}, {"products": []}, {"numaNodes": ["0"]},
        {"labels": {"a": 1}}, {"labels": []}, {"suspend": "yes"}, {"monitoring": {"enabled": 1}},
        {"pod": {"tolerations": ["gpu"]}},
    ]  # fmt: skip
    for wrong in wrong_values:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_switch_that_is_known() -> None:
    app = App()
    one = DeviceClass("one", select=gpu)
    assert app.add(one, when=False) is one
    assert len(app) == 0


def test_helm_renders_lists_maps_and_switches(tmp_path: Path) -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("helm is not installed")
    chart, app = switched()
    chart.write(tmp_path / "chart", app)

    def render(values: object) -> dict[str, Any]:
        (tmp_path / "more.yaml").write_text(json.dumps(values))
        call = [helm, "template", "r", str(tmp_path / "chart"), "-f", str(tmp_path / "more.yaml")]
        run = subprocess.run(call, capture_output=True, text=True, check=True)
        return {one["kind"]: one for one in yaml.safe_load_all(run.stdout) if one}

    plain = render({})
    assert set(plain) == {"Job", "ResourceClaimTemplate"}
    assert plain["Job"] == app.to_dicts()[1]
    hostile = 'x" || "a" == "a'
    more = render(
        {
            "monitoring": {"enabled": True},
            "products": [hostile],
            "labels": {"b": "c: d"},
            "pod": {"tolerations": []},
        }
    )
    assert more["Pod"] == app.to_dicts()[2]
    assert more["ResourceClaimTemplate"]["metadata"]["labels"] == {"team": "lab", "b": "c: d"}
    assert more["Job"]["spec"]["template"]["spec"]["tolerations"] == []
    [request] = more["ResourceClaimTemplate"]["spec"]["spec"]["devices"]["requests"]
    text = request["exactly"]["selectors"][0]["cel"]["expression"]
    meant = str(gpu.productName.in_([hostile]))
    assert _without_places(text) == _without_places(meant.partition(" && ")[2] or meant)


def test_written(tmp_path: Path) -> None:
    chart, app = made()
    chart.write(tmp_path / "chart", app)
    (tmp_path / "chart/templates/own.yaml").write_text("a: 1\n")
    smaller = App()
    smaller.add(app.objects[0])
    chart.write(tmp_path / "chart", smaller)
    assert sorted(path.name for path in (tmp_path / "chart/templates").iterdir()) == [
        "own.yaml",
        "resourceclaimtemplate_ml_pair.yaml",
    ]
    (tmp_path / "chart/values.yaml").write_text("mine: 1\n")
    with pytest.raises(FileExistsError, match="was not written by dradsl"):
        chart.write(tmp_path / "chart", smaller)


def test_helm_renders_it(tmp_path: Path) -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("helm is not installed")
    chart, app = made()
    chart.write(tmp_path / "chart", app)

    def render(*options: str) -> list[dict[str, object]]:
        call = [helm, "template", "r", str(tmp_path / "chart"), "--namespace", "ml", *options]
        run = subprocess.run(call, capture_output=True, text=True, check=True)
        return [one for one in yaml.safe_load_all(run.stdout) if one]

    by_kind = {str(one["kind"]): one for one in render()}
    assert by_kind == {str(one["kind"]): one for one in app.to_dicts()}
    [template] = [one for one in render("--set", "gpus.count=4") if one["kind"] != "Pod"]
    assert (
        dradsl.from_dict(template).to_dict()["spec"]["spec"]["devices"]["requests"][0]["exactly"][
            "count"
        ]
        == 4
    )
    with pytest.raises(subprocess.CalledProcessError):
        render("--set", "gpus.count=9")


@pytest.mark.parametrize("value", ['x" || "a" == "a', "a\nb: c", "a # b", "<&> \\d é", "'", "40"])
def test_no_value_ends_a_string_of_cel(value: str, tmp_path: Path) -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("helm is not installed")
    chart = Chart("c")
    product = chart.value("product", default="NVIDIA L4")
    app = App()
    app.add(DeviceClass("one", select=gpu.attributes["x"] == product))
    chart.write(tmp_path / "chart", app)
    (tmp_path / "more.yaml").write_text(json.dumps({"product": value}))
    call = [helm, "template", "r", str(tmp_path / "chart"), "-f", str(tmp_path / "more.yaml")]
    run = subprocess.run(call, capture_output=True, text=True, check=True)
    [rendered] = [one for one in yaml.safe_load_all(run.stdout) if one]
    expected = DeviceClass("one", select=gpu.attributes["x"] == value).to_dict()
    text = rendered["spec"]["selectors"][0]["cel"]["expression"]
    meant = expected["spec"]["selectors"][0]["cel"]["expression"]
    assert _without_places(text) == _without_places(meant)


def _without_places(text: str) -> str:
    return re.sub(r"(span|at)=(\([^)]*\)|\d+)", "", repr(parse(text)))
