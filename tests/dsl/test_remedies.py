"""What findings on built objects offer is said in words of Python: arguments and handles, no fields and no CEL.

The bad examples of the rules, as the builders take them back, meet every rule that a program of builders can
meet; `golden/remedies.txt` lists these with their remedies.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dradsl
from dradsl import App, Fleet, KubernetesObject, ManifestError
from dradsl.devices.nvidia import gpu
from dradsl.dsl.checking.python_calls import argument_of, call_of
from dradsl.lint.pages.documents import all_documents
from dradsl.text.paths import parse_path
from maintenance.rule_examples import examples_of
from tests.dsl.test_wrong_programs import HEAD, LINES
from tests.golden import check_golden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl import Finding
    from maintenance.rule_examples import Example

GOLDEN = Path(__file__).parent / "golden"

OF_YAML = re.compile(
    r"\bdevice\.(?:driver|attributes|capacity)\b|&&|\|\||compareTo|\b(?:quantity|semver)\("
    r"|(?<!`dradsl build )--\w"
    r"|\b(?:allocationMode|deviceClassName|matchAttribute|distinctAttribute|tolerationSeconds|adminAccess|firstAvailable"
    r"|extendedResourceName|derivedAttributes|allNodes|perDevice\w+|nodeName|selectors|resourceSliceCount)\b(?!\")"
    r"|\bmanifests?\b|\b(?:count|effect|operator): "
)


def linted(example: Example, folder: Path) -> tuple[App, dradsl.LintResult]:
    """The example's objects as an app, and what is found in it."""
    app = App()
    app.extend(dradsl.from_yaml(example.source, on_error=lambda _: None))
    roles: dict[str, list[str]] = {}
    for number, attached in enumerate(example.attachments):
        path = folder / f"{number}-{Path(attached.name).name}"
        path.write_text(attached.text, encoding="utf-8")
        roles.setdefault(attached.role, []).append(str(path))
    gates = filter(None, example.options.get("feature-gates", "").split(","))
    given: dict[str, Any] = {
        "kube_version": example.options.get("kube-version", "").split(",") or None,
        "feature_gates": {name: text == "true" for name, _, text in (g.partition("=") for g in gates)},
        "context": roles.get("context", ()),
        "driver_schemas": roles.get("driver-schema", ()),
        "config": roles.get("config", [None])[0],
        "isolated": "config" not in roles,
        "fleet": Fleet.from_file(*roles["slices"]) if "slices" in roles else None,
    }  # fmt: skip
    if not example.options.get("kube-version"):
        del given["kube_version"]
    return app, dradsl.lint(app, **given)


def of_builders(app: App, result: dradsl.LintResult) -> Iterator[Finding]:
    """The findings on objects that builders made, and that are no plain data."""
    typed = {
        (data["kind"], data["metadata"].get("name"))
        for one in app.objects
        if not isinstance(one, KubernetesObject) and "metadata" in (data := one.to_dict())
    }
    for finding in result:
        if finding.object and (finding.object.kind, finding.object.name) in typed:
            yield finding


def test_every_rule_that_builders_can_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    remedies: dict[str, set[str]] = {}
    wrong: list[str] = []
    for document in all_documents():
        for number, example in enumerate(one for one in examples_of(document) if one.kind == "bad"):
            folder = tmp_path / f"{document.code}-{number}"
            folder.mkdir()
            with contextlib.suppress(ManifestError):
                for finding in of_builders(*linted(example, folder)):
                    remedies.setdefault(finding.code, set()).add(str(finding.help))
                    if finding.help is None or OF_YAML.search(finding.help):
                        wrong.append(f"{finding.code}: {finding.help}")
    assert wrong == []
    assert len(remedies) > 100
    lines = [f"{code}  {text}" for code in sorted(remedies) for text in sorted(remedies[code])]
    check_golden(GOLDEN / "remedies.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("program", [line[-1] for line in LINES if "run: " not in line[0]])
def test_every_rule_that_the_wrong_programs_meet(program: str) -> None:
    namespace: dict[str, Any] = {"__name__": "wrong"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        exec(compile(HEAD, "head.py", "exec"), namespace)
        exec(compile(program, "program.py", "exec"), namespace)
        found = namespace["app"].lint()
    for finding in found:
        assert finding.help, finding
        assert not OF_YAML.search(finding.help), finding.help


@pytest.mark.parametrize(
    ("path", "call", "argument"),
    [
        ("spec.spec.devices.requests[0].exactly.count", 'Request("a")', "count"),
        ("spec.spec.devices.requests[0].exactly.deviceClassName", 'Request("a")', "device_class"),
        ("spec.spec.devices.requests[0].exactly.selectors[0].cel", 'Request("a")', "select"),
        ("spec.spec.devices.requests[1].firstAvailable[0].count", 'Request("c")', "count"),
        ("spec.spec.devices.requests[1].firstAvailable", 'FirstAvailable("b")', "alternatives"),
        ("spec.spec.devices.constraints[0].requests", "same(...)", "requests"),
        ("spec.spec.devices.constraints[1].distinctAttribute", "distinct(...)", "attribute"),
        ("spec.spec.devices.requests", 'ResourceClaimTemplate("t")', "requests"),
        ("metadata.labels", 'ResourceClaimTemplate("t")', "labels"),
        ("metadata.finalizers[0]", 'ResourceClaimTemplate("t")', "metadata"),
        ("spec", 'ResourceClaimTemplate("t")', ""),
    ],
)
def test_the_call_of_a_field(path: str, call: str, argument: str) -> None:
    requests = [{"name": "a", "exactly": {}}, {"name": "b", "firstAvailable": [{"name": "c"}]}]
    constraints = [{"matchAttribute": "x/y"}, {"distinctAttribute": "x/y"}]
    devices = {"requests": requests, "constraints": constraints}
    data = {
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t"},
        "spec": {"spec": {"devices": devices}},
    }
    found, below = call_of(data, parse_path(path))
    assert (found, argument_of(found, below)) == (call, argument)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Request('g', gpu, selector=gpu)", 'Request() has no argument "selector"; did you mean "select"?'),
        ("Request('g', deviceClassName='x')", 'did you mean "device_class"?'),
        ("ResourceClaim('g', request=[])", 'did you mean "requests"?'),
        ("DeviceClass('g', config=[])", 'did you mean "configs"?'),
        ("App(release='1.36')", 'did you mean "for_release"?'),
        ("Toleration(weight=1)", 'no argument "weight" (it has key, operator, value, effect, seconds)'),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_exist(call: str, message: str) -> None:
    names = {name: getattr(dradsl, name) for name in dradsl.__all__}
    with pytest.raises(TypeError) as raised:
        eval(call, {**names, "gpu": gpu})
    assert message in str(raised.value)
