"""The words of messages and pages: those of the Kubernetes documentation, none from the list below.

The list holds words that readers stumble over. Comments and names in the code are not looked at.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parent.parent.parent
# Word -> what is written instead. "stands for" and "stand-in" are the usual words for what they say.
_INSTEAD = {
    r"refus(e|es|ed|ing|al|als)": "reject",
    r"mend(s|ed|ing)?": "fix",
    r"stands?(?! for\b|-)": "is, are",
    r"of yours": "of your own",
    r"for ever": "indefinitely",
    r"told(?! apart)": "said",
    r"heed(s|ed)?": "honour",
    r"ill-formed": "malformed",
}
_WORDS = re.compile("|".join(rf"\b(?:{word})\b" for word in _INSTEAD), re.IGNORECASE)


def _without_code(text: str) -> str:
    """The page without blocks of code and quoted code, in which others speak."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def _messages(path: Path) -> Iterator[tuple[int, str]]:
    """Strings of a module that hold a sentence, docstrings left out."""
    tree = ast.parse(path.read_text("utf-8"))
    plain = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if " " in node.value and id(node) not in plain:
            yield node.lineno, node.value


def _pages() -> list[Path]:
    found = [_ROOT / "README.md", _ROOT / "CONTRIBUTING.md", _ROOT / "SECURITY.md"]
    for folder in ("docs", "rules"):
        found += sorted((_ROOT / folder).rglob("*.md"))
    found += sorted((_ROOT / "schemas").glob("*.yaml"))
    return [path for path in found if "reference" not in path.parts]


def test_pages() -> None:
    wrong = [
        f"{path.relative_to(_ROOT)}: {match[0]}"
        for path in _pages()
        for match in _WORDS.finditer(_without_code(path.read_text("utf-8")))
    ]
    assert not wrong, wrong


def test_messages() -> None:
    wrong = [
        f"{path.relative_to(_ROOT)}:{line}: {match[0]}"
        for path in sorted((_ROOT / "dradsl").rglob("*.py"))
        for line, text in _messages(path)
        for match in _WORDS.finditer(text)
    ]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the server refuses it", "refuses"),
        ("`refused` is a word of others", None),
        ("mended by hand", "mended"),
        ("`*` stands for any characters", None),
        ("the claim stands below", "stands"),
    ],
)
def test_the_list_is_looked_for(text: str, found: str | None) -> None:
    match = _WORDS.search(_without_code(text))
    assert (match and match[0]) == found
