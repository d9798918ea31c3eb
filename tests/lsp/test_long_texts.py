"""A long text after a change: only documents that changed are judged again, and the answer is that of the whole text."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine import run as lint_run
from dradsl.lsp.linting.project import Project, Stoppable
from dradsl.lsp.texts.buffers import Buffers

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.diagnostics import Finding
    from dradsl.lint.engine.state import RunInput

DOCUMENT = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: claim-{0}
  namespace: ml
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.nvidia.com
          selectors:
          - cel:
              expression: device.attributes["gpu.nvidia.com"].{1} == "Hopper"
---
apiVersion: v1
kind: Pod
metadata: {{name: pod-{0}, namespace: ml}}
spec:
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: claim-{2}}}]
  containers: [{{name: c, image: x, resources: {{claims: [{{name: gpu}}]}}}}]
"""
PIECES = (
    "\n",
    "# a comment\n",
    "---\n",
    "x",
    "claim-3",
    "architecture",
    "architectur",
    "  ",
    "ml",
    "",
    "count: 0",
)


def text_of(count: int) -> str:
    names = ("architecture", "architectur")
    return "---\n".join(
        DOCUMENT.format(number, names[number % 4 == 0], number + (number % 5 == 0))
        for number in range(count)
    )


def shown(findings: tuple[Finding, ...]) -> list[tuple[object, ...]]:
    """What does not depend on other documents: these are looked at again when typing pauses."""
    return sorted(
        (each.span, each.code, each.message, each.document, str(each.fix))
        for each in findings
        if traits_of(each.code).about != "lookup"
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_answer_is_that_of_the_whole_text(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    path = tmp_path / "long.yaml"
    text = text_of(12)
    path.write_text(text)
    buffers = Buffers()
    project = Project(str(tmp_path), buffers)
    buffers.put(path.as_uri(), str(path), text, 0)
    assert project.lint_all(Stoppable()) is not None
    for version in range(1, 8):
        at = dice.randrange(len(text))
        end = min(len(text), at + dice.choice((0, 0, 1, 5, 40)))
        text = text[:at] + dice.choice(PIECES) + text[end:]
        buffers.put(path.as_uri(), str(path), text, version)
        partly = project.lint_one(str(path))
        report = Project(str(tmp_path), buffers).lint_all(Stoppable())
        assert report is not None
        if any(each.problems for each in buffers.parse(str(path), text.encode()).documents):
            continue  # whether one finding follows from another is asked in texts that can be read
        assert shown(partly) == shown(report.findings), (version, at)


def test_only_what_changed_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.yaml"
    text = text_of(40)
    path.write_text(text)
    buffers = Buffers()
    project = Project(str(tmp_path), buffers)
    buffers.put(path.as_uri(), str(path), text, 0)
    assert project.lint_all(Stoppable()) is not None
    judged: list[int] = []

    def counting(work: RunInput, *args: object, **more: object) -> object:
        judged.append(sum(len(each.stream.documents) for each in work.sources))
        return lint_run.lint(work, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("dradsl.lsp.linting.project.lint", counting)
    for number in range(4):
        text = text.replace(".architecture ", f".memory{number} ", 1)
        buffers.put(path.as_uri(), str(path), text, number)
        found = project.lint_one(str(path))
        assert any(f'"memory{number}"' in each.message for each in found)
    assert judged == [1, 1, 1, 1]
