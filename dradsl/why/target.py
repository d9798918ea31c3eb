"""What a user asks about: a pod, a claim, or a workload with its pods, by the words of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import Record
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.why.dump import Document, Dump

__all__ = ["KINDS", "WhyTarget", "find", "pods_of", "read_target"]

KINDS = {
    **dict.fromkeys(("pod", "pods", "po"), "Pod"),
    **dict.fromkeys(("claim", "claims", "resourceclaim", "resourceclaims"), "ResourceClaim"),
    **dict.fromkeys(("deployment", "deployments", "deploy"), "Deployment"),
    **dict.fromkeys(("replicaset", "replicasets", "rs"), "ReplicaSet"),
    **dict.fromkeys(("statefulset", "statefulsets", "sts"), "StatefulSet"),
    **dict.fromkeys(("daemonset", "daemonsets", "ds"), "DaemonSet"),
    **dict.fromkeys(("job", "jobs"), "Job"),
}
_DEPTH = 6
_SHORT = (
    "cj=cronjob vm=virtualmachine vmi=virtualmachineinstance lws=leaderworkerset isvc=inferenceservice "
    "llmisvc=llminferenceservice pcs=podcliqueset pclq=podclique pcsg=podcliquescalinggroup"
)


class WhyTarget(Record):
    """`namespace` is empty where the user names none."""

    kind: str
    namespace: str
    name: str

    @property
    def label(self) -> str:
        return f"{self.kind} {f'{self.namespace}/' if self.namespace else ''}{self.name}"


def read_target(text: str, namespace: str = "") -> WhyTarget:
    """A target as it is written: POD, NAMESPACE/POD, KIND/NAME or KIND/NAMESPACE/NAME; the kind can be any."""
    parts = text.split("/")
    if len(parts) > 1 and parts[0].lower() in KINDS:
        kind = KINDS[parts[0].lower()]
        if len(parts) == 2:
            return WhyTarget(kind, namespace, parts[1])
        return WhyTarget(kind, parts[1], "/".join(parts[2:]))
    if len(parts) == 2:
        return WhyTarget("Pod", parts[0], parts[1])
    if len(parts) == 3:
        return WhyTarget(*parts)
    return WhyTarget("Pod", namespace, text)


def find(dump: Dump, target: WhyTarget) -> list[Document]:
    """The objects that are meant: without a namespace that of `default`, else all of this name."""
    kind = _kind_named(dump, target.kind) or target.kind
    if target.namespace:
        found = dump.get(kind, (target.namespace, target.name))
        if found is None and (kind := _kind_named(dump, target.namespace)):
            return find(dump, WhyTarget(kind, "", target.name))  # KIND/NAME
        return [] if found is None else [found]
    found = dump.get(kind, ("default", target.name))
    if found is not None:
        return [found]
    return [one for one in dump.all(kind) if key_of(one)[1] == target.name]


def _kind_named(dump: Dump, word: str) -> str:
    """The kind of the dump that a word means, in any case, as a plural or in short; empty if it means none."""
    low = dict(one.split("=") for one in _SHORT.split()).get(word.lower(), word.lower())
    kinds = ((kind, kind.lower()) for kind in dump.counts)
    return next((kind for kind, one in kinds if low in (one, f"{one}s", f"{one[:-1]}ies")), "")


def pods_of(dump: Dump, document: Document, depth: int = _DEPTH) -> Iterator[Document]:
    """The pods that an object owns, over the objects between."""
    if document.get("kind") == "Pod":
        yield document
    if depth:
        for one in dump.owned_by(document):
            controller = any(
                owner.get("uid") == mapping_at(document, "metadata").get("uid")
                and owner.get("controller")
                for owner in mappings_at(one, "metadata", "ownerReferences")
            )
            if controller and one.get("kind") not in ("ResourceClaim", "Workload"):
                yield from pods_of(dump, one, depth - 1)
