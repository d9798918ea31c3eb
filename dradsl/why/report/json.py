"""Answers as JSON; `schemas/why.schema.json` describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.values.printable import json_text
from dradsl.why.answer import steps

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
        "means": steps()[answer.step],
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


_OTHER_NAMES = {"share": "shareID", "admin": "adminAccess", "consumed": "consumedCapacity"}
_OR_NULL = ("model", "since", "share")


def use_as_document(use: DeviceUse) -> dict[str, object]:
    """A device in use as plain data."""
    found: dict[str, object] = {}
    for name in use.__match_args__:
        value = getattr(use, name)
        value = dict(value) if name == "consumed" else value
        value = list(value) if isinstance(value, tuple) else value
        if name != "owner":
            found[_OTHER_NAMES.get(name, name)] = (value or None) if name in _OR_NULL else value
    return found
