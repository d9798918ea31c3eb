"""Looking up a referenced object: near names, and objects of the name in another namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dradsl.lint.manifests import Manifest
    from dradsl.lint.run import Run

__all__ = ["elsewhere", "suggest"]


def elsewhere(run: Run, kind: str, name: str) -> tuple[Manifest, ...]:
    """The objects of that kind and name in whatever namespace."""
    return run.index.named(kind, name)


def suggest(run: Run, kind: str, name: str) -> str:
    """What to do about a name that the run does not hold."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(run.index.names(kind)), n=1)
    if near:
        return f'did you mean "{near[0]}"?'
    return f"add the {kind} to the manifests, or show dradsl where it lives with --context PATH"
