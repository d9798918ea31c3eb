"""Links that a stranger has planted in a tree: commands neither read, list, cite nor write what they lead to."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from tests.tree.test_files import listing

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  template:
    spec:
      containers:
      - name: SECRET
        image: x
        resources: {limits: {nvidia.com/gpu: {{ .Values.gpu.count }}}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: r, namespace: n}
spec:
  chart: {spec: {chart: ./c, sourceRef: {kind: GitRepository, name: g}}}
  values: {gpu: {count: 1}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}
"""
MODULE = """\
from dradsl import App, Request, ResourceClaim
app = App()
app.add(ResourceClaim("x", namespace="ml", requests=[Request("r", "gpu.nvidia.com")]))
"""


def run(call: str) -> Result:
    name, *words = call.split()
    command = importlib.import_module(f"dradsl.cli.{name}").command
    return CliRunner().invoke(command, words, catch_exceptions=False)


@pytest.fixture(params=[True, False], ids=["git", "no git"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree with what is committed, or the same files without git."""
    tree = tmp_path / "tree"
    (tree / "c").mkdir(parents=True)
    (tree / "apps").mkdir()
    (tmp_path / "out").mkdir()
    (tree / "c" / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (tree / "c" / "values.yaml").write_text("gpu: {count: 1}\n")
    (tree / "apps" / "r.yaml").write_text(RELEASE)
    (tree / "p.yaml").write_text(POD)
    (tree / "s.yaml").write_text(SLICE)
    (tree / "m.py").write_text(MODULE)
    (tmp_path / "out" / "d.yaml").write_text(TEMPLATE)
    (tmp_path / "out" / "victim").write_text("SECRET\n")
    monkeypatch.chdir(tree)
    monkeypatch.delenv("DRADSL_DEBUG", raising=False)
    if request.param:
        subprocess.run(["git", "init", "-q"], check=True)
    return tree


def commit(tree: Path) -> None:
    if (tree / ".git").exists():
        who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
        subprocess.run(["git", "add", "-A"], check=True)
        subprocess.run(["git", *who, "commit", "-qm", "x"], check=True)


def outside(tree: Path) -> dict[str, bytes]:
    out = tree.parent / "out"
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


CHARTS = {
    "templates": ("c/templates", "../../out"),
    "absolute": ("c/templates", "{out}"),
    "chain": ("c/templates", "../other"),
    "the root": ("c/templates", "/"),
    "the parent": ("c/templates", "../.."),
    "a folder of templates": ("c/templates/more", "../../../out"),
    "a template": ("c/templates/d.yaml", "../../../out/d.yaml"),
}


def plant(tree: Path, name: str, target: str) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target.format(out=tree.parent / "out"))
    (tree / "other").symlink_to("../out")


@pytest.mark.parametrize("link", CHARTS)
@pytest.mark.parametrize("option", ["--diff", "--write", "--write --force", "--output od"])
def test_a_chart_with_a_link_out(option: str, link: str, tree: Path) -> None:
    plant(tree, *CHARTS[link])
    commit(tree)
    before = outside(tree)
    results: list[Result] = []
    call = f"migrate --set chart-places=write c {option}"
    seen = listing(lambda: results.append(run(call)))
    assert results[0].exit_code in (0, 1, 3)
    assert "SECRET" not in results[0].output
    assert "d.yaml" not in results[0].output.replace("skipped c/templates/d.yaml", "")
    assert outside(tree) == before
    above = str(tree.parent)
    assert not [e for e in seen if e in ("/", above) or e.startswith(f"{above}/out")]


@pytest.mark.parametrize("link", [*CHARTS, "the chart", "values"])
@pytest.mark.parametrize(
    "call", ["migrate --diff apps", "migrate --scan apps", "lint --isolated apps"]
)
def test_a_release_of_a_chart_with_a_link_out(call: str, link: str, tree: Path) -> None:
    """Nothing outside is listed either: a link to the root would list the whole disk."""
    if link == "the chart":
        (tree / "c" / "Chart.yaml").rename(tree.parent / "out" / "Chart.yaml")
        (tree / "c" / "values.yaml").unlink()
        (tree / "c").rmdir()
        (tree.parent / "out" / "templates").mkdir()
        (tree.parent / "out" / "d.yaml").rename(tree.parent / "out" / "templates" / "d.yaml")
        plant(tree, "c", "../out")
    elif link == "values":
        (tree / "c" / "values.yaml").unlink()
        plant(tree, "c/values.yaml", "../../out/victim")
    else:
        plant(tree, *CHARTS[link])
    commit(tree)
    before = outside(tree)
    results: list[Result] = []
    seen = listing(lambda: results.append(run(call)))
    assert results[0].exit_code in (0, 1, 3)
    assert "SECRET" not in results[0].output
    assert "d.yaml" not in results[0].output
    assert outside(tree) == before
    out = str(tree.parent / "out")
    assert not [each for each in seen if each == "/" or each.startswith(out)]


OUTPUTS = {
    "lint": "lint --isolated --output-format json --output {} p.yaml",
    "baseline": "lint --isolated --baseline {} --write p.yaml",
    "record": "record s.yaml -o {}",
    "schema infer": "schema infer s.yaml -o {}",
    "schema infer --force": "schema infer s.yaml --force -o {}",
    "schema export": "schema export gpu.nvidia.com -o {}",
    "simulate": "simulate --slices s.yaml p.yaml --output-format json --output {}",
    "migrate": "migrate p.yaml --diff --report {}",
    "build": "build m.py --output od --check --output-format json --report {}",
}


@pytest.mark.parametrize("place", ["file", "new", "folder", "chain", "absolute"])
@pytest.mark.parametrize("call", OUTPUTS)
def test_an_output_name_that_is_a_link_out(call: str, place: str, tree: Path) -> None:
    name, target, written = {
        "file": ("report.json", "../out/victim", "report.json"),
        "new": ("report.json", "../out/new", "report.json"),
        "folder": ("reports", "../out", "reports/victim"),
        "chain": ("report.json", "other/victim", "report.json"),
        "absolute": ("report.json", "{out}/victim", "report.json"),
    }[place]
    plant(tree, name, target)
    before = outside(tree)
    result = run(OUTPUTS[call].format(written))
    assert result.exit_code == 2, result.output
    assert "outside" in result.output
    assert outside(tree) == before


@pytest.mark.parametrize("link", ["folder", "file", "inner", "beside"])
@pytest.mark.parametrize(
    "call",
    ["migrate --output od apps2", "migrate --set form=kustomize --output od p.yaml", "migrate --set form=flux --output od p.yaml",
     "build m.py --output od"],
)  # fmt: skip
def test_a_folder_of_output_with_links_out(call: str, link: str, tree: Path) -> None:
    (tree / "apps2").mkdir()
    (tree / "apps2" / "p.yaml").write_text(POD)
    if link == "folder":
        plant(tree, "od", "../out")
    elif link == "inner":
        plant(tree, "od/apps2", "../../out")
    else:
        fixed = {
            "migrate --output": ["apps2/p.yaml", "apps2"],
            "migrate --set form=kustomize": ["kustomization.yaml", "claims.yaml"],
            "migrate --set form=flux": ["post-renderers.yaml", "claims.yaml"],
            "build m.py": ["resourceclaim_ml_x.yaml", "resourceclaim_ml_x.yaml"],
        }[" ".join(call.split()[:3] if "--set" in call else call.split()[:2])]
        name = fixed[link == "beside"]
        up = "../" * (2 + name.count("/"))
        plant(tree, f"od/{name}", f"{up}out/victim")
    before = outside(tree)
    result = run(call)
    assert outside(tree) == before
    if link != "inner" or "apps2" in call:
        assert result.exit_code == 2, result.output
        assert "outside" in result.output


def test_what_a_user_may_name(tree: Path) -> None:
    (tree.parent / "out" / "d.yaml").write_text(POD)
    (tree / "named").symlink_to("../out")
    assert "1 file" in run("lint --isolated named").output
    (tree / "in").mkdir()
    (tree / "report.json").symlink_to("in/report.json")
    call = "lint --isolated --output-format json --output {} p.yaml"
    assert run(call.format("report.json")).exit_code in (0, 1)
    assert json.loads((tree / "in" / "report.json").read_text())
    assert run(call.format("/dev/null")).exit_code in (0, 1)
    assert run(call.format(tree.parent / "elsewhere.json")).exit_code in (0, 1)
    assert run(call.format("../elsewhere2.json")).exit_code in (0, 1)
    read, write = os.pipe()
    try:
        assert run(call.format(f"/dev/fd/{write}")).exit_code in (0, 1)
        assert json.loads(os.read(read, 1 << 16))
    finally:
        os.close(read)
        os.close(write)


def test_fixes_behind_a_link_out_are_not_written(tree: Path) -> None:
    """Of a folder that the call names by a link they are: that link is the user's own."""
    beta = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: x}\nspec: {devices: {requests: [{name: r, deviceClassName: gpu.nvidia.com}]}}\n"
    (tree.parent / "out" / "d.yaml").write_text(beta)
    (tree / "named").symlink_to("../out")
    assert run("convert --write named/d.yaml").exit_code == 2
    assert (tree.parent / "out" / "d.yaml").read_text() == beta
    run("convert --write named")
    assert (tree.parent / "out" / "d.yaml").read_text() != beta
