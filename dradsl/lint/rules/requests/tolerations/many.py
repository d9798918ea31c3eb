"""DRA329: more tolerations than the API documents, which today's API servers take all the same."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA329"
_DOCUMENTED = 16  # DeviceTolerationsMaxLength
WORDS = ("tolerations",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            listed = request.body.get("tolerations")
            if isinstance(listed, list) and len(listed) > _DOCUMENTED:
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written((*request.path, "tolerations")),
                    f"{len(listed)} tolerations; the API documents at most {_DOCUMENTED}, which a later "
                    "release may enforce",
                    help="tolerate a key with operator Exists in the place of its single values",
                    on_key=True,
                )
