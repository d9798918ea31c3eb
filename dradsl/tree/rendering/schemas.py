"""What helm would load because a schema of values refers to it.

Upstream: helm 3.19 pkg/chartutil/jsonschema.go, which loads files and addresses; its library has the metaschemas of
JSON Schema within it.
"""

from __future__ import annotations

import json
import re

__all__ = ["outer_reference"]

_REFERENCES = frozenset(("$ref", "$dynamicRef", "$recursiveRef", "$schema"))
_METASCHEMA = re.compile(
    r"https?://json-schema\.org/(?:draft-0[467]/schema|draft/(?:2019-09|2020-12)/schema)#?"
)


def outer_reference(data: bytes) -> str | None:
    """Why a schema cannot be used by itself, or None: `refers to http://...`.

    Each key of each mapping counts, also of equal ones: what is a schema and what a value, its readers decide.
    """
    found: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> dict[str, object]:
        for key, value in pairs:
            if key in _REFERENCES and isinstance(value, str) and not _is_own(key, value):
                found.append(value)
        return dict(pairs)

    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        json.loads(text, object_pairs_hook=look)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        return f"cannot be read ({reason}): whether it refers to something is not known"
    return f"refers to {found[0]}" if found else None


def _is_own(key: str, value: str) -> bool:
    """Whether a reference leads to the schema itself or to what is within helm."""
    if key != "$schema" and (value.startswith("#") or not value):
        return True
    return _METASCHEMA.fullmatch(value) is not None
