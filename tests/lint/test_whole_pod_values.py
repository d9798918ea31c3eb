"""Values of whole pods and workloads that the API server rejects: what is said of them, and where nothing is."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.kube.workloads import edits, verdicts

if TYPE_CHECKING:
    from pathlib import Path

CODES = {"DRA407", "DRA408"}
LABELS = {"app": "t"}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "t"},
    "spec": {
        "selector": {"matchLabels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
            "spec": {
                "containers": [
                    {
                        "name": "c",
                        "image": "i",
                        "resources": {"limits": {"example.com/gpu": 1, "cpu": 2}},
                        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                    }
                ],
                "volumes": [{"name": "data", "emptyDir": {}}],
            },
        },
    },
}
TEMPLATE = "spec.template"
CONTAINER = "spec.template.spec.containers.0"


def _with(changes: dict[str, Any]) -> dict[str, Any]:
    """The Deployment with values at paths, or without what is None."""
    obj = copy.deepcopy(DEPLOYMENT)
    for path, value in changes.items():
        *steps, last = path.split(".")
        holder: Any = obj
        for step in steps:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        key: Any = int(last) if isinstance(holder, list) else last
        if value is None:
            del holder[key]
        else:
            holder[key] = value
    return obj


def _found(obj: object, release: str = "1.37") -> list[Any]:
    config = LintConfig(root=".", kube_version=(release,))
    return [
        each
        for each in lint_text(yaml.safe_dump(obj), "x.yaml", config).findings
        if each.code in CODES
    ]


def _in(folder: Path) -> list[tuple[str, str]]:
    """The findings of a run over a folder: file and message."""
    arguments = [str(folder), "--isolated", "--output-format", "json"]
    found = json.loads(CliRunner().invoke(command, arguments).stdout)["findings"]
    return [
        (each["path"].rpartition("/")[2], each["message"])
        for each in found
        if each["code"] in CODES
    ]


@pytest.mark.parametrize(
    ("changes", "message", "help_", "upstream"),
    [
        (
            {f"{CONTAINER}.image": None},
            "image is missing",
            "write the image that the container runs",
            "spec.template.spec.containers[0].image: Required value",
        ),
        (
            {"spec.selector": None},
            "selector is missing",
            "write selector: {matchLabels: {app: t}}",
            "spec.selector: Required value",
        ),
        (
            {f"{TEMPLATE}.metadata.labels": {"app": "u"}},
            "the selector does not select the labels of the template",
            "write the labels of selector.matchLabels under template.metadata.labels too",
            "spec.template.metadata.labels: Invalid value: ",
        ),
        (
            {f"{CONTAINER}.imagePullPolicy": "Often"},
            '"Often" is no value of imagePullPolicy',
            "write one of Always, IfNotPresent, Never",
            'imagePullPolicy: Unsupported value: "Often"',
        ),
        (
            {f"{CONTAINER}.volumeMounts.0.name": "dat"},
            'the pod has no volume "dat"',
            'did you mean "data"?',
            'volumeMounts[0].name: Not found: "dat"',
        ),
        (
            {f"{TEMPLATE}.spec.volumes.0.hostPath": {"path": "/x"}},
            "hostPath is not allowed here: may not specify more than 1 volume type",
            "remove hostPath",
            "volumes[0].hostPath: Forbidden",
        ),
        (
            {f"{CONTAINER}.livenessProbe": {"periodSeconds": 3}},
            "livenessProbe lacks a value: must specify a handler type",
            "write exec, httpGet or tcpSocket below livenessProbe",
            "livenessProbe: Required value: must specify a handler type",
        ),
        (
            {f"{CONTAINER}.resources.limits": {"example.com/gpu": 1, "maemory": 1}},
            "limits[maemory] is not valid: must be a standard resource type or fully qualified",
            "write cpu, memory or another resource of containers, or DOMAIN/NAME; a claim of the pod is named under resources.claims, a DeviceClass in the claim",
            'resources.limits[maemory]: Invalid value: "maemory"',
        ),
    ],
)
def test_one_mistake_has_the_words_of_the_server_and_a_remedy(
    changes: dict[str, Any], message: str, help_: str, upstream: str
) -> None:
    assert _found(DEPLOYMENT) == []
    found = _found(_with(changes))
    assert (message, help_) in [(each.message, each.help) for each in found]
    assert any(upstream in each.upstream for each in found)
    assert len({each.span for each in found}) == 1


def test_an_amount_is_shown_at_its_own_place() -> None:
    obj = _with({f"{CONTAINER}.resources.limits.cpu": "-1"})
    (found,) = _found(obj)
    line = yaml.safe_dump(obj).splitlines()[found.span.line - 1]
    assert line.strip() == "cpu: '-1'"


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_what_was_recorded_of_validation_is_an_error(release: str) -> None:
    """Of a part of the recorded edits: an error for what is rejected, none for what is taken."""
    answers = verdicts.recorded()[release]
    asked = [*zip(verdicts.part(), answers, strict=True)][::12]
    missed = rejected = accepted = 0
    for (edit, obj), right in asked:
        if not edits.is_about_devices(obj) or right == verdicts.DECODER:
            continue
        config = LintConfig(root=".", kube_version=(release,))
        found = lint_text(json.dumps(obj), "x.yaml", config).findings
        errors = [each for each in found if each.severity == "error"]
        if right:
            rejected += 1
            missed += not errors and "managedFields" not in str(right)
        else:
            accepted += 1
            assert not errors, (edit, obj, errors)
    assert min(rejected, accepted) > 20
    assert missed <= rejected / 20


def test_what_hangs_on_a_variable_is_not_said() -> None:
    obj = _with(
        {
            "spec.replicas": "${REPLICAS}",
            "spec.selector.matchLabels": {"app": "${APP}"},
            "spec.strategy": {
                "type": "${STRATEGY}",
                "rollingUpdate": {"maxSurge": "${SURGE}", "maxUnavailable": 0},
            },
            f"{CONTAINER}.image": "${IMAGE}",
            f"{CONTAINER}.ports": [{"containerPort": "${PORT}"}, {"containerPort": 99999}],
            f"{CONTAINER}.resources": {
                "limits": {"cpu": "${CPU}", "example.com/gpu": 1},
                "requests": {"cpu": 2},
            },
            f"{TEMPLATE}.spec.volumes.0": {
                "name": "data",
                "hostPath": {"path": "/x", "type": "${TYPE}"},
            },
        }
    )
    (found,) = _found(obj)
    assert found.message.startswith("containerPort is not valid: must be between 1 and 65535")


LABELLED = "resources: [d.yaml]\ncommonLabels: {app: t}\n"


@pytest.mark.parametrize(
    ("kustomization", "lines"),
    [
        ("resources: [d.yaml]\n", [("d.yaml", "selector is missing")]),
        (LABELLED, []),
        ("resources: [d.yaml]\nlabels: [{pairs: {app: t}, includeSelectors: true}]\n", []),
        (
            "resources: [d.yaml]\nlabels: [{pairs: {app: t}}]\n",
            [("d.yaml", "selector is missing")],
        ),
        (
            "resources: [d.yaml]\npatches:\n- patch: |\n    {apiVersion: apps/v1, kind: Deployment,"
            " metadata: {name: t}, spec: {selector: {matchLabels: {app: t}}}}\n",
            [],
        ),
        (
            "resources: [d.yaml]\npatches:\n- patch: |\n    {apiVersion: apps/v1, kind: Deployment,"
            " metadata: {name: other}, spec: {selector: {matchLabels: {app: t}}}}\n",
            [("d.yaml", "selector is missing")],
        ),
    ],
)
def test_what_a_build_changes_is_not_judged_as_written(
    kustomization: str, lines: list[tuple[str, str]], tmp_path: Path
) -> None:
    bare = _with({"spec.selector": None})
    (tmp_path / "d.yaml").write_text(yaml.safe_dump(bare))
    (tmp_path / "kustomization.yaml").write_text(kustomization)
    assert _in(tmp_path) == lines


def test_what_is_built_is_judged(tmp_path: Path) -> None:
    """A patch of an overlay brings claims, and a port that is none."""
    patch = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "t"},
        "spec": {
            "template": {
                "spec": {
                    "containers": [
                        {
                            "name": "c",
                            "ports": [{"containerPort": 99999}],
                            "resources": {"claims": [{"name": "g"}]},
                        }
                    ],
                    "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "g"}],
                }
            }
        },
    }
    (tmp_path / "d.yaml").write_text(yaml.safe_dump(DEPLOYMENT))
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(patch))
    (tmp_path / "kustomization.yaml").write_text("resources: [d.yaml]\npatches: [{path: p.yaml}]\n")
    ((file, message),) = _in(tmp_path)
    assert file == "p.yaml"
    assert message.startswith("containerPort is not valid")
    assert "built in" in message


def test_a_patch_without_a_kustomization_is_no_object_that_lacks_things() -> None:
    patch = _with({"spec.selector": None, f"{CONTAINER}.image": None})
    assert _found(patch) == []
    assert _found(_with({"spec.selector": None, f"{TEMPLATE}.spec.containers": None})) == []


def test_a_patch_of_a_pod_without_a_kustomization_needs_no_containers() -> None:
    claims = [{"name": "network", "resourceClaimName": "network"}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer"}}
    assert _found(pod | {"spec": {"resourceClaims": claims}}) == []
    (found,) = _found(pod | {"spec": {"resourceClaims": claims, "containers": []}})
    assert found.message == "containers is missing"


def test_what_follows_from_another_error_is_not_said() -> None:
    found = _found(_with({f"{TEMPLATE}.spec.volumes.0.hostPath": {"path": "/x"}}))
    assert len(found) == 1  # nothing of the mount
    assert len(_found(_with({"spec.selector.matchLabels": {"a b": "t"}}))) == 1


def test_what_is_not_decoded_is_not_validated() -> None:
    found = lint_text(
        yaml.safe_dump(_with({f"{CONTAINER}.image": None, f"{CONTAINER}.imagee": "i"})), "x.yaml"
    ).findings
    assert [each.code for each in found] == ["DRA005"]


def test_an_object_without_devices_is_not_judged() -> None:
    assert _found(_with({f"{CONTAINER}.resources": {}, f"{CONTAINER}.image": None})) == []
