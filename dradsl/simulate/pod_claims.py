"""Which claims a pod means by its `resourceClaims`, and why it has to wait for one of them.

Follows Name and IsForPod of k8s.io/dynamic-resource-allocation resourceclaim (claim.go up to 1.35,
resourceclaim.go and pod.go since) and foreachPodResourceClaim of the DynamicResources plugin, which
its PreEnqueue and PreFilter ask (dynamicresources.go, 1.34 to 1.37); for claims that are still to be
made from a template, handleClaim of pkg/controller/resourceclaim/controller.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import OwnerReferenceDict, ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict, PodStatusDict


__all__ = ["Key", "Owner", "PodClaimEntry", "claims_of", "find_orphan", "why_wait"]

Key = tuple[str, str]
"""Namespace and name."""

_ENTRY_NAME = "resource.kubernetes.io/pod-claim-name"


class PodClaimEntry(Record):
    """An entry of a pod's `resourceClaims` and the claim it means.

    `template`: the claim is still to be made, and `key` stands for a name that is not known yet.
    `generated`: the status of the pod names the claim, which has to be the pod's own then.
    """

    name: str
    key: Key
    template: Key | None = None
    generated: bool = False


class Owner(Record):
    """A pod as claims know it. `uid` is empty for one that no API server has seen yet; `group` is
    the PodGroup whose claims are the pod's as well (gate DRAWorkloadResourceClaims)."""

    namespace: str
    name: str
    uid: str = ""
    group: str = ""

    @property
    def label(self) -> str:
        """`namespace/name` of the pod."""
        return f"{self.namespace}/{self.name}"


# Upstream: DynamicResources.foreachPodResourceClaim (plugins/dynamicresources/dynamicresources.go)
# Upstream: DynamicResources.podResourceClaims (plugins/dynamicresources/dynamicresources.go)
# Upstream: DynamicResources.podResourceClaimBindings (plugins/dynamicresources/dynamicresources.go)
# Upstream: Name, NameFromPodGroup, PodClaims (dynamic-resource-allocation/resourceclaim/*.go)
def claims_of(
    spec: PodSpecDict, namespace: str, pod: str, status: PodStatusDict | None = None
) -> Iterator[PodClaimEntry]:
    """The entries of a pod that mean a claim, in order.

    `status` tells which claims were made from templates; where it says that none is needed, the
    entry means none.
    """
    made: dict[str, str] = {}
    for one in (status or {}).get("resourceClaimStatuses") or ():
        made.setdefault(str(one.get("name") or ""), str(one.get("resourceClaimName") or ""))
    listed: Sequence[object] = spec.get("resourceClaims") or ()
    for entry in listed:
        if not isinstance(entry, dict):
            continue
        source = entry.get("source")
        given = {**(source if isinstance(source, dict) else {}), **entry}
        own = str(entry.get("name") or "")
        direct, template = given.get("resourceClaimName"), given.get("resourceClaimTemplateName")
        if direct:
            yield PodClaimEntry(own, (namespace, str(direct)))
        elif not template:
            yield PodClaimEntry(own, (namespace, ""))
        elif own not in made:
            yield PodClaimEntry(own, (namespace, f"{pod}-{own}"), (namespace, str(template)))
        elif made[own]:
            yield PodClaimEntry(own, (namespace, made[own]), generated=True)


# Upstream: DynamicResources.PreEnqueue (plugins/dynamicresources/dynamicresources.go)
def why_wait(
    owner: Owner, entry: PodClaimEntry, claim: ResourceClaimDict | None, *, first_form: bool
) -> str | None:
    """Why the scheduler does not take up a pod yet because of this entry, in upstream's words.

    `claim` is the one that the entry means, if it is there. `first_form`: the texts are those of
    1.34 and 1.35.
    """
    if entry.template is not None:
        return f'pod "{owner.label}": ResourceClaim not created yet'
    name = entry.key[1]
    if not name:
        at = f'pod "{owner.label}", spec.resourceClaim "{entry.name}"'
        return f"{at}: none of the supported fields are set"
    if claim is None:
        return f'could not find ResourceClaim "{"/".join(entry.key)}"'
    if (claim.get("metadata") or {}).get("deletionTimestamp"):
        return f'resourceclaim "{name}" is being deleted'
    if entry.generated and not _is_for(owner, claim):
        return _not_for(owner, entry, first_form=first_form)
    return None


def _not_for(owner: Owner, entry: PodClaimEntry, *, first_form: bool) -> str:
    label = f"ResourceClaim {'/'.join(entry.key)}"
    if first_form:
        return f"{label} was not created for pod {owner.label} (pod is not owner)"
    group = f"neither Pod nor PodGroup {owner.group} is the owner"
    why = group if owner.group else "Pod is not owner"
    return f"{label} was not created for Pod {owner.label} ({why})"


# Upstream: IsForPod, IsForPodGroup (dynamic-resource-allocation/resourceclaim/resourceclaim.go)
# Upstream: isForPodGroupByPod, isMatch (dynamic-resource-allocation/resourceclaim/resourceclaim.go)
# Upstream: podMatchesPodGroup (dynamic-resource-allocation/resourceclaim/resourceclaim.go)
def _is_for(owner: Owner, claim: ResourceClaimDict) -> bool:
    """Whether a claim was made for this pod, or for its group."""
    controller = _controller(claim)
    if controller is None:
        return False
    if _is_pod(owner, controller):
        return True
    return bool(owner.group) and (
        controller.get("kind") == "PodGroup"
        and controller.get("name") == owner.group
        and str(controller.get("apiVersion")).startswith("scheduling.k8s.io/")
    )


def _is_pod(owner: Owner, controller: OwnerReferenceDict) -> bool:
    if owner.uid:
        return controller.get("uid") == owner.uid
    # Of a pod without UID nothing but its name is known.
    return controller.get("kind") == "Pod" and controller.get("name") == owner.name


def _controller(claim: ResourceClaimDict) -> OwnerReferenceDict | None:
    owners = (claim.get("metadata") or {}).get("ownerReferences") or ()
    return next((one for one in owners if one.get("controller")), None)


# Upstream: findExtendedResourceClaim (plugins/dynamicresources/*.go)
def find_orphan(
    owner: Owner, entry: PodClaimEntry, claims: Iterable[tuple[Key, ResourceClaimDict]]
) -> Key | None:
    """The claim that was made for an entry before the status of its pod could say so."""
    if not owner.uid:
        return None
    for key, claim in claims:
        controller = _controller(claim)
        if controller is None or key[0] != owner.namespace or not _is_pod(owner, controller):
            continue
        annotations = (claim.get("metadata") or {}).get("annotations") or {}
        if annotations.get(_ENTRY_NAME) == entry.name:
            return key
    return None
