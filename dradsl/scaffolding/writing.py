"""A recipe with values becomes objects, and what a pod gets of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema, Presence
from dradsl.dsl.expressions.literals import quote
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.edits.operations import Append, Put, on_data
from dradsl.records import dataclass
from dradsl.scaffolding.recipes import DeviceRow, ScaffoldError, nearest, workloads
from dradsl.scaffolding.values import checked, device_type, offer_of, published
from dradsl.values.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.edits.operations import Operation
    from dradsl.scaffolding.recipes import ParameterRow, Recipe
    from dradsl.scaffolding.values import Offer, Value
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["Scaffold", "pod_operations"]

_PLACE = re.compile(r"\$\{([a-z.]+)\}")
_SELECT = "$select"
_NUM_GPUS = ("rayStartParams", "num-gpus")


@dataclass(slots=True)
class Scaffold:
    """A recipe and what was given for its parameters.

    `given` are texts by key. `slices` are recorded ResourceSlices: then only what they have can be given.
    """

    recipe: Recipe
    given: dict[str, str]
    catalogue: Catalogue
    slices: Sequence[JsonMapping] = ()
    namespace: str | None = None

    def expect_known_keys(self) -> None:
        """Reject a key that the recipe does not have.

        Raises:
            ScaffoldError: for the first one.
        """
        known = {row.key: row for row in self.recipe.parameters}
        for key in self.given:
            if key not in known:
                raise ScaffoldError(f"{self.recipe.name} has no {key}; {nearest(key, known)}")
        for key in ("driver", "kind", "name", "image"):
            if key in self.given:
                checked(known[key], self.given[key], self.offer(known[key]), "")

    def row(self, device: str) -> DeviceRow:
        """The devices that a request gets, by the driver that was chosen."""
        rows = self.recipe.devices[device]
        return next((row for row in rows if row.driver == self.given.get("driver")), rows[0])

    def offer(self, parameter: ParameterRow) -> Offer | None:
        """What may be given for a parameter."""
        row = self.row(parameter.of) if parameter.of else None
        return offer_of(parameter, row, self.catalogue, self.slices)

    def missing(self) -> Iterator[tuple[ParameterRow, Offer | None]]:
        """The parameters that must be given, and are not."""
        for parameter in self.recipe.parameters:
            if parameter.required and parameter.key not in self.given:
                yield parameter, self.offer(parameter)

    def values(self) -> dict[str, Value | None]:
        """All values by key; None for what is left out.

        Raises:
            ScaffoldError: for a value that cannot be given.
        """
        found: dict[str, Value | None] = {"namespace": self.namespace or self.recipe.namespace}
        for parameter in self.recipe.parameters:
            text = self.given.get(parameter.key)
            if text is None:
                found[parameter.key] = parameter.default
                continue
            driver = self.row(parameter.of).driver if parameter.of else ""
            found[parameter.key] = checked(parameter, text, self.offer(parameter), driver)
        self._expect_together(found)
        for device in self.recipe.devices:
            row = self.row(device)
            found[f"{device}.class"] = row.device_class
            found[f"{device}.driver"] = row.driver
            found[f"{device}.config"] = row.config
        return found

    def _expect_together(self, values: Mapping[str, Value | None]) -> None:
        """Reject an amount that the chosen model does not have."""
        for parameter in self.recipe.parameters:
            amount = values.get(parameter.key)
            if parameter.type != "capacity" or amount is None:
                continue
            known = published(self.catalogue, self.row(parameter.of), parameter)
            examples = known.examples if isinstance(known, CapacitySchema) else None
            for model in values.values():
                has = (examples or {}).get(str(model))
                if has is not None and Quantity.decode(has) < Quantity.decode(str(amount)):
                    raise ScaffoldError(f"{parameter.key}: {model} has {has}, less than {amount}")

    def objects(self) -> list[JsonObject]:
        """The class, claim or template, and what else the recipe has besides the workload."""
        values = self.values()
        return [self._filled(each, values) for each in self.recipe.objects]

    def pod(self) -> JsonMapping:
        """What the pod gets: `claims`, `limits`, and the number of `accelerators`."""
        pod: JsonMapping = self._filled(self.recipe.pod, self.values())
        return pod

    def workload(self) -> JsonObject:
        """The workload, with its claims."""
        values = self.values()
        row = workloads()[str(values["kind"])]
        data: JsonObject = self._filled(row.object, values)
        spec: Any = data
        for step in row.pod:
            spec = spec[step]
        names = [each["name"] for each in spec["containers"]]
        container = (*row.pod, "containers", names.index(row.container))
        changed: JsonObject = on_data(data, pod_operations(data, row.pod, container, self.pod()))
        return changed

    def _filled(self, template: object, values: Mapping[str, Value | None]) -> Any:
        """The template with its values; an entry or item without one is left out."""
        if isinstance(template, str):
            whole = _PLACE.fullmatch(template)
            if whole:
                return values[whole[1]]
            return _PLACE.sub(lambda place: str(values[place[1]]), template)
        if isinstance(template, dict):
            if _SELECT in template:
                return self._selectors(template[_SELECT], values) or None
            filled = {
                self._filled(key, values): self._filled(item, values)
                for key, item in template.items()
            }
            return {key: item for key, item in filled.items() if item is not None}
        if isinstance(template, list):
            return [self._filled(item, values) for item in template]
        return copy_plain(template)

    def _selectors(
        self, words: Sequence[str], values: Mapping[str, Value | None]
    ) -> list[JsonObject]:
        """The selectors of a request or class: what tells the type, then one for each value."""
        device, *keys = words
        row = self.row(device)
        schema, kind = device_type(self.catalogue, row)
        expressions: list[str] = []
        if row.class_selects:
            known = schema.device_class(row.device_class)
            expressions += known.selectors if known is not None else ()
        if row.select_type and kind.discriminator:
            expressions.append(kind.discriminator)
        parameters = {parameter.key: parameter for parameter in self.recipe.parameters}
        for key in keys:
            value = values[key]
            if value is not None:
                expressions.append(self._expression(row, parameters[key], value))
        return [{"cel": {"expression": each}} for each in expressions]

    def _expression(self, row: DeviceRow, parameter: ParameterRow, value: Value) -> str:
        """The selector for a value."""
        known = published(self.catalogue, row, parameter)
        if known is None:
            raise ScaffoldError(f"{parameter.key}: devices of {row.driver} do not publish it")
        if isinstance(known, AttributeSchema):
            field = f'device.attributes["{known.domain}"].{known.name}'
            if known.type.value == "version":
                sign = ">=" if parameter.at_least else "=="
                test = f"{field}.compareTo(semver({quote(str(value))})) {sign} 0"
            else:
                literal = quote(value) if isinstance(value, str) else str(value).lower()
                test = f"{field} == {literal}"
        else:
            field = f'device.capacity["{known.domain}"].{known.name}'
            test = f"{field}.compareTo(quantity({quote(str(value))})) >= 0"
        # What a device lacks is a run-time error, which ends the search for the whole pod.
        always = known.presence is Presence.ALWAYS
        return test if always else f"has({field}) && {test}"


def pod_operations(
    data: object, pod: tuple[str | int, ...], container: tuple[str | int, ...], wanted: JsonMapping
) -> list[Operation]:
    """The operations that give a pod claims or limits; none for what is there already.

    Raises:
        ScaffoldError: if something else is at its place.
    """
    operations: list[Operation] = []
    claims = _list_at(data, (*pod, "resourceClaims"))
    used = [each.get("name") for each in _list_at(data, (*container, "resources", "claims"))]
    for claim in wanted.get("claims", ()):
        name = claim["name"]
        same = [each for each in claims if each.get("name") == name]
        if same and same[0] != claim:
            raise ScaffoldError(f"the pod has another claim {name} already; rename or remove it")
        if not same:
            operations.append(Append((*pod, "resourceClaims"), claim))
        if name not in used:
            operations.append(Append((*container, "resources", "claims"), {"name": name}))
    for resource, amount in wanted.get("limits", {}).items():
        place = (*container, "resources", "limits", resource)
        there = _at(data, place)
        if there is not None and str(there) != str(amount):
            raise ScaffoldError(f"the container has the limit {resource}: {there} already")
        if there is None:
            operations.append(Put(place, str(amount)))
    # Ray counts the GPUs of limits, not those of claims.
    group = pod[:-2]
    is_ray = isinstance(_at(data, (*group, _NUM_GPUS[0])), dict)
    if is_ray and "accelerators" in wanted and _at(data, (*group, *_NUM_GPUS)) is None:
        operations.append(Put((*group, *_NUM_GPUS), str(wanted["accelerators"])))
    return operations


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _list_at(data: object, path: tuple[str | int, ...]) -> list[JsonMapping]:
    found = _at(data, path)
    if found is not None and not (
        isinstance(found, list) and all(isinstance(each, dict) for each in found)
    ):
        raise ScaffoldError(f"{path[-1]} of the workload is no list of objects")
    return found or []
