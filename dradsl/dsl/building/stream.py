"""Several apps as one stream of YAML documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.building.helm import escape_braces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.dsl.building.loading import LoadedApp

__all__ = ["to_stream"]


def to_stream(loaded: Iterable[LoadedApp], *, helm: bool = False) -> str:
    """The objects of `loaded`, in order; with `helm`, braces are escaped for templates."""
    text = "---\n".join(filter(None, (one.app.to_yaml() for one in loaded)))
    return escape_braces(text) if helm else text
