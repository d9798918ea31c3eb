"""What was read of each driver and related project: the rows, and which releases are newer."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.data import data_path
from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.lint.catalogue.rules import RULES
from maintenance.sources import (
    UpstreamProject,
    command,
    newer_than,
    read_sources,
    repository_of,
    tags_of,
)

if TYPE_CHECKING:
    from click.testing import Result


def run(*args: str) -> Result:
    return CliRunner().invoke(command, args)


def test_every_driver_read_from_a_repository_has_a_row() -> None:
    rows = read_sources()
    followed = {driver for row in rows for driver in row.drivers}
    catalogue = shipped_catalogue()
    for name in catalogue.names():
        text = Path(data_path("schemas", "drivers", f"{name}.yaml")).read_text("utf-8")
        assert name in followed or "repository:" not in text, name
    assert followed <= set(catalogue.names())


@pytest.mark.parametrize("row", read_sources(), ids=lambda row: row.repository)
def test_rows_say_what_was_read_and_when(row: UpstreamProject) -> None:
    assert row.release or row.commit or row.drivers
    day = dt.date.fromisoformat(row.read)
    if row.released is not None:
        assert dt.date.fromisoformat(row.released) <= day
    assert row.drivers or row.rules
    assert set(row.rules) <= RULES.keys()
    assert row.release is None or newer_than(row, [row.release]) is None


_ROW = UpstreamProject("a/b", "2026-11-22", release="v0.19.2")


@pytest.mark.parametrize(
    ("row", "tags", "newer"),
    [
        (_ROW, ["v0.19.2", "v0.18.6"], None),
        (_ROW, ["v0.19.10", "v0.19.3"], "v0.19.10"),
        (_ROW, ["v0.20.0-rc.1", "v0.20.0-devel"], None),
        (_ROW, ["chart-1.0.0", "release"], None),
        (UpstreamProject("a/b", "", release="v0.5.0", ignore=("v25",)), ["v25.12.0"], None),
        (
            UpstreamProject("a/b", "", release="gpu-v0.11.0", tags="gpu-v"),
            ["qat-v9.0.0", "gpu-v0.12.0"],
            "gpu-v0.12.0",
        ),
        (
            UpstreamProject("a/b", "", release="4.5.3-4.8.2", tags=""),
            ["4.5.3-4.8.10"],
            "4.5.3-4.8.10",
        ),
        (UpstreamProject("a/b", "", commit="abc"), ["v0.1.0"], "v0.1.0"),
    ],
)
def test_what_is_newer(row: UpstreamProject, tags: list[str], newer: str | None) -> None:
    assert newer_than(row, tags) == newer


def checkout(folder: Path, url: str) -> Path:
    git = folder / ".git"
    (git / "refs" / "tags" / "old").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    (git / "packed-refs").write_text("# pack-refs\n1234 refs/tags/v9.0.0\n1234 refs/heads/main\n")
    (git / "refs" / "tags" / "v9.1.0").write_text("1234\n")
    (git / "refs" / "tags" / "old" / "v1").write_text("1234\n")
    return folder


def test_a_checkout_is_read_without_git(tmp_path: Path) -> None:
    found = checkout(tmp_path, "git@github.com:kubernetes-sigs/kueue.git")
    assert repository_of(str(found)) == "kubernetes-sigs/kueue"
    assert sorted(tags_of(str(found))) == ["old/v1", "v9.0.0", "v9.1.0"]
    result = run("--checkout", str(found))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "  newer: v9.1.0"
    assert run("--checkout", f"kubernetes-sigs/karpenter={found}").exit_code == 1


def test_without_anything_newer_the_command_succeeds() -> None:
    result = run("--output-format", "json")
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["sources"]
    assert len(rows) == len(read_sources())
    assert all(row["newer"] is None for row in rows)


@pytest.mark.parametrize(
    "call",
    [
        ["--release", "kubernetes-sigs/kueue"],
        ["--release", "nobody/nothing=v1.0.0"],
        ["--checkout", "nowhere"],
    ],
)
def test_what_cannot_be_compared_is_wrong_usage(call: list[str]) -> None:
    assert run(*call).exit_code == 2
