"""The command: where results go, what it asks, and what its exit code says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.migrate import command
from dradsl.text.documents import load
from tests.migrate.runs import HERE, data_of, with_gpu

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = with_gpu()
SHARED = with_gpu(resource="nvidia.com/gpu.shared")
VALUES = "replicaCount: 1\nresources:\n  limits:\n    nvidia.com/gpu: 1\n"
OLLAMA = "ollama:\n  gpu:\n    enabled: true\n    number: 2 # two\n"
OPERATOR = "operator: {}\ndevicePlugin:\n  enabled: true # today\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=text, catch_exceptions=False)


def test_the_result_goes_to_standard_output_and_the_report_to_standard_error(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    result = call("a.yaml")
    assert result.exit_code == 0
    assert [obj["kind"] for obj in data_of(result.stdout)] == ["Pod", "ResourceClaimTemplate"]
    assert "1 use: 1 translated" in result.stderr


def test_several_files_on_standard_output_are_one_stream(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    (folder / "b.yaml").write_text("a: 1")
    (folder / "c.yaml").write_text("---\nb: 1\n")
    (folder / "d.yaml").write_text(PLAIN)
    documents = load(call("a.yaml", "b.yaml", "c.yaml", "d.yaml").stdout.encode()).documents
    assert [document.problems for document in documents] == [()] * 6
    of_folder = call(".")
    kinds = [obj["kind"] for obj in data_of(of_folder.stdout)]
    assert kinds == ["Pod", "ResourceClaimTemplate"] * 2
    assert "2 files printed; 2 not printed: nothing changes\n" in of_folder.stderr
    assert "---" not in call(".", "--diff").stdout.replace("--- ", "").replace("+---\n", "")


def test_standard_input_is_not_written_to_a_file(folder: Path) -> None:
    result = call("--write", "--stdin-filename", "a.yaml", "-", text=PLAIN)
    assert result.exit_code == 2
    assert "standard input" in result.stderr
    assert list(folder.iterdir()) == []


def test_post_render_reads_and_writes_a_stream() -> None:
    result = call("--post-render", text=f"---\n# Source: c/templates/p.yaml\n{PLAIN}")
    assert result.exit_code == 0
    assert result.stdout.startswith("---\n# Source: c/templates/p.yaml\n")
    assert "resourceClaimTemplateName" in result.stdout


def test_post_render_fails_the_release_where_something_is_open() -> None:
    assert call("--post-render", text=SHARED).exit_code == 1


def test_in_place_twice_is_once(folder: Path) -> None:
    path = folder / "a.yaml"
    path.write_text(PLAIN)
    assert call("--check", "a.yaml").exit_code == 1
    assert path.read_text() == PLAIN
    assert call("--write", "a.yaml").exit_code == 0
    once = path.read_text()
    assert call("--write", "a.yaml").exit_code == 3  # no use is left
    assert path.read_text() == once
    assert call("--check", "a.yaml").exit_code == 0


def test_output_folder_keeps_names(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.yaml").write_text(PLAIN)
    (folder / "sub" / "other.yaml").write_text("kind: X\napiVersion: v1\n")
    assert call("sub", "--output", "out").exit_code == 0
    assert "resourceClaims" in (folder / "out" / "sub" / "a.yaml").read_text()
    assert (folder / "out" / "sub" / "other.yaml").read_text() == "kind: X\napiVersion: v1\n"
    assert (folder / "sub" / "a.yaml").read_text() == PLAIN


def test_diff_writes_nothing(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    result = call("--diff", "a.yaml")
    assert "-        nvidia.com/gpu: 1\n" in result.stdout
    assert (folder / "a.yaml").read_text() == PLAIN


def test_values_that_can_name_a_template(folder: Path) -> None:
    (folder / "values.yaml").write_text(OLLAMA)
    result = call("--write", "values.yaml")
    assert result.exit_code == 1  # nobody rendered this chart
    assert "translated by recipe, not rendered" in result.stdout
    text = (folder / "values.yaml").read_text()
    assert text.startswith(OLLAMA)
    assert "    draEnabled: true\n" in text
    (template,) = data_of((folder / "values.claims.yaml").read_bytes())
    name = template["metadata"]["name"]
    assert f"    draExistingClaimTemplate: {name}\n" in text
    assert call("--check", "values.yaml").exit_code == 0


def test_values_that_cannot_are_rejected_with_the_other_ways(folder: Path) -> None:
    (folder / "values.yaml").write_text(VALUES)
    result = call("--scan", "values.yaml")
    assert result.exit_code == 1
    assert "--post-render" in result.stdout
    assert "--set strategy=extended-resource" in result.stdout
    answered = call("--set", "strategy=extended-resource", "--scan", "values.yaml")
    assert answered.exit_code == 0


def test_a_recipe_of_one_s_own(folder: Path) -> None:
    (folder / "values.yaml").write_text("engine: {gpus: 2, extra: {}}\n")
    (folder / "recipe.yaml").write_text(
        "recipe: own\ntitle: our chart\nsource: charts @ 1\nvalues: [engine.gpus]\npods:\n"
        "- at: engine\n  amounts: [{key: gpus, resource: nvidia.com/gpu}]\n"
        "  set-values: {claimTemplate: '{template}'}\n"
    )
    assert "No use" in call("--scan", "values.yaml").stdout
    assert call("--write", "--set", "recipes=recipe.yaml", "values.yaml").exit_code == 1
    assert "claimTemplate: values-engine-" in (folder / "values.yaml").read_text()
    assert call("--check", "--set", "recipes=recipe.yaml", "values.yaml").exit_code == 0
    (folder / "odd.yaml").write_text("a: 1\n")
    assert call("--scan", "--set", "recipes=odd.yaml", "values.yaml").exit_code == 2


def test_templates_are_listed_and_rejected(folder: Path) -> None:
    text = (
        "{{- if .Values.gpu }}\nspec:\n  limits:\n    nvidia.com/gpu: {{ .Values.n }}\n{{- end }}\n"
    )
    (folder / "t.yaml").write_text(text)
    result = call("--scan", "--output-format", "json", "t.yaml")
    assert result.exit_code == 1
    (use,) = json.loads(result.stdout)["files"][0]["uses"]
    assert (use["line"], use["outcome"]) == (4, "rejected")


def test_a_release_that_speaks_of_helm_in_a_string_is_no_template(folder: Path) -> None:
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: tv}\n"
        "spec:\n  chart: {spec: {chart: other}}\n  values:\n"
        "    host: '{{ .Release.Name }}.example.com'\n"
        "    resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    (folder / "release.yaml").write_text(release)
    report = call("release.yaml", "--check").output
    assert "values of HelmRelease tv" in report
    assert "source of a Helm template" not in report
    (folder / "templates").mkdir()
    (folder / "release.yaml").rename(folder / "templates/release.yaml")
    assert "source of a Helm template" in call("templates/release.yaml", "--check").output


def test_a_class_for_a_resource_that_no_driver_names(folder: Path) -> None:
    (folder / "a.yaml").write_text(with_gpu(resource="nvidia.com/mig-1g.5gb"))
    result = call("--set", "strategy=extended-resource", "--write", "a.yaml")
    assert result.exit_code == 0
    (made,) = data_of((folder / "a.claims.yaml").read_bytes())
    assert made["spec"]["extendedResourceName"] == "nvidia.com/mig-1g.5gb"
    assert (folder / "a.yaml").read_text() == with_gpu(resource="nvidia.com/mig-1g.5gb")
    again = call("--set", "strategy=extended-resource", "--check", "a.yaml", "a.claims.yaml")
    assert again.exit_code == 0


def test_classes_do_not_answer_in_older_releases(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    result = call(
        "--set", "strategy=extended-resource", "--scan", "--kube-version", "1.35", "a.yaml"
    )
    assert result.exit_code == 1
    assert "DRAExtendedResource is off" in result.stdout


def test_two_classes_of_one_name_are_rejected(folder: Path) -> None:
    classes = "".join(
        "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
        f"metadata: {{name: {name}}}\nspec: {{extendedResourceName: nvidia.com/gpu}}\n"
        for name in ("one", "two")
    )
    (folder / "a.yaml").write_text(PLAIN + classes)
    result = call("--set", "strategy=extended-resource", "--scan", "a.yaml")
    assert result.exit_code == 1
    assert "one and two carry nvidia.com/gpu" in result.stdout


def test_workloads_beside_a_configuration_are_seen(folder: Path) -> None:
    config = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n    version: v1\n"
        "    sharing:\n      mps:\n        resources: [{name: nvidia.com/gpu, replicas: 4}]\n---\n"
    )
    (folder / "a.yaml").write_text(config + PLAIN)
    result = call("--scan", "--output-format", "json", "a.yaml")
    uses = json.loads(result.stdout)["files"][0]["uses"]
    assert [(use["object"], use["outcome"]) for use in uses] == [
        ("Pod a", "rejected"),
        ("device plugin configuration", "rejected"),
    ]


def test_values_of_the_operator_stay(folder: Path) -> None:
    (folder / "values.yaml").write_text(OPERATOR)
    assert "devicePlugin.enabled: true" in call("--scan", "values.yaml").stdout
    assert call("--check", "values.yaml").exit_code == 0


def test_the_answers_file_asks_every_question_once(folder: Path) -> None:
    intel = with_gpu(resource="gpu.intel.com/i915").replace("{name: a}", "{name: c}")
    plugin = (
        "apiVersion: deviceplugin.intel.com/v1\nkind: GpuDevicePlugin\nspec: {sharedDevNum: 3}\n"
    )
    (folder / "a.yaml").write_text(f"{SHARED}---\n{SHARED.replace('{name: a}', '{name: b}')}")
    (folder / "b.yaml").write_text(f"{intel}---\n{plugin}")
    before = (folder / "a.yaml").read_text()
    result = call("--questions", "q.yaml", ".")
    assert result.exit_code == 1
    assert (folder / "a.yaml").read_text() == before
    text = (folder / "q.yaml").read_text()
    assert text.count("- workload:") == 2
    assert "  - Pod a\n  - Pod b\n" in text
    nvidia, _, other = text.partition("# sharing, for 1 use of intel.com")
    assert "# sharing: consumable-shares" in nvidia
    assert "shares" not in other.partition("Remove the #")[2].replace("shared-claim", "")
    # Without an answer the file says nothing; what is asked there is named as in the report.
    assert "no such workload" not in call("--answers", "q.yaml", "--scan", ".").output
    assert "sharing, for 1 use of intel.com" in result.stdout
    (folder / "q.yaml").write_text(
        text.replace("  # sharing: shared-claim", "  sharing: shared-claim")
    )
    done = call("--answers", "q.yaml", "--write", ".")
    assert done.exit_code == 0, done.output
    assert "Open questions" not in done.output
    assert call("--questions", "q.yaml", ".").exit_code == 2  # it is there already
    (folder / "c.yaml").write_text(SHARED.replace("{name: a}", "{name: z}"))
    assert call("--answers", "q.yaml", "--questions", "q.yaml", ".").exit_code == 1
    more = (folder / "q.yaml").read_text()
    assert more.startswith((folder / "q.yaml").read_text()[:60])
    assert more.count("- workload:") == 3
    assert "  - Pod z\n" in more


def test_a_choice_against_the_owner_s_own_words_says_so(folder: Path) -> None:
    apart = (
        "  affinity:\n    podAntiAffinity:\n      preferredDuringSchedulingIgnoredDuringExecution:\n"
        "      - {weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {}}}\n"
    )
    (folder / "a.yaml").write_text(with_gpu(resource="nvidia.com/gpu.shared", rest=apart))
    text = call("--scan", "a.yaml").stdout
    assert "shared-claim" in text.partition("podAntiAffinity")[0].splitlines()[-1]
    assert "(a.yaml:12)" in text
    answered = call("--scan", "--set", "sharing=shared-claim", "a.yaml").stdout
    assert "podAntiAffinity keeps these pods on different nodes" in answered
    own = call("--scan", "--set", "sharing=shared-claim", "--set", "claim-name=mine", "a.yaml")
    assert "podAntiAffinity" not in own.stdout


def test_the_verdict_says_what_was_not_judged(folder: Path) -> None:
    (folder / "templates").mkdir()
    (folder / "templates" / "a.yaml").write_text("a: {{ .Values.a }}\n")
    (folder / "b.yaml").write_text("apiVersion: [\n")
    result = call("--scan", ".")
    assert "No use of a device plugin found in" in result.stdout
    assert (
        "1 file that cannot be read; 1 template, searched as text and not rendered" in result.stdout
    )


def test_the_next_command_works_as_it_is_printed(folder: Path) -> None:
    (folder / "a.yaml").write_text(SHARED)
    first, second = (
        line.split()[2:]
        for line in call("--scan", "a.yaml").stdout.splitlines()
        if line.startswith("  dradsl migrate")
    )
    assert call(*first).exit_code == 1
    text = (folder / "answers.yaml").read_text()
    (folder / "answers.yaml").write_text(
        text.replace("  # sharing: exclusive", "  sharing: exclusive")
    )
    assert call(*second).exit_code == 0
    assert "resourceClaims" in (folder / "a.yaml").read_text()


def test_a_component_for_kustomize(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    assert call("--set", "form=kustomize", "--output", "dra", "a.yaml").exit_code == 0
    assert (folder / "a.yaml").read_text() == PLAIN
    (data,) = data_of((folder / "dra" / "kustomization.yaml").read_bytes())
    assert data == {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": ["claims.yaml"],
        "patches": [
            {"path": "pod-a.yaml", "target": {"version": "v1", "kind": "Pod", "name": "a"}}
        ],
        "configurations": ["name-references.yaml"],
    }
    (patch,) = data_of((folder / "dra" / "pod-a.yaml").read_bytes())
    assert [item["op"] for item in patch] == ["add", "add", "remove"]


def test_interview_writes_the_answers_down(folder: Path) -> None:
    (folder / "a.yaml").write_text(SHARED)
    arguments = ("--interactive", "--answers", "answers.yaml", "--write", "a.yaml")
    result = call(*arguments, text="consumable-shares\n")
    assert result.exit_code == 0, result.output
    assert "consumable-shares" in (folder / "answers.yaml").read_text()
    (folder / "b.yaml").write_text(SHARED)
    assert call("--answers", "answers.yaml", "--scan", "b.yaml").exit_code == 0


def test_an_interview_that_is_broken_off_keeps_its_answers(folder: Path) -> None:
    """And the comments of the file that they are added to."""
    mine = "# ours\nversion: 1\nanswers:\n  tolerations: leave  # we write them\n"
    (folder / "answers.yaml").write_text(mine)
    (folder / "a.yaml").write_text(SHARED)
    (folder / "b.yaml").write_text(SHARED)
    arguments = ("--interactive", "--answers", "answers.yaml", "--write", "a.yaml", "b.yaml")
    result = call(*arguments, text="consumable-shares\nn\n")
    assert result.exit_code == 1
    assert (folder / "a.yaml").read_text() == SHARED
    assert (folder / "answers.yaml").read_text() == (
        mine + "workloads:\n- workload: Pod a\n  file: a.yaml\n  sharing: consumable-shares\n"
    )
    again = call(*arguments, text="skip\n")
    assert "a.yaml:" not in again.stderr.partition("wrote")[0]
    assert "b.yaml:10: Pod a, container main" in again.stderr


def test_one_answer_may_be_for_all(folder: Path) -> None:
    (folder / "a.yaml").write_text(f"{SHARED}---\n{SHARED.replace('{name: a}', '{name: b}')}")
    result = call("--interactive", "--scan", "a.yaml", text="consumable-shares\ny\n")
    assert result.exit_code == 0, result.output


def test_a_skipped_question_stays_open(folder: Path) -> None:
    (folder / "a.yaml").write_text(SHARED)
    assert call("--interactive", "--scan", "a.yaml", text="skip\n").exit_code == 1


def test_slices_prove_the_devices(folder: Path) -> None:
    (folder / "a.yaml").write_text(with_gpu("8"))
    result = call("--scan", "--slices", str(HERE / "fleet.yaml"), "a.yaml")
    assert result.exit_code == 0
    sentence = "gets 8 devices of gpu.nvidia.com (gpu) on the recorded nodes, before and after"
    assert sentence in result.stdout


def test_every_workload_of_a_file_is_proved_by_itself(folder: Path) -> None:
    second = with_gpu("2").replace("{name: a}", "{name: b}")
    (folder / "a.yaml").write_text(f"{with_gpu('3')}---\n{second}")
    result = call("--scan", "--slices", str(HERE / "fleet.yaml"), "a.yaml")
    assert "Pod a: gets 3 devices" in result.stdout
    assert "Pod b: gets 2 devices" in result.stdout


def test_markdown_report_in_a_file(folder: Path) -> None:
    (folder / "a.yaml").write_text(SHARED)
    call("--scan", "--output-format", "markdown", "--report", "r.md", "a.yaml")
    text = (folder / "r.md").read_text()
    assert "## Rejected" in text
    assert "    - a.yaml:10:9 Pod a, container main, nvidia.com/gpu.shared: 1\n" in text
    assert "- sharing, for 1 use of nvidia.com:" in text


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("missing.yaml",),
        ("--diff", "--write", "a.yaml"),
        ("--set", "sharing", "a.yaml"),
        ("--set", "form=flux", "a.yaml"),
        ("--interactive", "-"),
        ("--answers", "missing.yaml", "a.yaml"),
        ("--kube-version", "1.2", "a.yaml"),
        ("--slices", "missing.yaml", "a.yaml"),
    ],
)
def test_calls_that_cannot_be_used(arguments: tuple[str, ...], folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", None),
        ("- 1\n- 2\n", None),
        ("kind: Pod\napiVersion: v1\nspec: 3\n", None),
        ("null", None),
        ("a: [", "a.yaml:1:5: cannot be read: "),
        ("&a [*a]", "a.yaml:1:5: cannot be read: "),
        ("[" * 500, "a.yaml:1:129: cannot be read: "),
        ("a: b\n---\n{\n", "a.yaml:4:1: cannot be read: "),
    ],
)
def test_anything_may_stand_in_a_file(text: str, told: str | None, folder: Path) -> None:
    """What nobody can read may ask for devices: it is told, and left as it is."""
    (folder / "a.yaml").write_text(text)
    result = call("--output", "out", "a.yaml")
    assert result.exit_code == (1 if told else 3)
    assert (told in result.stderr) if told else ("cannot be read" not in result.stderr)
    assert (folder / "out" / "a.yaml").read_text() == text


def test_files_of_other_tools_in_a_folder(folder: Path) -> None:
    (folder / "tsconfig.json").write_text('{\n  // for "https://example.com/a": x\n  "a": 1,\n}\n')
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "a.yaml").write_text("apiVersion: [\n")
    (folder / "dist").mkdir()
    (folder / "dist" / "a.yaml").write_text("apiVersion: [\n")
    (folder / ".gitignore").write_text("dist/\n")
    assert call("--check", ".").exit_code == 0
    assert call("--check", "tsconfig.json").exit_code == 1
    for text in ("limits: {nvidia.com/gpu: 1\n", 'a: {"nvidia.com/gpu": 1\n', "apiVersion: [\n"):
        (folder / "a.yaml").write_text(text)
        result = call("--check", ".")
        assert "a.yaml:2:1: cannot be read" in result.stderr
        assert result.exit_code == 1


def test_an_empty_stream_has_nothing_to_migrate() -> None:
    """Charts without objects exist, and Helm hands their output over all the same."""
    assert call("--post-render", text="").exit_code == 0


def test_a_failure_in_the_middle_says_what_was_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is replaced as a whole or not at all, whatever becomes of the others."""
    from dradsl.text.files import FileError
    from dradsl.tree import replacing

    for name in ("a.yaml", "b.yaml", "c.yaml"):
        (folder / name).write_text(PLAIN)

    real = replacing.write_bytes

    def full(path: Path, *rest: Any, **options: Any) -> None:
        if str(path) == "b.yaml":
            raise FileError("failed", path, "cannot be written: no space left on device")
        real(path, *rest, **options)

    monkeypatch.setattr("dradsl.migrate.output.write_bytes", full)
    result = call("--write", "--quiet", ".")
    assert result.exit_code == 2
    assert result.stderr == (
        "wrote a.yaml\nwrote c.yaml\n"
        "no git work tree holds all of these files: only a copy of your own brings them back\n"
        "dradsl migrate: b.yaml: cannot be written: no space left on device\n"
    )
    assert "resourceClaims" in (folder / "a.yaml").read_text()
    assert "resourceClaims" in (folder / "c.yaml").read_text()
    assert (folder / "b.yaml").read_text() == PLAIN


FORMS = [("--output",), ("--set", "form=kustomize", "--output")]


@pytest.mark.parametrize("words", FORMS)
def test_a_file_where_a_folder_belongs(words: tuple[str, ...], folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    (folder / "block").write_text("")
    result = call(*words, "block/below", "a.yaml")
    assert result.exit_code == 2
    assert "the folder cannot be made: not a directory" in result.stderr


@pytest.mark.parametrize("words", FORMS)
def test_what_an_earlier_run_wrote_is_no_input(words: tuple[str, ...], folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    assert call(*words, "out", ".").exit_code == 0
    once = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    assert call(*words, "out", ".").exit_code == 0
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == once


def test_bytes_that_are_no_text_come_out_as_they_went_in(folder: Path) -> None:
    data = PLAIN.replace("image: i", "image: ?").encode().replace(b"?", b"\xff")
    (folder / "a.yaml").write_bytes(data)
    result = call("--quiet", "a.yaml")
    assert result.exit_code == 1
    assert result.stdout_bytes == data
    assert "cannot be read: byte 0xFF is not valid UTF-8" in result.stderr


def test_a_template_is_not_called_unreadable(folder: Path) -> None:
    (folder / "a.yaml").write_text("a: {{ .Values.a }}\n{{- if b }}\nc: d\n{{- end }}\n")
    result = call("--scan", "a.yaml")
    assert (result.exit_code, result.stderr) == (3, "")


def test_named_templates_of_charts_are_scanned(folder: Path) -> None:
    (folder / "chart" / "templates").mkdir(parents=True)
    helpers = folder / "chart" / "templates" / "_helpers.tpl"
    helpers.write_text('{{- define "r" -}}\nnvidia.com/gpu: {{ .gpus }}\n{{- end }}\n')
    result = call("--scan", "chart")
    assert result.exit_code == 1
    assert "_helpers.tpl" in result.stdout


def test_only_helms_templates_are_called_so(folder: Path) -> None:
    """Ansible and others have folders of this name, too."""
    text = "limits:\n  nvidia.com/gpu: {{ gpus }}\n{% if more %}\n  {{ name }}: 1\n{% endif %}\n"
    for place in ("roles/vllm", "chart"):
        (folder / place / "templates").mkdir(parents=True)
        (folder / place / "templates" / "pod.yaml").write_text(text)
    (folder / "chart" / "Chart.yaml").write_text("name: vllm\nversion: 1.0.0\n")
    report = call("--scan", "roles").stdout
    assert "helm" not in report.lower()
    assert report.count("pod.yaml:") == 2
    assert "then: dradsl migrate --diff RENDERED.yaml" in report
    report = call("--scan", "chart").stdout
    assert report.count("Helm template, line") == 2
    assert "helm template ... | dradsl migrate -" in report


def test_templates_of_yaml_by_their_endings_are_found_in_folders(folder: Path) -> None:
    for name in ("a.yaml.j2", "b.yml.tmpl", "c.yaml.gotmpl", "d.yaml.tpl"):
        (folder / name).write_text("limits:\n{{ if .gpu }}\n  nvidia.com/gpu: 1\n{{ end }}\n")
    (folder / "notes.txt.j2").write_text("{{ a }}\nnvidia.com/gpu: 1\n")
    result = call("--scan", ".")
    assert result.exit_code == 1
    assert "4 uses: 0 translated, 4 rejected" in result.stdout
    assert "chart-places" not in result.stdout


def test_a_schema_of_values_asks_for_nothing(folder: Path) -> None:
    text = '{"properties": {"a": {"description": "sets resources.limits.nvidia.com/gpu: 1"}}}'
    (folder / "values.schema.json").write_text(text)
    assert call("--scan", ".").exit_code == 0


def test_what_was_written_and_what_would_change_is_told(folder: Path) -> None:
    (folder / "a.yaml").write_text(PLAIN)
    assert call("--check", ".").stderr == "would change a.yaml\n"
    back = "no git work tree holds all of these files: only a copy of your own brings them back\n"
    assert call("--write", ".").stderr == f"wrote a.yaml\n{back}"
    assert call("--write", ".").stderr == "nothing to write\n"
    assert call("--write", "--quiet", ".").stderr == ""


def test_what_is_no_text_is_told(folder: Path) -> None:
    (folder / "a.yaml").write_bytes(b"\x00\x01")
    (folder / "b.yaml").write_text(PLAIN)
    assert call("--output", "out", ".").exit_code == 1
    assert [path.name for path in (folder / "out").iterdir()] == ["b.yaml"]


def test_uses_in_a_broken_document_are_not_passed_over(folder: Path) -> None:
    (folder / "a.yaml").write_text(f"{PLAIN}---\na: [\n  nvidia.com/gpu: 1\n")
    result = call("--scan", "a.yaml")
    assert result.exit_code == 1
    assert "cannot be read" in result.stdout


def test_values_cannot_be_patched(folder: Path) -> None:
    (folder / "values.yaml").write_text(OLLAMA)
    result = call("--set", "form=kustomize", "--output", "dra", "values.yaml")
    assert result.exit_code == 2
    assert not (folder / "dra").exists()


def test_patches_for_the_post_renderer_of_flux(folder: Path) -> None:
    """Fault 21: it takes inline patches, and no resources."""
    assert call("--set", "form=flux", "--output", "out", "-", text=PLAIN).exit_code == 0
    (fields,) = data_of((folder / "out" / "post-renderers.yaml").read_bytes())
    ((renderer,),) = [fields["spec"]["postRenderers"]]
    (patch,) = renderer["kustomize"]["patches"]
    assert patch["target"]["kind"] in ("Deployment", "Pod")
    (operations,) = data_of(patch["patch"])
    (template,) = data_of((folder / "out" / "claims.yaml").read_bytes())
    assert template["metadata"]["name"] in str(operations)
    assert {path.name for path in (folder / "out").iterdir()} == {
        "post-renderers.yaml",
        "claims.yaml",
    }
    (folder / "values.yaml").write_text(OLLAMA)
    assert call("--set", "form=flux", "--output", "out", "values.yaml").exit_code == 2
