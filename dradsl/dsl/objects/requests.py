"""What a claim asks for: requests, alternatives, tolerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dradsl.dsl.data.fragment import Fragment, Items, check_name, set_field, without_none
from dradsl.dsl.data.frozen import FrozenDict
from dradsl.dsl.data.places import PythonPlace, place_of_caller
from dradsl.dsl.expressions.attributes import Capacity
from dradsl.dsl.expressions.expression import facts_of_class
from dradsl.dsl.expressions.handle import Handle
from dradsl.dsl.expressions.literals import quantity_of
from dradsl.dsl.expressions.selectors import (
    Select,
    known_where_all,
    read_selectors,
    selectors,
    selectors_of,
)
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.kube.limits import MAX_RESULTS
from dradsl.values.quantity import Quantity

if TYPE_CHECKING:
    from dradsl.dsl.expressions.expression import Expression
    from dradsl.dsl.expressions.facts import Fact
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "AnyRequest",
    "FirstAvailable",
    "Request",
    "Toleration",
]

ClassRef = DeviceClass | Handle | str
Amount = str | int | Quantity
Amounts = Mapping[Capacity | str, Amount] | Items[Capacity | str, Amount]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Toleration(Fragment):
    """A device taint that the request puts up with; `any`, `exists` and `equal` say which.

    Without an operator, a taint is put up with if it has the toleration's value, which is empty unless it
    is given: `Toleration(key="a")` does not tolerate the taint `a=yes`.

    Args:
        key: the key of the taint.
        operator: "Equal" (the default) compares the value, "Exists" does not.
        value: the value of the taint; empty if it is not given.
        effect: "NoSchedule" or "NoExecute"; without one, both.
        seconds: how long a NoExecute taint is put up with.
    """

    key: str | None = None
    operator: Literal["Equal", "Exists"] | None = None
    value: str | None = None
    effect: Literal["NoSchedule", "NoExecute"] | None = None
    seconds: int | None = None

    def __post_init__(self) -> None:
        if self.operator == "Exists" and self.value:
            raise ValueError(
                f'a toleration with the operator "Exists" compares no value, but has {self.value!r}: '
                "write Toleration.equal(key, value) or Toleration.exists(key)"
            )
        if self.key is not None and not self.key:
            raise ValueError("the key of a toleration is empty; for every taint Toleration.any()")

    @classmethod
    def any(cls, *, effect: Literal["NoSchedule", "NoExecute"] | None = None) -> Toleration:
        """Every taint, whatever its key and value.

        Args:
            effect: only taints with this effect.
        """
        return cls(operator="Exists", effect=effect)

    @classmethod
    def exists(
        cls,
        key: str,
        *,
        effect: Literal["NoSchedule", "NoExecute"] | None = None,
        seconds: int | None = None,
    ) -> Toleration:
        """Taints of that key, whatever their value.

        Args:
            key: the key.
            effect: only taints with this effect.
            seconds: how long a NoExecute taint is put up with.
        """
        return cls(key=key, operator="Exists", effect=effect, seconds=seconds)

    @classmethod
    def equal(
        cls,
        key: str,
        value: str,
        *,
        effect: Literal["NoSchedule", "NoExecute"] | None = None,
        seconds: int | None = None,
    ) -> Toleration:
        """Taints of that key and value.

        Args:
            key: the key.
            value: the value.
            effect: only taints with this effect.
            seconds: how long a NoExecute taint is put up with.
        """
        return cls(key=key, operator="Equal", value=value, effect=effect, seconds=seconds)

    def to_dict(self) -> JsonObject:
        """The toleration as plain data."""
        return without_none(
            {
                "key": self.key,
                "operator": self.operator,
                "value": self.value,
                "effect": self.effect,
                "tolerationSeconds": self.seconds,
            }
        )

    @classmethod
    def read(cls, data: JsonMapping) -> Toleration:
        """The toleration in plain data."""
        rest = dict(data)
        return cls(seconds=rest.pop("tolerationSeconds", None), **rest)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request(Fragment):
    """Devices of one class, in a claim or as an alternative of `FirstAvailable`.

    Args:
        name: its name in the claim.
        device_class: a DeviceClass, the name of one, or a handle whose driver ships one class.
        select: what the devices must fulfil beyond their class.
        count: how many; 1 if nothing is said.
        allocation_mode: "All" takes every matching device of a node.
        admin_access: access for monitoring, also to devices in use.
        tolerations: device taints to put up with.
        capacity: how much of a shareable device is needed: `{gpu.memory: "10Gi"}`.
        derived_attributes: expressions whose values constraints compare, by qualified name (1.37).
    """

    name: str = field(kw_only=False)
    device_class: ClassRef = field(kw_only=False)
    select: Select = ()
    count: int | None = None
    allocation_mode: Literal["ExactCount", "All"] | None = None
    admin_access: bool | None = None
    tolerations: Sequence[Toleration] = ()
    capacity: Amounts = field(default_factory=dict)
    derived_attributes: Mapping[str, str] = field(default_factory=dict)
    place: PythonPlace | None = field(default_factory=place_of_caller, init=False, repr=False)

    def __post_init__(self) -> None:
        check_name("dns1123_label", self.name, "the name of a request")
        set_field(self, "select", selectors(self.select, f"request {self.name}"))
        if not isinstance(self.tolerations, Iterable):
            raise TypeError(
                f"tolerations of request {self.name} are a list: write tolerations=[...]"
            )
        set_field(self, "tolerations", tuple(self.tolerations))
        for one in self.tolerations:
            if not isinstance(one, Toleration):
                raise TypeError(
                    f"tolerations of request {self.name} are Toleration(...), not {one!r}"
                )
        if not hasattr(self.capacity, "items"):
            raise TypeError(
                f"capacity of request {self.name} maps names to amounts, as in "
                '{gpu.memory: "10Gi"}, not ' + repr(self.capacity)
            )
        self._check_capacity_drivers()
        amounts = {_capacity_key(key): amount for key, amount in self.capacity.items()}
        for key, amount in amounts.items():
            quantity_of(amount, f"capacity {key} of request {self.name}")
        set_field(self, "capacity", FrozenDict(amounts))
        set_field(self, "derived_attributes", FrozenDict(dict(self.derived_attributes)))
        self._check_count()
        class_name(self.device_class, self.name)

    def _check_capacity_drivers(self) -> None:
        """Names of capacities of two drivers can be equal: a handle's capacity knows its driver."""
        if not isinstance(self.device_class, Handle):
            return
        driver = self.device_class.__device__.driver
        for key in dict(self.capacity.items()):
            if not isinstance(key, Capacity) or key.domain == driver:
                continue
            from dradsl.drivers.schema.catalogue import shipped_catalogue

            if shipped_catalogue().get(key.domain) is not None:
                raise ValueError(
                    f"capacity {key.qualified} of request {self.name} is of another driver than "
                    f"{driver}"
                )

    def _check_count(self) -> None:
        if self.count is None:
            return
        if not isinstance(self.count, int) or isinstance(self.count, bool):
            raise TypeError(f"count of request {self.name} is an integer, not {self.count!r}")
        if self.count < 1:
            raise ValueError(f"count of request {self.name} is {self.count}: at least 1 is needed")
        if self.count > MAX_RESULTS:
            raise ValueError(
                f"count of request {self.name} is {self.count}: a claim holds at most {MAX_RESULTS} "
                "devices; spread them over several claims"
            )
        if self.allocation_mode == "All":
            raise ValueError(f'request {self.name} has a count, and allocation mode "All" besides')

    def _known(self) -> frozenset[Fact]:
        """What the class tells about the devices that the selectors are asked about."""
        expressions = self.expressions
        match self.device_class:
            case str(name):
                return facts_of_class(name, expressions)
            case DeviceClass(name=name, expressions=of_class):
                return known_where_all(of_class, facts_of_class(name, expressions))
            case Handle() as handle:
                return known_where_all([handle])

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The conditions of `select`."""
        return selectors(self.select, self.name)

    def details(self) -> JsonObject:
        """The request without its name: what is under `exactly`."""
        derived = [
            {"name": name, "expression": text} for name, text in self.derived_attributes.items()
        ]
        return without_none(
            {
                "deviceClassName": class_name(self.device_class, self.name),
                "selectors": selectors_of(self.expressions, self._known()) or None,
                "allocationMode": self.allocation_mode,
                "count": self.count,
                "adminAccess": self.admin_access,
                "tolerations": [one.to_dict() for one in self.tolerations] or None,
                "capacity": {"requests": self._amounts()} if self.capacity else None,
                "derivedAttributes": derived or None,
            }
        )

    def _amounts(self) -> dict[str, str | int]:
        return {
            str(key): str(amount) if isinstance(amount, Quantity) else amount
            for key, amount in self.capacity.items()
        }

    def to_dict(self) -> JsonObject:
        """The request as plain data."""
        return {"name": self.name, "exactly": self.details()}

    @classmethod
    def read(cls, name: str, data: JsonMapping) -> Request:
        """The request that `details` made."""
        return cls(
            name,
            data["deviceClassName"],
            select=read_selectors(data.get("selectors", ())),
            count=data.get("count"),
            allocation_mode=data.get("allocationMode"),
            admin_access=data.get("adminAccess"),
            tolerations=[Toleration.read(one) for one in data.get("tolerations", ())],
            capacity=data.get("capacity", {}).get("requests", {}),
            derived_attributes={
                one["name"]: one["expression"] for one in data.get("derivedAttributes", ())
            },
        )


def _capacity_key(key: object) -> str:
    if isinstance(key, Capacity):
        return key.request_key
    if not isinstance(key, str):
        raise TypeError(f"{key!r} is no capacity that a request can ask for")
    return key


@dataclass(frozen=True, slots=True, eq=False, init=False)
class FirstAvailable(Fragment):
    """The first of several alternatives that can be had; an earlier one is preferred.

    Args:
        name: its name in the claim.
        alternatives: requests, the best one first.
    """

    name: str
    alternatives: tuple[Request, ...]
    place: PythonPlace | None = field(repr=False)

    def __init__(self, name: str, *alternatives: Request) -> None:
        check_name("dns1123_label", name, "the name of a request")
        if not alternatives:
            raise ValueError(f"request {name} has no alternatives")
        for one in alternatives:
            if not isinstance(one, Request):
                raise TypeError(
                    f"an alternative of request {name} is a Request, not {type(one).__name__}: give "
                    f"them one by one, as in FirstAvailable({name!r}, first, second)"
                )
            if one.admin_access is not None:
                raise ValueError(f"alternative {name}/{one.name} cannot have admin access")
        set_field(self, "name", name)
        set_field(self, "alternatives", alternatives)
        set_field(self, "place", place_of_caller())

    def to_dict(self) -> JsonObject:
        """The request as plain data."""
        each = [{"name": one.name, **one.details()} for one in self.alternatives]
        return {"name": self.name, "firstAvailable": each}


AnyRequest = Request | FirstAvailable


def read_request(data: JsonMapping) -> AnyRequest:
    """The request in plain data."""
    if "firstAvailable" in data:
        each = (Request.read(one["name"], one) for one in data["firstAvailable"])
        return FirstAvailable(data["name"], *each)
    return Request.read(data["name"], data["exactly"])


def class_name(ref: ClassRef, request: str) -> str:
    """The name of the DeviceClass that a request asks for."""
    match ref:
        case str():
            check_name("dns1123_subdomain", ref, f"the class of request {request}")
            return ref
        case DeviceClass():
            return ref.name
        case Handle():
            return ref.__class_name__()
    raise TypeError(f"the class of request {request} is a DeviceClass or its name, not {ref!r}")
