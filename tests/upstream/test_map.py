"""The map from upstream's functions to ours is complete, and names what is there on both sides."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import pytest

from dradsl.releases import RELEASES
from tests.upstream import functions, map as upstream_map
from tests.upstream.files import IN_PART
from tests.upstream.map import Reason, answer, main, reasons
from tests.upstream.references import PACKAGE, Reference, named, references, references_of

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = functions.read()
ROWS: dict[str, list[Reason]] = {}  # of a Go file, looked up when first asked for
EVERY = sorted({key for recorded in RECORDED.values() for key in recorded})

PATHS: dict[str, set[str]] = {}
for _path, _name in EVERY:
    PATHS.setdefault(_path, set()).add(_name)

# Parts that follow Kubernetes; others follow other projects (kustomize, Helm), whose functions nobody lists.
FOLLOWERS = ("allocator", "cel", "kube", "releases", "simulate", "values")


def ours() -> set[str]:
    """The dotted names of all modules, functions and classes of dradsl."""
    trees = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        trees[".".join(p for p in parts if p != "__init__")] = ast.parse(path.read_bytes())
    return named(trees)


def test_every_release_is_recorded() -> None:
    """Pre-releases, as far as their modules are published, may stand beside them."""
    assert {*RECORDED} >= {*RELEASES}
    assert all(len(RECORDED[release]) > 500 for release in RELEASES)


def test_every_function_has_a_place_or_a_reason() -> None:
    open_ = [
        f"{path}: {function}" for path, function in EVERY if answer(path, function) == ((), "")
    ]
    assert open_ == []


@pytest.mark.parametrize("part", FOLLOWERS)
def test_references_name_functions_of_upstream(part: str) -> None:
    """Each function and file that our source names is recorded, in some release."""
    found = [each for each in references() if each.ours.split(".")[0] == part]
    wrong = [
        f"{each.ours}: {function} ({each.file})"
        for each in found
        for function in each.functions
        if not any(fnmatchcase(name, function) for name in _functions_of(each))
    ]
    assert found
    assert wrong == []


def _functions_of(reference: Reference) -> set[str]:
    """The functions of the files that a reference means."""
    return {name for path in PATHS if reference.in_file(path) for name in PATHS[path]}


def test_reasons_point_to_what_is_there_and_are_used() -> None:
    known = ours()
    assert [name for row in reasons() for name in row.targets if name not in known] == []
    used = {id(_first(path, name)) for path, name in EVERY}
    assert [(row.file, row.functions) for row in reasons() if id(row) not in used] == []


def _first(path: str, function: str) -> object:
    """The row that holds for a function, whether or not the source names it, too."""
    rows = ROWS.setdefault(path, [row for row in reasons() if row.in_file(path)])
    return next((row for row in rows if row.names(function)), None)


def test_parts_of_files_are_files() -> None:
    paths = {path for path, _ in EVERY}
    empty = {path for path, pattern in IN_PART.items() if pattern == "^$"}
    assert {*IN_PART} - paths == empty


def test_references_are_read(tmp_path: Path) -> None:
    """Of comments above definitions, of docstrings, of fields, and of the module."""
    text = '''"""A module. Upstream: whole.* (a.go)"""

# Upstream: other (b.go)

X = 1


# Upstream: one, T.two (c.go)
# Upstream: three (d.go)
@decorated
def f():
    """Does.

    Upstream: four
    (e.go)
    """


class C:
    x: int
    """Field. Upstream: five (f.go)"""

    # Upstream: six (g.go)
    def m(self):
        pass
'''
    found = {(each.ours, each.functions, each.file) for each in references_of(text, "m")}
    assert found == {
        ("m", ("whole.*",), "a.go"),
        ("m", ("other",), "b.go"),
        ("m.f", ("one", "T.two"), "c.go"),
        ("m.f", ("three",), "d.go"),
        ("m.f", ("four",), "e.go"),
        ("m.C.x", ("five",), "f.go"),
        ("m.C.m", ("six",), "g.go"),
    }


def test_a_list_is_written_as_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "functions.txt"
    functions.write(RECORDED, file)
    assert file.read_text() == functions.FILE.read_text()
    assert functions.read(file) == RECORDED


def test_differences() -> None:
    before = {("a.go", "gone"): "1", ("a.go", "same"): "1", ("b.go", "other"): "1"}
    before["k8s.io/x/y.go", "not listed of the other"] = "1"
    after = {("a.go", "new"): "1", ("a.go", "same"): "1", ("b.go", "other"): "2"}
    assert [*functions.difference(before, after)] == [
        ("removed", "a.go", "gone"),
        ("added", "a.go", "new"),
        ("changed", "b.go", "other"),
    ]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--file", "pools_stable"]) == 0
    shown = capsys.readouterr().out
    assert "GatherPools: allocator.inventory.pools.PoolGatherer.gather" in shown
    assert "logPools: not followed: logging" in shown
    main(["--between", "1.36", "1.37", "--file", "incubating/compatibility_groups.go"])
    shown = capsys.readouterr().out
    assert "added   sliceUsesCompatibilityGroups: allocator.inventory.pools._uses_groups" in shown
    main(["--open"])
    assert "OPEN" not in capsys.readouterr().out
    assert upstream_map.REASONS.is_file()
