"""Values of a chart that ask for devices in resources: its templates make claims of them, if the answer allows it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.result import Outcome
from dradsl.migrate.run import Options, migrate
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText
from tests.migrate.runs import data_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.migrate.result import Migration

CHART = "apiVersion: v2\nname: server\nversion: 1.0.0\n"
TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
      - name: main
        image: a
        resources:
          {{- toYaml .Values.gpu.resources | nindent 10 }}
"""
VALUES = "gpu:\n  resources:\n    limits:\n      nvidia.com/gpu: 2\n"
PLACE = """\
      {{- with .Values.gpu.resourceClaims }}
      resourceClaims:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
"""
WRITE = {"chart-places": "write"}


def test_what_the_questions_file_asks_is_answered_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pod of a value has a name there, which the question of the whole chart has not."""
    monkeypatch.chdir(tmp_path)
    values = (
        "deployment:\n  image: {repository: a, tag: b}\n  replicas: 1\n"
        "  resources:\n    limits:\n      nvidia.com/gpu: 1\n"
    )
    (tmp_path / "c/templates").mkdir(parents=True)
    (tmp_path / "c/Chart.yaml").write_text(CHART)
    (tmp_path / "c/values.yaml").write_text(values)
    template = TEMPLATE.replace(".Values.gpu.", ".Values.deployment.")
    (tmp_path / "c/templates/deployment.yaml").write_text(template)
    runner = CliRunner()
    runner.invoke(command, ["c", "--questions", "q.yaml"])
    asked = Path("q.yaml").read_text()
    assert "values (deployment)" in asked
    Path("q.yaml").write_text(asked.replace("  # chart-places: write", "  chart-places: write"))
    answered = runner.invoke(command, ["c", "--answers", "q.yaml"])
    assert "1 use: 1 translated" in answered.output
    assert "until" not in answered.output


def chart_run(answers: Mapping[str, object], values: str = VALUES, **more: str) -> Migration:
    """The migration of a chart's files, with `more` of them by their names with `__` for the slash."""
    files = {
        "c/Chart.yaml": CHART,
        "c/templates/deployment.yaml": TEMPLATE,
        "c/values.yaml": values,
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    return migrate(sources, Options(answers=Answers(dict(answers))))


HELM = shutil.which("helm")
NEW = {"c/templates/_device-claims.tpl", "c/templates/device-claims.yaml"}
SWITCH = "\n# Devices by resource claims, in the place of limits for a device plugin.\ndeviceClaims: {}\n"


def changed(migration: Migration) -> set[str]:
    """The files that change, without the two that are new."""
    return {file.path for file in migration.files if file.changed} - NEW


def text_of(migration: Migration, path: str) -> str:
    return next(file.text for file in migration.files if file.path == path)


@pytest.mark.parametrize("template", [TEMPLATE, TEMPLATE.replace("      containers:\n", PLACE)])
def test_it_is_asked(template: str) -> None:
    migration = chart_run({}, **{"c__templates__deployment.yaml": template})
    (item,) = migration.items()
    assert item.outcome is Outcome.REJECTED
    assert item.question == "chart-places"
    assert not migration.changed


def test_a_template_without_actions_is_translated_and_not_asked_about() -> None:
    plain = TEMPLATE.replace("{{ .Release.Name }}", "a").replace(
        "          {{- toYaml .Values.gpu.resources | nindent 10 }}\n",
        "          limits:\n            nvidia.com/gpu: 2\n",
    )
    files = {"c__templates__deployment.yaml": plain, "c__values.yaml": "a: 1\n"}
    (item,) = chart_run({}, **files).items()
    assert (item.outcome, item.question) == (Outcome.TRANSLATED, None)


def test_the_values_keep_their_limits_and_get_a_switch() -> None:
    migration = chart_run(WRITE)
    (item,) = migration.items()
    assert (item.path, item.span.line, item.before) == ("c/values.yaml", 4, "nvidia.com/gpu: 2")
    assert item.outcome is Outcome.TRANSLATED
    assert "deviceClaims: true in values.yaml" in (item.after or "")
    assert text_of(migration, "c/values.yaml") == VALUES + SWITCH.format("true")
    assert changed(migration) == {"c/templates/deployment.yaml", "c/values.yaml"}
    assert migration.together == {"c/templates/deployment.yaml", "c/values.yaml", *NEW}
    # No object has a name that two releases could have.
    assert not any(file.added for file in migration.files)
    assert "$.Release.Name" in text_of(migration, "c/templates/_device-claims.tpl")


def test_a_second_run_changes_nothing() -> None:
    first = chart_run(WRITE)
    texts = {file.path: file.text for file in first.files}
    sources = [SourceText(name, load(text.encode())) for name, text in texts.items()]
    second = migrate(sources, Options(answers=Answers(WRITE)))
    assert not second.changed
    (item,) = second.items()
    assert item.outcome is Outcome.LEFT
    assert item.about == "setting"


def test_other_values_of_the_chart_turn_it_on_themselves() -> None:
    """Those who install without them get what they had."""
    migration = chart_run(WRITE, "gpu: {resources: {}}\n", **{"c__ci__gpu.yaml": VALUES})
    assert changed(migration) == {"c/templates/deployment.yaml", "c/values.yaml", "c/ci/gpu.yaml"}
    assert text_of(migration, "c/values.yaml").endswith("deviceClaims: false\n")
    assert text_of(migration, "c/ci/gpu.yaml") == VALUES + "deviceClaims: true\n"


@pytest.mark.parametrize(
    "more",
    [
        {"c__Chart.yaml": CHART + "annotations: {artifacthub.io/category: ai}\n"},
        {"artifacthub-repo.yml": "repositoryID: a\n"},
        {"docs__index.yaml": "apiVersion: v1\nentries:\n  server:\n  - name: server\n"},
        {
            ".github__workflows__release.yaml": "jobs: {a: {steps: [{uses: helm/chart-releaser-action@v1}]}}\n"
        },
        {
            ".github__workflows__push.yaml": "jobs: {a: {steps: [{run: 'helm push a.tgz oci://x'}]}}\n"
        },
    ],
)
def test_a_published_chart_has_it_off(more: dict[str, str]) -> None:
    migration = chart_run(WRITE, **more)
    assert text_of(migration, "c/values.yaml") == VALUES + SWITCH.format("false")
    (item,) = migration.items()
    assert item.outcome is Outcome.TRANSLATED
    assert any("off by default" in note for note in item.notes)


@pytest.mark.parametrize(
    "values", ["gpu: {resources: {limits: {cpu: 1}}}\n", VALUES.replace("2", "one")]
)
def test_a_chart_whose_values_ask_for_no_number_stays(values: str) -> None:
    migration = chart_run(WRITE, values)
    assert not migration.changed
    assert not migration.together


def test_a_schema_that_lists_its_keys_gets_the_key() -> None:
    schema = '{"properties": {"gpu": {}}, "additionalProperties": false}\n'
    migration = chart_run(WRITE, **{"c__values.schema.json": schema})
    (data,) = data_of(text_of(migration, "c/values.schema.json"))
    assert data["properties"]["deviceClaims"]["type"] == "boolean"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      containers:\n", "      resourceClaims:\n      - name: x\n      containers:\n"),
        # Whether claims survive in other kinds says their CRD, which nobody asks about a template.
        ("Deployment", "ServingRuntime"),
        ("Deployment", "{{ .Values.kind }}"),
        # Hooks run before the other objects of the release, the claim template among them.
        ("metadata:\n", "metadata:\n  annotations: {helm.sh/hook: pre-install}\n"),
        (
            "{{- toYaml .Values.gpu.resources | nindent 10 }}",
            "{{- tpl (toYaml .Values.gpu.resources) $ | nindent 10 }}",
        ),
        ("      containers:\n", "      {{- range .Values.many }}\n      containers:\n"),
    ],
)
def test_pods_that_would_lose_claims_or_wait_stay(old: str, new: str) -> None:
    text = TEMPLATE.replace(old, new) + ("      {{- end }}\n" if "range" in new else "")
    migration = chart_run(WRITE, **{"c__templates__deployment.yaml": text})
    (item,) = (each for each in migration.items() if each.path == "c/values.yaml")
    assert item.outcome is Outcome.REJECTED
    assert item.question is None
    assert not migration.changed


def test_an_answer_for_one_chart_leaves_the_other() -> None:
    rules = Answers({}).answering("*", "chart-places", "write", "c/*")
    files: dict[str, str] = {}
    for folder in ("c", "d"):
        files |= {
            f"{folder}/Chart.yaml": CHART,
            f"{folder}/templates/deployment.yaml": TEMPLATE,
            f"{folder}/values.yaml": VALUES,
        }
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    migration = migrate(sources, Options(answers=rules))
    assert changed(migration) == {"c/templates/deployment.yaml", "c/values.yaml"}


def test_an_open_question_about_the_devices_is_asked() -> None:
    slicing = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata:\n  c: |\n    version: v1\n    sharing:\n"
        "      timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}\n"
    )
    migration = chart_run(WRITE, **{"p.yaml": slicing})
    (item,) = (each for each in migration.items() if each.path == "c/values.yaml")
    assert item.question == "sharing"
    assert not migration.changed


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example/x, path: c}}
  destination: {{server: https://one, namespace: x}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: x}}
spec:
  chart: {{spec: {{chart: ./c, sourceRef: {{kind: GitRepository, name: x}}}}}}
"""


@pytest.mark.parametrize("form", [APPLICATION, RELEASE])
def test_releases_turn_it_on_two_in_one_namespace_too(form: str) -> None:
    releases = form.format(name="a") + "---\n" + form.format(name="b")
    migration = chart_run(WRITE, **{"releases.yaml": releases})
    assert [item.outcome for item in migration.items()] == [Outcome.TRANSLATED]
    assert text_of(migration, "c/values.yaml").endswith("deviceClaims: false\n")
    assert text_of(migration, "releases.yaml").count("deviceClaims: true") == 2


def test_only_the_release_that_asks_turns_it_on() -> None:
    asking = (
        RELEASE.format(name="a") + "  values: {gpu: {resources: {limits: {nvidia.com/gpu: 1}}}}\n"
    )
    releases = f"{asking}---\n{RELEASE.format(name='b')}"
    migration = chart_run(WRITE, "gpu: {}\n", **{"releases.yaml": releases})
    first, second = data_of(text_of(migration, "releases.yaml"))
    assert first["spec"]["values"]["deviceClaims"] is True
    assert "values" not in second["spec"]
    (item,) = migration.items()
    assert (item.path, item.outcome) == ("releases.yaml", Outcome.TRANSLATED)


def _template(path: str) -> str:
    return TEMPLATE.replace(".Values.gpu.resources", f".Values.{path}")


@pytest.mark.parametrize("path", ["resources.vllm", "gpuResources", "vllm.gpuResources"])
def test_resources_may_have_another_key(path: str) -> None:
    """What a template writes whole are the resources, whatever the key of the values is."""
    keys = path.split(".")
    values = "".join(f"{'  ' * depth}{key}:\n" for depth, key in enumerate(keys))
    values += "{0}limits:\n{0}  nvidia.com/gpu: 2\n".format("  " * len(keys))
    template = {"c__templates__deployment.yaml": _template(path)}
    (asked,) = chart_run({}, values, **template).items()
    assert asked.question == "chart-places"
    (item,) = chart_run(WRITE, values, **template).items()
    assert item.outcome is Outcome.TRANSLATED


def test_keys_at_two_depths_are_both_written() -> None:
    values = (
        "gpuResources:\n  limits: {nvidia.com/gpu: 2}\n"
        "engine:\n  gpuResources:\n    limits: {nvidia.com/gpu: 3}\n"
    )
    migration = chart_run(
        WRITE,
        values,
        **{
            "c__templates__deployment.yaml": _template("gpuResources"),
            "c__templates__engine.yaml": _template("engine.gpuResources"),
        },
    )
    assert [item.outcome for item in migration.items()] == [Outcome.TRANSLATED] * 2


# --- a run that ends in the middle ---


def _files(folder: Path) -> dict[str, str]:
    """The files of a folder by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and ".tmp" not in path.name
    }


def _run(folder: Path, stop: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """A run that ends at the rename of this number; how many renames there were."""
    renames = 0

    def replaced(one: str, other: str) -> None:
        nonlocal renames
        if renames == stop:
            raise KeyboardInterrupt
        renames += 1
        Path(one).rename(other)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replaced)
        call = ["--write", "--set", "chart-places=write", str(folder)]
        CliRunner().invoke(command, call)
    return renames


@pytest.mark.parametrize("release", [None, APPLICATION.format(name="a")])
@pytest.mark.parametrize("schema", [False, True])
def test_a_run_goes_on_where_another_ended(
    release: str | None, schema: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "c/Chart.yaml": CHART,
        "c/values.yaml": VALUES,
        "c/templates/deployment.yaml": TEMPLATE,
    }
    if release is not None:
        files["apps/a.yaml"] = release
    if schema:
        files["c/values.schema.json"] = (
            '{"properties": {"gpu": {}}, "additionalProperties": false}\n'
        )

    def tree(name: str) -> Path:
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
        (tmp_path / name / ".git").mkdir()
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        return tmp_path / name

    monkeypatch.setattr("dradsl.migrate.edits.in_place.expect_committed", lambda _: None)
    whole = tree("whole")
    number = _run(whole, -1, monkeypatch)
    assert number == 4 + (release is not None) + schema
    for stop in range(number):
        part = tree(f"part{stop}")
        assert _run(part, stop, monkeypatch) == stop
        states = _files(part)
        # What turns claims on comes last, when all else is there.
        last = "apps/a.yaml" if release is not None else "c/values.yaml"
        assert states[last] == files[last]
        _run(part, -1, monkeypatch)
        assert _files(part) == _files(whole)


@pytest.mark.parametrize("lost", ["c/templates/deployment.yaml", "c/values.yaml"])
def test_a_file_that_was_put_back_is_written_again(
    lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "c/Chart.yaml": CHART,
        "c/values.yaml": VALUES,
        "c/templates/deployment.yaml": TEMPLATE,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    _run(Path("c"), -1, monkeypatch)
    whole = _files(tmp_path)
    (tmp_path / lost).write_text(files[lost])
    assert (
        CliRunner().invoke(command, ["--check", "--set", "chart-places=write", "c"]).exit_code == 1
    )
    _run(Path("c"), -1, monkeypatch)
    assert _files(tmp_path) == whole


# --- what Helm renders, recorded; python -m pytest with RECORD_HELM=1 writes it anew where helm is installed ---

RENDERED = Path(__file__).parent / "charts" / "both_ways.json"
GPU = "gpu.resources.limits.nvidia\\.com/gpu"
SECOND = "      - name: second\n        resources:\n          {{- toYaml .Values.gpu.resources | nindent 10 }}\n"
FORMS = {
    "whole": TEMPLATE,
    "in with": TEMPLATE.replace(
        "        resources:\n          {{- toYaml .Values.gpu.resources | nindent 10 }}\n",
        "        {{- with .Values.gpu.resources }}\n        resources:\n          {{- toYaml . | nindent 10 }}\n"
        "        {{- end }}\n        stdin: true\n",
    ),
    "with below": TEMPLATE.replace(
        "          {{- toYaml .Values.gpu.resources | nindent 10 }}\n",
        "          {{- with .Values.gpu.resources }}\n          {{- toYaml . | nindent 10 }}\n          {{- end }}\n",
    ),
    "one line": TEMPLATE.replace(
        "resources:\n          {{- toYaml .Values.gpu.resources | nindent 10 }}",
        "resources: {{- toYaml .Values.gpu.resources | nindent 10 }}",
    ),
    "two containers": TEMPLATE + SECOND,
    "own place": TEMPLATE.replace("      containers:\n", PLACE),
    "variable": '{{- $gpu := index .Values "gpu" -}}\n'
    + TEMPLATE.replace(".Values.gpu.resources", "$gpu.resources"),
    "kserve": """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {{ .Release.Name }}
spec:
  predictor:
    minReplicas: 1
    model:
      modelFormat: {name: vLLM}
      resources: {{- toYaml .Values.gpu.resources | nindent 8 }}
""",
    "nim": """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata:
  name: {{ .Release.Name }}
spec:
  resources:
    {{- toYaml .Values.gpu.resources | nindent 4 }}
  replicas: 1
""",
}
SETS = {
    "as it is": [],
    "none": [f"{GPU}=0"],
    "one": [f"{GPU}=1"],
    "four": [f"{GPU}=4"],
    "cpu only": ["gpu.resources.limits=null", "gpu.resources.requests.cpu=1"],
    "no resources": ["gpu.resources=null"],
    "off": [f"{GPU}=4", "deviceClaims=false"],
    "claims of the values": [
        "gpu.resources.limits=null", "gpu.resources.claims[0].name=own",
        "gpu.resourceClaims[0].name=own", "gpu.resourceClaims[0].resourceClaimName=mine",
    ],
    "own claims beside limits": ["gpu.resourceClaims[0].name=own", "gpu.resourceClaims[0].resourceClaimName=mine"],
}  # fmt: skip


def _helm(folder: Path, release: str, values: Sequence[str]) -> str:
    sets = [word for each in values for word in ("--set", each)]
    call = [str(HELM), "template", release, str(folder), *sets]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f"failed: {done.stderr}"


def _devices(text: str) -> dict[str, object]:
    """Of what is rendered: the claims and limits of containers, and the claim templates with their counts."""
    assert not text.startswith("failed"), text
    objects = [each for each in data_of(text) if each]
    spec = next(each for each in objects if each["kind"] != "ResourceClaimTemplate")["spec"]
    spec = spec["template"]["spec"] if "template" in spec else spec.get("predictor", spec)
    containers = spec.get("containers") or [spec.get("model", spec)]
    return {
        "pod": spec.get("resourceClaims") or spec.get("draResources"),
        "containers": [each.get("resources") for each in containers],
        "templates": {
            each["metadata"]["name"]: each["spec"]["spec"]["devices"]["requests"]
            for each in objects
            if each["kind"] == "ResourceClaimTemplate"
        },
    }


def _written(folder: Path, form: str) -> Path:
    migration = chart_run(WRITE, **{"c__templates__deployment.yaml": FORMS[form]})
    assert [item.outcome for item in migration.items()] == [Outcome.TRANSLATED], form
    for file in migration.files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    return folder / "c"


def _digest(folder: Path) -> str:
    texts = {path.name: path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_helm_proves_the_claims_of_a_nim_service(tmp_path: Path) -> None:
    """The chart writes a count of 1, the plan for the object that it renders leaves it out."""
    (tmp_path / "c" / "templates").mkdir(parents=True)
    values = VALUES.replace("nvidia.com/gpu: 2", "nvidia.com/gpu: 1")
    for name, text in (
        ("Chart.yaml", CHART),
        ("values.yaml", values),
        ("templates/deployment.yaml", FORMS["nim"]),
    ):
        (tmp_path / "c" / name).write_text(text)
    words = ["--set", "chart-places=write", "--build-with", "helm", "--scan", str(tmp_path / "c")]
    said = CliRunner().invoke(command, words).output
    assert ": translated, proven" in said


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
@pytest.mark.parametrize("form", FORMS)
def test_helm_renders_as_recorded(form: str, tmp_path: Path) -> None:
    chart = _written(tmp_path, form)
    made = {name: _devices(_helm(chart, "a", values)) for name, values in SETS.items()}
    known = json.loads(RENDERED.read_text()) if RENDERED.exists() else {}
    if os.environ.get("RECORD_HELM"):
        known[form] = {"digest": _digest(chart), "rendered": made}
        RENDERED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    assert known[form]["rendered"] == made
    # Off, every byte is as before.
    (tmp_path / "before" / "templates").mkdir(parents=True)
    for name, text in (
        ("Chart.yaml", CHART),
        ("values.yaml", VALUES),
        ("templates/deployment.yaml", FORMS[form]),
    ):
        (tmp_path / "before" / name).write_text(text)
    for values in SETS.values():
        if "gpu.resourceClaims[0].name=own" not in values or form == "own place":
            off = [each for each in values if "deviceClaims" not in each]
            assert _helm(chart, "a", [*off, "deviceClaims=false"]) == _helm(
                tmp_path / "before", "a", off
            )
    # Two releases in one namespace have no object in common.
    one, two = (_devices(_helm(chart, name, []))["templates"] for name in ("a", "b"))
    assert isinstance(one, dict)
    assert isinstance(two, dict)
    assert one
    assert not one.keys() & two.keys()


@pytest.mark.parametrize("form", FORMS)
def test_a_device_is_asked_for_in_one_way(form: str, tmp_path: Path) -> None:
    """By what Helm rendered of this very chart: counts are claims or limits, never both, and as many."""
    recorded = json.loads(RENDERED.read_text())[form]
    assert recorded["digest"] == _digest(_written(tmp_path, form)), (
        "record it anew with RECORD_HELM=1"
    )
    numbers = {
        "as it is": 2,
        "none": 0,
        "one": 1,
        "four": 4,
        "cpu only": 0,
        "no resources": 0,
        "off": 4,
    }
    for name, made in recorded["rendered"].items():
        limits = [
            ((each or {}).get("limits") or {}).get("nvidia.com/gpu") for each in made["containers"]
        ]
        claims = [(each or {}).get("claims") for each in made["containers"]]
        counts = [
            each["exactly"].get("count", 1)
            for asked in made["templates"].values()
            for each in asked
        ]
        wanted = numbers.get(name)
        if wanted is None:  # claims of the values go first
            if form == "own place":
                assert made["templates"] == {}
                assert [each["name"] for each in made["pod"]] == ["own"]
            continue
        if name == "off":
            assert limits == [4] * len(limits)
            assert made["pod"] is None
            assert made["templates"] == {}
        elif wanted:
            assert counts == [wanted] * len(made["containers"])
            assert not any(limits)
            assert (0 in limits) == (form == "kserve")  # which looks for the key
            assert all(claims) == (form != "nim")  # whose operator writes them
            assert [each.get("name") for each in made["pod"]] == [
                None if form == "nim" else "devices"
            ]
        else:
            assert made["pod"] is None
            assert not any(claims)
            assert not any(limits)
            assert made["templates"] == {}


def test_a_custom_resource_that_drops_claims_is_named() -> None:
    template = (
        "apiVersion: kubeflow.org/v1\nkind: Notebook\nmetadata: {name: a}\nspec:\n"
        "  resources:\n    {{- toYaml .Values.gpu.resources | nindent 4 }}\n"
    )
    (item,) = chart_run(WRITE, **{"c__templates__deployment.yaml": template}).items()
    assert item.outcome is Outcome.REJECTED
    assert "into the resources of a Notebook (line 5), which drops claims" in item.reason


def test_a_chart_with_claims_for_nim_keeps_its_own_way() -> None:
    own = "  {{- with .Values.own }}\n  draResources: {{- toYaml . | nindent 4 }}\n  {{- end }}\n"
    template = '{{- $all := .Values -}}\n{{- $nim := index .Values "gpu" -}}\n' + FORMS[
        "nim"
    ].replace("spec:\n", f"spec:\n{own}").replace(".Values.gpu.resources", "$nim.resources")
    (item,) = chart_run(WRITE, **{"c__templates__deployment.yaml": template}).items()
    assert item.outcome is Outcome.REJECTED
    assert "the template writes draResources already" in item.reason


@pytest.mark.parametrize("beside", ["workerSpec: {}", "containers: []"])
def test_a_service_of_kserve_with_workers_or_containers_stays(beside: str) -> None:
    template = FORMS["kserve"].replace("minReplicas: 1", beside)
    (item,) = chart_run({}, **{"c__templates__deployment.yaml": template}).items()
    assert item.outcome is Outcome.REJECTED
    assert "into the resources of a InferenceService (line 10)" in item.reason
    assert any("--post-render" in route for route in item.routes)


def test_a_count_in_a_service_of_kserve_keeps_its_key() -> None:
    counted = "\n        limits: \n          nvidia.com/gpu: {{ .Values.count }}\n"
    whole = " {{- toYaml .Values.gpu.resources | nindent 8 }}\n"
    template = FORMS["kserve"].replace(whole, counted)
    migration = chart_run(WRITE, "count: 1\n", **{"c__templates__deployment.yaml": template})
    assert "{{- else }}\n          nvidia.com/gpu: 0" in text_of(
        migration, "c/templates/deployment.yaml"
    )
