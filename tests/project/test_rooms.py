"""Folders hold few modules, and pages name modules that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dradsl"
FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))

# Folders with more than fifteen modules, which are lists of likes: a module a command, a vendor, a kind.
MOST = 15
LISTS = {"cel/library", "cli", "kube/validation", "text", "values"}


def test_a_folder_of_many_modules_is_a_list_of_likes() -> None:
    many = {
        folder.relative_to(PACKAGE).as_posix()
        for folder in FOLDERS
        if len([path for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__")])
        > MOST
    }
    assert many == LISTS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_name_modules_that_are_there(page: Path) -> None:
    """By their path from the root, from dradsl, or from the part that the page is about."""
    named = re.findall(r"`([\w/.]+\.(?:py|lark))`", page.read_text(encoding="utf-8"))
    places = (ROOT, PACKAGE, PACKAGE / page.stem)
    assert [name for name in named if not any((place / name).is_file() for place in places)] == []


def test_the_tables_of_the_allocator_name_modules_that_are_there() -> None:
    text = (ROOT / "docs" / "design" / "allocator.md").read_text(encoding="utf-8")
    for part in ("allocator", "simulate"):
        table = text.partition(f"| Module of `{part}` |")[2].partition("\n\n")[0]
        rows = [line.split("|")[1] for line in table.splitlines()[2:]]
        named = [name for row in rows for name in re.findall(r"`([\w/]+)`", row)]
        assert len(named) >= 10
        assert [name for name in named if not (PACKAGE / part / f"{name}.py").is_file()] == []


def test_the_page_on_the_design_shows_every_folder() -> None:
    text = (ROOT / "docs" / "design" / "index.md").read_text(encoding="utf-8")
    table = text.partition("| Part | Folders |")[2].partition("\n\n")[0]
    shown = {
        part.strip().strip("`"): set(re.findall(r"`(\w+)`", folders))
        for part, folders in (line.split("|")[1:3] for line in table.splitlines()[2:])
    }
    there: dict[str, set[str]] = {}
    for folder in FOLDERS:
        parts = folder.relative_to(PACKAGE).parts
        if len(parts) == 2:
            there.setdefault(parts[0], set()).add(parts[1])
    assert shown == there
