"""ResourceSlice and DeviceTaintRule, for test data: devices as a driver would publish them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from dradsl.dsl.data.fragment import (
    FieldPath,
    Fragment,
    Items,
    Plain,
    check_name,
    set_field,
    without_none,
)
from dradsl.dsl.data.frozen import freeze, thaw
from dradsl.dsl.data.places import PythonPlace, place_of_caller
from dradsl.dsl.expressions.attributes import (
    Attribute,
    Capacity,
)
from dradsl.dsl.expressions.literals import quantity_of
from dradsl.dsl.objects.manifest import GROUP, Manifest, Metadata, read_metadata
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.model import (
        AttributeSchema as SchemaAttribute,
        CapacitySchema as SchemaCapacity,
        DeviceTypeSchema,
    )
    from dradsl.values.json_types import JsonObject

__all__ = ["Device", "DeviceTaintRule", "Pool", "ResourceSlice", "Taint"]

Published = str | int | bool | Semver | Sequence[str | int | bool | Semver] | Plain
"""An attribute's value, or a list of them; a mapping is taken as the API writes it,
`{"version": "1.2.3"}`."""
Amount = str | int | Quantity | Plain
"""An amount of a capacity; a mapping is taken as the API writes it."""
PublishedAttributes = Mapping[Attribute | str, Published] | Items[Attribute | str, Published]
PublishedCapacity = Mapping[Capacity | str, Amount] | Items[Capacity | str, Amount]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Taint(Fragment):
    """What keeps requests without a toleration away from a device.

    Args:
        key: the key.
        effect: "NoSchedule", "NoExecute" or "None".
        value: the value.
        time_added: when, as RFC 3339 text.
    """

    key: str = field(kw_only=False)
    effect: str = field(kw_only=False)
    value: str | None = None
    time_added: str | None = None

    def to_dict(self) -> JsonObject:
        """The taint as plain data."""
        return without_none(
            {
                "key": self.key,
                "value": self.value,
                "effect": self.effect,
                "timeAdded": self.time_added,
            }
        )

    @classmethod
    def read(cls, data: Plain) -> Taint:
        """The taint in plain data."""
        rest = dict(data)
        return cls(time_added=rest.pop("timeAdded", None), **rest)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Device(Fragment):
    """A device in a slice.

    Args:
        name: its name in the pool.
        attributes: by name or handle attribute: `{gpu.productName: "NVIDIA L4"}`.
        capacity: amounts by name or handle capacity; a mapping is taken as the API writes it.
        taints: what keeps requests away.
        other: any other field, as the API writes it, such as `consumesCounters`.
    """

    name: str = field(kw_only=False)
    attributes: PublishedAttributes = field(default_factory=dict)
    capacity: PublishedCapacity = field(default_factory=dict)
    taints: Sequence[Taint] = ()
    other: Plain = field(default_factory=dict)
    place: PythonPlace | None = field(default_factory=place_of_caller, init=False, repr=False)
    handles: tuple[Attribute | Capacity, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        check_name("dns1123_label", self.name, "the name of a device")
        attributes = {
            _name(key, Attribute): _attribute(key, value) for key, value in self.attributes.items()
        }
        capacity = {
            _name(key, Capacity): _capacity(key, value) for key, value in self.capacity.items()
        }
        keys = [key for given in (self.attributes, self.capacity) for key, _ in given.items()]
        set_field(
            self, "handles", tuple(one for one in keys if isinstance(one, Attribute | Capacity))
        )
        set_field(self, "attributes", freeze(attributes, f"attributes of {self.name}"))
        set_field(self, "capacity", freeze(capacity, f"capacity of {self.name}"))
        set_field(self, "taints", tuple(self.taints))
        set_field(self, "other", freeze(self.other, f"device {self.name}"))

    def to_dict(self) -> JsonObject:
        """The device as plain data."""
        parts = {
            "name": self.name,
            "attributes": thaw(self.attributes),
            "capacity": thaw(self.capacity),
            "taints": [one.to_dict() for one in self.taints],
        }
        return {**{key: value for key, value in parts.items() if value}, **thaw(self.other)}

    @classmethod
    def read(cls, data: Plain) -> Device:
        """The device in plain data."""
        rest = dict(data)
        return cls(
            rest.pop("name"),
            attributes=rest.pop("attributes", {}),
            capacity=rest.pop("capacity", {}),
            taints=[Taint.read(one) for one in rest.pop("taints", ())],
            other=rest,
        )


def _name(key: object, kind: type[Attribute | Capacity]) -> str:
    if isinstance(key, str):
        return key
    if not isinstance(key, kind):
        raise TypeError(f"{key!r} is no {kind.__name__.lower()} of a device")
    return key.request_key if isinstance(key, Capacity) else key.qualified


def _attribute(key: object, value: Published) -> Plain:
    if isinstance(value, Mapping):
        return value
    if isinstance(key, Attribute):
        # As a comparison with it would check: type, known values, versions in full.
        field_name, checked = key.published(value)
        return {field_name: checked}
    if isinstance(value, Semver):
        return {"version": str(value)}
    for kind, field_name in ((bool, "bool"), (int, "int"), (str, "string")):
        if isinstance(value, kind):
            return {field_name: value}
    if isinstance(value, list | tuple) and value:
        each = [_attribute(key, one) for one in value]
        [field_name, *more] = {name for one in each for name in one}
        if not more:
            return {f"{field_name}s": [one[field_name] for one in each]}
    raise TypeError(f"an attribute {key!r} cannot be {value!r}")


def _capacity(key: object, value: object) -> Plain:
    if isinstance(value, Mapping):
        return value
    named = key.qualified if isinstance(key, Capacity) else str(key)
    return {"value": quantity_of(value, f"capacity {named}")}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pool(Fragment):
    """The pool that a slice belongs to.

    Args:
        name: its name, mostly the node's.
        generation: which version of the pool the slice is part of.
        slices: how many slices that version has.
    """

    name: str = field(kw_only=False)
    generation: int = 1
    slices: int = 1

    def to_dict(self) -> JsonObject:
        """The pool as plain data."""
        return {
            "name": self.name,
            "generation": self.generation,
            "resourceSliceCount": self.slices,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ResourceSlice(Metadata, Manifest):
    """Devices that a driver publishes.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        driver: the driver.
        pool: the pool, or its name if the slice is all of it.
        node_name: the node that has the devices.
        all_nodes: every node can use the devices.
        devices: the devices.
        other: any other field of the spec, as the API writes it, such as `sharedCounters`.
    """

    kind: ClassVar[str] = "ResourceSlice"

    driver: str
    pool: Pool | str
    node_name: str | None = None
    all_nodes: bool | None = None
    devices: Sequence[Device] = ()
    other: Plain = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._freeze_metadata(self.kind)
        check_name("driver_name", self.driver, f"the driver of slice {self.name}")
        set_field(self, "pool", self.pool if isinstance(self.pool, Pool) else Pool(self.pool))
        set_field(self, "devices", tuple(self.devices))
        for device in self.devices:
            if not isinstance(device, Device):
                raise TypeError(f"devices of slice {self.name} are Device(...), not {device!r}")
            _expect_own(self.driver, device)
        set_field(self, "other", freeze(self.other, "the slice"))
        self._check_shape()

    def parts(self) -> Iterator[tuple[FieldPath, PythonPlace | None]]:
        """Where its devices were built."""
        for i, device in enumerate(self.devices):
            yield ("spec", "devices", i), device.place

    def _v1(self) -> dict[str, object]:
        spec = {
            "driver": self.driver,
            "pool": self.pool.to_dict() if isinstance(self.pool, Pool) else None,
            "nodeName": self.node_name,
            "allNodes": self.all_nodes,
            "devices": [one.to_dict() for one in self.devices] or None,
        }
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": self._metadata(),
            "spec": {**without_none(spec), **thaw(self.other)},
        }

    @classmethod
    def read(cls, obj: Plain) -> ResourceSlice:
        """The slice in a v1 object."""
        spec = dict(obj["spec"])
        pool = spec.pop("pool")
        return cls(
            **read_metadata(obj["metadata"]),
            driver=spec.pop("driver"),
            pool=Pool(
                pool["name"], generation=pool["generation"], slices=pool["resourceSliceCount"]
            ),
            node_name=spec.pop("nodeName", None),
            all_nodes=spec.pop("allNodes", None),
            devices=[Device.read(one) for one in spec.pop("devices", ())],
            other=spec,
        )


def _entries(kind: DeviceTypeSchema) -> Iterator[SchemaAttribute | SchemaCapacity]:
    yield from kind.attributes.values()
    yield from kind.capacities.values()


def _expect_own(driver: str, device: Device) -> None:
    """Raise for handles of another driver, where it is known that this one publishes no such thing."""
    strange = [
        one for one in device.handles if one.domain not in (driver, "resource.kubernetes.io")
    ]
    if not strange:
        return
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    for one in strange:
        if schema is None or schema.open_domains or shipped_catalogue().get(one.domain) is None:
            continue  # not all that it publishes is known
        knows = any(
            found.qualified == one.qualified
            for kind in schema.device_types
            for found in _entries(kind)
        )
        if not knows:
            raise ValueError(
                f"device {device.name}: {one.qualified} is published by the driver {one.domain}, and "
                f"the slice is of {driver}; a name as text is taken as it is"
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DeviceTaintRule(Metadata, Manifest):
    """Puts a taint on devices, chosen by driver, pool and name.

    Only Kubernetes 1.37 serves it as v1; 1.36 knows v1beta2, older releases v1alpha3.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        taint: the taint.
        driver: only devices of this driver.
        pool: only devices of this pool.
        device: only devices of this name.
    """

    kind: ClassVar[str] = "DeviceTaintRule"

    taint: Taint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None

    def __post_init__(self) -> None:
        self._freeze_metadata(self.kind)
        self._check_shape()

    def _v1(self) -> dict[str, object]:
        selector = without_none({"driver": self.driver, "pool": self.pool, "device": self.device})
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": self._metadata(),
            "spec": ({"deviceSelector": selector} if selector else {})
            | {"taint": self.taint.to_dict()},
        }

    @classmethod
    def read(cls, obj: Plain) -> DeviceTaintRule:
        """The rule in a v1 object."""
        return cls(
            **read_metadata(obj["metadata"]),
            **obj["spec"].get("deviceSelector", {}),
            taint=Taint.read(obj["spec"]["taint"]),
        )
