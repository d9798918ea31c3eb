"""DRA418: a workload with several replicas names one ResourceClaim, which all of them share."""

from __future__ import annotations

from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA418"


def check(run: Run) -> Iterator[Found]:
    for pod in run.pods():
        replicas = pod.at.replicas
        if replicas is None or replicas < 2:
            continue
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if not isinstance(name, str) or not name:
                continue
            yield Found(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "resourceClaimName"),
                f'all {replicas} replicas share the one allocation of ResourceClaim "{name}"',
                help="for devices of its own per replica use resourceClaimTemplateName",
            )
