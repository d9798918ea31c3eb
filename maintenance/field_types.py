"""Writes the types of `dradsl/kube/fields` (typed_dicts.py) from the field table: `python -m maintenance.field_types`."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from dradsl.kube.fields import table
from dradsl.kube.fields.shape import every_field, is_required
from dradsl.kube.fields.table import KINDS, Category, FieldType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.fields.table import Field

__all__ = ["files"]

_WITHOUT = ("ResourcePoolStatusRequest", "DeviceTaintRule")
_KINDS = tuple(
    "ResourceSliceSpec" if kind == "ResourceSlice" else kind
    for kind in KINDS
    if kind not in _WITHOUT
)
"""What is read by its type. A ResourcePoolStatusRequest has no v1; the code names no type for a whole slice or a taint rule."""

_MEANING: Mapping[str, str] = MappingProxyType(
    {
        "OwnerReference": "An object that this one goes with.",
        "ManagedFieldsEntry": "Which fields a field manager set.",
        "ObjectMeta": "Name, namespace, labels and what the server keeps about an object.",
        "CELDeviceSelector": "A CEL expression over `device`.",
        "DeviceSelector": "What a device must be like.",
        "OpaqueDeviceConfiguration": "Parameters in a driver's own format.",
        "DeviceClassConfiguration": "Configuration that a class brings along.",
        "DeviceClassSpec": "Selectors and configuration of a class.",
        "DeviceClass": "A cluster-wide kind of devices to ask for.",
        "DeviceToleration": "Which taint a request puts up with.",
        "CapacityRequirements": "How much of which capacities a request needs.",
        "DeviceDerivedAttribute": "An attribute computed for each device, for constraints (1.37).",
        "ExactDeviceRequest": "A request for devices of one class.",
        "DeviceSubRequest": "One of several alternatives of a request.",
        "DeviceRequest": "A request: `exactly` one thing, or the `first_available` of several.",
        "DeviceConstraint": "What devices of several requests must have in common, or not.",
        "DeviceClaimConfiguration": "Configuration for devices of a claim.",
        "DeviceClaim": "Requests, constraints and configuration.",
        "ResourceClaimSpec": "What a claim asks for.",
        "DeviceRequestAllocationResult": "A device that was allocated for a request.",
        "DeviceAllocationConfiguration": "Configuration that goes with an allocation, from the class or the claim.",
        "DeviceAllocationResult": "All devices of an allocation.",
        "NodeSelectorRequirement": "A requirement on a label or field of a node.",
        "NodeSelectorTerm": "Requirements that a node must meet all.",
        "NodeSelector": "Terms of which one must fit a node.",
        "AllocationResult": "Devices, and the nodes from which they can be used.",
        "ResourceClaimConsumerReference": "Who may use an allocated claim.",
        "Condition": "One aspect of an observed state.",
        "NetworkDeviceData": "What a driver reports about a network interface.",
        "AllocatedDeviceStatus": "What a driver reports about an allocated device.",
        "ResourceClaimStatus": "Allocation, consumers and device status of a claim.",
        "ResourceClaim": "A request for devices, and its allocation.",
        "ResourceClaimTemplateSpec": "Labels, annotations and spec of claims made from a template.",
        "ResourceClaimTemplate": "A template that makes a claim for every pod.",
        "ResourcePool": "The pool that a slice belongs to.",
        "DeviceAttribute": "A value: exactly one of its fields is set.",
        "CapacityRequestPolicyRange": "From how much to how much may be requested, in which steps.",
        "CapacityRequestPolicy": "What may be requested of a shared capacity.",
        "DeviceCapacity": "An amount, and what may be requested of it.",
        "Counter": "An amount that several devices draw from.",
        "DeviceCounterConsumption": "What a device takes from a counter set.",
        "DeviceTaint": "What keeps claims away from a device.",
        "NodeAllocatableResourceMapping": "How a capacity counts as a resource of the node (1.36).",
        "NodeAllocatableMapping": "How a device or a capacity counts as a resource of the node.",
        "NodeAllocatableOverhead": "What using a device costs of the node's resources.",
        "NodeAllocatableResource": "What a device takes of the node's resources (1.37).",
        "Device": "A device with attributes, capacities and taints.",
        "CounterSet": "Counters that devices of the pool share.",
        "ResourceSliceSpec": "Devices or counter sets of a pool, and the nodes that can use them.",
    }
)

"""What a type is; a type without a row fails the generation."""


def files() -> dict[str, str]:
    """The text of each generated file by its name."""
    return {"typed_dicts.py": _typed_dicts()}


def _types() -> list[str]:
    """The types that v1 objects are made of, each behind those that it holds."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name in ordered:
            return
        for field in every_field(name).values():
            held: FieldType | None = field.type
            while held is not None:
                if held.category is Category.STRUCT:
                    visit(held.name)
                held = held.item
        ordered.append(name)

    for kind in _KINDS:
        visit(kind)
    return ordered


def _item(type_: FieldType) -> FieldType:
    if type_.item is None:
        raise ValueError(f"{type_} has no items")
    return type_.item


_DICT_TYPES = {
    Category.STRING: "str",
    Category.TIME: "str",
    Category.BOOL: "bool",
    Category.INT32: "int",
    Category.INT64: "int",
    Category.QUANTITY: "str | int | float",
    Category.RAW: "object",
}


def _dict_type(type_: FieldType) -> str:
    if type_.category is Category.STRUCT:
        return f"{type_.name}Dict"
    if type_.category in (Category.LIST, Category.MAP):
        item = _dict_type(_item(type_))
        return f"Sequence[{item}]" if type_.category is Category.LIST else f"Mapping[str, {item}]"
    return _DICT_TYPES[type_.category]


def _typed_dicts() -> str:
    names = _types()
    lines = [
        '"""Objects of resource.k8s.io/v1 as plain data, for type checkers. Generated; do not edit.\n\n'
        "Every field of every release, as `dradsl.kube.fields.table` has them; a field that the API\n"
        "server requires is required. `python -m maintenance.field_types` writes this file.\n"
        '"""\n\n# ruff: noqa: TC003, UP013 (names of fields are names of types)\n'
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\n"
        "from typing import Required, TypedDict\n"
    ]
    for name in names:
        fields = every_field(name)
        if any(field in _DICT_TYPES.values() for field in fields):
            # A field called `int` would hide the type in the body of a class.
            rows = "".join(
                f'        "{key}": "{_dict_type(field.type)}",\n' for key, field in fields.items()
            )
            lines.append(
                f'\n\n{name}Dict = TypedDict(\n    "{name}Dict",\n    {{\n{rows}    }},\n'
                f'    total=False,\n)\n"""{_MEANING[name]}"""\n'
            )
            continue
        rows = "".join(
            f"    {key}: {_required(field, _dict_type(field.type))}\n"
            for key, field in fields.items()
        )
        lines.append(
            f'\n\nclass {name}Dict(TypedDict, total=False):\n    """{_MEANING[name]}"""\n\n{rows}'
        )
    return "".join(lines)


def _required(field: Field, text: str) -> str:
    return f"Required[{text}]" if is_required(field) else text


def main() -> None:
    """Write the files."""
    for name, text in files().items():
        Path(table.__file__).with_name(name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
