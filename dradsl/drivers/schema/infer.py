"""A driver schema from recorded slices: types, how many devices have a name, and the values seen.

The result is a draft for people: what a recording cannot know (which values there are besides, why
a name is missing) is left open, and every count is written down.
"""

from __future__ import annotations

from collections import defaultdict

from dradsl.drivers.schema.read import build_schema
from dradsl.values.names import qualified_name
from dradsl.values.quantity import exact_amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.drivers.schema.model import AttributeType, DriverSchema
    from dradsl.drivers.schema.recorded import RecordedDevice
    from dradsl.values.json_types import JsonObject

__all__ = ["infer", "infer_plain", "to_yaml"]

_EXAMPLES = 8
_LONG = 64
_ENUMERATION = 6
_TELL_TYPES = ("type", "kind", "deviceType")


def infer(driver: str, devices: Sequence[RecordedDevice]) -> DriverSchema:
    """The schema that `devices` of `driver` show."""
    return build_schema(infer_plain(driver, devices), driver)


def infer_plain(driver: str, devices: Sequence[RecordedDevice]) -> JsonObject:
    """The same as plain data, in the form of a schema file."""
    by, types = _split(driver, devices)
    plain: dict[str, object] = {
        "driver": driver,
        "vendor": "unknown",
        "summary": f"devices of {driver}, as recorded",
        "completeness": "inferred",
        "sources": [{"note": f"derived from {len(devices)} recorded devices"}],
    }
    if _spells_in_full(driver, devices):
        plain["qualifiedNames"] = True
    plain["deviceTypes"] = {
        name: _device_type(driver, name, group, by if len(types) > 1 else "")
        for name, group in types.items()
    }
    return plain


def _spells_in_full(driver: str, devices: Sequence[RecordedDevice]) -> bool:
    """Whether the driver writes its own domain before its own names; those of others always have one."""
    keys = {key for device in devices for key in device.qualified_capacities}
    return any(key.startswith(f"{driver}/") for key in keys) and all("/" in key for key in keys)


def to_yaml(plain: Mapping[str, object]) -> str:
    """A schema file's text."""
    from dradsl.values.dump import dump_yaml

    return dump_yaml(_plain_dict(plain), width=200, short_leaves=True)


def _plain_dict(value: Any) -> Any:
    if hasattr(value, "items"):
        return {key: _plain_dict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_dict(each) for each in value]
    return value


# Device types ---------------------------------------------------------------------------------


def _split(
    driver: str, devices: Sequence[RecordedDevice]
) -> tuple[str, dict[str, list[RecordedDevice]]]:
    """An attribute that tells types apart, if every device has it, and the devices by it; else all under one name."""
    for name in _TELL_TYPES:
        key = f"{driver}/{name}"
        if not devices or not all(key in device.attributes for device in devices):
            continue
        groups: dict[str, list[RecordedDevice]] = defaultdict(list)
        for device in devices:
            groups[str(device.attributes[key][1])].append(device)
        if len(groups) <= _ENUMERATION:
            return name, dict(sorted(groups.items()))
    return "", {"device": list(devices)}


def _device_type(
    driver: str, name: str, devices: Sequence[RecordedDevice], by: str
) -> dict[str, object]:
    plain: JsonObject = {"summary": f"{len(devices)} recorded devices"}
    if by:
        plain["discriminator"] = f'device.attributes["{driver}"].{by} == "{name}"'
    plain["attributes"] = {
        _short(key, driver): _attribute(key, devices)
        for key in _keys(device.attributes for device in devices)
    }
    if by:
        kind = plain["attributes"][by]
        kind.pop("examples", None)
        kind["values"] = [name]
    capacities = {
        _short(key, driver): _capacity(key, devices)
        for key in _keys(device.capacities for device in devices)
    }
    if capacities:
        plain["capacities"] = capacities
    counters = sorted({name for device in devices for name in device.counters})
    if counters:
        plain["counters"] = {"names": counters}
    if any(device.allows_multiple_allocations for device in devices):
        plain["allowMultipleAllocations"] = {"value": True}
    return plain


def _keys(maps: Iterable[Mapping[str, object]]) -> list[str]:
    """The names that the API server takes: a recording made by hand may hold others."""
    return [
        key
        for key in dict.fromkeys(key for each in maps for key in each)
        if not qualified_name(key)
    ]


def _short(key: str, driver: str) -> str:
    return key.removeprefix(f"{driver}/")


def _attribute(key: str, devices: Sequence[RecordedDevice]) -> JsonObject:
    seen = [device.attributes[key] for device in devices if key in device.attributes]
    kinds = list(dict.fromkeys(kind for kind, _ in seen))
    plain: JsonObject = {"type": kinds[0].value}
    if len(kinds) > 1:
        plain["altType"] = kinds[1].value
    _presence(plain, len(seen), len(devices))
    values = [value for kind, value in seen if kind is kinds[0]]
    _values(plain, kinds[0], values)
    return plain


def _presence(plain: dict[str, object], having: int, total: int) -> None:
    if having < total:
        plain["presence"] = "sometimes"
    plain["note"] = f"on {having} of {total}"


def _values(plain: dict[str, object], kind: AttributeType, values: Sequence[Any]) -> None:
    """What the values show: a range, a likely identity, or examples."""
    if kind.value == "bool" or kind.is_list:
        return
    distinct = list(dict.fromkeys(values))
    if kind.value == "int":
        plain["range"] = {"min": min(distinct), "max": max(distinct)}
        return
    if len(distinct) == len(values) >= 3 and kind.value == "string":
        plain["unique"] = "node"
        distinct = distinct[:1]
    shown = [each for each in distinct[:_EXAMPLES] if len(str(each)) <= _LONG]
    if shown:
        plain["examples"] = shown


def _capacity(key: str, devices: Sequence[RecordedDevice]) -> dict[str, object]:
    seen = [device.capacities[key] for device in devices if key in device.capacities]
    plain: dict[str, object] = {}
    _presence(plain, len(seen), len(devices))
    amounts = [(found, text) for text in seen if (found := exact_amount(text)) is not None]
    if amounts:
        plain["range"] = {"min": min(amounts)[1], "max": max(amounts)[1]}
    return plain
