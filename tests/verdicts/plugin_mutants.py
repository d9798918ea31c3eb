"""What the scheduler's plugin minds around the allocator, taken out one at a time."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES
from tests.verdicts.mutants import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["plugin"]

_NO_OPERATIONS = "skipNodeOperations comes with 1.37"
_NO_SCORES = "the plugin does not score: dynamicresources.go of 1.34.10"


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


def _changes() -> Iterator[tuple[str, Any, str, Any]]:
    """Name, where it is, what it is called there, and what stands there instead."""
    from dradsl.allocator import cluster, extended, prefilter, reserved, simulate, state

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
    yield "reservations are never refused", simulate, "find_refused", nothing
    yield "one consumer more", reserved, "_CONSUMERS", 257
    yield "reservations are forgotten", simulate, "with_consumer", as_it_was
    yield "reservations are not given back", simulate, "without_consumer", as_it_was
    yield "nothing is left over", simulate, "is_left_over", never
    yield "whatever claim is left over", simulate, "is_left_over", lambda *_: True
    yield "any owner will do", extended, "_ANNOTATION", "unheard of"
    yield "extended resources are nobody's", simulate, "has_extended", never
    yield "nodes offer no resources themselves", extended, "_count", zero
    yield "taint rules do nothing", cluster, "apply_rules", lambda slices, *_, **__: slices
    yield "devices of allocated claims are free", state.AllocatedState, "add_claim", nothing
    yield "allocated claims add no score", simulate, "score_before", zero
    yield "found alternatives add no score", simulate, "score_found", zero


def _any_status(claim: Any, *_: Any) -> Any:
    return next(iter((claim.get("status") or {}).get("devices") or ()), None)
