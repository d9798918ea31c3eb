"""What may be given for a parameter: what the driver publishes by its schema, or what recordings hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.records import dataclass
from dradsl.scaffolding.recipes import ScaffoldError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DeviceTypeSchema, DriverSchema
    from dradsl.scaffolding.recipes import DeviceRow, ParameterRow
    from dradsl.values.json_types import JsonMapping

__all__ = ["Offer", "Value", "checked", "offer_of", "published"]

Value = str | int | bool
_QUANTITIES = ("capacity", "consumed")
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Offer:
    """The values of a parameter. `closed`: there are no others. `where` says who has them."""

    values: tuple[Value, ...] = ()
    closed: bool = False
    where: str = ""
    published: AttributeSchema | CapacitySchema | None = None

    @property
    def words(self) -> str:
        """The values in words, the first few."""
        shown = ", ".join(map(str, self.values[:_SHOWN]))
        return f"{shown}, …" if len(self.values) > _SHOWN or not self.closed else shown


def device_type(catalogue: Catalogue, row: DeviceRow) -> tuple[DriverSchema, DeviceTypeSchema]:
    """The schema of the driver, and that of the type."""
    schema = catalogue.get(row.driver)
    kind = None if schema is None else schema.device_type(row.type)
    if schema is None or kind is None:
        raise ScaffoldError(f"no schema of the devices {row.driver}/{row.type}")
    return schema, kind


def published(
    catalogue: Catalogue, row: DeviceRow, parameter: ParameterRow
) -> AttributeSchema | CapacitySchema | None:
    """The attribute or capacity behind a parameter; None if the driver does not publish it."""
    _, kind = device_type(catalogue, row)
    name = row.names.get(parameter.name, parameter.name)
    names: Mapping[str, AttributeSchema | CapacitySchema] = (
        kind.capacities if parameter.type in _QUANTITIES else kind.attributes
    )
    return names.get(f"{row.driver}/{name}")


def offer_of(
    parameter: ParameterRow,
    row: DeviceRow | None,
    catalogue: Catalogue,
    slices: Sequence[JsonMapping],
) -> Offer | None:
    """What may be given; None if the driver of `row` has no such thing."""
    if row is None:
        return Offer(parameter.choices, bool(parameter.choices))
    if parameter.type == "config":
        return Offer(_in_config(parameter, row, catalogue), True, f"{row.driver} accepts")
    known = published(catalogue, row, parameter)
    if known is None:
        return None
    recorded = tuple(_recorded(slices, known, row, catalogue))
    if recorded:
        return Offer(recorded, True, "the recordings have", known)
    if isinstance(known, CapacitySchema):
        examples = tuple(known.values or dict.fromkeys((known.examples or {}).values()))
        policy = known.request_policy
        if parameter.type == "consumed" and policy is not None:
            some = (policy.default, policy.minimum, policy.maximum, *policy.valid_values)
            examples = tuple(dict.fromkeys(each for each in some if each))
        return Offer(examples, False, f"{row.driver} publishes", known)
    values: tuple[Value, ...] = known.values or known.examples
    if known.products is not None:
        values = tuple(dict.fromkeys((*known.examples, *known.products.names)))
    return Offer(values, known.values is not None, f"{row.driver} publishes", known)


def _in_config(parameter: ParameterRow, row: DeviceRow, catalogue: Catalogue) -> tuple[Value, ...]:
    """The values of an enum in the schema of opaque parameters."""
    schema, _ = device_type(catalogue, row)
    kind, *steps = parameter.name.split(".")
    found = next(each for each in schema.configs if each.kind == kind)
    place: JsonMapping = dict(found.schema)
    for step in steps:
        place = place["properties"][step]
    return tuple(place["enum"])


def _recorded(
    slices: Iterable[JsonMapping],
    known: AttributeSchema | CapacitySchema,
    row: DeviceRow,
    catalogue: Catalogue,
) -> Iterable[Value]:
    """The values that devices of the type have, each once, in order."""
    _, kind = device_type(catalogue, row)
    told = kind.attributes.get(f"{row.driver}/type")
    types = told.values if told is not None and told.values else None
    part = "attributes" if isinstance(known, AttributeSchema) else "capacity"
    found: dict[Value, None] = {}
    for one in slices:
        spec = one.get("spec") or {}
        for device in spec.get("devices") or () if spec.get("driver") == row.driver else ():
            kinds = device.get("attributes") or {}
            said = kinds.get("type") or kinds.get(f"{row.driver}/type") or {}
            values = device.get(part) or {}
            value = values.get(known.qualified) or values.get(known.name)
            if value and (types is None or said.get("string") in types):
                found[next(iter(value.values()))] = None
    return sorted(found, key=str)


def checked(parameter: ParameterRow, text: str, offer: Offer | None, driver: str) -> Value:
    """The value that a text stands for.

    Raises:
        ScaffoldError: if it cannot be given for this parameter.
    """
    key = parameter.key
    if offer is None:
        raise ScaffoldError(f"{key}: devices of {driver} do not publish it")
    if parameter.type == "number":
        return _number(parameter, text)
    if parameter.type == "text":
        if parameter.pattern and not re.fullmatch(parameter.pattern, text):
            raise ScaffoldError(f"{key}: expected {parameter.what}, such as {parameter.default}")
        return text
    if parameter.type in _QUANTITIES:
        return _amount(parameter, text, offer)
    value = _typed(key, text, offer)
    if parameter.at_least or value in offer.values:
        return value
    known = offer.published
    pattern = known.pattern if isinstance(known, AttributeSchema) else None
    if not offer.closed and (pattern is None or re.fullmatch(pattern, text)):
        return value
    raise ScaffoldError(f"{key}: {_no_such(text, offer)}")


def _no_such(text: str, offer: Offer) -> str:
    from dradsl.drivers.suggestions.products import near_products

    known = [str(value) for value in offer.values]
    near = near_products(text, known)
    hint = " or ".join(near[:3]) if near else ""
    there = f"{offer.where} {offer.words}" if offer.where else ""
    if hint:
        return f'no value "{text}"; did you mean {hint}?'
    said = nearest(text, known)
    return f'no value "{text}"; {there if there and said.startswith("exp") else said}'


def _number(parameter: ParameterRow, text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text) or not parameter.least <= int(text) <= parameter.most:
        between = f"{parameter.least} to {parameter.most}"
        raise ScaffoldError(f'{parameter.key}: expected a number from {between}, not "{text}"')
    return int(text)


def _amount(parameter: ParameterRow, text: str, offer: Offer) -> str:
    """A quantity that some device has."""
    from dradsl.values.quantity import Quantity, QuantityError

    key = parameter.key
    try:
        amount = Quantity.decode(text)
    except QuantityError:
        such = offer.values[0] if offer.values else "40Gi"
        raise ScaffoldError(f'{key}: expected a quantity such as {such}, not "{text}"') from None
    known = offer.published
    most = [Quantity.decode(str(each)) for each in offer.values] if offer.closed else []
    if isinstance(known, CapacitySchema):
        policy = known.request_policy
        if parameter.type == "consumed" and policy is not None and policy.maximum:
            most.append(Quantity.decode(policy.maximum))
        if not offer.closed and known.range is not None:
            most.append(Quantity.decode(str(known.range.maximum)))
    if most and all(amount > each for each in most):
        largest = max(most)
        raise ScaffoldError(f"{key}: no device has {text}; the largest has {largest}")
    return text


def _typed(key: str, text: str, offer: Offer) -> Value:
    """The value in the type of the attribute."""
    known = offer.published
    kind = known.type.value if isinstance(known, AttributeSchema) else "string"
    if kind == "bool" and text in ("true", "false"):
        return text == "true"
    if kind == "int" and re.fullmatch("-?[0-9]{1,18}", text):
        return int(text)
    if kind == "version":
        from dradsl.values.semver import Semver, SemverError

        try:
            Semver.parse(text)
        except SemverError:
            such = offer.values[0] if offer.values else "1.2.3"
            raise ScaffoldError(f'{key}: expected a version such as {such}, not "{text}"') from None
    elif kind != "string":
        raise ScaffoldError(f'{key}: expected {kind}, not "{text}"')
    return text
