"""Family 8: the code and the words of what `drivers.judge.configs` finds in opaque parameters."""

from __future__ import annotations

from collections.abc import Iterable

from dradsl.diagnostics import Severity
from dradsl.drivers.judge import config_facts as facts
from dradsl.drivers.schema.suggest import listed
from dradsl.lint.catalogue.messages import Words, did_you_mean, plain, rows
from dradsl.records import replace

__all__ = ["CONFIG_MESSAGES"]

_LONGEST_VALUE = 60

_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(str(step) for step in path)


def _unknown_kind(found: facts.UnknownConfigKind) -> Words:
    value = found.api_version if found.unknown == "apiVersion" else found.kind
    return Words(
        f'driver {found.driver} knows no parameters of {found.unknown} "{value}"'
        + did_you_mean(found.meant),
        f"write apiVersion: {found.known[0].replace(' ', ', kind: ')}"
        if found.meant and len(found.known) == 1
        else f"it knows {', '.join(found.known)}",
        f'no kind "{found.kind}" is registered for version "{found.api_version}"',
        _unless_known(found),
    )


def _unless_known(found: facts.UnknownConfigKind) -> Severity | None:
    """What the schema does not know may be of another driver of that name, or of a later version."""
    is_example = found.api_version.partition("/")[0].endswith("example.com")
    if found.meant is not None and not is_example:  # such a group is of no driver that is shipped
        return None if found.certain else Severity.WARNING
    return Severity.INFO if found.unknown == "apiVersion" else Severity.WARNING


def _unknown_field(found: facts.UnknownConfigField) -> Words:
    if not found.rejected:
        return Words(
            f'no field "{found.field}" of {_dotted(found.path) or found.kind} is known'
            + did_you_mean(found.meant),
            "the driver passes over fields that it does not know",
            severity=Severity.WARNING,
        )
    end = did_you_mean(found.meant)
    if not end and found.elsewhere is not None:
        end = f"; it belongs to {_dotted(found.elsewhere) or found.kind}"
    return Words(
        f'{_dotted(found.path) or found.kind} has no field "{found.field}"{end}',
        found.help or (f"it has {listed(found.known)}" if found.known else "it has no fields"),
        f'strict decoding error: unknown field "{_dotted((*found.path, found.field))}"',
    )


def _wrong_value(found: facts.WrongConfigValue) -> Words:
    field = "the value" if found.field is None else f'"{found.field}"'
    shown = found.value
    if len(shown) > _LONGEST_VALUE:
        shown = f"{shown[: _LONGEST_VALUE - 3]}…"
    helped = found.described
    limit = found.limits[0] if found.limits else None
    if found.rule == "enum":
        message = f"{field} cannot be {shown}{did_you_mean(found.meant)}"
        one_of = f"one of {', '.join(str(each) for each in found.limits if each != '')}"
        helped = f"{one_of}; {helped}" if "device" in str(helped) else one_of
    elif found.rule == "type":
        types = " or ".join(_TYPES.get(str(each), str(each)) for each in found.limits)
        message = f"{field} must be {types}, not {shown}"
        bare = shown.strip('"%')
        meant = "integer" if bare.isdigit() else "boolean" if bare in ("true", "false") else None
        if helped is None and meant in found.limits and bare != shown:
            helped = f"write {bare}, without {'quotes' if '%' not in shown else '%'}"
    elif found.rule in ("minimum", "maximum"):
        end = "least" if found.rule == "minimum" else "most"
        message = f"{field} must be at {end} {limit}, not {shown}"
    elif found.rule == "maxLength":
        message = f"{field} must not be longer than {limit} characters"
    elif found.rule == "minLength":
        message = f"{field} must not be empty"
    elif found.rule == "format":
        message = f"{field} must be a {limit}, not {shown}"
    else:
        message = f"{field} cannot be {shown}"
    return Words(message, helped)


_UNREAD = "no driver of that name reads the parameters: the device is set up without them"

CONFIG_MESSAGES = rows(
    "configs",
    facts,
    {
        "UnknownDriver": lambda found: replace(plain(found), why=_UNREAD),
        "UnknownConfigKind": _unknown_kind,
        "UnknownConfigField": _unknown_field,
        "WrongConfigValue": _wrong_value,
    },
)
