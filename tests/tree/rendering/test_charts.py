"""Charts of kustomizations, rendered by dradsl: the build equals `kustomize build --enable-helm`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from dradsl.tree.rendering.programs import programs_of
from dradsl.tree.rendering.renderer import Renderer
from tests.tree.compare_charts import compare, put_chart

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = shutil.which("helm") and shutil.which("kustomize")
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: svc}\n"
KUSTOMIZATIONS = {
    "a name": "helmCharts: [{name: c}]",
    "a release": "helmCharts: [{name: c, releaseName: r, namespace: ns}]",
    "all switches": "helmCharts: [{name: c, includeCRDs: true, skipTests: true, skipHooks: true}]",
    "no tests": "helmCharts: [{name: c, skipTests: true, debug: true, devel: true}]",
    "versions": "helmCharts: [{name: c, kubeVersion: 1.33.0, apiVersions: [x.example.org/v1, y/v1]}]",
    "values": "helmCharts: [{name: c, valuesFile: own.yaml, additionalValuesFiles: [more.yaml]}]",
    "values inline": "helmCharts:\n- name: c\n  valuesInline: {a: 2, list: [z], nested: {gone: null, n: 1.0}, f: 1e21}",
    "values over a file": "helmCharts: [{name: c, valuesFile: own.yaml, valuesInline: {list: [], own: {q: r}}}]",
    "values of objects": (
        "helmCharts:\n- name: c\n  valuesFile: objects.yaml\n  valuesInline:\n    apiVersion: v1\n    kind: Pod\n"
        "    spec: {containers: [{name: a, image: y}, {name: b}]}"
    ),
    "two charts": "helmCharts: [{name: c, releaseName: one}, {name: d, releaseName: two}]",
    "one chart twice": "helmCharts: [{name: c, releaseName: one}, {name: c, releaseName: two}]",
    "a version and a place": "helmCharts: [{name: v, version: 1.2.3, repo: 'https://127.0.0.1:9'}]",
    "another home": "helmGlobals: {chartHome: sub/charts}\nhelmCharts: [{name: e}]",
    "resources and order": (
        "resources: [svc.yaml]\nconfigMapGenerator: [{name: m, literals: [a=b], files: [more.yaml, k=own.yaml]}]\n"
        "helmCharts: [{name: c, releaseName: r}]\nsortOptions: {order: fifo}"
    ),
    "what changes names": (
        "namePrefix: p-\nnamespace: other\ncommonLabels: {l: m}\nimages: [{name: x, newTag: '7'}]\n"
        "helmCharts: [{name: c, releaseName: r, namespace: ns}]\n"
        "patches:\n- target: {kind: Deployment}\n  patch: |-\n    - {op: add, path: /spec/replicas, value: 3}"
    ),
    "transformers": "helmCharts: [{name: c}]\ntransformers: [prefix.yaml]",
    "components": "resources: [svc.yaml]\ncomponents: [component]\nhelmCharts: [{name: c}]\nsortOptions: {order: fifo}",
    "replacements": (
        "helmCharts: [{name: c, releaseName: r}]\nreplacements:\n- source: {kind: Deployment, fieldPath: metadata.name}\n"
        "  targets: [{select: {kind: ConfigMap, name: r-c}, fieldPaths: [data.version]}]"
    ),
    "a base with charts": "resources: [base, svc.yaml]\nnameSuffix: -s",
    "managed by": "helmCharts: [{name: c}]\nbuildMetadata: [managedByLabel]",
    "letters of elsewhere": "helmCharts:\n- name: c\n  valuesInline: {a: 'ä 😀 \u2028 \x85 : #', b: \"\\t'\\\\\"}",
}
FILES = {
    "own.yaml": "own: {x: y}\nlist: [q]\n",
    "more.yaml": "a: 9\n",
    "objects.yaml": "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: x}]}\n",
    "svc.yaml": SERVICE,
    "prefix.yaml": "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: t-\nfieldSpecs: [{path: metadata/name}]\n",
    "component/kustomization.yaml": (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [m.yaml]\n"
        "helmCharts: [{name: f, releaseName: in-component}]\n"
    ),
    "component/m.yaml": MAP,
    "base/kustomization.yaml": "helmCharts: [{name: b}]\n",
}


@pytest.mark.skipif(not PROGRAMS, reason="helm or kustomize is not installed")
@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_the_build_is_that_of_kustomize_with_helm(name: str, tmp_path: Path) -> None:
    top = tmp_path / "tree"
    for path, text in {**FILES, "kustomization.yaml": KUSTOMIZATIONS[name] + "\n"}.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, "utf-8")
    for home, chart in (
        ("charts", "c"),
        ("charts", "d"),
        ("charts/v-1.2.3", "v"),
        ("sub/charts", "e"),
        ("component/charts", "f"),
        ("base/charts", "b"),
    ):
        put_chart(top / home / chart, chart, "1.2.3")
    before = sorted(top.rglob("*"))
    how, said = compare(top, top, Renderer(programs_of(["helm", "kustomize"])))
    assert how == "same", said
    assert sorted(top.rglob("*")) == before
