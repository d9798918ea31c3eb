"""The CEL of an expression means what the expression says, on any device, and is never rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings, strategies as st

from dradsl.cel.dra import compile_selector, device_view
from dradsl.dsl.expressions.expression import facts_where, to_cel
from dradsl.releases import RELEASES
from tests.dsl.worlds import Meaning, big, devices, expressions, published
from tests.verdicts.corpus import read_corpus

if TYPE_CHECKING:
    from dradsl.dsl import Expression

# The lists of the made-up driver need the gate.
GATES = {"DRAListTypeAttributes": True}


@settings(max_examples=120, deadline=None)
@given(expressions(), st.lists(devices(), min_size=1, max_size=3))
def test_cel_gives_what_the_expression_means(
    written: tuple[Expression, Meaning], seen: list[dict[str, Any]]
) -> None:
    expression, meaning = written
    release = RELEASES["1.36"]
    selector = compile_selector(to_cel(expression), release, release.features(GATES), mode="stored")
    assert selector.error is None, selector.error
    for device in seen:
        data = published(device)
        view = device_view(device["driver"], data)
        assert selector.match(view) is meaning.of(device)


@settings(max_examples=80, deadline=None)
@given(expressions(), st.sampled_from(sorted(RELEASES)))
def test_no_release_rejects_the_cel(written: tuple[Expression, Meaning], name: str) -> None:
    release = RELEASES[name]
    text = to_cel(written[0])
    selector = compile_selector(text, release, release.features(), mode="new")
    assert selector.error is None, (text, selector.error)
    assert selector.max_cost is not None
    assert selector.max_cost < 10_000


@settings(max_examples=80, deadline=None)
@given(expressions(), devices())
def test_what_the_class_shows_needs_no_guard(
    written: tuple[Expression, Meaning], device: dict[str, Any]
) -> None:
    """On devices that the class selects, the CEL with fewer guards says the same."""
    if not (device["driver"] == "test.example.com" and device["values"].get("type") == "big"):
        return
    expression, meaning = written
    release = RELEASES["1.36"]
    text = to_cel(expression, known=facts_where(big))
    selector = compile_selector(text, release, release.features(GATES), mode="stored")
    assert selector.match(device_view(device["driver"], published(device))) is meaning.of(device)


def test_upstream_means_the_same() -> None:
    """What upstream's own code answered for expressions like these, in every release."""
    path = Path(__file__).parents[1] / "verdicts" / "cel" / "dsl.jsonl.gz"
    cases = list(read_corpus(path))
    assert len(cases) > 200
    for case in cases:
        meant = json.loads(case.note.removeprefix("means "))
        for release in RELEASES:
            [(answer,)] = case.answers[release]
            assert answer["compileError"] is None, (case.name, release)
            assert [one.get("match") for one in answer["results"]] == meant, (case.name, release)
