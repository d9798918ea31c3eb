"""Family 2, selectors: the code and the words of what `drivers.judge.check` finds."""

from __future__ import annotations

from collections.abc import Iterable

from dradsl.diagnostics import Severity
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.schema.shapes import Name
from dradsl.drivers.schema.suggest import listed
from dradsl.drivers.suggestions.names import AMOUNTS, access_text
from dradsl.lint.catalogue.messages import Words, did_you_mean, plain, row, table
from dradsl.lint.catalogue.table import table_of

__all__ = ["LIST_GATE", "NEED_NOT_MATCH", "SELECTOR_MESSAGES", "newer"]

LIST_GATE = "DRAListTypeAttributes"
"""The gate without which the API server drops lists of values (alpha from 1.36 on, unknown before)."""

_WORD = {"attributes": "attribute", "capacity": "capacity"}
_NO_OVERLOAD = "CEL runtime error: no such overload"
_EXCLUDE = "its conditions exclude each other"
_UNDEFINED = "an operation in it is not defined for the value: && and ! take comparisons, and a text is tested by == or contains"


def _missing_key(name: Name) -> str:
    return f"CEL runtime error: no such key: {name[2]}"


def _types(labels: Iterable[str]) -> str:
    return " and ".join(labels)


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else _bare(value)


def _bare(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Names ----------------------------------------------------------------------------------------


def _dotted_domain(found: facts.DottedDomain) -> Words:
    _, domain, _ = found.meant
    return Words(
        f'domain "{domain}" is written without brackets: each dot in it reads another field',
        f"write {access_text(found.meant)}",
        f"CEL runtime error: no such key: {domain.split('.')[1]}",
    )


def _name_as_domain(found: facts.NameAsDomain) -> Words:
    meant = found.meant or ("attributes", "DRIVER", found.word)
    helped = f"write {access_text(meant)}; that is the value itself"
    if meant[0] == "capacity":
        helped = f"write {access_text(meant)}; {AMOUNTS}"
    return Words(
        f'"{found.word}" is in the place of the domain: the first key is the domain, the second the name',
        helped,
        "CEL runtime error: no such key",
    )


def _domain_not_of_driver(found: facts.DomainNotOfDriver) -> Words:
    message = f'devices of driver {found.driver} have nothing in domain "{found.domain}"'
    if found.is_class:
        message += ", which is the name of a class"
    helped = f"write {found.amount}; {AMOUNTS}" if found.amount else None
    return Words(
        message + did_you_mean(found.meant), helped or f"its domains: {listed(found.domains)}"
    )


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
        helped = _joined(helped, newer(found.newest))
    return Words(message, helped, _missing_key(found.name))


def newer(newest: str | None) -> str | None:
    """What may be different in another version, where the version in use is not given."""
    if newest is None:
        return None
    return f"known up to {newest} of the driver: a later version may publish more"


def _joined(*parts: str | None) -> str | None:
    return "; ".join(part for part in parts if part) or None


def _name_of_other_type(found: facts.NameOfOtherType) -> Words:
    kind, _, key = found.name
    there = _types(found.having)
    return Words(
        f'devices of type {_types(found.types)} have no {_WORD[kind]} "{key}"; type {there} has it',
        f"select type {there}, or leave the condition out",
        _missing_key(found.name),
    )


def _filter(class_name: str | None) -> str:
    return f"class {class_name}" if class_name else "what filters before"


def _name_filtered_out(found: facts.NameFilteredOut) -> Words:
    kind, _, key = found.name
    here, there = _types(found.types), _types(found.having)
    return Words(
        f"{_filter(found.class_name)} lets only type {here} through, which has no "
        f'{_WORD[kind]} "{key}"; type {there} has it',
        f"use class {found.other_class}" if found.other_class else None,
        _missing_key(found.name),
    )


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
        helped = _joined(f"it publishes {listed(found.known, 16)}", helped)
    if found.successor is not None:
        helped = f"its successor is {access_text(found.successor)}"
    severity = None if found.certain else Severity.WARNING
    return Words(message, helped, _missing_key(found.name), severity=severity)


def _swapped_kind(found: facts.SwappedKind) -> Words:
    kind, _, key = found.meant
    helped = f"write {access_text(found.meant)}"
    right, wrong = "an attribute", "a capacity"
    if kind == "capacity":
        right, wrong = wrong, right
        helped += f"; {AMOUNTS}"
    message = f'"{key}" of driver {found.driver} is {right}, not {wrong}'
    return Words(message, helped, _missing_key(found.meant))


# Values ---------------------------------------------------------------------------------------


def _overload(kind: str, operator: str) -> str | None:
    """What the scheduler prints where CEL has no such operation."""
    ordering = operator[0] not in "_@" or operator in ("_<_", "_<=_", "_>_", "_>=_")
    return _NO_OVERLOAD if ordering or (kind == "version" and operator == "_==_") else None


def _constant_fails(found: facts.ConstantFails) -> Words:
    what = {"quantity": "is not a quantity", "semver": "is not a version of three numbers"}
    message = f"this constant cannot be computed: {found.error}"
    if found.meant and found.function in what:
        message = f"the text {what[found.function]}: {found.error}"
    helped = f"write {' or '.join(map(_choice, found.meant))}" if found.meant else None
    return Words(message, helped, f"CEL runtime error: {found.error}")


def _choice(text: str) -> str:
    """A text to write; what its suffix means, where that is easily mistaken."""
    if text[-1:] == "i":
        return f'"{text}" (powers of 1024)'
    return f'"{text}" (powers of 1000)' if text[-1:] in "kMGTPE" else f'"{text}"'


def _operator_not_defined(found: facts.OperatorNotDefined) -> Words:
    function = "semver" if found.type == "version" else "quantity"
    operator = table_of("selector_words")["operators"][found.operator]
    message = f'"{found.name}" is {table_of("selector_words")["types"][found.type]}, which has no {operator}'
    if found.literal not in ("version", "quantity"):
        message = f'"{found.name}" is {table_of("selector_words")["types"][found.type]}, and is compared with {table_of("selector_words")["literals"][found.literal]}'
    helped = f'write {found.access}.compareTo({function}("{found.instead}")) {operator} 0'
    return Words(message, helped, _overload(found.type, found.operator))


def _list_compared(found: facts.ListCompared) -> Words:
    element = "…" if found.element is None else found.element
    return Words(
        f'"{found.name}" is a list here, and is compared with {table_of("selector_words")["literals"][found.literal]}',
        f"ask for an element: {element} in {found.access}",
        _overload("list", found.operator),
    )


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
        _overload(found.type, found.operator),
        # cel-go compares values of different types for equality: they are not equal, which is no error.
        why=_NEVER_EQUAL if found.operator in ("_==_", "@in") else None,
    )


def _value_not_published(found: facts.ValueNotPublished) -> Words:
    shown = _shown(found.value)
    if found.operator in table_of("selector_words")["tests"]:
        message = f'no value of "{found.name}" {table_of("selector_words")["tests"][found.operator]} {shown}'
    elif found.rare is not None:
        message = f'hardly any device has "{found.name}" {shown} ({found.rare})'
    elif found.closed:
        message = f'"{found.name}" is never {shown}'
    elif found.candidates:
        message = f'no known device has "{found.name}" {shown}'
    else:
        message = f'{shown} does not look like a value of "{found.name}"'
    if found.meant is not None:
        message += f"; did you mean {_shown(found.meant)}?"
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
    values = [_bare(value) for value in found.values]
    written = str(found.value).lower()
    like = [value for value in dict.fromkeys(values) if written in value.lower()]
    shown = listed(like or dict.fromkeys(values), 16)
    helped = f"{'its values' if found.closed else 'examples'}: {shown}" if values else None
    if found.note and len(values) < 2:
        return f"{helped} ({found.note})" if helped else found.note
    return helped


def _version_ordered_as_text(found: facts.VersionOrderedAsText) -> Words:
    operator = table_of("selector_words")["operators"][found.operator]
    return Words(
        f'"{found.name}" is a text of this driver, so "9.0" is above "10.0"',
        f"make it a version: semver({found.access}, true).compareTo(semver(…)) {operator} 0",
    )


def _implausible(found: facts.ImplausibleAmount) -> Words:
    message = (
        f'"{found.name}" lies between {found.lowest} and {found.highest}, far from {found.amount}'
    )
    if found.meant is not None:
        message += f"; did you mean {found.meant}?"
    bytes_ = found.amount.isdecimal()
    return Words(message, "a number without suffix counts single bytes" if bytes_ else None)


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


def _driver_not_tested(found: facts.DriverNotTested) -> Words:
    what = "the class" if found.in_class else "the class of the request"
    return Words(
        f"{what} does not test device.driver: a device of another driver has no "
        f'"{found.name[2]}", and makes the selector fail',
        "test the driver first"
        if found.driver is None
        else f'begin with device.driver == "{found.driver}" &&',
        _missing_key(found.name),
    )


def _always_true(found: facts.AlwaysTrue) -> Words:
    lets = "the class lets through" if found.filtered_by_class else "comes here"
    return Words(f"every device that {lets} passes this selector", "leave it out, or ask for more")


def _contradicts(found: facts.ContradictsBefore) -> Words:
    by = f"class {found.class_name}" if found.class_name else "the class"
    message = f"no device that {by} lets through passes this selector"
    if found.class_name is None and not found.class_known:
        message = "no device that passes the selectors before can pass this one"
    return Words(message, "it contradicts what filters before")


SELECTOR_MESSAGES = table(
    row(facts.ConstantFails, "DRA107", _constant_fails),
    row(facts.UnknownAttribute, "DRA201", _unknown_name),
    row(
        facts.MistakenAttribute,
        "DRA201",
        lambda found: Words(
            f'driver {found.driver} publishes attribute "{found.meant}", not "{found.name[2]}"',
            found.why_open,
            _missing_key(found.name),
            Severity.WARNING,
        ),
    ),
    row(facts.NotStandard, "DRA201", plain),
    row(
        facts.DomainWithSlash,
        "DRA202",
        lambda found: Words(
            f'"{found.domain}" is not a domain: the first key is the domain, the second the name',
            f"write {access_text((*found.meant[:2], 'NAME'))}, with a name that it publishes: {listed(found.known, 16)}"
            if found.known
            else f"write {access_text(found.meant)}; "
            + (AMOUNTS if found.meant[0] == "capacity" else "that is the value itself"),
        ),
    ),
    row(facts.DottedDomain, "DRA202", _dotted_domain),
    row(facts.NameAsDomain, "DRA202", _name_as_domain),
    row(facts.UnknownDomain, "DRA202", plain),
    row(facts.DomainNotOfDriver, "DRA202", _domain_not_of_driver),
    row(facts.MistakenDomain, "DRA202", plain),
    row(facts.UnknownDriver, "DRA203", plain),
    row(facts.UnknownCapacity, "DRA204", _unknown_name),
    row(facts.SwappedKind, "DRA205", _swapped_kind),
    row(facts.OperatorNotDefined, "DRA206", _operator_not_defined),
    row(facts.ListCompared, "DRA206", _list_compared),
    row(facts.TextAsVersion, "DRA206", plain),
    row(facts.TypesDiffer, "DRA206", _types_differ),
    row(facts.FailsForKnownValues, "DRA206", plain),
    row(facts.UnguardedName, "DRA207", _unguarded),
    row(
        facts.VersionAsText,
        "DRA208",
        lambda found: Words(
            f'"{found.name}" is a version, and is compared as text here',
            f"write {found.instead}"
            if found.instead
            else 'compare with semver("…"): ==, isGreaterThan, isLessThan or compareTo',
            _overload("version", found.operator),
        ),
    ),
    row(facts.VersionOrderedAsText, "DRA208", _version_ordered_as_text),
    row(facts.ValueNotPublished, "DRA209", _value_not_published),
    row(
        facts.WrongEnd,
        "DRA209",
        lambda found: Words(
            f'no known value of "{found.name}" {table_of("selector_words")["tests"][found.operator]} {_shown(found.value)}, '
            f"but {found.containing[0]} contains it",
            f"examples: {listed(found.containing)}",
            severity=Severity.WARNING,
        ),
    ),
    row(facts.AmountNeverMet, "DRA209", plain),
    row(facts.EqualAmount, "DRA210", plain),
    row(facts.AlwaysTrue, "DRA211", _always_true),
    row(
        facts.AlternativeAlwaysTrue,
        "DRA211",
        lambda found: Words(
            f"{found.text} is always true: what is joined to it by || changes nothing",
            "leave it out, or the other conditions; text from elsewhere must be quoted",
            severity=Severity.WARNING if found.computed else None,
        ),
    ),
    row(facts.AmountAlwaysMet, "DRA211", plain),
    row(
        facts.NeverTrue,
        "DRA212",
        lambda found: Words(
            "this selector fails on every device"
            if found.fails
            else "no device can pass this selector",
            _UNDEFINED if found.fails else _EXCLUDE,
        ),
    ),
    row(facts.AlternativeNeverTrue, "DRA212", plain),
    row(facts.ContradictsBefore, "DRA213", _contradicts),
    row(facts.NameFilteredOut, "DRA213", _name_filtered_out),
    row(
        facts.ValueFilteredOut,
        "DRA213",
        lambda found: Words(
            f"{_filter(found.class_name)} lets only type {_types(found.types)} through, where "
            f'"{found.name}" is never {_shown(found.value)}',
            f"use class {found.other_class}"
            if found.other_class
            else f"type {_types(found.having)} has that value",
        ),
    ),
    row(facts.NameNotInVersion, "DRA214", _name_not_in_version),
    row(facts.DriverNotTested, "DRA215", _driver_not_tested),
    row(facts.PinnedToDevice, "DRA216", plain),
    row(facts.ImplausibleAmount, "DRA217", _implausible),
    row(facts.PartAtLimit, "DRA218", plain),
    row(
        facts.PartBelowNominal,
        "DRA218",
        lambda found: Words(
            f"{found.part} has only {found.amount} and is left out",
            f"a lower bound with some room, such as {found.nominal * 7 // 8}Gi, lets it in",
        ),
    ),
    row(
        facts.WordsInAnyOrder,
        "DRA218",
        lambda found: Words(
            f'"{found.name}" lists its words in any order: {_shown(found.value)} misses the others',
            f"ask for each: {found.instead}",
        ),
    ),
    row(facts.DriverWithoutSchema, "DRA219", plain, once_per_file=True),
    row(
        facts.FieldOfValue,
        "DRA220",
        lambda found: Words(
            f'the attribute is {table_of("selector_words")["types"].get(found.type, "a value")} itself and has no field "{found.used}"',
            "the slice writes the type beside the value; in CEL the attribute is the value",
            _NO_OVERLOAD,
        ),
    ),
    row(facts.NameOfOtherType, "DRA221", _name_of_other_type),
    row(
        facts.DeprecatedName,
        "DRA222",
        lambda found: Words(
            f'driver {found.driver} means to drop attribute "{found.name}"',
            None
            if found.successor is None
            else f"use {access_text(found.successor)}, whose values may look different",
        ),
    ),
    row(facts.ListName, "DRA229", plain),
)

# Of several alternatives (`firstAvailable`) one may be meant for devices that there are elsewhere.
NEED_NOT_MATCH = (
    facts.ValueNotPublished,
    facts.WrongEnd,
    facts.AmountNeverMet,
    facts.NeverTrue,
    facts.AlternativeNeverTrue,
)
