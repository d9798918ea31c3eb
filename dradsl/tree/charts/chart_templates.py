"""Objects that templates of a chart make under a plain name: that they will be there, no more.

A template is no YAML, so its lines are looked at. A name with `{{ … }}` is not known, and not given.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.values.patterns import pattern

__all__ = ["names_given"]

_KINDS = frozenset({"ResourceClaim", "ResourceClaimTemplate", "DeviceClass"})
_LINE = pattern(
    r"(?P<space> *)(?P<key>kind|metadata|name): *(?P<quote>[\"']?)(?P<value>[A-Za-z0-9.-]*)(?P=quote) *\r?"
)


def names_given(text: str) -> Iterator[tuple[str, str]]:
    """Kind and name of each object of claims and devices in a template."""
    kind, name, inside = "", "", False
    for line in (*text.split("\n"), "---"):
        if line.startswith("---"):
            if kind in _KINDS and name:
                yield kind, name
            kind, name, inside = "", "", False
            continue
        if inside and line[:1] not in (" ", "", "#", "{", "\r"):
            inside = False
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        if not found["space"]:
            inside = found["key"] == "metadata"
            kind = found["value"] if found["key"] == "kind" else kind
        elif inside and found["key"] == "name" and not name:
            name = found["value"]
