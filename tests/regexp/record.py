"""Asks Go's regexp about patterns and texts: `python -m tests.regexp.record [--random N --seed S]`.

Without options it writes `answers.jsonl.gz` anew: patterns written for it, 6,000 made at random, and
what is in each class of Unicode. With `--random` it compares fresh patterns instead and prints what
differs. Needs Go.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

from dradsl.regexp import Pattern, PatternError
from dradsl.regexp.classes import _categories, _tables, unicode_class
from dradsl.regexp.syntax import Chars, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.jsonl.gz"

ATOMS = [
    "a",
    "b",
    ".",
    "x",
    "é",
    "k",
    "K",
    "s",
    "-",
    "{",
    "}",
    "]",
    "[",
    "(",
    ")",
    "|",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{1,3}",
    "{,2}",
    "{0}",
    "{2,}",
    "{1001}",
    "{3}?",
    "{10,2}",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[]a]",
    "[^]a]",
    "[a\\-c]",
    "[\\d-z]",
    "[^\\n]",
    "[[:alpha:]]",
    "[[:^digit:]]",
    "[[:foo:]]",
    "[:alpha:]",
    "[a-",
    "z]",
    "[",
    "\\d",
    "\\w",
    "\\W",
    "\\S",
    "\\s",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\A",
    "\\z",
    "\\Z",
    "\\n",
    "\\.",
    "\\_",
    "\\q",
    "\\8",
    "\\1",
    "\\07",
    "\\x",
    "\\x41",
    "\\x{e9}",
    "\\x{110000}",
    "\\Q.*\\E",
    "\\Q",
    "\\C",
    "\\pL",
    "\\PN",
    "\\p",
    "\\p{",
    "\\p{Lu}",
    "\\p{^L}",
    "\\P{Greek}",
    "\\p{Greek}",
    "\\p{Nope}",
    "\\p{letter}",
    "\\p{Upper_case-letter}",
    "\\p{Uppercase_Letter}",
    "\\pl",
    "\\pc",
    "\\P{LC}",
    "\\p{assigned}",
    "\\P{ASCII}",
    "\\p{old_italic}",
    "\\pſ",
    "\\P{K}",
    "\\p{Cn}",
    "(?i)\\p{LC}",
    "[\\pL]",
    "[\\p{Greek}a]",
    "[α-ω]",
    "(?i)",
    "(?s)",
    "(?m)",
    "(?U)",
    "(?i-s:",
    "(?i:K)",
    "(?i:s)",
    "(?i)ß",
    "(?z)",
    "(?-)",
    "(?:",
    "(?",
    "(?P<n>",
    "(?<m>",
    "(?P<>",
    "(?P=n)",
    "(?'n'a)",
    "()",
    "(|a)*",
    "(a*)*",
    "(a*)+",
    "(a|b)??",
    "(?:a?)*",
    "(a|ab)(c|bcd)",
    "{1000}",
    "[Z-a]",
    "(?i)[k-z]",
]
TEXTS = (
    *("", "a", "ab", "aab b\nxKéÉk", "AAA aba", "a1b2.c", "ΑβγK ſs", "ß ẞ", "a.*b{2}", "\nab\n"),
    *("abcd", "aaaaaaaaaa", "\u212ak", "a\r\nb", "k_k-", "Ǆǅǆ", "ıİiI"),
)
WRITTEN = (
    *("(" * 999 + ")" * 999, "(" * 1000 + ")" * 1000, "(" * 1001 + ")" * 1001),
    *(
        "(?:a{1000}){2}",
        "((a{100}){10}){2}",
        "(a{10}){100}",
        "(((a{10}){10}){10}){1}",
        "(x{0}){1000}",
    ),
    *(
        "NVIDIA A100.*",
        "^(?i)nvidia",
        "^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$",
        "(mig|gpu)-[0-9]+$",
    ),
    *(
        "(?i)\\pL+",
        "(?i)[^k]",
        "(?i)\\W",
        "[[:word:]]+",
        "\\pZ",
        "\\pC",
        "a{,3}",
        "a{1",
        "a{1,",
        "a{01}",
    ),
    *(
        "x{999999999}",
        "x{2,1}",
        "(?s).",
        "(?m)^a$",
        "(?m)$",
        "a**",
        "a*+",
        "a+?*",
        "|*",
        "(*)",
        "(?i)*",
        "^*",
        "$+",
    ),
)


def questions(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Patterns of up to seven atoms, each with a text."""
    chosen = random.Random(seed)
    for _ in range(count):
        pattern = "".join(chosen.choice(ATOMS) for _ in range(chosen.randint(1, 7)))
        yield pattern, chosen.choice(TEXTS)


def classes() -> Iterator[str]:
    """Patterns of one class each: all categories and scripts, with and without cases, and ranges."""
    names = {*_categories(), *_tables()["names"], *_tables()["scripts"], "Any", "assigned", "ASCII"}
    for name in sorted(names):
        if unicode_class(name) is not None:
            yield from (f"\\p{{{name}}}", f"(?i)\\p{{{name}}}", f"(?i)\\P{{{name}}}")
    edges = (0, 0x41, 0x7F, 0x130, 0x17F, 0x345, 0x400, 0x1E9E, 0x212A, 0xA64A, 0x10400, 0x10FFFF)
    for low, high in combinations(edges, 2):
        yield f"(?i)[\\x{{{low:x}}}-\\x{{{high:x}}}]"


def digest(ranges: list[int]) -> str:
    """A short name of ranges: from, to, from, to ..."""
    return hashlib.sha256(json.dumps(ranges).encode()).hexdigest()[:16]


def ask_upstream(asked: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Go's answers."""
    lines = "".join(json.dumps(question) + "\n" for question in asked)
    answers = subprocess.run(
        ["go", "run", "."],
        cwd=HERE / "upstream",
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in answers.stdout.splitlines()]


def members(pattern: str) -> list[int]:
    """The ranges of the class that a pattern is."""
    tree = parse(pattern)
    assert isinstance(tree, Chars)
    return [bound for bounds in tree.ranges for bound in bounds]


def ours(pattern: str, text: str) -> dict[str, Any]:
    """The answer of dradsl."""
    answer: dict[str, Any] = {"pattern": pattern, "text": text}
    try:
        found = Pattern(pattern).find(text)
    except PatternError as error:
        return answer | {"error": str(error)}
    return answer | ({"matches": [list(match) for match in found]} if found else {})


def main() -> int:
    """Record, or compare fresh patterns."""
    options = argparse.ArgumentParser()
    options.add_argument("--random", type=int, default=0, metavar="N")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    if not given.random:
        asked = [{"pattern": pattern, "text": text} for pattern in WRITTEN for text in TEXTS]
        asked += [{"pattern": pattern, "text": text} for pattern, text in questions(6000, 1)]
        asked += [{"class": pattern} for pattern in classes()]
        lines = "".join(
            json.dumps(
                answer | {"members": digest(answer["members"])} if "class" in answer else answer
            )
            + "\n"
            for answer in ask_upstream(asked)
        )
        ANSWERS.write_bytes(gzip.compress(lines.encode(), mtime=0))
        sys.stdout.write(f"{len(asked)} answers in {ANSWERS.name}\n")
        return 0
    different = 0
    fresh = questions(given.random, given.seed)
    for answer in ask_upstream([{"pattern": pattern, "text": text} for pattern, text in fresh]):
        mine = ours(answer["pattern"], answer["text"])
        if mine != answer:
            different += 1
            sys.stdout.write(f"upstream {answer}\n    ours {mine}\n")
    sys.stdout.write(f"{given.random - different} of {given.random} equal\n")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
