"""Several apps as one stream of YAML documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.dsl.building.loading import LoadedApp

__all__ = ["to_stream"]


def to_stream(loaded: Iterable[LoadedApp], *, helm: bool = False) -> str:
    """The objects of `loaded`, in order; with `helm`, braces are escaped for templates."""
    if helm:
        return "---\n".join(text for one in loaded for text in one.app.templates()[0].values())
    return "---\n".join(filter(None, (one.app.to_yaml() for one in loaded)))
