"""A claim or class of an earlier or a mixed shape in that of v1: what its author meant by fields that v1 does not have.

The fields that are read, by what they say, are in `field_words.json`. What has no place in v1 is left, and named.
"""

from __future__ import annotations

import json
import re

from dradsl.drivers.rewriting.conditions import (
    Said,
    joined,
    operator,
    product_in,
    types_of,
    words,
)
from dradsl.drivers.rewriting.expressions import written_right
from dradsl.drivers.rewriting.meant import IDENTITY, Meant
from dradsl.drivers.rewriting.parameters import written_parameters
from dradsl.drivers.schema.device_plugin import (
    class_meant,
    find_labels,
    find_resources,
    translate_label,
)
from dradsl.drivers.schema.read import standard_attributes
from dradsl.drivers.suggestions.literals import amounts
from dradsl.drivers.suggestions.names import attributes_called, in_camel_case
from dradsl.drivers.suggestions.products import class_named, drivers_named
from dradsl.kube.fields.table import GROUP
from dradsl.records import replace
from dradsl.text.render import render_flow
from dradsl.values.names import legal_name
from dradsl.values.plain import find_at, list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.rewriting.conditions import Drivers
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.values.json_types import JsonObject

    Named: TypeAlias = Callable[[str, str], Mapping[str, object] | None]
    _Fields: TypeAlias = "dict[str, tuple[Any, FieldPath]]"  # by name: value and place

__all__ = ["Meant", "as_v1", "form", "in_pod", "typed_value", "words"]

_OF_V1ALPHA3 = frozenset({"spec", "metadata", "devices"})
_UNKNOWN = "no driver {} is known: write the name that its ResourceSlices have"
_OF_ENTRY = ("name", "resourceClaimName", "resourceClaimTemplateName")


def as_v1(
    obj: Mapping[str, object],
    drivers: Catalogue,
    named: Named = lambda *_: None,
    beside: Callable[[], Sequence[Mapping[str, object]]] = tuple,
) -> Meant | None:
    """A claim, a template or a class in v1; None if nothing in it says what is asked for.

    `named` gives the object of parameters of a kind and name, `beside` the objects of the same file.
    """
    whole, notes = _with_parameters(obj, named)
    read = _READERS.get(str(obj.get("kind")), _read_claim)
    reader, as_written = (_Reader(drivers, beside, rewrites=each) for each in (True, False))
    spec = read(reader, whole)
    if spec is None:
        return None
    moved, left = read(as_written, whole), reader.left
    names = mapping_at(obj, "spec", "spec").keys() | mapping_at(obj, "spec").keys()
    is_converted = obj.get("apiVersion") == f"{GROUP}/v1alpha3" and names <= _OF_V1ALPHA3
    said = (*notes, *reader.notes)
    return Meant(whole, spec, moved or spec, left, said, is_converted and not left and not said)


def _with_parameters(
    obj: Mapping[str, object], named: Named
) -> tuple[Mapping[str, object], list[str]]:
    """The object with what the one that its `parametersRef` names asks for in its spec, and what becomes of that one."""
    places = (("spec", "spec"), ("spec",), ())
    at = next((each for each in places if _first(mapping_at(obj, *each), "parameters")), ())
    spec = mapping_at(obj, *at)
    reference = mapping_at(spec, _first(spec, "parameters"))
    kind = str(reference.get("kind"))
    found = named(kind, str(reference.get("name"))) if reference else None
    if not found:
        return obj, []
    own = {**_but(found, *IDENTITY, "status", "spec"), **mapping_at(found, "spec")}
    whole: Mapping[str, object] = {**_but(spec, *words()["parameters"]), **own}
    for each in words().get(f"class of {kind}", ()):
        whole = {"deviceClassName": each, **_but(whole, *words()["class"])}
    for depth in range(len(at))[::-1]:
        whole = {**mapping_at(obj, *at[:depth]), at[depth]: whole}
    note = f"remove the object {kind}: this has its fields, as far as they have a place"
    return whole, [note]


def _read_class(reader: _Reader, obj: Mapping[str, object]) -> JsonObject | None:
    fields = reader.fields(_but(obj, *IDENTITY, "status", "name"), (), "around a class")
    found = reader.of_class(fields, str(mapping_at(obj, "metadata").get("name")))
    return found if found.keys() & {"selectors", "config"} else None


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
    below = {**_but(obj, *IDENTITY, "status"), "spec": own}
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
    reader = _Reader(drivers, tuple)
    devices = reader.devices(reader.fields(own, at, "around a claim"))
    if "requests" not in devices or path[len(at)] != next(iter(own), None):
        return None
    spec = render_flow({"spec": {"devices": devices}})
    lost = [f"; {each[-1]} has no place in it" for each in reader.left]
    named = "and name it here: resourceClaimTemplateName: …"
    return f"write a ResourceClaimTemplate with spec: {spec}, {named}{''.join(lost)}"


def typed_value(path: FieldPath, value: object) -> str | None:
    """What to write for the type beside a value of a slice that is called as in Go, or as in another place."""
    name, around = str(path[-1]), path[-3]
    if around == "capacity" and not isinstance(value, dict | list):
        return f"write value: {(amounts(str(value)) or [str(value)])[-1]}"
    if around == "attributes" and "." in str(path[-2]) and isinstance(value, dict):
        return f"it is in what is to be written for {path[-2]}"
    typed = name.removesuffix("Value")
    is_typed = around == "attributes" and typed != name and not isinstance(value, dict | list)
    return f"write {typed}: {render_flow(value)}" if is_typed else None


def form(kind: str, version: str) -> str:
    """What objects of a kind are to be written like where nothing in one says what is asked for; "" if that is not known."""
    known = words().get(f"{kind} of {version}") or words().get(f"form of {kind}") or ("",)
    return known[0].format(GROUP) if "alpha" in version or kind != "ResourceSlice" else ""


class _Reader:
    """What was read of one object; `left` is what has no place in v1, with why, `notes` what else is to be said."""

    def __init__(
        self,
        drivers: Catalogue,
        beside: Callable[[], Sequence[Mapping[str, object]]],
        *,
        rewrites: bool = True,
    ) -> None:
        self.left: dict[FieldPath, str] = {}
        self.notes: list[str] = []
        self.config: list[JsonObject] = []
        self._drivers = drivers
        self._beside = beside
        self._rewrites = rewrites
        self._schemas_of: dict[str, Drivers] = {}  # by request
        self._names: dict[str, str] = {}  # of requests, as they are written

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
        asked = next((e for e in words()["requests"] if e in fields and _is_asked(*fields[e])), "")
        value, at = fields.pop(asked, (None, ()))
        read = [self.fields(e, place, "around a request") for e, place in _entries(value, at)]
        read = _with_those_beside(read, fields)
        for each in read:
            _hoist(each, fields)
        requests = [self._request(each, number) for number, each in enumerate(read)]
        if not requests and fields.keys() & {*words()["of a request"]}:
            of_claim = (*words()["constraints"], *words()["config"])
            own = {name: fields.pop(name) for name in [*fields] if name not in of_claim}
            requests = [self._request(own, 0)]
        classes = [each.get("exactly", {}).get("deviceClassName") for each in requests]
        for name in fields.keys() & {*words()["class"]}:  # said twice
            if fields[name][0] in classes:
                del fields[name]
        found: JsonObject = {"requests": requests} if requests and all(requests) else {}
        constraints = [*self._constraints(fields)]
        config = self._config(fields) + self.config
        self.left |= {place: "" for _, place in fields.values()}
        found |= {"constraints": constraints} if constraints else {}
        return found | ({"config": config} if config else {})

    def of_class(self, fields: _Fields, called: str) -> JsonObject:
        """What a class of a name selects and sets up."""
        fields = self._with_parameters(fields, but="config")
        written = _take(fields, "driver")[0]
        driver = self._driver(written)
        selectors, at = _take(fields, "selectors")
        texts = [f'device.driver == "{driver}"'] if driver is not None else []
        schemas: Drivers = self._schemas(driver or "", json.dumps(selectors, default=str))
        schemas = schemas or ((driver,) if driver is not None else ())
        self._note_driver(written, driver)
        texts += self._expressions(selectors, at, schemas)
        self._schemas_of[""] = schemas
        config = self._config(fields)
        extended = fields.pop("extendedResourceName", None)
        texts += self._rest(fields, "", schemas)
        config += self.config
        if driver is None and not texts and len({each["opaque"]["driver"] for each in config}) == 1:
            driver = config[0]["opaque"]["driver"]
            texts.append(f'device.driver == "{driver}"')
        for each, _ in _entries(selectors, at):
            driver = driver or self._driver(_as_mapping(each).get(_first(each, "driver")))
        texts += product_in(called, schemas) if texts[1:] == [] and driver is not None else []
        usual = self._usual_type(driver, f"{called} {texts}")
        texts[int(driver is not None) : 0] = [*types_of(texts, schemas)] or usual
        found: JsonObject = {"selectors": _selectors(texts)} if texts else {}
        found |= {"config": config} if config else {}
        return found | ({"extendedResourceName": extended[0]} if extended else {})

    def _usual_type(self, driver: str | None, told: str) -> list[str]:
        """The type of device of the driver's own class, where it has others and none of them is meant in the file."""
        schema, own = self._drivers.get(driver or ""), self._drivers.device_class(driver or "")
        kinds = schema.device_types if schema is not None else ()
        usual = " ".join(own[1].selectors).replace("'", '"') if own is not None else ""
        told += json.dumps([*self._beside()], default=str)
        others = [each.name for each in kinds if str(each.discriminator) not in usual]
        tests = [e.discriminator for e in kinds if e.discriminator and e.discriminator in usual]
        is_told = re.search(rf"(?i)\b({'|'.join((*others, 'profile'))})\b|\.type\b", told)
        return tests[:1] if others and not is_told else []

    def _request(self, fields: _Fields, number: int) -> JsonObject:
        name, _ = _take(fields, "name")
        written = str(name or f"device{f'-{number + 1}' if number else ''}")
        legal = legal_name(written, dots=False) if self._rewrites else None
        named: JsonObject = {"name": legal or written}
        self._names[written] = legal or written
        value, at = _take(fields, "alternatives")
        alternatives = [*_entries(value, at)]
        if alternatives:
            read = (self.fields(each, place, "around a request") for each, place in alternatives)
            several = [self._request(each, index) for index, each in enumerate(read)]
            self.left |= {place: "" for _, place in fields.values()}
            if not all(several):
                return {}
            flat = [_but(e, "exactly") | _but(e.get("exactly", {}), "adminAccess") for e in several]
            return named | {"firstAvailable": flat}
        exactly = self._exactly(fields, named["name"])
        return {**named, "exactly": exactly} if "deviceClassName" in exactly else {}

    def _is_config(self, name: str, value: object, at: FieldPath, to: str, of: str = "") -> bool:
        """Whether a field of the request `to` (of a class: "") is one of the parameters of its driver, of class `of` first."""
        for schema in self._schemas_of[to]:
            if isinstance(schema, str):
                continue
            own = of.partition(".")[0]
            for kind in sorted(schema.configs, key=lambda kind: own not in kind.device_types):
                if name in mapping_at(kind.schema, "properties"):
                    if value in ({}, [], None):
                        return True
                    every = {"apiVersion": kind.api_version, "kind": kind.kind, name: value}
                    parameters = {field: each for field, each in every.items() if each is not None}
                    self._configure(self.config, schema.name, parameters, at[:-1], [to] * bool(to))
                    return True
        return False

    def _with_parameters(self, fields: _Fields, but: str = "") -> _Fields:
        """The fields with those of mappings that are called parameters."""
        found: _Fields = {}
        for name, (value, at) in fields.items():
            is_around = name in words()["around parameters"] or f"class of {name}" in words()
            is_around = is_around and name != but and isinstance(value, dict)
            inner = self.fields(value, at, "around parameters") if is_around else {}
            own = {each: of for each, of in inner.items() if each not in (*IDENTITY, *fields)}
            found |= own if is_around else {name: (value, at)}
        return found

    def _rest(self, fields: _Fields, to: str, schemas: Drivers, of: str = "") -> Iterator[str]:
        """The conditions that other fields say; those of them that are parameters of the driver go into config."""
        for name, (value, at) in fields.items():
            if not self._is_config(name, value, at, to, of):
                yield from self._facts(Said(name, value), at, schemas)

    def _configure(
        self, config: list[JsonObject], driver: str, written: Any, at: FieldPath, to: object
    ) -> None:
        """Adds parameters to a config, as the driver decodes them."""
        if self._rewrites or config is self.config:  # the author wrote no such config
            written, lost = written_parameters(driver, written, self._drivers)
            self.left |= {(*at, *path): why for path, why in lost.items()}
        if written is None:
            return
        of = {"requests": to} if to else {}
        for each in config:
            own = each["opaque"]["parameters"]
            same = all(own.get(name) == written.get(name) for name in ("apiVersion", "kind"))
            if each.get("requests") == (to or None) and each["opaque"]["driver"] == driver and same:
                each["opaque"]["parameters"] = {**own, **written}
                return
        config.append({**of, "opaque": {"driver": driver, "parameters": written}})

    def _exactly(self, fields: _Fields, request: str) -> JsonObject:
        """What a request or an alternative asks for, in the order in which it is written."""
        written, fields = fields, self._with_parameters(fields)
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
        for field in written if name else ():
            for known in words().get(f"class of {field}", ()):
                found["deviceClassName"] = known
        text = json.dumps([each for each, _ in fields.values()], default=str)
        own = str(found.get("deviceClassName"))
        of_class = json.dumps(self._classes().get(own), default=str)
        schemas = self._schemas_of[request] = self._schemas(own, name, text, of_class)
        texts: list[str] = []
        head, _, product = name.partition("/")
        if product and head.lower() == own:
            texts += self._facts(Said("model", product), (), schemas)
        elif product:
            texts += product_in(product, schemas)
        texts += [e.selector for e in find_resources(name, self._drivers)[:1] if e.selector]
        while selectors := _first(fields, "selectors"):
            texts += self._expressions(*fields.pop(selectors), schemas)
        found |= self._amounts(fields)
        texts += self._rest(fields, request, schemas, own)
        found |= {"selectors": _selectors(texts)} if texts else {}
        return {each: found[each] for each in dict.fromkeys((*order, *found)) if each in found}

    def _amounts(self, fields: _Fields) -> JsonObject:
        """How many devices, how much of each, and how they are to be had."""
        kept = ("adminAccess", "tolerations", "derivedAttributes")
        found: JsonObject = {name: fields.pop(name)[0] for name in kept if name in fields}
        if self._rewrites and str(found.get("adminAccess")).lower() in ("true", "false"):
            found["adminAccess"] = str(found["adminAccess"]).lower() == "true"
        of, place = _take(fields, "amounts")
        if isinstance(of, list):
            of = {str(each.get("name")): each.get("value") for each in of if isinstance(each, dict)}
        if of and not isinstance(of, dict):
            self.left[place] = ""
        elif of:
            of = mapping_at(of, "requests") or of
            if self._rewrites:
                of = {name: (amounts(str(each)) or [each])[-1] for name, each in of.items()}
            found["capacity"] = {"requests": of}
        for said, read in (("mode", _mode), ("count", _count)):
            value, at = _take(fields, said)
            meant, is_all = read(value), _mode(found.get("allocationMode")) == "All"
            if meant is None or (said == "count" and is_all):
                why = "All takes no count" if is_all else ""
                self.left |= {at: why} if value is not None else {}
            else:
                found[words()[said][0]] = meant if self._rewrites else value
        return found

    def _classes(self) -> dict[str, Mapping[str, object]]:
        """The classes of the file by name."""
        found = [each for each in self._beside() if "Class" in str(each.get("kind"))]
        named = {str(mapping_at(each, "metadata").get("name", "")): each for each in found}
        return {name: each for name, each in named.items() if name}

    def _class(self, name: str) -> str:
        """The class of the file, or that a driver installs, if that is meant, else the name in a legal form."""
        classes = self._classes()
        if name in classes:
            return name
        head, _, _ = name.lower().partition("/")
        for known in (name, head):
            if self._drivers.device_class(known) is not None:
                return known
        own = [
            each
            for each, of in classes.items()
            if name in (of.get(_first(of, "driver")), mapping_at(of, "spec").get("driverName"))
        ]
        if len(own) == 1:
            return own[0]
        meant = class_meant(name, self._drivers)
        meant = meant or (class_named(name, self._drivers) if "/" in name else None)
        return meant or legal_name(name, dots=True) or name

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

    def _note_driver(self, written: object, driver: str | None) -> None:
        """Says that a driver is not known, or is called otherwise."""
        if driver is not None and self._drivers.get(driver) is None:
            self.notes += [] if "example" in driver else [_UNKNOWN.format(driver)]
        elif driver != written and isinstance(written, str):
            self.notes.append(f"{written}: the driver is called {driver}")

    def _schemas(self, *texts: str) -> Drivers:
        """The drivers of a class or of those that texts name."""
        index = self._drivers.index()
        found: dict[str, None] = {}
        for text in texts:
            known = index.classes.get(text) or index.mistaken.get(text)
            names = [known] if known else [n for n in self._drivers.names() if n in text]
            found |= dict.fromkeys(names)
        found = found or dict.fromkeys(drivers_named(" ".join(texts), self._drivers))
        return tuple([s for name in found if (s := self._drivers.get(name)) is not None])

    def _expressions(self, value: object, at: FieldPath, schemas: Drivers) -> Iterator[str]:
        """The conditions of a list of selectors, of one, or of names with their values."""
        for each, place in [(value, at)] if isinstance(value, dict) else _entries(value, at):
            text, inner = each, ""
            while isinstance(text, dict) and (inner := _first(text, "expression")):
                text = text[inner]
            short = (
                re.fullmatch(r"(\w+) *([<>=!]=?) *([\w.-]+)", text)
                if isinstance(text, str)
                else None
            )
            if short is not None:
                said = Said(short[1], short[3], operator(short[2]))
                yield from self._facts(said, place, schemas)
            elif isinstance(text, str) and (inner or re.search(r"\w\.\w|[=<>]", text)):
                known = [each for each in schemas if not isinstance(each, str)]
                yield written_right(text, known, self._drivers) if self._rewrites else text
            elif isinstance(each, dict):
                each = dict(each)
                written = each.pop(_first(each, "driver"), None)
                driver = self._driver(written)
                self._note_driver(written, driver)
                if driver is not None:
                    yield f'device.driver == "{driver}"'
                    own = self._drivers.get(driver)
                    schemas = (own or driver,)
                for said in _said(each):
                    yield from self._facts(said, (*place, said.name), schemas)
            else:
                self.left[place] = ""

    def _facts(self, said: Said, at: FieldPath, schemas: Drivers) -> Iterator[str]:
        """A name with a value, or names below it, as conditions, if a driver publishes something of the name."""
        name, value = said.name, said.value
        below = list_at(value) or [value]
        is_around = isinstance(value, dict | list) and name in words()["conditions"]
        before, texts = dict(self.left), list[str]()
        if name in words()["parameters"] or value in ({}, []):
            self.left |= {at: ""} if value else {}
        elif is_around or (
            isinstance(value, dict) and len(value) > 1 and not _first(value, "value")
        ):
            for each in (each for of in below for each in _said(mapping_at({"": of}, ""))):
                one = replace(each, name=name) if operator(each.name) else each
                texts += self._facts(one, (*at, each.name), schemas)
            yield from texts
            if not texts and not is_around:
                self.left = {**before, at: ""}
        elif (text := self._fact(said, schemas)) is not None:
            yield text
        else:
            known = [each.mistaken.instead for each in schemas if not isinstance(each, str)]
            self.left[at] = next((of[name] for of in known if name in of), "")

    def _fact(self, said: Said, schemas: Drivers) -> str | None:
        """A name with a value as a condition, where it is known, or is a label that a driver took the place of."""
        name, value, own = said.name, said.value, said.operator
        while isinstance(value, dict) and (_first(value, "value") or len(value) == 1):
            inner = _first(value, "value") or next(iter(value))
            own, value = own or operator(inner), value[inner]
        found: list[str | None] = []
        for each in value if isinstance(value, list) else [value]:
            labels = find_labels(name, self._drivers)[:1]
            of_label = [translate_label(label, name, str(each)).selector for label in labels]
            own_text = None
            if not isinstance(each, dict | list):
                own_text = Said(name, each, own).condition(schemas)
            found.append(own_text or next(iter(of_label), None))
        return joined(found, "&&" if own == "!=" else "||")

    def _constraints(self, fields: _Fields) -> Iterator[JsonObject]:
        value, at = _take(fields, "constraints")
        for each, place in _entries(value, at):
            name = _first(each, "matched")
            compared = each[name] if name else None
            names = compared if isinstance(compared, list) else [compared]
            field = "distinctAttribute" if "istinct" in name else "matchAttribute"
            requests = self._requests(each.get("requests")) if name else []
            of = {"requests": requests} if requests else {}
            for one in names:
                if isinstance(one, str):
                    meant = self._compared(one, requests)
                    if meant is not None:
                        yield {**of, field: meant}
                        continue
                self.left[(*place, name) if name else place] = ""

    def _requests(self, value: object) -> list[str]:
        """The names of requests, as they are called now."""
        names = re.split(r"[,\s]+", value) if isinstance(value, str) else list_at(value) or []
        known = self._names if self._rewrites else {}
        return [known.get(each, each) for each in names if each and isinstance(each, str)]

    def _compared(self, name: str, requests: list[str]) -> str | None:
        """The attribute with its domain that a constraint names; None if that cannot be told."""
        if not self._rewrites:
            return name
        domain, _, written = name.rpartition("/")
        bare = in_camel_case(written)
        standard = f"resource.kubernetes.io/{bare}"
        domain = self._drivers.index().mistaken.get(domain, domain)
        if standard in standard_attributes() and domain not in self._drivers.names():
            return standard
        every = [
            schema
            for request, of in self._schemas_of.items()
            for schema in of
            if not isinstance(schema, str) and (not requests or request in requests)
        ]
        found = attributes_called(bare, (each for each in every if domain in ("", each.name)))
        whole = f"{domain}/{bare}" if domain else None
        return found.pop() if len(found) == 1 else whole

    def _config(self, fields: _Fields) -> list[JsonObject]:
        value, at = _take(fields, "config")
        found: list[JsonObject] = []
        for each, place in _entries(value, at):
            opaque: Any = each.get("opaque", each) if isinstance(each, dict) else None
            driver = self._driver(opaque.get("driver")) if isinstance(opaque, dict) else None
            to = self._requests(each.get("requests")) if isinstance(each, dict) else []
            if driver is not None and isinstance(opaque.get("parameters"), dict):
                below = (*place, "opaque", "parameters")
                self._configure(found, driver, opaque["parameters"], below, to)
            elif not self._is_bare_config(each, place, to):
                self.left[place] = ""
        return found

    def _is_bare_config(self, value: object, at: FieldPath, to: list[str]) -> bool:
        """Whether an entry has the parameters of a driver without what belongs around them."""
        fields = self.fields(value, at, "around parameters")
        request = next((each for each in to if each in self._schemas_of), None)
        request = request or next(iter(self._schemas_of), "")
        taken = [
            name
            for name, (each, place) in fields.items()
            if self._schemas_of and self._is_config(name, each, place, str(request))
        ]
        known = {*taken, "name", "requests", "apiVersion", "kind", "driver"}
        lost = {place: "" for name, (_, place) in fields.items() if name not in known}
        self.left |= lost if taken else {}
        return bool(taken)


def _is_asked(value: object, _: FieldPath) -> bool:
    """Whether a value may be requests: no list of conditions."""
    return not isinstance(value, list) or all(isinstance(each, dict) for each in value)


def _as_mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _with_those_beside(read: list[_Fields], claim: _Fields) -> list[_Fields]:
    """The requests with the fields of one that stand beside them."""
    for said in ("class", "of every request") if read else ():
        for name in [each for each in words()[said] if each in claim]:
            if not any(_first(each, said) for each in read):
                named = claim.pop(name)
                read = [{name: named} | each for each in read]
    of_one = () if len(read) != 1 else {*words()["of a request"]} - {*words()["class"]}
    for name in [each for each in claim if each in of_one and each not in read[0]]:
        read[0][name] = claim.pop(name)
    return read


def _hoist(request: _Fields, claim: _Fields) -> None:
    """Moves what a claim says of a request out of it: constraints that compare an attribute, and config."""
    name = request.get("name", ("device",))[0]
    if "opaque" in request:
        value, at = request.pop("opaque")
        request["config"] = [{"opaque": value}], at[:-1]
    for said in ("constraints", "config"):
        value, at = request.get(said, (None, ()))
        found = [each for each, _ in _entries(value, at) if isinstance(each, dict)]
        found = [
            {"matchAttribute": next(iter(e))} if [*e.values()] in (["same"], ["match"]) else e
            for e in found
        ]
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
    word = re.sub("[-_ ]", "", str(value)).lower()
    return {"all": "All", "exactcount": "ExactCount", "exact": "ExactCount"}.get(word)


def _count(value: object) -> int | None:
    return int(str(value)) if re.fullmatch("[0-9]{1,9}", str(value)) else None


def _selectors(texts: Iterable[str]) -> list[JsonObject]:
    return [{"cel": {"expression": text}} for text in dict.fromkeys(texts)]


def _said(each: Mapping[str, object]) -> Iterator[Said]:
    """Names with their values, also of `{key: …, operator: In, values: […]}`."""
    key = _first(each, "key")
    operand, sign = _first(each, "value"), operator(each.get("operator", "In"))
    if key and sign and (operand or sign.endswith("has")):
        yield Said(str(each[key]), each.get(operand), "" if sign == "==" else sign)
        return
    for name, value in each.items():
        yield Said(str(name), value, operator(name))


_READERS = {"DeviceClass": _read_class, "ResourceClass": _read_class, "ResourceSlice": _read_slice}
