"""Flux and Argo CD: what they build of a tree, and the values that they give to charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.tree.argo_cd.applications import applications_of
from dradsl.tree.builder import TreeBuilder
from dradsl.tree.flux.kustomizations import VariableSources
from dradsl.tree.kustomize.parts.files import Files, TextFile
from dradsl.tree.nodes import SourceDocument, SourcePlace, ValueNode, of
from dradsl.tree.releases import ValuesError, set_value

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = """apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: "${CLASS}", count: "${COUNT:=2}", allocationMode: ExactCount}
"""


def node_of(text: str) -> ValueNode:
    document = TextFile("object.yaml", text.encode()).stream.documents[0]
    return of(document.data, SourcePlace(SourceDocument("object.yaml", document)))


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def flux(tmp_path: Path, spec: str, *objects: dict[str, Any]) -> Any:
    node = node_of(f"kind: Kustomization\nmetadata: {{name: apps}}\nspec:\n{spec}")
    sources = VariableSources.of_objects(objects)
    return TreeBuilder(Files([str(tmp_path)])).flux(node, [str(tmp_path)], sources)


def request(overlay: Any) -> Any:
    return overlay.objects[0].data["spec"]["devices"]["requests"][0]["exactly"]


def test_variables_are_put_in_and_read_as_yaml(tmp_path: Path) -> None:
    write(tmp_path, apps__claim_yaml=CLAIM)
    spec = "  path: ./apps\n  targetNamespace: team\n  postBuild: {substitute: {CLASS: gpu.example.com}}\n"
    built = flux(tmp_path, spec)
    assert built.rejected is None
    assert built.objects[0].data["metadata"]["namespace"] == "team"
    assert request(built) == {
        "deviceClassName": "gpu.example.com",
        "count": 2,
        "allocationMode": "ExactCount",
    }


def test_own_values_go_before_those_of_config_maps(tmp_path: Path) -> None:
    write(tmp_path, apps__claim_yaml=CLAIM)
    spec = (
        "  path: apps\n  postBuild:\n    substituteFrom: [{kind: ConfigMap, name: vars}]\n"
        "    substitute: {CLASS: own.example.com}\n"
    )
    values = {
        "kind": "ConfigMap",
        "metadata": {"name": "vars"},
        "data": {"CLASS": "other", "COUNT": "3"},
    }
    assert request(flux(tmp_path, spec, values))["count"] == 3
    assert request(flux(tmp_path, spec, values))["deviceClassName"] == "own.example.com"


def test_a_source_that_is_not_seen_leaves_variables_open(tmp_path: Path) -> None:
    write(tmp_path, apps__claim_yaml=CLAIM)
    spec = "  path: apps\n  postBuild: {substituteFrom: [{kind: Secret, name: hidden}]}\n"
    built = flux(tmp_path, spec)
    assert built.objects[0].incomplete
    assert [each.construct for each in built.unknowns] == ["substituteFrom"]
    assert request(built)["deviceClassName"] == "${CLASS}"


def test_nothing_is_put_in_where_it_is_disabled_or_nobody_asks(tmp_path: Path) -> None:
    label = "metadata: {name: gpu, labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}"
    write(tmp_path, apps__claim_yaml=CLAIM.replace("metadata: {name: gpu}", label))
    spec = "  path: apps\n  postBuild: {substitute: {CLASS: x}}\n"
    assert request(flux(tmp_path, spec))["deviceClassName"] == "${CLASS}"
    write(tmp_path, apps__claim_yaml=CLAIM)
    assert request(flux(tmp_path, "  path: apps\n"))["deviceClassName"] == "${CLASS}"


def test_patches_of_flux_come_after_those_of_the_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        apps__claim_yaml=CLAIM,
        apps__kustomization_yaml="resources: [claim.yaml]\nnamePrefix: a-\n",
    )
    spec = (
        "  path: apps\n  patches:\n  - target: {kind: ResourceClaim}\n    patch: |\n"
        "      - {op: replace, path: /spec/devices/requests/0/exactly/deviceClassName, value: patched}\n"
    )
    built = flux(tmp_path, spec)
    assert request(built)["deviceClassName"] == "patched"
    assert built.objects[0].data["metadata"]["name"] == "a-gpu"


def test_a_folder_of_elsewhere_is_unknown(tmp_path: Path) -> None:
    built = flux(tmp_path, "  path: ./none\n")
    assert built.objects == ()
    assert [each.construct for each in built.unknowns] == ["path"]


@pytest.mark.parametrize(("path", "text"), [("", "1"), ("a[", "1"), ("a", "1,b=2"), ("a.b", "1")])
def test_paths_that_mean_something_else_are_rejected(path: str, text: str) -> None:
    with pytest.raises(ValuesError):
        set_value({"a": 1}, path, text)


SET = """kind: ApplicationSet
metadata: {name: all}
spec:
  generators:
  - list: {elements: [{team: a}, {team: b}]}
  - git: {repoURL: x, directories: [{path: apps/*}, {path: apps/old, exclude: true}]}
  - clusters: {}
  template:
    metadata: {name: 'x-{{team}}{{path.basename}}'}
    spec:
      source: {repoURL: x, path: '{{path}}'}
"""


def test_sets_of_applications_list_folders_and_elements(tmp_path: Path) -> None:
    write(tmp_path, apps__new__claim_yaml=CLAIM, apps__old__claim_yaml=CLAIM)
    files = Files([str(tmp_path)])
    made, unknowns = applications_of(node_of(SET), files, str(tmp_path))
    assert [each.name for each in made] == [
        "x-a{{path.basename}}",
        "x-b{{path.basename}}",
        "x-{{team}}new",
    ]
    assert [each.construct for each in unknowns] == ["ApplicationSet"]
    source = made[2].spec.get("source")
    assert source is not None
    overlay = TreeBuilder(files).argo_cd(source, str(tmp_path))
    assert overlay is not None
    assert [each.original_name for each in overlay.objects] == ["gpu"]


DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: server}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - {name: a, image: "one:1"}
      - {name: b, image: "two:1"}
      - {name: c, image: "three:1"}
"""


def test_settings_of_an_application_change_the_kustomization(tmp_path: Path) -> None:
    write(
        tmp_path,
        app__server_yaml=DEPLOYMENT,
        app__kustomization_yaml="resources: [server.yaml]\ncommonLabels: {a: b}\n",
    )
    source = node_of(
        "path: app\nkustomize:\n  namePrefix: dev-\n  namespace: team\n  commonLabels: {c: d}\n"
        "  commonAnnotations: {e: $f}\n"
    )
    overlay = TreeBuilder(Files([str(tmp_path)])).argo_cd(source, str(tmp_path))
    assert overlay is not None
    assert (overlay.rejected, overlay.unknowns) == (None, ())
    data: Any = overlay.objects[0].data
    assert data["metadata"]["name"] == "dev-server"
    assert data["metadata"]["namespace"] == "team"
    assert data["metadata"]["labels"] == {"a": "b", "c": "d"}
    assert data["metadata"]["annotations"] == {"e": "$f"}


@pytest.mark.parametrize(
    "more",
    [
        "commonLabels: {a: c}",
        "commonLabels: {a: c}\n  forceCommonLabels: true",
        "commonLabels: {b: c}\n  labelWithoutSelector: true",
        "commonLabels: {b: $ARGOCD_APP_NAME}",
        "replicas: [{name: server, count: 3}]",
        "images: ['one:2']",
        "components: ['../parts/*']\n  ignoreMissingComponents: true",
    ],
)
def test_other_settings_of_an_application_are_not_built(more: str, tmp_path: Path) -> None:
    write(
        tmp_path,
        app__server_yaml=DEPLOYMENT,
        app__kustomization_yaml="resources: [server.yaml]\ncommonLabels: {a: b}\n",
    )
    text = f"path: app\nkustomize:\n  {more}\n"
    overlay = TreeBuilder(Files([str(tmp_path)])).argo_cd(node_of(text), str(tmp_path))
    assert overlay is not None
    assert [each.construct for each in overlay.unknowns] == [f"kustomize.{more.partition(':')[0]}"]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        # A star stays within one step, also where there are two.
        ("generators: [{git: {repoURL: x, directories: [{path: 'a/**'}]}}]", ["x-b"]),
        ("generators: [{git: {repoURL: x, directories: [{path: '*/*/*'}]}}]", ["x-c"]),
        ("generators: [{git: {repoURL: x, directories: [{path: '*'}, {path: '.*'}]}}]", ["x-a"]),
        ("generators: [{git: {repoURL: x, files: [{path: 'a/b/*.yaml'}]}}]", ["x-b"]),
        # git's star takes slashes, that of the newer way does not: this one is not known.
        ("generators: [{git: {repoURL: x, files: [{path: 'a/*.yaml'}]}}]", []),
        ("generators: [{git: {repoURL: x, directories: [{path: 'a'}], values: {x: y}}}]", []),
        ("generators: [{git: {repoURL: x, directories: [{path: 'a'}]}, selector: {}}]", []),
        ("generators: [{list: {elements: [{path.basename: a}, {n: 1}]}}]", []),
        ("templatePatch: 'x'\n  generators: [{git: {repoURL: x, directories: [{path: 'a'}]}}]", []),
    ],
)
def test_what_generators_give(spec: str, names: list[str], tmp_path: Path) -> None:
    write(tmp_path, a__b__claim_yaml="x: y\n", a__b__c__claim_yaml="x: y\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "a/b/c/claim.yaml").rename(tmp_path / "a/b/c/claim.txt")
    text = (
        SET.partition("  generators")[0]
        + f"  {spec}\n  template:"
        + SET.partition("  template:")[2]
    )
    text = text.replace("{{team}}", "")
    made, unknowns = applications_of(node_of(text), Files([str(tmp_path)]), str(tmp_path))
    assert [each.name for each in made] == names
    assert bool(unknowns) == (not names)


def test_images_of_flux_are_not_built(tmp_path: Path) -> None:
    write(
        tmp_path,
        apps__server_yaml=DEPLOYMENT,
        apps__kustomization_yaml="resources: [server.yaml]\n",
    )
    found = flux(tmp_path, "  path: apps\n  images: [{name: one, newName: ours}]\n")
    assert [each.construct for each in found.unknowns] == ["images"]
