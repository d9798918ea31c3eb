"""Makes a disagreement small: parts of the question are left out as long as both sides disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["reduced"]

Path = tuple[str | int, ...]
_KEPT = (
    "id",
    "expression",
    "object",
    "env",
    "default",
    "fixShareID",
    "timeoutMS",
    "apiVersion",
    "kind",
)


def reduced(question: dict[str, Any], differ: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The smallest question found for which `differ` still holds; as many turns as it takes."""
    best = question
    shrunk = True
    while shrunk:
        shrunk = False
        for path in sorted(_paths(best), key=lambda p: (len(p), str(p))):
            smaller = _without(best, path)
            if smaller is not None and differ(smaller):
                best, shrunk = smaller, True
                break
    if isinstance(best.get("expression"), str):
        best = _shorter_text(best, differ)
    return best


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, item in value.items():
            if path or key not in _KEPT:
                yield (*path, key)
                yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield (*path, index)
            yield from _paths(item, (*path, index))


def _without(value: Any, path: Path) -> Any:
    """A copy without the part at `path`; None if that is something which has to stay."""
    first, rest = path[0], path[1:]
    try:
        part = value[first]
    except (KeyError, IndexError, TypeError):
        return None
    if isinstance(value, dict):
        if not rest:
            return {key: item for key, item in value.items() if key != first}
        inner = _without(part, rest)
        return None if inner is None else {**value, first: inner}
    if not rest:
        return [item for index, item in enumerate(value) if index != first]
    inner = _without(part, rest)
    return None if inner is None else [inner if i == first else x for i, x in enumerate(value)]


def _shorter_text(
    question: dict[str, Any], differ: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    best = question
    step = max(1, len(best["expression"]) // 2)
    while step:
        at = 0
        while at < len(best["expression"]):
            text = best["expression"]
            smaller = {**best, "expression": text[:at] + text[at + step :]}
            if differ(smaller):
                best = smaller
            else:
                at += step
        step //= 2
    return best
