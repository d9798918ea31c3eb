"""Our admission against upstream's recorded verdicts on broken objects (verdicts/record.py)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.fields.decoding import NO_MATCH
from dradsl.releases import RELEASES
from tests.kube.asking import ask
from tests.verdicts import corpus

if TYPE_CHECKING:
    from dradsl.kube.server.api_server import Admission

FILE = Path(__file__).parent / "verdicts" / "mutated.jsonl.gz"
# sigs.k8s.io/json gives up after so many strict errors.
_MOST_STRICT = 100


def _admission(question: Any, release: str) -> Admission:
    return ask(
        question["object"],
        release,
        question["features"],
        old=question.get("old"),
        subresource=question.get("subresource"),
        labels=question.get("namespaceLabels", {}),
    )


def _pruned(value: Any) -> Any:
    """Without what Go writes for zero values."""
    if isinstance(value, dict):
        items = {key: _pruned(item) for key, item in value.items()}
        return {
            k: v for k, v in items.items() if v is not False and v not in (None, "", 0, "0", {}, [])
        }
    if isinstance(value, list):
        return [_pruned(item) for item in value]
    return value


def _without_system_fields(obj: Any) -> Any:
    meta = obj.get("metadata", {})
    for name in ("uid", "resourceVersion", "creationTimestamp", "generation", "name"):
        meta.pop(name, None)
    return _pruned(obj)


CASES = list(corpus.read_corpus(FILE))


@pytest.mark.parametrize("release", list(RELEASES))
def test_every_release_is_asked(release: str) -> None:
    assert sum(release in case.answers for case in CASES) > 100


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question["id"])
def test_verdict(case: corpus.Case) -> None:
    ((release, lines),) = case.answers.items()
    ((upstream,),) = lines
    ours = _admission(case.question, release)
    errors = [problem.error for problem in ours.problems]
    unread = [error for error in errors if error.type in (DECODING, NO_MATCH)]
    assert bool(unread) == ("decodeError" in upstream)
    if unread:
        return
    strict = sorted(error.detail for error in errors if error.type == STRICT_DECODING)
    if len(strict) < _MOST_STRICT:
        assert strict == sorted(upstream.get("strictErrors", []))
    expected = {(e["type"], e["field"], e["detail"]) for e in upstream["errors"]}
    assert {(e.type, e.field, e.detail) for e in errors if e.type != STRICT_DECODING} == expected
    assert sorted(ours.warnings) == sorted(upstream.get("warnings", []))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if any("object" in line for ((line,),) in case.answers.values())],
    ids=lambda case: case.question["id"],
)
def test_accepted_object(case: corpus.Case) -> None:
    """Defaults, conversion and dropped fields: what is stored equals what upstream stores."""
    ((release, lines),) = case.answers.items()
    ((upstream,),) = lines
    ours = _admission(case.question, release)
    assert ours.returned is not None
    assert _without_system_fields(ours.returned) == _without_system_fields(upstream["object"])
