"""Apps inside cdk8s: each object becomes an ApiObject of a chart, and claims are attached to others' pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    import cdk8s
    from constructs import Construct

    from dradsl.dsl.building.app import App
    from dradsl.dsl.objects.manifest import Manifest
    from dradsl.dsl.objects.pods import PodClaim
    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["add", "attach"]

_HEAD = ("name", "namespace", "labels", "annotations")


def add(scope: Construct, objects: App | Manifest) -> list[cdk8s.ApiObject]:
    """Add an app's objects, or one object, to a chart; all fields are kept.

    Args:
        scope: the chart, or another construct.
        objects: the app or the object.
    """
    data = [objects.to_dict()] if not hasattr(objects, "to_dicts") else objects.to_dicts()
    return [_api_object(scope, one) for one in data]


def attach(
    made: cdk8s.ApiObject,
    claim: PodClaim,
    *containers: str,
    request: AnyRequest | None = None,
) -> None:
    """Attach a claim to the pods of a workload of cdk8s, by JSON patches.

    Args:
        made: the workload; of a construct of cdk8s-plus its ApiObject.
        claim: the claim.
        containers: the containers that get the devices; all of them if none is named.
        request: only the devices of this request.
    """
    import cdk8s

    before = made.to_json()
    after = claim.attach(before, *containers, request=request)
    for key in after:
        if before.get(key) != after[key]:
            made.add_json_patch(cdk8s.JsonPatch.add(f"/{key}", after[key]))


def _api_object(scope: Construct, data: Mapping[str, object]) -> cdk8s.ApiObject:
    import cdk8s

    metadata = mapping_at(data, "metadata")
    named = metadata.get("name") or metadata.get("generateName") or "unnamed"
    kind, version = str(data["kind"]), str(data["apiVersion"])
    group = version.partition("/")[0] if "/" in version else ""
    parts = (kind.lower(), group, metadata.get("namespace"), str(named).rstrip("-"))
    head = {key: metadata[key] for key in _HEAD if key in metadata}
    made = cdk8s.ApiObject(
        scope,
        "-".join(str(part) for part in parts if part),
        api_version=version,
        kind=kind,
        metadata=cdk8s.ApiObjectMetadata(**head),
    )
    # cdk8s gives a name of its own where there is none.
    made.add_json_patch(cdk8s.JsonPatch.add("/metadata", metadata))
    for key in data.keys() - {"apiVersion", "kind", "metadata"}:
        made.add_json_patch(cdk8s.JsonPatch.add(f"/{key}", data[key]))
    return made
