"""Manifests that stand as texts: edited where what reads them is known, refused with the edits elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, only, run
from tests.migrate.test_overlays import call, outcomes, reasons, report, tree

if TYPE_CHECKING:
    from pathlib import Path

POD = (
    "# the pod\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n  - name: c\n"
    "    image: x  # stays\n    resources: {limits: {nvidia.com/gpu: 2}}\n"
)


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def config_map(text: str = POD, more: str = "") -> str:
    return (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: t, namespace: ml{more}}}\ndata:\n"
        f"  pod.yaml: |\n{indented(text, 4)}"
    )


def workflow(text: str = POD, action: str = "create", kind: str = "WorkflowTemplate") -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {{name: w, namespace: argo}}\nspec:\n"
        f"  templates:\n  - name: a\n    resource:\n      action: {action}\n      manifest: |\n"
        f"{indented(text, 8)}"
    )


def runner(command: str, mount: str = "{name: m, mountPath: /m}", volume: str = "{name: t}") -> str:
    return (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: r, namespace: ml}\nspec:\n  template:\n    spec:\n"
        "      restartPolicy: Never\n      containers:\n      - name: k\n        image: kubectl\n"
        f"        command: [sh, -c, '{command}']\n        volumeMounts: [{mount}]\n"
        f"      volumes: [{{name: m, configMap: {volume}}}]\n"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("action", ["create", "apply", "replace"])
@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate"])
def test_manifests_of_argo_workflows(kind: str, action: str) -> None:
    """Fault 11: a `resource.manifest` of a workflow was not seen, then refused."""
    migration = run(workflow(action=action, kind=kind))
    item = only(migration)
    assert item.outcome is Outcome.TRANSLATED
    assert item.object == f"Pod argo/x, in spec.templates[0].resource.manifest of {kind} argo/w"
    (file,) = migration.files
    own, template = data_of(file.text)
    text = own["spec"]["templates"][0]["resource"]["manifest"]
    (inner,) = data_of(text)
    (entry,) = inner["spec"]["resourceClaims"]
    assert entry["resourceClaimTemplateName"] == template["metadata"]["name"]
    assert template["metadata"]["namespace"] == "argo"  # where the workflow makes the pod
    assert inner["spec"]["containers"][0]["resources"] == {
        "claims": [{"name": "devices", "request": "gpu"}]
    }
    assert text.startswith("# the pod\n")
    assert "image: x  # stays" in text
    assert not list(run(file.text).items())


def test_parameters_of_a_workflow_stay() -> None:
    text = POD.replace("{name: x}", '{generateName: "x-{{inputs.parameters.n}}-"}')
    (file,) = run(workflow(text)).files
    assert 'generateName: "x-{{inputs.parameters.n}}-"' in file.text
    (_, template) = data_of(file.text)
    assert "{" not in template["metadata"]["name"]
    # Nobody puts a value into the namespace of the template.
    open_space = POD.replace("{name: x}", '{name: x, namespace: "{{inputs.parameters.n}}"}')
    item = only(run(workflow(open_space)))
    assert "the claim template belongs there" in item.reason


@pytest.mark.parametrize(
    ("command", "mount", "volume"),
    [
        ("kubectl apply -f /m/pod.yaml", "{name: m, mountPath: /m}", "{name: t}"),
        ("kubectl delete pod x; kubectl create -f=/m/pod.yaml", "{name: m, mountPath: /m/}", "{name: t}"),
        ("kubectl apply -f /m", "{name: m, mountPath: /m}", "{name: t}"),
        ("kubectl apply -f /m/p", "{name: m, mountPath: /m}", "{name: t, items: [{key: pod.yaml, path: p}]}"),
        ("kubectl replace --filename /p.yaml", "{name: m, mountPath: /p.yaml, subPath: pod.yaml}", "{name: t}"),
    ],
)  # fmt: skip
def test_what_a_pod_gives_to_kubectl(command: str, mount: str, volume: str) -> None:
    text = f"{config_map()}---\n{runner(command, mount, volume)}"
    migration = run(text)
    assert only(migration).outcome is Outcome.TRANSLATED
    template = data_of(migration.files[0].text)[1]
    assert template["kind"] == "ResourceClaimTemplate"
    assert template["metadata"]["namespace"] == "ml"


@pytest.mark.parametrize(
    "text",
    [
        config_map(),
        f"{config_map()}---\n{runner('kubectl apply -f /m/other.yaml')}",
        f"{config_map()}---\n{runner('kubectl apply -n other -f /m/pod.yaml')}",
        f"{config_map()}---\n{runner('kubectl apply --dry-run=client -f /m/pod.yaml')}",
        f"{config_map()}---\n{runner('sed s/a/b/ /m/pod.yaml | kubectl apply -f -')}",
        f"{config_map()}---\n{runner('kubectl get -f /m/pod.yaml')}",
        f"{config_map()}---\n{runner('kubectl apply -f /m/pod.yaml', volume='{name: other}')}",
        f"{config_map()}---\n{runner('kubectl apply -f /m/pod.yaml').replace('namespace: ml', 'namespace: b')}",
        workflow(action="patch"),
        workflow(action="delete"),
    ],
    ids=["nobody", "file", "namespace", "dry run", "sed", "get", "volume", "elsewhere", "patch", "delete"],
)  # fmt: skip
def test_readers_that_are_not_known(text: str) -> None:
    """The edits to make are said, and nothing changes."""
    migration = run(text)
    item = only(migration)
    assert item.outcome is Outcome.REFUSED
    assert "what reads this text is not known" in item.reason
    assert migration.files[0].text == text
    (way,) = item.routes
    assert "spec.containers[0].resources.claims: [{name: devices, request: gpu}]" in way
    assert "and beside it {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate" in way
    assert "count: 2" in way


def test_no_question_is_asked_that_does_not_decide() -> None:
    text = config_map(POD.replace("nvidia.com/gpu: 2", "nvidia.com/gpu.shared: 1"))
    item = only(run(text))
    assert item.question is None
    assert item.routes == ("with an answer to --sharing the edits to make by hand stand here",)
    (way,) = only(run(text, answers={"sharing": "exclusive"})).routes
    assert "spec.resourceClaims" in way
    known = workflow(POD.replace("nvidia.com/gpu: 2", "nvidia.com/gpu.shared: 1"))
    assert only(run(known)).question == "sharing"


@pytest.mark.parametrize(
    "text",
    [
        f"#!/bin/sh\ncat <<EOF | kubectl apply -f -\n{POD}EOF\n",
        POD.replace("{name: x}", "{name: x"),
        POD.replace("kind: Pod", "kinds: Pod"),
    ],
    ids=["script", "broken", "no object"],
)
def test_texts_that_are_no_manifests_are_listed(text: str) -> None:
    item = only(run(config_map(text)))
    assert item.outcome is Outcome.REFUSED
    assert "this is a text within the document" in item.reason


def test_texts_are_built_and_compared(folder: Path) -> None:
    tree(
        folder,
        {
            "w.yaml": workflow(),
            "kustomization.yaml": "namespace: z\nresources: [w.yaml]\n",
        },
    )
    result = call("--in-place", ".")
    assert result.exit_code == 0, result.stdout
    assert "1 kustomization built before and after" in result.stdout


def test_a_component_has_the_new_texts(folder: Path) -> None:
    """Formerly the report said "translated", and the component had a claim template alone."""
    tree(folder, {"w.yaml": workflow()})
    assert call("--kustomize", "out", "w.yaml").exit_code == 0
    ((operation,),) = data_of((folder / "out/workflowtemplate-argo-w.yaml").read_bytes())
    assert operation["path"] == "/spec/templates/0/resource/manifest"
    assert "resourceClaims" in operation["value"]


def test_files_that_become_texts_are_read_by_nobody_knows_whom(folder: Path) -> None:
    """Formerly the claim template was written behind the pod template that a program reads."""
    tree(
        folder,
        {
            "pod.yaml": POD,
            "kustomization.yaml": "configMapGenerator:\n- {name: t, files: [t.yaml=pod.yaml]}\n",
        },
    )
    assert call("--in-place", ".").exit_code == 1
    assert outcomes(".") == ["refused"]
    assert "makes a text of a ConfigMap or Secret of this file" in reasons(".")
    assert (folder / "pod.yaml").read_text() == POD
    # As a resource it is an object too.
    tree(
        folder,
        {
            "kustomization.yaml": "resources: [pod.yaml]\nconfigMapGenerator:\n- {name: t, files: [pod.yaml]}\n"
        },
    )
    assert outcomes(".") == ["translated"]


OPERATION = "- op: add\n  path: /spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu\n  value: 2\n"
MERGE = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: r}\nspec: {template: {spec: {containers: "
    "[{name: a, resources: {limits: {nvidia.com/gpu: 2}}}]}}}\n"
)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (OPERATION, "{op: add, path: /spec/template/spec/containers/1/resources/claims, value: [{name: devices, request: gpu}]}"),
        (MERGE, "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]: null"),
    ],
)  # fmt: skip
def test_post_renderers_are_refused_with_the_lines(folder: Path, patch: str, words: str) -> None:
    text = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: ml}\nspec:\n"
        "  postRenderers:\n  - kustomize:\n      patches:\n      - target: {kind: Deployment, name: r}\n"
        f"        patch: |\n{indented(patch, 10)}"
    )
    (folder / "r.yaml").write_text(text)
    (file,) = report("r.yaml")["files"]
    (use,) = file["uses"]
    assert "what it makes of its target shows only there" in use["reason"]
    assert words in use["routes"][0]
    assert "count: 2" in use["routes"][0]
    assert "--flux DIR" in use["routes"][1]


@pytest.mark.parametrize(
    "pods",
    [
        "spec: {volumes: 3, containers: [{name: k, image: kubectl, command: 5, volumeMounts: [1]}]}",
        "spec: {volumes: [{name: m, configMap: 3}, 1], containers: [{name: k, args: [kubectl apply -f /m/pod.yaml], volumeMounts: [{name: m}, {name: m, mountPath: 3}]}]}",
        "spec: {volumes: [{name: m, configMap: {name: [t], items: [1, {path: {}}]}}], containers: [{name: k, args: [kubectl apply -f /m/x], volumeMounts: [{name: m, mountPath: /m}]}]}",
    ],
)  # fmt: skip
def test_odd_pods_beside_a_text(pods: str) -> None:
    text = f"{config_map()}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: r, namespace: ml}}\n{pods}\n"
    assert only(run(text)).outcome is Outcome.REFUSED
