"""Driver schema files to `DriverSchema`: reading, the shared and standard parts filled in.

Structure is checked against `schemas/driver.schema.json` for files of users; the shipped ones are
checked by a test, which keeps the start of `dradsl lint` short.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from dradsl.data import data_path
from dradsl.drivers.schema.model import (
    AttributeSchema,
    AttributeType,
    CapacitySchema,
    ConfigKind,
    Counters,
    DeviceClassInfo,
    DevicePlugin,
    DeviceTypeSchema,
    DriverSchema,
    DriverVersion,
    Lifetime,
    Mistaken,
    NodeLabel,
    PluginResource,
    Presence,
    Products,
    Range,
    RequestPolicy,
    SchemaError,
    SchemaSource,
    TaintSchema,
)
from dradsl.drivers.schema.parsed import load_shipped
from dradsl.records import replace
from dradsl.text.files import SETTINGS_BYTES, FileError, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    from dradsl.text.files import StrPath
    from dradsl.values.json_types import JsonMapping

    R = TypeVar("R")

__all__ = [
    "build_schema",
    "merge_plain",
    "plain_of",
    "read_plain",
    "standard_attributes",
    "validate_plain",
]

Plain: TypeAlias = "JsonMapping"

_LONGEST = 300  # characters of a reader's complaint, which may quote what it read

_NOTHING: Mapping[str, object] = MappingProxyType({})


def read_plain(path: StrPath) -> dict[str, object]:
    """The plain data of the schema file at `path`.

    Raises:
        SchemaError: if it cannot be read or holds no mapping.
    """
    try:
        return plain_of(read_bytes(path, SETTINGS_BYTES), str(path))
    except FileError as error:
        raise SchemaError(str(error)) from None


def plain_of(content: bytes, source: str) -> dict[str, object]:
    """The plain data of a schema file that was read; `source` is its name.

    Raises:
        SchemaError: if it holds no mapping.
    """
    from dradsl.drivers.schema.yaml_data import load_yaml

    try:
        plain = load_yaml(content.decode(), source)
    except UnicodeDecodeError as error:
        raise SchemaError(f"{source}: {error}") from None
    if not isinstance(plain, dict) or not isinstance(plain.get("driver"), str):
        raise SchemaError(f"{source}: not a driver schema: no `driver`")
    return plain


def validate_plain(plain: Plain, source: str) -> None:
    """Check the structure and the version names of a schema.

    Raises:
        SchemaError: with the first fault and its place.
    """
    from dradsl.drivers.json_schema import stand_in_for_rpds

    stand_in_for_rpds()
    import jsonschema

    fault = jsonschema.exceptions.best_match(_validator().iter_errors(plain))
    if fault is not None:
        place = ".".join(str(step) for step in fault.absolute_path) or "the file"
        message = (
            fault.message if len(fault.message) <= _LONGEST else fault.message[:_LONGEST] + "..."
        )
        raise SchemaError(f"{source}: {place}: {message}")
    known = {version["name"] for version in plain.get("versions", ())}
    for place, name in _version_names(plain, ""):
        if name not in known and "versions" in plain:
            raise SchemaError(f"{source}: {place}: version {name!r} is not in `versions`")


@functools.cache
def _validator() -> Any:
    from dradsl.drivers.json_schema import stand_in_for_rpds

    stand_in_for_rpds()
    import jsonschema

    schema = json.loads(read_bytes(data_path("schemas", "driver.schema.json")))
    return jsonschema.Draft202012Validator(schema)


def _version_names(plain: Any, place: str) -> Iterable[tuple[str, str]]:
    if isinstance(plain, Mapping):
        for key, value in plain.items():
            if key in ("since", "removedIn", "alwaysBefore") and isinstance(value, str):
                yield f"{place}{key}", value
            else:
                yield from _version_names(value, f"{place}{key}.")
    elif isinstance(plain, list):
        for index, value in enumerate(plain):
            yield from _version_names(value, f"{place}{index}.")


def merge_plain(base: Plain, over: Plain) -> dict[str, object]:
    """`base` with the keys of `over`: mappings merge, lists of named things too, the rest replaces."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = merge_plain(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            merged[key] = [*old, *(item for item in value if item not in old)]
        else:
            merged[key] = value
    return merged


@functools.cache
def standard_attributes() -> Mapping[str, Plain]:
    """The attributes that Kubernetes defines and those that drivers share, by `domain/name`."""
    plain = load_shipped(data_path("schemas", "drivers", "_standard.yaml"))
    return MappingProxyType(plain["attributes"])


@functools.cache
def _product_lists() -> Mapping[str, Plain]:
    plain = load_shipped(data_path("schemas", "drivers", "_products.yaml"))
    return MappingProxyType(plain["lists"])


def build_schema(plain: Plain, source: str = "<schema>") -> DriverSchema:
    """A `DriverSchema` from plain data whose structure is sound.

    Raises:
        SchemaError: for an attribute without a type, or a structure that `validate_plain` rejects.
    """
    try:
        return _build(plain)
    except SchemaError as error:
        raise SchemaError(f"{source}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        validate_plain(plain, source)
        raise


def _build(plain: Plain) -> DriverSchema:
    driver = plain["driver"]
    return DriverSchema(
        name=driver,
        vendor=plain.get("vendor", ""),
        summary=plain.get("summary", ""),
        completeness=plain.get("completeness", "inferred"),
        sources=tuple(_filled(SchemaSource, each) for each in plain.get("sources", ())),
        uncertain=tuple(plain.get("uncertain", ())),
        note=plain.get("note"),
        versions=tuple(_filled(DriverVersion, each) for each in plain.get("versions", ())),
        qualified_names=plain.get("qualifiedNames", False),
        pod_scoped=plain.get("podScoped", False),
        open_domains=tuple(plain.get("openDomains", ())),
        open_reason=plain.get("openReason"),
        publishes_as=tuple(plain.get("publishesAs", ())),
        device_types=tuple(
            _device_type(driver, plain, name, each or _NOTHING)
            for name, each in plain.get("deviceTypes", _NOTHING).items()
        ),
        taints=tuple(
            TaintSchema(key, tuple(each.get("effects", ())), each.get("note"))
            for key, each in plain.get("taints", _NOTHING).items()
        ),
        classes=tuple(_filled(DeviceClassInfo, each) for each in plain.get("classes", ())),
        configs=tuple(_config(each) for each in plain.get("configs", ())),
        device_plugin=_device_plugin(plain.get("devicePlugin", _NOTHING)),
        mistaken=_mistaken(plain.get("mistaken", _NOTHING)),
        profiles=plain.get("profiles", _NOTHING),
    )


def _filled(cls: type[R], plain: Plain, **read: object) -> R:
    """A record from plain data with its fields as keys, in camel case; those in `read` are read already."""
    for name, key in _keys(cls.__match_args__):  # type: ignore[attr-defined]
        if name not in read and key in plain:
            value = plain[key]
            read[name] = tuple(value) if isinstance(value, list) else value
    return cls(**read)


@functools.cache
def _keys(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Fields of a record, each with its key in a schema file: `same_on`, "sameOn"."""
    return tuple((name, name[0] + name.title().replace("_", "")[1:]) for name in names)


def _device_type(driver: str, schema: Plain, name: str, plain: Plain) -> DeviceTypeSchema:
    counters = plain.get("counters")
    return DeviceTypeSchema(
        name=name,
        summary=plain.get("summary"),
        discriminator=plain.get("discriminator"),
        device_name=plain.get("deviceName"),
        lifetime=_lifetime(plain),
        gate=plain.get("gate"),
        note=plain.get("note"),
        attributes=MappingProxyType(
            {
                entry.qualified: entry
                for entry in (
                    _told_apart(_attribute(driver, key, each), plain.get("discriminator"))
                    for key, each in _merged(schema, plain, "attributes").items()
                )
            }
        ),
        capacities=MappingProxyType(
            {
                entry.qualified: entry
                for entry in (
                    _capacity(driver, key, each)
                    for key, each in _merged(schema, plain, "capacities").items()
                )
            }
        ),
        counters=None if counters is None else _filled(Counters, counters),
        allows_multiple_allocations=plain.get("allowMultipleAllocations", _NOTHING).get(
            "value", False
        ),
        taken_together=plain.get("takenTogether"),
    )


def _told_apart(entry: AttributeSchema, discriminator: str | None) -> AttributeSchema:
    """An attribute by whose value the type is told from others has that value on each of its devices."""
    if not discriminator or entry.values or entry.type is not AttributeType.STRING:
        return entry
    if "||" in discriminator or "?" in discriminator:
        return entry
    of = f'device.attributes["{entry.domain}"]'
    for part in discriminator.replace("'", '"').split("&&"):
        name, _, text = part.strip().removeprefix("(").removesuffix(")").partition("==")
        value = text.strip()[1:-1]
        quoted = text.strip() == f'"{value}"' and not {*value} & {'"', "\\"}
        if quoted and name.strip() in (f"{of}.{entry.name}", f'{of}["{entry.name}"]'):
            return replace(entry, values=(value,))
    return entry


def _merged(schema: Plain, device_type: Plain, part: str) -> dict[str, Plain]:
    """The entries of a device type over the driver's shared ones, key by key."""
    merged: dict[str, Plain] = dict(schema.get(part, _NOTHING))
    for key, own in device_type.get(part, _NOTHING).items():
        merged[key] = {**merged.get(key, _NOTHING), **(own or _NOTHING)}
    return merged


def _split(driver: str, key: str) -> tuple[str, str]:
    domain, slash, name = key.partition("/")
    return (domain, name) if slash else (driver, key)


def _attribute(driver: str, key: str, own: Plain) -> AttributeSchema:
    plain = {**standard_attributes().get(key, _NOTHING), **own}
    domain, name = _split(driver, key)
    if "type" not in plain:
        raise SchemaError(f"attribute {key} has no type and is not a standard one")
    alternative = plain.get("altType")
    return _filled(
        AttributeSchema,
        plain,
        domain=domain,
        name=name,
        type=AttributeType(plain["type"]),
        alternative=None if alternative is None else AttributeType(alternative),
        presence=Presence(plain.get("presence", "always")),
        lifetime=_lifetime(plain, driver),
        products=_products(plain.get("products")),
        range=_range(plain.get("range")),
    )


def _products(name: str | None) -> Products | None:
    if name is None:
        return None
    if name not in _product_lists():
        raise SchemaError(f"there is no list of products {name}")
    plain = _product_lists()[name]
    families = {name: family for family, members in plain["families"].items() for name in members}
    return Products(tuple(families), plain.get("rare", _NOTHING), families)


def _capacity(driver: str, key: str, plain: Plain) -> CapacitySchema:
    domain, name = _split(driver, key)
    policy = plain.get("requestPolicy")
    return _filled(
        CapacitySchema,
        plain,
        domain=domain,
        name=name,
        presence=Presence(plain.get("presence", "always")),
        lifetime=_lifetime(plain, driver),
        range=_range(plain.get("range")),
        request_policy=None if policy is None else _policy(policy),
    )


def _lifetime(plain: Plain, driver: str | None = None) -> Lifetime:
    successor = plain.get("replacedBy")
    if successor is not None and driver is not None:
        successor = "/".join(_split(driver, successor))
    return Lifetime(plain.get("since"), plain.get("removedIn"), successor)


def _range(plain: Plain | None) -> Range | None:
    return None if plain is None else Range(plain["min"], plain["max"])


def _policy(plain: Plain) -> RequestPolicy:
    span = plain.get("validRange", _NOTHING)
    return _filled(
        RequestPolicy,
        plain,
        minimum=span.get("min"),
        maximum=span.get("max"),
        step=span.get("step"),
    )


def _config(plain: Plain) -> ConfigKind:
    strict = plain.get("strict", True)
    return ConfigKind(
        api_version=plain.get("apiVersion"),
        kind=plain["kind"],
        device_types=tuple(plain.get("deviceTypes", ())),
        since=plain.get("since"),
        strict=strict,
        note=plain.get("note"),
        schema=_closed(plain["schema"], strict=strict),
    )


def _closed(schema: Any, *, strict: bool) -> Any:
    """A JSON Schema whose objects with `properties` are typed, and closed where the driver is strict.

    Only where fields are declared: `if`, `then` and their like mention fields declared elsewhere.
    """
    if not isinstance(schema, Mapping):
        return schema
    closed = dict(schema)
    if "properties" in schema:
        closed["properties"] = {
            name: _closed(each, strict=strict) for name, each in schema["properties"].items()
        }
        closed.setdefault("type", "object")
        if strict:
            closed.setdefault("additionalProperties", False)
    for key in ("items", "additionalProperties"):
        if isinstance(closed.get(key), Mapping):
            closed[key] = _closed(closed[key], strict=strict)
    return closed


def _device_plugin(plain: Plain) -> DevicePlugin:
    return DevicePlugin(
        tuple(
            _filled(PluginResource, each, device_class=each.get("class"))
            for each in plain.get("resources", ())
        ),
        tuple(_filled(NodeLabel, each) for each in plain.get("nodeLabels", ())),
    )


def _mistaken(plain: Plain) -> Mistaken:
    return Mistaken(
        drivers=plain.get("drivers", _NOTHING),
        domains=plain.get("domains", _NOTHING),
        attributes=plain.get("attributes", _NOTHING),
        capacities=plain.get("capacities", _NOTHING),
        api_versions=plain.get("apiVersions", _NOTHING),
        fields=plain.get("fields", _NOTHING),
        instead=plain.get("instead", _NOTHING),
    )
