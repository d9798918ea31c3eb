"""Fields of pods and workloads that are not about claims: what is said of them, and how they are fixed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.text.edits import apply

POD: dict[str, Any] = {
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "x"}],
    "containers": [
        {
            "name": "c",
            "image": "i",
            "securityContext": {"runAsNonRoot": True},
            "resources": {"claims": [{"name": "gpu"}]},
        }
    ],
}
ERRORS = {"DRA005", "DRA006", "DRA008", "DRA504"}


def _text(pod: dict[str, Any], **above: Any) -> str:
    """A Deployment with a pod."""
    spec = {"selector": {}, **above, "template": {"spec": pod}}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}
    return yaml.safe_dump(obj, sort_keys=False)


def _found(text: str, config: LintConfig | None = None) -> list[Any]:
    return [each for each in lint_text(text, "x.yaml", config).findings if each.code in ERRORS]


def _of(release: str) -> LintConfig:
    return LintConfig(root=".", kube_version=(release,))


def _with(path: str, value: Any) -> str:
    """The text with a value set below the container, the pod or the Deployment."""
    pod, above = copy.deepcopy(POD), {}
    holder, _, key = path.partition(".")
    if holder == "container":
        inner = pod["containers"][0]
        *steps, key = key.split(".")
        for step in steps:
            inner = inner.setdefault(step, {})
        inner[key] = value
    elif holder == "pod":
        pod[key] = value
    else:
        above[key] = value
    return _text(pod, **above)


@pytest.mark.parametrize(
    ("path", "value", "code", "help_"),
    [
        ("container.imagePullPolicyy", "Always", "DRA005", 'did you mean "imagePullPolicy"?'),
        ("container.Ports", [], "DRA005", 'did you mean "ports"?'),
        ("container.xyzzy", 1, "DRA005", None),
        ("deployment.replica", 2, "DRA005", 'did you mean "replicas"?'),
        (
            "container.runAsUser",
            1,
            "DRA008",
            "move it to spec.template.spec.containers[0].securityContext.runAsUser",
        ),
        (
            "container.resources.imagePullPolicy",
            "Always",
            "DRA008",
            "move it to spec.template.spec.containers[0].imagePullPolicy",
        ),
        ("pod.minReadySeconds", 5, "DRA008", "move it to spec.minReadySeconds"),
        ("deployment.nodeName", "node1", "DRA008", "move it to spec.template.spec.nodeName"),
        ("pod.command", ["x"], "DRA008", "move it to spec.template.spec.containers[0].command"),
        ("container.env", [{"name": "A", "value": 4}], "DRA006", 'write "4"'),
        ("container.env", {"A": "4"}, "DRA006", None),
        ("pod.hostNetwork", "true", "DRA006", "write true"),
        ("pod.terminationGracePeriodSeconds", 1.5, "DRA006", None),
        ("deployment.strategy", {"rollingUpdate": {"maxSurge": 0.5}}, "DRA006", None),
    ],
)
def test_one_mistake_is_one_finding(path: str, value: Any, code: str, help_: str | None) -> None:
    text = _with(path, value)
    (found,) = _found(text)
    assert found.code == code
    if help_ is None:
        assert found.fix is None
    else:
        assert str(found.help).startswith(help_)
        assert found.fix is not None
        assert _found(apply(text, list(found.fix.edits))) == []


def test_a_null_is_a_field_that_is_not_set() -> None:
    for path in ("container.env", "pod.hostNetwork", "deployment.strategy", "container.ports"):
        assert _found(_with(path, None)) == []


def test_a_field_of_another_release_names_it() -> None:
    text = _with("pod.workloadRef", {"name": "w", "podGroup": "g"})
    assert _found(text, _of("1.35")) == []
    for release in ("1.34", "1.36", "1.37"):
        (found,) = _found(text, _of(release))
        assert (found.code, "1.35" in found.message) == ("DRA504", True)


@pytest.mark.parametrize("kind", ["Pod", "PodTemplate"])
def test_other_objects_are_not_decoded(kind: str) -> None:
    wrong = {"containers": [{"name": "c", "image": "i", "imagePullPolicyy": "Always"}]}
    obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a"}}
    obj |= {"spec": wrong} if kind == "Pod" else {"template": {"spec": wrong}}
    assert _found(yaml.safe_dump(obj)) == []
    wrong["containers"][0]["resources"] = {"limits": {"example.com/gpu": 1}}  # type: ignore[assignment]
    (found,) = _found(yaml.safe_dump(obj))
    assert found.code == "DRA005"
