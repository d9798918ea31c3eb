"""What is said of an object that a reference names, by what the manifests and builds show of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.catalogue.table import table_of
from dradsl.lint.rules.references.evidence import Known

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: NAME}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: NAME}]
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
KUSTOMIZATION = "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n"
COMPONENT = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n"
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: plex}
spec:
  path: ./plex
  targetNamespace: media
  postBuild: {substitute: {APP: NAME}}
"""
ADMIN = TEMPLATE.replace("gpu.nvidia.com}", "gpu.nvidia.com, adminAccess: true}").replace(
    "NAME", "admin"
)
LABELS = '{name: not-used, labels: {resource.kubernetes.io/admin-access: "true"}}'


def findings(folder: Path, files: dict[str, str], *options: str) -> list[Any]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    call = ["--isolated", "--output-format", "json", *options, str(folder)]
    found: list[Any] = json.loads(CliRunner().invoke(command, call).stdout)["findings"]
    return found


def named(text: str, name: str) -> str:
    return text.replace("NAME", name)


CASES: dict[Known, tuple[dict[str, str], str]] = {
    Known.EXISTS: ({"a.yaml": named(TEMPLATE, "gpu") + "---\n" + named(POD, "gpu")}, ""),
    Known.OTHER_NAMESPACE: (
        {
            "a.yaml": named(TEMPLATE, "gpu, namespace: a"),
            "b.yaml": named(TEMPLATE, "gpu, namespace: b"),
            "p.yaml": named(POD, "gpu").replace("{name: p}", "{name: p, namespace: c}"),
        },
        'no ResourceClaimTemplate "gpu" in namespace c: the one in a or b cannot be used from here',
    ),
    Known.UNSAID_NAMESPACE: (
        {"a.yaml": named(TEMPLATE, "gpu, namespace: a") + "---\n" + named(POD, "gpu")},
        "add namespace: a to its metadata",
    ),
    Known.NEAR_NAME: (
        {"a.yaml": named(TEMPLATE, "plex") + "---\n" + named(POD, "plexx")},
        'did you mean "plex"?',
    ),
    Known.OTHER_KIND: (
        {
            "a.yaml": named(TEMPLATE, "gpu")
            + "---\n"
            + named(POD, "gpu").replace("TemplateName", "Name")
        },
        "write resourceClaimTemplateName: gpu",
    ),
    Known.NOT_REACHED: (
        {
            "kustomization.yaml": KUSTOMIZATION + "resources: [pod.yaml]\n",
            "pod.yaml": named(POD, "gpu"),
            "rct.yaml": named(TEMPLATE, "gpu"),
        },
        "add rct.yaml to the resources of the kustomization",
    ),
    Known.DROPPED: (
        {
            "flux/ks.yaml": named(FLUX, "plex"),
            "flux/other.yaml": named(FLUX, "other").replace("plex", "other")
            + "  components: [../components/gpu]\n",
            "plex/kustomization.yaml": KUSTOMIZATION + "resources: [pod.yaml]\n",
            "plex/pod.yaml": named(POD, "plex-gpu"),
            "other/kustomization.yaml": KUSTOMIZATION + "resources: [ns.yaml]\n",
            "other/ns.yaml": NAMESPACE,
            "components/gpu/kustomization.yaml": COMPONENT + "resources: [rct.yaml]\n",
            "components/gpu/rct.yaml": named(TEMPLATE, "${APP}-gpu"),
        },
        "add ../components/gpu to the components",
    ),
    Known.WHOLE_BUILD: (
        {
            "kustomization.yaml": KUSTOMIZATION + "namespace: ml\nresources: [pod.yaml, ns.yaml]\n",
            "pod.yaml": named(POD, "gpu"),
            "ns.yaml": NAMESPACE,
        },
        'no ResourceClaimTemplate "gpu" in what is built with namespace ml',
    ),
    Known.NOTHING: (
        {"a.yaml": named(TEMPLATE, "another") + "---\n" + named(POD, "gpu")},
        "add the ResourceClaimTemplate to the manifests",
    ),
}


SEVERITIES = {Known[name]: row[0] for name, row in table_of("reference_words").items()}


@pytest.mark.parametrize("known", Known)
def test_each_state(known: Known, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    files, words = CASES[known]
    found = findings(tmp_path, files)
    if known is Known.EXISTS:
        assert found == []
        return
    severity = SEVERITIES[known]
    (one,) = found
    assert one["code"] in ("DRA410", "DRA411", "DRA416")
    assert one["severity"] == severity
    assert words in f"{one['message']} {one['help']}"


def test_an_unsaid_namespace_is_known_in_a_build_too(tmp_path: Path) -> None:
    files = {
        "kustomization.yaml": KUSTOMIZATION + "resources: [pod.yaml, rct.yaml]\n",
        "pod.yaml": named(POD, "gpu"),
        "rct.yaml": named(TEMPLATE, "gpu, namespace: a"),
    }
    (one,) = findings(tmp_path, files)
    assert (one["code"], one["severity"]) == ("DRA416", "info")
    files["kustomization.yaml"] += "namespace: a\n"
    assert findings(tmp_path, files) == []


def test_only_guesses_are_infos() -> None:
    infos = [known for known, severity in SEVERITIES.items() if severity == "info"]
    assert infos == [Known.UNSAID_NAMESPACE, Known.NOTHING]
    assert SEVERITIES.keys() == {*Known} - {Known.EXISTS}


def test_the_page_shows_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs/lint.md").read_text("utf-8")
    section = page.partition("## What is known of a missing object\n")[2].partition("\n## ")[0]
    _, _, *rows = re.findall(r"^\| (.+?) \| (\S*) ?\|$", section, re.MULTILINE)
    assert rows == [(known.value, SEVERITIES.get(known, "")) for known in Known]


@pytest.mark.parametrize("known", [Known.NEAR_NAME, Known.OTHER_KIND])
def test_the_fix(known: Known, tmp_path: Path) -> None:
    files, _ = CASES[known]
    before = findings(tmp_path, files)
    assert len(before) == 1
    path = tmp_path / "a.yaml"
    text = path.read_text("utf-8")
    CliRunner().invoke(command, ["--isolated", "--fix", "--unsafe-fixes", str(tmp_path)])
    assert path.read_text("utf-8") != text
    call = ["--isolated", "--output-format", "json", str(tmp_path)]
    assert json.loads(CliRunner().invoke(command, call).stdout)["findings"] == []


@pytest.mark.parametrize(
    "change",
    [
        # Something else may make it.
        {"kustomization.yaml": ("resources: [", "resources: [https://example.com/x, ")},
        {"kustomization.yaml": ("resources:", "helmCharts: [{name: x}]\nresources:")},
        {"ns.yaml": ("name: ml", "name: other")},
        {
            "pod.yaml": (
                "spec:\n",
                "spec:\n",
                "---\napiVersion: x.io/v1\nkind: X\nmetadata: {name: x}\n",
            )
        },
    ],
)
def test_a_build_that_is_not_known_whole(
    change: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    files = dict(CASES[Known.WHOLE_BUILD][0])
    for name, (old, new, *more) in change.items():
        files[name] = files[name].replace(old, new) + "".join(more)
    if "ns.yaml" in change:
        files["kustomization.yaml"] = files["kustomization.yaml"].replace("namespace: ml\n", "")
        files["pod.yaml"] = files["pod.yaml"].replace("{name: p}", "{name: p, namespace: ml}")
    assert [each["severity"] for each in findings(tmp_path, files)] == ["info"]


def test_a_file_that_somebody_else_may_apply(tmp_path: Path) -> None:
    """Beside another kustomization, or where the pod itself is built by none."""
    files, _ = CASES[Known.NOT_REACHED]
    apart = {f"app/{name}": text for name, text in files.items()}
    apart["by-hand/rct.yaml"] = apart.pop("app/rct.yaml")
    assert findings(tmp_path / "a", apart) == []
    assert findings(tmp_path / "b", {n: t for n, t in files.items() if "kust" not in n}) == []


def test_the_namespace_of_a_component(tmp_path: Path) -> None:
    """Kustomize gives the Namespace the name of the namespace: its labels count."""
    files = {
        "k/kustomization.yaml": KUSTOMIZATION
        + "namespace: media\nresources: [a.yaml]\ncomponents: [../nsc]\n",
        "k/a.yaml": ADMIN,
        "nsc/kustomization.yaml": COMPONENT + "resources: [ns.yaml]\n",
        "nsc/ns.yaml": NAMESPACE.replace("{name: ml}", LABELS),
    }
    assert findings(tmp_path / "right", files) == []
    files["nsc/ns.yaml"] = files["nsc/ns.yaml"].replace("admin-access", "admin-acces")
    assert [each["code"] for each in findings(tmp_path / "wrong", files)] == ["DRA315"]


def test_a_chart_within_an_app_template(tmp_path: Path) -> None:
    inner = (
        "{defaultPodOptions: {resourceClaims: [{name: gpuu, resourceClaimTemplateName: x}]}, "
        "controllers: {main: {containers: {main: {resources: {claims: [{name: gpu}]}}}}}}"
    )
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        "metadata: {name: r, namespace: default}\nspec:\n  chart: {spec: {chart: immich}}\n  values:\n"
        f"    learning: {inner}\n"
    )
    beside = "    controllers: {main: {containers: {main: {image: {tag: x}}}}}\n"
    for number, text in enumerate((release, release + beside)):
        found = findings(tmp_path / str(number), {"r.yaml": text})
        assert [each["code"] for each in found] == ["DRA403"]


@pytest.mark.parametrize(
    "patch",
    [
        "{kind: Namespace, apiVersion: v1, metadata: {name: media, labels: {LABEL: 'true'}}}",
        "[{op: add, path: /metadata/labels, value: {LABEL: 'true'}}]",
        "[{op: add, path: /metadata/labels/resource.kubernetes.io~1admin-access, value: 'true'}]",
    ],
)
def test_a_label_that_a_patch_brings(patch: str, tmp_path: Path) -> None:
    text = patch.replace("LABEL", "resource.kubernetes.io/admin-access")
    right = "namespace: media\nresources: [a.yaml, ns.yaml]\npatches:\n- target: {kind: Namespace}\n  patch: |\n"
    files = {
        "kustomization.yaml": f"{KUSTOMIZATION}{right}    {text}\n",
        "a.yaml": ADMIN,
        "ns.yaml": NAMESPACE.replace("{name: ml}", "{name: _, labels: {a: b}}"),
    }
    assert findings(tmp_path / "right", files) == []
    files["kustomization.yaml"] = files["kustomization.yaml"].replace("admin-access", "admin-acces")
    assert [each["code"] for each in findings(tmp_path / "wrong", files)] == ["DRA315"]


def test_a_label_that_one_of_several_builds_brings(tmp_path: Path) -> None:
    """A Namespace and a template of components: what is missing in one build is nobody's mistake in another one."""
    patch = "patches:\n- target: {kind: Namespace}\n  patch: |\n    [{op: add, path: /metadata/labels, value: "
    label = "{resource.kubernetes.io/admin-access: 'true'}}]\n"
    whole = KUSTOMIZATION + "namespace: NAME\ncomponents: [../nsc, ../gpu]\n"
    files = {
        "a/kustomization.yaml": named(whole, "a") + patch + label,
        "b/kustomization.yaml": named(whole, "b").replace(", ../gpu", ""),
        "nsc/kustomization.yaml": COMPONENT + "resources: [ns.yaml]\n",
        "nsc/ns.yaml": NAMESPACE.replace("{name: ml}", "{name: _}"),
        "gpu/kustomization.yaml": COMPONENT + "resources: [rct.yaml]\n",
        "gpu/rct.yaml": ADMIN,
    }
    assert findings(tmp_path, files) == []


def test_a_label_that_one_of_several_namespaces_lacks(tmp_path: Path) -> None:
    """A template that goes to all of them is rejected there; with a name that is filled in, too."""
    namespaces = ("a", "b", "c")
    labelled = NAMESPACE.replace("{name: ml}", LABELS)
    files = {"gpu/kustomization.yaml": COMPONENT + "resources: [rct.yaml]\n"}
    for each in namespaces:
        whole = f"namespace: {each}\nresources: [ns.yaml]\ncomponents: [../gpu]\n"
        files[f"{each}/kustomization.yaml"] = KUSTOMIZATION + whole
        files[f"{each}/ns.yaml"] = labelled.replace("not-used", each)
    for number, template in enumerate((ADMIN, ADMIN.replace("admin}", "'${APP}-gpu'}"))):
        folder, files["gpu/rct.yaml"] = tmp_path / str(number), template
        assert findings(folder, files) == []
        misspelt = {"b/ns.yaml": files["b/ns.yaml"].replace("admin-access", "admin-acces")}
        (found,) = findings(folder, misspelt)
        assert (found["code"], found["severity"]) == ("DRA315", "warning")
        assert found["message"] == 'namespace "b" does not allow admin access'
        assert [Path(each["path"]).parts[-2:] for each in found["related"]] == [("b", "ns.yaml")]
        misspelt |= {
            f"{each}/ns.yaml": misspelt["b/ns.yaml"].replace("b,", f"{each},") for each in "ac"
        }
        (found,) = findings(folder, misspelt)
        assert (found["code"], found["severity"]) == ("DRA315", "error")


PATCH = named(POD, "gpu")
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: p}
spec:
  chart: {spec: {chart: app-template}}
  values: {controllers: {main: {containers: {main: {image: {tag: x}}}}}}
"""
RELEASE_PATCH = RELEASE.replace(
    "{main: {containers: {main: {image: {tag: x}}}}}",
    "{main: {pod: {resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]}, "
    "containers: {main: {resources: {claims: [{name: gpu}]}}}}}",
)
PLAIN_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"
)


@pytest.mark.parametrize(("base", "patch"), [(RELEASE, RELEASE_PATCH), (PLAIN_POD, PATCH)])
def test_what_a_patch_names_is_not_applied_either(base: str, patch: str, tmp_path: Path) -> None:
    files = {
        "k/kustomization.yaml": KUSTOMIZATION
        + "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n",
        "k/base.yaml": base,
        "k/patch.yaml": patch,
        "k/rct.yaml": named(TEMPLATE, "gpu"),
    }
    (tmp_path / ".git").mkdir()
    found = [each for each in findings(tmp_path, files) if each["code"] == "DRA410"]
    assert [(each["path"].rpartition("/")[2], each["severity"]) for each in found] == [
        ("patch.yaml", "warning")
    ]
    assert found[0]["help"] == "add rct.yaml to the resources of the kustomization"
    listed = files["k/kustomization.yaml"].replace("[base.yaml]", "[base.yaml, rct.yaml]")
    assert findings(tmp_path, {"k/kustomization.yaml": listed}) == []


GENERATED = "configMapGenerator: [{name: x, files: [missing.txt]}]\n"


@pytest.mark.parametrize("more", ["", GENERATED, "patches: [{path: missing.yaml}]\n"])
@pytest.mark.parametrize("inline", [False, True])
def test_a_patch_does_not_show_that_its_object_is_there(
    more: str, inline: bool, tmp_path: Path
) -> None:
    """kubectl kustomize rejects it: no resource matches the patch. What a generator reads is no resource either."""
    change = named(TEMPLATE, "gpu").replace("gpu.nvidia.com", "mig.nvidia.com")
    listed = "- path: change.yaml\n"
    if inline:
        listed = "- patch: |-\n" + "".join(f"    {line}\n" for line in change.splitlines())
    patches = f"patches:\n- path: patch.yaml\n{listed}"
    if more.startswith("patches"):
        patches, more = (
            patches + more.removeprefix("patches: [").replace("{", "- {").replace("}]", "}"),
            "",
        )
    files = {
        "k/kustomization.yaml": f"{KUSTOMIZATION}resources: [base.yaml]\n{more}{patches}",
        "k/base.yaml": PLAIN_POD,
        "k/patch.yaml": PATCH,
        "k/rct.yaml": named(TEMPLATE, "gpu"),
    }
    if not inline:
        files["k/change.yaml"] = change
    (tmp_path / ".git").mkdir()
    found = [each for each in findings(tmp_path, files) if each["code"] == "DRA410"]
    assert [(each["severity"], each["help"]) for each in found] == [
        ("warning", "add rct.yaml to the resources of the kustomization")
    ]
    written = files["k/kustomization.yaml"]
    for resources in ("[base.yaml, rct.yaml]", "[base.yaml, https://example.com/gpu]"):
        known = {"k/kustomization.yaml": written.replace("[base.yaml]", resources)}
        assert [one for one in findings(tmp_path, known) if one["code"] == "DRA410"] == []
    for maker in ("generators: [made.yaml]\n", "helmCharts: [{name: gpu}]\n"):
        known = {"k/kustomization.yaml": written + maker}
        assert [one for one in findings(tmp_path, known) if one["code"] == "DRA410"] == []


@pytest.mark.parametrize(
    ("written", "help_"),
    [
        ("resourceClaimTemplateName: gpuus", 'did you mean "gpus"?'),
        ("resourceClaimName: gpus", "write resourceClaimTemplateName: gpus"),
    ],
)
def test_a_name_that_only_a_component_and_its_patches_have(
    written: str, help_: str, tmp_path: Path
) -> None:
    files = {
        "app/kustomization.yaml": COMPONENT
        + "resources: [base.yaml, rct.yaml]\npatches: [{path: patch.yaml}, {path: change.yaml}]\n",
        "app/base.yaml": PLAIN_POD,
        "app/patch.yaml": PATCH.replace("resourceClaimTemplateName: gpu", written),
        "app/rct.yaml": named(TEMPLATE, "gpus"),
        "app/change.yaml": named(TEMPLATE, "gpus").replace("gpu.nvidia.com", "mig.nvidia.com"),
        "one/kustomization.yaml": KUSTOMIZATION + "components: [../app]\n",
    }
    (tmp_path / ".git").mkdir()
    found = [each for each in findings(tmp_path, files) if each["code"] in ("DRA410", "DRA411")]
    assert [(each["severity"], each["help"]) for each in found] == [("warning", help_)]
