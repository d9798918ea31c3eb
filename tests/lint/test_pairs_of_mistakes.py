"""Two mistakes in one manifest: what is said of each alone is said of both in one run."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest
import yaml

from dradsl.diagnostics import Finding, Severity
from dradsl.lint import lint_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "pairs"
RIGHT = (HERE / "right.yaml").read_text()
MISTAKES: dict[str, dict[str, str]] = yaml.safe_load((HERE / "mistakes.yaml").read_text())

# The second is only known once the first is right: the class says whose devices are meant, a name which object.
FIRST = {
    "class-name-key": {"con-k8s", "con-unknown-attr", "pod-claims-limits", "cel-string-value", "cel-domain"},
    "class-case": {"con-k8s", "con-unknown-attr", "pod-claims-limits", "cel-string-value", "cel-domain"},
    "resource-class": {"con-k8s", "con-unknown-attr", "pod-claims-limits", "cel-string-value", "cel-domain"},
    "name-upper": {"pod-claims-limits", "pod-claim-for-template", "pod-namespace"},
    "con-request": {"con-k8s", "con-unknown-attr"},
    "req-name": {"con-k8s", "con-unknown-attr"},
    "pod-templateName": {"pod-claims-limits", "pod-namespace"},
    "pod-namespace": {"pod-claims-limits", "pod-claim-for-template"},
    "pod-claim-for-template": {"pod-claims-limits", "pod-namespace"},
    "beta-version": {"no-exactly"},
    "alpha-version": {"no-exactly", "kind-case"},
    "kind-case": {"alpha-version"},
    "cel-string-value": {"cel2-huge"},
    "cel-misspelt": {"cel2-huge"},
    "cel-wrong-value": {"cel2-huge"},
    "cel-mem-attr": {"cel2-huge"},
    "cel-domain": {"cel2-huge"},
    "cel-version": {"cel2-huge"},
    "conf-api": {"conf-kind"},
}  # fmt: skip


def made(*names: str) -> str | None:
    text = RIGHT
    for name in names:
        mistake = MISTAKES[name]
        if mistake["of"] not in text:
            return None
        text = text.replace(mistake["of"], mistake["to"], 1)
    return text


def told(text: str) -> set[tuple[str, str]]:
    def every(findings: tuple[Finding, ...]) -> Iterator[Finding]:
        for each in findings:
            yield each
            yield from every(each.folded)

    found = every(lint_text(text, "claims.yaml").findings)
    line = re.compile(r" that begins on line \d+")
    return {
        (each.code, line.sub("", each.message))
        for each in found
        if each.severity is not Severity.INFO
    }


def pairs() -> list[tuple[str, str]]:
    # Those of which one is in the text of the other are no two mistakes.
    found = [
        (one, other)
        for one, other in itertools.combinations(MISTAKES, 2)
        if made(one, other) is not None and made(one, other) == made(other, one)
    ]
    return random.Random(1).sample(found, 220)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name: str) -> None:
    text = made(name)
    assert text is not None
    assert text != RIGHT
    assert told(text) or name == "tol"


@pytest.mark.parametrize(("one", "other"), pairs())
def test_each_of_two_mistakes_is_told(one: str, other: str) -> None:
    text = made(one, other)
    assert text is not None
    both = told(text)
    for name, first in ((one, other), (other, one)):
        alone = told(made(name) or "")
        assert not alone or alone & both or name in FIRST.get(first, ())


def test_right() -> None:
    assert told(RIGHT) == set()


def test_a_value_that_another_program_fills_in_is_judged_alone() -> None:
    """Files for `envsubst` have variables in names too: none of them is a mistake by itself."""
    text = RIGHT.replace("count: 2", "count: $COUNT").replace("type ==", "kind ==")
    assert [code for code, _ in told(text)] == ["DRA006"]
    assert len(told(text.replace("$COUNT", "two"))) > 1
