"""What Kustomize's decoder read in kustomizations, and what the check saw in them.

`decoded.json` holds the answers of Kustomize 5.7 (tests/oracle/kustomizations).
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.tree.rendering.kustomization_cases import BY_HAND, RECORDED, cases
from tests.tree.rendering.record import rewritten

# Numbers of whatever mappings are floating point ones in Go.
ROWS: list[dict[str, Any]] = json.loads(RECORDED.read_text("utf-8"), parse_int=float)
TEXTS = [base64.b64decode(row["data"]) for row in ROWS]
# What Kustomize takes, and dradsl does not: the words of the reason.
REJECTED = {
    "other case": "unknown field 'Resources'",
    "all in capitals": "unknown field 'GENERATORS'",
    "other case of a field within": "unknown field 'ReleaseName'",
    "other case after the right one": "unknown field 'helmcharts'",
    "other case before the right one": "unknown field 'helmcharts'",
    "a letter that folds to s": "unknown field 're\u017fources'",
    "equal keys": "is given twice",
    "equal keys in another style": "is given twice",
    "equal keys by an escape": "is given twice",
    "equal keys within": "is given twice",
    "two documents": "expected one document",
    "an empty document first": "expected one document",
    "an empty document last": "expected one document",
    "text after the mark": "only a comment may follow",
    "the end of a document": "expected one document",
    "something after the end": "nothing is read",
    "a directive": ":2: ",
    "a directive of tags": ":2: ",
    "UTF-16": "not plain YAML in UTF-8",
    "nothing": "expected one document",
    "null": "expected one document",
    "null in a list": "an item is null",
    "the home of another helm": "unknown field 'configHome'",
    "a program": "unknown field 'chartName'",
}


def _without_empty(value: Any) -> Any:
    """A value without what Go leaves out of its JSON."""
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each}
    if isinstance(value, list):
        return [_without_empty(each) for each in value]
    return value


def test_the_cases_are_those_that_were_recorded() -> None:
    assert cases() == TEXTS


@pytest.mark.parametrize("index", range(len(ROWS)))
def test_what_is_handed_over_is_what_kustomize_reads(index: int) -> None:
    """Nothing that Kustomize rejects is taken, and what is taken is read alike."""
    text, reason = rewritten(TEXTS[index])
    if text is None:
        assert reason
        assert "written" not in ROWS[index]
        return
    assert text == ROWS[index]["written"]
    assert "error" not in ROWS[index]["read"]
    read = ROWS[index]["read"]["kustomization"]
    assert _without_empty(json.loads(text, parse_int=float)) == _without_empty(read)


def test_what_kustomize_reads_and_dradsl_rejects() -> None:
    found = {}
    for name, text, row in zip(BY_HAND, TEXTS, ROWS, strict=False):
        written, reason = rewritten(text)
        if written is None and "error" not in row["read"]:
            found[name] = reason or ""
    assert found.keys() == REJECTED.keys()
    assert {name: REJECTED[name] in found[name] for name in found} == dict.fromkeys(found, True)


def test_seeds_give_both() -> None:
    seeded = ROWS[len(BY_HAND) :]
    taken = sum("written" in row for row in seeded)
    differing = sum("written" not in row and "error" not in row["read"] for row in seeded)
    assert taken > 50
    assert differing > 50
