"""There is one API server: whoever wants to know what it says asks `ApiServer`, and nobody else.

The steps behind it are for `dradsl.kube` alone. So is the question what the server says of a CEL
expression; to evaluate one, as the scheduler does, is another question.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.project.test_layers import MODULES, PACKAGE, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOOR = "dradsl.kube.server.api_server"
# What the server does, step by step.
STEPS = (
    "dradsl.kube.context",
    "dradsl.kube.server",
    "dradsl.kube.validation",
    "dradsl.kube.pods.spec",
    "dradsl.kube.pods.pod_groups",
)
# These evaluate expressions, or show what one means.
EVALUATE = {
    "allocator/engine/selectors.py",
    "cli/cel.py",
    "drivers/abstract/constants.py",
    "lsp/fleet/recorded.py",
}
COMPILERS = {"compile_selector", "compile_expression", "check_text", "CompiledSelector"}


def imported(source: bytes) -> Iterator[tuple[int, str, str]]:
    """Line, module and name of every import, also inside functions and for type checkers."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, node.module or "", alias.name) for alias in node.names)


def is_step(module: str, name: str) -> bool:
    """Whether an import reaches behind the door."""
    full = f"{module}.{name}"
    return module != DOOR and any(
        place == step or place.startswith(f"{step}.") for place in (module, full) for step in STEPS
    )


def is_compiler(module: str, name: str) -> bool:
    return module.startswith("dradsl.cel") and name in COMPILERS


OUTSIDE = [path for path in MODULES if part_of(path) not in ("kube", "cel")]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_everybody_asks_the_server(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    for line, module, name in imported(path.read_bytes()):
        assert not is_step(module, name), f"{place}:{line}: ask {DOOR}, not {module}"
        if place not in EVALUATE:
            assert not is_compiler(module, name), f"{place}:{line}: ask {DOOR} for expressions"


def test_the_steps_are_for_the_server_alone() -> None:
    """Within the package too: only the server decides, validates and judges expressions."""
    decide = {"admit", "validate", "pod_spec_errors", "group_errors", "Expressions", "Admissions"}
    found = {
        path.relative_to(PACKAGE / "kube").as_posix().split("/")[0]
        for path in (PACKAGE / "kube").rglob("*.py")
        for _, module, name in imported(path.read_bytes())
        if module.startswith("dradsl.kube") and name in decide
    }
    assert found <= {"server", "context.py"}


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        ("from dradsl.kube.server.admission import admit", True),
        ("from dradsl.kube.server import admission", True),
        ("import dradsl.kube.validation", True),
        ("from dradsl.kube import validation", True),
        ("from dradsl.kube.pods.spec import pod_spec_errors", True),
        ("from dradsl.kube.server.api_server import ApiServer", False),
        ("from dradsl.kube.pods.workloads import pod_specs", False),
    ],
)
def test_the_test_sees_imports(source: str, reached: bool) -> None:
    (_, module, name) = next(imported(source.encode()))
    assert is_step(module, name) is reached
