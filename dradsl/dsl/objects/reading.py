"""Manifests back to objects of the DSL; what no builder can express stays plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.compute_domains import ComputeDomain
from dradsl.dsl.objects.manifest import KubernetesObject, Manifest
from dradsl.dsl.objects.slices import DeviceTaintRule, ResourceSlice
from dradsl.dsl.objects.yaml_text import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.dsl.data.foreign import Model
    from dradsl.dsl.data.fragment import ManifestError, Plain

__all__ = ["comments_in", "from_dict", "from_yaml"]

# What tools write above documents.
_MADE = ("Built by dradsl", "Source: ")

_BUILDERS: tuple[type[Manifest], ...] = (
    ComputeDomain,
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)


def from_dict(data: Plain | Model) -> Manifest:
    """The object in `data`, plain or a model: a builder that holds all of it, or the data as a KubernetesObject."""
    plain = KubernetesObject(data)
    for builder in _BUILDERS:
        if builder.kind == plain.data["kind"]:
            return builder.holding(plain) or plain
    return plain


def from_yaml(text: str, on_error: Callable[[ManifestError], None] | None = None) -> list[Manifest]:
    """The objects in `text`, read as the API server reads YAML; a List gives its items.

    Args:
        text: YAML or JSON, one document or several.
        on_error: is told of each document that holds no object, which is then left out.

    Raises:
        ManifestError: for text that is no YAML, and without `on_error` for the first document that
            is no Kubernetes object.
    """
    return [from_dict(data) for data in read_yaml(text, on_error)]


def comments_in(text: str) -> dict[tuple[str, str, str, str], tuple[str, ...]]:
    """The comments of documents that hold one object, by the object's key, without their `#`."""
    import re

    from dradsl.text.comments import find_comments
    from dradsl.text.documents import load

    stream = load(text.encode("utf-8", "surrogatepass"))
    found = {}
    for document in stream.documents:
        data = document.data
        if document.problems or not isinstance(data, dict) or "items" in data:
            continue
        if not isinstance(data.get("apiVersion"), str) or not isinstance(data.get("kind"), str):
            continue
        comments = find_comments(document.text, re.compile("#")).comments
        lines = [one.text.lstrip("#").strip() for one in comments]
        kept = tuple(line for line in lines if line and not line.startswith(_MADE))
        if kept:
            found[KubernetesObject(data).key] = kept
    return found
