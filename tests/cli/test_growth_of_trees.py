"""The work on a tree grows as its files do, and what really multiplies ends at a budget that is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.tree import variables
from dradsl.tree.flux import kustomizations as flux
from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
from dradsl.tree.kustomize.parts import files as build_files
from dradsl.values import limits
from tests.cli.test_growth import MOST, call
from tests.counting import growth, work_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def deployments(count: int, image: str = "x") -> str:
    return "---\n".join(
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{i}}}\n"
        f"spec: {{selector: {{matchLabels: {{a: d{i}}}}}, template: {{metadata: {{labels: {{a: d{i}}}}}, "
        f'spec: {{containers: [{{name: c, image: "{image}", '
        "resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"
        for i in range(count)
    )


def kustomization(name: str, extra: str = "") -> str:
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\n"
        "spec: {path: ./apps, interval: 5m, prune: true, sourceRef: {kind: GitRepository, name: x}"
        f"{extra}}}\n"
    )


def application(name: str) -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\n"
        "spec: {project: p, source: {repoURL: x, path: apps}, "
        f"destination: {{namespace: {name}, server: x}}}}\n"
    )


def slices(count: int) -> str:
    return "---\n".join(
        f"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s{i}}}\n"
        f"spec: {{driver: d.example.com, nodeName: n1, devices: [{{name: d{i}}}], "
        f"pool: {{name: p, generation: 1, resourceSliceCount: {count}}}}}\n"
        for i in range(count)
    )


def diamond(levels: int) -> dict[str, str]:
    """Level i takes level i + 1 twice, so 2 ** levels objects are built of one."""
    made = {f"l{levels}/kustomization.yaml": "resources: [d.yaml]\n"}
    made[f"l{levels}/d.yaml"] = deployments(1)
    for level in range(levels):
        made[f"l{level}/kustomization.yaml"] = "resources: [a, b]\n"
        for side in "ab":
            made[f"l{level}/{side}/kustomization.yaml"] = (
                f"resources: [../../l{level + 1}]\nnameSuffix: -{side}\n"
            )
    return made


TREES: dict[str, tuple[str, int, Callable[[int], dict[str, str]]]] = {
    "overlays of one base": (
        "migrate --diff .",
        3,
        lambda n: {
            "base/kustomization.yaml": "resources: [d.yaml]\n",
            "base/d.yaml": deployments(3),
            **{
                f"o{i}/kustomization.yaml": f"resources: [../base]\nnamespace: t{i}\n"
                for i in range(n)
            },
        },
    ),
    "objects of one base": (
        "migrate --diff .",
        6,
        lambda n: {
            "base/kustomization.yaml": "resources: [d.yaml]\n",
            "base/d.yaml": deployments(n),
            "o/kustomization.yaml": "resources: [../base]\nnamespace: t\n",
        },
    ),
    "overlays with patches": (
        "migrate --diff .",
        3,
        lambda n: {
            "base/kustomization.yaml": "resources: [d.yaml]\n",
            "base/d.yaml": deployments(2),
            **{
                f"o{i}/kustomization.yaml": "resources: [../base]\npatches:\n"
                "- target: {kind: Deployment, name: d0}\n  patch: |\n    - op: replace\n"
                "      path: /spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu\n"
                "      value: 2\n"
                for i in range(n)
            },
        },
    ),
    "Kustomizations of Flux of one path": (
        "migrate --diff .",
        5,
        lambda n: {
            "apps/d.yaml": deployments(1),
            **{f"f{i}.yaml": kustomization(f"k{i}", f", targetNamespace: n{i}") for i in range(n)},
        },
    ),
    "Kustomizations of Flux of their own folder": (
        "migrate --diff .",
        5,
        lambda n: {
            "apps/d.yaml": deployments(1),
            **{f"apps/f{i}.yaml": kustomization(f"k{i}") for i in range(n)},
        },
    ),
    "Applications of one folder": (
        "migrate --diff .",
        5,
        lambda n: {
            "apps/d.yaml": deployments(2),
            **{f"argo/a{i}.yaml": application(f"k{i}") for i in range(n)},
        },
    ),
    "slices of one pool": ("lint --isolated .", 20, lambda n: {"s.yaml": slices(n)}),
    "uses of one variable": (
        "lint --isolated .",
        50,
        lambda n: {
            "k.yaml": kustomization("k", ", postBuild: {substitute: {A: abcdefghij}}"),
            "apps/d.yaml": deployments(1, "${A}" * n),
        },
    ),
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / ".git").mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("name", TREES)
def test_twice_the_tree_is_twice_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, size, files = TREES[name]

    def work(folder: Path) -> None:
        monkeypatch.chdir(folder)
        call(words)

    def make(count: int) -> Path:
        return write(tmp_path / str(count), files(count))

    assert growth(make, work, size) < MOST


def test_a_base_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many overlays take it: once as it was, and once as it is."""
    built: list[str] = []
    before = OverlayBuilder._target

    def counted(self: OverlayBuilder, folder: str, *rest: object) -> object:
        built.append(folder.rpartition("/")[2])
        return before(self, folder, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(OverlayBuilder, "_target", counted)
    files = TREES["overlays of one base"][2]
    for count in (3, 9):
        built.clear()
        monkeypatch.chdir(write(tmp_path / str(count), files(count)))
        call("migrate --diff .")
        assert built.count("base") == 4  # by itself and for the overlays, on both sides
        assert len(built) == 4 + 2 * count


def test_what_multiplies_ends_at_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "MOST_BUILT_HERE", 30)
    works = []
    for levels in (9, 18):
        folder = write(tmp_path / str(levels), diamond(levels))
        builder = OverlayBuilder(build_files.Files([str(folder)]))
        works.append(work_of(lambda b=builder, f=folder: b.build(str(f / "l0"))))  # type: ignore[misc]
        rejected = builder.build(str(folder / "l0")).rejected
        assert rejected is not None
        assert str(rejected) == "a build makes more than 30 objects"
    assert works[1] < 2 * works[0]
    monkeypatch.chdir(folder)
    from click.testing import CliRunner

    from dradsl.cli.migrate import command

    result = CliRunner().invoke(command, ["."], catch_exceptions=False)
    assert "a build makes more than 30 objects" in result.output
    assert result.exit_code in (1, 3)


def test_bases_that_double_on_each_level_end_at_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the levels would be 512 times the objects; what many overlays take once is built."""
    monkeypatch.setattr(limits, "MOST_COPIES", 16)
    monkeypatch.setattr(limits, "MOST_COPIES_EACH", 1)

    def make(levels: int) -> Path:
        return write(tmp_path / str(levels), diamond(levels))

    def build(folder: Path) -> str:
        builder = OverlayBuilder(build_files.Files([str(folder)]))
        built = [builder.build(str(each)) for each in sorted(folder.glob("l*"))]
        return "; ".join(dict.fromkeys(str(each.rejected) for each in built if each.rejected))

    assert growth(make, build, 9) < MOST
    assert build(make(4)) == ""
    assert "16 kustomizations make more than 16 objects of one" in build(make(6))
    flat = TREES["overlays of one base"][2](40)
    flat["all/kustomization.yaml"] = f"resources: [{', '.join(f'../o{i}' for i in range(40))}]\n"
    folder = write(tmp_path / "flat", flat)
    builder = OverlayBuilder(build_files.Files([str(folder)]))
    assert len(builder.build(str(folder / "all")).objects) == 120


def test_all_builds_together_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BUILT", 40)
    folder = write(tmp_path, TREES["overlays of one base"][2](30))
    builder = OverlayBuilder(build_files.Files([str(folder)]))
    rejected = [builder.build(str(folder / f"o{i}")).rejected for i in range(30)]
    assert rejected[0] is None
    assert str(rejected[-1]) == "all builds make more than 40 objects"
    assert [*builder.files.budget.spent] == ["all builds make more than 40 objects"]


SUBSTITUTE = ", postBuild: {substitute: {A: %s}}"
PATCHED = """\
resources: [d.yaml]
patches:
- target: {kind: Deployment}
  patch: |
    - op: add
      path: /spec/template/spec/resourceClaims
      value: [{name: c, resourceClaimName: x}]
"""


@pytest.mark.parametrize(
    ("value", "uses", "objects", "said"),
    [
        (10_000, 400, 1, "apps/d.yaml: variables make an object of more than 3 MiB"),
        (100_000, 35, 1, "apps/d.yaml: variables make an object of more than 3 MiB"),
        (100_000, 20, 40, "apps/d.yaml: variables make more than 64 MiB in all builds"),
        (10_000, 20, 4, None),
    ],
)
def test_variables_have_a_budget(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: int,
    uses: int,
    objects: int,
    said: str | None,
) -> None:
    from click.testing import CliRunner

    from dradsl.cli.lint import command

    made: list[int] = []
    before = variables.evaluate

    def counted(*words: object) -> object:
        found = before(*words)  # type: ignore[arg-type]
        made.append(sum(len(str(part)) for part in found.parts))
        return found

    monkeypatch.setattr(flux, "evaluate", counted)
    files = {
        "k.yaml": kustomization("k", SUBSTITUTE % ("x" * value)),
        "apps/kustomization.yaml": PATCHED,
        "apps/d.yaml": deployments(objects, "${A}" * uses),
    }
    monkeypatch.chdir(write(tmp_path, files))
    result = CliRunner().invoke(command, ["--isolated", "."], catch_exceptions=False)
    if said is None:
        assert "not built" not in result.output
    else:
        assert f"not built, so not judged: {said}" in result.output
    assert sum(made) <= limits.MOST_FILLED_IN_ALL + 2 * limits.MOST_FILLED
