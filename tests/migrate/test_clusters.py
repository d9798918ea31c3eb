"""Trees of several clusters: what one cluster's operator says is no evidence for another's workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.migrate.test_evidence import flux
from tests.migrate.test_overlays import deployment, limits, report, tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INTEL = "gpu.intel.com/i915"
SHARED = flux("intel-device-plugins-gpu", "{sharedDevNum: 10}")
APP = deployment(limits(f"{INTEL}: 1"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tree(tmp_path, {".git/HEAD": ""})
    return tmp_path


def kustomization(name: str, path: str, more: str = "") -> str:
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: {path}\n{more}"
    )


def application(name: str, path: str, destination: str) -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\n"
        f"spec:\n  destination: {destination}\n  source: {{path: {path}}}\n"
    )


def questions(folder: Path, files: Mapping[str, str]) -> dict[str, str | None]:
    """The question that is open about each file's use."""
    tree(folder, dict(files))
    found = report(".")["files"]
    return {
        file["path"]: use["question"]
        for file in found
        for use in file["uses"]
        if use["before"].startswith(INTEL)
    }


def two_clusters(*, bootstrapped: bool = True) -> dict[str, str]:
    """Clusters a and b of Flux; a has the plugin that shares."""
    files = {"infra/a/plugin.yaml": SHARED}
    for each in "ab":
        home = f"clusters/{each}"
        if bootstrapped:
            files[f"{home}/flux-system/gotk-sync.yaml"] = kustomization("flux-system", f"./{home}")
            files[f"{home}/flux-system/kustomization.yaml"] = "resources: [gotk-sync.yaml]\n"
        files[f"{home}/infra.yaml"] = kustomization("infra", f"./infra/{each}")
        files[f"{home}/apps.yaml"] = kustomization("apps", f"./apps/{each}")
        files[f"apps/{each}/deploy.yaml"] = APP
    files["infra/b/namespace.yaml"] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"
    return files


@pytest.mark.parametrize("bootstrapped", [True, False])
def test_clusters_of_flux(folder: Path, bootstrapped: bool) -> None:
    assert questions(folder, two_clusters(bootstrapped=bootstrapped)) == {
        "apps/a/deploy.yaml": "sharing",
        "apps/b/deploy.yaml": None,
    }


def test_what_both_clusters_build_is_asked(folder: Path) -> None:
    files = two_clusters()
    for each in "ab":
        files[f"apps/{each}/kustomization.yaml"] = "resources: [../base]\n"
        del files[f"apps/{each}/deploy.yaml"]
    files |= {
        "apps/base/deploy.yaml": APP,
        "apps/base/kustomization.yaml": "resources: [deploy.yaml]\n",
    }
    assert questions(folder, files) == {"apps/base/deploy.yaml": "sharing"}


def test_one_cluster_in_several_folders_is_one(folder: Path) -> None:
    """No object is there twice, so nothing says that these are two clusters."""
    files = {
        "infra/ks.yaml": kustomization("infra", "./plugin"),
        "apps/ks.yaml": kustomization("apps", "./app"),
        "plugin/plugin.yaml": SHARED,
        "app/deploy.yaml": APP,
    }
    assert questions(folder, files) == {"app/deploy.yaml": "sharing"}


def test_a_file_that_nothing_builds_may_go_anywhere(folder: Path) -> None:
    files = {**two_clusters(), "values.yaml": "sharedDevNum: 4\n"}
    assert questions(folder, files)["apps/b/deploy.yaml"] == "sharing"


def test_other_clusters_by_kube_config(folder: Path) -> None:
    remote = "  kubeConfig: {secretRef: {name: edge}}\n"
    files = {
        "clusters/ks.yaml": kustomization("plugin", "./plugin")
        + "---\n"
        + kustomization("app", "./app", remote),
        "plugin/plugin.yaml": SHARED,
        "app/deploy.yaml": APP,
    }
    assert questions(folder, files) == {"app/deploy.yaml": None}


HERE = "{server: https://kubernetes.default.svc}"
A, B = "{server: https://a.example.org}", "{server: https://b.example.org}"


@pytest.mark.parametrize(
    ("plugin", "app", "question"),
    [
        (A, B, None),
        (A, A, "sharing"),
        (A, HERE, None),
        (HERE, HERE, "sharing"),
        (HERE, "{name: in-cluster}", "sharing"),
        ("{name: a}", "{name: b}", None),
        (A, "{name: b}", "sharing"),  # an address and a name may mean one cluster
        (A, "{server: '{{server}}'}", "sharing"),
    ],
)
def test_destinations_of_argo_cd(folder: Path, plugin: str, app: str, question: str | None) -> None:
    files = {
        "argo/apps.yaml": f"{application('p', 'plugin', plugin)}---\n{application('w', 'app', app)}",
        "plugin/plugin.yaml": SHARED,
        "app/deploy.yaml": APP,
    }
    assert questions(folder, files) == {"app/deploy.yaml": question}


@pytest.mark.parametrize(("space", "question"), [("namespace: ml\n", None), ("", "sharing")])
def test_overlays_that_build_one_workload(folder: Path, space: str, question: str | None) -> None:
    """In one namespace both cannot be in one cluster; without a namespace nobody knows."""
    base = deployment().replace("name: b", "name: base")
    files = {
        "base/deploy.yaml": base,
        "base/kustomization.yaml": "resources: [deploy.yaml]\n",
        "a/kustomization.yaml": f"{space}resources: [../base, plugin.yaml]\n",
        "a/plugin.yaml": SHARED,
        "b/kustomization.yaml": f"{space}resources: [../base, deploy.yaml]\n",
        "b/deploy.yaml": APP,
    }
    assert questions(folder, files) == {"b/deploy.yaml": question}


def test_gke_of_one_cluster_is_no_taint_of_another(folder: Path) -> None:
    files = two_clusters()
    del files["infra/a/plugin.yaml"]
    gpu = deployment(limits("nvidia.com/gpu: 1"))
    select = gpu.replace(
        "      containers",
        "      nodeSelector: {cloud.google.com/gke-accelerator: l4}\n      containers",
    )
    files |= {"apps/a/deploy.yaml": select, "apps/b/deploy.yaml": gpu}
    tree(folder, files)
    notes = {
        file["path"]: " ".join(use["notes"])
        for file in report(".")["files"]
        for use in file["uses"]
    }
    assert "toleration" in notes["apps/a/deploy.yaml"]
    assert "toleration" not in notes["apps/b/deploy.yaml"]


def test_rings_of_objects_end(folder: Path) -> None:
    many = {f"k{i}/ks.yaml": kustomization(f"k{i}", "./") for i in range(30)}
    assert questions(folder, {**many, "p/plugin.yaml": SHARED, "a/deploy.yaml": APP})


@pytest.mark.parametrize(
    "text",
    [
        application("w", "app", "5"),
        application("w", "app", "{server: [a], name: {b: c}}"),
        application("w", "[app]", HERE),
        kustomization("k", "./app", "  kubeConfig: 3\n"),
        kustomization("k", "./app", "  kubeConfig: {secretRef: []}\n").replace("name: k", "name: [k]"),
        kustomization("${K}", "./app"),
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s, namespace: a}\nspec: {template: {spec: {source: {path: app}, destination: {server: '{{x}}'}}}}\n",
    ],
)  # fmt: skip
def test_odd_objects(folder: Path, text: str) -> None:
    files = {"odd.yaml": text, "plugin/plugin.yaml": SHARED, "app/deploy.yaml": APP}
    assert "app/deploy.yaml" in questions(folder, files)


NVIDIA = "nvidia.com/gpu"
CLASS = (
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: cards}\n"
    f"spec: {{extendedResourceName: {NVIDIA}}}\n"
)
CLAIM = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t, namespace: n}\n"
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: tpu.google.com}}]}}}\n"
)
CRD = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: servers.example.com}\n"
    "spec:\n  group: example.com\n  names: {kind: Server, plural: servers}\n  versions:\n  - name: v1\n"
    "    schema: {openAPIV3Schema: {properties: {spec: {properties: {template: {properties: {spec: {properties: "
    "{containers: {items: {properties: {resources: {}}}}, nodeSelector: {}, tolerations: {}, "
    "restartPolicy: {}, volumes: {}}}}}}}}}}\n"
)


def with_object(text: str, at: str, app: str) -> dict[str, str]:
    """Two clusters, an object in one of them, and an application in both."""
    files = two_clusters()
    del files["infra/a/plugin.yaml"]
    files["infra/a/namespace.yaml"] = files["infra/b/namespace.yaml"]
    files[f"infra/{at}/object.yaml"] = text
    return files | {f"apps/{each}/deploy.yaml": app for each in "ab"}


def uses(folder: Path, files: Mapping[str, str], *options: str) -> dict[str, dict[str, object]]:
    tree(folder, dict(files))
    return {file["path"]: use for file in report(".", *options)["files"] for use in file["uses"]}


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_class_answers_in_its_own_cluster(folder: Path, at: str) -> None:
    """Whichever file is read last: the other cluster gets the class that it lacks."""
    app = deployment(limits(f"{NVIDIA}: 1"))
    found = uses(folder, with_object(CLASS, at, app), "--set", "strategy=extended-resource")
    for each in "ab":
        after = str(found[f"apps/{each}/deploy.yaml"]["after"])
        assert ("DeviceClass cards" in after) is (each == at)


def test_each_cluster_gets_the_class_that_it_lacks(folder: Path) -> None:
    files = two_clusters()
    del files["infra/a/plugin.yaml"]
    files["infra/a/namespace.yaml"] = files["infra/b/namespace.yaml"]
    files |= {
        f"apps/{each}/deploy.yaml": deployment(limits("nvidia.com/mig-1g.5gb: 1")) for each in "ab"
    }
    tree(folder, files)
    from click.testing import CliRunner

    from dradsl.cli.migrate import command

    words = [".", "--set", "strategy=extended-resource", "--output", "out"]
    said = CliRunner().invoke(command, words)
    written = [
        path.relative_to(folder / "out").as_posix()
        for path in (folder / "out").rglob("*")
        if path.is_file() and "kind: DeviceClass" in path.read_text()
    ]
    assert {path.split("/")[1] for path in written} == {"a", "b"}, said.output


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_claim_is_known_in_its_own_cluster(folder: Path, at: str) -> None:
    """Elsewhere nobody knows what a claim of that name asks for."""
    app = deployment(limits(f"{NVIDIA}: 1")).replace(
        "      containers:",
        "      resourceClaims: [{name: c, resourceClaimTemplateName: t}]\n      containers:",
    )
    assert "resourceClaims" in app
    files = with_object(
        CLAIM, at, app.replace("metadata: {name: b}", "metadata: {name: b, namespace: n}")
    )
    found = uses(folder, files)
    for each in "ab":
        question = found[f"apps/{each}/deploy.yaml"]["question"]
        assert question == (None if each == at else "existing-claims")


@pytest.mark.parametrize("at", ["a", "b"])
def test_a_crd_speaks_for_its_own_cluster(folder: Path, at: str) -> None:
    app = (
        "apiVersion: example.com/v1\nkind: Server\nmetadata: {name: s, namespace: n}\nspec: {template: {spec: {containers: "
        f"[{{name: c, resources: {{limits: {{{NVIDIA}: 1}}}}}}]}}}}}}\n"
    )
    found = uses(folder, with_object(CRD, at, app))
    for each in "ab":
        reason = str(found[f"apps/{each}/deploy.yaml"]["reason"])
        assert ("is not known" in reason) is (each != at), reason
