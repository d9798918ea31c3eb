"""What may ask for devices where the files do not show it: it is found, and no run is green."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.result import Outcome
from tests.migrate.runs import only, run, with_gpu
from tests.migrate.test_chart_places import CHART, TEMPLATE
from tests.migrate.test_operator import POLICY
from tests.migrate.test_sharing import several

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "huawei.com/other-device"
HEAD = TEMPLATE.partition("        resources:\n")[0]
VALUES = "accelerator: nvidia.com/gpu\ncount: 1\nlimits: {cpu: 1}\n"


def in_limits(*lines: str, before: str = "") -> dict[str, str]:
    text = "".join(f"            {line}\n" for line in lines)
    return {"templates/d.yaml": f"{before}{HEAD}        resources:\n          limits:\n{text}"}


def helper(body: str) -> dict[str, str]:
    made = in_limits('{{- include "x.limits" . | nindent 12 }}')
    return {**made, "templates/_h.tpl": '{{- define "x.limits" -}}\n' + body + "\n{{- end }}\n"}


COMPUTED = {
    "value": in_limits("{{ .Values.accelerator }}: {{ .Values.count }}"),
    "quoted": in_limits('"{{ .Values.accelerator }}": 1'),
    "variable": in_limits("{{ $type }}: 1", before="{{- $type := .Values.accelerator }}\n"),
    "vendor": in_limits("{{ .Values.vendor }}/gpu: 1"),
    "profile": in_limits("nvidia.com/mig-{{ .Values.profile }}: 1"),
    "after others": in_limits("cpu: 1", "memory: 1Gi", "{{ .Values.accelerator }}: 1"),
    "in if": in_limits("{{- if .Values.gpu }}", "{{ .Values.accelerator }}: 1", "{{- end }}"),
    "items": in_limits("{{- range .Values.devices }}", "{{ .name }}: {{ .count }}", "{{- end }}"),
    "printf": in_limits('{{ printf "%s: %v" .Values.accelerator .Values.count }}'),
    "tpl": in_limits("{{- tpl .Values.limits . | nindent 12 }}"),
    "dict": in_limits("{{- toYaml (dict .Values.accelerator .Values.count) | nindent 12 }}"),
    "dict in a variable": in_limits(
        "{{- toYaml $l | nindent 12 }}", before="{{- $l := dict .Values.accelerator 1 }}\n"
    ),
    "set": in_limits(
        "{{- toYaml $l | nindent 12 }}",
        before="{{- $l := dict }}\n{{- $_ := set $l .Values.accelerator 1 }}\n",
    ),
    "flow": {"templates/d.yaml": f"{HEAD}        resources: {{limits: {{ {{{{ .Values.accelerator }}}}: 1 }}}}\n"},
    "helper": helper("{{ .Values.accelerator }}: {{ .Values.count }}"),
    "helper of a helper": {
        **helper('{{ include "y" . }}'),
        "templates/_y.tpl": '{{- define "y" -}}\n{{ .Values.accelerator }}: 1\n{{- end }}\n',
    },
    "helper of another chart": in_limits('{{- include "common.limits" . | nindent 12 }}'),
    "limits in a helper": {
        "templates/_h.tpl": '{{- define "x.r" -}}\nlimits:\n  {{ .Values.accelerator }}: 1\n{{- end }}\n',
    },
}  # fmt: skip
PLAIN = {
    "cpu": in_limits("cpu: {{ .Values.cpu }}"),
    "map": in_limits("{{- toYaml .Values.limits | nindent 12 }}"),
    "pairs": in_limits(
        "{{- range $key, $value := .Values.limits }}", "{{ $key }}: {{ $value }}", "{{- end }}"
    ),
    "helper": helper("cpu: {{ .Values.count }}"),
    "labels": {"templates/d.yaml": "metadata:\n  labels:\n    {{ .Values.key }}: a\n"},
    "after the limits": {
        "templates/d.yaml": f"{HEAD}        resources:\n          limits:\n            cpu: 1\n"
        "        {{ .Values.key }}: a\n"
    },
}


def files_of(files: dict[str, str]) -> dict[str, str]:
    return {
        "c/Chart.yaml": CHART,
        "c/values.yaml": VALUES,
        **{f"c/{k}": v for k, v in files.items()},
    }


@pytest.mark.parametrize("form", COMPUTED)
@pytest.mark.parametrize("strategy", ["claims", "extended-resource"])
def test_a_name_that_a_template_computes_is_found(form: str, strategy: str) -> None:
    migration = several(files_of(COMPUTED[form]), {"strategy": strategy})
    items = [item for item in migration.items() if item.about == "unknown"]
    assert len(items) == 1, items
    assert items[0].outcome is Outcome.REJECTED
    assert items[0].reason.startswith("found, not judged")
    assert migration.open


@pytest.mark.parametrize("form", PLAIN)
def test_other_templates_are_not(form: str) -> None:
    assert list(several(files_of(PLAIN[form]), {}).items()) == []


@pytest.mark.parametrize(
    "files",
    [
        in_limits("cpu: 1", "{{- if .Values.on }}", f"{UNKNOWN}: 1", "{{- end }}"),
        in_limits(f"{UNKNOWN}: {{{{ .Values.count }}}}"),
        {"templates/d.yaml": f"{HEAD}        resources: {{limits: {{cpu: 1, {UNKNOWN}: 1}}}} # {{{{ .Values.a }}}}\n"},
    ],
)  # fmt: skip
def test_a_name_that_no_driver_has_is_left_in_a_template_too(files: dict[str, str]) -> None:
    """As in a manifest, whose reason is the same."""
    item = only(several(files_of(files), {}))
    plain = only(run(with_gpu(resource=UNKNOWN)))
    assert item.outcome is plain.outcome is Outcome.LEFT
    assert item.before.startswith(f"{UNKNOWN}: ")
    assert item.reason == plain.reason


def test_the_same_key_elsewhere_in_a_template_is_no_use() -> None:
    text = f"metadata:\n  annotations:\n    {UNKNOWN}: a-{{{{ .Values.key }}}}\n"
    assert list(several(files_of({"templates/d.yaml": text}), {}).items()) == []


@pytest.mark.parametrize(
    ("name", "title"),
    [("a.tftpl", "template"), ("a.j2.yaml", "template"), ("a.tpl", "Helm template")],
)
def test_what_another_program_reads_is_not_helms(name: str, title: str) -> None:
    text = "resources:\n  limits:\n    nvidia.com/gpu: ${gpus}\nimage: {{ .Values.image }}\n"
    item = only(run(text, name))
    assert item.object == title
    assert any("helm" in route for route in item.routes) is (title == "Helm template")


def test_no_call_is_green(tmp_path: Path) -> None:
    for name, text in files_of(COMPUTED["value"]).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for option in ("--scan", "--check", "--diff"):
        result = CliRunner().invoke(command, [option, str(tmp_path)])
        assert result.exit_code == 1
        assert "found, not judged" in result.output
        assert "d.yaml" in result.output


APPLICATION = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n"
    "    repoURL: https://x\n    chart: nvidia-device-plugin\n    helm:\n      %s\n"
)
RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n"
    "  chart: {spec: {chart: %s}}\n  valuesFrom: [{kind: %s, name: v%s}]\n"
)
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v}\ndata: {values.yaml: 'a: 1'}\n"


@pytest.mark.parametrize(
    "text",
    [
        APPLICATION % "valuesObject: ${user_values_yaml}",
        APPLICATION % "values: ${user_values_yaml}",
        APPLICATION % "values: '{{ .Values.user }}'",
        RELEASE % ("app", "ConfigMap", ""),
        RELEASE % ("gpu-operator", "Secret", ""),
        RELEASE % ("nvidia-device-plugin", "ConfigMap", ", optional: true"),
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec: {chart: x, valuesContent: '${v}'}\n",
    ],
)
def test_values_that_are_not_there_are_found(text: str) -> None:
    items = [item for item in several({"a.yaml": text}, {}).items() if item.about == "unknown"]
    assert len(items) == 1
    assert items[0].reason.startswith("found, not judged")


@pytest.mark.parametrize(
    "more",
    [
        {"b.yaml": CONFIG},
        {"kustomization.yaml": "configMapGenerator: [{name: v, files: [values.yaml]}]\n"},
        {
            "b.yaml": "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: x}\nspec: {target: {name: v}}\n"
        },
    ],
)
def test_values_that_are_there_are_not(more: dict[str, str]) -> None:
    items = several({"a.yaml": RELEASE % ("app", "ConfigMap", ""), **more}, {}).items()
    assert [item for item in items if item.about == "unknown"] == []


@pytest.mark.parametrize("text", [
    RELEASE % ("app", "Secret", ""), RELEASE % ("app", "ConfigMap", ", optional: true"),
    RELEASE % ("app", "ConfigMap", ", targetPath: a.b"), APPLICATION % "values: 'name: ${cluster}'",
])  # fmt: skip
def test_values_of_another_kind_are_not(text: str) -> None:
    assert [item for item in several({"a.yaml": text}, {}).items() if item.about == "unknown"] == []


HARDWARE = (
    "apiVersion: infrastructure.opendatahub.io/v1\nkind: HardwareProfile\nmetadata: {name: h}\nspec:\n"
    "  identifiers:\n  - {identifier: cpu, defaultCount: 1}\n  - {identifier: nvidia.com/gpu, defaultCount: 1}\n"
)
ACCELERATOR = (
    "apiVersion: dashboard.opendatahub.io/v1\nkind: AcceleratorProfile\nmetadata: {name: a}\n"
    "spec: {identifier: nvidia.com/gpu}\n"
)


@pytest.mark.parametrize("profile", [HARDWARE, ACCELERATOR])
@pytest.mark.parametrize("beside", ["", with_gpu()])
def test_profiles_of_open_shift_are_requests_that_a_controller_writes(
    profile: str, beside: str
) -> None:
    files = {"a.yaml": profile + ("---\n" + beside if beside else ""), "b.yaml": POLICY}
    migration = several(files, {})
    (item,) = [each for each in migration.items() if each.before == "nvidia.com/gpu"]
    assert item.outcome is Outcome.REJECTED
    assert any("extended-resource" in route for route in item.routes)
    assert next(each for each in migration.files if each.path == "b.yaml").text == POLICY


def test_files_that_name_devices_are_listed_beside_uses() -> None:
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {requests.nvidia.com/gpu: 4}}\n"
    migration = several({"a.yaml": with_gpu(), "b.yaml": quota}, {})
    assert any(each.startswith("b.yaml:") for each in migration.names)


def test_releases_of_a_helmfile_are_not_read(tmp_path: Path) -> None:
    """A helmfile of a chart whose values may ask for devices by other names."""
    path = tmp_path / "helmfile.yaml"
    release = "- {name: a, chart: otwld/ollama, values: [{ollama: {gpu: {enabled: true}}}]}"
    path.write_text(f"releases:\n- {{name: b, chart: x/y}}\n{release}\n")
    result = CliRunner().invoke(command, ["--scan", str(path)])
    assert result.exit_code == 1
    assert "1 use" in result.output
    assert "helmfile template | dradsl migrate -" in result.output


def test_suites_of_helm_unittest_ask_for_nothing() -> None:
    text = (
        "suite: gpus\ntemplates: [d.yaml]\ntests:\n- set: {resources: {limits: {nvidia.com/gpu: 1}}}\n"
        "  asserts: [{equal: {path: 'spec.limits[\"nvidia.com/gpu\"]', value: 1}}]\n"
    )
    migration = run(text, "tests/gpu_test.yaml")
    assert not [*migration.items()]
    assert migration.names  # named, not asked for


@pytest.mark.parametrize(
    ("values", "before"),
    [
        ("gpu: {type: gpu.intel.com/i915, count: 1}\n", "gpu.intel.com/i915: 1"),
        ("a: {gpuResourceName: nvidia.com/gpu, gpuCount: '4'}\n", "nvidia.com/gpu: 4"),
        ("gpus:\n- {resource: amd.com/gpu, number: 2}\n", "amd.com/gpu: 2"),
    ],
)
def test_a_name_and_a_count_beside_it_in_values_are_a_use(values: str, before: str) -> None:
    (item,) = run(values, "values.yaml").items()
    assert (item.before, item.outcome) == (before, Outcome.REJECTED)
    assert any("--post-render" in route for route in item.routes)


@pytest.mark.parametrize(
    "values",
    [
        "gpu: {type: gpu.intel.com/i915, count: 0}\n",
        "gpu: {type: gpu.intel.com/i915, enabled: true}\n",
        "sharing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}\n",
        "tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n",
        "disk: {type: example.com/disk, count: 1}\n",
    ],
)
def test_other_values_beside_a_name_are_none(values: str) -> None:
    assert not [*run(values, "values.yaml").items()]


def test_a_format_of_a_name_is_a_use_and_the_key_of_a_toleration_is_none() -> None:
    body = (
        '{{- $mig := printf "nvidia.com/mig-%s" .Values.profile }}\nspec:\n  tolerations:\n'
        '  - key: {{ .Values.type | default "nvidia.com/gpu" }}\n    operator: Exists\n'
    )
    items = [*several({"c/templates/a.yaml": body}, {}).items()]
    assert [each.where for each in items] == ["line 1"]


def test_a_text_in_a_config_map_of_a_template_is_not_said_to_be_migrated_when_rendered() -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n  pod.yaml: |\n"
        "    spec: {containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
    )
    (item,) = several({"c/templates/a.yaml": text}, {}).items()
    assert "does not migrate such texts" in item.reason
    assert not any("helm template" in route for route in item.routes)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("workflow: {}\nresources:\n  default:\n    gpu: 1\n", "a.yaml:4 has gpu: 1, "),
        ("resources:\n  accelerators: A100:8  # eight\n", "a.yaml:2 has accelerators: A100:8, "),
        ("numGpus: 2\n", "a.yaml:1 has numGpus: 2, "),
        ("gpu: {enabled: true}\ngpus: 0\n", None),
        ("gpu:\n  enabled: true\naccelerators: []\n", None),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  gpus: two\n", None),
    ],
)
def test_gpus_in_the_words_of_another_program_are_named(text: str, named: str | None) -> None:
    migration = run(text, "a.yaml")
    assert not [*migration.items()]
    assert [each.startswith(named or "-") for each in migration.names] == [True] * bool(named)
