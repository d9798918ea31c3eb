"""The order of dependence between the parts of dradsl, read off every import in the source.

The parts stand in one order. Within a part neither modules nor folders may depend on each other in a
circle, be it by imports at the top, inside functions or for type checkers.
"""

from __future__ import annotations

import ast
import functools
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "dradsl"

# A part may import its own row's parts and those above. Rows from docs/design: what is lowest
# knows least.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "_version",
            "data",
            "diagnostics",
            "errors",
            "import_path",
            "observations",
            "confinement",
            "programs",
            "records",
            "regexp",
            "releases",
            "values",
        }
    ),
    frozenset({"text"}),
    frozenset({"cel"}),
    frozenset({"kube"}),
    frozenset({"tree"}),
    frozenset({"recordings"}),
    frozenset({"drivers"}),
    frozenset({"allocator"}),
    frozenset({"simulate"}),
    frozenset({"why"}),
    frozenset({"lint"}),
    frozenset({"dsl"}),
    frozenset({"migrate"}),
    frozenset({"api"}),
    frozenset({"scaffolding"}),
    frozenset({"testing", "integrations"}),
    frozenset({"typing"}),
    frozenset({"devices"}),
    frozenset({"lsp"}),
    frozenset({"cli"}),
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
    ("why", "text"),
    ("why", "drivers"),
    ("migrate", "dsl"),
)

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@functools.cache
def imported_names(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and name of every import of dradsl, also inside functions and TYPE_CHECKING.

    `from a import b` gives `a.b`: whether `b` is a module, only the files can tell.
    """
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found += [(node.lineno, name) for name in names if name.startswith("dradsl.")]
    return tuple(found)


def imported_parts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and part of every import of dradsl."""
    yield from dict.fromkeys((line, name.split(".")[1]) for line, name in imported_names(path))


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(root: Path) -> dict[str, set[str]]:
    """For each module of the package at `root`, the modules of it that are imported by name."""
    files = {module_of(path, root): path for path in sorted(root.rglob("*.py"))}
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        graph[module] = set()
        for _, name in imported_names(path):
            while name not in files:
                name = name.rpartition(".")[0]
            graph[module].add(name)
        graph[module].discard(module)
    return graph


def folded(graph: dict[str, set[str]], depth: int) -> dict[str, set[str]]:
    """The graph of the folders `depth` levels down; a module that lies higher counts for itself."""
    short = {module: ".".join(module.split(".")[:depth]) for module in graph}
    folders: dict[str, set[str]] = {name: set() for name in short.values()}
    for module, known in graph.items():
        folders[short[module]] |= {short[other] for other in known} - {short[module]}
    return folders


def circle(graph: dict[str, set[str]]) -> list[str]:
    """One circle in `graph`, each member importing the next; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(member) for member in reversed(error.args[1])]
    return []


def test_every_part_has_a_place() -> None:
    parts = {part_of(path) for path in MODULES}
    assert parts <= set(RANK), f"parts without a layer: {sorted(parts - set(RANK))}"


@pytest.mark.parametrize("own", sorted(RANK))
def test_imports_go_down(own: str) -> None:
    wrong = [
        f"dradsl/{path.relative_to(PACKAGE)}:{line}: {own} may not know {part}"
        for path in MODULES
        if part_of(path) == own
        for line, part in imported_parts(path)
        if RANK[part] > RANK[own] or (own, part) in STRANGERS
    ]
    assert wrong == []


def test_no_circles_between_modules() -> None:
    assert circle(imports(PACKAGE)) == []


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_no_circles_between_folders(depth: int) -> None:
    assert circle(folded(imports(PACKAGE), depth)) == []


def test_the_test_sees_imports(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import dradsl.cli\n"
        "def late():\n    from dradsl.lint import engine\n"
        "if TYPE_CHECKING:\n    from dradsl import kube\n"
    )
    assert sorted(imported_parts(module)) == [(1, "cli"), (3, "lint"), (5, "kube")]


def test_the_test_sees_circles(tmp_path: Path) -> None:
    root = tmp_path / "dradsl"
    texts = {
        "__init__.py": "",
        "a.py": "from dradsl.b import x\n",
        "b.py": "def late():\n    from dradsl.c import y\n",
        "c.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from dradsl import a\n",
        "part/one/low.py": "",
        "part/one/high.py": "import dradsl.part.two.middle\n",
        "part/two/middle.py": "from dradsl.part.one.low import z\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    graph = imports(root)
    found = circle(graph)
    assert set(found) == {"dradsl.a", "dradsl.b", "dradsl.c"}
    assert all(other in graph[one] for one, other in pairwise(found))
    graph["dradsl.c"].clear()
    assert circle(graph) == []
    assert set(circle(folded(graph, 3))) == {"dradsl.part.one", "dradsl.part.two"}
