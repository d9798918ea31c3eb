"""`dradsl simulate` rejects what `dradsl lint` calls an error of the API server, in the same words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.simulate import command
from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.pages.documents import all_documents
from dradsl.lint.rules.api_server import api_server_findings
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.view.index import ObjectIndex
from dradsl.lint.view.view import Run
from dradsl.releases import get_release, newest_release
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import manifests_of
from maintenance.rule_examples import examples_of

if TYPE_CHECKING:
    from pathlib import Path

    from maintenance.rule_examples import Example

FLEET = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: slice}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
"""
FAMILIES = (0, 1, 3, 4, 5)
EXAMPLES = {
    f"{document.code}-{example.line}": example
    for document in all_documents()
    if document.family in FAMILIES
    for example in examples_of(document)
    if example.kind == "bad"
}


def gates_of(example: Example) -> dict[str, bool]:
    pairs = filter(None, example.options.get("feature-gates", "").split(","))
    return {name: on == "true" for name, _, on in (pair.partition("=") for pair in pairs)}


def contexts(example: Example) -> list[str]:
    return [one.text for one in example.attachments if one.role == "context"]


def rejections(example: Example) -> list[str]:
    """What the API server has against the objects of an example, where that is an error."""
    version = example.options.get("kube-version")
    release = get_release(version) if version else newest_release()
    source = SourceText(example.file_name, load(written(example)))
    manifests = tuple(manifests_of(source))
    more = [
        manifest
        for text in contexts(example)
        for manifest in manifests_of(SourceText("context", load(text.encode()), context=True))
    ]
    features = release.features(gates_of(example))
    run = Run(
        release, features, LintConfig(root="."), manifests, ObjectIndex.of((*manifests, *more))
    )
    return [
        found.upstream or ""
        for manifest in manifests
        for found in api_server_findings(run, manifest)
        if (found.severity or RULES[found.code].severity) is Severity.ERROR
    ]


def written(example: Example) -> bytes:
    return example.source.encode(example.options.get("encoding", "utf-8"))


def simulate(folder: Path, *texts: bytes, options: tuple[str, ...] = ()) -> Result:
    """Simulates files with these texts, the last one named first, on the fleet."""
    (folder / "fleet.yaml").write_text(FLEET)
    names = []
    for number, text in enumerate(texts):
        names.append(str(folder / f"{number}.yaml"))
        (folder / f"{number}.yaml").write_bytes(text)
    arguments = [*names, "--slices", str(folder / "fleet.yaml"), *options]
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def rejected(result: Result) -> list[dict[str, Any]]:
    notes = json.loads(result.stdout)["notes"]
    return [note for note in notes if note["kind"] == "rejected"]


def test_examples_are_rejected_by_the_server() -> None:
    """Most of the examples of these families are what the test below is about."""
    assert sum(bool(rejections(example)) for example in EXAMPLES.values()) > 40


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_example(example: Example, tmp_path: Path) -> None:
    said = rejections(example)
    if not said:
        return
    options = ["--output-format", "json"]
    if "kube-version" in example.options:
        options += ["--kube-version", example.options["kube-version"]]
    for name, on in gates_of(example).items():
        options += ["--feature-gates", f"{name}={on}"]
    context = [text.encode() for text in contexts(example)]
    result = simulate(tmp_path, written(example), *context, options=tuple(options))
    assert result.exit_code == 1, result.output
    texts = "\n".join(note["text"] for note in rejected(result))
    for line in said:
        assert line in texts


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]
  resourceClaims: [{name: g, resourceClaimName: c}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ml}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}
"""
CLASS = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}\n"
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n"
ADMIN = CLAIM.replace("deviceClassName: gpu", "deviceClassName: gpu, adminAccess: true")
ALLOWED = NAMESPACE.replace("ml", 'ml, labels: {resource.kubernetes.io/admin-access: "true"}')
# Of a cost that one claim may have once, not twice.
LOOPS = " && ".join(["(" + "device.attributes.exists(a, " * 3 + "true" + ")))" + ")"] * 5)
DERIVED = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: a
      exactly: &ask
        deviceClassName: gpu
        derivedAttributes: [{{name: x.example.com/k, expression: "({LOOPS}) ? 1 : 2"}}]
    - {{name: b, exactly: *ask}}
    constraints: [{{matchAttribute: x.example.com/k}}]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: ml}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: x, resources: {claims: [{name: typo}]}}]
      resourceClaims: [{name: g, resourceClaimName: c}]
"""
GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {resourceClaims: [{name: g}]}
"""


@pytest.mark.parametrize(
    ("manifests", "options", "subject", "text"),
    [
        (
            [POD.replace("{name: g}]", "{name: typo}]"), CLAIM, CLASS],
            (),
            "Pod p",
            'spec.containers[0].resources.claims[0]: Not found: "typo": must be one of the names',
        ),
        (
            [POD.replace("Name: c", "Name: c, resourceClaimTemplateName: t"), CLAIM, CLASS],
            (),
            "Pod p",
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        ),
        (
            [DEPLOYMENT, CLAIM, CLASS],
            (),
            "Deployment d",
            'spec.template.spec.containers[0].resources.claims[0]: Not found: "typo"',
        ),
        (
            [POD, ADMIN, CLASS, NAMESPACE],
            (),
            "ResourceClaim c",
            "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires",
        ),
        (
            [POD, DERIVED, CLASS],
            ("--feature-gates", "DRADerivedAttributes=true"),
            "ResourceClaim c",
            "total cost of derived attribute CEL expressions in the claim exceeds cost limit",
        ),
        (
            [POD, CLAIM, CLASS, GROUP],
            ("--feature-gates", "DRAWorkloadResourceClaims=true"),
            "PodGroup g",
            "spec.resourceClaims[0]: Invalid value",
        ),
    ],
)
def test_what_can_never_be_created_does_not_fit(
    manifests: list[str], options: tuple[str, ...], subject: str, text: str, tmp_path: Path
) -> None:
    texts = [manifest.encode() for manifest in manifests]
    result = simulate(tmp_path, *texts, options=("--output-format", "json", *options))
    assert result.exit_code == 1
    (note,) = rejected(result)
    assert note["subject"] == subject
    assert text in note["text"]
    shown = simulate(tmp_path, *texts, options=options)
    assert f"rejected: {subject}" in shown.stdout


@pytest.mark.parametrize("namespaces", [[], [ALLOWED], [ALLOWED, NAMESPACE]])
def test_admin_access_that_nothing_speaks_against(namespaces: list[str], tmp_path: Path) -> None:
    """The labels of a namespace that is not in the input are not known."""
    texts = [text.encode() for text in (POD, ADMIN, CLASS, *namespaces)]
    result = simulate(tmp_path, *texts)
    assert result.exit_code == 0, result.output
    assert "(admin access)" in result.stdout


def test_a_sum_within_the_limit_is_taken(tmp_path: Path) -> None:
    once = DERIVED.replace("    - {name: b, exactly: *ask}\n", "")
    options = ("--feature-gates", "DRADerivedAttributes=true")
    result = simulate(tmp_path, *(t.encode() for t in (POD, once, CLASS)), options=options)
    assert "rejected" not in result.stdout


@pytest.mark.parametrize("level", ["spec", "template", "top"])
def test_a_list_of_claims_above_the_pod_spec_gives_no_devices(tmp_path: Path, level: str) -> None:
    claims = "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]"
    top, spec, template = (
        f"{claims}, " if level == name else "" for name in ("top", "spec", "template")
    )
    text = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: t}}
spec: {{spec: {{devices: {{requests: [{{name: a, exactly: {{deviceClassName: c}}}}]}}}}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: c}}
---
{{{top}apiVersion: batch/v1, kind: Job, metadata: {{name: x}}, spec: {{{spec}template: {{{template}spec: {{
  containers: [{{name: c, image: i, resources: {{claims: [{{name: gpu}}]}}}}]}}}}}}}}
"""
    (tmp_path / "job.yaml").write_text(text)
    (tmp_path / "slices.yaml").write_text(FLEET)
    arguments = [str(tmp_path / "job.yaml"), "--slices", str(tmp_path / "slices.yaml")]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code != 0
    field = {"top": "", "spec": "spec.", "template": "spec.template."}[level]
    assert f'unknown field "{field}resourceClaims"' in result.output
    assert 'Not found: "gpu"' in result.output
    assert "fits" not in result.output


@pytest.mark.parametrize(
    ("value", "final"), [("$POLICY", True), ("$(POLICY)", True), ("${POLICY}", False)]
)
def test_a_value_that_begins_with_a_dollar_is_one_as_written(
    value: str, final: bool, tmp_path: Path
) -> None:
    pod = POD.replace("image: x", f'image: x, imagePullPolicy: "{value}"')
    texts = (CLASS.encode(), CLAIM.encode(), pod.encode())
    result = simulate(tmp_path, *texts, options=("--output-format", "json"))
    said = [note["text"] for note in rejected(result) if "imagePullPolicy" in note["text"]]
    assert bool(said) is final, result.output
