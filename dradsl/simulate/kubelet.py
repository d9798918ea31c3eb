"""What the kubelet does not start: containers that ask for a request that their claim does not have.

Follows GetResources of pkg/kubelet/cm/dra/manager.go: a container gets the devices of the request that it
names, which has to be one of the claim's. An alternative of `firstAvailable` cannot be named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict


__all__ = ["unknown_requests"]


def unknown_requests(
    spec: PodSpecDict, claims: Iterable[tuple[str, ResourceClaimDict]]
) -> Iterator[str]:
    """Why containers of a pod do not start; `claims` are the claims by the names of the pod's entries."""
    by_name = dict(claims)
    for listed in (spec.get("initContainers"), spec.get("containers")):
        written: Sequence[object] = listed or ()
        for container in written:
            if not isinstance(container, dict):
                continue
            for used in (container.get("resources") or {}).get("claims") or ():
                request, claim = used.get("request"), by_name.get(str(used.get("name")))
                if not request or claim is None:
                    continue
                asked = mappings_at(claim, "spec", "devices", "requests")
                names = [str(one.get("name")) for one in asked]
                if request not in names:
                    yield (
                        f"container {container.get('name')}: the claim {used['name']} has no request "
                        f'"{request}" (it has {", ".join(names) or "none"}); the kubelet does not start it'
                    )
