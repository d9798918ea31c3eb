"""Objects that a chart takes in its values: their place and their form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import Put
from dradsl.tree.charts.recipes import filled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.places import PodAt
    from dradsl.values.json_types import JsonMapping

__all__ = ["in_values"]


def in_values(pod: PodAt, obj: JsonMapping) -> Iterator[Put]:
    """The change that puts an object into the values of the pod's chart, if they have a place for it.

    A claim that other releases name too does not belong to one release.
    """
    if pod.objects is None or obj["kind"] != "ResourceClaimTemplate":
        return
    names = {
        "name": obj["metadata"]["name"],
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "spec": obj["spec"],
    }
    steps = [filled(step, names) for step in pod.objects.at.split(".")]
    yield Put((*pod.root, *map(str, steps)), filled(pod.objects.form, names))
