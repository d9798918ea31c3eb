"""Recorded objects and manifests as a simulation in which classes answer extended resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.releases import Release
    from dradsl.simulate.attempts import Simulation

__all__ = ["simulation_of"]


def simulation_of(
    release: Release,
    catalogue: Catalogue,
    recorded: Iterable[tuple[Mapping[str, object], str]],
    documents: Iterable[tuple[Mapping[str, object], str]],
    *,
    nodes_known: bool = False,
) -> Simulation:
    """The simulation of a release, for recorded objects and manifests, each with its origin. Classes that are not among
    them are those of the drivers' charts."""
    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import ClusterBuilder

    def known(name: str) -> ClassRecord | None:
        found = catalogue.device_class(name)
        return None if found is None else ClassRecord(name, tuple(found[1].selectors))

    gate = release.gates.get("DRAExtendedResource")
    features = release.features({} if gate is None or gate.locked else {gate.name: True})
    server = ApiServer(release, features)
    builder = ClusterBuilder(server, known_class=known, nodes_known=nodes_known)
    for each, origin in recorded:
        builder.add_recorded(dict(each), origin)
    for each, origin in documents:
        builder.add_manifest(dict(each), origin)
    return Simulation(builder.build(), release, features, CelSelectors(release, features))
