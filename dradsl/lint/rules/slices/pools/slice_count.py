"""DRA618: a pool announces another number of slices than there are: the scheduler leaves it out."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.slices.pools.listed import pools_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA618"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pool in pools_of(run):
        found = len(pool.newest)
        for one in pool.newest:
            announced = one.pool.get("resourceSliceCount")
            if not isinstance(announced, int) or announced in (0, found):
                continue
            verb = "is" if found == 1 else "are"
            yield RuleFinding(
                CODE,
                one.manifest,
                one.written(("spec", "pool", "resourceSliceCount")),
                f'pool "{pool.name}" announces {announced} slices, and {found} {verb} here: the scheduler uses '
                "the pool only if the numbers agree",
                help="write the number of slices of this generation into each of them",
                # Others may be in files that are not shown; too many cannot go away.
                severity=Severity.INFO if announced > found else None,
            )
            break
