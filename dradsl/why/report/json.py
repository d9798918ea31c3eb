"""Answers as JSON; `schemas/why.schema.json` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.values.printable import json_text
from dradsl.why.answer import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.why.answer import Answer, DeviceUse

__all__ = ["render", "use_as_document"]


def render(
    answers: Sequence[Answer],
    unknown: Iterable[str],
    read: Mapping[str, int],
    release: str,
    out: TextIO,
) -> None:
    """Write the answers as one JSON object."""
    document = {
        "version": 1,
        "kubernetes": release,
        "answers": [_answer(one) for one in answers],
        "unknown": list(unknown),
        "read": dict(read),
    }
    out.write(json_text(document, ascii_only=False) + "\n")


def _answer(answer: Answer) -> dict[str, object]:
    return {
        "subject": answer.subject,
        "state": answer.state,
        "stopped": answer.is_stopped,
        "step": answer.step,
        "means": STEPS[answer.step],
        "cause": answer.cause,
        "details": list(answer.details),
        "devices": [use_as_document(use) for use in answer.devices],
        "holders": [use_as_document(use) for use in answer.holders],
        "change": answer.change.text if answer.change else None,
        "givesUp": answer.change.gives_up or None if answer.change else None,
        "tried": answer.change.tried if answer.change else None,
        "patch": list(answer.change.patch) if answer.change else [],
        "said": [str(fact) for fact in answer.facts],
        "facts": [{"about": fact.about, "text": fact.text} for fact in answer.facts],
        "alike": list(answer.alike),
        "since": answer.since or None,
    }


def use_as_document(use: DeviceUse) -> dict[str, object]:
    """A device in use as plain data."""
    return {
        "driver": use.driver,
        "pool": use.pool,
        "device": use.device,
        "model": use.model or None,
        "claim": use.claim,
        "request": use.request,
        "pods": list(use.pods),
        "since": use.since or None,
        "shareID": use.share or None,
        "adminAccess": use.admin,
        "consumedCapacity": dict(use.consumed),
        "published": use.published,
        "trouble": list(use.trouble),
        "taints": list(use.taints),
        "leftover": list(use.leftover),
    }
