"""Quantities, versions and YAML scalars as upstream's own readers see them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.replay.protocol import Answer, Question, QuestionError

if TYPE_CHECKING:
    from dradsl.releases import Release

__all__ = ["answer_quantity", "answer_semver", "answer_yaml"]


def _operand(question: Question, name: str) -> str | None:
    value = question.get(name)
    if value is not None and not isinstance(value, str):
        raise QuestionError(f"{name}: not a text")
    if name == "a" and value is None:
        raise QuestionError("a: missing")
    return value


def answer_quantity(question: Question, _release: Release) -> list[Answer]:
    """Canonical form, integers and arithmetic of one or two quantities."""
    from dradsl.values.quantity import Quantity, QuantityError

    def describe(text: str) -> tuple[dict[str, object], Quantity | None]:
        try:
            quantity = Quantity.parse(text)
        except QuantityError as error:
            return {"canonical": None, "error": str(error)}, None
        described: dict[str, object] = {
            "canonical": str(quantity),
            "error": None,
            "sign": quantity.sign(),
            "format": quantity.format,
            "isInteger": quantity.is_integer(),
            "value": quantity.value(),
            "milliValue": quantity.milli_value(),
        }
        approximate = quantity.as_approximate_float()
        if math.isfinite(approximate):  # JSON has no word for the others
            described["asApproximateFloat"] = approximate
        if quantity.is_integer():
            described["asInteger"] = quantity.as_integer()
        return described, quantity

    first, a = describe(_operand(question, "a") or "")
    answer: Answer = {"a": first}
    text = _operand(question, "b")
    if text is not None:
        answer["b"], b = describe(text)
        if a is not None and b is not None:
            answer |= {
                "cmp": a.cmp(b),
                "equal": a == b,
                "add": str(a + b),
                "sub": str(a - b),
            }
    return [answer]


def answer_semver(question: Question, _release: Release) -> list[Answer]:
    """Canonical form, parts and order of one or two semantic versions."""
    from dradsl.values.semver import Semver, SemverError

    normalize = bool(question.get("normalize"))

    def describe(text: str) -> tuple[dict[str, object], Semver | None]:
        try:
            version = Semver.parse(text, normalize)
        except SemverError as error:
            return {"canonical": None, "error": str(error)}, None
        parts = {"major": version.major, "minor": version.minor, "patch": version.patch}
        return {"canonical": str(version), "error": None, **parts}, version

    first, a = describe(_operand(question, "a") or "")
    answer: Answer = {"a": first}
    text = _operand(question, "b")
    if text is not None:
        answer["b"], b = describe(text)
        if a is not None and b is not None:
            answer["cmp"] = a.cmp(b)
    return [answer]


def answer_yaml(question: Question, _release: Release) -> list[Answer]:
    """The JSON value that the Kubernetes reader makes of a YAML text."""
    text = question.get("text")
    if not isinstance(text, str):
        raise QuestionError("text: missing")
    from dradsl.text.documents import DEFAULT_LIMITS
    from dradsl.text.reading import read_chunk

    # The reader sees one document: no stream to split, and duplicate keys are none of its worries.
    reading = next(iter(read_chunk(text, DEFAULT_LIMITS.max_depth, DEFAULT_LIMITS.max_nodes)), None)
    fatal = [complaint for complaint in reading.complaints if complaint.fatal] if reading else []
    if fatal:
        return [{"value": None, "error": fatal[0].message}]
    return [{"value": reading.data if reading else None, "error": None}]
