"""Questions to an API server of its own each, as one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.server.api_server import Admission

__all__ = ["ask", "namespace_of"]


def namespace_of(obj: Any, labels: Mapping[str, str]) -> dict[str, Any]:
    """A Namespace with these labels, in which the object is created."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    name = metadata.get("namespace") if isinstance(metadata, dict) else None
    return {"metadata": {"name": name or "default", "labels": labels}}


def ask(
    obj: Any,
    release: str = "1.36",
    gates: Mapping[str, bool] | None = None,
    *,
    old: Any = None,
    subresource: str | None = None,
    labels: Mapping[str, str] | None = None,
    namespace: str = "default",
) -> Admission:
    """What a new server makes of an object; `labels`: of its namespace, None where unknown."""
    chosen = RELEASES[release]
    server = ApiServer(chosen, chosen.features(gates))
    if labels is not None:
        server.add_namespace(namespace_of(obj, labels))
    if old is None:
        return server.create(obj, namespace=namespace)
    change = server.update_status if subresource == "status" else server.update
    return change(obj, old)
