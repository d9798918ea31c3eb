"""DRA619: a pool has slices of several generations: only those of the newest count."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.slices.pools.listed import pools_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA619"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pool in pools_of(run):
        newest = pool.newest[0].generation
        for one in pool.slices:
            if one.generation == newest:
                continue
            yield RuleFinding(
                CODE,
                one.manifest,
                one.written(("spec", "pool", "generation")),
                f'pool "{pool.name}" has slices of generation {newest}: the devices of this one, of '
                f"generation {one.generation}, are not used",
                help="give all slices of a pool one generation",
                # A driver that is at work writes its slices one after the other.
                severity=Severity.INFO if one.recorded else None,
            )
