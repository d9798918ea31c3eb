"""Trees without a request: what names devices is said, and "no use found" only where nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.migrate.result import Outcome
from tests.migrate.runs import only, pod, run, with_gpu
from tests.migrate.test_overlays import call, report, tree

if TYPE_CHECKING:
    from pathlib import Path

BARE = "  containers:\n  - name: main\n    image: i\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (pod(BARE, '  nodeSelector: {nvidia.com/gpu.present: "true"}\n'), "a.yaml:8 names the node label nvidia.com/gpu.present"),
        (pod(BARE, "  nodeSelector:\n    cloud.google.com/gke-accelerator: nvidia-l4\n"), "a.yaml:9 names the node label cloud.google.com/gke-accelerator"),
        (pod(BARE, "  tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n"), "a.yaml:8 names nvidia.com/gpu"),
        (pod(BARE, "  runtimeClassName: nvidia\n"), "a.yaml:8 names runtimeClassName: nvidia"),
        (pod(BARE.replace("    image", "    env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]\n    image")), "a.yaml:7 names NVIDIA_VISIBLE_DEVICES"),
        ("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {requests.nvidia.com/gpu: 4}}\n", "a.yaml:4 names requests.nvidia.com/gpu"),
        ("apiVersion: v1\nkind: Node\nmetadata:\n  name: n\n  labels: {nvidia.com/mig.strategy: single}\n", "a.yaml:5 names the node label nvidia.com/mig.strategy"),
    ],
)  # fmt: skip
def test_what_names_devices_is_said(folder: Path, text: str, said: str) -> None:
    (folder / "a.yaml").write_text(text)
    result = call("--scan", ".")
    assert said in result.stdout
    assert "No request for a device found" in result.stdout
    assert "No use" not in result.stdout
    assert result.exit_code == 0
    assert any(said in each for each in report(".")["names"])
    assert said in call("--scan", "--output-format", "markdown", ".").stdout
    assert call("--check", ".").exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        pod(BARE),
        pod(BARE, "  # nodeSelector: {nvidia.com/gpu.present: 'true'}\n"),
        pod(BARE, "  nodeSelector: {kubernetes.io/arch: arm64}\n"),
        pod(BARE.replace("image: i", "image: nvcr.io/nvidia/cuda:12")),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {url: 'https://nvidia.com/gpu'}\n",
    ],
)
def test_no_use_is_found_where_nothing_names_a_device(folder: Path, text: str) -> None:
    (folder / "a.yaml").write_text(text)
    result = call("--scan", ".")
    assert "No use of a device plugin found in 1 file." in result.stdout
    assert result.exit_code == 3
    assert report(".")["names"] == []
    assert call("--check", ".").exit_code == 0


def test_names_are_listed_beside_uses_in_other_files(folder: Path) -> None:
    tree(
        folder,
        {
            "a.yaml": with_gpu(),
            "b.yaml": pod(BARE, '  nodeSelector: {nvidia.com/gpu.present: "true"}\n', "b"),
        },
    )
    assert [each.partition(" ")[0] for each in report(".")["names"]] == ["b.yaml:8"]


def test_markdown_has_the_checklist(folder: Path) -> None:
    (folder / "a.yaml").write_text(with_gpu())
    text = call("--scan", "--output-format", "markdown", ".").stdout
    assert "## Checklist\n\n- [ ] order: nodes that still run the device plugin" in text


@pytest.mark.parametrize(
    ("name", "text", "classes"),
    [
        ("c/templates/_helpers.tpl", '{{ define "r" }}\nlimits:\n  amd.com/gpu: "{{ .n }}"\n{{ end }}\n', []),
        ("x.yaml.j2", "kind: Pod\nlimits:\n  nvidia.com/mig-1g.10gb: {{ n }}\n", ["mig-1g.10gb.nvidia.com"]),
        ("w.yaml", "kind: Workflow\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: w}\nspec:\n  podSpecPatch: |\n"
         "    containers: [{name: a, resources: {limits: {nvidia.com/gpu: '{{n}}'}}}]\n", []),
    ],
    ids=["helm", "ansible", "text"],
)  # fmt: skip
def test_classes_answer_names_whose_number_is_not_known(
    name: str, text: str, classes: list[str]
) -> None:
    """The command that the rejection prints works: any number of a known resource is answered by one class."""
    assert "--set strategy=extended-resource" in only(run(text, name)).routes[-1]
    migration = run(text, name, answers={"strategy": "extended-resource"})
    item = only(migration)
    assert (item.outcome, item.routes) == (Outcome.TRANSLATED, ())
    assert [each["metadata"]["name"] for file in migration.files for each in file.added] == classes
    assert migration.files[0].text == text


def test_classes_do_not_answer_parts_of_devices_in_a_template() -> None:
    """A count beside HAMi's amounts is one of parts, also where only a template says so."""
    text = "limits:\n  nvidia.com/gpu: {{ .n }}\n  nvidia.com/gpumem: {{ .m }}\n"
    migration = run(text, "t/templates/a.yaml", answers={"strategy": "extended-resource"})
    assert {item.question for item in migration.items()} == {"fraction-driver"}


@pytest.mark.parametrize(
    "ending", ["yaml-template", "yaml.template", "yml.in", "yaml.envsubst", "yaml.tftpl"]
)
def test_templates_by_their_endings_are_read(folder: Path, ending: str) -> None:
    (folder / f"a.{ending}").write_text(with_gpu().replace("image: i", "image: ${REGISTRY}i"))
    assert f"a.{ending}:" in call("--scan", ".").stdout


def test_a_class_for_a_named_template_is_in_a_file_that_helm_renders(folder: Path) -> None:
    tree(
        folder,
        {
            "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
            "c/templates/_helpers.tpl": '{{ define "r" }}\nlimits:\n  nvidia.com/mig-1g.10gb: {{ .n }}\n{{ end }}\n',
        },
    )
    result = call("--set", "strategy=extended-resource", "--diff", "c")
    assert "+++ c/templates/helpers.claims.yaml" in result.stdout
    assert "+kind: DeviceClass" in result.stdout
