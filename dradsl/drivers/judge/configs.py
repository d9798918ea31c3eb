"""Opaque parameters against the configuration that their driver decodes.

The API server takes any JSON object; the driver decodes it strictly when the pod is already on its
node. What it would reject there is said here.
"""

from __future__ import annotations

import copy
import functools
import json

from dradsl.drivers.judge import config_facts as facts
from dradsl.drivers.schema.suggest import closest
from dradsl.observations import Observation
from dradsl.records import replace
from dradsl.values.plain import find_at, mapping_at
from dradsl.values.quantity import exact_amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import ConfigKind, DriverSchema
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.values.json_types import JsonMapping

    Kinds = Sequence[ConfigKind]

__all__ = ["check_config"]

Path = tuple[str | int, ...]

_DRIVER: Path = ("driver",)
_PARAMETERS: Path = ("parameters",)

_OF_VALUES = (facts.WrongConfigValue, facts.ExcludedConfigField)


def check_config(
    driver: str,
    parameters: object,
    catalogue: Catalogue,
    reach: Sequence[Shape] | None = None,
) -> list[Observation]:
    """What is wrong with the opaque `parameters` for `driver`; paths begin at `opaque`.

    `reach` holds the shapes of device that the requests of the config can get (see
    `check.reachable`); None if that is not known.
    """
    schema = catalogue.get(driver)
    if schema is None:
        unknown = list(_unknown_driver(driver, catalogue))
        meant = next(
            (e.facts.meant for e in unknown if isinstance(e.facts, facts.UnknownDriver)), None
        )
        return unknown + (
            check_config(meant, parameters, catalogue, reach) if meant and parameters else []
        )
    found = list(_unreachable(schema, reach))
    if found or not isinstance(parameters, dict):
        return found
    likely = _likely(schema, parameters, reach)
    kind = _kind_of(schema, parameters, catalogue.settled(driver), likely)
    if isinstance(kind, Observation):
        group = str(parameters.get("apiVersion")).partition("/")[0]
        if not likely or group.endswith("example.com"):  # of no shipped driver
            return [kind]
        faults, *others = ([*_faults(schema, each, parameters)] for each in likely)
        places = [{each.path for each in other} for other in others]
        return [kind, *(each for each in faults if all(each.path in of for of in places))]
    if kind is None:
        return []
    found.extend(_for_other_type(schema, kind, reach))
    found.extend(_not_in_version(schema, kind, parameters, catalogue))
    found.extend(_faults(schema, kind, parameters))
    return found


# The driver -----------------------------------------------------------------------------------


def _unknown_driver(driver: str, catalogue: Catalogue) -> Iterator[Observation]:
    index = catalogue.index()
    meant = index.mistaken.get(driver)
    if meant is None:
        from dradsl.drivers.schema.suggest import near_domain

        meant = near_domain(driver.lower(), catalogue.names())
    if meant is None and catalogue.is_hidden(driver):
        return
    if meant is None:
        yield Observation(facts.ParametersNotChecked(driver), _DRIVER)
    else:
        yield Observation(facts.UnknownDriver(driver, meant, driver in index.classes), _DRIVER)


def _unreachable(schema: DriverSchema, reach: Sequence[Shape] | None) -> Iterator[Observation]:
    """A config whose driver none of its requests can get: nothing ever reads it."""
    if not reach or any(shape.driver is None for shape in reach):
        return
    drivers = dict.fromkeys(shape.driver.name for shape in reach if shape.driver is not None)
    if schema.name not in drivers:
        yield Observation(facts.ConfigForOtherDriver(schema.name, tuple(drivers)), _DRIVER)


# Which kind ---------------------------------------------------------------------------------


def _kind_of(
    schema: DriverSchema, parameters: Mapping[str, object], settled: bool, likely: Kinds
) -> ConfigKind | Observation | None:
    """The kind that the parameters say to be, or why there is none."""
    if not schema.configs:
        if schema.completeness != "full":
            return None
        return Observation(facts.NoParameters(schema.name), _PARAMETERS)
    bare = next((known for known in schema.configs if known.api_version is None), None)
    if bare is not None:
        return bare
    for key in ("apiVersion", "kind"):
        if parameters.get(key) is None:
            kinds: dict[str | None, list[str]] = {}
            for each in likely:
                kinds.setdefault(each.api_version, []).append(each.kind)
            lines = [f"apiVersion: {v}, kind: {' or '.join(of)}" for v, of in kinds.items()]
            missing = facts.ConfigTypeMissing(schema.name, key, tuple(lines))
            return Observation(missing, _PARAMETERS)
    version, name = parameters["apiVersion"], parameters["kind"]
    for each in schema.configs:
        if (each.api_version, each.kind) == (version, name):
            return each
    return _unknown_kind(schema, str(version), str(name), settled)


def _likely(
    schema: DriverSchema, parameters: Mapping[str, object], reach: Sequence[Shape] | None
) -> Kinds:
    """The kinds that may be meant: of the name that is written, or for what the requests can get; with its fields."""
    named = [each for each in schema.configs if each.kind == parameters.get("kind")]
    types = {shape.device_type.name for shape in reach or () if shape.device_type is not None}
    found = named or [e for e in schema.configs if types & set(e.device_types)] or schema.configs
    having = [e for e in found if parameters.keys() & mapping_at(e.schema, "properties").keys()]
    return having or found


def _known_kinds(kinds: Kinds) -> tuple[str, ...]:
    return tuple(f"{each.api_version} {each.kind}" for each in kinds)


def _unknown_kind(schema: DriverSchema, version: str, name: str, settled: bool) -> Observation:
    versions = dict.fromkeys(str(each.api_version) for each in schema.configs)
    kinds = dict.fromkeys(each.kind for each in schema.configs)
    unknown: Literal["apiVersion", "kind"] = "kind"
    if version not in versions:
        unknown = "apiVersion"
        meant = closest(version, versions)
        misspelt = meant is not None and _number(meant) == _number(version)
        meant = schema.mistaken.api_versions.get(version) or meant
        if meant is None and (own := closest(name, kinds)):
            meant = next(str(e.api_version) for e in schema.configs if e.kind == own)
    else:
        meant = closest(name, kinds)
        misspelt = meant is not None
    own = closest(name, kinds)
    meant_by_both = [e for e in schema.configs if meant is not None and e.kind == own]
    known = _known_kinds(meant_by_both or schema.configs)
    found = facts.UnknownConfigKind(
        schema.name, unknown, version, name, known, meant, misspelt or settled
    )
    return Observation(found, (*_PARAMETERS, unknown), instead=meant)


def _number(version: str) -> str:
    """The version of a group: another one may be of another release of the driver."""
    return version.rpartition("/")[2]


def _for_other_type(
    schema: DriverSchema, kind: ConfigKind, reach: Sequence[Shape] | None
) -> Iterator[Observation]:
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
    found = facts.ConfigForOtherType(
        kind.kind, tuple(kind.device_types), tuple(types), tuple(right)
    )
    one = right[0] if len(right) == 1 else None
    yield Observation(found, (*_PARAMETERS, "kind"), instead=one)


# Versions -------------------------------------------------------------------------------------


def _not_in_version(
    schema: DriverSchema, kind: ConfigKind, parameters: Mapping[str, object], catalogue: Catalogue
) -> Iterator[Observation]:
    versions = catalogue.versions(schema.name)
    if not versions or not catalogue.pinned(schema.name):
        return
    newest = versions[-1]
    if kind.since is not None and schema.precedes(newest, kind.since):
        too_new = facts.ConfigNotInVersion(kind.kind, False, kind.since, newest)
        yield Observation(too_new, (*_PARAMETERS, "kind"))
        return
    for path, since in _sinces(kind.schema, parameters, _PARAMETERS):
        if schema.precedes(newest, since):
            field = facts.ConfigNotInVersion(str(path[-1]), True, since, newest)
            yield Observation(field, path, on_key=True)


def _sinces(schema: JsonMapping, value: object, path: Path) -> Iterator[tuple[Path, str]]:
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
    schema: DriverSchema, kind: ConfigKind, parameters: Mapping[str, object]
) -> Iterator[Observation]:
    found = [*_faults_here(schema, kind, parameters)]
    yield from found
    yield from _below_renamed(schema, kind, parameters, found)


def _faults_here(
    schema: DriverSchema, kind: ConfigKind, parameters: Mapping[str, object]
) -> Iterator[Observation]:
    present = _without_null(parameters)
    if kind.api_version is not None:
        present = {k: v for k, v in present.items() if k not in ("apiVersion", "kind")}
    validator = _validator(json.dumps(kind.schema, sort_keys=True))
    errors = sorted(validator.iter_errors(present), key=lambda each: [str(p) for p in each.path])
    seen: set[tuple[object, Path]] = set()
    for error in errors:
        for found in _observed(schema, kind, error):
            # Of several faults of one value, or fields that one mapping lacks, the first is enough.
            topic = _OF_VALUES if isinstance(found.facts, _OF_VALUES) else type(found.facts)
            if (topic, found.path) not in seen:
                seen.add((topic, found.path))
                yield found
    if not kind.strict:
        yield from _nearly_known(schema.mistaken.fields, kind, kind.schema, present, ())


def _below_renamed(
    schema: DriverSchema,
    kind: ConfigKind,
    parameters: Mapping[str, object],
    faults: Sequence[Observation],
) -> Iterator[Observation]:
    """What is wrong below misspelt fields, under the names that are meant."""
    for each in faults:
        if not each.on_key or each.instead is None:
            continue
        *above, name = each.path[1:]
        renamed = copy.deepcopy(parameters)
        around: Any = find_at(renamed, tuple(above))
        around[each.instead] = around.pop(name)
        meant = (*each.path[:-1], each.instead)
        for fault in _faults_here(schema, kind, renamed):
            if fault.path[: len(meant)] == meant:
                yield replace(fault, path=(*each.path, *fault.path[len(meant) :]))


def _nearly_known(
    mistaken: Mapping[str, str], kind: ConfigKind, schema: JsonMapping, value: object, path: Path
) -> Iterator[Observation]:
    """Names next to a known one that is not there, where the driver passes over what it does not know."""
    known = schema.get("properties", {})
    if not isinstance(value, dict):
        return
    for name, each in value.items():
        if isinstance(known.get(name), dict):
            yield from _nearly_known(mistaken, kind, known[name], each, (*path, name))
        meant = None if name in known else closest(name, known, mistaken)
        if meant in known and meant not in value:
            found = facts.UnknownConfigField(
                kind.kind, path, name, tuple(known), meant, None, rejected=False
            )
            yield Observation(found, (*_PARAMETERS, *path, name), on_key=True)


def _without_null(value: Any) -> Any:
    """The value as a Go decoder sees it: null is the same as absent."""
    if isinstance(value, dict):
        return {str(k): _without_null(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_null(each) for each in value]
    return value


@functools.lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    from dradsl.drivers.json_schema import stand_in_for_rpds

    stand_in_for_rpds()
    import jsonschema

    formats = jsonschema.FormatChecker(formats=())

    @formats.checks("quantity")
    def is_quantity(value: object) -> bool:
        return not isinstance(value, str) or exact_amount(value) is not None

    return jsonschema.Draft202012Validator(json.loads(schema), format_checker=formats)


def _observed(schema: DriverSchema, kind: ConfigKind, error: Any) -> Iterator[Observation]:
    """What an error of the JSON Schema means to the author."""
    path: Path = tuple(error.absolute_path)
    place = (*_PARAMETERS, *path)
    if error.validator == "additionalProperties":
        yield from _unknown_fields(schema, kind, error, path)
    elif error.validator == "required":
        present = error.instance if isinstance(error.instance, dict) else {}
        for name in error.validator_value:
            if name not in present:
                parent = path[-1] if path else None
                yield Observation(facts.MissingConfigField(kind.kind, parent, name), place)
    elif error.validator in ("not", "maxItems") and "description" in error.schema:
        excluded = facts.ExcludedConfigField(error.schema["description"])
        yield Observation(excluded, place, on_key=True)
    else:
        yield _wrong_value(schema, error, path)


def _unknown_fields(
    schema: DriverSchema, kind: ConfigKind, error: Any, path: Path
) -> Iterator[Observation]:
    known = error.schema.get("properties", {})
    for name in error.instance:
        if name in known:
            continue
        place = (*_PARAMETERS, *path, name)
        if kind.api_version is None and not path and name in ("apiVersion", "kind"):
            not_carried = facts.ConfigTypeNotCarried(schema.name, name)
            yield Observation(not_carried, place, on_key=True)
            continue
        mistaken = schema.mistaken
        meant = closest(name, known, mistaken.fields)
        if meant is not None and (meant in error.instance or meant not in known):
            meant = None
        elsewhere = None if meant is not None else _place_of(kind.schema, name, ())
        help_ = None if meant is not None else mistaken.instead.get(name)
        found = facts.UnknownConfigField(
            kind.kind, path, name, tuple(known), meant, elsewhere, help=help_
        )
        yield Observation(found, place, on_key=True, instead=meant)


def _place_of(schema: JsonMapping, name: str, path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Where in the parameters a field of that name stands."""
    for key, each in schema.get("properties", {}).items():
        if key == name:
            return path
        if isinstance(each, dict):
            found = _place_of(each, name, (*path, key))
            if found is not None:
                return found
    return None


def _wrong_value(schema: DriverSchema, error: Any, path: Path) -> Observation:
    rule, limits = error.validator, error.validator_value
    meant = None
    if rule == "enum" and isinstance(error.instance, str):
        texts = [each for each in limits if isinstance(each, str) and each]
        meant = closest(error.instance, texts)
    found = facts.WrongConfigValue(
        field=path[-1] if path else None,
        rule=rule,
        limits=tuple(limits) if isinstance(limits, list) else (limits,),
        value=json.dumps(error.instance, default=str, ensure_ascii=False),
        described=schema.mistaken.instead.get(f"{path[-1] if path else ''}.{error.instance}")
        or error.schema.get("description"),
        meant=meant,
    )
    return Observation(found, (*_PARAMETERS, *path), instead=meant)
