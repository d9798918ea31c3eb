"""The codes and words that lint gives to what the judges of driver schemas observe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.catalogue.config_words import CONFIG_WORDS
from dradsl.lint.catalogue.impacts import severity_of as severity_of_impact
from dradsl.lint.catalogue.request_words import REQUEST_WORDS
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.selector_words import SELECTOR_WORDS

if TYPE_CHECKING:
    from dradsl.diagnostics import Severity
    from dradsl.lint.catalogue.words import Words
    from dradsl.observations import Observation

ROWS = {**SELECTOR_WORDS, **REQUEST_WORDS, **CONFIG_WORDS}


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
