"""What a cluster publishes: slices and their devices as compact records, and pools by name.

The records hold plain values in v1 shape. Devices are many (80,000 in a large fleet) and mostly
alike, so everything about a device but its name and attributes is one shared `Traits` record, and
equal attribute values are one object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dradsl.allocator.inventory.nodes import Node
from dradsl.allocator.inventory.shape import (
    device_shape,
    device_type_problem,
    node_type_problem,
    type_problem,
)
from dradsl.errors import DradslError
from dradsl.kube.fields.conversion import to_v1
from dradsl.values.quantity import Quantity, QuantityError
from dradsl.values.semver import Semver, SemverError

if TYPE_CHECKING:
    from dradsl.kube.fields.typed_dicts import DeviceCapacityDict, DeviceDict, NodeSelectorDict
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "Amount",
    "Attribute",
    "Consumption",
    "CounterSetRecord",
    "DeviceId",
    "DeviceRecord",
    "Inventory",
    "InventoryError",
    "NodeResource",
    "PoolId",
    "Slice",
    "TaintRecord",
    "Traits",
    "billionths",
    "named_nodes",
    "nodes_of",
    "read_node",
]

Amount = int
"""An amount in billionths, the finest that a quantity can be: exact, and cheap to add up."""

Attribute = tuple[str, Any]
"""Kind ("string", "int", "bool", "version", the same with an s for lists, "" unknown) and value."""

_SCALARS = ("string", "int", "bool", "version")
_LISTS = ("ints", "bools", "strings", "versions")
_TYPES: Mapping[str, type] = {"string": str, "int": int, "bool": bool, "version": str}
_INT64 = range(-(2**63), 2**63)


class InventoryError(DradslError, ValueError):
    """An object that cannot be part of an inventory, and where it is wrong."""


def billionths(quantity: Quantity) -> Amount:
    """The exact amount; raises QuantityError if it has thousands of digits."""
    if quantity.scale < -9:
        return int(quantity.as_fraction() * 10**9)
    if quantity.scale > 1000:
        raise QuantityError(f"1e{quantity.scale} is too large to write out")
    amount: int = quantity.mantissa * 10 ** (quantity.scale + 9)
    return amount


class PoolId(NamedTuple):
    driver: str
    pool: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}"


class DeviceId(NamedTuple):
    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


@dataclass(frozen=True, slots=True)
class TaintRecord:
    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Consumption:
    """What a device takes from one counter set; amounts are exact."""

    counter_set: str
    counters: tuple[tuple[str, Amount], ...]
    compatibility_groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CounterSetRecord:
    name: str
    counters: tuple[tuple[str, Amount], ...]


@dataclass(frozen=True, slots=True)
class NodeResource:
    """What a device takes of a resource that its node hands out to pods, such as cpu or memory.

    `mapped`: it stands for the resource itself, `multiplier` for each device or for each unit
    consumed of the capacity `capacity_key`. The other two come on top, per pod or per container.
    """

    name: str
    mapped: bool
    capacity_key: str | None = None
    multiplier: Quantity | None = None
    per_pod: Quantity | None = None
    per_container: Quantity | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """All that devices share besides names and attributes. One record for equal content.

    `capacity` is as published: name to `{"value": …, "requestPolicy": …}`. `node_name`, `all_nodes`
    and `node_selector` count only in slices with perDeviceNodeSelection. `node_mappings` is the form
    of 1.36 of what `node_resources` is from 1.37 on; a release knows only its own.
    """

    capacity: Mapping[str, DeviceCapacityDict]
    consumes: tuple[Consumption, ...]
    taints: tuple[TaintRecord, ...]
    allow_multiple: bool | None
    binds_to_node: bool
    binding_conditions: tuple[str, ...] | None
    binding_failure_conditions: tuple[str, ...] | None
    node_name: str | None
    all_nodes: bool
    node_selector: NodeSelectorDict | None
    node_resources: tuple[NodeResource, ...] = ()
    node_mappings: tuple[NodeResource, ...] = ()


class DeviceRecord:
    """A device of a slice. `odd`: it has an attribute that upstream may fail to read."""

    __slots__ = ("attributes", "name", "odd", "traits")

    def __init__(
        self, name: str, attributes: Mapping[str, Attribute], traits: Traits, odd: bool = False
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.traits = traits
        self.odd = odd

    def as_v1(self, names: Iterable[str] | None = None) -> DeviceDict:
        """What CEL reads of the device, in the API's form; of the attributes only `names`, if given."""
        own = self.attributes
        read = own if names is None else [name for name in names if name in own]
        attributes: JsonObject = {
            name: {kind: value} if kind else {}
            for name, (kind, value) in ((name, own[name]) for name in read)
        }
        document: DeviceDict = {
            "name": self.name,
            "attributes": attributes,
            "capacity": self.traits.capacity,
        }
        if self.traits.allow_multiple is not None:
            document["allowMultipleAllocations"] = self.traits.allow_multiple
        return document


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A ResourceSlice. `per_device` is None where perDeviceNodeSelection is absent."""

    name: str
    driver: str
    pool: str
    generation: int
    count: int
    node_name: str | None
    all_nodes: bool
    node_selector: NodeSelectorDict | None
    per_device: bool | None
    devices: tuple[DeviceRecord, ...]
    counters: tuple[CounterSetRecord, ...]
    skip_node_operations: tuple[str, ...] = ()

    @property
    def pool_id(self) -> PoolId:
        return PoolId(self.driver, self.pool)


class Inventory:
    """Slices in the order given, the nodes, and the pools that the slices form.

    Without `nodes` they are those that the slices name.
    """

    def __init__(self, slices: Iterable[Slice], nodes: Iterable[Node] | None = None) -> None:
        self.slices = tuple(slices)
        self.nodes = nodes_of(self.slices) if nodes is None else tuple(nodes)
        self._names: frozenset[str] | None = None
        pools: dict[PoolId, list[Slice]] = {}
        for entry in self.slices:
            pools.setdefault(entry.pool_id, []).append(entry)
        self.pools: Mapping[PoolId, tuple[Slice, ...]] = {
            name: tuple(listed) for name, listed in pools.items()
        }

    @property
    def attribute_names(self) -> frozenset[str]:
        """The names of all attributes, as published."""
        if self._names is None:
            rows = {tuple(device.attributes) for _, device in self.devices()}
            self._names = frozenset(name for row in rows for name in row)
        return self._names

    def devices(self) -> Iterator[tuple[Slice, DeviceRecord]]:
        """Every device with its slice, in the order of the slices."""
        for entry in self.slices:
            for device in entry.devices:
                yield entry, device


def named_nodes(slices: Sequence[Slice]) -> set[str]:
    """The names of nodes in slices and devices."""
    names = {entry.node_name for entry in slices if entry.node_name}
    for entry in slices:
        if entry.per_device:
            names.update(d.traits.node_name for d in entry.devices if d.traits.node_name)
        if entry.node_selector:
            names.update(_names_in(entry.node_selector))
    return names


def nodes_of(slices: Sequence[Slice]) -> tuple[Node, ...]:
    """The nodes that slices and devices name; one nameless stand-in if none is named."""
    found = [Node(name, known=False) for name in sorted(named_nodes(slices))]
    found += _labelled_nodes(slices)
    return tuple(found) or ((Node("any-node", known=False),) if slices else ())


def _labelled_nodes(slices: Sequence[Slice]) -> Iterator[Node]:
    """A stand-in for the nodes that a selector on labels picks, one for each such selector."""
    seen: set[str] = set()
    for entry in slices:
        selector = entry.node_selector
        for term in (selector.get("nodeSelectorTerms") if selector else None) or ():
            labels = {}
            for need in term.get("matchExpressions") or ():
                values = need.get("values") or [""]
                if need.get("operator") == "In":
                    labels[str(need.get("key"))] = str(values[0])
                elif need.get("operator") == "Exists":
                    labels[str(need.get("key"))] = ""
            name = "node with " + ", ".join(f"{k}={v}" if v else k for k, v in labels.items())
            if labels and name not in seen and not term.get("matchFields"):
                seen.add(name)
                yield Node(name, labels, known=False)


def _names_in(selector: NodeSelectorDict) -> Iterator[str]:
    for term in selector.get("nodeSelectorTerms") or ():
        for need in term.get("matchFields") or ():
            if need.get("key") == "metadata.name" and need.get("operator") == "In":
                yield from need.get("values") or ()


class SliceReader:
    """Turns ResourceSlice objects (v1 shape) into records, sharing what is equal.

    `unread` are the fields of devices that v1 does not know, with where the first one stands.
    """

    def __init__(self) -> None:
        self.unread: dict[str, str] = {}
        self._attributes: dict[Attribute, Attribute] = {}
        self._odd: set[Attribute] = set()
        self._names: dict[str, str] = {}
        self._traits: dict[str, Traits] = {}

    def read(self, document: Mapping[str, object]) -> Slice:
        """The record of one slice.

        Raises:
            InventoryError: if a part has the wrong type or an amount is no quantity.
        """
        metadata = _mapping(document, "metadata", "")
        name = metadata.get("name") or ""
        at = f"ResourceSlice {name if name and isinstance(name, str) else '(without name)'}"
        spec = _mapping(document, "spec", at)
        pool = _mapping(spec, "pool", f"{at}: spec")
        devices = _list(spec, "devices", f"{at}: spec")
        # Of the devices only what is new is looked at, further down: they are many, and alike.
        wrong = type_problem({**document, "spec": {**spec, "devices": None}})
        if wrong is not None:
            raise InventoryError(f"{at}: {wrong}")
        return Slice(
            name=name,
            driver=str(spec.get("driver") or ""),
            pool=str(pool.get("name") or ""),
            generation=_int(pool, "generation", f"{at}: spec.pool"),
            count=_int(pool, "resourceSliceCount", f"{at}: spec.pool"),
            node_name=spec.get("nodeName"),
            all_nodes=bool(spec.get("allNodes")),
            node_selector=spec.get("nodeSelector"),
            per_device=spec.get("perDeviceNodeSelection"),
            devices=tuple(
                self._device(entry, f"{at}: spec.devices[{i}]") for i, entry in enumerate(devices)
            ),
            counters=tuple(
                CounterSetRecord(
                    str(entry.get("name") or ""),
                    _counters(entry, f"{at}: spec.sharedCounters[{i}]"),
                )
                for i, entry in enumerate(_list(spec, "sharedCounters", f"{at}: spec"))
            ),
            skip_node_operations=tuple(_list(spec, "skipNodeOperations", f"{at}: spec")),
        )

    def _device(self, entry: Any, at: str) -> DeviceRecord:
        if not isinstance(entry, Mapping):
            raise InventoryError(f"{at}: a device is an object")
        attributes = {}
        for name, value in _mapping(entry, "attributes", at).items():
            name = self._names.setdefault(name, name)
            if type(value) is dict and len(value) == 1:
                # Nearly all are scalars of the right type: what is not is looked at closely.
                ((kind, given),) = value.items()
                if type(given) is _TYPES.get(kind) and (kind != "int" or given in _INT64):
                    attributes[name] = self._shared((kind, given))
                    continue
            attributes[name] = self._attribute(value, f"{at}.attributes[{name}]")
        rest = {k: v for k, v in entry.items() if k not in ("name", "attributes") and v is not None}
        key = repr(rest)
        traits = self._traits.get(key)
        if traits is None:
            wrong, unknown = device_shape(rest, at)
            if wrong is not None:
                raise InventoryError(wrong)
            traits = self._traits[key] = _read_traits(rest, at)
            for name in unknown:
                self.unread.setdefault(name, at)
        odd = bool(self._odd) and not self._odd.isdisjoint(attributes.values())
        return DeviceRecord(str(entry.get("name") or ""), attributes, traits, odd)

    def _attribute(self, value: Any, at: str) -> Attribute:
        if not isinstance(value, Mapping):
            raise InventoryError(f"{at}: an attribute is an object such as {{string: …}}")
        found: Attribute = ("", None)
        for kind in (*_LISTS, *_SCALARS):
            given = value.get(kind)
            if given is not None and (given or kind in _SCALARS):
                if kind in _LISTS and not isinstance(given, list):
                    raise InventoryError(f"{at}.{kind}: expected a list")
                found = (kind, tuple(given) if kind in _LISTS else given)
                break
        try:
            known = self._attributes.get(found)
        except TypeError:
            raise InventoryError(f"{at}.{found[0]}: unexpected list or object") from None
        # True and 1 are one key of a table.
        if known is None or type(known[1]) is not type(found[1]):
            wrong = device_type_problem({"attributes": {"a": value}}, at)
            if wrong is not None:
                raise InventoryError(wrong.replace(".attributes.a", ""))
            return self._shared(found)
        return known

    def _shared(self, attribute: Attribute) -> Attribute:
        """The one record of an attribute of the right type."""
        known = self._attributes.get(attribute)
        if known is None or type(known[1]) is not type(attribute[1]):
            known = self._attributes[attribute] = attribute
            if _is_odd(attribute):
                self._odd.add(attribute)
        return known


def _is_odd(attribute: Attribute) -> bool:
    kind, value = attribute
    if kind != "version":
        return not kind or kind in _LISTS
    try:
        Semver.parse(str(value))
    except SemverError:
        return True
    return False


def slice_in_v1(document: JsonObject) -> JsonObject:
    """A recorded slice of any API version in the shape of v1.

    Raises:
        InventoryError: if it is not in the shape of its version.
    """
    try:
        return to_v1(document)
    except (AttributeError, TypeError, KeyError):
        wrong = type_problem(document) or "not in the shape of the API"
        raise InventoryError(f"ResourceSlice: {wrong}") from None


def read_node(document: Mapping[str, object]) -> Node:
    """The record of a Node object.

    Raises:
        InventoryError: if a part has the wrong type.
    """
    metadata = _mapping(document, "metadata", "Node")
    at = f"Node {metadata.get('name')}"
    wrong = node_type_problem(document)
    if wrong is not None:
        raise InventoryError(f"{at}: {wrong}")
    spec, status = _mapping(document, "spec", at), _mapping(document, "status", at)
    return Node(
        name=str(metadata.get("name") or ""),
        labels=dict(_mapping(metadata, "labels", f"{at}: metadata")),
        taints=tuple(_list(spec, "taints", f"{at}: spec")),
        allocatable={
            name: str(amount)
            for name, amount in _mapping(status, "allocatable", f"{at}: status").items()
        },
        unschedulable=bool(spec.get("unschedulable")),
        declared_features=frozenset(_list(status, "declaredFeatures", f"{at}: status")),
    )


def _capacity(value: Any, at: str) -> DeviceCapacityDict:
    return cast("DeviceCapacityDict", _mapping({"value": value}, "value", at))


def _read_traits(rest: JsonMapping, at: str) -> Traits:
    conditions, failures = rest.get("bindingConditions"), rest.get("bindingFailureConditions")
    return Traits(
        capacity={
            name: _capacity(value, f"{at}.capacity[{name}]")
            for name, value in _mapping(rest, "capacity", at).items()
        },
        consumes=tuple(
            Consumption(
                str(entry.get("counterSet") or ""),
                _counters(entry, f"{at}.consumesCounters[{i}]"),
                frozenset(entry.get("compatibilityGroups") or ()),
            )
            for i, entry in enumerate(_list(rest, "consumesCounters", at))
        ),
        taints=tuple(
            TaintRecord(
                str(entry.get("key") or ""),
                str(entry.get("value") or ""),
                str(entry.get("effect") or ""),
            )
            for entry in _list(rest, "taints", at)
        ),
        allow_multiple=rest.get("allowMultipleAllocations"),
        binds_to_node=bool(rest.get("bindsToNode")),
        binding_conditions=None if conditions is None else tuple(conditions),
        binding_failure_conditions=None if failures is None else tuple(failures),
        node_name=rest.get("nodeName"),
        all_nodes=bool(rest.get("allNodes")),
        node_selector=rest.get("nodeSelector"),
        node_resources=_node_resources(rest, at),
        node_mappings=_node_mappings(rest, at),
    )


def _node_resources(rest: JsonMapping, at: str) -> tuple[NodeResource, ...]:
    """`nodeAllocatableResources` of a device, by name: upstream goes through them in any order."""
    found = []
    for name, entry in sorted(_mapping(rest, "nodeAllocatableResources", at).items()):
        where = f"{at}.nodeAllocatableResources[{name}]"
        mapping = _mapping({"": entry or {}}, "", where).get("mapping")
        overhead = _mapping(entry or {}, "overhead", where)
        given = _mapping({"mapping": mapping}, "mapping", where)
        key = given.get("capacityKey") or None
        multiplier = "capacityMultiplier" if key else "deviceMultiplier"
        found.append(
            NodeResource(
                name,
                mapping is not None,
                key,
                _quantity(given, multiplier, f"{where}.mapping"),
                _quantity(overhead, "perPod", f"{where}.overhead"),
                _quantity(overhead, "perContainer", f"{where}.overhead"),
            )
        )
    return tuple(found)


def _node_mappings(rest: JsonMapping, at: str) -> tuple[NodeResource, ...]:
    """`nodeAllocatableResourceMappings` of a device, by name."""
    found = []
    for name, entry in sorted(_mapping(rest, "nodeAllocatableResourceMappings", at).items()):
        where = f"{at}.nodeAllocatableResourceMappings[{name}]"
        given = _mapping({"": entry or {}}, "", where)
        key = given.get("capacityKey") or None
        if not isinstance(key, str | None):
            raise InventoryError(f"{where}.capacityKey: expected a string")
        multiplier = _quantity(given, "allocationMultiplier", where)
        found.append(NodeResource(name, True, key, multiplier))
    return tuple(found)


def _quantity(entry: JsonMapping, key: str, at: str) -> Quantity | None:
    value = entry.get(key)
    try:
        return None if value is None else Quantity.decode(value)
    except QuantityError as error:
        raise InventoryError(f"{at}.{key}: {error}") from error


def _counters(entry: Mapping[str, object], at: str) -> tuple[tuple[str, Amount], ...]:
    found = []
    for name, counter in _mapping(entry, "counters", at).items():
        where = f"{at}.counters[{name}]"
        amount = counter.get("value") if isinstance(counter, Mapping) else None
        try:
            found.append((name, billionths(Quantity.decode(0 if amount is None else amount))))
        except QuantityError as error:
            raise InventoryError(f"{where}.value: {error}") from error
    return tuple(found)


def _mapping(parent: JsonMapping, key: str, at: str) -> JsonMapping:
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InventoryError(
            f"{at}.{key}: expected an object" if at else f"{key}: expected an object"
        )
    return value


def _list(parent: Mapping[str, object], key: str, at: str) -> Sequence[Any]:
    value = parent.get(key)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InventoryError(f"{at}.{key}: expected a list")
    return value


def _int(parent: Mapping[str, object], key: str, at: str) -> int:
    value = parent.get(key)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise InventoryError(f"{at}.{key}: expected a number")
    return value
