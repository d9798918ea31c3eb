"""The questions that are put to upstream's own code, answered by dradsl in the same protocol.

`tests/oracle` (Go) and this package read and write the same JSON Lines, so that any difference
between Kubernetes and dradsl shows line by line. The protocol is in `tests/oracle/README.md`.
"""

from __future__ import annotations

from tests.replay.protocol import (
    SUBJECTS,
    Answer,
    QuestionError,
    answer,
    answer_or_failure,
    reply,
)

__all__ = ["SUBJECTS", "Answer", "QuestionError", "answer", "answer_or_failure", "reply"]
