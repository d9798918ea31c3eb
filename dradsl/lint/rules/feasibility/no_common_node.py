"""DRA708: each claim of a pod can be met, but no recorded node meets all of them."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.feasibility.trials import trials
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA708"


def check(run: Run) -> Iterator[RuleFinding]:
    for trial in trials(run):
        if trial.without_both or not trial.apart:
            continue
        names = [str(entry.get("name")) for _, entry in trial.pod.claims()]
        yield RuleFinding(
            CODE,
            trial.pod.manifest,
            (*trial.pod.at.path, "resourceClaims"),
            f"each of the claims {', '.join(names[:5])} can be met, but no recorded node meets all of them, "
            "even with every device free",
            help="`dradsl simulate` says what each node lacks; spread the work over several pods",
            upstream="cannot allocate all claims",
            on_key=True,
        )
