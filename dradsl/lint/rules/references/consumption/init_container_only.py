"""DRA421: only init containers use a claim, but the pod holds its devices until it ends."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run

CODE = "DRA421"
WORDS = ("resourceClaims", "initContainers")


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        if (
            pod.manifest.is_patch
            or pod.manifest.build_context.completed
            or not pod.spec.get("initContainers")
        ):
            continue
        first, later = _users(pod)
        for index, entry in pod.claims():
            name = entry.get("name")
            if not isinstance(name, str) or name not in first or name in later:
                continue
            claims = claims_of_entry(run, pod, entry)
            bodies = (each.body for claim in claims for each in claim.bodies())
            if any(body.get("adminAccess") is True for body in bodies):
                continue  # no other pod lacks the devices
            yield RuleFinding(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "name"),
                f'only init containers use the claim "{name}": its devices stay with the pod until it ends',
                help="do that work in a pod of its own, or let a container use the claim",
            )


def _users(pod: PodView) -> tuple[set[str], set[str]]:
    """The claims of containers that end before the pod begins, and those of all others."""
    first: set[str] = set()
    later: set[str] = set()
    for path, reference in pod.container_claims():
        part, index = path[len(pod.at.path)], path[len(pod.at.path) + 1]
        containers = pod.spec.get("initContainers")
        sidecar = (
            part == "initContainers"
            and isinstance(containers, list)
            and isinstance(index, int)
            and isinstance(containers[index], dict)
            and containers[index].get("restartPolicy") == "Always"
        )
        name = reference.get("name")
        if isinstance(name, str):
            (first if part == "initContainers" and not sidecar else later).add(name)
    return first, later
