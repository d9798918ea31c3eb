"""DRA327: a toleration of every taint: devices that were taken out of use are used."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.requests.tolerations.tolerations import tolerations_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA327"
WORDS = ("tolerations", "Exists")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim, request, path, toleration in tolerations_of(run):
        if toleration.get("key") or toleration.get("operator") != "Exists":
            continue
        effect = toleration.get("effect")
        if effect == "None" or request.body.get("adminAccess") is True or claim.manifest.is_patch:
            continue  # who watches over devices wants the broken ones too
        what = f"every {effect} taint" if effect else "every taint"
        yield RuleFinding(
            CODE,
            claim.manifest,
            claim.written((*path, "operator")),
            f"{what} is tolerated: the pod also gets devices that are broken or being drained",
            help="name the key of the taint that is meant",
        )
