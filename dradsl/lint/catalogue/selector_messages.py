"""Family 2, selectors: the code and the words of what `drivers.judge.check` finds."""

from __future__ import annotations

from collections.abc import Iterable

from dradsl.diagnostics import Severity
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.schema.shapes import Name
from dradsl.drivers.schema.suggest import listed
from dradsl.drivers.suggestions.names import AMOUNTS, access_text
from dradsl.lint.catalogue.messages import Words, bare, overload, rows, shown
from dradsl.lint.catalogue.table import table_of

__all__ = ["LIST_GATE", "NEED_NOT_MATCH", "SELECTOR_MESSAGES", "newer"]

LIST_GATE = "DRAListTypeAttributes"
"""The gate without which the API server drops lists of values (alpha from 1.36 on, unknown before)."""

_WORD = {"attributes": "attribute", "capacity": "capacity"}


def _missing_key(name: Name) -> str:
    return f"CEL runtime error: no such key: {name[2]}"


def _types(labels: Iterable[str]) -> str:
    return " and ".join(labels)


# Names ----------------------------------------------------------------------------------------


def _unknown_name(found: facts.UnknownName) -> Words:
    kind, domain, key = found.name
    where = f' in domain "{domain}"' if domain != found.driver else ""
    message = f'driver {found.driver} publishes no {_WORD[kind]} "{key}"{where}'
    if found.meant is not None:
        near = found.meant[:2] == (kind, domain)
        shown = f'"{found.meant[2]}"' if near else access_text(found.meant)
        message += f"; did you mean {shown}?"
    types = _types(found.types)
    helped = f"known for type {types}: {listed(found.known, 16)}" if found.known else None
    if found.is_counter:
        helped = "it is a counter: counters limit what can be allocated together, nothing can select on them"
    elif found.meant is not None and kind != found.meant[0] == "capacity":
        helped = f"write {access_text(found.meant)}; {AMOUNTS}"
    elif not found.known and kind == "capacity":
        helped = f"devices of type {types} have no capacity"
    if found.meant is None:
        leave = None if found.is_counter else "leave the condition out"
        helped = _joined(leave, helped, newer(found.newest))
    return Words(message, helped, _missing_key(found.name))


def newer(newest: str | None) -> str | None:
    """What may be different in another version, where the version in use is not given."""
    if newest is None:
        return None
    return f"known up to {newest} of the driver: a later version may publish more"


def _joined(*parts: str | None) -> str | None:
    return "; ".join(part for part in parts if part) or None


def _name_not_in_version(found: facts.NameNotInVersion) -> Words:
    kind, _, key = found.name
    message = f'driver {found.driver} publishes {_WORD[kind]} "{key}" '
    if found.removed_in is not None:
        message += f"no more since {found.removed_in}"
    else:
        message += f"only from {found.since} on"
    helped = None
    if found.pinned:
        message += f" (in use: {', '.join(found.pinned)})"
    else:
        helped = f"if an older driver is in use, name its version under driver-versions ({listed(found.versions)})"
    if found.removed_in is not None and found.known:
        helped = _joined(f"leave the condition out; it publishes {listed(found.known, 16)}", helped)
    if found.successor is not None:
        helped = f"its successor is {access_text(found.successor)}"
    severity = None if found.certain else Severity.WARNING
    return Words(message, helped, _missing_key(found.name), severity=severity)


# Values ---------------------------------------------------------------------------------------


def _constant_fails(found: facts.ConstantFails) -> Words:
    what = {"quantity": "is not a quantity", "semver": "is not a version of three numbers"}
    message = f"this constant cannot be computed: {found.error}"
    if found.meant and found.function in what:
        message = f"the text {what[found.function]}: {found.error}"
    helped = f"write {' or '.join(map(shown, found.meant))}" if found.meant else None
    return Words(message, helped, f"CEL runtime error: {found.error}")


_NEVER_EQUAL = "the comparison is false for every device, so that the request finds none and the pod stays pending"


def _types_differ(found: facts.TypesDiffer) -> Words:
    helped = None
    if found.literal == "quantity":
        helped = table_of("selector_words")["amounts"][bool(found.instead)].format(found.instead)
    elif found.literal == "list":
        helped = 'write a in ["x", "y"] for one of several values'
    elif found.operator in ("_==_", "@in"):
        helped = "values of different types are never equal"
    elif found.operator == "_!=_":
        helped = "values of different types always differ"
    return Words(
        f'"{found.name}" is {table_of("selector_words")["types"].get(found.type, "an attribute")}, and is compared with {table_of("selector_words")["literals"][found.literal]}',
        helped,
        overload(found.type, found.operator),
        # cel-go compares values of different types for equality: they are not equal, which is no error.
        why=_NEVER_EQUAL if found.operator in ("_==_", "@in") else None,
    )


def _value_not_published(found: facts.ValueNotPublished) -> Words:
    value = shown(found.value)
    if found.operator in table_of("selector_words")["tests"]:
        message = f'no value of "{found.name}" {table_of("selector_words")["tests"][found.operator]} {value}'
    elif found.rare is not None:
        message = f'hardly any device has "{found.name}" {value} ({found.rare})'
    elif found.closed:
        message = f'"{found.name}" is never {value}'
    elif found.candidates:
        message = f'no known device has "{found.name}" {value}'
    else:
        message = f'{value} does not look like a value of "{found.name}"'
    if found.meant is not None:
        message += f"; did you mean {shown(found.meant)}?"
    severity = None if found.closed else Severity.WARNING
    helped = _known_values(found)
    if found.newest is not None and found.meant is None:
        helped = _joined(helped, newer(found.newest))
    return Words(message, helped, severity=severity)


def _known_values(found: facts.ValueNotPublished) -> str | None:
    """The values like the one that was written; all that are known, if none is."""
    if len(found.candidates) > 1:
        return f"did you mean one of these? {listed(found.candidates, 8)}"
    if found.candidates:
        return None
    values = [bare(value) for value in found.values]
    written = str(found.value).lower()
    like = [value for value in dict.fromkeys(values) if written in value.lower()]
    shown = listed(like or dict.fromkeys(values), 16)
    helped = f"{'its values' if found.closed else 'examples'}: {shown}" if values else None
    if found.note and len(values) < 2:
        return f"{helped} ({found.note})" if helped else found.note
    return helped


# The selector as a whole ----------------------------------------------------------------------


def _unguarded(found: facts.UnguardedName) -> Words:
    kind, _, key = found.name
    word = _WORD[kind]
    message = f'not every device has {word} "{key}", and one without it makes the selector fail'
    if found.lacking:
        message = f'devices of type {_types(found.lacking)} have no {word} "{key}", and make the selector fail'
    if found.gate is not None:
        message += f" (it comes with {found.gate} only)"
    elif found.note is not None:
        message += f" ({found.note})"
    return Words(
        message,
        "a failing selector stops the scheduling of the pod, it does not skip the device: "
        f"guard with has({access_text(found.name)}) &&, or read .?{key}.orValue(…)",
        _missing_key(found.name),
        Severity.INFO if found.behind_gate or not found.class_known else None,
    )


SELECTOR_MESSAGES = rows(
    "selectors",
    facts,
    {
        "ConstantFails": _constant_fails,
        "UnknownAttribute": _unknown_name,
        "UnknownCapacity": _unknown_name,
        "TypesDiffer": _types_differ,
        "UnguardedName": _unguarded,
        "ValueNotPublished": _value_not_published,
        "NameNotInVersion": _name_not_in_version,
    },
)

# Of several alternatives (`firstAvailable`) one may be meant for devices that there are elsewhere.
NEED_NOT_MATCH = (
    facts.ValueNotPublished,
    facts.WrongEnd,
    facts.AmountNeverMet,
    facts.NeverTrue,
    facts.AlternativeNeverTrue,
)
