"""Each limit of docs/limits.md is the one that holds: the page says it, and a file reaches it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dradsl import recordings
from dradsl.allocator.engine import allocate, search
from dradsl.cel.syntax import macros, parse
from dradsl.drivers.abstract import explore
from dradsl.kube.pods import workloads
from dradsl.lint.report import sarif
from dradsl.lint.settings.options import MOST_CHARACTERS, MOST_ENTRIES
from dradsl.simulate import relax
from dradsl.simulate.chance import orders
from dradsl.simulate.changes import moves
from dradsl.simulate.report import html
from dradsl.text import diff
from dradsl.text.bounds import excess
from dradsl.text.documents import DEFAULT_LIMITS, SCHEMA_LIMITS, SETTINGS_LIMITS, Limits, load
from dradsl.text.files import (
    BASELINE_BYTES,
    MANIFEST_BYTES,
    SETTINGS_BYTES,
    FileError,
    read_bytes,
)

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")
MIB = 1024 * 1024
D, C, S = DEFAULT_LIMITS, SETTINGS_LIMITS, SCHEMA_LIMITS


def row(begin: str) -> str:
    return next(line for line in PAGE.splitlines() if line.startswith(f"| {begin}"))


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("manifests", f"{MANIFEST_BYTES // MIB} MiB; {D.max_file_separators:,} colons"),
        ("a document", f"{D.max_document:,} characters; {D.max_separators:,} colons"),
        ("a document", f"{D.max_depth} levels; {D.max_nodes:,} nodes"),
        ("configuration", f"{SETTINGS_BYTES // MIB} MiB; {C.max_separators:,} colons"),
        ("configuration", f"{C.max_depth} levels; no aliases"),
        ("a list", f"{MOST_ENTRIES:,} entries; {MOST_CHARACTERS:,} characters"),
        ("driver schemas", f"{SETTINGS_BYTES // MIB} MiB; {S.max_separators:,} colons"),
        ("driver schemas", f"{S.max_depth} levels; {S.max_nodes:,} nodes"),
        ("a baseline", f"{BASELINE_BYTES // MIB} MiB"),
        ("recorded objects", f"{recordings.MAX_BYTES // MIB} MiB"),
        ("a packed file", f"{recordings.MAX_PACKED_BYTES // MIB} MiB; 128 MiB of memory"),
    ],
)
def test_the_page_says_them(begin: str, said: str) -> None:
    assert said in row(begin)


@pytest.mark.parametrize("limit", [MANIFEST_BYTES, SETTINGS_BYTES, BASELINE_BYTES])
def test_bytes(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    os.truncate(path, limit + 1)
    with pytest.raises(FileError) as caught:
        read_bytes(path, limit)
    assert caught.value.reason == "too-large"
    assert str(limit) in str(caught.value)


def aliases(width: int) -> str:
    """A document whose aliases stand for `width` nodes of ten thousand, fewer than half its own."""
    part = ",".join(["x"] * 10_000)
    return f"a: &a [{part}]\nb: [{','.join(['*a'] * width)}]\n"


@pytest.mark.parametrize(
    ("limits", "text", "fits", "reason"),
    [
        (D, "\n" * 8_000_001, False, "too-large"),
        (D, "---\na: 1\n" * 300, True, ""),
        (D, "a" * (16 * MIB + 1), False, "too-large"),
        (D, "a" * 16 * MIB, True, ""),
        (D, "\n" * 1_000_001, False, "too-large"),
        (D, "[" * 128 + "]" * 128, True, ""),
        (D, "[" * 129 + "]" * 129, False, "too-deep"),
        (D, aliases(401), False, "alias-bomb"),
        (C, "[" * 32 + "]" * 32, True, ""),
        (C, "[" * 33 + "]" * 33, False, "too-deep"),
        (C, "\n" * 19_990 + "a: 1", True, ""),
        (C, "\n" * 20_000 + "a: 1", False, "too-large"),
        (C, "a: &a 1\nb: *a", False, "alias"),
        (C, "a" * (MIB + 1), False, "too-large"),
    ],
    ids=lambda each: each[:20] if isinstance(each, str) else "",
)
def test_documents(limits: Limits, text: str, fits: bool, reason: str) -> None:
    found = [problem.reason for problem in load(text.encode(), limits).all_problems()]
    assert found == ([] if fits else [reason])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 32 + "]" * 32, None),
        ("[" * 33 + "]" * 33, "line 1: nested more than 32 levels deep"),
        ("a:\n" + "".join(" " * i + "b:\n" for i in range(40)), "nested more than 32 levels"),
        (aliases(5), None),
        (aliases(10), "line 2: "),
        ("a: &a [*a]", "line 1: "),
        ("\n" * 100_001, "100001 colons, commas and lines; the limit is 100000"),
        ("a" * (MIB + 1), "1048577 characters; the limit is 1048576"),
        ("a: [", None),
    ],
    ids=lambda text: str(text)[:30],
)
def test_schemas(text: str, message: str | None) -> None:
    found = excess(text, SCHEMA_LIMITS)
    assert (found is None) if message is None else (found is not None and message in found)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("Nesting", f"{parse.MAX_DEPTH} levels and {parse.MAX_CODE_POINTS:,} characters"),
        ("What `optMap`", f"{macros._COPY_LIMIT:,} parts"),
        (
            "Steps of reasoning",
            f"{explore._STEPS:,}, on expressions of up to {explore._NODES:,} parts",
        ),
        ("Results in SARIF", f"{sarif._MOST_RESULTS:,}"),
        ("Levels above", f"{workloads._MAX_DEPTH} "),
        ("Search", f"{search.DEFAULT_BUDGET:,} steps for a node"),
        ("Search", f"{search.DEFAULT_BUDGET * allocate._HARD_NODES:,} for all nodes"),
        ("Search", f"{allocate._LEAST_BUDGET:,} for each after that"),
        ("Changes", f"{relax._MAX_TRIALS} for a pod, {relax._BUDGET:,} steps"),
        ("Sets of claims", f"{moves._TRIALS} for a pod, {moves._IN_FULL} of them"),
        ("Orders", f"{orders._EVERY} for a node, {orders._BUDGET:,} steps"),
        ("Nodes that a page", f"{html.MAX_NODES:,} "),
        ("Lines", f"{diff._WINDOW:,} "),
    ],
)
def test_the_page_says_where_work_stops(begin: str, said: str) -> None:
    assert said in row(begin)
