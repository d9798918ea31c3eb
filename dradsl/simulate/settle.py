"""The claims that a pod has once controllers have done their part, or what it waits for."""

from __future__ import annotations

import itertools
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dradsl.records import Record
from dradsl.simulate.extended import extended_resources, is_left_over
from dradsl.simulate.plugin.verdicts import Obstacle
from dradsl.simulate.pod_claims import find_orphan, why_wait

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from dradsl.kube.fields.typed_dicts import (
        ObjectMetaDict,
        ResourceClaimDict,
        ResourceClaimTemplateDict,
    )
    from dradsl.simulate.cluster import Cluster, Key
    from dradsl.simulate.pods import Pod, PodClaimEntry

__all__ = ["Claims", "Settling"]


class Claims(dict["Key", "ResourceClaimDict"]):
    """Claims by namespace and name; those of one owner are found without a look at the others."""

    def __init__(self, claims: Mapping[Key, ResourceClaimDict]) -> None:
        super().__init__()
        self._owned: dict[str, dict[Key, None]] = {}
        for key, claim in claims.items():
            self[key] = claim

    def __setitem__(self, key: Key, claim: ResourceClaimDict) -> None:
        super().__setitem__(key, claim)
        for owner in (claim.get("metadata") or {}).get("ownerReferences") or ():
            self._owned.setdefault(str(owner.get("uid")), {})[key] = None

    def owned_by(self, uid: str) -> Iterator[tuple[Key, ResourceClaimDict]]:
        """The claims that name an owner with this UID."""
        return ((key, self[key]) for key in self._owned.get(uid, ()))


class Settling(Record):
    """Finds the claims of pods on a cluster.

    `first_form`: upstream's texts are those of 1.34 and 1.35. `groups_own`: claims of a PodGroup are
    its pods' as well. `alone`: no controller makes claims from templates.
    """

    cluster: Cluster
    first_form: bool
    groups_own: bool
    alone: bool

    def settle(self, pod: Pod, claims: Claims) -> Pod | Obstacle:
        """The pod with the claims that it has or gets, or why it has to wait for one of them."""
        entries = []
        owner = pod.owner if self.groups_own else replace(pod.owner, group="")
        for given in pod.claims:
            entry = given if self.alone else _named(pod, given, claims)
            if entry.template is not None and not self.alone:
                if entry.template not in self.cluster.templates:
                    return Obstacle(self._absent("ResourceClaimTemplate", entry.template))
                entries.append(entry)
                continue
            claim = claims.get(entry.key)
            reason = why_wait(owner, entry, claim, first_form=self.first_form)
            if reason is not None:
                text = reason
                if claim is None and entry.key[1] and entry.template is None:
                    text = self._absent("ResourceClaim", entry.key)
                return Obstacle(text, reason=reason, waits=True)
            entries.append(entry)
        return replace(pod, claims=tuple(entries))

    def claim_of(self, entry: PodClaimEntry, claims: Claims) -> ResourceClaimDict:
        """The claim that an entry of a settled pod means, made from its template where need be.

        Raises:
            KeyError: if neither is there.
        """
        claim = claims.get(entry.key)
        if claim is None and entry.template is not None:
            claim = _claim_from(self.cluster.templates[entry.template], entry.key)
        if claim is None:
            raise KeyError(f"no ResourceClaim {'/'.join(entry.key)}")
        return claim

    def left_over(
        self, pod: Pod, claims: Claims, resources: Collection[str]
    ) -> list[ResourceClaimDict]:
        """The claim that an earlier attempt made for the pod's extended resources, if any.

        `resources` are those that a class is behind.
        """
        if not (pod.uid or self.alone):
            return []  # no API server knows the pod, so no scheduler
        if not any(name in resources for name in extended_resources(pod.spec)):
            return []
        uid = pod.consumer["uid"]
        made = (c for _, c in claims.owned_by(uid) if is_left_over(c, pod.name, uid))
        return list(itertools.islice(made, 1))

    def _absent(self, kind: str, key: Key) -> str:
        rejected = self.cluster.rejected.get((kind, *key))
        if rejected is not None:
            return f"{kind} {key[1]} is rejected by the API server: {rejected}"
        known = self.cluster.claims if kind == "ResourceClaim" else self.cluster.templates
        return f"{kind} {key[0]}/{key[1]} is not in the input{_hint(key, known)}"


def _hint(key: Key, known: Iterable[Key]) -> str:
    """Where what was probably meant is: under this name elsewhere, or here under one much like it."""
    namespace, name = key
    elsewhere = sorted({other for other, own in known if own == name and other != namespace})
    if elsewhere:
        more = ", …" if len(elsewhere) > 3 else ""
        return f"; one of this name is in namespace {', '.join(elsewhere[:3])}{more}"
    near = get_close_matches(name, [own for other, own in known if other == namespace], n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _named(pod: Pod, entry: PodClaimEntry, claims: Claims) -> PodClaimEntry:
    """An entry whose claim a controller makes, with the claim that it has made already, or a name
    that no other claim has."""
    if entry.template is None:
        return entry
    made = find_orphan(pod.owner, entry, claims.owned_by(pod.uid))
    if made is not None:
        return replace(entry, key=made, template=None, generated=True)
    namespace, name = entry.key
    numbered: Iterable[Key] = ((namespace, f"{name}-{number}") for number in itertools.count(1))
    free = (key for key in itertools.chain((entry.key,), numbered) if key not in claims)
    return replace(entry, key=next(free))


def _claim_from(template: ResourceClaimTemplateDict, key: Key) -> ResourceClaimDict:
    inner = template.get("spec") or {}
    metadata: ObjectMetaDict = {
        **(inner.get("metadata") or {}),
        "name": key[1],
        "namespace": key[0],
    }
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": inner.get("spec") or {},
    }
