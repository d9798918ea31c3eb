"""How observations of lower layers become findings: a row a reason, with its code and its message.

The rows of a family are in a module of their own (`selector_messages` and others, beside this one). What the API
server rejects has rows of another shape, in `server_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.drivers.schema.suggest import listed
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.table import table_of
from dradsl.observations import Facts, Impact, Observation
from dradsl.records import dataclass
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "Rows",
    "WordingRow",
    "Words",
    "bare",
    "did_you_mean",
    "overload",
    "plain",
    "rows",
    "severity_of",
    "shown",
    "why_of",
]


@dataclass(frozen=True, slots=True)
class Words:
    """What a finding says: message, remedy, and what the scheduler or driver would print.

    `severity` and `why` are set where they are not those of the rule.
    """

    message: str
    help: str | None = None
    upstream: str | None = None
    severity: Severity | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class WordingRow:
    """The code of a reason, and the function that words its facts.

    With `once_per_file` equal facts are worth one finding a file.
    """

    code: str
    words: Callable[[Any], Words]
    once_per_file: bool = False


Rows = Mapping[type[Facts], WordingRow]


_IF_GIVEN = pattern(r"\[\[(!?)(\w+)\|(.*?)\]\]")


class _Given:
    """A field of facts in a text: `{name}`, or `{name:form}` in one of the forms."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __format__(self, form: str) -> str:
        shown = _FORMS.get(form)
        return str(shown(self.value)) if shown is not None else format(self.value, form)


def _in_words(table: str, other: str = "") -> Callable[[Any], str]:
    return lambda value: table_of("selector_words")[table].get(value, other)


def overload(kind: str, operator: str) -> str | None:
    """What the scheduler prints where CEL has no such operation."""
    ordering = operator[0] not in "_@" or operator in ("_<_", "_<=_", "_>_", "_>=_")
    is_error = ordering or (kind == "version" and operator == "_==_")
    return "CEL runtime error: no such overload" if is_error else None


def shown(value: object) -> str:
    """A value in a message."""
    return f'"{value}"' if isinstance(value, str) else bare(value)


def bare(value: object) -> str:
    """A value without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _access(name: Any) -> str:
    from dradsl.drivers.suggestions.names import access_text  # most runs say nothing

    return access_text(name)


def _read(name: Any, otherwise: str = "") -> str:
    from dradsl.drivers.suggestions.names import AMOUNTS

    return f"{_access(name)}{f'; {AMOUNTS}' if name[0] == 'capacity' else otherwise}"


_FORMS: Mapping[str, Callable[[Any], Any]] = {
    "": lambda value: listed(value) if isinstance(value, tuple) else value,
    "16": lambda values: listed(values, 16),
    "NAME": lambda name: _access((*name[:2], "NAME")),
    "a kind": lambda name: "a capacity" if name[0] == "capacity" else "an attribute",
    "access": _access,
    "and": " and ".join,
    "bytes": lambda value: "a number without suffix counts single bytes" * value.isdecimal(),
    "domain": lambda name: name[1],
    "first": lambda values: values[0],
    "key": lambda name: name[2],
    "kind": lambda name: name[0].replace("attributes", "attribute"),
    "less": lambda number: number * 7 // 8,
    "list error": lambda operator: overload("list", operator) or "",
    "literal": _in_words("literals"),
    "of DRIVER": lambda word: _access(("attributes", "DRIVER", word)),
    "other kind": lambda name: "an attribute" if name[0] == "capacity" else "a capacity",
    "read": _read,
    "second": lambda name: name[1].split(".")[1],
    "shown": shown,
    "symbol": _in_words("operators"),
    "test": _in_words("tests"),
    "type": _in_words("types", "a value"),
    "value": lambda name: _read(name, "; that is the value itself"),
    "version error": lambda operator: overload("version", operator) or "",
}


def plain(found: Facts) -> Words:
    """The words that `plain_messages.json` has for facts: message, remedy, upstream's words, severity, why.

    `[[NAME|text]]` counts only if the field is given, `[[!NAME|text]]` only if it is not.
    """
    names: tuple[str, ...] = found.__match_args__
    given = {name: getattr(found, name) for name in names}
    values = {name: _Given(value) for name, value in given.items()}
    texts: list[Any] = [
        _IF_GIVEN.sub(
            lambda m: m[3] if bool(given[m[2]]) is not bool(m[1]) else "", each or ""
        ).format_map(values)
        or None
        for each in (*table_of("plain_messages")[type(found).__name__], None, None, None, None)
    ]
    severity = texts[3] and Severity(texts[3])
    return Words(texts[0], texts[1], texts[2], severity, texts[4])


def did_you_mean(meant: object) -> str:
    """The end of a message that names what was meant; empty if that is not known."""
    return "" if meant is None else f'; did you mean "{meant}"?'


def rows(of: str, module: object, words: Mapping[str, Callable[[Any], Words]]) -> Rows:
    """The rows of a family by the facts of a module: the codes are in `message_codes.json`, `words` of those that are not plain."""
    codes = table_of("message_codes")
    once = codes["once per file"]
    return MappingProxyType(
        {
            getattr(module, name): WordingRow(code, words.get(name, plain), name in once)
            for name, code in codes[of].items()
        }
    )


# What the impact of an observation makes of its rule: an error is for what is fatal, since because of it the request
# gets nothing. A misleading part is a warning at most, and one without effect an info.

_MOST = {Impact.MISLEADING: Severity.WARNING, Impact.NO_EFFECT: Severity.INFO}
_MISLEADING = "this part does not select what it names; other parts of the selector may still let devices through"
_MISLEADING_ALONE = "it does not select what it names"
_FAILS = (
    "a device for which this part is reached makes the selector fail, and the scheduler gives up on the "
    "whole pod"
)
_NEVER = "no device passes this selector, and no error says so: a pod that needs it stays pending"
_NO_EFFECT = "this part changes nothing: the rest of the selector decides alone"


def severity_of(code: str, severity: Severity | None, observed: Observation) -> Severity | None:
    """The severity of what was observed; None is the one of the rule."""
    most = _MOST.get(observed.impact)
    if most is None:
        return severity
    given = severity or RULES[code].severity
    return most if given.rank < most.rank else severity


def why_of(code: str, words: Words, observed: Observation, text: object) -> str | None:
    """Why it matters, where that is not what the document of the rule says; `text` is the value at its place."""
    if RULES[code].severity is not Severity.ERROR:
        return None
    if observed.impact is Impact.NO_EFFECT:
        return _NO_EFFECT
    if observed.impact is Impact.MISLEADING:
        if words.upstream and observed.fails:
            return _FAILS
        others = isinstance(text, str) and ("||" in text or "?" in text)
        return _MISLEADING if others else _MISLEADING_ALONE
    if words.upstream and not observed.fails:
        return _NEVER  # behind a guard such as `has`, nothing ends in an error
    return None
