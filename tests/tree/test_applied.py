"""What is applied: the roots of Kustomize, Flux and Argo CD, and the files that they reach."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dradsl.text.documents import load
from dradsl.tree.applied.repository import Applied, Repository

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FLUX = (
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s}\n"
    "spec: {path: %s}\n"
)
ARGO_CD = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s}\n"
    "spec: {source: {path: %s}}\n"
)
SET = (
    "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n"
    "  generators: [{list: {elements: [{at: one}, {at: two}]}}]\n"
    "  template: {metadata: {name: 'x-{{at}}'}, spec: {source: {path: 'apps/{{at}}'}}}\n"
)


def repository(top: Path, files: Mapping[str, str]) -> Repository:
    """The files as if they stood in `top`; none is written."""
    read = [(str(top / name), load(text.encode())) for name, text in files.items()]
    return Repository(read, tops=(os.path.realpath(top),))


def shown(top: Path, files: Mapping[str, str]) -> dict[str, list[str]]:
    """What each root reaches; of a root that another one applies, with that one."""

    def path(name: str) -> str:
        return os.path.relpath(name, os.path.realpath(top)).replace(os.sep, "/")

    def name(root: object) -> str:
        return path(root) if isinstance(root, str) else f"{root.builder.title}"  # type: ignore[attr-defined]

    def title(each: Applied) -> str:
        return " < ".join([name(each.root), *map(name, each.above)])

    return {title(each): [path(f) for f in each.files] for each in repository(top, files).applied()}


def resources(*names: str) -> str:
    return f"resources: [{', '.join(names)}]\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.yaml": "kind: x\n", "b/c.yaml": "kind: x\n"}, {}),
        (
            {
                "base/kustomization.yaml": resources("a.yaml"),
                "base/a.yaml": "kind: x\n",
                "base/left.yaml": "kind: x\n",
                "prod/kustomization.yaml": resources("../base") + "patches: [{path: p.yaml}]\n",
                "prod/p.yaml": "kind: x\n",
                "test/Kustomization": resources("../base") + "components: [../extra]\n",
                "extra/kustomization.yaml": "kind: Component\n" + resources("e.yaml"),
                "extra/e.yaml": "kind: x\n",
            },
            {
                "prod": ["base/a.yaml", "base/kustomization.yaml", "prod/kustomization.yaml", "prod/p.yaml"],
                "test": [
                    "base/a.yaml", "base/kustomization.yaml", "extra/e.yaml", "extra/kustomization.yaml",
                    "test/Kustomization",
                ],
            },
        ),
        # A component that nothing takes in is not applied.
        ({"c/kustomization.yaml": "kind: Component\n" + resources("a.yaml"), "c/a.yaml": "kind: x\n"}, {}),
        # Flux takes all files of a folder without a kustomization, and one Kustomization applies others.
        (
            {
                "cluster/apps.yaml": FLUX % ("apps", "./apps"),
                "root/all.yaml": FLUX % ("all", "./cluster"),
                "apps/a.yaml": "kind: x\n",
                "apps/b/kustomization.yaml": resources("b.yaml"),
                "apps/b/b.yaml": "kind: x\n",
                "apps/b/left.yaml": "kind: x\n",
            },
            {
                "Kustomization apps < Kustomization all": [
                    "apps/a.yaml", "apps/b/b.yaml", "apps/b/kustomization.yaml",
                ],
                "Kustomization all": ["cluster/apps.yaml"],
            },
        ),
        # A Kustomization that applies itself is applied by hand first.
        (
            {"flux/sync.yaml": FLUX % ("sync", "./flux"), "flux/a.yaml": "kind: x\n"},
            {"Kustomization sync": ["flux/a.yaml", "flux/sync.yaml"]},
        ),
        # A kustomization applies the object that builds another folder.
        (
            {
                "top/kustomization.yaml": resources("app.yaml"),
                "top/app.yaml": ARGO_CD % ("web", "web"),
                "web/kustomization.yaml": resources("w.yaml"),
                "web/w.yaml": "kind: x\n",
            },
            {
                "Application web < top": ["web/kustomization.yaml", "web/w.yaml"],
                "top": ["top/app.yaml", "top/kustomization.yaml"],
            },
        ),
        # What is not in this tree is reached by nobody.
        ({"a.yaml": FLUX % ("x", "./missing"), "b.yaml": ARGO_CD % ("y", "../out")}, {}),
    ],
)  # fmt: skip
def test_applied(tmp_path: Path, files: dict[str, str], expected: dict[str, list[str]]) -> None:
    assert shown(tmp_path, files) == expected


def test_an_application_set_counts_as_its_applications(tmp_path: Path) -> None:
    files = {"set.yaml": SET, "apps/one/a.yaml": "kind: x\n", "apps/two/b.yaml": "kind: x\n"}
    found = repository(tmp_path, files).applied()
    apps = tmp_path.resolve() / "apps"
    assert [each.files for each in found] == [
        (str(apps / "one" / "a.yaml"),),
        (str(apps / "two" / "b.yaml"),),
    ]


@pytest.mark.parametrize("count", [31, 33, 100])
def test_a_shared_base_is_not_followed_for_ever(tmp_path: Path, count: int) -> None:
    files = {f"o{n}/kustomization.yaml": resources("../base") for n in range(count)}
    files |= {"base/kustomization.yaml": resources("a.yaml"), "base/a.yaml": "kind: x\n"}
    found = repository(tmp_path, files).applied()
    assert len(found) == count
    whole = [each for each in found if len(each.files) == 3]
    assert len(whole) == min(count, 32)
    assert all(each.more is (each not in whole) for each in found)
