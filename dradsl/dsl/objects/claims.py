"""ResourceClaim and ResourceClaimTemplate: requests, constraints over them, configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from dradsl.dsl.data.fragment import FieldPath, Plain, check_name, set_field
from dradsl.dsl.data.frozen import freeze, thaw
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.configs import Config
from dradsl.dsl.objects.constraints import Constraint, distinct, same
from dradsl.dsl.objects.contradictions import contradiction, wrong_family
from dradsl.dsl.objects.manifest import GROUP, Manifest, Metadata, read_metadata
from dradsl.dsl.objects.parameters import AnyConfig, DriverConfig, Opaque, read_opaque
from dradsl.dsl.objects.requests import AnyRequest, FirstAvailable, Request, read_request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.dsl.data.places import PythonPlace
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["ResourceClaim", "ResourceClaimTemplate"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class _Claim(Metadata):
    """What a claim and a template of claims have in common.

    Args:
        namespace: where it lives; None leaves that to whoever applies it.
        requests: what is asked for.
        constraints: what the devices must have in common: `same(...)`, `distinct(...)`.
        configs: what drivers are told: for all requests, or in a `Config` for some.
    """

    kind: ClassVar[str]

    namespace: str | None = None
    requests: Sequence[AnyRequest] = ()
    constraints: Sequence[Constraint] = ()
    configs: Sequence[Config | AnyConfig] = ()

    def _freeze_claim(self) -> None:
        self._freeze_metadata(self.kind)
        if self.namespace is not None:
            check_name("dns1123_label", self.namespace, f"the namespace of {self.name}")
        for name, kinds in _MEMBERS.items():
            given = getattr(self, name)
            if not isinstance(given, Iterable):
                raise TypeError(
                    f"{name} of {self.kind} {self.name} are a list, not {_short(given)}: "
                    f"write {name}=[...]"
                )
            members = tuple(given)
            for one in members:
                if not isinstance(one, kinds):
                    raise TypeError(f"{name} of {self.kind} {self.name} hold {_short(one)}")
            set_field(self, name, members)
        names = [one.name for one in self.requests]
        for one in self.requests:
            inner = [a.name for a in one.alternatives] if isinstance(one, FirstAvailable) else []
            _reject_twice(inner, f"alternatives of request {one.name}")
        _reject_twice(names, f"requests of {self.kind} {self.name}")
        for constraint in self.constraints:
            problem = contradiction(constraint, self.requests)
            if problem is not None:
                raise ValueError(f"a constraint of {self._called()}: {problem}")
        for request in self._each_request():
            problem = wrong_family(request)
            if problem is not None:
                raise ValueError(f"request {request.name} of {self._called()}: {problem}")
        each = [
            f"{type(one.parameters).__name__} of {one.parameters.__driver__} for {_named(one.requests)}"
            for one in self._configs()
            if isinstance(one.parameters, DriverConfig)
        ]
        _reject_twice(each, f"configs of {self._called()}, of which a driver takes only one")

    def _configs(self) -> list[Config]:
        return [one if isinstance(one, Config) else Config(one) for one in self.configs]

    def _devices(self) -> dict[str, object]:
        requests = tuple(self.requests)
        parts = {
            "requests": [one.to_dict() for one in requests],
            "constraints": [one.among(requests, self._called()) for one in self.constraints],
            "config": [one.among(requests, self._called()) for one in self._configs()],
        }
        return {key: value for key, value in parts.items() if value}

    def _called(self) -> str:
        return f"{self.kind} {self.name}"

    def _claim_spec(self) -> dict[str, object]:
        return {"devices": self._devices()}

    def device_classes(self) -> Iterator[DeviceClass]:
        """The classes that requests were given as objects."""
        for request in self._each_request():
            if isinstance(request.device_class, DeviceClass):
                yield request.device_class

    def _each_request(self) -> Iterator[Request]:
        for one in self.requests:
            yield from one.alternatives if isinstance(one, FirstAvailable) else (one,)

    def _places(self, prefix: FieldPath) -> Iterator[tuple[FieldPath, PythonPlace | None]]:
        for i, request in enumerate(self.requests):
            yield (*prefix, "devices", "requests", i), request.place
            if isinstance(request, FirstAvailable):
                for j, one in enumerate(request.alternatives):
                    path = (*prefix, "devices", "requests", i, "firstAvailable", j)
                    yield path, one.place
        for i, constraint in enumerate(self.constraints):
            yield (*prefix, "devices", "constraints", i), constraint.place
        for i, config in enumerate(self.configs):
            if isinstance(config, Config):
                yield (*prefix, "devices", "config", i), config.place


def _short(value: object) -> str:
    """A value in a few words: a builder's own text is as long as what it holds."""
    name = getattr(value, "name", None)
    return f"{type(value).__name__} {name}" if isinstance(name, str) else repr(value)[:100]


def _named(requests: Sequence[AnyRequest | str]) -> str:
    names = sorted(one if isinstance(one, str) else one.name for one in requests)
    return ", ".join(names) or "all requests"


_MEMBERS = {
    "requests": (Request, FirstAvailable),
    "constraints": (Constraint,),
    "configs": (Config, DriverConfig, Opaque),
}


def _reject_twice(names: list[str], what: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{what}: {', '.join(twice)} is there twice")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ResourceClaim(_Claim, Manifest):
    """Devices that pods share. The claim exists independently of them.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        namespace: where it lives; None leaves that to whoever applies it.
        requests: what is asked for: `Request` and `FirstAvailable`.
        constraints: what the devices must have in common: `same(...)`, `distinct(...)`.
        configs: what drivers are told: for all requests, or in a `Config` for some.
        status: the status, for claims that are test data.
    """

    kind: ClassVar[str] = "ResourceClaim"

    status: Plain | None = None

    def __post_init__(self) -> None:
        self._freeze_claim()
        set_field(self, "status", freeze(self.status, "status"))
        self._check_shape()

    def parts(self) -> Iterator[tuple[FieldPath, PythonPlace | None]]:
        """Where its requests, constraints and configurations were built."""
        return self._places(("spec",))

    def _v1(self) -> dict[str, object]:
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": self._metadata(self.namespace),
            "spec": self._claim_spec(),
        } | ({} if self.status is None else {"status": thaw(self.status)})

    @classmethod
    def read(cls, obj: Plain) -> ResourceClaim:
        """The claim in a v1 object."""
        return cls(
            **read_metadata(obj["metadata"]),
            **_read_devices(obj["spec"].get("devices", {})),
            status=obj.get("status"),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ResourceClaimTemplate(_Claim, Manifest):
    """A claim of its own for each pod that names the template.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        namespace: where it lives; None leaves that to whoever applies it.
        requests: what is asked for: `Request` and `FirstAvailable`.
        constraints: what the devices must have in common: `same(...)`, `distinct(...)`.
        configs: what drivers are told: for all requests, or in a `Config` for some.
        claim_labels: labels of the claims.
        claim_annotations: annotations of the claims.
    """

    kind: ClassVar[str] = "ResourceClaimTemplate"

    claim_labels: Mapping[str, str] = field(default_factory=dict)
    claim_annotations: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._freeze_claim()
        for name in ("claim_labels", "claim_annotations"):
            set_field(self, name, freeze(getattr(self, name), name))
        self._check_shape()

    def parts(self) -> Iterator[tuple[FieldPath, PythonPlace | None]]:
        """Where its requests, constraints and configurations were built."""
        return self._places(("spec", "spec"))

    def _v1(self) -> dict[str, object]:
        parts = {"labels": thaw(self.claim_labels), "annotations": thaw(self.claim_annotations)}
        metadata = {key: value for key, value in parts.items() if value}
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": self._metadata(self.namespace),
            "spec": ({"metadata": metadata} if metadata else {}) | {"spec": self._claim_spec()},
        }

    @classmethod
    def read(cls, obj: Plain) -> ResourceClaimTemplate:
        """The template in a v1 object."""
        metadata = obj["spec"].get("metadata", {})
        return cls(
            **read_metadata(obj["metadata"]),
            **_read_devices(obj["spec"]["spec"].get("devices", {})),
            claim_labels=metadata.get("labels", {}),
            claim_annotations=metadata.get("annotations", {}),
        )


def _read_devices(devices: JsonMapping) -> JsonObject:
    requests = [read_request(one) for one in devices.get("requests", ())]
    return {
        "requests": requests,
        "constraints": [_read_constraint(one, requests) for one in devices.get("constraints", ())],
        "configs": [
            Config(read_opaque(one["opaque"]), *_resolve(one, requests))
            for one in devices.get("config", ())
        ],
    }


def _read_constraint(data: JsonMapping, requests: list[AnyRequest]) -> Constraint:
    chosen = _resolve(data, requests)
    if "matchAttribute" in data:
        return same(data["matchAttribute"], *chosen)
    return distinct(data["distinctAttribute"], *chosen)


def _resolve(data: JsonMapping, requests: list[AnyRequest]) -> tuple[AnyRequest | str, ...]:
    """The requests that names mean; a name that means none stays a name, for lint to find."""
    known: dict[str, AnyRequest] = {}
    for request in requests:
        known[request.name] = request
        if isinstance(request, FirstAvailable):
            known |= {f"{request.name}/{one.name}": one for one in request.alternatives}
    return tuple(known.get(name, name) for name in data.get("requests", ()))
