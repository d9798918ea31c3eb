"""What is said of the next release: counted as recorded, and nothing is judged for it."""

from __future__ import annotations

from collections import Counter

import pytest

from dradsl.releases import RELEASES, UnknownReleaseError, get_release, newest_release
from maintenance.release_table import names_of_pages
from tests.upstream import preview


def test_the_next_release_is_none_that_is_known() -> None:
    header, rows = preview.read()
    assert header["known"] == newest_release().name, "ask the pre-release again, or take it out"
    assert header["release"] not in RELEASES
    assert header["release"] not in names_of_pages()
    assert {row["subject"] for row in rows} <= {*header["asked"]}
    assert all(before != after for row in rows for before, after in row["differs"].values())


def test_it_is_rejected() -> None:
    release = preview.read()[0]["release"]
    with pytest.raises(
        UnknownReleaseError, match=f"Kubernetes {release} is not known yet: .*known: 1.34"
    ):
        get_release(f"v{release}.0")
    with pytest.raises(UnknownReleaseError, match=r"unknown Kubernetes release '2\.1'"):
        get_release("2.1")


def test_the_page_counts_what_is_recorded() -> None:
    header, rows = preview.read()
    counts = Counter(row["subject"] for row in rows)
    shown = preview.section()
    asked = header["asked"]["quantity"]
    differ = counts["quantity"]
    assert f"| quantity | {asked} | {asked - differ} | {differ} |" in shown
    assert f"Not known for {header['release']} yet" in shown
