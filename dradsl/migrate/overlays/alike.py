"""Objects that are built or rendered, compared with their plan: each use must be replaced, and nothing else may change.

The plan for values and the plan for the object that they make may use different names. So claims, requests and
templates are compared by what they ask for, and by the pods that share them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.edits.operations import Put, Remove
from dradsl.migrate.overlays.differences import differences, named_alike
from dradsl.text.paths import format_path, values_named
from dradsl.values.plain import mapping_at, mappings_at, member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.migrate.overlays.planned import Expected

__all__ = ["named_templates", "problem_of", "specs_of"]

_KEYS = {
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
}
_PARTS = ("initContainers", "containers", "ephemeralContainers")


def specs_of(objects: list[Any], namespace: str | None) -> dict[tuple[str, str], Any]:
    """The devices of claims and claim templates that pods of a namespace find, by kind and name. Those without a
    namespace go to the namespace of the pods. If `namespace` is not given, all are found."""
    found: dict[tuple[str, str], Any] = {}
    for data in objects:
        if not isinstance(data, dict) or data.get("kind") not in _KEYS.values():
            continue
        metadata, spec = data.get("metadata"), data.get("spec")
        if not isinstance(metadata, dict) or not isinstance(spec, dict):
            continue
        own = metadata.get("namespace")
        if namespace is not None and own not in (None, "", namespace):
            continue
        inner = spec.get("spec") if data["kind"] == "ResourceClaimTemplate" else spec
        if isinstance(inner, dict):
            found[data["kind"], str(metadata.get("name"))] = inner.get("devices")
    return found


def problem_of(
    before: Any, after: Any, expected: Expected, specs: Mapping[tuple[str, str], Any]
) -> str | None:
    """What is wrong with an object after the migration, in a sentence without its name; None if it is as planned. `specs`
    are the claims that exist then in its namespace."""
    if after is None:
        return "is not there any more"
    planned = specs_of(list(expected.templates), None)
    # A claim that other pods name too may be built elsewhere, which is looked at apart.
    specs = {**{key: value for key, value in planned.items() if key[0] == "ResourceClaim"}, **specs}
    # Values may hold a claim template themselves, which their chart makes.
    held = {*named_templates(expected.data)} - {name for _, name in planned}
    known = {*(name for _, name in specs), *named_templates(before), *held}
    planned = {**specs, **planned}
    for name in named_templates(after):
        if name not in known:
            return f"names {name}, which is not there in its namespace"
    for change in _left(after, specs, expected.data, planned):
        path = change.path
        if "tolerations" in path and _tolerations(before) == _tolerations(after):
            continue  # values may have no place for written-out tolerations
        if isinstance(change, Remove) and len(path) > 1 and path[-2] in ("limits", "requests"):
            return f"still asks for {path[-1]} ({format_path(path[:-2])})"
        return f"would differ at {format_path(path)} from what was planned"
    return None


def _left(
    after: Any,
    specs: Mapping[tuple[str, str], Any],
    wants: Any,
    planned: Mapping[tuple[str, str], Any],
) -> Iterator[Put | Remove]:
    """What is left to change. Claims are compared by their content, also where values name them."""
    settled = _settled(after, specs), _settled(wants, planned)
    by_name = [
        {name: _whole(devices) for (_, name), devices in s.items()} for s in (specs, planned)
    ]
    return differences(settled[0], named_alike(*settled, *by_name))


def named_templates(data: object) -> Iterator[str]:
    """The claims and claim templates that an object names."""
    for key in _KEYS:
        yield from (each for each in values_named(data, key) if isinstance(each, str))


def _tolerations(data: Any) -> list[object]:
    return [at.spec.get("tolerations") for at in pod_specs(data)]


def _named(entry: Mapping[str, object]) -> tuple[str, str] | None:
    found = ((kind, str(entry[key])) for key, kind in _KEYS.items() if entry.get(key))
    return next(found, None)


def _settled(data: Any, specs: Mapping[tuple[str, str], Any]) -> Any:
    """An object in which pods have the requests of their claims in the place of names."""
    copied = copy_plain(data)
    for at in pod_specs(copied):
        _settle(at.spec, specs)
    return copied


def _settle(spec: Any, specs: Mapping[tuple[str, str], Any]) -> None:
    entries = spec.get("resourceClaims")
    if not isinstance(entries, list):
        return
    ours: dict[str, list[tuple[str, object]]] = {}
    rest: list[Any] = []
    whole: list[Any] = []
    for entry in entries:
        read = _read_entry(entry, specs)
        if read is None:
            rest.append(entry)
            continue
        ours[str(entry.get("name"))], of_claim = read
        whole += of_claim
    numbers: dict[tuple[str, str], int] = {}
    order: list[Any] = []

    def number(claim: str, request: str, asked: Any) -> int:
        key = (claim, request)
        if key not in numbers:
            numbers[key] = len(numbers)
            order.append(asked)
        return numbers[key]

    for part in _PARTS:
        for container in mappings_at(spec, part):
            resources: Any = container.get("resources")
            claims = member(resources, "claims")
            if not isinstance(claims, list):
                continue
            found: list[Any] = []
            asked: list[tuple[str, str, Any]] = []
            for claim in claims:
                name = str(claim.get("name")) if isinstance(claim, dict) else ""
                if name not in ours:
                    found.append(claim)
                    continue
                one = claim.get("request")
                asked += [(name, *each) for each in ours[name] if one in (None, "", each[0])]
            # In the order of their requests: names and keys of mappings have no meaning.
            asked.sort(key=lambda each: _text(each[2]))
            resources["claims"] = [*found, *(number(*each) for each in asked)]
            for key in ("limits", "requests"):  # templates may leave the key without amounts
                if key in resources and not resources[key]:
                    del resources[key]
    idle = [
        what
        for name, requests in ours.items()
        for request, what in requests
        if (name, request) not in numbers
    ]
    if ours or rest:
        spec["resourceClaims"] = [
            *rest,
            *order,
            *sorted(idle, key=_text),
            *sorted(whole, key=_text),
        ]


def _read_entry(
    entry: Any, specs: Mapping[tuple[str, str], Any]
) -> tuple[list[tuple[str, object]], list[Any]] | None:
    """What the claim of an entry asks for, by the names of requests, and what holds for all of them; None if the claim
    is not known."""
    named = _named(entry) if isinstance(entry, dict) else None
    devices = specs.get(named) if named is not None else None
    if named is None or not isinstance(devices, dict):
        return None
    kind, name = named
    shared = name if kind == "ResourceClaim" else None
    requests: list[tuple[str, object]] = [
        (str(each.get("name")), _asked(each, shared)) for each in mappings_at(devices, "requests")
    ]
    whole = [
        {**each, "requests": _number(each.get("requests"))}
        for each in mappings_at(devices, "constraints")
    ]
    return requests, [*whole, *mappings_at(devices, "config")]


def _asked(request: Any, shared: str | None) -> dict[str, object]:
    """What a request asks for, without its name."""
    plain: dict[str, object] = {key: value for key, value in request.items() if key != "name"}
    written = plain.get("exactly")
    if isinstance(written, dict):
        exactly: dict[str, object] = {"count": 1, "allocationMode": "ExactCount", **written}
        if exactly["allocationMode"] == "All":
            exactly.pop("count")
        plain["exactly"] = exactly
    return {**plain, "shared": shared}


def _whole(devices: Any) -> dict[str, object]:
    """The devices of a claim, in which each request says what holds where it says nothing."""
    requests = mappings_at(devices, "requests")
    asked = [{"name": each.get("name"), **_asked(each, None)} for each in requests]
    return {**mapping_at(devices), "requests": asked}


def _number(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
