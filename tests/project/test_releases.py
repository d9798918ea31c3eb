"""Every table with a row a release has one for each: a new release is known everywhere or nowhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dradsl.allocator.switches import plugin_of, variants_of
from dradsl.cel.dra import device_environment
from dradsl.kube.context import rules_of
from dradsl.releases import GATES, RELEASES, Stage, parse_releases

PACKAGE = Path(__file__).parents[2] / "dradsl"
_MINOR = re.compile(r"1\.\d+")

# The tables that there are; another one is looked at as well, and belongs here.
TABLES = {
    "allocator/switches.py: _PLUGINS",
    "allocator/switches.py: _ROWS",
    "kube/context.py: _RULES",
    "releases.py: _CEL",
    "releases.py: _PATCHES",
}


def tables(path: Path) -> dict[str, set[str]]:
    """The dicts in a module's source whose keys name releases, by the name that they are given."""
    found: dict[str, set[str]] = {}
    for statement in ast.parse(path.read_bytes()).body:
        target: ast.expr | None = None
        if isinstance(statement, ast.AnnAssign):
            target = statement.target
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
        name = target.id if isinstance(target, ast.Name) else f"line {statement.lineno}"
        for node in ast.walk(statement):
            if not isinstance(node, ast.Dict):
                continue
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            minors = {str(key) for key in keys if _MINOR.fullmatch(str(key))}
            if minors:
                found[name] = minors
    return found


def test_every_table_has_every_release() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}: {name}": releases
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, releases in tables(path).items()
    }
    assert found.keys() == TABLES
    assert {name: releases for name, releases in found.items() if releases != {*RELEASES}} == {}


def test_the_test_sees_tables(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('A = 1\nROWS: dict[str, int] = frozen({"1.34": 1, "1.35": 2, "1.35.6": 3})\n')
    assert tables(module) == {"ROWS": {"1.34", "1.35"}}


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_can_be_asked(release: str) -> None:
    assert RELEASES[release].patch.startswith(f"{release}.")
    assert any(gate.stage is Stage.GA for gate in RELEASES[release].gates.values())
    assert rules_of(release) is not None
    assert [variant.name for variant in variants_of(release)] == [
        "stable",
        "incubating",
        "experimental",
    ]
    assert plugin_of(release) is not None
    assert device_environment(release).functions is not None
    assert [each.name for each in parse_releases(release)] == [release]


def test_every_gate_has_a_column_a_release() -> None:
    assert {name for name, row in GATES.items() if len(row) != len(RELEASES)} == set()


def test_limits_in_time_name_known_releases() -> None:
    """`since`, `until` and the like, of fields and gates."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in (PACKAGE / "kube/fields/table.py", PACKAGE / "kube/server/gates.py")
    }
    for path, text in texts.items():
        named = re.findall(r"(?:since|until|required-until)=\"?(1\.\d+)", text)
        assert len(named) > 3, path
        assert {*named} <= {*RELEASES}, path
