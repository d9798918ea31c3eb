"""A release is known everywhere or nowhere: one page each, in one convention, and no table beside them."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from pathlib import Path

import pytest

from dradsl.allocator.switches import plugin_of, variants_of
from dradsl.cel.dialects import DIALECTS
from dradsl.cel.dra import device_environment
from dradsl.kube.fields.table import _blocks, fields_of, known_somewhere
from dradsl.releases import (
    RELEASES,
    page_of,
    parse_releases,
    scheduling,
    server,
    validation_of,
)
from dradsl.releases.page import Page
from maintenance.release_table import names_of_pages, table_text

PACKAGE = Path(__file__).parents[2] / "dradsl"
PAGES = {name: PACKAGE / "releases" / f"v{name.replace('.', '_')}.py" for name in names_of_pages()}
_MINOR = re.compile(r"1\.\d+")

# Tables whose keys are releases: none, all that differs stands in the pages.
TABLES: set[str] = set()
SWITCHES = (
    server.CelLibraries,
    server.Validation,
    scheduling.AllocatorVariant,
    scheduling.NodeRules,
    scheduling.Plugin,
)


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


def test_the_table_is_that_of_the_pages() -> None:
    assert tuple(RELEASES) == tuple(PAGES)
    pages = [page_of(name) for name in PAGES]
    written = (PACKAGE / "releases" / "table.py").read_text(encoding="utf-8")
    assert written == table_text(pages), "python -m maintenance.release_table"


@pytest.mark.parametrize("release", PAGES)
def test_a_page_says_everything(release: str) -> None:
    """Of its own release, and each field of the right type: none has a default."""
    page = page_of(release)
    assert page.name == release
    assert page.patch.startswith(f"{release}.")
    assert all(patch.startswith(f"{release}.") for patch in page.earlier_patches)
    assert [variant.name for variant in page.variants] == ["stable", "incubating", "experimental"]
    assert page.cel.cel_go in DIALECTS
    for cls in (*SWITCHES, Page):
        for field in dataclasses.fields(cls):
            assert field.default is dataclasses.MISSING, (cls, field.name)
    assert {*page.gates.values()} <= {"a", "A", "b", "B", "g", "G", "G!"}


def test_a_page_without_a_field_does_not_load() -> None:
    values = {each.name: getattr(page_of("1.37"), each.name) for each in dataclasses.fields(Page)}
    for name in values:
        with pytest.raises(TypeError, match=name):
            Page(**{key: value for key, value in values.items() if key != name})


@pytest.mark.parametrize("release", list(PAGES)[1:])
def test_a_page_says_only_what_differs(release: str) -> None:
    """Each argument of `replace` and each gate is another than that of the release before."""
    names = list(PAGES)
    before, page = page_of(names[names.index(release) - 1]), page_of(release)
    calls = _replaced(PAGES[release])
    assert calls
    for base, written in calls:
        if base.startswith("_"):
            continue  # an older patch, from the variant above
        part = base.removeprefix("BEFORE").removeprefix(".")
        old, new = (getattr(each, part) if part else each for each in (before, page))
        changed = {
            each.name
            for each in dataclasses.fields(old)
            if getattr(old, each.name) != getattr(new, each.name)
        }
        assert changed == written, (release, part)
    own = _own_keys(PAGES[release], "gates")
    assert own == {gate for gate, text in page.gates.items() if before.gates.get(gate) != text}


def _replaced(path: Path) -> list[tuple[str, set[str]]]:
    """For each `replace(BASE, name=...)` in a page, BASE and the names."""
    return [
        (ast.unparse(node.args[0]), {each.arg or "" for each in node.keywords})
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "replace"
    ]


def _own_keys(path: Path, name: str) -> set[str]:
    return {
        str(key.value)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.keyword) and node.arg == name and isinstance(node.value, ast.Dict)
        for key in node.value.keys
        if isinstance(key, ast.Constant)
    }


@pytest.mark.parametrize("release", list(PAGES))
def test_fields_of_a_page_are_in_the_table(release: str) -> None:
    """What a page says came or went has a row in the table of fields, and is there or not there."""
    fields = page_of(release).fields
    names = list(PAGES)
    before = names[max(names.index(release) - 1, 0)]
    for there, gone, rows in ((release, before, fields.added), (before, release, fields.removed)):
        for block, listed in rows.items():
            assert block in _blocks()
            name, _, version = block.partition("@")
            for field in listed.split():
                assert field in fields_of(name, version or "v1", there), (block, field)
                assert field not in fields_of(name, version or "v1", gone), (block, field)
    for block, listed in fields.no_longer_required.items():
        for field in listed.split():
            row = known_somewhere(block, "v1", field)
            assert row is not None
            assert row.required_in(before)
            assert not row.required_in(release)


def test_every_switch_says_what_it_does() -> None:
    """Each field of the records has a docstring that names a Go function (held by the upstream map)."""
    for module in (server, scheduling):
        assert module.__file__ is not None
        for cls in ast.parse(Path(module.__file__).read_bytes()).body:
            if isinstance(cls, ast.ClassDef) and any(
                "dataclass" in ast.unparse(d) for d in cls.decorator_list
            ):
                for field, after in zip(cls.body, [*cls.body[1:], None], strict=True):
                    if not isinstance(field, ast.AnnAssign):
                        continue
                    text = ast.unparse(after.value) if isinstance(after, ast.Expr) else ""
                    name = ast.unparse(field.target)
                    assert len(text) > 20, (cls.name, name)
                    assert "Upstream: " in text or name in ("name", "cel_go"), (cls.name, name)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_can_be_asked(release: str) -> None:
    assert any(gate.stage == "GA" for gate in RELEASES[release].gates.values())
    assert validation_of(release) == page_of(release).validation
    assert RELEASES[release].cel == page_of(release).cel
    assert variants_of(release) == page_of(release).variants
    assert plugin_of(release) == page_of(release).plugin
    assert all(map(variants_of, page_of(release).earlier_patches))
    assert device_environment(release).functions is not None
    assert [each.name for each in parse_releases(release)] == [release]


def test_switches_in_tables_are_switches() -> None:
    """Rows that name a switch of a release name one that there is, of yes and no."""
    from dradsl.kube.server import gates

    types = typing.get_type_hints(server.Validation)
    rows = (*gates._CLAIM_SPEC, *gates._CLAIM_STATUS, *gates._SLICE, *gates._CLASS)
    named = [row.switch.removeprefix("!") for row in rows if row.switch]
    assert len(named) >= 4
    assert [name for name in named if types.get(name) is not bool] == []
