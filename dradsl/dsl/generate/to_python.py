"""Manifests to the Python that builds them, with handles where a driver schema knows the words.

CEL keeps its very text: the spec of a claim cannot be changed once it is in
a cluster, not even by a space. Where handles say the same in other quotes or spaces, the text is
kept beside them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dradsl.dsl.building.app import object_key
from dradsl.dsl.data.fragment import ManifestError
from dradsl.dsl.data.frozen import thaw
from dradsl.dsl.data.modules import module_of
from dradsl.dsl.generate.config_text import parts_of, typed_config, typed_text
from dradsl.dsl.generate.python_text import (
    WIDTH,
    Brackets,
    Code,
    assignment,
    call,
    literal,
    named_item,
    sequence,
    statement,
)
from dradsl.dsl.generate.selector_text import SelectorText
from dradsl.dsl.generate.vocabulary import identifier
from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.configs import Config
from dradsl.dsl.objects.constraints import references
from dradsl.dsl.objects.manifest import KubernetesObject
from dradsl.dsl.objects.parameters import opaque_of
from dradsl.dsl.objects.requests import FirstAvailable, Request, Toleration, class_name
from dradsl.dsl.objects.slices import Device, DeviceTaintRule, Pool, ResourceSlice, Taint
from dradsl.records import Record, dataclass, field
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.dsl.expressions.nodes import ConditionNode
    from dradsl.dsl.objects.constraints import Constraint
    from dradsl.dsl.objects.manifest import Manifest, Metadata
    from dradsl.dsl.objects.parameters import AnyConfig
    from dradsl.dsl.objects.requests import AnyRequest
    from dradsl.values.json_types import JsonMapping

__all__ = ["to_python"]


def to_python(
    objects: Iterable[Manifest],
    catalogue: Catalogue | None = None,
    *,
    for_release: str | None = None,
    comments: Mapping[tuple[str, str, str, str], Sequence[str]] = MappingProxyType({}),
) -> str:
    """The source of a module whose `app` builds `objects` again.

    Args:
        objects: what `from_yaml` gives.
        catalogue: driver schemas; the shipped ones if None.
        for_release: the release that the app is for.
        comments: what is above an object, by its key.

    Raises:
        ManifestError: if two objects have one name; no app can hold both.
    """
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    known = shipped_catalogue() if catalogue is None else catalogue
    given = list(objects)
    _reject_twice(given)
    # The first round only finds out which handles are needed, the second avoids their names.
    draft = SelectorText(known)
    _Writer(draft, frozenset(), for_release, comments).module(given)
    selectors = SelectorText(known, names=_local_names(draft.handles))
    return _Writer(selectors, draft.used | {"app"}, for_release, comments).module(given)


def _reject_twice(objects: Iterable[Manifest]) -> None:
    keys = Counter(object_key(obj.to_dict(), number) for number, obj in enumerate(objects))
    for (_, kind, namespace, name), count in keys.items():
        if count > 1:
            full_name = f"{namespace}/{name}" if namespace else name
            raise ManifestError(f"{kind} {full_name} is there {count} times")


def _local_names(handles: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(module, handle) -> what it is called here: `gpu`, or `intel_gpu` if there are several."""
    counted = Counter(name for _, name in handles)
    return {
        (module, name): name if counted[name] == 1 else f"{module}_{name}"
        for module, name in handles
    }


@dataclass(slots=True)
class _Names:
    """Names for variables, each given once."""

    taken: set[str]

    def new(self, wanted: str, what: str) -> str:
        """`wanted`, or if there is one already `wanted_what`, `wanted_what_2` and so on."""
        plain = identifier(wanted)
        names = itertools.chain(
            (plain, f"{plain}_{what}"), (f"{plain}_{what}_{n}" for n in itertools.count(2))
        )
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name


class _Writer:
    def __init__(
        self,
        selectors: SelectorText,
        taken: Iterable[str],
        for_release: str | None,
        comments: Mapping[tuple[str, str, str, str], Sequence[str]],
    ) -> None:
        self._selectors = selectors
        self._comments = comments
        self._for_release = for_release
        self._claims: dict[_ClaimKey, _Claimed] = {}
        self._names = _Names({*taken, *selectors.names.values()})
        self._used: set[str] = {"App"}
        self._classes: dict[str, tuple[str, tuple[ConditionNode, ...]]] = {}

    def module(self, objects: Sequence[Manifest]) -> str:
        """The whole source: classes first, so that requests can name them."""
        classes = [obj for obj in objects if isinstance(obj, DeviceClass)]
        counted = [obj.name for obj in classes]
        body: list[str] = []
        for one in classes:
            body += [*self._above(one), self._class(one, counted.count(one.name) == 1)]
        self._claims = dict(_claims_of_pods(objects))
        # What pods name goes before them.
        rest = [obj for obj in objects if not isinstance(obj, DeviceClass)]
        rest.sort(key=lambda obj: _key_of(obj) not in self._claims)
        for obj in rest:
            body += [*self._above(obj), *self._object(obj)]
        release = self._for_release
        app = call("App", **({} if release is None else {"for_release": literal(release)}))
        made = [assignment("app", app), *(["", *body] if body else []), ""]
        head = self._head()
        if any("unguarded == " in line for line in body):
            head.insert(0, "# ruff: noqa: E712 - comparisons are built, not asked\n")
        return "\n".join([*head, *made])

    def _above(self, obj: Manifest) -> list[str]:
        return [f"# {printable(line)}" for line in self._comments.get(obj.key, ())]

    def _head(self) -> list[str]:
        line = _import("dradsl", _sorted(self._used | self._selectors.used))
        imports = []
        for module in sorted({module for module, _ in self._selectors.handles}):
            names = {n: to for (one, n), to in self._selectors.names.items() if one == module}
            each = [n if names[n] == n else f"{n} as {names[n]}" for n in _sorted(names)]
            imports.append(_import(f"dradsl.devices.{module}", each))
        return [line, *imports, ""]

    def _object(self, obj: Manifest) -> Iterator[str]:
        match obj:
            case ResourceClaim() | ResourceClaimTemplate():
                key = _key_of(obj)
                if key in self._claims:
                    claimed = self._claims[key]
                    claimed.variable = self._names.new(obj.name, "claim")
                    for one in obj.requests:
                        if one.name in claimed.requests:
                            claimed.names[one.name] = self._names.new(one.name, "request")
                    code = self._claim(obj, claimed.names)
                    yield assignment(claimed.variable, call("app.add", code))
                    return
                code = self._claim(obj)
            case ResourceSlice():
                code = self._slice(obj)
            case DeviceTaintRule():
                code = self._taint_rule(obj)
            case _:
                data = obj.to_dict()
                claims: dict[str, _PodClaimed] = {}
                yield from self._pod_claims(data, claims)
                code = self._call("KubernetesObject", _with_claims(data, claims))
        yield statement(call("app.add", code))

    def _pod_claims(
        self, data: Mapping[str, object], claims: dict[str, _PodClaimed]
    ) -> Iterator[str]:
        """The PodClaims of the object's pods, by their names there."""
        for entry, key in _entries(data):
            claimed = self._claims.get(key)
            if claimed is None or not claimed.variable:
                continue
            if entry["name"] in claims:
                claims.clear()  # two pods of one object, with claims of one name
                return
            variable = self._names.new(entry["name"], "devices")
            claims[entry["name"]] = _PodClaimed(variable, entry, claimed.names)
            made = self._call("PodClaim", literal(entry["name"]), claimed.variable)
            yield assignment(variable, made)

    def _call(self, name: str, /, *items: Code, **keywords: Code | None) -> Brackets:
        self._used.add(name)
        return call(name, *items, **{k: v for k, v in keywords.items() if v is not None})

    def _class(self, obj: DeviceClass, is_only: bool) -> str:
        select, made = self._selectors.select(_texts(obj.to_dict()["spec"]))
        resource = obj.extended_resource_name
        code = self._call(
            "DeviceClass",
            literal(obj.name),
            **_metadata(obj),
            select=select,
            configs=_list(self._opaque(one) for one in obj.configs),
            extended_resource_name=None if resource is None else literal(resource),
        )
        if not is_only:
            return statement(call("app.add", code))
        variable = self._names.new(obj.name, "class")
        self._classes[obj.name] = variable, made
        return assignment(variable, call("app.add", code))

    def _claim(
        self,
        obj: ResourceClaim | ResourceClaimTemplate,
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> Code:
        configs = [one if isinstance(one, Config) else Config(one) for one in obj.configs]
        chosen = _Chosen(tuple(obj.requests))
        chosen.names.update(names)
        holders: tuple[Constraint | Config, ...] = (*obj.constraints, *configs)
        for holder in holders:
            for one in holder.requests:
                if not isinstance(one, str) and (place := chosen.place(one)) not in chosen.names:
                    chosen.names[place] = self._names.new(one.name, "request")
        parts = {
            "namespace": None if obj.namespace is None else literal(obj.namespace),
            **_metadata(obj),
            "requests": _list(self._request(one, one.name, chosen.names) for one in obj.requests),
            "constraints": _list(
                self._constraint(one, chosen, _class_names(obj)) for one in obj.constraints
            ),
            "configs": _list(self._config(one, chosen) for one in configs),
        }
        if isinstance(obj, ResourceClaimTemplate):
            parts["claim_labels"] = _data(obj.claim_labels)
            parts["claim_annotations"] = _data(obj.claim_annotations)
        elif obj.status is not None:
            parts["status"] = literal(thaw(obj.status))
        return self._call(type(obj).__name__, literal(obj.name), **parts)

    def _request(self, one: AnyRequest, place: str, names: Mapping[str, str]) -> Code:
        if isinstance(one, FirstAvailable):
            inner = [self._request(a, f"{place}/{a.name}", names) for a in one.alternatives]
            code = self._call("FirstAvailable", literal(one.name), *inner)
        else:
            code = self._exact(one)
        name = names.get(place)
        return code if name is None else named_item(f"{name} := ", code)

    def _exact(self, one: Request) -> Brackets:
        details = one.details()
        name = details["deviceClassName"]
        variable, of_class = self._classes.get(name, (None, ()))
        select, _ = self._selectors.select(_texts(details), of_class, name)
        handle = self._selectors.handle_of(name) if variable is None else None
        return self._call(
            "Request",
            literal(one.name),
            variable or handle or literal(name),
            select=select,
            count=_optional(one.count),
            allocation_mode=_optional(one.allocation_mode),
            admin_access=_optional(one.admin_access),
            tolerations=_list(self._parts(item, Toleration) for item in one.tolerations),
            capacity=_data({str(key): amount for key, amount in one.capacity.items()}),
            derived_attributes=_data(one.derived_attributes),
        )

    def _constraint(self, one: Constraint, chosen: _Chosen, class_names: Sequence[str]) -> Code:
        word = "same" if one.rule == "matchAttribute" else "distinct"
        member = self._selectors.attribute(one.attribute, class_names)
        attribute = literal(one.attribute) if member is None else member
        return self._call(word, attribute, *chosen.references(one.requests))

    def _config(self, one: Config, chosen: _Chosen) -> Code:
        opaque = self._opaque(one.parameters)
        if not one.requests:
            return opaque
        return self._call("Config", opaque, *chosen.references(one.requests))

    def _opaque(self, one: AnyConfig) -> Code:
        typed = typed_config(one)
        if typed is not None:
            module = module_of(typed.__driver__) or ""
            self._selectors.handles.update((module, name) for name in parts_of(typed))
            names = self._selectors.names
            return typed_text(typed, lambda name: names.get((module, name), name))
        data = opaque_of(one)
        return self._call("Opaque", literal(data["driver"]), literal(data["parameters"]))

    def _slice(self, obj: ResourceSlice) -> Code:
        return self._call(
            "ResourceSlice",
            literal(obj.name),
            **_metadata(obj),
            driver=literal(obj.driver),
            pool=self._parts(obj.pool, Pool),
            node_name=_optional(obj.node_name),
            all_nodes=_optional(obj.all_nodes),
            devices=_list(self._device(one) for one in obj.devices),
            other=_data(obj.other),
        )

    def _device(self, one: Device) -> Code:
        attributes = {key: _scalar(value) for key, value in thaw(one.attributes).items()}
        capacity = {key: _amount(value) for key, value in thaw(one.capacity).items()}
        return self._call(
            "Device",
            literal(one.name),
            attributes=_data(attributes),
            capacity=_data(capacity),
            taints=_list(self._parts(item, Taint) for item in one.taints),
            other=_data(one.other),
        )

    def _taint_rule(self, obj: DeviceTaintRule) -> Code:
        return self._call(
            "DeviceTaintRule",
            literal(obj.name),
            **_metadata(obj),
            taint=self._parts(obj.taint, Taint),
            driver=_optional(obj.driver),
            pool=_optional(obj.pool),
            device=_optional(obj.device),
        )

    def _parts(self, part: Any, kind: type) -> Code:
        """A small part whose fields are all scalars; what has its default value is left out."""
        given = [one for one in fields(kind) if getattr(part, one.name) != one.default]
        positional = [literal(getattr(part, one.name)) for one in given if not one.kw_only]
        named = {one.name: literal(getattr(part, one.name)) for one in given if one.kw_only}
        return self._call(kind.__name__, *positional, **named)


_ClaimKey = tuple[str, str, str]  # kind, namespace, name


@dataclass(slots=True)
class _Claimed:
    """A claim or template that pods name: its variable, and those of requests that containers name."""

    requests: set[str]
    variable: str = ""
    names: dict[str, str] = field(default_factory=dict)


class _PodClaimed(Record):
    """A claim as a pod knows it: its variable, its entry, and the variables of its requests."""

    variable: str
    entry: Mapping[str, object]
    requests: Mapping[str, str]


def _key_of(obj: Manifest) -> _ClaimKey | None:
    if not isinstance(obj, ResourceClaim | ResourceClaimTemplate):
        return None
    return obj.kind, obj.namespace or "", obj.name


def _claims_of_pods(objects: Sequence[Manifest]) -> Iterator[tuple[_ClaimKey, _Claimed]]:
    """The claims among `objects` that pods among them name."""
    there = {_key_of(obj) for obj in objects} - {None}
    found: dict[_ClaimKey, _Claimed] = {}
    for obj in objects:
        if not isinstance(obj, KubernetesObject):
            continue
        data = obj.to_dict()
        for entry, key in _entries(data):
            if key in there:
                claimed = found.setdefault(key, _Claimed(set()))
                claimed.requests |= {
                    request
                    for one in _uses(data)
                    if one.get("name") == entry["name"]
                    and isinstance(request := one.get("request"), str)
                }
    yield from found.items()


_KINDS = {
    "resourceClaimName": ResourceClaim.kind,
    "resourceClaimTemplateName": ResourceClaimTemplate.kind,
}


def _entries(data: JsonMapping) -> Iterator[tuple[JsonMapping, _ClaimKey]]:
    """The entries of `resourceClaims` anywhere in an object, and the claims that they mean."""
    metadata = data.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    for entry in _items(data, "resourceClaims"):
        for key, kind in _KINDS.items():
            if entry.keys() == {"name", key} and all(isinstance(v, str) for v in entry.values()):
                yield entry, (kind, str(namespace or ""), entry[key])


def _uses(data: Any) -> Iterator[JsonMapping]:
    """The entries of `claims` anywhere in an object."""
    return _items(data, "claims")


def _items(data: Any, name: str) -> Iterator[JsonMapping]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key == name and isinstance(value, list):
                yield from (one for one in value if isinstance(one, dict))
            else:
                yield from _items(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _items(value, name)


def _with_claims(data: Any, claims: Mapping[str, _PodClaimed], key: str = "") -> Code:
    """Plain data, with what PodClaims give in the places of the entries that they stand for."""
    if isinstance(data, dict):
        claimed = claims.get(str(data.get("name")))
        if claimed is not None and key == "resourceClaims" and data == claimed.entry:
            return f"{claimed.variable}.to_dict()"
        if claimed is not None and key == "claims" and data.keys() == {"name"}:
            return f"{claimed.variable}.container()"
        if claimed is not None and key == "claims" and data.keys() == {"name", "request"}:
            request = claimed.requests.get(str(data["request"]))
            if request is not None:
                return f"{claimed.variable}.container({request})"
        entries = (
            named_item(f"{literal(name)}: ", _with_claims(value, claims, name))
            for name, value in data.items()
        )
        return Brackets("{", tuple(entries), "}")
    if isinstance(data, list):
        return sequence([_with_claims(one, claims, key) for one in data])
    return literal(data)


class _Chosen:
    """The requests of a claim that constraints and configurations were given as objects.

    `names` are their variables, by their place in the claim: "gpu", or "gpu/large" for an alternative.
    """

    def __init__(self, requests: Sequence[AnyRequest]) -> None:
        self._requests = requests
        self.names: dict[str, str] = {}

    def place(self, one: AnyRequest) -> str:
        """Where a request is in the claim, itself or an equal one."""
        [place] = references((one,), self._requests)["requests"]
        return place

    def references(self, requests: Iterable[AnyRequest | str]) -> Iterable[Code]:
        for one in requests:
            yield literal(one) if isinstance(one, str) else self.names[self.place(one)]


def _class_names(obj: ResourceClaim | ResourceClaimTemplate) -> list[str]:
    requests = [
        request
        for one in obj.requests
        for request in (one.alternatives if isinstance(one, FirstAvailable) else (one,))
    ]
    return list(dict.fromkeys(class_name(one.device_class, one.name) for one in requests))


def _texts(holder: JsonMapping) -> list[str]:
    return [one["cel"]["expression"] for one in holder.get("selectors", ())]


def _metadata(obj: Metadata) -> dict[str, Code | None]:
    return {
        "labels": _data(obj.labels),
        "annotations": _data(obj.annotations),
        "metadata": _data(obj.metadata),
    }


def _data(value: JsonMapping) -> Code | None:
    return literal(thaw(value)) if value else None


def _list(items: Iterable[Code]) -> Code | None:
    found = list(items)
    return sequence(found) if found else None


def _optional(value: object) -> Code | None:
    return None if value is None else literal(value)


def _scalar(value: JsonMapping) -> object:
    """An attribute's value as `Device` takes it, where Python's type says enough."""
    kinds = {"string": str, "int": int, "bool": bool}
    if len(value) == 1:
        [(name, scalar)] = value.items()
        if type(scalar) is kinds.get(name):
            return scalar
    return value


def _amount(value: Mapping[str, object]) -> object:
    return value["value"] if set(value) == {"value"} and type(value["value"]) is str else value


def _sorted(names: Iterable[str]) -> list[str]:
    """Constants, classes, the rest: as import sorters want them."""

    def order(name: str) -> tuple[int, str]:
        return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name

    return sorted(names, key=order)


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])
