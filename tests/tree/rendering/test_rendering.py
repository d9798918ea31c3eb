"""Rendering by the programs that a caller names: how they are called, and what hostile trees come to."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import sys
import tarfile
import time
from pathlib import Path

import pytest

from dradsl.programs import ProgramError, ask
from dradsl.tree.rendering.programs import (
    NAMES,
    BuildWithError,
    Programs,
    RenderedText,
    programs_of,
)
from dradsl.tree.rendering.renderer import Renderer

# Tells how it was called, and prints an object.
STAND_IN = """\
#!{python}
import json, os, sys
def below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)
values = [json.load(open(word)) for before, word in zip(sys.argv, sys.argv[1:]) if before == "--values"]
with open({told!r}, "a") as file:
    file.write(json.dumps({{
        "words": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(), "values": values,
        "files": below(sys.argv[-1]), "input": sys.stdin.read(),
    }}) + "\\n")
print("apiVersion: v1\\nkind: ConfigMap\\nmetadata: {{name: made}}")
"""
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "chart/values.yaml": "a: 1\n",
    "chart/templates/map.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {a: {{ .Values.a | quote }}}\n"
    ),
}


def tree(folder: Path, files: dict[str, str]) -> Path:
    top = folder / "tree"
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


def program(folder: Path, text: str = STAND_IN) -> tuple[str, Path]:
    told = folder / "told"
    path = folder / "program"
    path.write_text(text.format(python=sys.executable, told=str(told)))
    path.chmod(0o755)
    return str(path), told


def calls(told: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []


def objects(made: RenderedText) -> list[dict[str, object]]:
    return [each.data for each in made.stream().documents if isinstance(each.data, dict)]


def helm(folder: Path) -> tuple[Renderer, Path]:
    path, told = program(folder)
    return Renderer(Programs(helm=path), kube_version="1.36"), told


def kustomize(folder: Path) -> tuple[Renderer, Path]:
    path, told = program(folder)
    return Renderer(Programs(kustomize=path)), told


def test_helm_is_called_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's surroundings, no plugins, hooks and network, and nothing is left behind."""
    monkeypatch.setenv("HELM_PLUGINS", "/somewhere")
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "scratch").mkdir()
    top = tree(tmp_path, CHART)
    renderer, told = helm(tmp_path)
    made = renderer.chart(
        str(top / "chart"),
        top=str(top),
        values=[{"a": 2}, {"b": [None]}],
        release="r",
        namespace="n",
    )
    assert made.unknown is None
    assert objects(made)[0]["metadata"] == {"name": "made"}
    (call,) = calls(told)
    words = call["words"]
    assert isinstance(words, list)
    assert words[:4] == ["template", "--no-hooks", "--skip-tests", "--namespace=n"]
    assert words[-3:-1] == ["--", "r"]
    assert "--kube-version=1.36" in words
    assert call["values"] == [{"a": 2}, {"b": [None]}]
    assert call["files"] == ["Chart.yaml", "templates/map.yaml", "values.yaml"]
    assert call["input"] == ""
    environment = call["environment"]
    assert isinstance(environment, dict)
    assert "SECRET" not in environment
    assert environment["HELM_NO_PLUGINS"] == "1"
    scratch = str(tmp_path / "scratch")
    folders = [name for name in environment if name.endswith(("HOME", "PATH", "M_PLUGINS"))]
    assert len(folders) >= 8
    assert {
        name: environment[name] for name in folders if not environment[name].startswith(scratch)
    } == {}
    assert environment["HTTPS_PROXY"] == environment["http_proxy"] == "http://127.0.0.1:9"
    assert [*Path(scratch).iterdir()] == []


def test_what_is_rendered_is_rendered_once(tmp_path: Path) -> None:
    top = tree(tmp_path, CHART)
    renderer, told = helm(tmp_path)
    for _ in range(3):
        renderer.chart(str(top / "chart"), top=str(top), values=[{"a": 2}])
    renderer.chart(str(top / "chart"), top=str(top), values=[{"a": 3}])
    assert len(calls(told)) == 2


HOSTILE_CHARTS = {
    "a dependency that is not there": {
        **CHART,
        "chart/Chart.yaml": CHART["chart/Chart.yaml"]
        + "dependencies: [{name: d, version: '1', repository: 'https://example.com'}]\n",
    },
    "a dependency outside": {
        **CHART,
        "chart/Chart.yaml": CHART["chart/Chart.yaml"]
        + "dependencies: [{name: d, version: '1', repository: 'file://../../outside'}]\n",
    },
    "a ring of dependencies": {
        **CHART,
        "chart/Chart.yaml": CHART["chart/Chart.yaml"]
        + "dependencies: [{name: d, version: '1', repository: 'file://../d'}]\n",
        "d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n"
        "dependencies: [{name: c, version: '1', repository: 'file://../chart'}]\n",
    },
    "no chart": {"chart/values.yaml": "a: 1\n"},
}


@pytest.mark.parametrize("name", HOSTILE_CHARTS)
def test_charts_that_are_not_rendered(name: str, tmp_path: Path) -> None:
    """They are unknown, not empty, and helm is not called."""
    top = tree(tmp_path, HOSTILE_CHARTS[name])
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "Chart.yaml").write_text(CHART["chart/Chart.yaml"])
    renderer, told = helm(tmp_path)
    made = renderer.chart(str(top / "chart"), top=str(top))
    assert made.unknown
    assert made.text == b""
    assert calls(told) == []


@pytest.mark.parametrize("link", ["chart/templates/secret.yaml", "chart/files", "chart"])
def test_links_out_of_the_tree_are_not_followed(link: str, tmp_path: Path) -> None:
    top = tree(tmp_path, CHART)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Chart.yaml").write_text(CHART["chart/Chart.yaml"])
    if link == "chart":
        shutil.rmtree(top / link)
    target = outside / "Chart.yaml" if link.endswith("yaml") else outside
    (top / link).symlink_to(target)
    renderer, told = helm(tmp_path)
    assert "leads out of the tree" in str(renderer.chart(str(top / "chart"), top=str(top)).unknown)
    assert calls(told) == []


def test_charts_of_the_tree_are_put_where_helm_looks(tmp_path: Path) -> None:
    files = {
        **CHART,
        "chart/Chart.yaml": CHART["chart/Chart.yaml"]
        + "dependencies: [{name: d, version: '1', repository: 'file://../d'}]\n",
        "d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n",
    }
    top = tree(tmp_path, files)
    renderer, told = helm(tmp_path)
    assert renderer.chart(str(top / "chart"), top=str(top)).unknown is None
    (call,) = calls(told)
    assert "charts/d/Chart.yaml" in str(call["files"])
    assert not (top / "chart" / "charts").exists()


def test_a_fault_of_the_program_is_unknown(tmp_path: Path) -> None:
    path, _ = program(tmp_path, "#!/bin/sh\necho something >&2\necho 'kind: Half'\nexit 3\n")
    top = tree(tmp_path, CHART)
    made = Renderer(Programs(helm=path)).chart(str(top / "chart"), top=str(top))
    assert made.unknown is not None
    assert "something" in made.unknown
    assert made.text == b""


# What a schema says, and whether helm gets it.
SCHEMAS = {
    '{"$ref": "#/definitions/a", "definitions": {"a": {}}}': True,
    '{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://127.0.0.1:9/x"}': True,
    '{"properties": {"$ref": {"type": "string"}}}': True,
    '\ufeff{"type": "object"}': True,
    '{"$ref": "http://127.0.0.1:9/schema.json"}': False,
    '{"$ref": "file:///etc/passwd"}': False,
    '{"$ref": "other.json#/a"}': False,
    '{"properties": {"a": {"items": [{"$dynamicRef": "https://127.0.0.1:9/#a"}]}}}': False,
    '{"$schema": "http://127.0.0.1:9/meta.json"}': False,
    '{"$ref": "//127.0.0.1:9/x", "$ref": "#/a"}': False,
    '{"\\u0024ref": "HTTP://127.0.0.1:9/x"}': False,
    '{"$ref": ': False,
    "[" * 100_000: False,
}


def packed(files: dict[str, str], packed_below: bytes | None = None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        entries = {name: text.encode() for name, text in files.items()}
        if packed_below is not None:
            entries["d/charts/e-1.0.0.tgz"] = packed_below
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


@pytest.mark.parametrize("where", ["chart", "folder", "archive", "archive in an archive"])
@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_schemas_that_lead_elsewhere(number: int, where: str, tmp_path: Path) -> None:
    """helm would load what they refer to, from other machines too."""
    text, is_plain = list(SCHEMAS.items())[number]
    below = "charts/d/" if where == "folder" else ""
    files = {**CHART, "chart/charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n"}
    if where in ("chart", "folder"):
        files[f"chart/{below}values.schema.json"] = text
    top = tree(tmp_path, files)
    if where.startswith("archive"):
        inner = packed({"e/Chart.yaml": "name: e\n", "e/values.schema.json": text})
        outer = {"d/Chart.yaml": "name: d\n"}
        if where == "archive":
            outer["d/values.schema.json"] = text
        data = packed(outer, inner if where != "archive" else None)
        (top / "chart" / "charts" / "d-1.0.0.tgz").write_bytes(data)
    renderer, told = helm(tmp_path)
    made = renderer.chart(str(top / "chart"), top=str(top))
    assert (made.unknown is None) == is_plain, made.unknown
    assert len(calls(told)) == is_plain
    if not is_plain:
        assert "values.schema.json" in str(made.unknown)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no archive", "is not an archive"),
        (packed({"d/Chart.yaml": "name: d\n"})[:-20], "cut short"),
        (gzip.compress(bytes(65 << 20)), "unpacks to too much"),
    ],
    ids=["text", "short", "bomb"],
)
def test_archives_that_are_none(data: bytes, reason: str, tmp_path: Path) -> None:
    top = tree(tmp_path, CHART)
    (top / "chart" / "d.tgz").write_bytes(data)
    renderer, told = helm(tmp_path)
    assert renderer.chart(str(top / "chart"), top=str(top)).unknown is None  # no chart
    told.unlink()
    (top / "chart" / "charts").mkdir()
    (top / "chart" / "charts" / "d.tgz").write_bytes(data)
    renderer, told = helm(tmp_path)
    assert reason in str(renderer.chart(str(top / "chart"), top=str(top)).unknown)
    assert calls(told) == []


@pytest.mark.parametrize(
    "name",
    [
        "d\\values.schema.json",
        "d/values.schema.json/.",
        "d/a/../values.schema.json",
        "./d//VALUES.schema.json",
    ],
)
def test_names_in_archives(name: str, tmp_path: Path) -> None:
    """helm takes them for the schema as well."""
    top = tree(tmp_path, CHART)
    (top / "chart" / "charts").mkdir()
    data = packed({"d/Chart.yaml": "name: d\n", name: '{"$ref": "http://127.0.0.1:9/x"}'})
    (top / "chart" / "charts" / "d.tgz").write_bytes(data)
    renderer, told = helm(tmp_path)
    assert "values.schema.json" in str(renderer.chart(str(top / "chart"), top=str(top)).unknown)
    assert calls(told) == []


@pytest.mark.parametrize("link", ["charts", "charts/d.tgz", "values.schema.json"])
def test_links_do_not_hide_schemas(link: str, tmp_path: Path) -> None:
    """What counts is where helm finds a file."""
    schema = '{"$ref": "http://127.0.0.1:9/x"}'
    top = tree(tmp_path, {**CHART, "other/schema": schema, "other/keep": ""})
    data = packed({"d/Chart.yaml": "name: d\n", "d/values.schema.json": schema})
    (top / "other" / "d.tgz").write_bytes(data)
    path = top / "chart" / link
    path.parent.mkdir(exist_ok=True)
    target = {"charts": "other", "charts/d.tgz": "other/d.tgz"}.get(link, "other/schema")
    path.symlink_to(top / target)
    renderer, told = helm(tmp_path)
    assert "values.schema.json" in str(renderer.chart(str(top / "chart"), top=str(top)).unknown)
    assert calls(told) == []


def test_archives_with_links(tmp_path: Path) -> None:
    top = tree(tmp_path, CHART)
    (top / "chart" / "charts").mkdir()
    with tarfile.open(top / "chart" / "charts" / "d.tgz", "w:gz") as archive:
        entry = tarfile.TarInfo("d/values.yaml")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    renderer, _ = helm(tmp_path)
    assert "holds a link" in str(renderer.chart(str(top / "chart"), top=str(top)).unknown)


# Overlays

BASE = "resources: [map.yaml]\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
HOSTILE_OVERLAYS = {
    "a remote base": "resources: ['https://127.0.0.1:9/x.yaml']\n",
    "git": "resources: ['github.com/a/b?ref=main']\n",
    "a component of git": "components: ['git@127.0.0.1:a/b']\n",
    "outside": "resources: [../../outside]\n",
    "a function": "transformers: [function.yaml]\n",
    "a function within": "generators:\n- |\n  kind: F\n  metadata: {annotations: {config.kubernetes.io/function: x}}\n",
    "a chart that is not there": "helmCharts: [{name: c, repo: 'https://example.com', version: '1'}]\n",
    "words for helm": "helmCharts: [{name: c, releaseName: --post-renderer=./x}]\n",
    "plugins of a chart": "helmGlobals: {configHome: .}\nhelmCharts: [{name: c}]\n",
    "a patch of elsewhere": "patches: [{path: 'https://127.0.0.1:9/p.yaml'}]\n",
    "files of elsewhere": "configMapGenerator: [{name: a, files: ['k=http://127.0.0.1:9/f']}]\n",
    "a schema of elsewhere": "openapi: {path: http://127.0.0.1:9/o.json}\n",
    "broken": "resources: [\n",
    "another case": "Resources: [map.yaml]\n",
    "another case of charts": "helmCharts: [{name: c}]\nhelmcharts: [{name: c}]\n",
    "another case within": "helmCharts: [{name: c, ReleaseName: --post-renderer=./x}]\n",
    "equal keys": "resources: [map.yaml]\nresources: [../../outside]\n",
    "an unknown field": "resources: [map.yaml]\nplugins: [x]\n",
    "two documents": "resources: [map.yaml]\n---\nresources: [../../outside]\n",
    "two kustomizations": "resources: [two]\n",
    "a large kustomization": "resources: [large]\n",
    "a kustomization that is a link": "resources: [linked]\n",
    "a link out of the tree": "resources: [link.yaml]\n",
    "an absolute path": "resources: [/etc/passwd]\n",
    "a file above": "resources: [../over/x.yaml]\n",
    "a repository of git": "resources: [../.git/x.yaml]\n",
    "a kustomization as a file": (
        "resources: [below]\nconfigMapGenerator: [{name: a, files: [below/kustomization.yaml]}]\n"
    ),
    "an executable": "generators:\n- |\n  apiVersion: x/v1\n  kind: F\n  metadata: {name: f}\n",
    "a folder of generators": "generators: [gen]\n",
    "a folder of transformers": "transformers: [gen]\n",
    "a folder of validators": "validators: [gen]\n",
    "a folder that changes generators": "generators: [changing]\n",
    "a ring of folders": "generators: [ring]\n",
    "a chart of a generator": (
        "generators:\n- |\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n"
        "  metadata: {name: h}\n  name: d\n  repo: http://127.0.0.1:9\n"
    ),
    "another case in a generator": (
        "generators:\n- |\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n"
        "  metadata: {name: h}\n  name: c\n  ReleaseName: x\n"
    ),
    "a path in a transformer": (
        "transformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n"
        "  metadata: {name: h}\n  path: http://127.0.0.1:9/p\n"
    ),
    "a strategic patch of elsewhere": "patchesStrategicMerge: ['http://127.0.0.1:9/p.yaml']\n",
    "replacements of elsewhere": "replacements: [{path: 'http://127.0.0.1:9/r.yaml'}]\n",
    "variables of elsewhere": "secretGenerator: [{name: a, envs: ['https://127.0.0.1:9/e']}]\n",
    "the older charts": "helmChartInflationGenerator: [{chartName: c, helmBin: ./x}]\n",
    "a chart outside": "helmGlobals: {chartHome: ../../outside}\nhelmCharts: [{name: c}]\n",
    "a chart by steps": "helmCharts: [{name: ../charts/c}]\n",
    "values outside": "helmCharts: [{name: c, valuesFile: ../over/x.yaml}]\n",
    "values by an address": "helmCharts: [{name: c, additionalValuesFiles: ['http://127.0.0.1:9/v']}]\n",
    "a name that asks": "helmCharts: [{name: c, nameTemplate: '{{ getHostByName \"x\" }}'}]\n",
    "a name that hides": "helmCharts: [{name: c, nameTemplate: '{{ \"}}\" | getHostByName }}'}]\n",
    "a dependency that is not there": "helmGlobals: {chartHome: more}\nhelmCharts: [{name: d}]\n",
    "a template of a name": "helmCharts: [{name: c, nameTemplate: x}]\n",
    "a way to merge values": "helmCharts: [{name: c, valuesMerge: merge, valuesInline: {a: 2}}]\n",
    "charts in the older form": "helmChartInflationGenerator: [{chartName: c, releaseName: r}]\n",
    "a generator that is built in": (
        "generators:\n- |\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: m}\n  literals: [a=b]\n"
    ),
    "a validator that is built in": (
        "validators:\n- |\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: m}\n  prefix: a\n"
    ),
}
BESIDE = {
    "base/function.yaml": "kind: F\nmetadata: {annotations: {config.kubernetes.io/function: x}}\n",
    "base/charts/c/Chart.yaml": CHART["chart/Chart.yaml"],
    "base/charts/c/values.yaml": "{}\n",
    "base/more/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n"
    "dependencies: [{name: c, version: '1', repository: 'file://../../charts/c'}]\n",
    "base/more/d/values.yaml": "{}\n",
    "base/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    "base/below/kustomization.yaml": "namePrefix: x-\n",
    "base/two/kustomization.yaml": "namePrefix: x-\n",
    "base/two/kustomization.yml": "namePrefix: x-\n",
    "base/large/kustomization.yaml": "namePrefix: x-\n#" + "x" * (17 << 20),
    "base/gen/kustomization.yaml": "resources: [h.yaml]\n",
    "base/gen/h.yaml": (
        "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: h}\nname: missing\n"
        "releaseName: --post-renderer=./x\n"
    ),
    "base/changing/kustomization.yaml": "resources: [p.yaml]\npatches: [{path: p.yaml}]\n",
    "base/changing/p.yaml": "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: h}\n",
    "base/ring/kustomization.yaml": "resources: [../ring]\n",
    "over/kustomization.yaml": "resources: [../base]\n",
    "over/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    ".git/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
}


@pytest.mark.parametrize("name", HOSTILE_OVERLAYS)
def test_overlays_that_are_not_built(name: str, tmp_path: Path) -> None:
    """Neither below another overlay."""
    text = HOSTILE_OVERLAYS[name]
    files = {each: data for each, data in BESIDE.items() if "large" in text or "large" not in each}
    top = tree(tmp_path, {**files, "base/kustomization.yaml": text})
    (top / "base" / "link.yaml").symlink_to("../../outside/kustomization.yaml")
    (top / "base" / "linked").mkdir()
    (top / "base" / "linked" / "kustomization.yaml").symlink_to("../kustomization.yaml")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kustomization.yaml").write_text("resources: []\n")
    path, told = program(tmp_path)
    renderer = Renderer(Programs(helm=path, kustomize=path))
    for folder in ("base", "over"):
        made = renderer.overlay(str(top / folder), top=str(top))
        assert made.unknown
        assert made.text == b""
    assert calls(told) == []


@pytest.mark.skipif(
    not (shutil.which("helm") and shutil.which("kustomize")),
    reason="helm or kustomize is not installed",
)
@pytest.mark.parametrize("name", HOSTILE_OVERLAYS)
def test_the_real_programs_start_nothing(name: str, tmp_path: Path) -> None:
    """The program of the tree leaves a trace; whether something is built does not matter."""
    trap = tmp_path / "tree" / "x"
    files = {
        path: text.replace("./x", str(trap))
        for path, text in {**BESIDE, "base/kustomization.yaml": HOSTILE_OVERLAYS[name]}.items()
        if "large" not in path
    }
    top = tree(tmp_path, files)
    trap.write_text(f"#!/bin/sh\n: > {tmp_path / 'trace'}\ncat\n")
    trap.chmod(0o755)
    before = sorted(top.rglob("*"))
    Renderer(programs_of(NAMES)).overlay(str(top / "over"), top=str(top))
    assert not (tmp_path / "trace").exists()
    assert sorted(top.rglob("*")) == before


# What is right, and looks like one of these.
PLAIN_OVERLAYS = {
    "a link within": "resources: [inner.yaml]\n",
    "a folder of charts": "resources: [github.com]\n",
    "steps up and down": "resources: [below/../map.yaml, ../over/../base/below]\n",
    "texts that look like addresses": "configMapGenerator: [{name: b, literals: ['a=http://x', b=--c]}]\n",
    "a byte order mark": "\ufeffresources: [map.yaml]\n",
    "a patch within": "resources: [map.yaml]\npatches:\n- patch: |-\n    kind: ConfigMap\n    apiVersion: v1\n"
    "    metadata: {name: a, annotations: {x: 'http://y'}}\n",
}


@pytest.mark.parametrize("name", PLAIN_OVERLAYS)
def test_overlays_that_are_built(name: str, tmp_path: Path) -> None:
    files = {each: data for each, data in BESIDE.items() if "large" not in each}
    more = {
        "base/github.com/kustomization.yaml": "namePrefix: x-\n",
        "base/kustomization.yaml": PLAIN_OVERLAYS[name],
    }
    top = tree(tmp_path, {**files, **more})
    (top / "base" / "inner.yaml").symlink_to("map.yaml")
    renderer, told = kustomize(tmp_path)
    assert renderer.overlay(str(top / "base"), top=str(top)).unknown is None
    assert len(calls(told)) == 1


def test_a_reason_has_a_place(tmp_path: Path) -> None:
    top = tree(tmp_path, {"base/kustomization.yaml": "namePrefix: x\nimages:\n- Name: a\n"})
    renderer, _ = kustomize(tmp_path)
    made = renderer.overlay(str(top / "base"), top=str(top))
    assert made.unknown == "base/kustomization.yaml:3: unknown field 'Name'"


def test_texts_go_before_files(tmp_path: Path) -> None:
    """What a migration would write is built, charts too, and nothing is written into the tree."""
    files = {**BESIDE, "base/kustomization.yaml": "helmCharts: [{name: c}]\n"}
    top = tree(tmp_path, {name: text for name, text in files.items() if "large" not in name})
    path, told = program(tmp_path)
    renderer = Renderer(Programs(helm=path, kustomize=path))
    texts = {
        str(
            top / "base" / "kustomization.yaml"
        ): b"helmCharts: [{name: c}]\nresources: [new.yaml]\n",
        str(top / "base" / "new.yaml"): MAP.encode(),
        str(top / "base" / "charts" / "c" / "values.yaml"): b'{"a": 7}',
    }
    for given in ({}, texts):
        assert renderer.overlay(str(top / "base"), top=str(top), texts=given).unknown is None
    rendered = [call for call in calls(told) if call["values"]]
    assert [call["values"] for call in rendered] == [[{}], [{"a": 7}]]
    assert "new.yaml" in str(calls(told)[-1]["files"])
    assert not (top / "base" / "new.yaml").exists()


def test_kustomize_is_called_alone(tmp_path: Path) -> None:
    top = tree(
        tmp_path,
        {
            "base/kustomization.yaml": BASE
            + "configMapGenerator: [{name: b, literals: ['A=http://x']}]\n",
            "base/map.yaml": MAP,
        },
    )
    renderer, told = kustomize(tmp_path)
    assert renderer.overlay(str(top / "base"), top=str(top)).unknown is None
    (call,) = calls(told)
    words = call["words"]
    assert isinstance(words, list)
    assert words[:2] == ["build", "--"]
    assert not words[2].startswith(str(top))
    assert call["files"] == ["kustomization.yaml", "map.yaml"]
    assert not str(call["folder"]).startswith(str(top))


def test_charts_of_kustomizations_need_helm(tmp_path: Path) -> None:
    """Kustomize is told of no helm: it gets what helm made, in a component."""
    top = tree(
        tmp_path,
        {
            "base/kustomization.yaml": "helmCharts: [{name: c, releaseName: r}]\n",
            "base/charts/c/Chart.yaml": CHART["chart/Chart.yaml"],
            "base/charts/c/values.yaml": "{}\n",
        },
    )
    renderer, told = kustomize(tmp_path)
    assert "helm" in str(renderer.overlay(str(top / "base"), top=str(top)).unknown)
    assert calls(told) == []
    path, _ = program(tmp_path)
    both = Renderer(Programs(helm=path, kustomize=path))
    assert both.overlay(str(top / "base"), top=str(top)).unknown is None
    rendered, built = calls(told)
    words = rendered["words"]
    assert isinstance(words, list)
    assert words[-3:-1] == ["--", "r"]
    assert "--enable-helm" not in str(built["words"])
    assert built["files"] == ["kustomization.yaml"]


# Names, time and room


def test_names_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = program(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{tmp_path / 'bin'}")
    assert programs_of(["helm=program"]) == Programs(helm=path)
    for wrong in (["kpt"], ["helm="], ["helm=missing"], ["helm"], [f"helm={path}"] * 2, [""]):
        with pytest.raises(BuildWithError):
            programs_of(wrong)
    (tmp_path / "bin").mkdir()
    shutil.copy(path, tmp_path / "bin" / "kustomize")
    assert programs_of(["kustomize"]).kustomize == str(tmp_path / "bin" / "kustomize")


def test_a_program_is_stopped_with_all_that_it_starts(tmp_path: Path) -> None:
    path, _ = program(tmp_path, "#!/bin/sh\nsleep 600 &\necho $! > {told}\nsleep 600\n")
    with pytest.raises(ProgramError, match=r"longer than 0\.5 s"):
        ask([path], 100, seconds=0.5)
    child = int((tmp_path / "told").read_text())
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.05)
    assert not _runs(child)


def _runs(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def test_a_program_that_prints_without_end_is_stopped(tmp_path: Path) -> None:
    path, _ = program(tmp_path, "#!/bin/sh\nwhile :; do echo aaaaaaaaaaaaaaaa; done\n")
    with pytest.raises(ProgramError, match="the limit is 1000"):
        ask([path], 1000, seconds=60)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_program_gets_so_much_memory(tmp_path: Path) -> None:
    path, _ = program(tmp_path, "#!{python}\nimport time\ntime.sleep(0.2)\nb'x' * (1 << 30)\n")
    assert ask([path], 1000, seconds=60, memory=1 << 29).code != 0
    assert ask([path], 1000, seconds=60).code == 0


# The real programs, where they are installed

REAL_HELM, REAL_KUSTOMIZE = shutil.which("helm"), shutil.which("kustomize")


@pytest.mark.skipif(REAL_HELM is None, reason="no helm is installed")
def test_real_helm(tmp_path: Path) -> None:
    files = {
        **CHART,
        "chart/templates/hook.yaml": MAP.replace(
            "{name: a}", "{name: hook, annotations: {helm.sh/hook: pre-install}}"
        ),
    }
    top = tree(tmp_path, files)
    renderer = Renderer(Programs(helm=REAL_HELM), kube_version="1.36")
    made = renderer.chart(str(top / "chart"), top=str(top), values=[{"a": 5}], release="r")
    assert made.unknown is None
    (only,) = objects(made)
    assert only["metadata"] == {"name": "r"}
    assert only["data"] == {"a": "5"}


@pytest.mark.skipif(REAL_KUSTOMIZE is None, reason="no kustomize is installed")
def test_real_kustomize(tmp_path: Path) -> None:
    top = tree(
        tmp_path,
        {
            "base/kustomization.yaml": BASE,
            "base/map.yaml": MAP,
            "over/kustomization.yaml": "resources: [../base]\nnamePrefix: x-\n",
        },
    )
    made = Renderer(Programs(kustomize=REAL_KUSTOMIZE)).overlay(str(top / "over"), top=str(top))
    assert made.unknown is None
    assert objects(made)[0]["metadata"] == {"name": "x-a"}
