"""DRA419: two entries of a pod name one ResourceClaim, and the pod never binds."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA419"
WORDS = ("resourceClaimName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        seen: dict[str, FieldPath] = {}
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if not isinstance(name, str) or not name:
                continue
            path = (*pod.at.path, "resourceClaims", index, "resourceClaimName")
            first = seen.setdefault(name, path)
            if first == path:
                continue
            yield RuleFinding(
                CODE,
                pod.manifest,
                path,
                f'ResourceClaim "{name}" is named by two entries: the pod never binds',
                help="name it in one entry, and that entry in every container that needs it",
                related=(RelatedField("the other entry", pod.manifest, first),),
            )
