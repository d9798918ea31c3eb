"""The claim fields in the status of a Pod, as the decoder of the API server reads them.

A create empties the status, but it has to be decoded before that.

Source: kubernetes/api core/v1/types.go (PodStatus) at 0.34.12 to 0.37.2.
"""

from __future__ import annotations

from dradsl.kube.pods.claim_entries import unknown, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from dradsl.kube.errors import FieldError, Path
    from dradsl.releases import Release

    # A type of Go: the name of a scalar; a struct with its fields; a list of one of them.
    Type: TypeAlias = "str | tuple[str, Mapping[str, Type]] | list[Type]"

__all__ = ["status_errors"]

_OF_REQUEST: Type = (
    "ContainerExtendedResourceRequest",
    dict.fromkeys(("containerName", "resourceName", "requestName"), "string"),
)
_FIELDS: Mapping[str, Type] = {
    "resourceClaimStatuses": [
        ("PodResourceClaimStatus", {"name": "string", "resourceClaimName": "string"})
    ],
    "extendedResourceClaimStatus": (
        "PodExtendedResourceClaimStatus",
        {"requestMappings": [_OF_REQUEST], "resourceClaimName": "string"},
    ),
    "nodeAllocatableResourceClaimStatuses": [
        (
            "NodeAllocatableResourceClaimStatus",
            {"resourceClaimName": "string", "containers": ["string"]},
        )
    ],
}
# Its other fields are not the same in 1.36 and 1.37, and are not looked at.
_UNLIKE = frozenset({"NodeAllocatableResourceClaimStatus"})
_GATES = {"nodeAllocatableResourceClaimStatuses": "DRANodeAllocatableResources"}


def status_errors(obj: Mapping[str, object], release: Release) -> list[FieldError]:
    """What the decoder rejects in the claim fields of a Pod's status that a release knows."""
    status = obj.get("status")
    if not isinstance(status, dict) or obj.get("kind") != "Pod" or obj.get("apiVersion") != "v1":
        return []
    return [
        error
        for name, value in status.items()
        if name in _FIELDS and _GATES.get(name, "") in ("", *release.gates)
        for error in _mismatches(value, _FIELDS[name], ("status", name), "PodStatus")
    ]


def _mismatches(value: object, type_: Type, path: Path, owner: str) -> Iterator[FieldError]:
    """What of a value is not read into a type of Go; null always is."""
    if value is None:
        return
    if isinstance(type_, list):
        if not isinstance(value, list):
            yield wrong_type(path, value, owner, "list", _go(type_))
            return
        for index, item in enumerate(value):
            yield from _mismatches(item, type_[0], (*path, index), owner)
    elif isinstance(type_, tuple):
        if not isinstance(value, dict):
            yield wrong_type(path, value, owner, "mapping", _go(type_))
            return
        for name, item in value.items():
            if name in type_[1]:
                yield from _mismatches(item, type_[1][name], (*path, name), type_[0])
            elif type_[0] not in _UNLIKE:
                yield unknown(str(name), tuple(type_[1]), (*path, str(name)), item)
    elif not isinstance(value, str):
        yield wrong_type(path, value, owner, "text", type_)


def _go(type_: Type) -> str:
    if isinstance(type_, list):
        return f"[]{_go(type_[0])}"
    return type_ if isinstance(type_, str) else f"v1.{type_[0]}"
