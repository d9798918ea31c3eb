"""DRA325: a toleration without a key, but with operator Equal: it holds for every key.

Follows ToleratesTaint of k8s.io/dynamic-resource-allocation resourceclaim/devicetoleration.go, 1.34 to 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.requests.tolerations.tolerations import tolerations_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA325"
WORDS = ("tolerations",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim, _, path, toleration in tolerations_of(run):
        if toleration.get("key") or toleration.get("operator", "Equal") != "Equal":
            continue
        if claim.manifest.is_patch:
            continue
        value = toleration.get("value") or ""
        what = f'the value "{value}"' if value else "an empty value"
        yield RuleFinding(
            CODE,
            claim.manifest,
            claim.written((*path, "value") if value else path),
            f"without a key, every taint with {what} is tolerated, whatever its key",
            help="name the key of the taint",
        )
