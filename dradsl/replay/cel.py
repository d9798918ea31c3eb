"""CEL selectors: verdict, type, cost estimate, and what each device gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from dradsl.cel.dra import CompiledSelector, Mode
    from dradsl.releases import Release

__all__ = ["answer_cel"]

# The compiler has error types of its own; the API server turns them into those of field errors.
_TYPES = {"FieldValueInvalid": "RuleInvalid"}


def answer_cel(question: Question, release: Release) -> list[Answer]:
    """Compiles an expression and runs it on each device."""
    from dradsl.cel.dra import compile_selector

    text = question.get("expression")
    if not isinstance(text, str):
        raise QuestionError("expression: missing")
    if question.get("derived"):
        raise QuestionError("derived attributes are not answered")
    mode: Mode = "new" if question.get("env") == "new" else "stored"
    selector = compile_selector(text, release, gates_of(question, release), mode)
    if selector.error is not None:
        failure = {
            "type": _TYPES.get(selector.error.type, selector.error.type),
            "detail": selector.error.detail,
        }
        return [{"compileError": failure, "outputType": None, "maxCost": None}]
    return [
        {
            "compileError": None,
            "outputType": selector.result_type,
            "maxCost": selector.max_cost,
            "results": [_run(selector, device) for device in question.get("devices") or ()],
        }
    ]


def _run(selector: CompiledSelector, device: dict[str, Any]) -> Answer:
    from dradsl.cel.dra import device_view
    from dradsl.cel.values import CelRuntimeError

    try:
        return {"match": selector.match(device_view(str(device.get("driver") or ""), device))}
    except CelRuntimeError as error:
        return {"match": None, "error": str(error)}
