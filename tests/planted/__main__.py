"""`python -m tests.planted CHECKOUT... --count N --seed S`: mistakes planted in checkouts, and whether lint finds them.

A checkout is a work tree of somebody's GitOps repository; it is copied, never changed. A fifth of the
mistakes goes into values, patches of workloads, patches of releases, new manifests and workloads of the tree each: first a correct use of a claim is put
there (`sites`), of which nothing may be said, then one mistake is made in it (`mistakes`). A mistake is found if lint
reports an error or a warning at one of its lines that it did not report of the correct text.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tests.planted.mistakes import MISTAKES, Planted, plant
from tests.planted.sites import PLACES, Site, sites

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Said = frozenset[tuple[str, int, str, str, str]]


@functools.cache
def _environment() -> dict[str, str]:
    """One in which modules are compiled once for all runs, whatever that of the caller says."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": _CACHE.name}


_CACHE = tempfile.TemporaryDirectory(prefix="planted-")


def said(folder: Path) -> _Said:
    """Every finding of `dradsl lint` in a folder: path, line, code, message and severity."""
    call = [sys.executable, "-m", "dradsl", "lint", ".", "--isolated", "--output-format", "json"]
    done = subprocess.run(
        call, cwd=folder, env=_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"lint ended with {done.returncode}: {done.stderr[-500:]}")
    found = json.loads(done.stdout)["findings"]
    return frozenset(
        (one["path"], one["line"], one["code"], one["message"], one["severity"]) for one in found
    )


def put(folder: Path, files: dict[str, str]) -> dict[str, str | None]:
    """Write texts under the folder; what was there before, for `put_back`."""
    before: dict[str, str | None] = {}
    for name, text in files.items():
        path = folder / name
        before[name] = path.read_text("utf-8") if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return before


def put_back(folder: Path, before: dict[str, str | None]) -> None:
    """Undo `put`."""
    for name, text in before.items():
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text, "utf-8")


class Tally:
    """What was planted and found, and what of correct text was found fault with: one row for each use or mistake."""

    def __init__(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        self.rows = list(rows)

    def report(self) -> str:
        """The table, then what was missed and what was said of correct text."""
        planted = Counter((row["place"], row["kind"]) for row in self.rows if "kind" in row)
        found = Counter((row["place"], row["kind"]) for row in self.rows if row.get("found"))
        rows = [f"{'place':10} {'kind':10} found of planted"]
        for place, kind in sorted(planted):
            rows.append(f"{place:10} {kind:10} {found[place, kind]:5} of {planted[place, kind]}")
        rows.append(f"in all     {found.total()} of {planted.total()}")
        rows += [line(row) for row in self.rows if not row.get("found", False) and "kind" in row]
        rows += [
            f"said of correct text: {one}" for row in self.rows for one in row.get("false", ())
        ]
        return "\n".join(rows)


def line(row: dict[str, Any]) -> str:
    """What a row says, for people."""
    if "kind" not in row:
        return f"correct: [{row['place']}] {row['tree']}/{row['at']}: {len(row['false'])} findings"
    told = ", ".join(row["said"][:3]) or "nothing said"
    what = "found" if row["found"] else "missed"
    return f"{what}: [{row['place']}] {row['tree']}/{row['file']}: {row['what']} ({told})"


@dataclass(frozen=True)
class Task:
    """One site of a copy, and the mistakes chosen for it."""

    copy: Path
    site: Site
    chosen: list[Planted]

    @property
    def at(self) -> str:
        """The files of the site, which tell it from others of its place."""
        return " ".join(sorted(self.site.files))


def try_site(task: Task, done: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Plant the correct use, then each mistake in turn; what `done` has of it is not done again."""
    site, folder = task.site, task.copy
    names = {"tree": folder.name, "place": site.place, "at": task.at}
    known = [row for row in done if names.items() <= row.items()]
    left = [one for one in task.chosen if not any(row.get("what") == one.what for row in known)]
    if known and not left:
        return
    before = frozenset() if known else said(folder)
    undo = put(folder, site.files)
    try:
        correct = said(folder)
        if not known:
            false = [
                f"{folder.name}/{path}:{line} {code} {message}"
                for path, line, code, message, _ in sorted(correct - before)
                if path in site.files and line not in site.shifted(path)
            ]
            yield {**names, "false": false}
        for planted in left:
            undo_mistake = put(folder, {planted.file: planted.text})
            try:
                new = said(folder) - correct
            finally:
                put_back(folder, undo_mistake)
            yield {
                **names,
                "kind": planted.kind,
                "what": planted.what,
                "file": planted.file,
                "found": any(one[:2] in planted.lines and one[4] != "info" for one in new),
                "said": [f"{path}:{at} {code} {level}" for path, at, code, _, level in sorted(new)],
            }
    finally:
        put_back(folder, undo)


def main(words: list[str]) -> int:
    """Plant and count; 0 whatever was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="rows are kept here; a run goes on after them")
    given = parser.parse_args(words)
    rng = Random(given.seed)
    rows = given.rows.read_text("utf-8") if given.rows and given.rows.exists() else ""
    tally = Tally(json.loads(row) for row in rows.splitlines())
    with tempfile.TemporaryDirectory() as made:
        copies = []
        for root in given.checkouts:
            copy = Path(made, root.name)
            shutil.copytree(root, copy, symlinks=True)
            copies.append(copy)
            counts = [f"{place} {len(sites(copy, place))}" for place in PLACES]
            sys.stdout.write(f"{root.name}: {', '.join(counts)}\n")
        each = -(-given.count // len(PLACES))
        for task in [task for place in PLACES for task in _chosen(place, copies, each, rng)]:
            for row in try_site(task, tally.rows):
                tally.rows.append(row)
                sys.stdout.write(line(row) + "\n")
                sys.stdout.flush()
                if given.rows:
                    with given.rows.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
    sys.stdout.write(tally.report() + "\n")
    return 0


def _chosen(place: str, copies: list[Path], count: int, rng: Random) -> Iterator[Task]:
    """So many mistakes at one kind of place, spread over the checkouts and the kinds of mistakes."""
    choices = [(copy, site) for copy in copies for site in sites(copy, place)]
    rng.shuffle(choices)
    kinds = sorted({mistake.kind for mistake in MISTAKES})
    left = count
    while left > 0 and choices:
        copy, site = choices.pop()
        made = [one for mistake in MISTAKES for one in plant(site, mistake, rng)]
        rng.shuffle(made)
        chosen = []
        for kind in kinds:
            chosen += [one for one in made if one.kind == kind][:1]
        chosen = chosen[:left]
        left -= len(chosen)
        yield Task(copy, site, chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
