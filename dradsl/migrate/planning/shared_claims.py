"""One ResourceClaim that the pods of several workloads name, and what prevents it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.mapping.targets import Rejection
from dradsl.records import replace
from dradsl.text.paths import values_named
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.targets import Target
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.result import FileMigration
    from dradsl.values.json_types import JsonMapping

__all__ = ["is_shared", "kept_apart", "once", "shared_obstacle"]


def is_shared(targets: Iterable[Target]) -> bool:
    """Whether a pod of these targets names a claim that others name too."""
    return any(target.mode == "claim" for target in targets)


def shared_obstacle(pod: PodAt, targets: Sequence[Target]) -> Rejection | None:
    """Why a pod of these targets cannot name the claim of other pods."""
    if not is_shared(targets):
        return None
    others = [target.resource for target in targets if target.mode != "claim"]
    if others:
        return Rejection(
            f"the pod asks for {', '.join(others)} besides, which is not shared: a claim of its own "
            "beside the shared one must be written by hand",
            "sharing",
        )
    if pod.replicas is None:
        return Rejection(
            "pods of a DaemonSet run on all nodes, and those that name one claim on that of its device",
            "sharing",
        )
    if pod.set_values:
        return Rejection(
            "what the chart or operator has for claims takes the name of a claim template only",
            "sharing",
        )
    return None


def kept_apart(pod: PodAt) -> str | None:
    """The words of a pod's owner that one claim for several pods contradicts: it puts all of them on one node."""
    rules = member(pod.spec, "affinity", "podAntiAffinity")
    if "kubernetes.io/hostname" not in values_named(rules, "topologyKey"):
        return None
    path = (*pod.field_at("affinity"), "podAntiAffinity")[len(pod.manifest.prefix) :]
    return (
        f"podAntiAffinity keeps these pods on different nodes ({pod.manifest.path}:{pod.manifest.span(path).line}): one "
        "claim for all puts them on one node. A claim-name of its own for each workload does not"
    )


def once(
    files: Iterable[FileMigration],
    evidence: Evidence,
    namespace_of: Callable[[str, str | None], str | None],
    is_built: Callable[[str], bool],
) -> tuple[tuple[FileMigration, ...], tuple[str, ...]]:
    """The files with each shared claim among the new objects of one of them, which is built if any of them is, or of none
    if the run has the claim already; and the faults of claims that differ. Each cluster is separate, as far as clusters are
    known.
    """
    every = list(files)
    made: dict[tuple[str | None, str], list[tuple[str, object]]] = {}
    result: dict[str, FileMigration] = {}
    faults: list[str] = []
    for file in sorted(every, key=lambda each: bool(each.added) and not is_built(each.path)):
        kept = []
        for obj in file.added:
            if obj.get("kind") != "ResourceClaim":
                kept.append(obj)
                continue
            metadata: Any = obj["metadata"]
            name, written = metadata["name"], metadata.get("namespace")
            key = (namespace_of(file.path, written), name)
            there = evidence.claim_classes(("ResourceClaim", written, name), file.path)
            others = made.setdefault(key, [])
            other = next((each for each in others if evidence.may_share(each[0], file.path)), None)
            if there is not None and there != _classes(obj):
                faults.append(
                    f"{file.path}: ResourceClaim {name} is in the run, and asks for "
                    f"{', '.join(sorted(there)) or 'nothing'}: choose another name (claim-name)"
                )
            elif there is None and other is None:
                others.append((file.path, obj["spec"]))
                kept.append(obj)
            elif there is None and other is not None and other[1] != obj["spec"]:
                faults.append(
                    f"{file.path}: ResourceClaim {name} is to ask for other devices than in "
                    f"{other[0]}: answer with another name (claim-name)"
                )
        changed = len(kept) != len(file.added)
        result[file.path] = replace(file, added=tuple(kept)) if changed else file
    return tuple(result[file.path] for file in every), tuple(faults)


def _classes(claim: JsonMapping) -> frozenset[str]:
    requests = claim["spec"]["devices"]["requests"]
    return frozenset(each["exactly"]["deviceClassName"] for each in requests)
