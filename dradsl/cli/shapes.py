"""The shape of a node that no cluster has, from the words of a call and the schema of its driver.

`gpu.nvidia.com/gpu:8,productName=NVIDIA H100 80GB HBM3,memory=80Gi,pcieRoot=/2` is a node of eight devices of the
type `gpu`, of which two each share a PCIe root. Names and values have to be those of the driver's schema.
What the schema fixes is filled in; what is neither fixed nor given is not published, and a note says so.
`node.cpu=96,node.memory=1Ti,node.label.KEY=VALUE` states what pods need of the node; `node.like=NODE` takes it of a
recorded Node.
"""

from __future__ import annotations

import copy
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError
from dradsl.simulate.input.copies import nodes_in, renamed
from dradsl.values.digits import whole_number
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dradsl.drivers.schema.model import AttributeSchema, DeviceTypeSchema, DriverSchema
    from dradsl.values.json_types import JsonObject

__all__ = ["as_version", "shape_of", "states_all"]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_FORM = "DRIVER/TYPE:COUNT[,NAME=VALUE]..."


def shape_of(
    text: str, number: int, recorded: Callable[[], Iterable[dict[str, object]]]
) -> tuple[list[dict[str, object]], list[str]]:
    """The ResourceSlice of a node `shape-<number>`, its Node if the words state anything of it, and the names that its
    devices lack. `recorded` gives the objects among which `node.like` looks for a Node."""
    head, *words = text.split(",")
    rest = [word for word in words if not word.strip().startswith("node.")]
    of_node = [word.strip().removeprefix("node.") for word in words if word not in rest]
    place, _, count = head.rpartition(":")
    driver, _, kind = place.partition("/")
    if not (driver and kind and count.isdecimal() and 0 < int(count) <= 128):
        raise InputError(f"--shape: expected {_FORM}, COUNT from 1 to 128, not {text}")
    schema = _schema(driver)
    device_type = _type(schema, kind)
    attributes, capacity, groups = _given(schema, device_type, rest)
    missing = _fill(schema, device_type, attributes, capacity, groups)
    node = f"shape-{number}"
    devices = []
    for index in range(int(count)):
        own = {
            _published(schema, full): _group(device_type.attributes[full], index // size)
            for full, size in groups.items()
        }
        device: dict[str, object] = {"name": f"{kind}-{index}", "attributes": {**attributes, **own}}
        if capacity:
            device["capacity"] = capacity
        devices.append(device)
    spec = {
        "driver": driver,
        "nodeName": node,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        "devices": devices,
    }
    made = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": node}}
    nodes = [_node(node, of_node, recorded)] if of_node else []
    return [{**made, "spec": spec}, *nodes], missing


def as_version(
    text: str, recorded: Iterable[dict[str, object]]
) -> tuple[list[dict[str, object]], str]:
    """The recorded slices of a driver as its VERSION publishes them, and in words what devices lose. What that version
    publishes besides is not known, so that no device has it."""
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.conform import conform
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.drivers.schema.recorded import recorded_devices
    from dradsl.drivers.schema.shapes import shapes_of

    driver, _, version = text.rpartition("@")
    try:
        catalogue = Catalogue(versions={driver: (version,)})
        schema = catalogue.get(driver)
    except SchemaError as error:
        raise InputError(f"--what-if {text}: {error}") from error
    if schema is None:
        raise InputError(f"--what-if {text}: no schema of {driver}; `dradsl schema` names them")
    shapes = shapes_of(schema, catalogue)
    made, lost = [], set()
    for one in recorded:
        spec = mapping_at(one, "spec")
        if one.get("kind") != "ResourceSlice" or spec.get("driver") != driver:
            continue
        changed: JsonObject = copy.deepcopy(dict(one))
        for device in changed["spec"].get("devices") or ():
            body = device.get("basic") or device
            for known in recorded_devices(device, driver):
                for each in conform(known, schema, shapes).mismatches:
                    if each.reason == "version":
                        part = body["attributes" if each.kind == "attribute" else "capacity"]
                        part.pop(each.name, None)
                        part.pop(each.name.removeprefix(f"{driver}/"), None)
                        lost.add(each.name.removeprefix(f"{driver}/"))
        made.append(changed)
    if not made:
        raise InputError(f"--what-if {text}: no slice of {driver} is recorded")
    words = f"its devices lose {', '.join(sorted(lost))}" if lost else "its devices lose nothing"
    return made, f"{words}; what that version adds is not known"


def states_all(document: Mapping[str, object]) -> bool:
    """Whether a Node states all that there is: one that a kubelet made has the label of its host name."""
    metadata = document.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return "kubernetes.io/hostname" in (labels or {})


def _node(
    name: str, words: list[str], recorded: Callable[[], Iterable[dict[str, object]]]
) -> dict[str, object]:
    """The Node that words such as `cpu=96`, `label.KEY=VALUE`, `taint.KEY=VALUE:EFFECT` and `like=NODE` describe."""
    made: JsonObject = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    labels: dict[str, str] = {}
    taints: list[dict[str, str]] = []
    allocatable: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        what, _, own = key.partition(".")
        if not equals or (what in ("label", "taint") and not own):
            raise InputError(f"--shape: expected node.NAME=VALUE, not node.{word}")
        if key == "like":
            found = [
                one
                for one in recorded()
                if one.get("kind") == "Node" and nodes_in([one]) == [value]
            ]
            if not found:
                raise InputError(f"--shape: node.{word}: no Node {value} is recorded")
            made = renamed(found[0], value, name, 1)
        elif key == "zone":
            labels["topology.kubernetes.io/zone"] = value
        elif what == "label":
            labels[own] = value
        elif what == "taint":
            given, _, effect = value.rpartition(":")
            if effect not in _EFFECTS:
                known = ", ".join(_EFFECTS)
                raise InputError(f"--shape: node.{word}: expected VALUE:EFFECT, EFFECT of {known}")
            taints.append({"key": own, "value": given, "effect": effect})
        else:
            allocatable[key] = _quantity(value, word)
    metadata, spec, status = (made.setdefault(part, {}) for part in ("metadata", "spec", "status"))
    metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    spec["taints"] = [*(spec.get("taints") or ()), *taints]
    status["allocatable"] = {**(status.get("allocatable") or {}), **allocatable}
    return made


def _schema(driver: str) -> DriverSchema:
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    if schema is None:
        raise InputError(f"--shape: no schema of the driver {driver}; `dradsl schema` names them")
    return schema


def _type(schema: DriverSchema, kind: str) -> DeviceTypeSchema:
    for one in schema.device_types:
        if one.name == kind:
            return one
    names = ", ".join(one.name for one in schema.device_types)
    raise InputError(f"--shape: {schema.name} has no devices of the type {kind}; it has {names}")


def _given(
    schema: DriverSchema, device_type: DeviceTypeSchema, words: list[str]
) -> tuple[dict[str, object], dict[str, object], dict[str, int]]:
    attributes: dict[str, object] = {}
    capacity: dict[str, object] = {}
    groups: dict[str, int] = {}
    for word in words:
        name, equals, value = word.strip().partition("=")
        if not equals or not value:
            raise InputError(f"--shape: expected NAME=VALUE, not {word}")
        full = _full(device_type.attributes, name)
        amount = _full(device_type.capacities, name)
        if full is None and amount is None:
            known = [
                one.rpartition("/")[2] for one in (*device_type.attributes, *device_type.capacities)
            ]
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(
                f"--shape: devices of the type {device_type.name} have no {name}{hint}"
            )
        if full is not None and value.startswith("/"):
            number = whole_number(value[1:])
            if number is None or not value[1:].isdecimal() or number < 1:
                raise InputError(
                    f"--shape: {word}: expected /N, the number of devices that share a value"
                )
            if device_type.attributes[full].type.value not in ("string", "int"):
                raise InputError(
                    f"--shape: {word}: only texts and integers can be shared by groups"
                )
            groups[full] = number
        elif full is not None:
            attributes[_published(schema, full)] = _value(device_type.attributes[full], value, word)
        else:
            capacity[_published(schema, str(amount))] = {"value": _quantity(value, word)}
    return attributes, capacity, groups


def _group(attribute: AttributeSchema, number: int) -> dict[str, object]:
    """The value that the devices of a group share."""
    if attribute.type.value == "int":
        return {"int": number}
    return {"string": f"{attribute.name}-{number}"}


def _full(names: Mapping[str, object], name: str) -> str | None:
    """The name with its domain."""
    if name in names:
        return name
    return next((one for one in names if one.rpartition("/")[2] == name), None)


def _published(schema: DriverSchema, full: str) -> str:
    """The name as the driver publishes it: most leave out a domain that is their own."""
    domain, _, name = full.rpartition("/")
    return name if domain == schema.name and not schema.qualified_names else full


def _value(attribute: AttributeSchema, text: str, word: str) -> dict[str, object]:
    if attribute.type.is_list:
        raise InputError(f"--shape: {word}: lists of values cannot be given")
    value: str | int | bool = text
    if attribute.type.value == "int":
        number = whole_number(text)
        if number is None:
            raise InputError(f"--shape: {word}: expected an integer")
        value = number
    elif attribute.type.value == "bool":
        if text not in ("true", "false"):
            raise InputError(f"--shape: {word}: expected true or false")
        value = text == "true"
    if attribute.values is not None and value not in attribute.values:
        known = ", ".join(map(str, attribute.values))
        raise InputError(f"--shape: {word}: the driver publishes {known}")
    return {attribute.type.value: value}


def _quantity(text: str, word: str) -> str:
    from dradsl.values.quantity import Quantity, QuantityError

    try:
        Quantity.decode(text)
    except QuantityError as error:
        raise InputError(f"--shape: {word}: {error}") from error
    return text


def _fill(
    schema: DriverSchema,
    device_type: DeviceTypeSchema,
    attributes: dict[str, object],
    capacity: dict[str, object],
    groups: Mapping[str, int],
) -> list[str]:
    """Add what the schema fixes; the names of attributes that devices always have and that were not given."""
    missing = []
    for full, attribute in device_type.attributes.items():
        name = _published(schema, full)
        if (
            name in attributes
            or full in groups
            or attribute.presence.value != "always"
            or "<" in full
        ):
            continue
        if attribute.values is not None and len(attribute.values) == 1:
            attributes[name] = {attribute.type.value: attribute.values[0]}
        else:
            missing.append(name)
    for full, one in device_type.capacities.items():
        name = _published(schema, full)
        if name not in capacity and one.presence.value == "always" and "<" not in full:
            if one.values is not None and len(one.values) == 1:
                capacity[name] = {"value": one.values[0]}
            else:
                missing.append(name)
    return missing
