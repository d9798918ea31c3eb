"""Why Kustomize prevents that an object is migrated in place, and what becomes of patch files."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.kustomize.tree import real_path
from dradsl.migrate.mapping.resource import Rejection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.migrate.kustomize.tree import KustomizationTree
    from dradsl.migrate.places import PodAt
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["RENAMED", "named_patch", "obstacle", "renamed_values"]

RENAMED = (
    "a build renames the claim template, and the values that would name it are a chart's own: there Kustomize "
    "changes no names"
)

_TEXT = (
    "a kustomization makes a text of a ConfigMap or Secret of this file, and what reads that is not known: it may drop "
    "the fields of claims, or not expect a second object"
)

_PATCHED = (
    "a kustomization that takes in this file has patches or transformers, and what is built may differ: give dradsl what "
    "is built"
)

# Kinds whose objects the API server rejects without a selector (pkg/apis/apps/validation).
_SELECTED = frozenset({"Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicaSet.apps"})
_UNSELECTED = frozenset({"Job.batch", "CronJob.batch", "Pod."})


def obstacle(
    tree: KustomizationTree,
    manifest: Manifest,
    pod: PodAt,
    *,
    built: bool = False,
    seen: Container[object] = (),
) -> Rejection | None:
    """Why a pod of an object cannot be migrated in place; None if Kustomize is no reason.

    With `built` both sides of all kustomizations are built, and of the objects of Flux and Argo CD that are
    `seen`: then only what these builds do not show is a reason. Without, patches are written for what is built.
    """
    named = named_patch(tree, manifest.path)
    if named is not None:
        return named
    if manifest.api_version and real_path(manifest.path) in tree.texts:
        return Rejection(_TEXT, routes=("a manifest under resources can be migrated",))
    if _cannot_stand_alone(manifest, pod):
        return Rejection(
            f"this {manifest.kind} cannot be alone, it has no image"
            f"{'' if _key(manifest) in _UNSELECTED else ' and no selector'}: it is taken for a patch, "
            "and what it makes of its target is known only when Kustomize builds it",
            routes=tree.routes(()),
        )
    folders = () if built else tree.patched(manifest.path)
    if folders:
        return Rejection(_PATCHED, routes=tree.routes(folders))
    meetings = [each for each in tree.meeting(manifest) if not built or each.within not in seen]
    if not meetings:
        return None
    first = meetings[0]
    more = f" (and {len(meetings) - 1} more)" if len(meetings) > 1 else ""
    return Rejection(
        f"{first.title}{more} {first.change.what} and may change this object: with claims here the "
        "result of the build may be wrong, or there may be none",
        routes=tree.routes(()),
    )


def renamed_values(tree: KustomizationTree, taken: Iterable[str]) -> Rejection | None:
    """Why a file of values that one of these kustomizations uses for its chart cannot be migrated in place."""
    folders = [folder for name in taken for folder in tree.own_folder(name)]
    return Rejection(RENAMED, routes=tree.routes(folders)) if tree.renames(folders) else None


def named_patch(tree: KustomizationTree, name: str) -> Rejection | None:
    """Why nothing can be migrated in place in a file that a kustomization names as a patch."""
    folders = tree.patching(name)
    if not folders:
        return None
    return Rejection(
        "this file is a patch of a kustomization, no object: what it makes of its target is known "
        "only when Kustomize builds it",
        routes=tree.routes(folders),
    )


def _key(manifest: Manifest) -> str:
    return f"{manifest.kind}.{manifest.group}"


def _cannot_stand_alone(manifest: Manifest, pod: PodAt) -> bool:
    key = _key(manifest)
    if key in _SELECTED:
        spec = manifest.data.get("spec")
        selector = spec.get("selector") if isinstance(spec, Mapping) else None
        return not selector and not any(
            container.data.get("image")
            for at in pod_specs(manifest.data)
            for container in containers_of(at.spec, at.path)
        )
    asking = [container for container in pod.containers if container.uses]
    return key in _UNSELECTED and not any(c.data.get("image") for c in asking)
