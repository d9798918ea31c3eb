"""Objects in a list or a mapping that is no object: jsonnet and others write such files.

kubectl rejects them; the objects in them are looked at all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.kube.fields.table import GROUP, KINDS
from dradsl.text.documents import Document
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import Manifest, manifest_at
from dradsl.values.plain import member

__all__ = ["loose_manifests", "loose_paths", "looks_like_dra", "says_dra"]


def loose_manifests(source: SourceText, document: Document) -> Iterator[Manifest]:
    """The objects in a document that is a list or a mapping of them."""
    for path, data in loose_paths(document.data):
        manifest = manifest_at(source, document, path, data)
        if manifest is not None:
            yield manifest


def loose_paths(
    data: object,
) -> tuple[tuple[tuple[str | int, ...], Mapping[str, object]], ...]:
    """Where objects are in a list or a mapping of nothing else; none if no claims are among them."""
    found: list[tuple[tuple[str | int, ...], Mapping[str, object]]] = []
    if isinstance(data, list):
        items: Iterator[tuple[str | int, object]] = iter(enumerate(data))
    elif isinstance(data, dict) and "apiVersion" not in data and "kind" not in data:
        items = iter(data.items())
    else:
        return ()
    for key, value in items:
        if not (
            isinstance(value, dict) and _is_text(value, "apiVersion") and _is_text(value, "kind")
        ):
            return ()
        found.append(((key,), value))
    return tuple(found) if any(says_dra(d) or looks_like_dra(d) for _, d in found) else ()


def _is_text(value: Mapping[str, object], name: str) -> bool:
    found = value.get(name)
    return isinstance(found, str) and bool(found)


def says_dra(data: Mapping[str, object]) -> bool:
    """Whether an object says that it is one of resource.k8s.io."""
    version, kind = data.get("apiVersion"), data.get("kind")
    return (isinstance(version, str) and version.startswith(f"{GROUP}/")) or (
        isinstance(kind, str) and kind in KINDS
    )


def looks_like_dra(data: Mapping[str, object]) -> bool:
    """Whether an object asks for devices, publishes them, or has pods with claims."""
    specs = member(data, "spec"), member(data, "spec", "spec")
    if any(isinstance(each, dict) and "devices" in each for each in specs):
        return True
    from dradsl.kube.pods.workloads import pod_specs

    return any(pod.spec.get("resourceClaims") for pod in pod_specs(data))
