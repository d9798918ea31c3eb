"""DRA420: more pods than a claim can be reserved for.

The limit is ResourceClaimReservedForMaxSize of k8s.io/api resource/v1: the API server rejects the update that
reserves the claim for one pod more, and the scheduler tries again indefinitely.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA420"
_MOST = 256
WORDS = ("resourceClaimName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        if pod.at.replicas is None or pod.at.replicas <= _MOST:
            continue
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if isinstance(name, str) and name:
                more = pod.at.replicas - _MOST
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, "resourceClaimName"),
                    f'{_MOST} pods at most can use ResourceClaim "{name}" at a time: {more} of the '
                    f"{pod.at.replicas} replicas {'never starts' if more == 1 else 'never start'}",
                    help="use several claims, or one for each pod with resourceClaimTemplateName",
                    upstream=f"status.reservedFor: Too many: {_MOST + 1}: must have at most {_MOST} items",
                )
