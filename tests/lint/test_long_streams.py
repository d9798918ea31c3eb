"""A long stream, whose objects are packed and looked at in portions, has the findings that it has otherwise."""

from __future__ import annotations

import io
import itertools
import random
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dradsl.lint.engine import portions, run, state
from dradsl.lint.engine.workload import RunInput
from dradsl.lint.input.reading import load_named
from dradsl.lint.input.sources import SourceText
from dradsl.lint.report import ReportOptions, render
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.view import long_objects, long_run
from dradsl.text import documents, packed
from dradsl.values.deadline import Deadline

if TYPE_CHECKING:
    from dradsl.lint.engine.state import RunObjects
    from dradsl.lint.report.model import Report

_ROOT = Path(__file__).parents[2]

_CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: claim-{n}, namespace: {namespace}}}
spec:
  devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: {name}}}}}]}}
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: pod-{n}, namespace: {namespace}}}
spec:
  containers: [{{name: main, image: i, resources: {{claims: [{{name: gpu}}]}}}}]
  resourceClaims: [{{name: gpu, resourceClaimName: {name}}}]
"""


def _examples() -> list[str]:
    """The documents of the examples that are right and of those that are not."""
    files = sorted((_ROOT / "examples").rglob("*.yaml"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    found = [each for text in texts for each in text.split("\n---\n") if "\nkind:" in each]
    return [
        each
        for each in found
        if not any(sign in each for sign in ("${", "{{", "HelmRelease", "Application", "ConfigMap"))
    ]


def _state(text: str) -> RunObjects:
    source = SourceText("stream.yaml", load_named("stream.yaml", text.encode()))
    return state.read_state(RunInput((source,)), LintConfig(root=str(_ROOT)))


def _lint(text: str, **options: object) -> Report:
    source = SourceText("stream.yaml", load_named("stream.yaml", text.encode()))
    config = LintConfig(root=str(_ROOT), **options)  # type: ignore[arg-type] # of any option
    return run.lint(RunInput((source,)), config)


def _shown(report: Report) -> tuple[str, tuple[str, ...]]:
    out = io.StringIO()
    render("json", report, out, ReportOptions())
    return out.getvalue(), tuple(map(repr, report.findings))


def _pack_all(monkeypatch: pytest.MonkeyPatch, portion: int) -> None:
    monkeypatch.setattr(documents, "_PACKED", 0)
    monkeypatch.setattr(packed, "_BLOCK", 500)
    monkeypatch.setattr(portions, "_PORTION", portion)
    monkeypatch.setattr(long_objects, "_HELD", 1)
    monkeypatch.setattr(long_objects, "_RECENT", 2)
    monkeypatch.setattr(long_run, "_MOST", 4)


def _expect_the_same(
    monkeypatch: pytest.MonkeyPatch, text: str, portion: int, **options: object
) -> Report:
    plain = _lint(text, **options)
    with monkeypatch.context() as patch:
        _pack_all(patch, portion)
        assert _state(text).is_long
        assert _shown(_lint(text, **options)) == _shown(plain)
    return plain


@pytest.mark.parametrize("portion", [1, 3, 64])
@pytest.mark.parametrize("seed", range(3))
def test_findings_are_the_same(monkeypatch: pytest.MonkeyPatch, seed: int, portion: int) -> None:
    rng = random.Random(seed)
    chosen = rng.sample(_examples(), 40)
    text = "\n---\n".join(chosen * rng.choice((1, 2)))  # twice: names that several have
    report = _expect_the_same(monkeypatch, text, portion)
    assert len(report.findings) > 5


def test_several_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n---\n".join(random.Random(9).sample(_examples(), 50))
    _expect_the_same(monkeypatch, text, 7, kube_version=("1.34", "1.37"))


def test_only_so_many_names_are_compared_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ones does not depend on the portions: the rules ask one after the other, of all objects."""
    names = ("a", "b")
    parts = []
    for n in range(30):
        parts += [_CLAIM.format(n=n, namespace="a", name=f"gpu-{n}.nvidia.con")]
        parts += [_POD.format(n=n, namespace=each, name=f"claim{n}") for each in names]
    report = _expect_the_same(monkeypatch, "---\n".join(parts), 2)
    meant = [each.code for each in report.findings if "did you mean" in (each.help or "")]
    assert 0 < len(meant) < len(report.findings)


def test_names_in_several_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        template.format(n=n, namespace=namespace, name=name)
        for n, namespace in itertools.product(range(3), "abc")
        for template, name in ((_CLAIM, "gpu.nvidia.com"), (_POD, f"claim-{n}"))
    ]
    parts += [_POD.format(n=9, namespace="d", name="claim-1")]  # it is elsewhere
    generated = _POD.format(n=10, namespace="a", name="by-").replace("name: pod-10", "name: 5")
    parts += [generated, generated.replace("name: 5", "generateName: pod-")]
    report = _expect_the_same(monkeypatch, "---\n".join(parts), 2)
    assert "DRA416" in {each.code for each in report.findings}


def test_what_stands_in_config_maps_and_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = _CLAIM.format(n=1, namespace="a", name="gpu.nvidia.con")
    block = "".join(f"    {line}\n" for line in claim.splitlines())
    listed = "".join(f"  {line}\n" for line in claim.splitlines()).replace("  ", "- ", 1)
    parts = [
        claim,
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n  claim.yaml: |\n{block}",
        f"apiVersion: v1\nkind: List\nitems:\n{listed}",
        f"{listed}",
        "apiVersion: v1\nmetadata: {name: no-kind}\n",
        "{broken",
        "# dradsl: ignore[DRA412]\n" + _CLAIM.format(n=2, namespace="a", name="gpu.nvidia.con"),
    ]
    report = _expect_the_same(monkeypatch, "---\n".join(parts), 2)
    assert len([each for each in report.findings if each.code == "DRA412"]) > 2


def test_what_is_not_known_goes_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "---\n".join(_CLAIM.format(n=n, namespace="a", name="${CLASS}") for n in range(5))
    plain = _lint(text)
    _pack_all(monkeypatch, 2)
    assert not _state(text).is_long
    assert _shown(_lint(text)) == _shown(plain)


def test_a_run_that_is_out_of_time_says_how_much_it_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "---\n".join(_CLAIM.format(n=n, namespace="a", name="gpu.nvidia.com") for n in range(9))
    _pack_all(monkeypatch, 2)
    source = SourceText("stream.yaml", load_named("stream.yaml", text.encode()))
    over = Deadline.after(0.0)
    report = run.lint(RunInput((source,)), LintConfig(root=str(_ROOT)), deadline=over)
    assert "9 objects" in (report.unfinished or "")


def test_memory_grows_by_little_with_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the text, at most a hundred bytes for a document."""
    monkeypatch.setattr(documents, "_PACKED", 0)

    def peak(count: int) -> int:
        text = "---\n".join(
            _CLAIM.format(n=n, namespace=f"ns-{n % 7}", name="gpu.nvidia.com") for n in range(count)
        )
        tracemalloc.start()
        try:
            report = _lint(text)
            return tracemalloc.get_traced_memory()[1] - 2 * len(text)  # its bytes, and as a text
        finally:
            tracemalloc.stop()
            assert not report.findings

    peak(500)  # what is loaded once
    few, many = peak(1_000), peak(5_000)
    assert (many - few) / 4_000 < 100
