"""A chart with both ways: devices by limits as before, and by claims with a switch in its values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.migrate.chart.lines import changed_template, helper_text, objects_text
from dradsl.migrate.chart.requests import RequestReader
from dradsl.migrate.chart.template import TemplateText
from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.tree.charts.template_pods import helpers_in, pods_in, takes_no_claims
from dradsl.values.plain import mapping_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.migrate.chart.requests import Becomes, ChartAmount, PodRequests
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.mapping.targets import Hints
    from dradsl.tree.charts.template_pods import TemplatePod

__all__ = ["Chart", "SwitchPlan", "plan_switch"]

_SWITCH, _OTHER = "deviceClaims", "useDeviceClaims"
_SWITCHED = "Devices by resource claims, in the place of limits for a device plugin."
_NAMED = re.compile(r"\"([\w.-]+\.deviceClaims\.[\w-]+)\.")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the texts of its templates, values and schema by their names within its folder."""

    name: str
    templates: Mapping[str, str]
    values: str | None
    schema: str | None

    def pods(self) -> dict[str, list[TemplatePod]]:
        """The pods in the templates that make objects of a release and whose kinds may take claims; templates of tests are
        left out."""
        helpers = helpers_in(list(self.templates.values()))
        return {
            name: pods_in(text, helpers)
            for name, text in self.templates.items()
            if not (name.endswith(".tpl") or name.startswith("templates/tests/"))
            and not takes_no_claims(text)
        }


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """The files of a chart that change, new ones too; `pods` that get claims with the values `key`; and what `becomes` of
    each amount of devices. `obstacle` says why its values cannot have the key: then no file changes."""

    files: Mapping[str, str]
    pods: tuple[PodRequests, ...]
    key: str
    becomes: Mapping[ChartAmount, Becomes]
    obstacle: str | None = None

    @property
    def claims(self) -> dict[ChartAmount, Becomes]:
        """The amounts that become claims, or that an earlier run made claims of."""
        return {amount: each for amount, each in self.becomes.items() if not each.stays}


def plan_switch(
    chart: Chart,
    decide: Callable[[str], Decisions],
    hints: Callable[[str], Sequence[Hints]],
    wanted: Mapping[tuple[str, ...], frozenset[str]],
    *,
    on: bool = False,
) -> SwitchPlan:
    """The plan for a chart: `decide` says the answers for a template, `hints` what the input says about a resource, `on` is
    the default of the switch. `wanted` are the resources that values ask for, by the values that templates write whole."""
    key = _key_of(chart)
    files: dict[str, str] = {}
    every: list[PodRequests] = []
    becomes: dict[ChartAmount, Becomes] = {}
    for name, pods in chart.pods().items():
        text = chart.templates[name]
        reader = RequestReader(TemplateText(name, text), chart.name, decide(name), hints, wanted)
        found, made = reader.read(pods, key)
        files[name] = changed_template(text, found, key)
        every += found
        for amount, each in made:
            # Values that two templates write become claims in both, or stay.
            if not (amount in becomes and becomes[amount].stays):
                becomes[amount] = each
    plan = SwitchPlan({}, tuple(every), key, becomes)
    if not plan.claims:
        return plan
    if every:
        tpl = _new_name(chart, "templates/_device-claims.tpl", every)
        files[tpl] = helper_text(every, key)
        files[_new_name(chart, "templates/device-claims.yaml", every)] = objects_text(every)
    try:
        files |= _with_key(chart, key, on=on)
    except CannotEditError as error:
        return SwitchPlan({}, (), key, becomes, f"the values cannot be changed: {error}")
    changed = {name: text for name, text in files.items() if chart.templates.get(name) != text}
    return SwitchPlan(changed, tuple(every), key, becomes)


def _key_of(chart: Chart) -> str:
    """The key of the values that turns claims on: one with no other meaning."""
    texts = chart.templates.values()
    if any(f".Values.{_SWITCH}" in text for text in texts):
        return _SWITCH if any(".deviceClaims." in text for text in texts) else _OTHER
    values = chart.values or ""
    if f"# {_SWITCHED}" in values:
        return _SWITCH  # of an earlier run
    return _SWITCH if member(_data_of(values), _SWITCH) is None else _OTHER


def _new_name(chart: Chart, name: str, pods: Sequence[PodRequests]) -> str:
    """The name of a new file; that of an old one if a run ended before the pods could use what is in it."""
    named = {*_NAMED.findall(chart.templates.get(name, ""))}
    if named and named <= {pod.helper for pod in pods}:
        return name
    stem, dot, ending = name.rpartition(".")
    number = 2
    while name in chart.templates:
        name, number = f"{stem}-{number}{dot}{ending}", number + 1
    return name


def _with_key(chart: Chart, key: str, *, on: bool) -> dict[str, str]:
    """The values with the key at their end, and the schema with it, if that lists the keys that are allowed.

    Raises:
        CannotEditError: if the schema cannot have it.
    """
    made: dict[str, str] = {}
    text, default = chart.values or "", "true" if on else "false"
    if member(_data_of(text), key) is None:
        newline = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        made["values.yaml"] = f"{text}{gap}# {_SWITCHED}{newline}{key}: {default}{newline}"
    root = _data_of(chart.schema or "")
    reference = string_at(root, "$ref") or ""
    path = tuple(reference[2:].split("/")) if reference.startswith("#/") else ()
    if chart.schema and isinstance(member(root, *path, "properties"), dict):
        entry = {"description": _SWITCHED, "type": "boolean", "default": on}
        if key not in mapping_at(root, *path, "properties"):
            put = Put((*path, "properties", key), entry)
            made["values.schema.json"] = edit_text(chart.schema, [[put]])
    return made


def _data_of(text: str) -> object:
    documents = load(text.encode()).documents
    return documents[0].data if documents else None
