"""Our verdicts against upstream's: the table of expressions, and thousands of random ones."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dradsl.cel.dra import CompiledSelector, compile_selector, device_view
from dradsl.cel.runtime.values import CelRuntimeError
from dradsl.releases import get_release
from tests.cel.expressions import DEVICES
from tests.cel.record import LIBRARY, PROBE_RELEASES, RANDOM, probe_question, read_rows

_DATA = Path(__file__).parent / "data"


def _compile_text(detail: str) -> str:
    """A compile error without the wording of syntax errors, whose position is what counts."""
    if "Syntax error" in detail:
        return detail.partition(": Syntax error")[0]
    return detail


def _match(selector: CompiledSelector, device: dict[str, Any]) -> tuple[bool | None, str | None]:
    try:
        return selector.match(device_view(device["driver"], device)), None
    except CelRuntimeError as error:
        return None, error.message


# -- the table -----------------------------------------------------------------------------


def _table() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with gzip.open(_DATA / "table.jsonl.gz", "rt", encoding="utf-8") as lines:
        first, *rest = [json.loads(line) for line in lines]
    return first["devices"], rest


_DEVICES, _ROWS = _table()


def _selector(expression: str, where: str) -> CompiledSelector:
    """The selector in one of the table's environments, such as `1.36+listattrs/new`.

    The columns 1.37~ were recorded before that release and are close to it.
    """
    name, _, mode = where.partition("/")
    release = get_release(name.partition("+")[0].rstrip("~"))
    gates = {"DRAListTypeAttributes": True} if "listattrs" in name else {}
    return compile_selector(
        expression, release, release.features(gates), "new" if mode == "new" else "stored"
    )


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row["expr"][:60])
def test_table(row: dict[str, Any]) -> None:
    for answer in row["answers"]:
        for where in answer["where"]:
            selector = _selector(row["expr"], where)
            if "compile_error" in answer:
                assert selector.error is not None, where
                first = selector.error.detail.split("\n")[0]
                assert _compile_text(first) == _compile_text(answer["compile_error"]), where
                continue
            assert selector.error is None, where
            assert (selector.max_cost, selector.result_type) == (answer["est"], answer["type"])
            match, error = _match(selector, _DEVICES[row["device"]])
            assert match == answer.get("match"), where
            # Which of several list attributes upstream trips over is left to chance.
            expected = re.sub(r"attribute \w+: ", "", answer.get("runtime_error", ""))
            assert re.sub(r"attribute \w+: ", "", error or "") == expected, where


# -- random expressions --------------------------------------------------------------------

_RECORDED = read_rows(RANDOM)
_GROUPS = sorted({(row["release"], row["mode"], str(row["gates"])) for row in _RECORDED})


@pytest.mark.parametrize("group", _GROUPS, ids=lambda group: "-".join(group))
def test_random_expressions(group: tuple[str, str, str]) -> None:
    rows = [r for r in _RECORDED if (r["release"], r["mode"], str(r["gates"])) == group]
    wrong = [row["expression"] for row in rows if not _agrees(row)]
    assert not wrong, f"{len(wrong)} of {len(rows)} differ from upstream, first {wrong[0]}"


def _agrees(row: dict[str, Any]) -> bool:
    release = get_release(row["release"])
    features = release.features(row["gates"])
    selector = compile_selector(row["expression"], release, features, row["mode"])
    answer = row["answer"]
    if answer["compileError"] is not None:
        failure = selector.error
        expected = answer["compileError"]
        return (
            failure is not None
            and failure.type == expected["type"]
            and _compile_text(failure.detail) == _compile_text(expected["detail"])
        )
    if selector.error is not None:
        return False
    if (selector.max_cost, selector.result_type) != (answer["maxCost"], answer["outputType"]):
        return False
    return all(
        _outcome_agrees(selector, device, expected)
        for device, expected in zip(DEVICES, answer["results"], strict=True)
    )


def _outcome_agrees(
    selector: CompiledSelector, device: dict[str, Any], expected: dict[str, Any]
) -> bool:
    match, error = _match(selector, device)
    outcome, cost = selector.match_with_cost(device_view(device["driver"], device))
    metered = (None, outcome.message) if isinstance(outcome, CelRuntimeError) else (outcome, None)
    return (
        match == expected["match"]
        and error == expected.get("error")
        and metered == (match, error)
        and cost == expected["cost"]
    )


# -- the libraries -------------------------------------------------------------------------


_LEFT_OUT = (
    '("http://::1/',  # which colons a host may have depends on the Go of the release
    "format.qualifiedName",  # 1.34 counts characters where later ones count bytes
    "format.labelValue",
    "{dyn([",  # lists, maps, quantities and types used as what they are no good for
    "{dyn({",
    "{dyn(quantity(",
    "dyn(type(1)).matches",
    "has(dyn(optional.",
)
"""Where we differ, see docs/design/cel.md."""


_PARTS = 3  # of so many probes; together they take long


@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("release", PROBE_RELEASES)
def test_functions_of_the_libraries(release: str, part: int) -> None:
    wrong = []
    for row in read_rows(LIBRARY)[part::_PARTS]:
        probe, expected = row["probe"], row.get(release) or row["all"]
        if any(part in probe for part in _LEFT_OUT):
            continue
        selector = compile_selector(probe_question(probe), release)
        if _shown(selector) != expected:
            wrong.append((probe, expected, _shown(selector)))
    assert not wrong, f"{len(wrong)} differ from upstream, first {wrong[0]}"


def _shown(selector: CompiledSelector) -> dict[str, Any]:
    if selector.error is not None:
        return {"refused": selector.error.detail}
    outcome, cost = selector.match_with_cost(device_view("d", {}))
    shown: dict[str, Any] = {"maxCost": selector.max_cost, "cost": cost, "match": outcome}
    if isinstance(outcome, CelRuntimeError):
        shown |= {"match": None, "error": outcome.message}
    return shown
