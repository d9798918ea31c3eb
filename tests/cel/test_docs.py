"""The Python of docs/cel.md runs, and gives what its comments say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "cel.md"


def _blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_examples_give_what_they_say() -> None:
    names: dict[str, object] = {}
    compared = 0
    for block in _blocks():
        exec(compile(block, str(_PAGE), "exec"), names)
        for expression, said in re.findall(
            r"^(selector\.\S+) +# ([^;,\n]+?)(?:[;,].*)?$", block, re.MULTILINE
        ):
            try:
                expected = eval(said, names)
            except (SyntaxError, NameError):
                continue  # a comment in words
            assert eval(expression, names) == expected
            compared += 1
    assert compared >= 3


def test_names_of_the_page_exist() -> None:
    import dradsl.cel

    used = {
        alias.name
        for block in _blocks()
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and node.module == "dradsl.cel"
        for alias in node.names
    }
    assert used
    assert used <= set(dradsl.cel.__all__)
