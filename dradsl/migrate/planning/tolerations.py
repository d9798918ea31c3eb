"""The tolerations that a pod had only because of its request, and must have in its spec once the request is gone.

Follows kubernetes plugin/pkg/admission/extendedresourcetoleration/admission.go, which some clouds enable:
key of the resource, operator Exists, effect NoSchedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import list_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.places import PodAt

__all__ = ["toleration", "tolerated"]


def toleration(resource: str) -> dict[str, str]:
    """What the admission plugin adds for a resource."""
    return {"key": resource, "operator": "Exists", "effect": "NoSchedule"}


def tolerated(
    pod: PodAt, resources: Iterable[str], decisions: Decisions, evidence: Evidence
) -> Iterator[tuple[str, str]]:
    """The resources whose taint the pod must tolerate in its own spec, each with the reason."""
    if decisions.tolerations == "leave" or not pod.pod_fields:
        return
    mine = [each for each in (list_at(pod.spec, "tolerations")) if isinstance(each, dict)]
    keys = {each.get("key") for each in mine if each.get("effect") in (None, "", "NoSchedule")}
    if None in keys:
        return  # tolerates everything
    for resource in resources:
        why = evidence.cluster_of(pod.manifest.path).taint(resource)
        if decisions.tolerations == "add":
            why = why or "an admission plugin may have added it because of the request"
        if resource not in keys and why is not None:
            yield resource, why
