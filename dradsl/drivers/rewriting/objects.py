"""A claim or class of an earlier or a mixed shape in that of v1: what its author meant by fields that v1 does not have.

The fields that are read, by what they say, are in `field_words.json`. What has no place in v1 is left, and named.
"""

from __future__ import annotations

import functools
import json
import re
from contextlib import suppress

from dradsl.drivers.rewriting.expressions import written_right
from dradsl.drivers.rewriting.parameters import written_parameters
from dradsl.drivers.schema.device_plugin import (
    class_meant,
    find_labels,
    find_resources,
    translate_label,
)
from dradsl.drivers.schema.read import standard_attributes
from dradsl.drivers.suggestions.literals import amounts, versions
from dradsl.drivers.suggestions.products import drivers_named, written_parts
from dradsl.kube.fields.table import GROUP
from dradsl.records import dataclass
from dradsl.text.edits import EditError, delete_entry, insert_entry, replace_value
from dradsl.text.files import read_bytes
from dradsl.text.nodes import MappingNode
from dradsl.text.render import render_flow
from dradsl.values.names import legal_name
from dradsl.values.plain import find_at, list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from dradsl.diagnostics import Edit, FieldPath
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.text.nodes import Node
    from dradsl.values.json_types import JsonObject

    _Drivers: TypeAlias = "tuple[DriverSchema | str, ...]"  # those without a schema by name
    Named: TypeAlias = Callable[[str, str], Mapping[str, object] | None]
    _Fields: TypeAlias = "dict[str, tuple[Any, FieldPath]]"  # by name: value and place

__all__ = ["Meant", "as_v1", "in_pod", "words"]

_IDENTITY = ("apiVersion", "kind", "metadata")
_OF_V1ALPHA3 = frozenset({"spec", "metadata", "devices"})
_OF_ENTRY = ("name", "resourceClaimName", "resourceClaimTemplateName")
_AT_LEAST = re.compile(r"(?i)^(min(imum)?|required|needed)[-_]?(?=.)")


@dataclass(frozen=True, slots=True)
class Meant:
    """An object in the shape of v1, and the places of the fields that say nothing there.

    `moved` has the expressions as they are written, `spec` with the domains and methods that they lack.
    `is_converted`: `dradsl convert` rewrites it, as it has no field of a shape that is no version's.
    """

    written: Mapping[str, object]
    spec: JsonObject
    moved: JsonObject
    left: tuple[FieldPath, ...]
    is_converted: bool

    def is_left(self, path: FieldPath) -> bool:
        """Whether the field at a path says nothing in v1."""
        return any(path[: len(each)] == each for each in self.left)

    def fields(self, *, moved: bool = True) -> JsonObject:
        """The fields at the top that are other ones in v1."""
        spec = self.moved if moved else self.spec
        kind = self.written.get("kind")
        kind = "DeviceClass" if kind == "ResourceClass" else kind
        new = {"apiVersion": f"{GROUP}/v1", "kind": kind, "spec": spec}
        return {name: each for name, each in new.items() if self.written.get(name) != each}

    def text(self, below: FieldPath, told: Mapping[str, str]) -> str:
        """What to write, and about each field below a path that is left what is `told`, if anything is."""
        new = [f"{name}: {render_flow(each)}" for name, each in self.fields(moved=False).items()]
        said = [f"write {' and '.join(new)}"] if new else []
        is_list = isinstance(mapping_at(self.written, "spec").get("devices"), list)
        for left in self.left if new else ():
            # No finding is about a field below a list that has to be a mapping.
            if left[: len(below)] == below or (is_list and left[:2] == ("spec", "devices")):
                name = next(str(each) for each in reversed(left) if isinstance(each, str))
                if name in ("apiVersion", "kind"):  # of parameters that are written out otherwise
                    continue
                kind = str(self.written.get("kind")).replace("ResourceClass", "DeviceClass")
                about = told.get(f"{kind}.{name}") or told.get(name)
                about = about if below == () and name == left[-1] else None
                said.append(f"{name}: {about.format()}" if about else f"{name} has no place in it")
        return "; ".join(said)

    def edits(self, root: Node) -> tuple[Edit, ...]:
        """The edits that move what is written; none where a part of the object is elsewhere in the file."""
        last = root.entry("metadata") if isinstance(root, MappingNode) else None
        if not isinstance(root, MappingNode) or last is None:
            return ()
        edits: list[Edit] = []
        with suppress(EditError):
            for name, each in self.fields().items():
                entry = root.entry(name)
                if entry is None:
                    edits.append(insert_entry(root, name, each, after=last))
                else:
                    edits.append(replace_value(root, entry, each))
            for entry in root.entries:
                if entry.name not in (*_IDENTITY, "spec", "status"):
                    edits += delete_entry(root, entry)
            return tuple(edits)
        return ()


def as_v1(
    obj: Mapping[str, object], drivers: Catalogue, named: Named = lambda *_: None
) -> Meant | None:
    """A claim, a template or a class in v1; None if nothing in it says what is asked for.

    `named` gives the object of parameters of a kind and name.
    """
    obj = _with_parameters(obj, named)
    read = _READERS.get(str(obj.get("kind")), _read_claim)
    reader, as_written = _Reader(drivers), _Reader(drivers, rewrites=False)
    spec = read(reader, obj)
    if spec is None:
        return None
    moved, left = read(as_written, obj), tuple(reader.left)
    names = mapping_at(obj, "spec", "spec").keys() | mapping_at(obj, "spec").keys()
    is_converted = obj.get("apiVersion") == f"{GROUP}/v1alpha3" and names <= _OF_V1ALPHA3
    return Meant(obj, spec, moved or spec, left, is_converted and not left)


def _with_parameters(obj: Mapping[str, object], named: Named) -> Mapping[str, object]:
    """The object with what the one that its `parametersRef` names asks for in its spec."""
    at = ("spec", "spec") if "spec" in mapping_at(obj, "spec") else ("spec",)
    spec = mapping_at(obj, *at)
    reference = mapping_at(spec, _first(spec, "parameters"))
    found = named(str(reference.get("kind")), str(reference.get("name"))) if reference else None
    if not found:
        return obj
    whole = {**_but(spec, *words()["parameters"]), **mapping_at(found, "spec")}
    for own in words().get(f"class of {reference.get('kind')}", ()):
        whole = {"deviceClassName": own, **_but(whole, *words()["class"])}
    return {**obj, "spec": {**mapping_at(obj, "spec"), "spec": whole} if at[1:] else whole}


def _read_class(reader: _Reader, obj: Mapping[str, object]) -> JsonObject | None:
    found = reader.of_class(reader.fields(_but(obj, *_IDENTITY, "status"), (), "around a class"))
    return found if "selectors" in found else None


def _read_slice(_: _Reader, obj: Mapping[str, object]) -> JsonObject | None:
    """The slice with what v1beta1 has in `basic` of its devices in the devices."""
    spec = mapping_at(obj, "spec")
    devices = [each for each in list_at(spec, "devices") if isinstance(each, dict)]
    hoisted = [{**_but(each, "basic"), **mapping_at(each, "basic")} for each in devices]
    return {**spec, "devices": hoisted} if devices else None


def _but(fields: Mapping[str, object], *names: str) -> JsonObject:
    return {name: each for name, each in fields.items() if name not in names}


def _read_claim(reader: _Reader, obj: Mapping[str, object]) -> JsonObject | None:
    spec, kind = mapping_at(obj, "spec"), obj.get("kind")
    if kind not in ("ResourceClaim", "ResourceClaimTemplate"):
        return None
    metadata = spec.get("metadata") if kind == "ResourceClaimTemplate" else None
    of_pods = isinstance(metadata, dict)
    own = _but(spec, "metadata") if of_pods else spec
    if isinstance(own.get("devices"), int):
        own = {**_but(own, "devices"), "count": own["devices"]}
    below = {**_but(obj, *_IDENTITY, "status"), "spec": own}
    fields = reader.fields(below, (), "around a claim")
    found: JsonObject = {"devices": reader.devices(fields)}
    if "requests" not in found["devices"]:
        return None
    if kind == "ResourceClaimTemplate":
        return {**({"metadata": metadata} if of_pods else {}), "spec": found}
    return found


def in_pod(obj: Mapping[str, object], path: FieldPath, drivers: Catalogue) -> str | None:
    """What to write where an entry of a pod's resourceClaims has what is asked for, at a path, and names no claim."""
    at = path[: path.index("resourceClaims") + 2]
    entry = find_at(obj, at)
    own = _but(mapping_at({"": entry}, ""), *_OF_ENTRY)
    reader = _Reader(drivers)
    devices = reader.devices(reader.fields(own, at, "around a claim"))
    if "requests" not in devices or path[len(at)] != next(iter(own), None):
        return None
    spec = render_flow({"spec": {"devices": devices}})
    lost = [f"; {each[-1]} has no place in it" for each in reader.left]
    named = "and name it here: resourceClaimTemplateName: …"
    return f"write a ResourceClaimTemplate with spec: {spec}, {named}{''.join(lost)}"


@functools.cache
def words() -> Mapping[str, tuple[str, ...]]:
    """The names of fields and kinds, by what they say."""
    from dradsl.data import data_path

    listed = json.loads(read_bytes(data_path("schemas", "field-words.json")))
    return {said: tuple(names) for said, names in listed.items()}


class _Reader:
    """What was read of one object; `left` is what has no place in v1."""

    def __init__(self, drivers: Catalogue, *, rewrites: bool = True) -> None:
        self.left: list[FieldPath] = []
        self.config: list[JsonObject] = []
        self._drivers = drivers
        self._rewrites = rewrites

    def fields(self, value: object, at: FieldPath, around: str) -> _Fields:
        """The fields of a mapping, and those of mappings that only stand around them."""
        found: _Fields = {}
        for name, each in mapping_at({"": value}, "").items():
            if isinstance(each, list) and len(each) == 1 and name in ("exactly", "spec"):
                (each,) = each
            if name in words()[around] and isinstance(each, dict):
                found |= {
                    inner: it
                    for inner, it in self.fields(each, (*at, name), around).items()
                    if inner not in found
                }
            else:
                found[str(name)] = (each, (*at, str(name)))
        return found

    def devices(self, fields: _Fields) -> JsonObject:
        """What a claim asks for."""
        value, at = _take(fields, "requests")
        read = [self.fields(e, place, "around a request") for e, place in _entries(value, at)]
        for name in words()["class"] if read else ():
            if name in fields and not any(_first(e, "class") for e in read):
                named = fields.pop(name)
                read = [{name: named} | e for e in read]
        for each in read:
            _hoist(each, fields)
        requests = [self._request(each, number) for number, each in enumerate(read)]
        if not requests and fields.keys() & set(words()["of a request"]):
            of_claim = (*words()["constraints"], *words()["config"])
            of_one = {name: fields.pop(name) for name in [*fields] if name not in of_claim}
            requests = [self._request(of_one, 0)]
        classes = [each.get("exactly", {}).get("deviceClassName") for each in requests]
        for name in fields.keys() & set(words()["class"]):  # said twice
            if fields[name][0] in classes:
                del fields[name]
        found: JsonObject = {"requests": requests} if requests and all(requests) else {}
        constraints = [*self._constraints(fields)]
        config = self._config(fields) + self.config
        self.left += [place for _, place in fields.values()]
        found |= {"constraints": constraints} if constraints else {}
        return found | ({"config": config} if config else {})

    def of_class(self, fields: _Fields) -> JsonObject:
        """What a class selects and sets up."""
        driver = self._driver(_take(fields, "driver")[0])
        selectors, at = _take(fields, "selectors")
        texts = [f'device.driver == "{driver}"'] if driver is not None else []
        schemas: _Drivers = self._schemas(driver or "", json.dumps(selectors, default=str))
        schemas = schemas or ((driver,) if driver is not None else ())
        texts += self._expressions(selectors, at, schemas)
        config = self._config(fields)
        found: JsonObject = {"config": config} if config else {}
        if "extendedResourceName" in fields:
            found["extendedResourceName"] = fields.pop("extendedResourceName")[0]
        for name, (each, place) in fields.items():
            texts += self._facts(name, each, place, schemas)
        texts[int(driver is not None) : 0] = [*_types_of(texts, schemas)]
        return {**({"selectors": _selectors(texts)} if texts else {}), **found}

    def _request(self, fields: _Fields, number: int) -> JsonObject:
        name, _ = _take(fields, "name")
        name = str(name or f"device{f'-{number + 1}' if number else ''}")
        legal = legal_name(name, dots=False) if self._rewrites else None
        named: JsonObject = {"name": legal or name}
        value, at = _take(fields, "alternatives")
        alternatives = [*_entries(value, at)]
        if alternatives:
            read = (self.fields(each, place, "around a request") for each, place in alternatives)
            several = [self._request(each, index) for index, each in enumerate(read)]
            self.left += [place for _, place in fields.values()]
            if not all(several):
                return {}
            flat = [_but(e, "exactly") | _but(e.get("exactly", {}), "adminAccess") for e in several]
            return named | {"firstAvailable": flat}
        exactly = self._exactly(fields, named["name"])
        return {**named, "exactly": exactly} if "deviceClassName" in exactly else {}

    def _is_config(self, name: str, value: object, to: str, schemas: _Drivers, of: str) -> bool:
        """Whether a field of the request `to` is one of the parameters of its driver, of the class `of` first."""
        for schema in schemas:
            if isinstance(schema, str):
                continue
            own = of.partition(".")[0]
            for kind in sorted(schema.configs, key=lambda kind: own not in kind.device_types):
                if name in mapping_at(kind.schema, "properties"):
                    every = {"apiVersion": kind.api_version, "kind": kind.kind, name: value}
                    parameters = {field: each for field, each in every.items() if each is not None}
                    opaque = {"driver": schema.name, "parameters": parameters}
                    self.config.append({"requests": [to], "opaque": opaque})
                    return True
        return False

    def _exactly(self, fields: _Fields, request: str) -> JsonObject:
        """What a request or an alternative asks for, in the order in which it is written."""
        said = ("class", "selectors", "mode", "count")
        names = {each: words()[of][0] for of in said for each in words()[of]}
        names["driver"] = "deviceClassName"
        order = [names.get(each, each) for each in fields]
        value, _ = _take(fields, "class")
        values = [*value.values()] if isinstance(value, dict) else [value]
        driver = None if any(values) else self._driver(_take(fields, "driver")[0])
        values += [driver] if self._drivers.device_class(str(driver)) is not None else []
        name = next((each for each in values if isinstance(each, str)), "")
        found: JsonObject = {"deviceClassName": self._class(name)} if name else {}
        for field in fields if name else ():
            for known in words().get(f"class of {field}", ()):
                found["deviceClassName"] = known
        text = json.dumps([each for each, _ in fields.values()], default=str)
        own = str(found.get("deviceClassName"))
        schemas = self._schemas(own, name, text)
        texts: list[str] = []
        head, _, product = name.partition("/")
        if product and head.lower() == own:
            texts += self._facts("model", product, (), schemas)
        texts += [e.selector for e in find_resources(name, self._drivers)[:1] if e.selector]
        while selectors := _first(fields, "selectors"):
            texts += self._expressions(*fields.pop(selectors), schemas)
        found |= self._amounts(fields)
        for field in [*fields]:
            each, place = fields.pop(field)
            if not self._is_config(field, each, request, schemas, own):
                texts += self._facts(field, each, place, schemas)
        found |= {"selectors": _selectors(texts)} if texts else {}
        return {each: found[each] for each in dict.fromkeys((*order, *found)) if each in found}

    def _amounts(self, fields: _Fields) -> JsonObject:
        """How many devices, how much of each, and how they are to be had."""
        kept = ("adminAccess", "tolerations", "derivedAttributes")
        found: JsonObject = {name: fields.pop(name)[0] for name in kept if name in fields}
        of, place = _take(fields, "amounts")
        if isinstance(of, list):
            of = {str(each.get("name")): each.get("value") for each in of if isinstance(each, dict)}
        if of and not isinstance(of, dict):
            self.left.append(place)
        elif of:
            of = mapping_at(of, "requests") or of
            if self._rewrites:
                of = {name: (amounts(str(each)) or [each])[-1] for name, each in of.items()}
            found["capacity"] = {"requests": of}
        for said, read in (("mode", _mode), ("count", _count)):
            value, at = _take(fields, said)
            meant = read(value)
            if meant is None or (said == "count" and found.get("allocationMode") == "All"):
                self.left += [at] if value is not None else []
            else:
                found[words()[said][0]] = meant if self._rewrites else value
        return found

    def _class(self, name: str) -> str:
        """The class that a driver installs, if that is meant, else the name in a legal form."""
        head, _, _ = name.lower().partition("/")
        for known in (name, head):
            if self._drivers.device_class(known) is not None:
                return known
        return class_meant(name, self._drivers) or legal_name(name, dots=True) or name

    def _driver(self, name: object) -> str | None:
        """The driver that is meant by a name, such as that of its maker, or the name in a legal form."""
        if not isinstance(name, str):
            return None
        alike = [each for each in self._drivers.names() if each.partition(".")[0] == name]
        named = drivers_named(name if "." in name else f"gpu-{name}", self._drivers)
        maker = name.split(".")[-2:]
        named = tuple(each for each in named if "." not in name or each.split(".")[-2:] == maker)
        meant = self._drivers.index().mistaken.get(name)
        own = (alike if len(alike) == 1 else named)[:1]
        return meant or next(iter(own), None) or legal_name(name, dots=True) or name

    def _schemas(self, *texts: str) -> _Drivers:
        """The drivers of a class or of those that texts name."""
        index = self._drivers.index()
        found: dict[str, None] = {}
        for text in texts:
            known = index.classes.get(text) or index.mistaken.get(text)
            names = [known] if known else [n for n in self._drivers.names() if n in text]
            found |= dict.fromkeys(names)
        found = found or dict.fromkeys(drivers_named(" ".join(texts), self._drivers))
        return tuple([s for name in found if (s := self._drivers.get(name)) is not None])

    def _expressions(self, value: object, at: FieldPath, schemas: _Drivers) -> Iterator[str]:
        """The conditions of a list of selectors, of one, or of names with their values."""
        for each, place in [(value, at)] if isinstance(value, dict) else _entries(value, at):
            text, inner = each, ""
            while isinstance(text, dict) and (inner := _first(text, "expression")):
                text = text[inner]
            if isinstance(text, str) and (inner or re.search(r"\w\.\w|[=<>]", text)):
                known = [each for each in schemas if not isinstance(each, str)]
                yield written_right(text, known, self._drivers) if self._rewrites else text
            elif isinstance(each, dict):
                each = dict(each)
                driver = self._driver(each.pop(_first(each, "driver"), None))
                if driver is not None:
                    yield f'device.driver == "{driver}"'
                    own = self._drivers.get(driver)
                    schemas = (own or driver,)
                for name, said in _named_values(each).items():
                    yield from self._facts(name, said, (*place, name), schemas)
            else:
                self.left.append(place)

    def _facts(self, name: str, value: object, at: FieldPath, schemas: _Drivers) -> Iterator[str]:
        """A name with a value as a condition, if a driver publishes something of the name."""
        if isinstance(value, dict | list) and name in words()["conditions"]:
            for of in list_at(value) or [value]:
                for inner, each in _named_values(mapping_at({"": of}, "")).items():
                    yield from self._facts(inner, each, (*at, inner), schemas)
            return
        while isinstance(value, dict) and (_first(value, "value") or len(value) == 1):
            value = value[_first(value, "value") or next(iter(value))]
        values = value if isinstance(value, list) else [value]
        said = _any_of(
            [
                None if isinstance(each, dict | list) else _condition(name, each, schemas)
                for each in values
            ]
        )
        for label in find_labels(name, self._drivers)[:1]:
            said = said or translate_label(label, name, str(value)).selector
        if said is None:
            self.left.append(at)
        else:
            yield said

    def _constraints(self, fields: _Fields) -> Iterator[JsonObject]:
        value, at = _take(fields, "constraints")
        for each, place in _entries(value, at):
            name = _first(each, "matched")
            if name and isinstance(each[name], str):
                standard = f"resource.kubernetes.io/{each[name]}"
                is_bare = self._rewrites and standard in standard_attributes()
                yield {
                    **({"requests": each["requests"]} if "requests" in each else {}),
                    "distinctAttribute" if "istinct" in name else "matchAttribute": (
                        standard if is_bare else each[name]
                    ),
                }
            else:
                self.left.append(place)

    def _config(self, fields: _Fields) -> list[JsonObject]:
        value, at = _take(fields, "config")
        found = []
        for each, place in _entries(value, at):
            opaque: Any = each.get("opaque", each) if isinstance(each, dict) else None
            driver = self._driver(opaque.get("driver")) if isinstance(opaque, dict) else None
            if driver is not None and isinstance(opaque.get("parameters"), dict):
                of = {"requests": each["requests"]} if "requests" in each else {}
                written = opaque["parameters"]
                if self._rewrites:
                    written, lost = written_parameters(driver, written, self._drivers)
                    self.left += [(*place, "opaque", "parameters", *path) for path in lost]
                found.append({**of, "opaque": {"driver": driver, "parameters": written}})
            else:
                self.left.append(place)
        return found


def _hoist(request: _Fields, claim: _Fields) -> None:
    """Moves what a claim says of a request out of it: constraints that compare an attribute, and config."""
    name = request.get("name", ("device",))[0]
    for said in ("constraints", "config"):
        value, at = request.get(said, (None, ()))
        found = [each for each, _ in _entries(value, at) if isinstance(each, dict)]
        if found and (said == "config" or all(_first(each, "matched") for each in found)):
            before, _ = claim.get(said, ([], at))
            claim[said] = [*list_at(before), *({**e, "requests": [name]} for e in found)], at
            del request[said]


def _take(fields: _Fields, said: str) -> tuple[Any, FieldPath]:
    """The value of the first field that says something, and its place; it is no more among the fields."""
    name = _first(fields, said)
    return fields.pop(name) if name else (None, ())


def _first(fields: object, said: str) -> str:
    names = fields if isinstance(fields, dict) else {}
    return next((each for each in words()[said] if each in names), "")


def _entries(value: Any, at: FieldPath) -> Iterator[tuple[Any, FieldPath]]:
    """The entries of a list, of mappings by name, or the only one."""
    is_one = not isinstance(value, dict) or _first(value, "no names")
    if not is_one and value and all(isinstance(e, dict) for e in value.values()):
        for name, each in value.items():
            yield {"name": name, **each}, (*at, str(name))
        return
    for index, each in enumerate(list_at(value) or ([value] if value else [])):
        yield each, (*at, index) if isinstance(value, list) else at


def _mode(value: object) -> str | None:
    """The mode that is meant; none by the words that claims had up to 1.30."""
    return {"all": "All", "exactcount": "ExactCount"}.get(str(value).lower())


def _count(value: object) -> int | None:
    return int(str(value)) if re.fullmatch("[0-9]{1,9}", str(value)) else None


def _selectors(texts: list[str]) -> list[JsonObject]:
    return [{"cel": {"expression": text}} for text in dict.fromkeys(texts)]


def _named_values(each: Mapping[str, object]) -> dict[str, object]:
    """Names with their values, also of `{key: …, operator: In, values: […]}`, but of no other operator."""
    key, operand = _first(each, "key"), _first(each, "value")
    is_equal = each.get("operator", "In") in ("In", "Equal", "Equals", "Eq", "=", "==")
    pairs = {each[key]: each[operand]} if key and operand and is_equal else each
    return {str(name): said for name, said in pairs.items()}


def _any_of(conditions: list[str | None]) -> str | None:
    known = [each for each in conditions if each is not None]
    if not known or len(known) < len(conditions):
        return None
    return known[0] if len(known) == 1 else f"({' || '.join(known)})"


def _types_of(texts: list[str], schemas: _Drivers) -> Iterator[str]:
    """The conditions on the types of device that alone have an attribute: others make the selector fail."""
    told = " ".join(texts)
    for schema in schemas:
        kinds = () if isinstance(schema, str) else schema.device_types
        for kind in kinds:
            others = [each for each in kinds if each is not kind]
            shared = {of.name for each in others for of in each.attributes.values()}
            own = {of.name for of in kind.attributes.values()} - shared
            is_read = any(re.search(rf"\]\.{name}\b", told) for name in own)
            if is_read and others and kind.discriminator and kind.discriminator not in told:
                yield kind.discriminator


def _condition(name: str, value: object, schemas: _Drivers) -> str | None:
    """`memory: 40Gi` as a condition on the capacity of that name, `model: A100` as one on the attribute."""
    plain, value = _AT_LEAST.sub("", name), value.strip("*") if isinstance(value, str) else value
    for schema in schemas:
        if isinstance(schema, str):  # an unknown driver's own names are in its domain
            said = amounts(str(value))
            if said and not said[-1].isdigit():
                return f'device.capacity["{schema}"].{plain}.compareTo(quantity("{said[-1]}")) >= 0'
            return f'device.attributes["{schema}"].{plain} == {json.dumps(value)}'
        bare = re.sub("[-_ ]", "", plain).lower()
        meant = {
            k.lower(): v
            for k, v in (*schema.mistaken.attributes.items(), *schema.mistaken.capacities.items())
        }.get(bare, bare)
        wanted = str(meant).lower()
        unit = re.search("(?i)(g|m)i?b?$", plain) if isinstance(value, int) else None
        amount = f"{value}{unit[1].upper()}i" if unit else str(value)
        for kind in schema.device_types:
            for entry in kind.capacities.values():
                if wanted in (entry.name.lower(), entry.qualified.lower()) and (
                    said := amounts(amount)
                ):
                    read = f'device.capacity["{entry.domain}"].{entry.name}'
                    return f'{read}.compareTo(quantity("{said[-1]}")) >= 0'
            for attribute in kind.attributes.values():
                if wanted in (attribute.name.lower(), attribute.qualified.lower()):
                    read = f'device.attributes["{attribute.domain}"].{attribute.name}'
                    names = attribute.products.names if attribute.products is not None else ()
                    if isinstance(value, str) and value not in names and names:
                        parts = written_parts(value, names) or (value,)
                        return f"{read}.contains({json.dumps(parts[0])})"
                    version = versions(str(value)) if attribute.type == "version" else []
                    if version:
                        return f'{read}.compareTo(semver("{version[0]}")) >= 0'
                    if isinstance(value, str | int):
                        return f"{read} == {json.dumps(value)}"
    return None


_READERS = {"DeviceClass": _read_class, "ResourceClass": _read_class, "ResourceSlice": _read_slice}
