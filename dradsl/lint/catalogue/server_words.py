"""What the API server rejects, in words: code, message and remedy of an error, from its row in `server_messages.json`.

Messages may use {value} (the rejected value), {field} (the field's name), {detail} (upstream's words without examples)
and {suggestion}. A code "in slices" holds for ResourceSlices and DeviceTaintRules. After "|" stands the message of an
error without detail, and the remedy of one without a suggestion. With "on key" the field itself is wrong, not its value.
"help of fields": by `FIELD`, `ABOVE.FIELD` (above: the field around it, or the kind around the spec), `ABOVE.*` or `FIELD a list`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from dradsl.kube.errors import (
    DUPLICATE,
    INTERNAL,
    FieldError,
    Format,
    Supported,
    UnknownField,
    UnservedKind,
    Wanted,
    WrongType,
)
from dradsl.lint.catalogue.table import table_of
from dradsl.records import dataclass, field, replace
from dradsl.releases import RELEASES
from dradsl.text.render import render_flow
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, member

__all__ = ["Wording", "kind_of", "wording_of", "wordings", "words_of"]

_SLICE_KINDS = frozenset({"ResourceSlice", "DeviceTaintRule"})
_ALIKE = 0.75
_MOST_NAMES = 5  # that a remedy repeats
_LONGEST_VALUE = 60  # characters of a rejected value that a message repeats


@dataclass(frozen=True, slots=True)
class Wording:
    """One reason's code, message and remedy (both templates), and remedies of its own for some fields."""

    code: str
    message: str
    help: str | None = None
    on_key: bool = False
    of_fields: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def wordings() -> Mapping[str, Wording]:
    """The words of all reasons; those of slices under `slice:REASON`, where they have a code of their own."""
    found: dict[str, Wording] = {}
    for rows in table_of("server_messages").values():
        for reason, row in rows.items():
            words = Wording(
                row["code"],
                row["message"],
                row.get("help"),
                row.get("on key", False),
                row.get("help of fields", {}),
            )
            found[reason] = words
            if "in slices" in row:
                found[f"slice:{reason}"] = replace(
                    words, code=row["in slices"], on_key=row.get("on key in slices", words.on_key)
                )
    return MappingProxyType(found)


def wording_of(manifest: Manifest, problem: FieldError) -> Wording:
    """The row of an error: in slices and rules for taints some have one of their own."""
    known = wordings()
    if manifest.kind in _SLICE_KINDS:
        in_slice = known.get(f"slice:{problem.reason}")
        if in_slice is not None:
            return in_slice
    return known[problem.reason]


def words_of(
    wording: Wording, manifest: Manifest, problem: FieldError, value: object
) -> tuple[str, str | None, bool]:
    """Message and remedy; and whether the remedy is that of the very field: no other one holds beside it."""
    if problem.type == DUPLICATE and isinstance(value, dict):
        value = value.get("name", value)  # the whole item is upstream's
    field, known = _field(problem), problem.data
    near = problem.suggestion or ""
    if isinstance(known, Supported) and isinstance(value, str) and not near:
        near = (*get_close_matches(value, known.values, 1, _ALIKE), "")[0]
    values = {
        "value": _shown(value),
        "plain": "…" if isinstance(value, dict | list) else value,
        "entries": _entries(value),
        "class": "…" if isinstance(value, dict | list) or "/" in str(value) else value,
        "field": field,
        "detail": _detail(problem) or _WITHOUT_DETAIL.get(problem.type, "it is not legal"),
        "suggestion": near,
        "known": _known(problem),
        "version": manifest.version,
        "found": kind_of(value),
        "wanted": _WANTED[problem.data.wanted] if isinstance(problem.data, WrongType) else "",
        "releases": _releases(problem),
    }
    of, above = wording.of_fields, _above(manifest, problem)
    own = of.get(f"{above}.{field}") or of.get(f"{field} {kind_of(value)}")
    help_ = own or of.get(field.partition("[")[0], wording.help)
    if help_ is not None and "{suggestion}" in help_:
        like, _, else_ = help_.partition("|")
        is_told = values["known"] or "{known}" not in else_
        else_ = else_ if is_told else "remove it, or write it where it belongs"
        else_ = of.get(f"{above}.*", else_)
        help_ = like if near else else_ or None
    message, _, bare = wording.message.partition("|")
    message = message if problem.detail or not bare else bare
    if value == "" and message.startswith("{value} is not a legal name"):
        message = "{field} is missing or empty"
    return message.format(**values), help_.format(**values) if help_ else None, own is not None


def _entries(value: object) -> str:
    """A list of names, or of what has names, as a container has its claims."""
    names = [member(each, "name") if isinstance(each, dict) else each for each in list_at(value)]
    is_short = 0 < len(names) < _MOST_NAMES and all(isinstance(each, str) for each in names)
    return render_flow([{"name": each} for each in names]) if is_short else "[{name: …}]"


def _above(manifest: Manifest, problem: FieldError) -> str:
    """The field around the one that is meant, or the kind of what has the spec around it; nothing at the top."""
    names = tuple(each for each in problem.path if isinstance(each, str))[:-1]
    kinds = {(): "", ("spec",): manifest.kind, ("spec", "spec"): "ResourceClaim"}
    above = kinds[names] if names in kinds else names[-1]
    return "device" if (above, manifest.kind) == ("devices", "ResourceSlice") else above


def _known(problem: FieldError) -> str:
    if isinstance(problem.data, UnknownField):
        return ", ".join(problem.data.known)
    values = problem.data.values if isinstance(problem.data, Supported) else ()
    return f"one of {', '.join(values)}" if len(values) > 1 else "".join(values)


def _field(problem: FieldError) -> str:
    """The field that is meant, or the list that an entry is of."""
    name = next((str(p) for p in reversed(problem.path) if isinstance(p, str)), "the object")
    entry = problem.path and isinstance(problem.path[-1], int)
    return f"an entry of {name}" if entry else name


# What upstream says of these by the type of the error alone.
_WITHOUT_DETAIL = {
    "FieldValueRequired": "it is missing",
    "FieldValueDuplicate": "duplicate",
    "FieldValueNotFound": "not found",
}


def _detail(problem: FieldError) -> str:
    """Upstream's words without its examples; of an expression the first issue, without its place."""
    if isinstance(problem.data, Format):
        return problem.data.expected
    fault = problem.fault
    if fault is not None and problem.type != INTERNAL:
        plain = fault.plain()
        if plain is not None:
            return plain
    if fault is None or problem.type == INTERNAL:
        return problem.detail
    return fault.issues[0].message.partition(" expecting {")[0]  # of many tokens


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def kind_of(value: object) -> str:
    """What a value is, in the words of YAML."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"a boolean ({str(value).lower()})"
    if isinstance(value, int | float):
        return f"a number ({value})"
    if isinstance(value, str):
        return f"text ({_shown(value)})"
    return "a list" if isinstance(value, list) else "a mapping"


_WANTED: Mapping[Wanted, str] = MappingProxyType(
    {
        "text": "text",
        "boolean": "true or false",
        "integer": "a whole number",
        "list": "a list",
        "mapping": "a mapping",
    }
)


def _releases(problem: FieldError) -> str:
    """Which releases have a kind or a field that this release does not have."""
    data = problem.data
    if isinstance(data, UnservedKind):
        if not data.releases:
            first, *_, last = RELEASES
            return f"no release from {first} to {last} has it"
        first, last = data.releases[0], data.releases[-1]
        return f"{first} has it" if first == last else f"{first} to {last} have it"
    if not isinstance(data, UnknownField):
        return ""
    return f"since {data.since}" if data.since and not data.until else f"until {data.until}"
