"""Manifests back to objects of the DSL; what no builder can express stays plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.manifest import GROUP, KubernetesObject, Manifest, Plain
from dradsl.dsl.objects.slices import DeviceTaintRule, ResourceSlice

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.dsl.objects.manifest import ManifestError

__all__ = ["from_dict", "from_yaml"]

_READERS: dict[str, Callable[[Plain], Manifest]] = {
    "DeviceClass": DeviceClass.read,
    "DeviceTaintRule": DeviceTaintRule.read,
    "ResourceClaim": ResourceClaim.read,
    "ResourceClaimTemplate": ResourceClaimTemplate.read,
    "ResourceSlice": ResourceSlice.read,
}


def from_dict(data: Plain) -> Manifest:
    """The object in `data`: a builder that holds all of it, or the data as a KubernetesObject."""
    from dradsl.kube.fields.conversion import to_v1

    plain = KubernetesObject(data)
    obj: dict[str, Any] = plain.to_dict()
    reader = _READERS.get(obj["kind"])
    if reader is None or not obj["apiVersion"].startswith(f"{GROUP}/"):
        return plain
    try:
        v1 = to_v1(obj)
        built = reader(v1)
    except (ValueError, TypeError, LookupError, AttributeError):
        return plain  # malformed in one of countless ways; lint says in which
    return built if built.to_dict() == v1 else plain


def from_yaml(text: str, on_error: Callable[[ManifestError], None] | None = None) -> list[Manifest]:
    """The objects in `text`, read as the API server reads YAML; a List gives its items.

    Args:
        text: YAML or JSON, one document or several.
        on_error: is told of each document that holds no object, which is then left out.

    Raises:
        ManifestError: for text that is no YAML, and without `on_error` for the first document that
            is no Kubernetes object.
    """
    from dradsl.dsl.objects.yaml_text import read_yaml

    return [from_dict(data) for data in read_yaml(text, on_error)]
