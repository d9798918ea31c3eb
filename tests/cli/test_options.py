"""Calls that are read without click have the values that click would give them."""

from __future__ import annotations

import contextlib
from typing import Any

import click
import pytest
from hypothesis import given, strategies as st

from dradsl.cli.lint import command
from dradsl.cli.lint_options import OPTIONS
from dradsl.cli.options import read_plainly

WORDS = st.sampled_from(
    [
        *(flag for option in OPTIONS for flag in option.flags),
        *(f"{option.flags[-1]}=json" for option in OPTIONS),
        *["--output-format=json", "--color=never", "--severity", "error", "never", "json"],
        *["one.yaml", "a b", "-", "--", "", "-x", "-qq", "-q", "--selec", "--help", "-h", "="],
        *["--select=", "--select=DRA1,DRA2", "--stdin-filename=-", "DRA3", "1.36"],
    ]
)


def by_click(words: list[str]) -> dict[str, Any]:
    return command.make_context("lint", list(words)).params


@given(st.lists(WORDS, max_size=6))
def test_as_click(words: list[str]) -> None:
    values = read_plainly(words, OPTIONS)
    if values is not None:
        assert values == by_click(words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["one.yaml"],
        ["-", "--stdin-filename", "x.yaml"],
        ["a", "--select", "DRA3", "--select=DRA4", "b", "-q", "--output-format", "json"],
        ["--kube-version", "1.34-1.36", "--feature-gates=A=true", "--fix", "--diff"],
        ["--slices", "s", "--context", "c", "--isolated", "--fail-on=never", "."],
    ],
)
def test_plain_calls_need_no_click(words: list[str]) -> None:
    assert read_plainly(words, OPTIONS) == by_click(words)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--nothing"],
        ["--select"],
        ["--fix=yes"],
        ["--severity", "bad"],
        ["--output", "x"],
        ["--select", "--fix"],
    ],
)
def test_what_needs_words_is_left_to_click(words: list[str]) -> None:
    assert read_plainly(words, OPTIONS) is None


def test_every_option_takes_what_it_says() -> None:
    for option in OPTIONS:
        words = [option.flags[-1]]
        if option.kind != "flag":
            words.append(option.choices[-1] if option.choices else "x")
        with contextlib.suppress(click.exceptions.Exit):
            value = by_click(words)[option.name]
            assert value not in (option.unset, None), option.name
