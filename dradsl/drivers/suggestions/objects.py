"""A claim or class of an earlier or a mixed shape in that of v1: what its author meant by fields that v1 does not have.

The fields that are read, by what they say, are in `field_words.json`. What has no place in v1 is left, and named.
"""

from __future__ import annotations

import functools
import json
import re
from contextlib import suppress

from dradsl.drivers.suggestions.domains import with_domain
from dradsl.drivers.suggestions.literals import amounts
from dradsl.drivers.suggestions.operators import with_methods
from dradsl.drivers.suggestions.products import drivers_named, written_parts
from dradsl.kube.fields.table import GROUP
from dradsl.records import dataclass
from dradsl.text.edits import EditError, delete_entry, insert_entry, replace_value
from dradsl.text.nodes import MappingNode
from dradsl.text.render import render_flow
from dradsl.values.names import legal_name
from dradsl.values.plain import find_at, list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from dradsl.diagnostics import Edit, FieldPath
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.text.nodes import Node
    from dradsl.values.json_types import JsonObject

    _Drivers: TypeAlias = "tuple[DriverSchema | str, ...]"  # those without a schema by name
    _Fields: TypeAlias = "dict[str, tuple[Any, FieldPath]]"  # by name: value and place

__all__ = ["Meant", "as_v1", "in_pod"]

_IDENTITY = ("apiVersion", "kind", "metadata")
_OF_V1ALPHA3 = frozenset({"spec", "metadata", "devices"})
_OF_ENTRY = ("name", "resourceClaimName", "resourceClaimTemplateName")
_AT_LEAST = re.compile(r"(?i)^(min(imum)?|required|needed)[-_]?(?=.)")


@dataclass(frozen=True, slots=True)
class Meant:
    """An object in the shape of v1, and the places of the fields that say nothing there.

    `is_converted`: `dradsl convert` rewrites it, as it has no field of a shape that is no version's.
    """

    written: Mapping[str, object]
    spec: JsonObject
    left: tuple[FieldPath, ...]
    is_converted: bool

    def is_left(self, path: FieldPath) -> bool:
        """Whether the field at a path says nothing in v1."""
        return any(path[: len(each)] == each for each in self.left)

    def fields(self) -> JsonObject:
        """The fields at the top that are other ones in v1."""
        kind = self.written.get("kind")
        kind = "DeviceClass" if kind == "ResourceClass" else kind
        new = {"apiVersion": f"{GROUP}/v1", "kind": kind, "spec": self.spec}
        return {name: each for name, each in new.items() if self.written.get(name) != each}

    def text(self, below: FieldPath, words: Mapping[str, str]) -> str:
        """What to write, and about each field below a path that is left: its `words`, if there are any."""
        new = [f"{name}: {render_flow(each)}" for name, each in self.fields().items()]
        said = [f"write {' and '.join(new)}"]
        for left in self.left:
            if left[: len(below)] == below:
                name = next(str(each) for each in reversed(left) if isinstance(each, str))
                about = words.get(name) if below == () and name == left[-1] else None
                said.append(f"{name}: {about.format()}" if about else f"{name} has no place in it")
        return "; ".join(said)

    def edits(self, root: Node) -> tuple[Edit, ...]:
        """The edits that write it; none where a part of the object is elsewhere in the file."""
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
            for entry in root.entries if root.entry("spec") is None else ():
                if entry.name not in _IDENTITY:
                    edits += delete_entry(root, entry)
            return tuple(edits)
        return ()


def as_v1(obj: Mapping[str, object], drivers: Catalogue) -> Meant | None:
    """A claim, a template or a class in v1; None if nothing in it says what is asked for."""
    reader, kind, spec = _Reader(drivers), obj.get("kind"), obj.get("spec")
    if kind in ("DeviceClass", "ResourceClass"):
        own = {n: each for n, each in obj.items() if n not in _IDENTITY}
        found = reader.of_class(reader.fields(own, (), "around a class"))
        return Meant(obj, found, tuple(reader.left), False) if "selectors" in found else None
    if kind not in ("ResourceClaim", "ResourceClaimTemplate") or not isinstance(spec, dict):
        return None
    own = {n: e for n, e in spec.items() if n != "metadata" or kind == "ResourceClaim"}
    devices = reader.devices(reader.fields(own, ("spec",), "around a claim"))
    if "requests" not in devices:
        return None
    found = {"devices": devices}
    if kind == "ResourceClaimTemplate":
        metadata = spec.get("metadata")
        found = {**({"metadata": metadata} if isinstance(metadata, dict) else {}), "spec": found}
    names = mapping_at(spec, "spec").keys() | spec.keys()
    is_converted = obj.get("apiVersion") == f"{GROUP}/v1alpha3" and names <= _OF_V1ALPHA3
    return Meant(obj, found, tuple(reader.left), is_converted and not reader.left)


def in_pod(obj: Mapping[str, object], path: FieldPath, drivers: Catalogue) -> str | None:
    """What to write where an entry of a pod's resourceClaims has what is asked for, at a path, and names no claim."""
    at = path[: path.index("resourceClaims") + 2]
    entry = find_at(obj, at)
    own = {n: each for n, each in mapping_at({"": entry}, "").items() if n not in _OF_ENTRY}
    reader = _Reader(drivers)
    devices = reader.devices(reader.fields(own, at, "around a claim"))
    if "requests" not in devices or path[len(at)] != next(iter(own), None):
        return None
    spec = render_flow({"spec": {"devices": devices}})
    lost = [f"; {each[-1]} has no place in it" for each in reader.left]
    named = "and name it here: resourceClaimTemplateName: …"
    return f"write a ResourceClaimTemplate with spec: {spec}, {named}{''.join(lost)}"


@functools.cache
def _words() -> Mapping[str, tuple[str, ...]]:
    from dradsl.data import data_path

    with open(data_path("schemas", "field-words.json"), encoding="utf-8") as file:
        return {said: tuple(names) for said, names in json.load(file).items()}


class _Reader:
    """What was read of one object; `left` is what has no place in v1."""

    def __init__(self, drivers: Catalogue) -> None:
        self.left: list[FieldPath] = []
        self._drivers = drivers

    def fields(self, value: object, at: FieldPath, around: str) -> _Fields:
        """The fields of a mapping, and those of mappings that only stand around them."""
        found: _Fields = {}
        for name, each in mapping_at({"": value}, "").items():
            if isinstance(each, list) and len(each) == 1 and name in ("exactly", "spec"):
                (each,) = each
            if name in _words()[around] and isinstance(each, dict):
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
        for name in _words()["class"] if read else ():
            if name in fields and not any(_first(e, "class") for e in read):
                named = fields.pop(name)
                read = [e | {name: named} for e in read]
        requests = [self._request(each, number) for number, each in enumerate(read)]
        if not requests:
            of_one = {n: fields.pop(n) for n in [*fields] if n in _words()["of a request"]}
            requests = [self._request(of_one, 0)] if of_one else []
        classes = [each.get("exactly", {}).get("deviceClassName") for each in requests]
        for name in fields.keys() & set(_words()["class"]):  # said twice
            if fields[name][0] in classes:
                del fields[name]
        found: JsonObject = {"requests": requests} if all(map(len, requests)) and requests else {}
        constraints = [*self._constraints(fields)]
        config = self._config(fields)
        self.left += [place for _, place in fields.values()]
        found |= {"constraints": constraints} if constraints else {}
        return found | ({"config": config} if config else {})

    def of_class(self, fields: _Fields) -> JsonObject:
        """What a class selects and sets up."""
        driver = self._driver(_take(fields, "driver")[0])
        selectors, at = _take(fields, "selectors")
        texts = [f'device.driver == "{driver}"'] if driver is not None else []
        schemas = self._schemas(driver or "", json.dumps(selectors, default=str))
        texts += self._expressions(selectors, at, schemas)
        found: JsonObject = {"selectors": _selectors(texts)} if texts else {}
        config = self._config(fields)
        found |= {"config": config} if config else {}
        for name in ("extendedResourceName", "managementAccess"):
            if name in fields:
                found[name] = fields.pop(name)[0]
        self.left += [place for _, place in fields.values()]
        return found

    def _request(self, fields: _Fields, number: int) -> JsonObject:
        name, _ = _take(fields, "name")
        named: JsonObject = {"name": str(name or f"device{f'-{number + 1}' if number else ''}")}
        value, at = _take(fields, "alternatives")
        alternatives = [*_entries(value, at)]
        if alternatives:
            read = (self.fields(each, place, "around a request") for each, place in alternatives)
            several = [self._request(each, index) for index, each in enumerate(read)]
            self.left += [place for _, place in fields.values()]
            flat = [{"name": each["name"], **each.get("exactly", {})} for each in several]
            return named | {"firstAvailable": flat} if all(map(len, several)) else {}
        exactly = self._exactly(fields)
        return {**named, "exactly": exactly} if "deviceClassName" in exactly else {}

    def _exactly(self, fields: _Fields) -> JsonObject:
        value, _ = _take(fields, "class")
        name = (
            next((v for v in value.values() if isinstance(v, str)), "")
            if isinstance(value, dict)
            else value
        )
        found: JsonObject = {}
        if isinstance(name, str) and name:
            found["deviceClassName"] = self._class(name)
        said = json.dumps([each for each, _ in fields.values()], default=str)
        schemas = self._schemas(str(found.get("deviceClassName")), str(name), said)
        texts: list[str] = []
        head, _, product = str(name).partition("/")
        if product and head.lower() == found.get("deviceClassName"):
            texts += self._facts("model", product, (), schemas)
        while selectors := _first(fields, "selectors"):
            texts += self._expressions(*fields.pop(selectors), schemas)
        for field in ("adminAccess", "tolerations"):
            if field in fields:
                found[field] = fields.pop(field)[0]
        mode, at_mode = _take(fields, "mode")
        if str(mode).lower() == "all":
            found["allocationMode"] = "All"
        elif mode is not None and "exact" not in str(mode).lower():
            self.left.append(at_mode)
        count, at_count = _take(fields, "count")
        if str(count).isdigit() and "allocationMode" not in found:
            found |= {"allocationMode": "ExactCount"} if mode is not None else {}
            found["count"] = int(str(count))
        elif count is not None:
            self.left.append(at_count)
        capacity = fields.get("capacity", (None,))[0]
        if isinstance(capacity, dict) and "requests" in capacity:
            found["capacity"] = fields.pop("capacity")[0]
        for field in [*fields]:
            each, place = fields.pop(field)
            texts += self._facts(field, each, place, schemas)
        if texts:
            found["selectors"] = _selectors(texts)
        return {k: found[k] for k in (*_words()["of a request"], *found) if k in found}

    def _class(self, name: str) -> str:
        """The class that a driver installs, if that is meant, else the name in a legal form."""
        head, _, _ = name.lower().partition("/")
        for known in (name, head):
            if self._drivers.device_class(known) is not None:
                return known
        return self._drivers.class_meant(name) or legal_name(name, dots=True) or name

    def _driver(self, name: object) -> str | None:
        """The driver that is meant by a name, or the name in a legal form."""
        if not isinstance(name, str):
            return None
        return self._drivers.index().mistaken.get(name) or legal_name(name, dots=True) or name

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
        for each, place in _entries(value, at):
            text, inner = each, ""
            while isinstance(text, dict) and (inner := _first(text, "expression")):
                text = text[inner]
            if isinstance(text, str) and (inner or re.search(r"\w\.\w|[=<>]", text)):
                yield _compiling(text, schemas)
            elif isinstance(each, dict):
                each = dict(each)
                driver = self._driver(each.pop(_first(each, "driver"), None))
                if driver is not None:
                    yield f'device.driver == "{driver}"'
                    own = self._drivers.get(driver)
                    schemas = (own or driver,)
                key, operand = _first(each, "key"), _first(each, "value")
                pairs = {str(each[key]): each[operand]} if key and operand else each
                for name, said in pairs.items():
                    yield from self._facts(str(name), said, (*place, str(name)), schemas)
            else:
                self.left.append(place)

    def _facts(self, name: str, value: object, at: FieldPath, schemas: _Drivers) -> Iterator[str]:
        """A name with a value as a condition, if a driver publishes something of the name."""
        if isinstance(value, dict) and name in _words()["conditions"]:
            for inner, each in value.items():
                yield from self._facts(str(inner), each, (*at, str(inner)), schemas)
            return
        if isinstance(value, dict | list) and len(value) == 1:
            (value,) = value.values() if isinstance(value, dict) else value
        said = None if isinstance(value, dict | list) else _condition(name, value, schemas)
        if said is None:
            self.left.append(at)
        else:
            yield said

    def _constraints(self, fields: _Fields) -> Iterator[JsonObject]:
        value, at = _take(fields, "constraints")
        for each, place in _entries(value, at):
            name = _first(each, "matched")
            if name and isinstance(each[name], str):
                yield {
                    **({"requests": each["requests"]} if "requests" in each else {}),
                    "distinctAttribute" if "istinct" in name else "matchAttribute": each[name],
                }
            else:
                self.left.append(place)

    def _config(self, fields: _Fields) -> list[JsonObject]:
        value, at = _take(fields, "config")
        found = []
        for each, place in _entries(value, at):
            opaque = each.get("opaque", each) if isinstance(each, dict) else None
            driver = self._driver(opaque.get("driver")) if isinstance(opaque, dict) else None
            if driver is not None and isinstance(opaque.get("parameters"), dict):
                of = {"requests": each["requests"]} if "requests" in each else {}
                said = {"driver": driver, "parameters": opaque["parameters"]}
                found.append({**of, "opaque": said})
            else:
                self.left.append(place)
        return found


def _take(fields: _Fields, said: str) -> tuple[Any, FieldPath]:
    """The value of the first field that says something, and its place; it is no more among the fields."""
    name = _first(fields, said)
    return fields.pop(name) if name else (None, ())


def _first(fields: object, said: str) -> str:
    names = fields if isinstance(fields, dict) else {}
    return next((each for each in _words()[said] if each in names), "")


def _entries(value: Any, at: FieldPath) -> Iterator[tuple[Any, FieldPath]]:
    """The entries of a list, of mappings by name, or the only one."""
    is_one = not isinstance(value, dict) or _first(value, "no names")
    if not is_one and value and all(isinstance(e, dict) for e in value.values()):
        for name, each in value.items():
            yield {"name": name, **each}, (*at, str(name))
        return
    for index, each in enumerate(list_at(value) or ([value] if value else [])):
        yield each, (*at, index) if isinstance(value, list) else at


def _selectors(texts: list[str]) -> list[JsonObject]:
    return [{"cel": {"expression": text}} for text in texts]


def _compiling(text: str, drivers: _Drivers) -> str:
    """An expression with the domains and methods that it lacks, where there is one way to write them."""
    schemas = [each for each in drivers if not isinstance(each, str)]
    for rewrite in (with_domain, with_methods):
        last = len(text) + 1
        for each in sorted(rewrite(text, schemas), key=lambda each: -each.start):
            if each.end <= last:
                text, last = f"{text[: each.start]}{each.text}{text[each.end :]}", each.start
    return text.strip()


def _condition(name: str, value: object, schemas: _Drivers) -> str | None:
    """`memory: 40Gi` as a condition on the capacity of that name, `model: A100` as one on the attribute."""
    plain = _AT_LEAST.sub("", name)
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
                    if isinstance(value, str | int):
                        return f"{read} == {json.dumps(value)}"
    return None
