"""A schema file and what a further recording adds to it.

What people wrote stays. The counts that `infer` wrote are added up: a name that only one of two
recordings has is on some devices.
"""

from __future__ import annotations

import re

from dradsl.drivers.schema.read import merge_plain
from dradsl.values.quantity import exact_amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["merged_plain"]

_HAVING = re.compile(r"on (\d{1,18}) of (\d{1,18})")
_RECORDED = re.compile(r"(?:derived from )?(\d{1,18}) recorded devices")
_TIMES = ("since", "removedIn", "alwaysBefore", "gate")


def merged_plain(base: JsonMapping, inferred: JsonMapping) -> JsonObject:
    """The schema file `base` with what `inferred`, a schema derived from a recording, adds to it.

    New names, values and examples are added and ranges widened; a name that is not on all recorded
    devices becomes `sometimes`, another type becomes `altType`.
    """
    types = dict(base.get("deviceTypes") or {})
    for name, seen in (inferred.get("deviceTypes") or {}).items():
        known = name if name in types else next(iter(types)) if len(types) == 1 else name
        types[known] = _type(base, types[known], seen) if known in types else seen
    merged = {**base, "deviceTypes": types}
    sources = list(inferred.get("sources", ()))
    total = sum(_counted(each) for each in (*base.get("sources", ()), *sources))
    own = [each for each in base.get("sources", ()) if not _counted(each)]
    if len(own) < len(base.get("sources", ())):
        note = f"derived from {total} recorded devices"
        return {**merged, "sources": [*own, {"note": note}]}
    return merge_plain(merged, {"sources": sources})


def _counted(source: object) -> int:
    """How many devices `infer` derived a schema from, if it wrote this source."""
    if not isinstance(source, dict) or set(source) != {"note"}:
        return 0
    found = _RECORDED.fullmatch(str(source["note"]))
    return int(found[1]) if found else 0


def _type(base: JsonMapping, known: JsonMapping, seen: JsonMapping) -> JsonObject:
    merged = dict(known)
    counted = _devices(known)
    before, more = counted or _most_counted(known), _devices(seen)
    if counted:
        merged["summary"] = f"{before + more} recorded devices"
    for part in ("attributes", "capacities"):
        shared, own = base.get(part) or {}, dict(known.get(part) or {})
        found = seen.get(part) or {}
        for key in dict.fromkeys((*own, *found)):
            full = {**(shared.get(key) or {}), **(own.get(key) or {})}
            there = bool(full) or key in own or key in shared
            if key not in found:
                change = _absent(key, full, before, more)
            elif there:
                change = _entry(full, found[key])
            else:
                change = _added(found[key], before)
            if change:
                own[key] = {**(own.get(key) or {}), **change}
        if own:
            merged[part] = own
    for key in ("counters", "allowMultipleAllocations"):
        if key in seen and key not in merged:
            merged[key] = seen[key]
    return merged


def _devices(kind: Mapping[str, object]) -> int:
    """How many devices a type was derived from, by its summary; 0 if people wrote that."""
    found = _RECORDED.fullmatch(str(kind.get("summary", "")))
    return int(found[1]) if found else 0


def _most_counted(kind: JsonMapping) -> int:
    """How many devices a type was derived from, by the notes of its names; 0 if people wrote all."""
    entries = [
        entry
        for part in ("attributes", "capacities")
        for entry in (kind.get(part) or {}).values()
        if isinstance(entry, dict)
    ]
    return max((having[1] for entry in entries if (having := _having(entry))), default=0)


def _having(entry: JsonMapping) -> tuple[int, int] | None:
    found = _HAVING.fullmatch(str(entry.get("note", "")))
    return (int(found[1]), int(found[2])) if found else None


# Names ----------------------------------------------------------------------------------------


def _absent(key: str, known: Mapping[str, object], before: int, more: int) -> dict[str, object]:
    """What it says about a name that no device of the recording has it."""
    having = _having(known)
    if before and having is not None:
        return {"presence": "sometimes", "note": f"on {having[0]} of {having[1] + more}"}
    limited = any(time in known for time in _TIMES) or "<N>" in key
    if limited or known.get("presence") == "sometimes":
        return {}
    return {"presence": "sometimes"}


def _added(seen: Mapping[str, object], before: int) -> dict[str, object]:
    having = _having(seen)
    if not before or having is None:
        return dict(seen)
    return {**seen, "presence": "sometimes", "note": f"on {having[0]} of {having[1] + before}"}


def _entry(known: JsonMapping, seen: JsonMapping) -> JsonObject:
    """What a recording changes about a name that the schema has already."""
    change: dict[str, object] = {}
    if seen.get("presence") == "sometimes" and known.get("presence") != "sometimes":
        change["presence"] = "sometimes"
    before, now = _having(known), _having(seen)
    if before is not None and now is not None:
        change["note"] = f"on {before[0] + now[0]} of {before[1] + now[1]}"
    kinds = (seen.get("type"), seen.get("altType"))
    other = [kind for kind in kinds if kind not in (None, known.get("type"), known.get("altType"))]
    if other and "type" in known:
        change["altType"] = other[0]
    change.update(_amounts(known, seen))
    shown = seen.get("values", seen.get("examples", ()))
    part = "values" if "values" in known else "examples"
    if isinstance(shown, list) and ("values" in known or "unique" not in known):
        old = list(known.get(part, ()))
        new = [each for each in shown if each not in old]
        if new:
            change[part] = [*old, *new]
    return change


def _amounts(known: JsonMapping, seen: JsonMapping) -> JsonObject:
    """A wider range, and amounts that a closed list of a capacity lacks."""
    range_ = seen.get("range")
    if not isinstance(range_, dict):
        return {}
    ends = [each for each in (range_.get("min"), range_.get("max")) if each is not None]
    if "type" not in known and "values" in known:
        closed = [_number(each) for each in known["values"]]
        new = [each for each in dict.fromkeys(ends) if _number(each) not in closed]
        return {"values": [*known["values"], *new]} if new else {}
    old = known.get("range")
    if not isinstance(old, dict):
        return {}
    wider = {"min": _outer(min, old, range_, "min"), "max": _outer(max, old, range_, "max")}
    wider = {end: value for end, value in wider.items() if value is not None}
    return {"range": {**old, **wider}} if wider != old else {}


def _outer(
    pick: Callable[..., Any], old: dict[str, object], new: dict[str, object], end: str
) -> Any:
    """The outer one of two ends of a range; a range that is open there stays open."""
    both = [old.get(end), new.get(end)]
    if None in both:
        return old.get(end)
    return pick(both, key=_number)


def _number(value: object) -> Any:
    """What a quantity or number amounts to."""
    return exact_amount(value) or 0
