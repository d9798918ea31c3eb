"""A release is known everywhere or nowhere: one page each, in one convention, and no table beside them."""

from __future__ import annotations

import ast
import dataclasses
import enum
import re
import types
import typing
from pathlib import Path

import pytest

from dradsl.allocator.switches import plugin_of, variants_of
from dradsl.cel.dialects import DIALECTS
from dradsl.cel.dra import device_environment
from dradsl.kube.fields.table import _blocks, fields_of, known_somewhere
from dradsl.releases import (
    RELEASES,
    parse_releases,
    scheduling,
    server,
    validation_of,
)
from maintenance import release_table
from maintenance.release_table import VARIANTS, full_pages, names_of_pages, own_page, texts

PACKAGE = Path(__file__).parents[2] / "dradsl"
PAGES = names_of_pages()
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


def test_the_tables_are_those_of_the_pages() -> None:
    assert tuple(RELEASES) == PAGES
    for path, text in texts().items():
        assert path.read_text(encoding="utf-8") == text, "python -m maintenance.release_table"


@pytest.mark.parametrize("release", PAGES)
def test_a_page_says_everything(release: str) -> None:
    """Of its own release, and each switch of the right type: none has a default."""
    page = full_pages()[release]
    assert page["patch"].startswith(f"{release}.")
    assert all(patch.startswith(f"{release}.") for patch in page["earlier_patches"])
    assert tuple(variant.name for variant in variants_of(release)) == VARIANTS
    assert RELEASES[release].cel.cel_go in DIALECTS
    for cls in SWITCHES:
        for field in dataclasses.fields(cls):
            assert field.default is dataclasses.MISSING, (cls, field.name)
    assert {*page["gates"].values()} <= {"a", "A", "b", "B", "g", "G", "G!"}
    plugin = plugin_of(release)
    records = [RELEASES[release].cel, validation_of(release), *variants_of(release), plugin]
    for patch in page["earlier_patches"]:
        records += variants_of(patch)
    for record in records + [plugin.node_rules] * (plugin.node_rules is not None):
        for name, hint in typing.get_type_hints(type(record)).items():
            value = getattr(record, name)
            assert is_of(value, hint), (type(record), name, value)


def is_of(value: object, hint: typing.Any) -> bool:
    """Whether a value of a switch has the type that its record says."""
    if isinstance(hint, types.UnionType):
        return any(is_of(value, each) for each in typing.get_args(hint))
    if typing.get_origin(hint) in (tuple, frozenset):
        kept = isinstance(value, typing.get_origin(hint))
        return kept and all(isinstance(each, str) for each in typing.cast("typing.Any", value))
    return type(value) is hint


def test_the_test_sees_types() -> None:
    assert is_of(("a",), tuple[str, ...])
    assert is_of(None, str | None)
    assert not is_of(["a"], tuple[str, ...])
    assert not is_of(1, bool)
    assert not is_of("sorted", scheduling.SearchOrder)
    assert issubclass(scheduling.SearchOrder, enum.Enum)


@pytest.mark.parametrize("word", ["scores", "cel_go", "max_taints", "names_device"])
def test_a_page_without_a_switch_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    _first_page(tmp_path, monkeypatch, f"\n  {word}:", "\n  # ")
    with pytest.raises(ValueError, match=f"the page of 1.34 does not set {word}"):
        full_pages()


@pytest.mark.parametrize(
    ("known", "unknown"),
    [("\nplugin:", "\nplugins:"), ("  scores:", "  score:"), ("\nfields:", "\nfield:")],
)
def test_a_page_with_an_unknown_word_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str, unknown: str
) -> None:
    _first_page(tmp_path, monkeypatch, known, unknown)
    with pytest.raises(ValueError, match=r"what is not known: \w+"):
        full_pages()


def _first_page(folder: Path, patch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """A folder of pages with that of 1.34, in which one text is another, and a section of fields."""
    text = (release_table._PAGES / "1.34.yaml").read_text("utf-8") + "\nfields: {}\n"
    assert old in text
    (folder / "1.34.yaml").write_text(text.replace(old, new), "utf-8")
    patch.setattr(release_table, "_PAGES", folder)


@pytest.mark.parametrize("release", PAGES[1:])
def test_a_page_says_only_what_differs(release: str) -> None:
    """Each switch and each gate is another than that of the release before."""
    pages = full_pages()
    before, page, own = pages[PAGES[PAGES.index(release) - 1]], pages[release], own_page(release)
    for part in ("gates", "served", "cel", "validation", "plugin", *VARIANTS):
        changed = {name for name, value in page[part].items() if before[part].get(name) != value}
        written = {*own.get(part, {})}
        if part in VARIANTS:
            common = {*own.get("variants", {})}
            assert not written & common
            written |= common
        assert changed == written, (release, part)
    common_rows = own.get("variants", {}).keys()
    for name in {*page["stable"]} - common_rows:
        values = [own.get(each, {}).get(name, _NOT_SAID) for each in VARIANTS]
        assert values[0] is _NOT_SAID or not values[0] == values[1] == values[2], name


_NOT_SAID = object()


@pytest.mark.parametrize("release", PAGES)
def test_fields_of_a_page_are_in_the_table(release: str) -> None:
    """What a page says came or went has a row in the table of fields, and is there or not there."""
    fields = full_pages()[release]["fields"]
    before = PAGES[max(PAGES.index(release) - 1, 0)]
    for there, gone, part in ((release, before, "added"), (before, release, "removed")):
        for block, listed in fields.get(part, {}).items():
            assert block in _blocks()
            name, _, version = block.partition("@")
            for field in listed.split():
                assert field in fields_of(name, version or "v1", there), (block, field)
                assert field not in fields_of(name, version or "v1", gone), (block, field)
    for block, listed in fields.get("no_longer_required", {}).items():
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
    assert all(map(variants_of, full_pages()[release]["earlier_patches"]))
    assert device_environment(release).functions is not None
    assert [each.name for each in parse_releases(release)] == [release]


def test_switches_in_tables_are_switches() -> None:
    """Rows that name a switch of a release name one that there is, of yes and no."""
    from dradsl.kube.server import gates

    types = typing.get_type_hints(server.Validation)
    rows = [row for rows in gates._tables().values() for row in rows]
    named = [row.switch.removeprefix("!") for row in rows if row.switch]
    assert len(named) >= 4
    assert [name for name in named if types.get(name) is not bool] == []
