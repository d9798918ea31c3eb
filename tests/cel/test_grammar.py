"""The hand-written parser against the grammar: both take and reject the same texts."""

from __future__ import annotations

import functools
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.cel.syntax.lexer import tokenize
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from tests.cel.expressions import Generator

_GRAMMAR = Path(__file__).with_name("grammar.lark")


@functools.cache
def _reference() -> Any:
    lark = pytest.importorskip("lark")
    return lark.Lark(_GRAMMAR.read_text(encoding="utf-8"), parser="lalr", lexer="basic")


def _reference_takes(text: str) -> bool:
    import lark

    try:
        _reference().parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


def _we_take(text: str) -> bool:
    """Whether the syntax is right, whatever else is wrong with it."""
    try:
        parse(text, frozenset(), backtick_names=True)
    except CelSyntaxError as error:
        return not any(issue.message.startswith("Syntax error") for issue in error.issues)
    return True


def _mutated(text: str, chance: random.Random) -> str:
    """The text with some of its tokens dropped, doubled, swapped or replaced."""
    words = tokenize(text).texts[:-1]
    extra = ["(", ")", "[", "]", "{", "}", ",", ":", "?", ".", "-", "!", "&&", "in", "1", "a", "+"]
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(words) + 1)
        action = chance.randrange(3)
        if action == 0:
            words[place : place + 1] = []
        elif action == 1:
            words.insert(place, chance.choice(extra))
        elif place < len(words):
            words[place] = chance.choice(extra)
    return " ".join(words)


@pytest.mark.parametrize("seed", range(4))
def test_generated_and_damaged_expressions(seed: int) -> None:
    generator, chance = Generator(seed), random.Random(seed)
    wrong = []
    for _ in range(150):
        text = generator.expression(3)
        for candidate in (text, _mutated(text, chance)):
            # `-5{}` and `f(){}` look like messages to the grammar alone.
            if "{" in candidate and any(part in candidate for part in (") {", "] {", "} {", '" {')):
                continue
            if _reference_takes(candidate) != _we_take(candidate):
                wrong.append(candidate)
    assert not [text for text in wrong if not _is_odd_message(text)]


def _is_odd_message(text: str) -> bool:
    """A message literal whose name is no plain name: the parser's business, not the grammar's."""
    words = tokenize(text).kinds
    return any(
        kind == "{" and before not in ("ident", "(", "[", ",", ":", "?", "&&", "||", "in", "eof")
        for before, kind in itertools.pairwise(words)
    )


_WORDS = st.sampled_from(
    ["a", "b.c", "1", "-1", "2u", "1.5", '"s"', "b'x'", "true", "null", "(", ")", "[", "]", ",",
     "?", ":", ".", "-", "!", "&&", "||", "==", "<", "in", "+", "*", "f(", "has(", "a.`b`"]
)  # fmt: skip


@given(st.lists(_WORDS, min_size=1, max_size=9))
@settings(max_examples=300, deadline=None)
def test_any_sequence_of_tokens(words: list[str]) -> None:
    text = " ".join(words)
    assert _reference_takes(text) == _we_take(text)


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_tree_or_a_clear_rejection(text: str) -> None:
    rejection: CelSyntaxError | None = None
    try:
        parse(text)
    except CelSyntaxError as error:
        rejection = error
    if rejection is not None:
        assert rejection.message
        assert -1 <= rejection.start <= len(text)
