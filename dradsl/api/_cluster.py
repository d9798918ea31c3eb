"""The cluster of a simulation, which knows what drivers install; no part of the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.cluster import ClusterBuilder

__all__ = ["cluster_builder"]


def cluster_builder(server: ApiServer, *, known_classes: bool = True) -> ClusterBuilder:
    """The builder of a cluster, which knows what drivers install."""
    from dradsl.api.known_classes import known_class, known_resource, replaced_by
    from dradsl.simulate.cluster import ClusterBuilder

    return ClusterBuilder(
        server,
        known_class=known_class if known_classes else None,
        known_resource=known_resource if known_classes else None,
        replaced_by=replaced_by,
    )
