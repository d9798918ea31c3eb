"""A recipe with values becomes objects, and what a pod gets of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.device_plugin import quote
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.migrate.edits.operations import Append, Put, on_data
from dradsl.records import dataclass
from dradsl.scaffolding.recipes import ScaffoldError, nearest, workloads
from dradsl.scaffolding.values import checked, device_type, offer_of, published
from dradsl.tree.charts.recipes import filled
from dradsl.values.plain import find_at, mappings_at
from dradsl.values.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.edits.operations import Operation
    from dradsl.scaffolding.values import Offer, Value
    from dradsl.text.paths import FieldPath
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["Scaffold", "pod_operations"]

_NUM_GPUS = ("rayStartParams", "num-gpus")


@dataclass(slots=True)
class Scaffold:
    """A recipe and what was given for its parameters.

    `given` are texts by key. `slices` are recorded ResourceSlices: then only what they have can be given.
    """

    recipe: JsonMapping
    given: dict[str, str]
    catalogue: Catalogue
    slices: Sequence[JsonMapping] = ()
    namespace: str | None = None

    def row(self, device: str) -> JsonMapping:
        """The devices that a request gets, by the driver that was chosen."""
        rows: list[JsonMapping] = self.recipe["devices"][device]
        return next((row for row in rows if row["driver"] == self.given.get("driver")), rows[0])

    def offer(self, key: str) -> Offer | None:
        """What may be given for a parameter."""
        parameter = self.recipe["parameters"][key]
        row = self.row(parameter["of"]) if "of" in parameter else None
        return offer_of(parameter, row, self.catalogue, self.slices)

    def check(self) -> None:
        """Check the keys and values that were given.

        Raises:
            ScaffoldError: for the first that cannot be given.
        """
        parameters = self.recipe["parameters"]
        for key in self.given:
            if key not in parameters:
                raise ScaffoldError(
                    f"{self.recipe['recipe']} has no {key}; {nearest(key, parameters)}"
                )
        self._values()

    def missing(self) -> Iterator[str]:
        """The keys that must be given, and are not."""
        for key, parameter in self.recipe["parameters"].items():
            if "required" in parameter and key not in self.given:
                yield key

    def _values(self) -> dict[str, Value | None]:
        """The values of the parameters; None for what is left out."""
        values: dict[str, Value | None] = {}
        for key, parameter in self.recipe["parameters"].items():
            values[key] = parameter.get("default")
            if key in self.given:
                driver = self.row(parameter["of"])["driver"] if "of" in parameter else ""
                values[key] = checked(key, parameter, self.given[key], self.offer(key), driver)
        for key, parameter in self.recipe["parameters"].items():
            if parameter["type"] == "capacity" and values[key] is not None:
                self._expect_enough(key, parameter, values)
        return values

    def _expect_enough(
        self, key: str, parameter: JsonMapping, values: Mapping[str, Value | None]
    ) -> None:
        """Reject an amount that the chosen model does not have."""
        known = published(self.catalogue, self.row(parameter["of"]), parameter)
        examples = known.examples if isinstance(known, CapacitySchema) else None
        for model in values.values():
            has = (examples or {}).get(str(model))
            if has is not None and Quantity.decode(has) < Quantity.decode(str(values[key])):
                raise ScaffoldError(f"{key}: {model} has {has}, less than {values[key]}")

    def _names(self) -> dict[str, object]:
        """What takes the place of placeholders."""
        values = self._values()
        namespace = self.namespace or self.recipe.get("namespace")
        names: dict[str, object] = {**values, "namespace": namespace}
        for device in self.recipe["devices"]:
            row = self.row(device)
            names |= {f"{device}.{part}": row.get(part) for part in ("class", "driver", "config")}
        for name, (device, *keys) in self.recipe["selectors"].items():
            names[name] = list(self._selectors(self.row(device), keys, values)) or None
        return names

    def objects(self) -> list[JsonObject]:
        """The class, claim or template, and what else the recipe has besides the workload."""
        names = self._names()
        return [_without_none(filled(each, names)) for each in self.recipe["objects"]]

    def pod(self) -> JsonMapping:
        """What the pod gets: `claims`, `limits`, and the number of `accelerators`."""
        pod: JsonMapping = _without_none(filled(self.recipe["pod"], self._names()))
        return pod

    def workload(self) -> JsonObject:
        """The workload, with its claims."""
        names = self._names()
        row = workloads()[str(names["kind"])]
        data: JsonObject = _without_none(filled(row["object"], names))
        pod = tuple(row["pod"])
        containers = [each["name"] for each in find_at(data, (*pod, "containers"))]
        container = (*pod, "containers", containers.index(row["container"]))
        changed: JsonObject = on_data(data, pod_operations(data, pod, container, self.pod()))
        return changed

    def _selectors(
        self, row: JsonMapping, keys: Sequence[str], values: Mapping[str, Value | None]
    ) -> Iterator[JsonObject]:
        """The selectors of a request or class: what tells the type, then one for each value."""
        schema, kind = device_type(self.catalogue, row)
        if "class-selects" in row and (known := schema.device_class(row["class"])) is not None:
            yield from ({"cel": {"expression": each}} for each in known.selectors)
        if "select-type" in row:
            yield {"cel": {"expression": kind.discriminator}}
        for key in keys:
            value, parameter = values[key], self.recipe["parameters"][key]
            found = published(self.catalogue, row, parameter)
            if value is not None and found is not None:
                yield {"cel": {"expression": _expression(found, value, "compare" in parameter)}}


def _expression(known: AttributeSchema | CapacitySchema, value: Value, at_least: bool) -> str:
    """The selector for a value."""
    part = "attributes" if isinstance(known, AttributeSchema) else "capacity"
    field = f'device.{part}["{known.domain}"].{known.name}'
    literal = quote(value) if isinstance(value, str) else str(value).lower()
    if isinstance(known, CapacitySchema):
        test = f"{field}.compareTo(quantity({literal})) >= 0"
    elif known.type.value == "version":
        test = f"{field}.compareTo(semver({literal})) {'>=' if at_least else '=='} 0"
    else:
        test = f"{field} == {literal}"
    # What a device lacks is a run-time error, which ends the search for the whole pod.
    always = known.presence is Presence.ALWAYS and known.lifetime.since is None
    return test if always else f"has({field}) && {test}"


def _without_none(value: Any) -> Any:
    """The data without the entries that no value fills."""
    if isinstance(value, dict):
        return {key: _without_none(each) for key, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value


def pod_operations(
    data: object, pod: FieldPath, container: FieldPath, wanted: JsonMapping
) -> list[Operation]:
    """The operations that give a pod claims or limits; none for what is there already.

    Raises:
        ScaffoldError: if something else is at its place.
    """
    operations: list[Operation] = []
    lists = (*pod, "resourceClaims"), (*container, "resources", "claims")
    for claim in wanted.get("claims", ()):
        for place, item in zip(lists, (claim, {"name": claim["name"]}), strict=True):
            there = [
                each
                for each in mappings_at(find_at(data, place))
                if each.get("name") == item["name"]
            ]
            if not there:
                operations.append(Append(place, item))
            elif place == lists[0] and there != [item]:
                raise ScaffoldError(
                    f"the pod has another claim {item['name']}; rename or remove it"
                )
    for resource, amount in wanted.get("limits", {}).items():
        limit = (*container, "resources", "limits", resource)
        asked = find_at(data, limit)
        if asked is None:
            operations.append(Put(limit, str(amount)))
        elif str(asked) != str(amount):
            raise ScaffoldError(f"the container has the limit {resource}: {asked} already")
    # Ray counts the GPUs of limits, not those of claims. The group of a pod is beside its template.
    number, group = wanted.get("accelerators"), pod[:-2]
    is_ray = isinstance(find_at(data, (*group, _NUM_GPUS[0])), dict)
    if is_ray and number is not None and find_at(data, (*group, *_NUM_GPUS)) is None:
        operations.append(Put((*group, *_NUM_GPUS), str(number)))
    return operations
