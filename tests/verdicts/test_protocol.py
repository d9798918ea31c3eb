"""The protocol of questions and answers: every line is answered, whatever happens to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dradsl.releases import newest_release
from tests.oracle.fuzz.settle import Settled, settle
from tests.replay import __main__ as command, answer_or_failure, scalars
from tests.verdicts import corpus

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BROKEN = {"id": "b", "a": "broken"}
QUESTIONS = [{"id": "a", "a": "1Gi"}, BROKEN, [], {"id": "c", "a": "2Gi"}]


def break_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our code fails on the operand `broken`."""
    answered = scalars.answer_quantity

    def fails(question: Any, release: Any) -> Any:
        known: dict[str, Any] = {}
        return known["memory"] if question["a"] == "broken" else answered(question, release)

    monkeypatch.setattr(scalars, "answer_quantity", fails)


def test_a_question_on_which_we_fail_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_one(monkeypatch)
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS), "utf-8")
    assert command.main(["quantity", str(path)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in lines] == ["a", "b", None, "c"]
    assert [line.get("errorKind") for line in lines] == [None, "failure", "input", None]
    assert lines[1]["error"].startswith("KeyError: 'memory' (test_protocol.py:")


def test_a_failure_is_no_answer_of_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    break_one(monkeypatch)
    release = newest_release()
    ours = answer_or_failure("quantity", BROKEN, release)
    crash = {"error": "the oracle crashed", "errorKind": "crash"}
    assert not corpus.agree("quantity", ((crash,),), ours)
    assert settle("quantity", release.name, BROKEN, [crash]) is Settled.DIFFERS
