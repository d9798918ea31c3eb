"""The codes and words that lint gives to what the judges of driver schemas observe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.catalogue.config_messages import CONFIG_MESSAGES
from dradsl.lint.catalogue.messages import severity_of as severity_of_impact
from dradsl.lint.catalogue.request_messages import REQUEST_MESSAGES
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.selector_messages import SELECTOR_MESSAGES

if TYPE_CHECKING:
    from dradsl.diagnostics import Severity
    from dradsl.lint.catalogue.messages import Words
    from dradsl.observations import Observation

ROWS = {**SELECTOR_MESSAGES, **REQUEST_MESSAGES, **CONFIG_MESSAGES}


def code_of(observed: Observation) -> str:
    return ROWS[type(observed.facts)].code


def words_of(observed: Observation) -> Words:
    row = ROWS[type(observed.facts)]
    words: Words = row.words(observed.facts)
    return words


def severity_of(observed: Observation) -> Severity:
    code = code_of(observed)
    given = severity_of_impact(code, words_of(observed).severity, observed)
    return given or RULES[code].severity
