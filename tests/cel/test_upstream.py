"""A selector matches the same with and without a cost counter. Upstream's answers are replayed in tests/verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from dradsl.cel.dra import CompiledSelector, compile_selector, device_view
from dradsl.cel.runtime.values import CelRuntimeError
from dradsl.releases import get_release
from tests.verdicts import corpus

PARTS = 3


def matched(selector: CompiledSelector, device: dict[str, Any]) -> tuple[bool | None, str | None]:
    try:
        return selector.match(device_view(device["driver"], device)), None
    except CelRuntimeError as error:
        return None, error.message


@pytest.mark.parametrize("part", range(PARTS))
def test_the_cost_counter_changes_no_answer(part: int) -> None:
    (path,) = (path for path in corpus.corpora("cel") if path.name.startswith("expressions."))
    asked = 0
    for case in corpus.read_corpus(path, start=part, step=PARTS):
        question = case.question
        gates = question["features"] if isinstance(question["features"], dict) else {}
        for name in case.answers:
            release = get_release(name)
            text, mode = question["expression"], question["env"]
            selector = compile_selector(text, release, release.features(gates), mode)
            if selector.error is not None:
                continue
            for device in question["devices"]:
                outcome, _ = selector.match_with_cost(device_view(device["driver"], device))
                metered = (
                    (None, outcome.message)
                    if isinstance(outcome, CelRuntimeError)
                    else (outcome, None)
                )
                assert metered == matched(selector, device), (text, name)
                asked += 1
    assert asked > 500
