"""The page on our allocator beside upstream's has every function that we follow, and names what is there."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from pathlib import Path

from tests.upstream.functions import read
from tests.upstream.map import answer

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/design/allocator-beside-upstream.md"
FILES = re.compile(
    r"structured/internal/(stable|incubating|experimental)/"
    r"(allocator|pools|constraint|consumable_capacity|compatibility_groups)[a-z_]*\.go$"
)


def rows() -> list[tuple[list[str], list[str]]]:
    """Per row of the tables: the names of upstream, and ours."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| Upstream", "| ---")):
            upstream, ours = line.strip("| ").split(" | ")[:2]
            found.append((re.findall(r"`([^`]+)`", upstream), re.findall(r"`([^`]+)`", ours)))
    return found


def test_every_function_that_is_followed_has_a_row() -> None:
    patterns = [name for upstream, _ in rows() for name in upstream]
    missing = {
        function
        for release in read().values()
        for path, function in release
        if FILES.search(path) and answer(path, function)[0]
        if not any(fnmatchcase(function, pattern) for pattern in patterns)
    }
    assert sorted(missing) == []


def names_of_ours() -> set[str]:
    """Functions and classes of the allocator, and `Class.member` for methods, fields and attributes."""
    found: set[str] = set()
    for path in (ROOT / "dradsl/allocator").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.ClassDef):
                found.add(node.name)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.FunctionDef):
                        found.add(f"{node.name}.{inner.name}")
                    elif isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
                        found.add(f"{node.name}.{inner.target.id}")
                    elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                        found.add(f"{node.name}.{inner.attr}")
    return found


def test_what_is_named_on_our_side_is_there() -> None:
    known = names_of_ours() | {"TOO_MANY"}
    named = {name for _, ours in rows() for name in ours}
    assert sorted(named - known) == []
    assert len(named) > 50
