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
from pathlib import Path
from random import Random

from tests.planted.mistakes import MISTAKES, Planted, plant
from tests.planted.sites import PLACES, Site, sites

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
    """What was planted and found, and what of correct text was found fault with."""

    def __init__(self) -> None:
        self.planted: Counter[tuple[str, str]] = Counter()
        self.found: Counter[tuple[str, str]] = Counter()
        self.missed: list[str] = []
        self.false: list[str] = []

    def report(self) -> str:
        """The table, then what was missed and what was said of correct text."""
        rows = [f"{'place':10} {'kind':10} found of planted"]
        for place, kind in sorted(self.planted):
            key = place, kind
            rows.append(f"{place:10} {kind:10} {self.found[key]:5} of {self.planted[key]}")
        rows.append(f"in all     {self.found.total()} of {self.planted.total()}")
        rows += [f"missed: {one}" for one in self.missed]
        rows += [f"said of correct text: {one}" for one in self.false]
        return "\n".join(rows)


def try_site(folder: Path, name: str, site: Site, chosen: list[Planted], tally: Tally) -> None:
    """Plant the correct use, then each mistake in turn."""
    before = said(folder)
    undo = put(folder, site.files)
    try:
        correct = said(folder)
        tally.false += [
            f"{name}/{path}:{line} {code} {message}"
            for path, line, code, message, _ in sorted(correct - before)
            if path in site.files and line not in site.shifted(path)
        ]
        for planted in chosen:
            tally.planted[site.place, planted.kind] += 1
            undo_mistake = put(folder, {planted.file: planted.text})
            try:
                new = said(folder) - correct
            finally:
                put_back(folder, undo_mistake)
            hit = [one for one in new if one[:2] in planted.lines and one[4] != "info"]
            if hit:
                tally.found[site.place, planted.kind] += 1
            else:
                where = [
                    f"{path}:{line} {code} {level}" for path, line, code, _, level in sorted(new)
                ]
                told = ", ".join(where[:3]) or "nothing said"
                tally.missed.append(
                    f"[{site.place}] {name}/{planted.file}: {planted.what} ({told})"
                )
    finally:
        put_back(folder, undo)


def main(words: list[str]) -> int:
    """Plant and count; 0 whatever was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    rng = Random(given.seed)
    tally = Tally()
    with tempfile.TemporaryDirectory() as made:
        copies = []
        for root in given.checkouts:
            copy = Path(made, root.name)
            shutil.copytree(root, copy, symlinks=True)
            copies.append(copy)
            counts = [f"{place} {len(sites(copy, place))}" for place in PLACES]
            sys.stdout.write(f"{root.name}: {', '.join(counts)}\n")
        for place in PLACES:
            _plant_in(place, copies, -(-given.count // len(PLACES)), rng, tally)
    sys.stdout.write(tally.report() + "\n")
    return 0


def _plant_in(place: str, copies: list[Path], count: int, rng: Random, tally: Tally) -> None:
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
        try_site(copy, copy.name, site, chosen, tally)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
