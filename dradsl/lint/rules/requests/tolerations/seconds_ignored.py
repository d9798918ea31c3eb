"""DRA328: tolerationSeconds of a toleration whose effect is not NoExecute: nothing reads it.

Follows claimEvictionTime of kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go, 1.36 and
1.37: only tolerations that write `effect: NoExecute` count, those without an effect do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.requests.tolerations.tolerations import tolerations_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA328"
WORDS = ("tolerations", "tolerationSeconds")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim, _, path, toleration in tolerations_of(run):
        if toleration.get("tolerationSeconds") is None or claim.manifest.is_patch:
            continue
        effect = toleration.get("effect")
        if effect == "NoExecute":
            continue
        why = f"the effect is {effect}" if effect else "no effect is written"
        yield RuleFinding(
            CODE,
            claim.manifest,
            claim.written((*path, "tolerationSeconds")),
            f"tolerationSeconds is ignored: {why}, and only effect: NoExecute delays an eviction",
            help="write effect: NoExecute, or leave tolerationSeconds out",
            on_key=True,
        )
