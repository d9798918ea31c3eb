"""Objects as the API server takes them: decoded, defaulted, stripped of gated fields, validated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.errors import FieldError
    from dradsl.kube.server.api_server import Admission, ApiServer
    from dradsl.releases import Release
    from dradsl.values.json_types import JsonObject

__all__ = ["answer_pod", "answer_validate", "returned"]

# What the server fills in and the oracle leaves out, because it differs from run to run.
_NOT_SHOWN = ("uid", "creationTimestamp", "resourceVersion")


def answer_validate(question: Question, release: Release) -> list[Answer]:
    """Errors, warnings, and the object as it would be stored."""
    obj, doubled = _object(question)
    if isinstance(obj, _Unreadable):
        return [{"decodeError": obj.why, "errors": []}]
    server, old = _server(question, release), question.get("old")
    server.add_namespace(_namespace(obj, question.get("namespaceLabels") or {}))
    defaulted = bool(question.get("default"))
    if old is None:
        admission = server.create(obj, defaulted=defaulted)
    elif question.get("subresource") == "status":
        admission = server.update_status(obj, old, defaulted=defaulted)
    else:
        admission = server.update(obj, old, defaulted=defaulted)
    answer = _shown(admission)
    if doubled:
        answer["strictErrors"] = [doubled, *answer.get("strictErrors", ())]
    return [answer]


def _server(question: Question, release: Release) -> ApiServer:
    from dradsl.kube.server.api_server import ApiServer

    return ApiServer(release, gates_of(question, release, locked=True))


def _namespace(obj: Mapping[str, object], labels: Mapping[str, object]) -> dict[str, object]:
    """The namespace that the object of a question goes to, with the labels that the question says."""
    metadata = obj.get("metadata")
    name = metadata.get("namespace") if isinstance(metadata, dict) else None
    return {"kind": "Namespace", "metadata": {"name": name or "default", "labels": labels}}


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

    reading = next(iter(read_chunk(text, DEFAULT_LIMITS.max_depth, DEFAULT_LIMITS.max_nodes)), None)
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
        if one.reason in ("duplicate-key", "repeated-key")
    ]
    said = "\n".join(["yaml: unmarshal errors:", *doubled]) if doubled else ""
    return reading.data or {}, said


def answer_pod(question: Question, release: Release) -> list[Answer]:
    """What concerns resource claims and extended resources in the errors of a pod."""
    obj, doubled = _object(question)
    if isinstance(obj, _Unreadable):
        return [{"decodeError": obj.why, "errors": []}]
    server = _server(question, release)
    if obj.get("kind") in ("PodGroup", "Workload"):
        return [_group(question, obj, doubled, server)]
    metadata = obj.get("metadata") or {}
    errors = server.pod(
        obj.get("spec"),
        metadata.get("annotations"),
        ("spec",),
        defaulted=bool(question.get("default")),
    )
    return [_told("Pod", errors, doubled)]


def _group(question: Question, obj: dict[str, object], doubled: str, server: ApiServer) -> Answer:
    """What concerns the claims of a group of pods; its `object` is right in its claims."""
    status = question.get("subresource") == "status"
    admission = server.group(obj, question.get("old"), status=status)
    errors = [problem.error for problem in admission.problems]
    answer = _told(str(obj["kind"]), errors, doubled)
    if not answer["errors"] and "decodeError" not in answer:
        answer["object"] = admission.object
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


def _shown(admission: Admission) -> Answer:
    from dradsl.kube.errors import DECODING, STRICT_DECODING
    from dradsl.kube.fields.decoding import NO_MATCH

    errors = [problem.error for problem in admission.problems]
    answer: Answer = {"kind": admission.kind}
    if undecoded := [e.detail for e in errors if e.type in (DECODING, NO_MATCH)]:
        return answer | {"decodeError": undecoded[0], "errors": []}
    if strict := [error.detail for error in errors if error.type == STRICT_DECODING]:
        answer["strictErrors"] = strict
    if admission.warnings:
        answer["warnings"] = list(admission.warnings)
    rejected = [error for error in errors if error.type != STRICT_DECODING]
    answer["errors"] = [
        {"type": error.type, "field": error.field, "detail": error.detail} for error in rejected
    ]
    shown = returned(admission)
    if not rejected and shown is not None:
        answer["object"] = _without_noise(shown)
    return answer


def returned(admission: Admission) -> JsonObject | None:
    """The object in the API version of the request, as the server returns it."""
    from dradsl.kube.fields.conversion import from_v1

    stored = admission.object
    if stored is None or str(stored.get("apiVersion")).rpartition("/")[2] == admission.version:
        return stored
    return from_v1(stored, admission.version)


def _without_noise(stored: JsonObject) -> JsonObject:
    metadata = {
        key: value for key, value in stored.get("metadata", {}).items() if key not in _NOT_SHOWN
    }
    shown = {**stored, "metadata": metadata}
    if not shown.get("status"):
        shown.pop("status", None)
    return shown
