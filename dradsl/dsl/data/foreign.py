"""Objects of other libraries (kubernetes, lightkube, pydantic) as plain data, and claims attached to pods of any kind."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard

from dradsl.dsl.data.frozen import Open

__all__ = ["Model", "attach_claim", "is_client_model", "is_model", "plain_data"]


class _HasDict(Protocol):
    """An object of kubernetes, lightkube or cdk8s."""

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data."""


class _HasDump(Protocol):
    """A model of pydantic."""

    def model_dump(self) -> dict[str, Any]:
        """The model as plain data."""


Model = _HasDict | _HasDump
"""An object of another library: of the official client, lightkube, cdk8s, or a model of pydantic."""

# Kind -> the way to its pod template; a Pod is its own.
_TEMPLATES = (("spec", "jobTemplate", "spec", "template"), ("spec", "template"), ("template",))


def is_client_model(value: object) -> bool:
    """Whether `value` is a model of the official Kubernetes client."""
    return hasattr(value, "openapi_types") and hasattr(value, "attribute_map")


def is_model(value: object) -> TypeGuard[Model]:
    """Whether `value` is an object of another library."""
    return callable(getattr(value, "model_dump", None)) or callable(getattr(value, "to_dict", None))


def plain_data(value: Any) -> Any:
    """`value` with models of other libraries as dicts, as the API spells their fields."""
    if is_client_model(value):
        given = ((value.attribute_map[name], getattr(value, name)) for name in value.openapi_types)
        return {key: plain_data(item) for key, item in given if item is not None}
    if isinstance(value, Open | type):
        return value
    if isinstance(value, Mapping):
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(item) for item in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if callable(getattr(value, "model_dump", None)):
        return plain_data(value.model_dump(mode="json", by_alias=True, exclude_none=True))
    return plain_data(value.to_dict()) if callable(getattr(value, "to_dict", None)) else value


def attach_claim(
    pod: Any,
    entry: Mapping[str, object],
    use: Mapping[str, object],
    containers: tuple[str, ...] | None,
) -> Any:
    """A copy of `pod` with the claim `entry`, which `containers` use; of all containers if None.

    Raises:
        ValueError: if there is no pod spec, no such container, or another claim of that name.
    """
    if is_model(pod) and not is_client_model(pod):
        kind = type(pod)
        read = getattr(kind, "model_validate", None) or getattr(kind, "from_dict", None)
        if read is not None:
            return read(attach_claim(plain_data(pod), entry, use, containers))
    made = copy.deepcopy(pod)
    spec = _pod_spec(made)
    claims = list(_get(spec, "resourceClaims") or ())
    for one in claims:
        if _get(one, "name") == entry["name"] and plain_data(one) != dict(entry):
            raise ValueError(f"the pod has another claim called {entry['name']}")
    if not any(_get(one, "name") == entry["name"] for one in claims):
        claims.append(_like(spec, "V1PodResourceClaim", entry))
    _set(spec, "resourceClaims", claims)
    there = list(_get(spec, "containers") or ())
    # Init containers take part where they are named.
    every = [*there, *(_get(spec, "initContainers") or ())]
    names = [_get(one, "name") for one in every]
    wanted = [_get(one, "name") for one in there] if containers is None else list(containers)
    for name in wanted:
        if name not in names:
            known = ", ".join(map(str, names)) or "none"
            raise ValueError(f"the pod has no container called {name} (its containers: {known})")
        _use(every[names.index(name)], use)
    return made


def _use(container: Any, use: Mapping[str, object]) -> None:
    resources = _get(container, "resources")
    if resources is None:
        resources = (
            {} if isinstance(container, dict) else _like(container, "V1ResourceRequirements", {})
        )
        _set(container, "resources", resources)
    claims = list(_get(resources, "claims") or ())
    if not any(plain_data(one) == dict(use) for one in claims):
        claims.append(_like(container, "CoreV1ResourceClaim", use))
    _set(resources, "claims", claims)


def _pod_spec(pod: Any) -> Any:
    """The spec of a pod, of a workload's pods, or `pod` itself if it is one."""
    if _get(pod, "containers") is not None:
        return pod
    for way in _TEMPLATES:
        at = pod
        for key in way:
            at = None if at is None else _get(at, key)
        if at is not None and _get(at, "spec") is not None:
            return _get(at, "spec")
    spec = _get(pod, "spec")
    if spec is not None and _get(spec, "containers") is not None:
        return spec
    raise ValueError(f"{type(pod).__name__} holds no pod: no containers, spec or template")


def _name(thing: Any, key: str) -> str | None:
    names = {api: python for python, api in thing.attribute_map.items()}
    return names.get(key)


def _get(thing: Any, key: str) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(key)
    if is_client_model(thing):
        name = _name(thing, key)
        return None if name is None else getattr(thing, name)
    raise TypeError(
        f"a pod is a dict, a KubernetesObject or a model of the client, not {thing!r}"[:200]
    )


def _set(thing: Any, key: str, value: Any) -> None:
    if isinstance(thing, dict):
        thing[key] = value
        return
    name = _name(thing, key)
    if name is None:
        raise ValueError(f"this version of the client has no {key} in {type(thing).__name__}")
    setattr(thing, name, value)


def _like(neighbour: Any, model: str, data: Mapping[str, object]) -> Any:
    """`data` as its neighbour is: a dict, or a model of the client."""
    if isinstance(neighbour, Mapping):
        return dict(data)
    import importlib

    package = type(neighbour).__module__.rpartition(".")[0]
    kind = getattr(importlib.import_module(package), model, None)
    if kind is None:
        raise ValueError(f"this version of the client has no {model}")
    names = {api: python for python, api in kind.attribute_map.items()}
    return kind(**{names[key]: value for key, value in data.items()})
