"""The bound that lets an evaluation go uncounted: no recorded cost of upstream exceeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.cel.cost.bound import cost_bound
from dradsl.cel.dra import COST_LIMIT, CompiledSelector, compile_selector
from dradsl.releases import RELEASES
from tests.replay.protocol import gates_of
from tests.verdicts import corpus

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.cel.dra import Mode

# Expressions that are no selectors, and functions that have no bound.
_OTHERS = ("derived", "admission", "overloads")
_CORPORA = [path for path in corpus.corpora("cel") if not path.name.startswith(_OTHERS)]


def _selector(case: corpus.Case, release: str) -> CompiledSelector:
    question, row = case.question, RELEASES[release]
    mode: Mode = "new" if question.get("env") == "new" else "stored"
    return compile_selector(question["expression"], row, gates_of(question, row), mode)


@pytest.mark.parametrize("path", _CORPORA, ids=lambda path: path.name)
@pytest.mark.parametrize("release", ["1.34", "1.35", "1.37"])
def test_no_recorded_cost_exceeds_the_bound(path: Path, release: str) -> None:
    bounded = asked = 0
    for case in corpus.read_corpus(path):
        lines = case.answers.get(release)
        asked += lines is not None
        if not lines or not lines[0][0].get("results"):
            continue
        selector = _selector(case, release)
        assert selector.program is not None
        most = cost_bound(selector.program.checked, COST_LIMIT)
        if most is None:
            continue
        bounded += 1
        costs = [one.get("cost", 0) for choice in lines[0] for one in choice["results"]]
        assert max(costs) <= most, case.name
    assert bounded or not asked


def test_selectors_of_drivers_are_bounded() -> None:
    for case in corpus.read_corpus(corpus.FOLDER / "cel" / "selectors.jsonl.gz"):
        selector = _selector(case, "1.36")
        if selector.program is not None:
            assert selector.program.bounded, selector.text


@pytest.mark.parametrize(
    "text",
    [
        "[lists.range(300000)].flatten().all(x, x + x + x >= 0)",
        '"".split(",").all(x, lists.range(60000).all(y, y + y + y + y + y + y + y + y + y >= 0))',
        'lists.range(5000).all(x, format.uri().validate("abc").hasValue())',
        'cel.bind(a, ["x", "y"], cel.bind(b, [a, a], cel.bind(c, [b, b], c.includes("x"))))',
        "[1].all(device, size(.device.driver) < 9)",
    ],
)
def test_what_is_not_known_to_stay_below_the_limit_is_counted(text: str) -> None:
    row = RELEASES["1.37"]
    features = gates_of({"features": "all"}, row)
    program = compile_selector(text, row, features, "stored").program
    assert program is not None
    assert not program.bounded


def test_a_loop_over_a_domain_is_bounded() -> None:
    text = 'device.attributes["gpu.example.com"].exists(name, name.startsWith("mig"))'
    program = compile_selector(text, "1.36").program
    assert program is not None
    assert program.bounded
