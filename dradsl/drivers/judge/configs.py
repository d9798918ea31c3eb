"""Opaque parameters against the configuration that their driver decodes (family DRA8).

The API server takes any JSON object; the driver decodes it strictly when the pod is already on its
node. What it would refuse there is said here.
"""

from __future__ import annotations

import functools
import json

from dradsl.drivers.judge.findings import ConfigFinding
from dradsl.drivers.schema.suggest import closest, listed
from dradsl.values.quantity import Quantity, QuantityError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import ConfigKind, DriverSchema
    from dradsl.drivers.schema.shapes import Shape

__all__ = ["check_config"]

Path = tuple[str | int, ...]

_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def check_config(
    driver: str,
    parameters: object,
    catalogue: Catalogue,
    reach: Sequence[Shape] | None = None,
) -> list[ConfigFinding]:
    """Findings in the opaque `parameters` for `driver`.

    `reach` holds the shapes of device that the requests of the config can get (see
    `check.reachable`); None if that is not known.
    """
    schema = catalogue.get(driver)
    if schema is None:
        return list(_unknown_driver(driver, catalogue))
    found = list(_unreachable(schema, reach))
    if found or not isinstance(parameters, dict):
        return found
    kind = _kind_of(schema, parameters)
    if isinstance(kind, ConfigFinding):
        return [kind]
    if kind is None:
        return []
    found.extend(_for_other_type(schema, kind, reach))
    found.extend(_not_in_version(schema, kind, parameters, catalogue))
    found.extend(_faults(schema, kind, parameters))
    return found


# The driver -----------------------------------------------------------------------------------


def _unknown_driver(driver: str, catalogue: Catalogue) -> Iterator[ConfigFinding]:
    index = catalogue.index()
    meant = index.mistaken.get(driver)
    if meant is None:
        same = [name for name in catalogue.names() if name.lower() == driver.lower()]
        meant = same[0] if same else None
    if meant is None:
        message = f'no schema is known of driver "{driver}", so its parameters are not checked'
        yield ConfigFinding("DRA219", (), message, about_driver=True, once_per=f"driver:{driver}")
        return
    message = f'there is no driver "{driver}"; did you mean "{meant}"?'
    helped = f'"{driver}" is a DeviceClass' if driver in index.classes else None
    yield ConfigFinding("DRA203", (), message, helped, suggestion=meant, about_driver=True)


def _unreachable(schema: DriverSchema, reach: Sequence[Shape] | None) -> Iterator[ConfigFinding]:
    """A config whose driver none of its requests can get: nobody ever reads it."""
    if not reach or any(shape.driver is None for shape in reach):
        return
    drivers = dict.fromkeys(shape.driver.name for shape in reach if shape.driver is not None)
    if schema.name not in drivers:
        message = f'the requests of this config get devices of {listed(drivers)}, never of "{schema.name}": it is ignored'
        one = next(iter(drivers)) if len(drivers) == 1 else None
        yield ConfigFinding("DRA805", (), message, suggestion=one, about_driver=True)


# Which kind ---------------------------------------------------------------------------------


def _kind_of(
    schema: DriverSchema, parameters: Mapping[str, Any]
) -> ConfigKind | ConfigFinding | None:
    """The kind that the parameters say to be, or why there is none."""
    if not schema.configs:
        if schema.completeness != "full":
            return None
        message = f"driver {schema.name} takes no parameters"
        return ConfigFinding("DRA801", (), message, "leave the config out")
    bare = next((known for known in schema.configs if known.api_version is None), None)
    if bare is not None:
        return bare
    for key in ("apiVersion", "kind"):
        if parameters.get(key) is None:
            known = ", ".join(f"{each.api_version} {each.kind}" for each in schema.configs)
            message = f'the parameters have no "{key}"'
            return ConfigFinding("DRA804", (), message, f"driver {schema.name} knows {known}")
    version, name = parameters["apiVersion"], parameters["kind"]
    for each in schema.configs:
        if (each.api_version, each.kind) == (version, name):
            return each
    return _unknown_kind(schema, str(version), str(name))


def _unknown_kind(schema: DriverSchema, version: str, name: str) -> ConfigFinding:
    versions = dict.fromkeys(str(each.api_version) for each in schema.configs)
    kinds = dict.fromkeys(each.kind for each in schema.configs)
    if version not in versions:
        meant = closest(version, versions, schema.mistaken.api_versions)
        if meant is None and name in kinds:
            meant = next(str(e.api_version) for e in schema.configs if e.kind == name)
        message = f'driver {schema.name} knows no parameters of apiVersion "{version}"'
        path: Path = ("apiVersion",)
    else:
        meant = closest(name, kinds)
        message = f'driver {schema.name} knows no parameters of kind "{name}"'
        path = ("kind",)
    if meant is not None:
        message += f'; did you mean "{meant}"?'
    known = ", ".join(f"{each.api_version} {each.kind}" for each in schema.configs)
    upstream = f'no kind "{name}" is registered for version "{version}"'
    return ConfigFinding(
        "DRA801", path, message, f"it knows {known}", suggestion=meant, upstream=upstream
    )


def _for_other_type(
    schema: DriverSchema, kind: ConfigKind, reach: Sequence[Shape] | None
) -> Iterator[ConfigFinding]:
    if reach is None or not kind.device_types:
        return
    types = dict.fromkeys(
        shape.device_type.name
        for shape in reach
        if shape.device_type is not None and shape.driver is not None
        and shape.driver.name == schema.name
    )  # fmt: skip
    if not types or set(types) & set(kind.device_types):
        return
    right = [each.kind for each in schema.configs if set(types) & set(each.device_types)]
    message = f"{kind.kind} is for devices of type {listed(kind.device_types)}, but the requests get type {listed(types)}"
    helped = f"use {' or '.join(right)}" if right else None
    one = right[0] if len(right) == 1 else None
    yield ConfigFinding("DRA806", ("kind",), message, helped, suggestion=one)


# Versions -------------------------------------------------------------------------------------


def _not_in_version(
    schema: DriverSchema, kind: ConfigKind, parameters: Mapping[str, Any], catalogue: Catalogue
) -> Iterator[ConfigFinding]:
    versions = catalogue.versions(schema.name)
    if not versions or not catalogue.pinned(schema.name):
        return
    newest = versions[-1]
    if kind.since is not None and schema.precedes(newest, kind.since):
        message = f"{kind.kind} exists from {kind.since} on (in use: {newest})"
        yield ConfigFinding("DRA807", ("kind",), message)
        return
    for path, since in _sinces(kind.schema, parameters, ()):
        if schema.precedes(newest, since):
            message = f'"{path[-1]}" exists from {since} on (in use: {newest})'
            yield ConfigFinding("DRA807", path, message, at_key=True)


def _sinces(schema: Mapping[str, Any], value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """The fields in use that carry a `since`, outermost first."""
    if isinstance(value, dict):
        for name, each in schema.get("properties", {}).items():
            if value.get(name) is None or not isinstance(each, dict):
                continue
            if "since" in each:
                yield (*path, name), each["since"]
            yield from _sinces(each, value[name], (*path, name))


# Fields and values ----------------------------------------------------------------------------


def _faults(
    schema: DriverSchema, kind: ConfigKind, parameters: Mapping[str, Any]
) -> Iterator[ConfigFinding]:
    present = _without_null(parameters)
    if kind.api_version is not None:
        present = {k: v for k, v in present.items() if k not in ("apiVersion", "kind")}
    validator = _validator(json.dumps(kind.schema, sort_keys=True))
    errors = sorted(validator.iter_errors(present), key=lambda each: [str(p) for p in each.path])
    seen: set[tuple[str, Path]] = set()
    for error in errors:
        for finding in _finding(schema, kind, error):
            if (finding.code, finding.path) not in seen:
                seen.add((finding.code, finding.path))
                yield finding


def _without_null(value: Any) -> Any:
    """The value as a Go decoder sees it: null is the same as absent."""
    if isinstance(value, dict):
        return {str(k): _without_null(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_null(each) for each in value]
    return value


@functools.lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    import jsonschema

    formats = jsonschema.FormatChecker(formats=())

    @formats.checks("quantity")
    def is_quantity(value: object) -> bool:
        if not isinstance(value, str):
            return True
        try:
            Quantity.parse(value)
        except QuantityError:
            return False
        return True

    return jsonschema.Draft202012Validator(json.loads(schema), format_checker=formats)


def _finding(schema: DriverSchema, kind: ConfigKind, error: Any) -> Iterator[ConfigFinding]:
    """What an error of the JSON Schema means to the author."""
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        yield from _unknown_fields(schema, kind, error, path)
    elif error.validator == "required":
        present = error.instance if isinstance(error.instance, dict) else {}
        for name in error.validator_value:
            if name not in present:
                where = f'"{path[-1]}"' if path else kind.kind
                yield ConfigFinding("DRA804", path, f'{where} needs a field "{name}"')
    elif error.validator in ("not", "maxItems") and "description" in error.schema:
        yield ConfigFinding("DRA803", path, error.schema["description"], at_key=True)
    else:
        yield _wrong_value(error, path)


def _unknown_fields(
    schema: DriverSchema, kind: ConfigKind, error: Any, path: Path
) -> Iterator[ConfigFinding]:
    known = error.schema.get("properties", {})
    for name in error.instance:
        if name in known:
            continue
        where = ".".join(str(step) for step in path) or kind.kind
        if kind.api_version is None and not path and name in ("apiVersion", "kind"):
            message = f'parameters of driver {schema.name} carry no "{name}"'
            yield ConfigFinding("DRA802", (name,), message, "leave it out", at_key=True)
            continue
        meant = closest(name, known)
        message = f'{where} has no field "{name}"'
        if meant is not None and meant in error.instance:
            meant = None
        if meant is not None:
            message += f'; did you mean "{meant}"?'
        elif (elsewhere := _place_of(kind.schema, name, ())) is not None:
            message += f"; it belongs to {'.'.join(elsewhere) or kind.kind}"
        helped = f"it has {listed(known)}" if known else "it has no fields"
        full = ".".join(str(step) for step in (*path, name))
        upstream = f'strict decoding error: unknown field "{full}"'
        yield ConfigFinding(
            "DRA802", (*path, name), message, helped, at_key=True, suggestion=meant,
            upstream=upstream,
        )  # fmt: skip


def _place_of(
    schema: Mapping[str, Any], name: str, path: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Where in the parameters a field of that name stands."""
    for key, each in schema.get("properties", {}).items():
        if key == name:
            return path
        if isinstance(each, dict):
            found = _place_of(each, name, (*path, key))
            if found is not None:
                return found
    return None


def _wrong_value(error: Any, path: Path) -> ConfigFinding:
    field = f'"{path[-1]}"' if path else "the value"
    value, rule = error.validator, error.validator_value
    instance = json.dumps(error.instance, default=str, ensure_ascii=False)
    shown = instance if len(instance) <= 60 else f"{instance[:57]}…"
    helped = error.schema.get("description")
    meant = None
    if value == "enum":
        texts = [each for each in rule if isinstance(each, str) and each]
        meant = closest(error.instance, texts) if isinstance(error.instance, str) else None
        message = f"{field} cannot be {shown}"
        message += f'; did you mean "{meant}"?' if meant is not None else ""
        helped = f"one of {_values(rule)}"
    elif value == "type":
        message = f"{field} must be {_type_words(rule)}, not {shown}"
    elif value in ("minimum", "maximum"):
        message = (
            f"{field} must be at {'least' if value == 'minimum' else 'most'} {rule}, not {shown}"
        )
    elif value == "maxLength":
        message = f"{field} must not be longer than {rule} characters"
    elif value == "minLength":
        message = f"{field} must not be empty"
    elif value == "format":
        message = f"{field} must be a {rule}, not {shown}"
    else:
        message = f"{field} cannot be {shown}"
    return ConfigFinding("DRA803", path, message, helped, suggestion=meant)


def _values(values: Iterable[object]) -> str:
    return ", ".join(str(each) for each in values if each != "")


def _type_words(rule: str | list[str]) -> str:
    names = [rule] if isinstance(rule, str) else rule
    return " or ".join(_TYPES.get(each, each) for each in names)
