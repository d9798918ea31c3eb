"""Builds end whatever the tree says, shared bases are built once, and what cannot be built is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
from dradsl.tree.kustomize.parts.files import Files

if TYPE_CHECKING:
    from pathlib import Path

POD = """apiVersion: v1
kind: Pod
metadata:
  name: server
spec:
  containers:
  - name: main
    image: registry.example.com/server:1
"""


def write(folder: Path, **files: str) -> OverlayBuilder:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return OverlayBuilder(Files([str(folder)]))


def test_a_base_of_many_overlays_is_read_once(tmp_path: Path) -> None:
    builder = write(
        tmp_path, base__kustomization_yaml="resources: [pod.yaml]\n", base__pod_yaml=POD
    )
    for number in range(300):
        folder = tmp_path / f"o{number}"
        folder.mkdir()
        (folder / "kustomization.yaml").write_text(
            f"resources: [../base]\nnamePrefix: p{number}-\n"
        )
        built = builder.build(str(folder))
        documents: list[Any] = [each.data for each in built.objects]
        assert [each["metadata"]["name"] for each in documents] == [f"p{number}-server"]
    # Three names are tried for each kustomization; the pod is read once.
    assert builder.files.steps == 3 * 301 + 1


def test_what_an_overlay_does_leaves_the_others_alone(tmp_path: Path) -> None:
    builder = write(
        tmp_path,
        base__kustomization_yaml="resources: [pod.yaml]\n",
        base__pod_yaml=POD,
        a__kustomization_yaml="resources: [../base]\nimages: [{name: registry.example.com/server, newTag: '2'}]\n",
        b__kustomization_yaml="resources: [../base]\n",
    )
    documents: list[Any] = [builder.build(str(tmp_path / name)).objects[0].data for name in "ab"]
    first, second = documents
    assert first["spec"]["containers"][0]["image"].endswith(":2")
    assert second["spec"]["containers"][0]["image"].endswith(":1")


@pytest.mark.parametrize(
    "text",
    [
        "resources: [../o]\n",
        "resources: ['\\0']\n",
        "resources: [" + "[" * 200 + "]" * 200 + "]\n",
        "a: &a [x, x]\nb: &b [*a, *a]\nresources: *b\n",
        "resources: [pod.yaml]\nreplacements: [{}]\n",
        "resources: [pod.yaml]\nvars: [{name: x}]\n",
        "resources: [pod.yaml]\npatches: [{patch: '[]', target: {name: '('}}]\n",
        "resources: [pod.yaml]\nimages: [{name: '('}]\n",
        "resources: [pod.yaml]\nconfigurations: [pod.yaml]\n",
        "resources: [pod.yaml]\nconfigMapGenerator: [{name: x, files: [../../../etc/passwd]}]\n",
        "resources: [pod.yaml]\ntransformers: [pod.yaml]\n",
        "- 1\n",
        "",
    ],
)
def test_any_kustomization_gives_an_answer(text: str, tmp_path: Path) -> None:
    builder = write(tmp_path, o__kustomization_yaml=text, o__pod_yaml=POD)
    built = builder.build(str(tmp_path / "o"))
    assert built.rejected is not None or built.unknowns or built.objects


def test_a_chain_of_bases_ends(tmp_path: Path) -> None:
    builder = write(tmp_path, k0__kustomization_yaml="resources: [pod.yaml]\n", k0__pod_yaml=POD)
    for number in range(1, 100):
        write(tmp_path, **{f"k{number}__kustomization_yaml": f"resources: [../k{number - 1}]\n"})
    assert builder.build(str(tmp_path / "k40")).rejected is None
    assert "nested deeper" in str(
        OverlayBuilder(builder.files).build(str(tmp_path / "k99")).rejected
    )


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("resources: ['https://github.com/example/repo//base?ref=v1', pod.yaml]\n", "remote base"),
        ("resources: [../../outside, pod.yaml]\n", "base outside"),
        ("resources: [pod.yaml]\ncomponents: ['github.com/example/repo']\n", "remote component"),
        ("resources: [pod.yaml]\nhelmCharts: [{name: chart}]\n", "helmCharts"),
        ("resources: [pod.yaml]\ntransformers: [own.yaml]\n", "transformers"),
        (
            "resources: [pod.yaml]\nvars: [{name: NAME, objref: {apiVersion: v1, kind: Pod, name: p}}]\n",
            "vars",
        ),
        ("resources: [pod.yaml]\nopenapi: {path: own.json}\n", "openapi"),
        ("resources: [pod.yaml]\ngenerators: [own.yaml]\n", "generators"),
        ("resources: [pod.yaml]\nvalidators: [own.yaml]\n", "validators"),
    ],
)
def test_what_is_beyond_us_is_said_at_its_place(text: str, construct: str, tmp_path: Path) -> None:
    own = "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: x}\n"
    builder = write(tmp_path, o__kustomization_yaml=text, o__pod_yaml=POD, o__own_yaml=own)
    built = builder.build(str(tmp_path / "o"))
    assert built.rejected is None
    assert [each.construct for each in built.unknowns] == [construct]
    at = built.unknowns[0].at
    assert at is not None
    assert at.origin.file == str(tmp_path / "o" / "kustomization.yaml")
    written = at.written()
    assert written is not None
    assert len(built.objects) == 1
    # A transformer or component may change what is there; a base only adds to it.
    assert built.objects[0].incomplete == (
        construct in ("transformers", "openapi", "vars", "remote component")
    )


def test_a_patch_for_what_is_not_seen_is_no_mistake(tmp_path: Path) -> None:
    text = (
        "resources: ['https://github.com/example/repo//base', pod.yaml]\npatches:\n- patch: |\n"
        "    kind: Deployment\n    apiVersion: apps/v1\n    metadata: {name: far}\n"
    )
    built = write(tmp_path, o__kustomization_yaml=text, o__pod_yaml=POD).build(str(tmp_path / "o"))
    assert built.rejected is None
    assert [each.construct for each in built.unknowns] == ["remote base", "target"]


def test_each_field_knows_where_it_was_written(tmp_path: Path) -> None:
    builder = write(
        tmp_path,
        base__kustomization_yaml="resources: [pod.yaml]\n",
        base__pod_yaml=POD,
        o__kustomization_yaml=(
            "resources: [../base]\nnamespace: team\nimages:\n- name: registry.example.com/server\n"
            "  newTag: '2'\npatches:\n- path: patch.yaml\n"
        ),
        o__patch_yaml=(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: server}\nspec:\n  resourceClaims:\n"
            "  - name: gpu\n    resourceClaimTemplateName: one-gpu\n"
        ),
    )
    node = builder.build(str(tmp_path / "o")).objects[0].node

    def place(*path: str | int) -> tuple[str, int]:
        here = node
        for step in path:
            found = here.items[step] if isinstance(step, int) else here.get(step)
            assert found is not None
            here = found
        assert here.at is not None
        written = here.at.written()
        assert written is not None
        file = here.at.origin.file.removeprefix(f"{tmp_path}/")
        return file, written.span.line

    assert place("spec", "containers", 0, "name") == ("base/pod.yaml", 7)
    assert place("spec", "resourceClaims", 0, "resourceClaimTemplateName") == ("o/patch.yaml", 7)
    assert place("metadata", "namespace") == ("o/kustomization.yaml", 2)
    assert place("spec", "containers", 0, "image")[0] == "o/kustomization.yaml"
    assert place("metadata", "name") == ("base/pod.yaml", 4)
