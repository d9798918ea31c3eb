"""CEL selectors and derived attributes: verdict, type, cost estimate, what each device gives."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tests.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.dra import CompiledSelector, Mode
    from dradsl.kube.fields.typed_dicts import DeviceDict
    from dradsl.releases import Release

__all__ = ["answer_cel"]

_DERIVED_ATTRIBUTES = "DRADerivedAttributes"
_MODES: Mapping[tuple[bool, bool], Mode] = MappingProxyType(
    {
        (False, False): "stored",
        (False, True): "new",
        (True, False): "stored-derived",
        (True, True): "derived",
    }
)


def answer_cel(question: Question, release: Release) -> list[Answer]:
    """Compiles an expression and runs it on each device."""
    from dradsl.cel.dra import compile_selector

    text = question.get("expression")
    if not isinstance(text, str):
        raise QuestionError("expression: missing")
    if question.get("env") == "admission":
        return [_answer_policy(text, question, release)]
    derived = bool(question.get("derived"))
    if derived and _DERIVED_ATTRIBUTES not in release.gates:
        raise QuestionError("this release has no derived attributes")
    new = question.get("env") == "new"
    selector = compile_selector(text, release, gates_of(question, release), _MODES[derived, new])
    if selector.error is not None:
        failure = {"type": selector.error.type, "detail": selector.error.detail}
        return [{"compileError": failure, "outputType": None, "maxCost": None}]
    run = _derive if derived else _match
    return [
        {
            "compileError": None,
            "outputType": selector.result_type,
            "maxCost": selector.max_cost,
            "results": [run(selector, device) for device in question.get("devices") or ()],
        }
    ]


def _answer_policy(text: str, question: Question, release: Release) -> Answer:
    """Compiles an expression of a policy and evaluates it for each object."""
    from dradsl.cel.admission import PolicyCompileError, compile_policy, object_value
    from dradsl.cel.cost.actual import Meter
    from dradsl.cel.runtime.values import CelRuntimeError

    try:
        program = compile_policy(text, release, "string" if question.get("message") else "bool")
    except PolicyCompileError as error:
        return {"compileError": {"type": error.type, "detail": error.detail}, "outputType": None}
    results: list[Answer] = []
    for data in question.get("objects") or ():
        meter = Meter(program.environment.cost_limit)
        try:
            value, _ = program.measure([object_value(data)], meter)
            results.append({"value": value, "cost": meter.cost})
        except CelRuntimeError as error:
            results.append({"value": None, "error": str(error), "cost": meter.cost})
    result = str(program.checked.result)
    return {"compileError": None, "outputType": result, "results": results}


def _match(selector: CompiledSelector, device: DeviceDict) -> Answer:
    """The verdict as the scheduler gets it, and the cost; one run gives both if it is counted."""
    from dradsl.cel.dra import device_view
    from dradsl.cel.runtime.values import CelRuntimeError

    view = device_view(str(device.get("driver") or ""), device)
    answer: Answer = {}
    try:
        outcome, answer["cost"] = selector.match_with_cost(view)
        if selector.program is not None and selector.program.bounded:
            outcome = selector.match(view)
        if isinstance(outcome, CelRuntimeError):
            raise outcome
        answer["match"] = outcome
    except CelRuntimeError as error:
        answer |= {"match": None, "error": str(error)}
    return answer


def _derive(selector: CompiledSelector, device: DeviceDict) -> Answer:
    """The attribute as the allocator gets it, and what it cost."""
    from dradsl.allocator.engine.eligibility import SelectorFailureError
    from dradsl.allocator.engine.selectors import attribute_of
    from dradsl.cel.dra import device_view
    from dradsl.cel.runtime.values import CelRuntimeError

    answer: Answer = {}
    try:
        view = device_view(str(device.get("driver") or ""), device)
        _, answer["cost"] = selector.evaluate_with_cost(view)
        kind, value = attribute_of(selector.evaluate(view))
    except (CelRuntimeError, SelectorFailureError) as error:
        return answer | {"value": None, "error": str(error)}
    return answer | {"value": {} if value == () else {kind: value}}
