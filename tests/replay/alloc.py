"""Allocations on each node of a made-up cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tests.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.allocator.engine.allocate import Allocator, NodeResult
    from dradsl.allocator.engine.eligibility import Selectors
    from dradsl.allocator.inventory.allocated import AllocatedState
    from dradsl.allocator.inventory.slices import DeviceId
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.releases import Features, Release
    from dradsl.values.json_types import JsonObject

__all__ = ["allocator_for", "answer_alloc", "line_of"]

_SAME_SHARE_ID = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"


def answer_alloc(question: Question, release: Release) -> list[Answer]:
    """One answer per node: the allocations, or why there are none."""
    allocator = allocator_for(question, release)
    with_steps = bool(question.get("stats"))
    answers = []
    for node in allocator.inventory.nodes:
        result = allocator.allocate(node)
        line = line_of(result)
        if line.get("errorKind") == "input":
            line["errorKind"] = "crash"  # upstream panics here
        answers.append(line | {"steps": result.steps} if with_steps else line)
    return answers


def line_of(result: NodeResult) -> Answer:
    """What a node answers, in the form in which the oracle gives it."""
    line: Answer = {"node": result.node, "allocations": result.allocations}
    if result.error is not None:
        line |= {"error": result.error, "errorKind": result.error_kind}
    return line


def allocator_for(
    question: Question,
    release: Release,
    *,
    selectors: Selectors | None = None,
    remember: bool = True,
) -> Allocator:
    """The allocator that a question describes.

    Its `patch` names an earlier patch of the release, whose answers were recorded.

    Raises:
        QuestionError: if the question is not in the form of the protocol.
    """
    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.engine.plan import read_class
    from dradsl.allocator.inventory.slices import Inventory, InventoryError, SliceReader, read_node
    from dradsl.allocator.switches import allocator_features, choose_variant, variants_of

    gates = gates_of(question, release)
    if selectors is None:
        from dradsl.allocator.engine.selectors import CelSelectors

        selectors = CelSelectors(release, gates)
    features = allocator_features(gates)
    name = question.get("impl") or "auto"
    variant = choose_variant(
        variants_of(str(question.get("patch") or release.name)),
        features,
        None if name == "auto" else name,
    )
    try:
        reader = SliceReader()
        inventory = Inventory(
            [reader.read(one) for one in _objects(question, "slices")],
            [read_node(one) for one in _objects(question, "nodes")],
        )
        classes = {entry.name: entry for entry in map(read_class, _objects(question, "classes"))}
        given = _objects(question, "claims")
        if question.get("default"):
            given = [_defaulted(claim) for claim in given]
        claims = cast("list[ResourceClaimDict]", given)
        return Allocator(
            inventory,
            classes,
            claims,
            _state(question, gates),
            selectors,
            variant,
            features,
            remember=remember,
            share_id=_SAME_SHARE_ID if question.get("fixShareID") else None,
        )
    except InventoryError as error:
        raise QuestionError(str(error)) from error


def _objects(question: Question, key: str) -> list[JsonObject]:
    value = question.get(key) or []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise QuestionError(f"{key}: expected a list of objects")
    return value


def _defaulted(claim: Mapping[str, object]) -> dict[str, object]:
    """The claim with the defaults of the API server."""
    from dradsl.kube.fields.defaulting import default

    return default({**claim, "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"})


def _state(question: Question, gates: Features) -> AllocatedState:
    from dradsl.allocator.inventory.allocated import AllocatedState, amount_of

    state = AllocatedState()
    for one in _objects(question, "allocated"):
        state.take(_device(one))
    for one in _objects(question, "allocatedShared"):
        state.share(_device(one), str(one.get("shareID") or ""), None)
    for one in _objects(question, "consumedCapacity"):
        device: DeviceId = _device(one)
        state.consume(
            device,
            {
                name: amount_of(value, f"consumedCapacity of {device}: {name}")
                for name, value in (one.get("consumed") or {}).items()
            },
        )
    for claim in _objects(question, "allocatedClaims"):
        state.add_claim(cast("ResourceClaimDict", claim), "DRAConsumableCapacity" in gates)
    return state


def _device(entry: Mapping[str, object]) -> Any:
    from dradsl.allocator.inventory.slices import DeviceId

    return DeviceId(
        str(entry.get("driver") or ""), str(entry.get("pool") or ""), str(entry.get("device") or "")
    )
