"""The functions of the API and the commands give the same: byte by byte, what a report is."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import dradsl
from dradsl import App, Fleet, PodClaim, Request, ResourceClaimTemplate
from dradsl.cli.lint_options import OPTIONS
from dradsl.devices.nvidia import gpu
from dradsl.lint.engine.session import overrides_of
from dradsl.lint.settings.options import OPTIONS as KEYS

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "examples/broken"
INVENTORY = ROOT / "examples/inventory/gpu.nvidia.com-eks-p4d-a100-full-gpu"


def printed(name: str, *arguments: str) -> str:
    """What the command prints on standard output."""
    command = import_module(f"dradsl.cli.{name}").command
    run = CliRunner().invoke(command, list(arguments))
    assert run.exit_code in (0, 1, 3), run.output
    return run.stdout


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in BROKEN.glob("*.yaml"):
        (tmp_path / "files" / path.name).parent.mkdir(exist_ok=True)
        (tmp_path / "files" / path.name).write_text(path.read_text("utf-8"), "utf-8")
    (tmp_path / "files/values.json").write_text('{"settings": {"of": "an editor"}}')
    (tmp_path / "vars.yaml").write_text(
        (BROKEN / "class-name.yaml").read_text("utf-8").replace("gpu.nvidia", "${VENDOR}")
    )


# --- lint ---

SAME: list[tuple[list[str], list[str], dict[str, Any]]] = [
    (["files"], [], {}),
    (["files/memory-as-number.yaml", "files/class-name.yaml"], [], {}),
    (["files"], ["--isolated"], {"isolated": True}),
    (["files"], ["--preset", "strict"], {"preset": "strict"}),
    (["files"], ["--select", "DRA1,DRA2"], {"select": ["DRA1", "DRA2"]}),
    (["files"], ["--ignore", "DRA2"], {"ignore": ["DRA2"]}),
    (["files"], ["--config", "extend-select=DRA9"], {"extend_select": ["DRA9"]}),
    (["files"], ["--severity", "error"], {"severity": "error"}),
    (["files"], ["--kube-version", "1.34"], {"kube_version": "1.34"}),
    (
        ["files"],
        ["--feature-gates", "DRAConsumableCapacity=false"],
        {"feature_gates": {"DRAConsumableCapacity": False}},
    ),
    (["files"], ["--slices", str(INVENTORY)], {"fleet": Fleet.from_file(INVENTORY)}),
    (["files/class-name.yaml"], ["--context", "files"], {"context": "files"}),
    (["vars.yaml"], ["--substitute", "VENDOR=gpu.nvidia"], {"substitute": {"VENDOR": "gpu.nvidia"}}),
    (["files"], ["--namespace", "other"], {"namespace": "other"}),
    (["files"], ["--exclude", "*memory*"], {"exclude": ["*memory*"]}),
    (["files"], ["--baseline", "known.json"], {"baseline": "known.json"}),
    (["files"], ["--each-file"], {"each_file": True}),
    (["files"], ["--since", "before"], {"since": "before"}),
    (["files"], ["--timeout", "1h"], {"timeout": 3600}),
    (["files"], ["--config", "custom-rules=acme.yaml"], {"custom_rules": ["acme.yaml"]}),
]  # fmt: skip


@pytest.mark.parametrize(("paths", "options", "keywords"), SAME, ids=str)
def test_lint(
    paths: list[str], options: list[str], keywords: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "acme.yaml").write_text((ROOT / "examples/custom-rules/acme.yaml").read_text())
    (tmp_path / "before/files").mkdir(parents=True)
    printed("lint", "files/class-name.yaml", "--baseline", "known.json", "--write")
    forms: list[Any] = ["json", "text", "sarif"] if not options else ["json"]
    for form in forms:
        # A file, whose lines no terminal cuts.
        printed("lint", *paths, *options, "--output-format", form, "--output", "report")
        expected = (tmp_path / "report").read_text("utf-8")
        assert dradsl.lint(*paths, **keywords).report(form) == expected
    assert json.loads(printed("lint", *paths, *options, "--output-format", "json"))["summary"][
        "files"
    ]


def test_lint_with_a_configuration(tmp_path: Path) -> None:
    printed("lint", "files/class-name.yaml", "--baseline", "known.json", "--write")
    (tmp_path / "files/.dradsl.yaml").write_text("ignore: [DRA2]\nseverity: error\n")
    (tmp_path / ".dradsl.yaml").write_text("baseline: known.json\nslices: []\n")
    for paths in (["files"], ["files/class-name.yaml", "vars.yaml"]):
        expected = printed("lint", *paths, "--output-format", "json")
        assert dradsl.lint(*paths).report("json") == expected


def test_lint_of_apps_is_what_build_reports(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(
        "from dradsl import *\nfrom dradsl.devices.nvidia import gpu\napp = App()\n"
        'app.add(DeviceClass("c", select=gpu & (gpu.memory >= "90Ti")))\n'
        'app.add(DeviceClass("d", select="device.nonsense"))\n'
    )
    from dradsl.testing import load_app

    options = ["--output-format", "json", "--report", "report.json", "-o", "out"]
    printed("build", "module.py", *options)
    app = load_app("module.py")
    expected = (tmp_path / "report.json").read_text()
    assert dradsl.lint(app).report("json") == app.lint().report("json") == expected


def test_a_time_that_is_over() -> None:
    result = dradsl.lint("files", timeout=0.00001)
    assert result.unfinished
    assert not result.ok


def test_every_option_on_what_is_found_has_a_parameter() -> None:
    """The command, the function and the keys that both give know each other's words."""
    # Of the first no option says it for a call; the last two are of dradsl.simulate.
    others = {"per_file_ignores", "severities", "fail_if_empty", "known_classes", "node_order"}
    keys = {key.field for key in KEYS.values()} - others
    parameters = {*inspect.signature(dradsl.lint).parameters}
    options = {option.name for option in OPTIONS}
    of_function = {"driver_schema": "driver_schemas", "slices": "fleet"}  # fmt: skip
    # How it is reported and what is done with files is the command's own.
    own = {
        "output_format", "output", "stdin_filename", "color", "quiet", "fail_on", "exit_zero", "fix",
        "unsafe_fixes", "diff", "write", "show_files", "show_settings",
    }  # fmt: skip
    assert {of_function.get(name, name) for name in options - own} <= parameters
    assert own <= options
    by_config = {"driver_versions", "extend_select", "custom_rules", "include"}
    assert keys - options == by_config <= parameters


def test_what_is_no_key_of_a_configuration_is_rejected() -> None:
    with pytest.raises(TypeError, match="no key of a configuration: selects"):
        overrides_of(selects=["DRA304"])


# --- simulate ---


@pytest.fixture
def pods(tmp_path: Path) -> str:
    app = App(for_release="1.36")
    template = app.add(ResourceClaimTemplate("t", namespace="ml", requests=[Request("g", gpu)]))
    claim = PodClaim("d", template)
    spec = claim.attach({"containers": [{"name": "c", "image": "i"}]})
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "ml"},
        "spec": {
            "replicas": 11,
            "selector": {"matchLabels": {"app": "d"}},
            "template": {"metadata": {"labels": {"app": "d"}}, "spec": spec},
        },
    }
    (tmp_path / "pods.yaml").write_text(app.to_yaml() + "---\n" + yaml.safe_dump(deployment))
    return "pods.yaml"


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ([], {}),
        (["--kube-version", "1.36"], {"kube_version": "1.36"}),
        (["--replicas", "2"], {"replicas": 2}),
        (["--config", "known-classes=false"], {"known_classes": False}),
        (["--config", "node-order=name"], {"node_order": "name"}),
    ],
    ids=str,
)
def test_simulate(options: list[str], keywords: dict[str, Any], pods: str) -> None:
    fleet = Fleet.from_file(INVENTORY)
    result = dradsl.simulate(pods, fleet, **keywords)
    forms: list[Any] = ["json", "text"] if options else ["json", "text", "yaml", "html"]
    for form in forms:
        expected = printed(
            "simulate", pods, "--slices", str(INVENTORY), *options, "--output-format", form
        )
        assert result.report(form) == expected
    with pytest.raises(ValueError, match="unknown output format"):
        result.report("nonsense")  # type: ignore[arg-type] # what is to be rejected


def test_fit(pods: str) -> None:
    arguments = [pods, "--slices", str(INVENTORY), "--fit", "--output-format", "json"]
    [one] = json.loads(printed("simulate", *arguments))["fits"]
    assert dradsl.fit(pods, Fleet.from_file(INVENTORY)) == {one["workload"]: one["count"]}


# --- migrate ---

INPUTS = sorted((ROOT / "examples/migrations").glob("*/before"))


@pytest.mark.parametrize("strategy", ["claims", "extended-resource"])
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
def test_migrate(path: Path, strategy: Any) -> None:
    result = dradsl.migrate(path, answers={"strategy": strategy})
    forms: list[Any] = ["json", "text" if strategy == "claims" else "markdown"]
    for form in forms:
        options = ["--scan", "--set", f"strategy={strategy}", "--output-format", form]
        assert result.report(form) == printed("migrate", str(path), *options)


def test_migrate_reads_what_the_command_reads(tmp_path: Path) -> None:
    """Also named templates, templates of YAML and kustomizations without an ending; and says what it could not read."""
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("{apiVersion: v2, name: c, version: 1.0.0}")
    (chart / "templates/_helpers.tpl").write_text(
        '{{- define "c.res" }}\nlimits:\n  nvidia.com/gpu: 1\n{{- end }}\n'
    )
    (chart / "pod.yaml.j2").write_text("{% if a %}\nlimits:\n  nvidia.com/gpu: 1\n{% endif %}\n")
    expected = printed("migrate", "chart", "--scan", "--output-format", "json")
    result = dradsl.migrate("chart")
    assert result.report("json") == expected
    assert any(one.path.endswith(("_helpers.tpl", ".j2")) for one in result.items)
    (chart / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nlimits: {nvidia.com/gpu: 1\n")
    result = dradsl.migrate("chart/broken.yaml")
    assert result.unread
    assert not result.complete
    assert "cannot be read" in str(result)


def test_migrate_with_answers_of_a_file(tmp_path: Path) -> None:
    folder = ROOT / "examples/migrations/mig-single"
    answers, before = folder / "answers.yaml", folder / "before"
    expected = printed(
        "migrate", str(before), "--answers", str(answers), "--scan", "--output-format", "json"
    )
    assert dradsl.migrate(before, answers=answers).report("json") == expected
