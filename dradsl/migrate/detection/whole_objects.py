"""Objects that are complete within others: in the values of a chart, such as its `extraObjects`, and in Templates of OpenShift.

A Template is a list of objects, which OpenShift makes in the namespace of whoever processes it (openshift/api template/v1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.records import replace
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import list_at, string_at

if TYPE_CHECKING:
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["is_template_object", "kind_of", "objects_in", "objects_of"]


def kind_of(data: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and the group of an object; two empty texts for anything else."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "", ""
    return kind, version.rpartition("/")[0]


def objects_in(
    value: object, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """The mappings with a kind and an API version, and their paths."""
    if len(path) > MOST_LEVELS:
        return
    if isinstance(value, Mapping):
        if kind_of(value)[0]:
            yield path, value
            return
        for key, item in value.items():
            if isinstance(key, str):
                yield from objects_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects_in(item, (*path, index))


def is_template_object(data: object) -> bool:
    """Whether a document is a Template of OpenShift."""
    return isinstance(data, dict) and kind_of(data) == ("Template", "template.openshift.io")


def objects_of(source: SourceText) -> Iterator[Manifest]:
    """The objects of a file; those in a Template take its place."""
    for manifest in manifests_of(source):
        if not is_template_object(manifest.data):
            yield manifest
            continue
        for index, data in enumerate(list_at(manifest.data, "objects")):
            if isinstance(data, dict) and kind_of(data)[0]:
                kind, group = kind_of(data)
                yield replace(
                    manifest, prefix=(*manifest.prefix, "objects", index), data=data, kind=kind, group=group,
                    api_version=str(data["apiVersion"]), name=string_at(data, "metadata", "name"),
                    namespace=string_at(data, "metadata", "namespace"),
                )  # fmt: skip
