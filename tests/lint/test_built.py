"""Objects that patches complete are judged on what overlays make of them; claims that are renamed without their
references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

POD = """apiVersion: v1
kind: Pod
metadata:
  name: server
  namespace: ml
spec:
  containers:
  - name: main
    image: registry.example.com/server:1
    resources:
      claims:
      - name: gpu
"""
PATCH = """apiVersion: v1
kind: Pod
metadata:
  name: server
  namespace: ml
spec:
  resourceClaims:
  - name: {name}
    resourceClaimTemplateName: one-gpu
"""
TEMPLATE = """apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-gpu
  namespace: ml
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
"""
PATCHED = "resources: [../base]\npatches: [{path: claim.yaml}]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def found(*arguments: str) -> list[Any]:
    names = ["--isolated", "--ignore", "DRA412", "--output-format", "json", *arguments]
    shown = CliRunner().invoke(command, names, catch_exceptions=False).stdout
    return [
        (one["path"], one["line"], one["code"], one["message"])
        for one in json.loads(shown)["findings"]
    ]


def base(**overlays: str) -> dict[str, str]:
    files = {
        "base/kustomization.yaml": "resources: [pod.yaml, template.yaml]\n",
        "base/pod.yaml": POD,
        "base/template.yaml": TEMPLATE,
    }
    for name, claim in overlays.items():
        files[f"{name}/kustomization.yaml"] = PATCHED
        files[f"{name}/claim.yaml"] = PATCH.format(name=claim)
    return files


def test_patches_that_bring_the_claim_are_enough(tmp_path: Path) -> None:
    write(tmp_path, base(dev="gpu", prod="gpu"))
    assert found(".") == []


def test_a_claim_that_a_patch_brings_under_another_name_is_found_where_it_is_missing(
    tmp_path: Path,
) -> None:
    write(tmp_path, base(dev="gpu", prod="gpus"))
    (missing,) = found(".")  # that no container uses "gpus" follows from it
    assert missing[:3] == ("base/pod.yaml", 12, "DRA403")
    assert missing[3].endswith("(built in prod)")


def test_what_holds_in_several_overlays_is_said_once(tmp_path: Path) -> None:
    write(tmp_path, base(a="gpus", b="gpus"))
    codes = [(path, line, code) for path, line, code, _ in found(".")]
    assert codes.count(("base/pod.yaml", 12, "DRA403")) == 1
    assert next(m for _, _, c, m in found(".") if c == "DRA403").endswith("(built in a, b)")


@pytest.mark.parametrize(
    "more",
    [
        "transformers: [own.yaml]\n",
        "components: ['https://github.com/example/repo']\n",
        "helmCharts: [{name: chart}]\n",
    ],
)
def test_nothing_is_said_where_something_cannot_be_built(more: str, tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["prod/kustomization.yaml"] += more
    files["prod/own.yaml"] = "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: x}\n"
    write(tmp_path, files)
    assert found(".") == []


def test_nothing_is_said_of_what_flux_patches(tmp_path: Path) -> None:
    files = base(prod="gpus")
    files["flux.yaml"] = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: apps, namespace: flux-system}\nspec: {path: ./prod}\n"
    )
    write(tmp_path, files)
    assert found(".") == []


RENAMED = "resources: [../base]\nnamePrefix: dev-\n"


def test_a_reference_that_kustomize_does_not_rename(tmp_path: Path) -> None:
    claims = "  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"
    files = base()
    files["base/pod.yaml"] = POD + claims
    files["dev/kustomization.yaml"] = RENAMED
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 15, "DRA440")
    assert message.endswith("built in dev")
    # With a configuration that names the field it is renamed too.
    files["dev/kustomization.yaml"] += "configurations: [names.yaml]\n"
    files["dev/names.yaml"] = (
        "nameReference:\n- kind: ResourceClaimTemplate\n  group: resource.k8s.io\n  fieldSpecs:\n"
        "  - {path: spec/resourceClaims/resourceClaimTemplateName, kind: Pod}\n"
    )
    write(tmp_path, files)
    assert found(".") == []
    # So it is where a patch writes the new name.
    files["dev/kustomization.yaml"] = (
        RENAMED + "patches:\n- target: {kind: Pod}\n  patch: |\n    - op: replace\n"
        "      path: /spec/resourceClaims/0/resourceClaimTemplateName\n      value: dev-one-gpu\n"
    )
    write(tmp_path, files)
    assert found(".") == []


CLAIMS = "  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"


def complete(patch: str, name: str = "prod") -> dict[str, str]:
    """A base that is complete, and an overlay that has a patch."""
    files = base()
    files["base/pod.yaml"] = POD + CLAIMS
    files["dev/kustomization.yaml"] = "resources: [../base]\n"
    files[f"{name}/kustomization.yaml"] = "resources: [../base]\npatches: [{path: patch.yaml}]\n"
    files[f"{name}/patch.yaml"] = patch
    return files


def test_a_complete_object_whose_template_a_patch_changes(tmp_path: Path) -> None:
    named = POD.replace("- name: gpu\n", "- name: gpu\n        request: gpu\n") + CLAIMS
    renamed = TEMPLATE.replace("- name: gpu\n", "- name: card\n")
    files = complete(renamed)
    files["base/pod.yaml"] = named
    write(tmp_path, files)
    ((path, line, code, message),) = found(".")
    assert (path, line, code) == ("base/pod.yaml", 13, "DRA414")
    assert message.endswith("(built in prod)")
    files["prod/patch.yaml"] = TEMPLATE.replace("exactly:", "exactly:\n          count: 2")
    write(tmp_path, files)
    assert found(".") == []


def test_what_an_inline_patch_breaks_is_said_in_the_kustomization(tmp_path: Path) -> None:
    text = (
        "resources: [../base]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Pod\n"
        "    metadata:\n      name: server\n      namespace: ml\n    spec:\n      containers:\n"
        "      - name: main\n        resources:\n          claims:\n          - name: gpus\n"
    )
    files = complete("")
    files["prod/kustomization.yaml"] = text
    write(tmp_path, files)
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/kustomization.yaml", 14, "DRA403") in lines


def test_what_the_value_of_an_operation_breaks_is_said_in_the_kustomization(tmp_path: Path) -> None:
    text = (
        "resources: [../base]\npatches:\n- target: {kind: Pod}\n  patch: |\n    - op: replace\n"
        "      path: /spec/containers/0/resources/claims/0/name\n      value: gpus\n"
    )
    files = complete("")
    files["prod/kustomization.yaml"] = text
    write(tmp_path, files)
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/kustomization.yaml", 7, "DRA403") in lines


def test_nothing_is_built_where_no_patch_and_no_object_speaks_of_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dradsl.repository.build.overlays.overlay import Builder

    built: list[str] = []

    def build(self: Builder, folder: str) -> Any:
        built.append(folder)
        raise AssertionError(folder)

    monkeypatch.setattr(Builder, "build", build)
    copied = (
        "resources: [pod.yaml]\nreplacements:\n- source: {kind: Pod, fieldPath: metadata.name}\n"
        "  targets: [{select: {kind: Pod}, fieldPaths: [metadata.labels.app], options: {create: true}}]\n"
    )
    files = {
        "a/kustomization.yaml": copied,
        "a/pod.yaml": POD.partition("    resources:")[0],
        "b/pod.yaml": POD + CLAIMS,
        "b/template.yaml": TEMPLATE,
    }
    write(tmp_path, files)
    assert found(".") == []
    assert built == []


def other(claims: str) -> str:
    """A patch that lists claims of the pod."""
    return PATCH.partition("  resourceClaims")[0] + f"  resourceClaims:\n{claims}"


def test_a_patch_that_drops_a_claim_which_a_container_names(tmp_path: Path) -> None:
    more = "  - name: card\n    resourceClaimTemplateName: one-gpu\n"
    write(tmp_path, complete(other(more)))
    lines = [(path, line, code) for path, line, code, _ in found(".")]
    assert ("prod/patch.yaml", 7, "DRA441") in lines
    assert "DRA403" not in {code for _, _, code in lines}  # follows from it


def test_a_patch_that_keeps_the_claims_of_the_object_drops_none(tmp_path: Path) -> None:
    more = "  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"
    write(tmp_path, complete(other(more)))
    assert found(".") == []


def test_an_operation_that_removes_a_claim_is_no_list_that_replaces_another(tmp_path: Path) -> None:
    files = complete("")
    files["prod/kustomization.yaml"] = (
        "resources: [../base]\npatches:\n- target: {kind: Pod}\n  patch: |\n    - op: remove\n"
        "      path: /spec/resourceClaims/0\n"
    )
    write(tmp_path, files)
    assert [(path, line, code) for path, line, code, _ in found(".")] == [
        ("base/pod.yaml", 12, "DRA403")
    ]
