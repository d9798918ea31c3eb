"""DRA417: a pod with claims presets spec.nodeName, so the scheduler never allocates them."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA417"
WORDS = ("resourceClaims", "nodeName")


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        # In what was read from a cluster the scheduler has written the name.
        if pod.spec.get("nodeName") and pod.claims() and not pod.manifest.is_recorded:
            yield RuleFinding(
                CODE,
                pod.manifest,
                (*pod.at.path, "nodeName"),
                "spec.nodeName bypasses the scheduler, and only the scheduler allocates claims",
                help="use nodeSelector or node affinity on kubernetes.io/hostname instead",
                on_key=True,
            )
