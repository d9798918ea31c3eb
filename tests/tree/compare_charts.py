"""Compares what dradsl has built of kustomizations with charts with `kustomize build --enable-helm`.

`python -m tests.tree.compare_charts TREE ...` needs helm and kustomize on the PATH. It works on a copy of each
tree: a chart that is not there is put there, with the name and version that the kustomization asks for.
"""

from __future__ import annotations

import collections
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.rendering.programs import programs_of
from dradsl.tree.rendering.renderer import Renderer

__all__ = ["CHART", "compare", "put_chart"]

# What charts can see of a call: names, values, versions, and which parts of them are asked for.
CHART = {
    "values.yaml": "a: 1\nlist: [x, y]\nnested: {keep: true, gone: 1, text: 'yes'}\nempty:\n",
    "templates/map.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}\n"
        "  namespace: {{ .Release.Namespace }}\ndata:\n  values: {{ toYaml .Values | quote }}\n"
        "  version: {{ .Chart.Version | quote }}\n  kube: {{ .Capabilities.KubeVersion.Version | quote }}\n"
        '  has: {{ .Capabilities.APIVersions.Has "x.example.org/v1" | quote }}\n'
    ),
    "templates/deployment.yaml": (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Chart.Name }}-{{ .Release.Name }}}\n"
        "spec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n"
        "    spec:\n      containers: [{name: {{ .Chart.Name }}, image: x}]\n"
    ),
    "templates/hook.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}-hook\n"
        "  annotations: {helm.sh/hook: pre-install}\n"
    ),
    "templates/tests/test.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}-test\n"
        "  annotations: {helm.sh/hook: test}\nspec: {containers: [{name: c, image: x}]}\n"
    ),
}
CRD = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: {plural}.example.org}\n"
    "spec: {group: example.org, scope: Namespaced, names: {kind: Thing, plural: {plural}}, versions: []}\n"
)


def put_chart(folder: Path, name: str, version: str) -> None:
    """A chart of this name in a folder."""
    files = {
        **CHART,
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\n",
        "crds/crd.yaml": CRD.replace("{plural}", f"{name}s"),
    }
    for each, text in files.items():
        path = folder / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def compare(folder: Path, top: Path, renderer: Renderer) -> tuple[str, str]:
    """How the two agree: `same`, `different`, `neither`, `only kustomize` or `only dradsl`; and what was said."""
    programs = renderer.programs
    assert programs.kustomize is not None
    assert programs.helm is not None
    with tempfile.TemporaryDirectory() as home:
        nobody = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY"), "http://127.0.0.1:9")
        done = subprocess.run(
            [programs.kustomize, "build", "--enable-helm", "--helm-command", programs.helm, folder],
            env={"HOME": home, "PATH": home, **nobody},
            capture_output=True,
            text=True,
            check=False,
        )
    made = renderer.overlay(str(folder), top=str(top))
    said = f"{made.unknown} | {done.stderr[-300:]}"
    if made.unknown is not None or done.returncode:
        return {
            (True, True): "neither",
            (True, False): "only kustomize",
            (False, True): "only dradsl",
        }[made.unknown is not None, bool(done.returncode)], said
    return ("same" if made.text.decode() == done.stdout else "different"), said


def _vendor(path: Path) -> None:
    data: Any = yaml.safe_load(path.read_text())
    home = (data.get("helmGlobals") or {}).get("chartHome") or "charts"
    for chart in data.get("helmCharts") or ():
        name, version = chart["name"], chart.get("version")
        below = f"{name}-{version}" if version and chart.get("repo") else ""
        place = path.parent / home / below / name
        if not place.exists():
            put_chart(place, name, str(version or "1.0.0"))


def _main(trees: list[str]) -> None:
    renderer = Renderer(programs_of(["helm", "kustomize"]), total=100_000)
    for tree in trees:
        counts: collections.Counter[str] = collections.Counter()
        with tempfile.TemporaryDirectory() as name:
            top = Path(os.path.realpath(name)) / "tree"
            shutil.copytree(tree, top, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            for path in sorted(each for each in top.rglob("*") if each.name in NAMES):
                try:
                    if "helmCharts" not in path.read_text():
                        continue
                    _vendor(path)
                except (OSError, ValueError, KeyError, yaml.YAMLError, AttributeError) as error:
                    print(f"{tree}: {path.relative_to(top)}: left out: {error}")  # noqa: T201
                    continue
                how, said = compare(path.parent, top, renderer)
                counts[how] += 1
                if how != "same":
                    print(f"{tree}: {path.parent.relative_to(top)}: {how}: {said}")  # noqa: T201
        print(f"{tree}: {dict(counts)}")  # noqa: T201


if __name__ == "__main__":
    _main(sys.argv[1:])
