"""What Flux and Argo CD build: both sides compared. Their own patches on devices are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dradsl.migrate.overlays.controllers import build_controller, find_controllers
from dradsl.tree.builder import TreeBuilder
from dradsl.tree.kustomize.parts.files import Files
from tests.migrate.test_overlays import (
    GPU,
    LIMITS,
    ONE,
    call,
    deployment,
    limits,
    merge,
    outcomes,
    pods,
    reasons,
    report,
    tree,
)

if TYPE_CHECKING:
    from pathlib import Path

FLUX = (
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\n"
    "spec:\n  path: ./app\n"
)
ARGO = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k, namespace: argocd}\nspec:\n"
    "  destination: {namespace: ml}\n  source:\n    path: app\n"
)
OWN = "    kustomize:\n"
OPERATION = f"- op: OP\n  path: {LIMITS}/nvidia.com~1gpu\n  value: 4\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tree(tmp_path, {".git/HEAD": ""})
    return tmp_path


def patches(text: str, target: str = "", indent: str = "  ") -> str:
    """The field `patches` with one patch, as a text."""
    lines = "".join(f"{indent}    {line}\n" for line in text.rstrip("\n").splitlines())
    head = f"{indent}- target: {target}\n{indent}  patch" if target else f"{indent}- patch"
    return f"{indent}patches:\n{indent}# as many as the node has\n{head}: |-\n{lines}"


def controlled(folder: Path) -> dict[str, list[Any]]:
    """What the objects of Flux and Argo CD build, by their titles."""
    texts = {str(p): p.read_text() for p in sorted(folder.rglob("*.yaml"))}
    files = Files([str(folder)])
    found = {}
    for each in find_controllers(texts, files, [str(folder)]):
        built = build_controller(TreeBuilder(files), each, None)
        assert built.rejected is None, built.rejected
        found[each.title] = [obj.data for obj in built.objects]
    return found


APP = {"app/deploy.yaml": deployment(limits(f"{GPU}: 1"))}
LISTED = {**APP, "app/kustomization.yaml": "resources: [deploy.yaml]\n"}
BARE = {"app/deploy.yaml": deployment(limits("memory: 1Gi"))}
DEPLOYMENT = "{kind: Deployment, name: b}"


@pytest.mark.parametrize("files", [APP, LISTED], ids=["all files", "kustomization"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FLUX + patches(OPERATION.replace("OP", "replace"), DEPLOYMENT), "after the migration"),
        (FLUX + patches(merge(f"{GPU}: 4")), "are not translated"),
        (f"{FLUX}  targetNamespace: ml\n" + patches(merge(f"{GPU}: 4")), "are not translated"),
        (ARGO + OWN + patches(OPERATION.replace("OP", "add"), DEPLOYMENT, "      "), "Application k of Argo CD cannot be built here"),
    ],
    ids=["JSON patch", "merge patch", "namespace", "Argo CD"],
)  # fmt: skip
def test_patches_of_controllers_on_devices(
    folder: Path, files: dict[str, str], text: str, reason: str
) -> None:
    """What they change is rejected with them: base and patch would be counted twice."""
    written = {**files, "clusters/ks.yaml": text}
    tree(folder, written)
    assert call("--write", ".").exit_code == 1
    assert set(outcomes(".")) == {"rejected"}
    assert reason in reasons(".")
    assert "found, not judged: this is a text" in reasons(".")
    assert {name: (folder / name).read_text() for name in written} == written


def test_the_checklist_counts_pods_of_patches(folder: Path) -> None:
    """Formerly only pods of files counted, and Karpenter was not named."""
    pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec: {}\n"
    own = patches(OPERATION.replace("OP", "add"), DEPLOYMENT, "")
    tree(
        folder,
        {**BARE, "app/kustomization.yaml": "resources: [deploy.yaml]\n" + own, "pool.yaml": pool},
    )
    found = "\n".join(report(".")["checklist"])
    assert "pool.yaml:2: NodePool gpu is Karpenter's" in found
    assert "order: nodes that still run the device plugin" in found


def test_one_of_two_patches_the_same_folder(folder: Path) -> None:
    other = FLUX.replace("name: k,", "name: l,")
    text = FLUX + patches(merge(f"{GPU}: 4")) + "---\n" + other
    tree(folder, {**LISTED, "ks.yaml": text})
    assert call("--write", ".").exit_code == 1
    assert (folder / "app/deploy.yaml").read_text() == LISTED["app/deploy.yaml"]
    assert "built with Kustomization k of Flux, Deployment b still asks" in reasons(".")


def test_variables_of_flux_stay(folder: Path) -> None:
    """Both sides are compared with and without the values that Flux puts in."""
    files = {
        name: text.replace("{name: b}", "{name: '${APP}'}", 1) for name, text in LISTED.items()
    }
    tree(folder, {**files, "ks.yaml": f"{FLUX}  postBuild: {{substitute: {{APP: plex}}}}\n"})
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert "${APP}-" in (folder / "app/deploy.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FLUX.replace("./app", "./elsewhere") + patches(merge(f"{GPU}: 4")), "found, not judged: this is a text"),
        (FLUX + patches(merge(f"{GPU}: '${{GPUS}}'")), "GPUS"),
        (f"{FLUX}  namePrefix: p-\n" + patches(merge(f"{GPU}: 4")), "the kustomization of app is not among the files"),
        (f"{FLUX}  components: [../absent]\n" + patches(merge(f"{GPU}: 4")), "Kustomization k of Flux cannot be built here"),
    ],
)  # fmt: skip
def test_patches_of_flux_that_stay(folder: Path, text: str, reason: str) -> None:
    tree(folder, {**APP, "ks.yaml": text})
    assert call("--write", ".").exit_code == 1
    assert (folder / "ks.yaml").read_text() == text
    assert reason in reasons(".")


def test_flux_objects_are_built_themselves(folder: Path) -> None:
    """A folder that lists the object is built as well, and its other objects are migrated."""
    files = {
        "cluster/ks.yaml": FLUX + patches(merge(f"{GPU}: 4")),
        "cluster/deploy.yaml": deployment(limits(f"{GPU}: 1")).replace("name: b", "name: c"),
        "cluster/kustomization.yaml": "resources: [ks.yaml, deploy.yaml]\n",
    }
    tree(folder, {**LISTED, **files})
    assert call("--write", ".").exit_code == 1
    assert (folder / "cluster/ks.yaml").read_text() == files["cluster/ks.yaml"]
    assert (folder / "app/deploy.yaml").read_text() == LISTED["app/deploy.yaml"]
    assert GPU not in (folder / "cluster/deploy.yaml").read_text()


def test_patches_that_give_flux_a_patch(folder: Path) -> None:
    """Formerly "left, because it takes a request away", and the base was migrated."""
    inner = "".join(f"      {line}\n" for line in OPERATION.replace("OP", "add").splitlines())
    given = (
        "- op: add\n  path: /spec/patches\n  value:\n  - target: {kind: Deployment}\n    patch: |\n"
        + inner
    )
    files = {
        "cluster/ks.yaml": FLUX,
        "cluster/kustomization.yaml": "resources: [ks.yaml]\n" + patches(given, "{kind: Kustomization}", ""),
    }  # fmt: skip
    tree(folder, {**LISTED, **files})
    assert set(outcomes(".")) == {"rejected"}
    assert "gives what Flux or Argo CD build a patch" in reasons(".")


@pytest.mark.parametrize("files", [APP, LISTED], ids=["directory", "kustomization"])
def test_what_argo_cd_builds_is_compared(folder: Path, files: dict[str, str]) -> None:
    tree(folder, {**files, "argo.yaml": ARGO})
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert "built before and after" in result.stdout
    assert "Application k of Argo CD" in result.stdout
    assert pods(controlled(folder)["Application k of Argo CD"]) == {"b": ONE}


def test_applications_of_a_set_are_compared(folder: Path) -> None:
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n"
        "  generators:\n  - git: {directories: [{path: apps/*}]}\n  template:\n"
        "    metadata: {name: '{{path.basename}}'}\n    spec:\n      source: {path: '{{path}}'}\n"
    )
    tree(folder, {"apps/one/deploy.yaml": APP["app/deploy.yaml"], "set.yaml": text})
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert pods(controlled(folder)["Application one of Argo CD"]) == {"b": ONE}


def test_a_build_that_differs_is_rejected(folder: Path) -> None:
    """Of a folder without a kustomization, the claim template is in no file that the pattern takes."""
    text = f"{ARGO}    directory: {{include: deploy.json}}\n"
    data = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}\n'
    tree(folder, {"app/deploy.json": data, "argo.yaml": text})
    assert call("--write", ".").exit_code == 1
    assert "is not there in its namespace" in reasons(".")
    assert (folder / "app/deploy.json").read_text() == data


def test_a_controller_without_patches_rejects_none_of_the_folder(folder: Path) -> None:
    """The patch may be for what a remote base brings: that is no matter of who builds the folder."""
    operation = f"- op: add\n  path: {LIMITS.removesuffix('/limits')}\n  value: {{}}\n"
    kustomization = "resources: [deploy.yaml, 'https://example.org/x.yaml']\n"
    files = {
        "app/kustomization.yaml": kustomization + patches(operation, "{kind: Deployment, name: z}", ""),
        "top/kustomization.yaml": "resources: [../app, z.yaml]\n",
        "top/z.yaml": deployment(limits(f"{GPU}: 1")).replace("{name: b}", "{name: z}", 1),
    }  # fmt: skip
    tree(folder, {**APP, **files})
    alone = outcomes(".")
    tree(folder, {"ks.yaml": FLUX})
    assert outcomes(".") == alone


@pytest.mark.parametrize("remote", [True, False])
def test_a_patch_of_a_component_is_for_what_is_built_elsewhere(folder: Path, remote: bool) -> None:
    """Only Flux takes the component in, and its patch changes nothing that is read here."""
    operation = f"- op: add\n  path: {LIMITS}/nvidia.com~1gpu\n  value: 1\n"
    more = ", 'https://example.org/x.yaml'" if remote else ""
    files = {
        "app/kustomization.yaml": f"resources: [deploy.yaml{more}]\n",
        "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        + patches(operation, "{kind: Deployment, name: z}", ""),
        "ks.yaml": FLUX + "  components: [../part]\n",
    }
    tree(folder, {**BARE, **files})
    assert outcomes(".") == ["rejected"]
    assert ("its target is not known" in reasons(".")) is remote


OUTSIDE = {
    **APP,
    "app/kustomization.yaml": "resources: [deploy.yaml, part]\n",
    "app/part/kustomization.yaml": "resources: [../../common/map.yaml]\n",
    "common/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n",
}


def test_flux_takes_files_from_outside_of_a_folder(folder: Path) -> None:
    tree(folder, {**OUTSIDE, "clusters/ks.yaml": FLUX})
    result = call("--write", ".")
    assert result.exit_code == 0, result.stdout
    assert pods(controlled(folder)["Kustomization k of Flux"]) == {"b": ONE}


def test_kustomize_takes_no_files_from_outside_of_a_folder(folder: Path) -> None:
    tree(folder, OUTSIDE)
    result = call("--write", ".")
    assert result.exit_code == 1
    assert "app cannot be built here, so nothing is proven of it: security; file" in result.stdout


def test_patches_of_flux_that_are_not_of_the_run(folder: Path) -> None:
    """They are in the Git repository of the run: what they change is not migrated without them."""
    text = FLUX + patches(merge(f"{GPU}: 4"))
    tree(folder, {**LISTED, "clusters/ks.yaml": text})
    assert call("--write", "app").exit_code == 1
    assert "are not translated" in reasons("app")
    assert (folder / "clusters/ks.yaml").read_text() == text
    tree(folder, {"clusters/ks.yaml": FLUX})
    assert call("--write", "app").exit_code == 0


def test_patches_of_flux_that_give_others_a_patch(folder: Path) -> None:
    inner = "".join(f"        {line}\n" for line in merge(f"{GPU}: 4").splitlines())
    given = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\nspec:\n"
        f"  patches:\n  - patch: |\n{inner}"
    )
    root = FLUX.replace("./app", "./cluster").replace("name: k,", "name: root,")
    tree(folder, {**LISTED, "cluster/ks.yaml": FLUX, "root.yaml": root + patches(given)})
    assert set(outcomes(".")) == {"rejected"}
    assert "gives what Flux or Argo CD build a patch" in reasons(".")


@pytest.mark.parametrize(
    "text",
    [
        "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\nspec: 3\n",
        "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\nspec: [a]\nmetadata: []\n",
        FLUX + "  patches: 3\n  components: {a: b}\n  postBuild: []\n",
        FLUX + "  patches: [1, null, {patch: 3}, {patch: 'a: ['}, {target: 5, patch: '[]'}]\n",
        FLUX.replace("./app", "[a]") + "  components: [1, null]\n",
        FLUX.replace("./app", "../../..") + "  targetNamespace: [x]\n",
        FLUX.replace("./app", '"\\0"'),
        ARGO.replace("path: app", "path: [app]"),
        ARGO.replace("path: app", "path: app\n    kustomize: 3"),
        ARGO.replace("path: app", "path: app\n    kustomize: {patches: [[], {patch: 5}], namePrefix: [a]}"),
        ARGO.replace("path: app", "path: app\n    directory: 3"),
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {sources: [1, null, {path: app}], source: 3, destination: 5}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {generators: 3, template: []}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {generators: [{list: {elements: [1]}}], template: {spec: 3}}\n",
        "apiVersion: v1\nkind: List\nitems: [1, {kind: Application, apiVersion: argoproj.io/v1alpha1}]\n",
        f"{FLUX}---\na: [\n",
    ],
)  # fmt: skip
def test_odd_objects(folder: Path, text: str) -> None:
    tree(folder, {**LISTED, "odd.yaml": text})
    result = call("--scan", ".")
    assert result.exit_code in (0, 1)
    assert "internal error" not in result.output
    assert "container b" in result.stdout


def test_new_objects_beside_values_in_a_folder_that_is_not_built(folder: Path) -> None:
    """Argo CD rejects the folder, since the values are no object: nothing says that a new file there is applied."""
    values = "ollama: {gpu: {enabled: true, type: nvidia, number: 1}}\n"
    tree(folder, {"app/values.yaml": values, "argo.yaml": ARGO})
    assert call("--write", ".").exit_code == 1  # by recipe, not rendered
    assert (folder / "app/values.claims.yaml").is_file()
    assert not (folder / "app/claims.yaml").exists()
