"""Manifests as Helm templates: braces that Helm would take for its own are escaped."""

from __future__ import annotations

__all__ = ["escape_braces"]


def escape_braces(text: str) -> str:
    """`text` so that Helm renders it back to what it is."""
    return text.replace("{{", '{{ "{{" }}')
