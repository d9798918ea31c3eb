"""DRA317: `count: 0` is written out, which the API server turns into 1."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA317"
WORDS = ("count", 0)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            if request.body.get("count") != 1:
                continue
            path = claim.written((*request.path, "count"))
            if run.written_value(claim.manifest, path) == 0:
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    path,
                    "count: 0 is read as unset and becomes 1",
                    help="leave the request out if no device is needed; otherwise write count: 1",
                )
