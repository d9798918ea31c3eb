"""The order of dependence between the parts of dradsl, read off every import in the source."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "dradsl"

# A part may import its own row's parts and those above. Rows from docs/design: what is lowest
# knows least.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"_version", "data", "diagnostics", "records", "releases", "values"}),
    frozenset({"text"}),
    frozenset({"recordings"}),
    frozenset({"cel"}),
    frozenset({"kube"}),
    frozenset({"drivers"}),
    frozenset({"charts"}),
    frozenset({"allocator"}),
    frozenset({"simulate"}),
    frozenset({"lint"}),
    frozenset({"dsl"}),
    frozenset({"devices"}),
    frozenset({"migrate"}),
    frozenset({"cli", "replay"}),
    frozenset({"__main__"}),
)
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}

# (importer, imported): what the order would allow, and still may not be.
STRANGERS = (
    ("cel", "text"),
    ("allocator", "text"),
    ("allocator", "drivers"),
    ("simulate", "text"),
    ("simulate", "drivers"),
    ("migrate", "dsl"),
)

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_parts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and part of every import of dradsl, also inside functions and TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            assert node.module is not None
            names = [node.module]
            if node.module == "dradsl":
                names = [f"dradsl.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("dradsl."):
                yield node.lineno, name.split(".")[1]


def test_every_part_has_a_place() -> None:
    parts = {part_of(path) for path in MODULES}
    assert parts <= set(RANK), f"parts without a layer: {sorted(parts - set(RANK))}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    own = part_of(path)
    for line, part in imported_parts(path):
        place = f"dradsl/{path.relative_to(PACKAGE)}:{line}"
        assert RANK[part] <= RANK[own], f"{place}: {own} may not know {part}"
        assert (own, part) not in STRANGERS, f"{place}: {own} may not know {part}"


def test_the_test_sees_imports(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import dradsl.cli\n"
        "def late():\n    from dradsl.lint import engine\n"
        "if TYPE_CHECKING:\n    from dradsl import kube\n"
    )
    assert sorted(imported_parts(module)) == [(1, "cli"), (3, "lint"), (5, "kube")]
