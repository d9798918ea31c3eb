"""What the scheduler's plugin minds around the allocator, taken out one at a time."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES
from tests.verdicts.mutants import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["plugin"]

_NO_OPERATIONS = "skipNodeOperations comes with 1.37"
_NO_SCORES = "the plugin does not score: dynamicresources.go of 1.34.10"
_NO_NODE_RESOURCES = "devices take nothing of nodes before 1.36"
_ONLY_FOUND = {"1.36": "only what was allocated just now, for the node at hand, is looked up"}
_BY_RESERVATION = {"1.36": "sharing is seen in the pods of the node"}
_BY_NODE = {"1.37": "sharing is seen in reservations"}
_MAPPINGS_ALONE = {"1.36": "there is no overhead, and nobody looks at limits"}
_ALL_WRITTEN = {"1.36": "what cannot be written is rejected before, or can be written"}


def plugin() -> Iterator[Mutant]:
    """Every check and every effect on later pods, taken out."""
    for name in RELEASES:
        for text, target, attribute, replacement in _changes():
            unseen = ""
            if "operations" in text and name != "1.37":
                unseen = _NO_OPERATIONS
            elif "score" in text and name == "1.34":
                unseen = _NO_SCORES
            change = functools.partial(mock.patch.object, target, attribute, replacement)
            yield Mutant(f"plugin {name}: {text}", ("schedule",), name, change, unseen=unseen)
        for text, target, attribute, replacement, unnoticed in _node_resources():
            known = "DRANodeAllocatableResources" in RELEASES[name].gates
            unseen = unnoticed.get(name, "") if known else _NO_NODE_RESOURCES
            change = functools.partial(mock.patch.object, target, attribute, replacement)
            full_name = f"node resources {name}: {text}"
            yield Mutant(full_name, ("schedule",), name, change, unseen=unseen)


def _node_resources() -> Iterator[tuple[str, Any, str, Any, Mapping[str, str]]]:
    """The same for what devices take of nodes; last, why a release does not notice."""
    from dradsl.allocator.inventory import device_lookup
    from dradsl.simulate import attempts as simulate, node_use
    from dradsl.simulate.nodes import placement, resources as node_resources, status as node_status

    def nothing(*_: Any, **__: Any) -> None:
        return None

    def none_at_all(*_: Any, **__: Any) -> tuple[()]:
        return ()

    def always(*_: Any, **__: Any) -> bool:
        return True

    def once(amount: Any, _: Any) -> Any:
        return amount

    def unused(*_: Any, **__: Any) -> Any:
        return placement.Usage()

    lacking = node_resources._lacking

    def hopeful(*arguments: Any) -> Any:
        found = lacking(*arguments)
        return None if found is None else dataclasses.replace(found, code="Unschedulable")

    find, check = device_lookup.Devices, node_resources
    yield "devices take nothing", find, "resources_of", none_at_all, {}
    yield "slices reach every node", find, "_reaches", always, _ONLY_FOUND
    yield "devices are for every node", find, "_is_for", always, _ONLY_FOUND
    yield "every claim is mapped", find, "is_mapped", always, _BY_RESERVATION
    yield "claims are shared", node_use, "sharing", nothing, {}
    yield "nobody takes a claim yet", placement.Usage, "consumers", none_at_all, _BY_NODE
    yield "there is always room", check, "_lacking", nothing, {}
    yield "there will be room", check, "_lacking", hopeful, {}
    yield "pods as a whole cover everything", check, "_uncovered", nothing, {}
    yield "limits cover everything", check, "_over_limits", nothing, _MAPPINGS_ALONE
    yield "factors are one", check, "times", once, {}
    yield "overhead is for one container", node_status, "times", once, _MAPPINGS_ALONE
    yield "every status is written", simulate, "status_problems", none_at_all, _ALL_WRITTEN
    yield "pods that run use nothing", simulate, "usage_of", unused, {}
    yield "pods use nothing", placement.Usage, "add", nothing, {}


def _changes() -> Iterator[tuple[str, Any, str, Any]]:
    """Name, where it is, what it is called there, and what stands there instead."""
    from dradsl.allocator.inventory import allocated as state
    from dradsl.simulate import (
        attempts as simulate,
        cluster,
        extended,
        open_nodes,
        pod_claims,
        settle,
    )
    from dradsl.simulate.plugin import prefilter, reserved

    def nothing(*_: Any, **__: Any) -> None:
        return None

    def zero(*_: Any, **__: Any) -> int:
        return 0

    def never(*_: Any, **__: Any) -> bool:
        return False

    def none_at_all(*_: Any, **__: Any) -> Iterator[Any]:
        return iter(())

    def as_it_was(claim: Any, *_: Any, **__: Any) -> Any:
        return claim

    yield "pods never wait for claims", settle, "why_wait", nothing
    yield "any claim is the pod's", pod_claims, "_is_for", lambda *_: True
    yield "no claim is the pod's", pod_claims, "_is_for", never
    yield "nothing is wrong before nodes are looked at", simulate, "find_obstacle", nothing
    yield "node selectors of allocations always parse", prefilter, "_of_allocated", nothing
    yield "pending claims are always in order", prefilter, "_of_pending", none_at_all
    yield "classes always exist", prefilter, "_of_class", none_at_all
    yield "allocated claims are of use everywhere", reserved.Reserved, "why_not", nothing
    yield "operations are never left out", reserved, "_NODE_OPERATIONS", "unheard of"
    yield "binding conditions never stop a claim", reserved, "_stuck", nothing
    yield "binding conditions have all the time", reserved, "_is_overdue", never
    yield "binding conditions are always met", reserved, "binding", lambda *_: "ready"
    yield "the status of any device counts", reserved, "_device_status", _any_status
    yield "reservations are never rejected", simulate, "find_rejected", nothing
    yield "one consumer more", reserved, "_CONSUMERS", 257
    yield "reservations are forgotten", simulate, "with_consumer", as_it_was
    yield "reservations are not given back", simulate, "without_consumer", as_it_was
    yield "nothing is left over", settle, "is_left_over", never
    yield "whatever claim is left over", settle, "is_left_over", lambda *_: True
    yield "any owner will do", extended, "_ANNOTATION", "unheard of"
    yield "extended resources are nobody's", open_nodes, "has_extended", never
    yield "nodes offer no resources themselves", extended, "_count", zero
    yield "taint rules do nothing", cluster, "apply_rules", lambda slices, *_, **__: slices
    yield "devices of allocated claims are free", state.AllocatedState, "add_claim", nothing
    yield "allocated claims add no score", simulate, "score_before", zero
    yield "found alternatives add no score", simulate, "score_found", zero


def _any_status(claim: Any, *_: Any) -> Any:
    return next(iter((claim.get("status") or {}).get("devices") or ()), None)
