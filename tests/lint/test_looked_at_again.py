"""Objects are looked at again with other values in their holes, and behind errors of shape: what was worked out
once is not worked out anew, and what is found does not depend on that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.lint.engine.run import lint
from dradsl.lint.engine.state import RunInput, read_state
from dradsl.lint.rules.drivers import selectors
from dradsl.lint.rules.references import lookup, missing
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.view.index import ObjectIndex
from dradsl.lint.view.view import Run
from dradsl.records import replace
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from dradsl.diagnostics import Finding
    from dradsl.tree.manifests.manifest import Manifest

CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: {name}}}
spec:
  selectors:
  - cel: {{expression: 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].typ == "gpu"'}}
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {name}, namespace: a}}
spec: {{devices: {{requests: [{{name: r, exactly: {{{field}: {klass}}}}}]}}}}
"""
# A hole brings a second look, a misspelt field one behind it.
HOLE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${NAME}'}\n"
MISSPELT = CLAIM.format(name="m", field="deviceClassname", klass="c1")
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: a}}
spec:
  resourceClaims: [{{name: c, resourceClaimTemplateName: {name}}}]
  containers: [{{name: c, image: x, resources: {{claims: [{{name: c}}]}}}}]
"""


def findings(*texts: str) -> list[Finding]:
    sources = [SourceText(f"{n}.yaml", load(text.encode())) for n, text in enumerate(texts)]
    return list(lint(RunInput(tuple(sources)), LintConfig(root=Path.cwd())).findings)


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[object]:
    calls: list[object] = []
    original: Callable[..., object] = getattr(module, name)

    def call(*given: object) -> object:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(module, name, call)
    return calls


SET = (
    *(CLASS.format(name=f"c{n}") for n in range(3)),
    *(CLAIM.format(name=f"x{n}", field="deviceClassName", klass=f"c{n}") for n in range(3)),
    POD.format(name="gone"),
)


def test_one_selector_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, selectors, "check_case")
    found = findings(*SET, HOLE, MISSPELT)
    assert len([each for each in found if each.code == "DRA201"]) == 3
    assert len(calls) == 1


def test_what_is_found_is_the_same_without_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(*SET, HOLE, MISSPELT)
    assert {each.code for each in found} >= {"DRA201", "DRA410", "DRA005"}
    monkeypatch.setattr(Run, "reuse_caches_of", lambda *_given, **_named: None)
    monkeypatch.setattr(Run, "remember", lambda _run, _key, make, by="run": make())
    assert findings(*SET, HOLE, MISSPELT) == found


def test_a_class_is_told_where_a_finding_names_it() -> None:
    narrow = CLASS.replace(".typ ==", ".type ==")
    request = CLAIM.replace("{klass}", "{klass}, selectors: [{{cel: {{expression: '{cel}'}}}}]")
    cel = 'device.attributes["gpu.nvidia.com"].type == "mig"'
    classes = [narrow.format(name=f"c{n}") for n in range(2)]
    claims = [
        request.format(name=f"x{n}", field="deviceClassName", klass=f"c{n}", cel=cel)
        for n in range(2)
    ]
    told = [
        each.message
        for each in findings(*classes, *claims)
        if each.code.startswith("DRA2") and "c0" in each.message + str(each.help)
    ]
    other = [
        each.message
        for each in findings(*classes, *claims)
        if each.code.startswith("DRA2") and "c1" in each.message + str(each.help)
    ]
    assert told
    assert [each.replace("c0", "c1") for each in told] == other


def test_names_of_files_are_collected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, ObjectIndex, "every")
    findings(*(POD.format(name=f"gone-{n}") for n in range(20)))
    few = len(calls)
    findings(*(POD.format(name=f"gone-{n}") for n in range(80)))
    assert few > 0
    assert len(calls) == 2 * few


def test_files_that_cannot_name_templates_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    custom = (
        "apiVersion: a.example.com/v1\nkind: A\nmetadata: {name: a}\nspec: {FIELD: {name: t}}\n"
    )
    calls = counted(monkeypatch, lookup, "_below")
    pod = POD.format(name="t")
    assert any(e.code == "DRA410" for e in findings(pod, custom.replace("FIELD", "template")))
    assert not calls
    for field in ("resourceClaimTemplate", '"resourceClaimT\\x65mplate"'):
        found = findings(pod, custom.replace("FIELD", field))
        assert not any(each.code == "DRA410" for each in found)
    assert len(calls) == 2


def test_the_index_is_made_once_for_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    original = ObjectIndex.of.__func__  # type: ignore[attr-defined] # of a class method

    def of(*given: object) -> object:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(ObjectIndex, "of", classmethod(of))
    assert any(each.code == "DRA410" for each in findings(*SET, HOLE))
    assert len(calls) == 1


def test_other_values_are_tried_only_where_something_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[tuple[str, ...]] = []
    original = missing.check

    def check(run: Run) -> Any:
        looked_at.append(tuple(str(each.name) for each in run.manifests if each.kind == "Pod"))
        return original(run)

    monkeypatch.setattr(missing, "check", check)
    fine = (
        POD.format(name="t")
        .replace("name: p,", "name: fine,")
        .replace("TemplateName: t", "Name: ''")
    )
    assert any(each.code == "DRA410" for each in findings(POD.format(name="gone"), fine, HOLE))
    assert looked_at == [("p", "fine"), ("p",)]


def test_the_index_of_exchanged_objects_is_as_if_made_of_them() -> None:
    texts = (*SET, HOLE, POD.format(name="${A}-x"), CLAIM.format(name="x0", field="a", klass="b"))
    sources = [SourceText(f"{n}.yaml", load(text.encode())) for n, text in enumerate(texts)]
    state = read_state(RunInput(tuple(sources)), LintConfig(root=str(Path.cwd())))
    others = {each: replace(each, data=dict(each.data)) for each in state.manifests[::2]}
    now = [others.get(each, each) for each in state.manifests]
    index, made = ObjectIndex.of(state.manifests), ObjectIndex.of(now)
    custom = index.where(_is_of_core)
    exchanged = index.exchanged(others)
    assert exchanged.where(_is_of_core) == tuple(others.get(each, each) for each in custom) != ()
    for near in now:
        for each in now:
            name = str(each.name)
            assert exchanged.kind(each.kind) == made.kind(each.kind)
            assert exchanged.named(each.kind, name) == made.named(each.kind, name)
            assert exchanged.meant(each.kind, name, near) == made.meant(each.kind, name, near)
            assert exchanged.find(each.kind, name, near) is made.find(each.kind, name, near)
    assert index.exchanged({}) is index


def _is_of_core(manifest: Manifest) -> bool:
    return not manifest.group
