"""DRA326: a toleration of the effect None, which keeps nothing away."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.requests.tolerations.tolerations import tolerations_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA326"
WORDS = ("tolerations", "None")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim, _, path, toleration in tolerations_of(run):
        if toleration.get("effect") == "None":
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*path, "effect")),
                "taints with the effect None keep no pod away: there is nothing to tolerate",
                help="leave the toleration out, or name the effect that is meant",
            )
