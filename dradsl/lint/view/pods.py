"""Pod specs as rules look at them: their claims, containers and extended resources."""

from __future__ import annotations

from dradsl.kube.pods.workloads import PodSpecAt, pod_specs, same_path
from dradsl.records import dataclass
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.values.plain import mapping_at, mappings, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.diagnostics import FieldPath

__all__ = ["PodView", "pods_in"]


@dataclass(frozen=True, slots=True)
class PodView:
    """A pod spec inside any object; all paths are those of the manifest.

    `claims` are the entries of `resourceClaims` with their index, `containers` init and main containers,
    `container_claims` the entries of `resources.claims` of every container, `resources` those of the containers that have
    any, `extended_resources` what containers ask for: container, resource, place of the amount.
    """

    manifest: Manifest
    at: PodSpecAt
    spec: Mapping[str, object]
    claims: Sequence[tuple[int, Mapping[str, object]]]
    containers: Sequence[tuple[FieldPath, Mapping[str, object]]]
    container_claims: Sequence[tuple[FieldPath, Mapping[str, object]]]
    resources: Sequence[tuple[FieldPath, Mapping[str, Any]]]
    extended_resources: Sequence[tuple[FieldPath, str, FieldPath]]

    def named(self, field: str) -> Iterator[tuple[FieldPath, str]]:
        """The names that the entries of `resourceClaims` have under a field, each with its path."""
        for index, entry in self.claims:
            name = string_at(entry, field)
            if name is not None:
                yield (*self.at.path, "resourceClaims", index, field), name


def pods_in(manifest: Manifest) -> Iterator[PodView]:
    """The pod specs inside an object; claims and classes hold none."""
    for at in pod_specs(manifest.data) if manifest.group != RESOURCE_GROUP else ():
        yield _pod(manifest, at)


def _pod(manifest: Manifest, at: PodSpecAt) -> PodView:
    # All at once: many rules ask for each.
    spec = at.spec
    containers: list[tuple[FieldPath, Mapping[str, object]]] = []
    claims: list[tuple[FieldPath, Mapping[str, object]]] = []
    every: list[tuple[FieldPath, Mapping[str, Any]]] = []
    extended: dict[tuple[FieldPath, str], FieldPath] = {}
    for part in ("initContainers", "containers"):
        for index, container in enumerate(mappings(spec.get(part))):
            path = same_path((*at.path, part, index))
            containers.append((path, container))
            resources = container.get("resources")
            if not isinstance(resources, dict) or not resources:
                continue
            every.append((path, resources))
            for number, entry in enumerate(mappings(resources.get("claims"))):
                claims.append((same_path((*path, "resources", "claims", number)), entry))
            for section in ("limits", "requests"):
                for name, amount in mapping_at(resources, section).items():
                    if "/" in name and str(amount) != "0":
                        extended.setdefault((path, name), (*path, "resources", section, name))
    return PodView(
        manifest,
        at,
        spec,
        tuple(enumerate(mappings(spec.get("resourceClaims")))),
        tuple(containers),
        tuple(claims),
        tuple(every),
        tuple([(path, name, place) for (path, name), place in extended.items()]),
    )
