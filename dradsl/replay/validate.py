"""Objects as the API server takes them: decoded, defaulted, stripped of gated fields, validated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from dradsl.cel.dra import Mode
    from dradsl.kube.errors import FieldError
    from dradsl.kube.server.admission import Admission
    from dradsl.kube.validation import CelCost, CelFailure, CompileCel
    from dradsl.releases import Features, Release

__all__ = ["answer_pod", "answer_validate"]

# What the server fills in and the oracle leaves out, because it differs from run to run.
_NOT_SHOWN = ("uid", "creationTimestamp", "resourceVersion")


def answer_validate(question: Question, release: Release) -> list[Answer]:
    """Errors, warnings, and the object as it would be stored."""
    from dradsl.kube.server.admission import admit

    obj, doubled = _object(question)
    if isinstance(obj, _Unreadable):
        return [{"decodeError": obj.why, "errors": []}]
    features = gates_of(question, release, locked=True)
    compile_cel, cel_cost = _cel(release, features)
    admission = admit(
        obj,
        release,
        features,
        old=question.get("old"),
        subresource=question.get("subresource") or None,
        namespace_labels=question.get("namespaceLabels") or {},
        compile_cel=compile_cel,
        cel_cost=cel_cost,
        defaulted=bool(question.get("default")),
    )
    answer = _shown(admission, obj)
    if doubled:
        answer["strictErrors"] = [doubled, *answer.get("strictErrors", ())]
    return [answer]


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A text of which no reader makes an object."""

    why: str


def _object(question: Question) -> tuple[Any, str]:
    """The object that is asked about, and what the reader says of its doubled keys."""
    obj, text = question.get("object"), question.get("yaml")
    if isinstance(obj, dict):
        return obj, ""
    if not isinstance(text, str):
        raise QuestionError("object: missing")
    from dradsl.text.documents import DEFAULT_LIMITS
    from dradsl.text.reading import read_chunk

    reading = next(read_chunk(text, DEFAULT_LIMITS.max_depth, DEFAULT_LIMITS.max_nodes), None)
    if reading is None:
        return {}, ""
    for complaint in reading.complaints:
        if complaint.fatal:
            why = complaint.upstream or complaint.message
            return _Unreadable(why.removeprefix("error converting YAML to JSON: ")), ""
    if reading.data is not None and not isinstance(reading.data, dict):
        return _Unreadable("couldn't get version/kind"), ""
    doubled = [
        f"  line {text.count(chr(10), 0, one.start) + 1}: key"
        f" {json.dumps(text[one.start : one.end])} already set in map"
        for one in reading.complaints
        if one.reason == "duplicate-key"
    ]
    said = "\n".join(["yaml: unmarshal errors:", *doubled]) if doubled else ""
    return reading.data or {}, said


def answer_pod(question: Question, release: Release) -> list[Answer]:
    """What concerns resource claims and extended resources in the errors of a pod."""
    from dradsl.kube.pods.spec import validate_pod_spec

    obj, doubled = _object(question)
    if isinstance(obj, _Unreadable):
        return [{"decodeError": obj.why, "errors": []}]
    if obj.get("kind") in ("PodGroup", "Workload"):
        return [_group(question, obj, doubled, release)]
    metadata = obj.get("metadata") or {}
    errors = validate_pod_spec(
        obj.get("spec"),
        gates_of(question, release, locked=True),
        annotations=metadata.get("annotations"),
        path=("spec",),
        defaulted=bool(question.get("default")),
    )
    return [_told("Pod", errors, doubled)]


def _group(question: Question, obj: dict[str, Any], doubled: str, release: Release) -> Answer:
    """What concerns the claims of a group of pods; its `object` is right in its claims."""
    from dradsl.kube.errors import DECODING, STRICT_DECODING
    from dradsl.kube.fields.decoding import NO_MATCH
    from dradsl.kube.pods.pod_groups import group_errors, no_match, stored_group

    features, old = gates_of(question, release, locked=True), question.get("old")
    mismatch = no_match(obj, features)
    errors = group_errors(obj, features, old) if mismatch is None else [mismatch]
    if question.get("subresource") == "status":
        # The status is written, the spec stays as it was: only what cannot be read is refused.
        unread = (DECODING, STRICT_DECODING, NO_MATCH)
        errors = [error for error in errors if error.type in unread]
        obj = {**obj, "spec": (old or {}).get("spec")}
    answer = _told(str(obj["kind"]), errors, doubled)
    if not answer["errors"] and "decodeError" not in answer:
        answer["object"] = stored_group(obj, features, old)
    return answer


def _told(kind: str, errors: list[FieldError], doubled: str) -> Answer:
    from dradsl.kube.errors import DECODING, STRICT_DECODING
    from dradsl.kube.fields.decoding import MOST_STRICT, NO_MATCH

    answer: Answer = {"kind": kind}
    if undecoded := [error.detail for error in errors if error.type in (DECODING, NO_MATCH)]:
        return answer | {"decodeError": undecoded[0], "errors": []}
    strict = [error.detail for error in errors if error.type == STRICT_DECODING][:MOST_STRICT]
    if doubled or strict:
        answer["strictErrors"] = [doubled, *strict] if doubled else strict
    answer["errors"] = [
        {"type": error.type, "field": error.field, "detail": error.detail}
        for error in errors
        if error.type != STRICT_DECODING
    ]
    return answer


def _shown(admission: Admission, obj: dict[str, Any]) -> Answer:
    from dradsl.kube.errors import DECODING, STRICT_DECODING
    from dradsl.kube.fields.conversion import from_v1
    from dradsl.kube.fields.decoding import NO_MATCH

    errors = [problem.error for problem in admission.problems]
    answer: Answer = {"kind": admission.kind}
    if undecoded := [e.detail for e in errors if e.type in (DECODING, NO_MATCH)]:
        return answer | {"decodeError": undecoded[0], "errors": []}
    if strict := [error.detail for error in errors if error.type == STRICT_DECODING]:
        answer["strictErrors"] = strict
    if admission.warnings:
        answer["warnings"] = list(admission.warnings)
    refused = [error for error in errors if error.type != STRICT_DECODING]
    answer["errors"] = [
        {"type": error.type, "field": error.field, "detail": error.detail} for error in refused
    ]
    if not refused and admission.object is not None:
        version = str(obj.get("apiVersion"))
        stored = admission.object
        if stored.get("apiVersion") != version:
            stored = from_v1(stored, version)
        answer["object"] = _without_noise(stored)
    return answer


def _without_noise(stored: dict[str, Any]) -> dict[str, Any]:
    metadata = {
        key: value for key, value in stored.get("metadata", {}).items() if key not in _NOT_SHOWN
    }
    shown = {**stored, "metadata": metadata}
    if not shown.get("status"):
        shown.pop("status", None)
    return shown


def _cel(release: Release, features: Features) -> tuple[CompileCel, CelCost]:
    from dradsl.cel.dra import COST_LIMIT, compile_selector

    def compile_cel(expression: str, kind: Mode, /) -> CelFailure | None:
        selector = compile_selector(expression, release, features, kind)
        if selector.error is not None:
            return _Failure(selector.error.type, selector.error.detail)
        if selector.max_cost > COST_LIMIT:
            return _Failure("FieldValueForbidden", "too complex, exceeds cost limit")
        return None

    def cel_cost(expression: str, /) -> int | None:
        selector = compile_selector(expression, release, features, "derived")
        return None if selector.error is not None else selector.max_cost

    return compile_cel, cel_cost


@dataclass(frozen=True, slots=True)
class _Failure:
    type: str
    detail: str
    start: int | None = None
    end: int | None = None
