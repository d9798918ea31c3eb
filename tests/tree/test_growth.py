"""Work on trees of files grows with their size, whatever they say of each other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dradsl.lint.engine.certainty import worlds
from dradsl.lint.engine.run import lint_text
from dradsl.lint.view import index
from dradsl.text.documents import load
from dradsl.tree.applied.repository import Repository
from tests.counting import growth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def repository(top: Path, files: Mapping[str, str]) -> Repository:
    """The files as if they stood in `top`; none is written."""
    read = [(str(top / name), load(text.encode())) for name, text in files.items()]
    return Repository(read, tops=(os.path.realpath(top),))


def kustomization(*resources: str) -> str:
    return "resources: [" + ", ".join(resources) + "]\n"


def flux(name: str, path: str) -> str:
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}}}\nspec: {{path: {path}, postBuild: {{substitute: {{N: {name}}}}}}}\n"
    )


def overlays(count: int) -> dict[str, str]:
    """Overlays of one base with as many files."""
    base = {f"base/{n}.yaml": "kind: x\n" for n in range(count)}
    tops = {f"o{n}/kustomization.yaml": kustomization("../base") for n in range(count)}
    names = (f"{n}.yaml" for n in range(count))
    return {**base, **tops, "base/kustomization.yaml": kustomization(*names)}


def builders(count: int) -> dict[str, str]:
    """Objects of Flux that all build the whole tree."""
    return {f"a/{n}.yaml": flux(f"k{n}", "./") for n in range(count)}


def ring(count: int) -> dict[str, str]:
    """Kustomizations that take each other in."""
    return {
        f"k{n}/kustomization.yaml": kustomization(
            *(f"../k{(n + step) % count}" for step in (1, 2, 5))
        )
        for n in range(count)
    }


def ladder(count: int) -> dict[str, str]:
    """Each takes the next in by two ways, with two prefixes: 2^count ways to the last one."""
    found = {}
    for n in range(count):
        found[f"k{n}/kustomization.yaml"] = kustomization(f"../a{n}", f"../b{n}")
        for way in "ab":
            text = kustomization(f"../k{n + 1}") + f"namePrefix: {way}-\n"
            found[f"{way}{n}/kustomization.yaml"] = text
    return {
        **found,
        f"k{count}/kustomization.yaml": kustomization("x.yaml"),
        f"k{count}/x.yaml": "a: b\n",
    }


def patches(count: int) -> dict[str, str]:
    """Overlays one within the other, each with a patch."""
    text = (
        kustomization("../o{}")
        + 'patches: [{{target: {{kind: Pod}}, patch: \'[{{"op": "x"}}]\'}}]\n'
    )
    return {
        "o0/kustomization.yaml": kustomization("x.yaml"),
        "o0/x.yaml": "kind: Pod\n",
        **{f"o{n}/kustomization.yaml": text.format(n - 1) for n in range(1, count)},
    }


def components(count: int) -> dict[str, str]:
    """Components one within the other."""
    return {
        "x.yaml": "kind: Pod\n",
        "kustomization.yaml": "resources: [x.yaml]\ncomponents: [c0]\n",
        f"c{count}/kustomization.yaml": "kind: Component\n",
        **{
            f"c{n}/kustomization.yaml": f"kind: Component\ncomponents: [../c{n + 1}]\n"
            for n in range(count)
        },
    }


@pytest.mark.parametrize("make", [patches, components])
def test_patches_of_deep_trees(make: Callable[[int], dict[str, str]], tmp_path: Path) -> None:
    files = make(3000)
    name = next(str(tmp_path / each) for each in files if each.endswith("x.yaml"))
    assert repository(tmp_path, files).patches_may_fix(name, "Pod", ("p",))
    assert not repository(tmp_path, make(1)).patches_may_fix(name, "Pod", ("p",))


@pytest.mark.parametrize("make", [overlays, builders, ring, ladder])
def test_steps_grow_with_the_tree(make: Callable[[int], dict[str, str]], tmp_path: Path) -> None:
    small, large = (repository(tmp_path, make(count)).steps for count in (100, 400))
    assert large <= 5 * small


def test_what_many_builds_share_is_open(tmp_path: Path) -> None:
    found = repository(tmp_path, overlays(100))
    origin = found.origin(str(tmp_path / "base/5.yaml"))
    assert origin.more
    assert origin.builds == frozenset()
    few = repository(tmp_path, overlays(3)).origin(str(tmp_path / "base/1.yaml"))
    assert not few.more
    assert len(few.builds) == 3


@pytest.mark.parametrize(
    "text",
    [
        "resources: [., .., ./missing, https://example.com/x?ref=1, /etc/passwd]\n",
        "resources: {a: b}\ncomponents: 3\npatches: [null, 3, {path: 3}, {path: [a]}]\n",
        "resources: ['a\\0b', '${X}/y', '../../../../../..']\n",
        "namespace: [a]\nnamePrefix: {}\npatchesStrategicMerge: [3, {a: b}, '']\n",
        "[]\n",
        "{{ if }}\n",
    ],
)
def test_kustomizations_of_any_shape(text: str, tmp_path: Path) -> None:
    found = repository(tmp_path, {"a/kustomization.yaml": text, "a/x.yaml": "kind: x\n"})
    assert found.origin(str(tmp_path / "a/x.yaml")).uses == ()


@pytest.mark.parametrize(
    "spec",
    [
        "3",
        "{path: 3, postBuild: [], components: {}}",
        "{path: ../.., postBuild: {substitute: [], substituteFrom: {a: b}}}",
        "{path: './${X}', targetNamespace: {}}",
        "{path: 'a\\0b', components: [3, null, '']}",
    ],
)
def test_objects_of_flux_of_any_shape(spec: str, tmp_path: Path) -> None:
    text = f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {spec}\n"
    found = repository(tmp_path, {"ks.yaml": text, "a/x.yaml": "kind: x\n"})
    uses = found.origin(str(tmp_path / "a/x.yaml")).uses
    assert all(each.namespace is None and not each.variables for each in uses)


CLAIM = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: NAME}\n"
    "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, "
    'count: "${COUNT}", cuont: 1}}]}}}\n'
)
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec:\n"
    "  containers: [{name: c, image: x, resources: {claims: [{name: g}, {name: no}]}}]\n"
    "  resourceClaims: [{name: g, resourceClaimTemplateName: NAME}, {name: '${OTHER}-x'}]\n"
)


def named(text: str, name: str) -> Callable[[int], str]:
    return lambda size: "---\n".join(text.replace("NAME", name.format(n=n)) for n in range(size))


@pytest.mark.parametrize(
    "make",
    [
        named(CLAIM, "x{n}"),
        named(CLAIM, "'${{A{n}}}-x'"),
        named(CLAIM + "---\n" + POD, "x{n}"),
        named(CLAIM + "---\n" + POD, "'${{A}}-x{n}'"),
        named(CLAIM + "---\n" + POD, "same"),
    ],
)
def test_holes_everywhere(make: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    # The sizes are beyond what is tried one by one.
    monkeypatch.setattr(worlds, "MOST_TRIED", 3)
    monkeypatch.setattr(index, "MOST_UNKNOWN_NAMES", 8)
    monkeypatch.setattr(index, "MOST_EQUALLY_NEAR", 4)
    assert growth(make, lint_text, 10) < 2.3


def test_a_list_with_variables() -> None:
    item = "- {apiVersion: v1, kind: Pod, metadata: {name: '${A}'}}\n"

    def make(size: int) -> str:
        return "apiVersion: v1\nkind: List\nitems:\n" + item * size

    assert growth(make, lint_text, 200) < 2.3
