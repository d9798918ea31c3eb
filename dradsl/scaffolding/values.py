"""What may be given for a parameter: what the driver publishes by its schema, or what recordings hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.drivers.schema.suggest import listed
from dradsl.records import Record
from dradsl.scaffolding.recipes import ScaffoldError, nearest
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DeviceTypeSchema, DriverSchema
    from dradsl.values.json_types import JsonMapping

__all__ = ["Offer", "Value", "checked", "device_type", "offer_of", "published"]

Value = str | int | bool
_AMOUNTS = ("capacity", "consumed")
_SHOWN = 6


class Offer(Record):
    """The values of a parameter. `closed`: there are no others. `who` has them."""

    values: tuple[Value, ...] = ()
    closed: bool = False
    who: str = "expected one of:"
    known: AttributeSchema | CapacitySchema | None = None
    is_recorded: bool = False

    @property
    def words(self) -> str:
        """The values in words, the first few."""
        shown = listed(map(str, self.values), _SHOWN)
        return shown if self.closed or shown.endswith("…") else f"{shown}, …"


def device_type(catalogue: Catalogue, row: JsonMapping) -> tuple[DriverSchema, DeviceTypeSchema]:
    """The schemas of the driver and the type of a device."""
    schema = catalogue.get(row["driver"])
    kind = None if schema is None else schema.device_type(row["type"])
    if schema is None or kind is None:
        raise ScaffoldError(f"no schema of the devices {row['driver']}/{row['type']}")
    return schema, kind


def published(
    catalogue: Catalogue, row: JsonMapping, parameter: JsonMapping
) -> AttributeSchema | CapacitySchema | None:
    """The attribute or capacity behind a parameter; None if the driver does not publish it."""
    _, kind = device_type(catalogue, row)
    name = row.get("names", {}).get(parameter["name"], parameter["name"])
    names: Mapping[str, AttributeSchema | CapacitySchema] = (
        kind.capacities if parameter["type"] in _AMOUNTS else kind.attributes
    )
    return names.get(f"{row['driver']}/{name}")


def offer_of(
    parameter: JsonMapping,
    row: JsonMapping | None,
    catalogue: Catalogue,
    slices: Sequence[JsonMapping],
) -> Offer | None:
    """What may be given; None if the driver of `row` has no such thing."""
    if row is None:
        choices = tuple(parameter.get("choices", ()))
        return Offer(choices, bool(choices))
    who = f"{row['driver']} publishes"
    if parameter["type"] == "config":
        return Offer(_in_config(parameter["name"], row, catalogue), True, who)
    known = published(catalogue, row, parameter)
    if known is None:
        return None
    recorded = _recorded(slices, known, row, catalogue)
    if recorded:
        return Offer(recorded, True, "the recordings have", known, True)
    if isinstance(known, AttributeSchema):
        values: tuple[Value, ...] = known.values or known.examples
        if known.products is not None:
            values = tuple(dict.fromkeys((*known.examples, *known.products.names)))
        return Offer(values, known.values is not None, who, known)
    policy = known.request_policy if parameter["type"] == "consumed" else None
    if policy is not None:
        some = (policy.default, policy.minimum, policy.maximum, *policy.valid_values)
    else:
        some = (*(known.values or ()), *(known.examples or {}).values())
    return Offer(tuple(dict.fromkeys(each for each in some if each)), False, who, known)


def _in_config(name: str, row: JsonMapping, catalogue: Catalogue) -> tuple[Value, ...]:
    """The values of an enum in the schema of opaque parameters, by kind and path."""
    schema, _ = device_type(catalogue, row)
    kind, *steps = name.split(".")
    place: JsonMapping = dict(next(each for each in schema.configs if each.kind == kind).schema)
    for step in steps:
        place = place["properties"][step]
    return tuple(place["enum"])


def _recorded(
    slices: Sequence[JsonMapping],
    known: AttributeSchema | CapacitySchema,
    row: JsonMapping,
    catalogue: Catalogue,
) -> tuple[Value, ...]:
    """The values that recorded devices of the type have, each once, in order."""
    from dradsl.drivers.schema.conform import best_shape
    from dradsl.drivers.schema.recorded import recorded_devices
    from dradsl.drivers.schema.shapes import shapes_of

    schema, kind = device_type(catalogue, row)
    shapes = shapes_of(schema, catalogue)
    found: set[Value] = set()
    for device in recorded_devices(list(slices)):
        shape = best_shape(device, shapes) if device.driver == schema.name else None
        if shape is None or shape.device_type != kind:
            continue
        if known.qualified in device.capacities and isinstance(known, CapacitySchema):
            found.add(device.capacities[known.qualified])
        elif known.qualified in device.attributes:
            found.add(device.attributes[known.qualified][1])
    return tuple(sorted(found, key=str))


def checked(
    key: str, parameter: JsonMapping, text: str, offer: Offer | None, driver: str = ""
) -> Value:
    """The value that a text stands for.

    Raises:
        ScaffoldError: if it cannot be given for this parameter.
    """
    if offer is None:
        raise ScaffoldError(f"{key}: devices of {driver} do not publish it")
    kind = parameter["type"]
    if kind == "number":
        least, most = parameter["least"], parameter["most"]
        if not re.fullmatch("[0-9]{1,6}", text) or not least <= int(text) <= most:
            raise ScaffoldError(f'{key}: expected a number from {least} to {most}, not "{text}"')
        return int(text)
    if kind == "text":
        if not re.fullmatch(parameter["pattern"], text):
            such = f"{parameter['what']}, such as {parameter['default']}"
            raise ScaffoldError(f'{key}: expected {such}, not "{text}"')
        return text
    if kind in _AMOUNTS:
        return _amount(key, text, offer)
    value = _typed(key, text, offer)
    pattern = offer.known.pattern if isinstance(offer.known, AttributeSchema) else None
    is_new = not offer.closed and (pattern is None or re.fullmatch(pattern, text))
    if "compare" in parameter or value in offer.values or is_new:
        return value
    raise ScaffoldError(f'{key}: no value "{text}"; {_instead(text, offer)}')


def _instead(text: str, offer: Offer) -> str:
    from dradsl.drivers.suggestions.products import near_products

    known = [str(value) for value in offer.values]
    products = near_products(text, known)
    if products:
        return 'did you mean "' + '" or "'.join(products[:6]) + '"?'
    said = nearest(text, known)
    return said if said.startswith("did") else f"{offer.who} {offer.words}"


def _amount(key: str, text: str, offer: Offer) -> str:
    """A quantity that some device has."""
    try:
        amount = Quantity.decode(text)
    except QuantityError:
        such = offer.values[0] if offer.values else "40Gi"
        raise ScaffoldError(f'{key}: expected a quantity such as {such}, not "{text}"') from None
    known = offer.known
    there = offer.values if offer.closed else ()
    if isinstance(known, CapacitySchema) and not offer.closed:
        there = known.values or ((known.range.maximum,) if known.range is not None else ())
    if there and amount > (most := max(Quantity.decode(str(each)) for each in there)):
        raise ScaffoldError(f"{key}: no device has {text}; the largest has {most}")
    return text


def _typed(key: str, text: str, offer: Offer) -> Value:
    """The value in the type of the attribute."""
    known = offer.known
    kind = known.type.value if isinstance(known, AttributeSchema) else "string"
    if kind == "bool" and text in ("true", "false"):
        return text == "true"
    if kind == "int" and re.fullmatch("-?[0-9]{1,18}", text):
        return int(text)
    if kind == "string" or (kind == "version" and re.fullmatch(r"\d+\.\d+\.\d+\S*", text)):
        return text
    such = offer.values[0] if offer.values else kind
    raise ScaffoldError(f'{key}: expected a {kind} such as {such}, not "{text}"')
