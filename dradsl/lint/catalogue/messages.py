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
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Facts)

__all__ = [
    "Rows",
    "WordingRow",
    "Words",
    "did_you_mean",
    "plain",
    "row",
    "severity_of",
    "table",
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


# `row` sees to it that the words of a row take its own facts.
Rows = Mapping[type[Facts], WordingRow]


def row(
    facts: type[F], code: str, words: Callable[[F], Words], *, once_per_file: bool = False
) -> tuple[type[Facts], WordingRow]:
    """A row of a table: the words of `facts`, under `code`."""
    return facts, WordingRow(code, words, once_per_file)


_IF_GIVEN = pattern(r"\[\[(\w+)\|(.*?)\]\]")


def plain(found: Facts) -> Words:
    """The words that `plain_messages.json` has for facts: message, remedy, upstream's words, severity, why.

    `[[NAME|text]]` counts only if the field is given.
    """
    names: tuple[str, ...] = found.__match_args__
    given = {name: getattr(found, name) for name in names}
    shown = {name: listed(v) if isinstance(v, tuple) else v for name, v in given.items()}
    texts: list[Any] = [
        _IF_GIVEN.sub(lambda m: m[2] if given[m[1]] else "", each or "").format_map(shown) or None
        for each in (*table_of("plain_messages")[type(found).__name__], None, None, None, None)
    ]
    severity = texts[3] and Severity(texts[3])
    return Words(texts[0], texts[1], texts[2], severity, texts[4])


def did_you_mean(meant: object) -> str:
    """The end of a message that names what was meant; empty if that is not known."""
    return "" if meant is None else f'; did you mean "{meant}"?'


def table(*rows: tuple[type[Facts], WordingRow]) -> Rows:
    """The rows by what they are about."""
    return MappingProxyType(dict(rows))


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
