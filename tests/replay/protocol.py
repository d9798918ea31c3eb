"""Questions and answers: one JSON object a line, `id` echoed, every line answered."""

from __future__ import annotations

import importlib
import json
import traceback
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, cast

from dradsl.releases import Features, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "SUBJECTS",
    "Answer",
    "Question",
    "QuestionError",
    "answer",
    "answer_or_failure",
    "gates_of",
    "reply",
]

Question: TypeAlias = "JsonMapping"
Answer: TypeAlias = "JsonObject"
Answerer: TypeAlias = "Callable[[Question, Release], list[Answer]]"


class QuestionError(ValueError):
    """A question that cannot be asked: a field is missing, of a wrong type or unknown."""


SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        "alloc": "tests.replay.alloc",
        "cel": "tests.replay.cel",
        "pod": "tests.replay.validate",
        "quantity": "tests.replay.scalars",
        "quota": "tests.replay.quota",
        "schedule": "tests.replay.schedule",
        "semver": "tests.replay.scalars",
        "validate": "tests.replay.validate",
        "yaml": "tests.replay.scalars",
    }
)

# Needs a gate of another feature as well, so that "all" and "none" leave it.
_NOT_ALONE = ("DRAWorkloadResourceClaims",)

# The allocator names some of its flags otherwise than the gates that they stand for.
_OTHER_NAMES = {
    "CompatibilityGroups": ("DRADeviceCompatibilityGroups",),
    "DeviceBinding": ("DRADeviceBindingConditions",),
    "DeviceBindingAndStatus": ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"),
    "DeviceStatus": ("DRAResourceClaimDeviceStatus",),
}


def answer(subject: str, question: Question, release: Release) -> list[Answer]:
    """The answers to one question, without its id.

    Raises:
        QuestionError: if the question makes no sense.
    """
    if subject not in SUBJECTS:
        raise QuestionError(f"unknown subject {subject!r} (known: {', '.join(SUBJECTS)})")
    module = importlib.import_module(SUBJECTS[subject])
    answerer = cast("Answerer", getattr(module, f"answer_{subject}"))
    return answerer(question, release)


def answer_or_failure(subject: str, question: Question, release: Release) -> list[Answer]:
    """The answers to one question; whatever goes wrong becomes an answer with "error".

    Its `errorKind` is "input" if the question makes no sense, and "failure" if our code is at fault,
    which is no answer that upstream could give. So one question never ends a run.
    """
    try:
        return answer(subject, question, release)
    except (ValueError, RecursionError) as error:
        return [{"error": str(error), "errorKind": "input"}]
    except Exception as error:  # noqa: BLE001 - the run goes on, and this question has failed
        at = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({Path(at.filename).name}:{at.lineno})"
        return [{"error": text, "errorKind": "failure"}]


def reply(subject: str, line: str, release: Release) -> list[str]:
    """The lines that answer one line; whatever is wrong with it becomes an answer with "error"."""
    identity: object = None
    try:
        question = json.loads(line)
    except (ValueError, RecursionError) as error:
        replies = [{"error": str(error), "errorKind": "input"}]
    else:
        if isinstance(question, dict):
            identity = question.get("id")
            replies = answer_or_failure(subject, question, release)
        else:
            replies = [{"error": "a question is an object", "errorKind": "input"}]
    return [
        json.dumps({"id": identity, **one}, ensure_ascii=False, sort_keys=True) for one in replies
    ]


def gates_of(question: Question, release: Release, *, locked: bool = False) -> Features:
    """The gates that a question turns on: "defaults", "all", "none" or single overrides.

    Gates that the release does not know stay off, so that one question can be put to all of them.
    The allocator and CEL take flags of their own, which nothing locks; an API server rejects
    (`locked`).

    Raises:
        QuestionError: for a word that is none of these, or a locked gate.
    """
    asked = question.get("features")
    enabled = {gate.name for gate in release.gates.values() if gate.default}
    if asked is None or asked == "defaults":
        return Features(release.name, frozenset(enabled))
    if asked in ("all", "none"):
        for gate in release.gates.values():
            if gate.name.startswith("DRA") and not gate.locked and gate.name not in _NOT_ALONE:
                (enabled.add if asked == "all" else enabled.discard)(gate.name)
        return Features(release.name, frozenset(enabled))
    if not isinstance(asked, dict):
        raise QuestionError(f"features: unknown word {asked!r}")
    rejected = []
    for name in sorted(asked):
        for called in _gates_called(name, release):
            gate_or_none = release.gates.get(called)
            if gate_or_none is None:
                continue
            if locked and gate_or_none.locked and asked[name] is not gate_or_none.default:
                rejected.append(_locked_text(called, default=gate_or_none.default))
            (enabled.add if asked[name] else enabled.discard)(called)
    if rejected:
        # As an aggregate of Go prints several; upstream's own order is that of a map.
        told = list(dict.fromkeys(rejected))
        raise QuestionError(told[0] if len(told) == 1 else f"[{', '.join(told)}]")
    return Features(release.name, frozenset(enabled))


def _gates_called(name: str, release: Release) -> tuple[str, ...]:
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    if name in release.gates or name.startswith("DRA"):
        return (name,)
    return ("DRA" + name,)


def _locked_text(name: str, *, default: bool) -> str:
    # apiserver component-base featuregate/feature_gate.go
    state = "true" if default else "false"
    other = "false" if default else "true"
    return f"cannot set feature gate {name} to {other}, feature is locked to {state}"
