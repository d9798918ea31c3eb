"""What migrate takes of lint: to read files with its findings, and to prove with its verdicts."""

from __future__ import annotations

import ast
from pathlib import Path

MIGRATE = Path(__file__).parents[2] / "dradsl" / "migrate"


def test_migrate_imports_two_modules_of_lint() -> None:
    found = {
        each.module
        for path in MIGRATE.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("dradsl.lint")
    }
    assert found == {"dradsl.lint.engine.run", "dradsl.lint.input.reading"}
