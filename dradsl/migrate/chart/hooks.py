"""The three places that a chart needs for claims, written into its templates, values and schema; off by default.

Without its values, each place leaves the rendered text the same to the byte: an action with `{{-` removes the line
end before it, and the line end after its `end` replaces that one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.chart.counts import Counts, helper_text, objects_text
from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.mapping.questions import Decisions
from dradsl.migrate.mapping.resource import is_device
from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.tree.charts.template_pods import (
    helpers_in,
    objects_hook,
    pods_in,
    steps_of,
    takes_no_claims,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.counts import CountedPod, CountLeft
    from dradsl.migrate.chart.source import Chart
    from dradsl.migrate.mapping.targets import Hints
    from dradsl.tree.charts.template_pods import TemplateContainer, TemplatePod

__all__ = ["ChartPlan", "Said", "Switch", "SwitchPlan", "counts_for", "plan_chart"]

_OBJECTS = "extraObjects"
_CLAIMS = "resourceClaims"
_SWITCH, _OTHER = "deviceClaims", "useDeviceClaims"
_SWITCHED = "Devices by resource claims, in the place of limits for a device plugin."
_SWITCHES = ("true", "false")
_NAMED = re.compile(r"\"([\w.-]+\.deviceClaims\.[\w-]+)\.")
_DEVICE = re.compile(r"\s*[\"']?(?P<key>[\w.-]+/[\w.-]+)[\"']?\s*:")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence on a place in the chart, at a line (from 1) or on the file; `written` says that it is about a change."""

    file: str
    line: int | None
    text: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """Values that turn a pod's claims on: the keys for the list of the pod, and for those of its containers.

    `file` is the template. None if the key does not belong to the values directly, but to an item of a list.
    """

    file: str
    pod: tuple[str, ...] | None
    containers: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """What is to be written: each file's text, new files too, the sentences for the report, and the keys to try it with.

    `counted` are the pods whose counts become claims with the values `switch`.
    """

    files: Mapping[str, str]
    said: tuple[Said, ...]
    switches: tuple[Switch, ...]
    objects: str
    counted: tuple[CountedPod, ...] = ()
    switch: str = ""


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """The files of a chart, new ones too, whose counts become claims with the values `switch`, and why other counts stay,
    by template. `guarded` are the counts that an earlier run put behind the switch: line, resource, and class.
    `left_whole` and `guarded_whole` say the same for counts in values that are resources as a whole, by these values."""

    files: Mapping[str, str]
    counted: tuple[CountedPod, ...]
    switch: str
    left: Mapping[str, tuple[CountLeft, ...]]
    guarded: Mapping[str, tuple[tuple[int, str, str | None], ...]]
    left_whole: Mapping[tuple[str, ...], tuple[str, str | None]]
    guarded_whole: Mapping[tuple[str, ...], Mapping[str, str | None]]


def counts_for(
    chart: Chart,
    decide: Callable[[str], Decisions],
    hints: Callable[[str], Sequence[Hints]],
    wanted: Mapping[tuple[str, ...], frozenset[str]],
    *,
    on: bool,
) -> SwitchPlan:
    """The counts of a chart alone: `decide` says the answers for a template, `on` is the default of the switch. `wanted`
    are the resources that values ask for, by the values that are resources of a container as a whole."""
    helpers = helpers_in(list(chart.templates.values()))
    switch = _switch_of(chart)
    files: dict[str, str] = {}
    counted: list[CountedPod] = []
    left: dict[str, tuple[CountLeft, ...]] = {}
    guarded: dict[str, tuple[tuple[int, str, str | None], ...]] = {}
    left_whole: dict[tuple[str, ...], tuple[str, str | None]] = {}
    guarded_whole: dict[tuple[str, ...], Mapping[str, str | None]] = {}
    for name, text in chart.manifests.items():
        if takes_no_claims(text):
            continue
        pods = pods_in(text, helpers)
        counts = Counts(name, text, pods, chart.name, decide(name), hints, wanted)
        edits: dict[int, list[str]] = {}
        for found in counts.pods(switch):
            for line, new in counts.edits(found, switch, None).items():
                edits.setdefault(line, []).extend(new)
            counted.append(found)
        left_whole |= counts.left_whole
        guarded_whole |= counts.guarded_whole
        if edits:
            files[name] = _inserted(text, edits)
        if counts.refused:
            left[name] = tuple(counts.refused)
        if counts.guarded:
            guarded[name] = tuple(counts.guarded)
    if counted:
        files |= _device_claims(chart, counted, switch)
    if counted or guarded or guarded_whole:
        keys = {switch: [_SWITCHED, "true" if on else "false"]}
        list(_values(chart, keys, files))
        if f'"{switch}"' not in (chart.schema or ""):
            list(_schema(chart, keys, files))
    files = {name: text for name, text in files.items() if chart.templates.get(name) != text}
    return SwitchPlan(files, tuple(counted), switch, left, guarded, left_whole, guarded_whole)


def _device_claims(chart: Chart, counted: Sequence[CountedPod], switch: str) -> dict[str, str]:
    """The new files of a chart that say what claims ask for."""
    return {
        _name_for(chart, "templates/_device-claims.tpl", counted): helper_text(counted, switch),
        _name_for(chart, "templates/device-claims.yaml", counted): objects_text(counted),
    }


def _name_for(chart: Chart, name: str, counted: Sequence[CountedPod]) -> str:
    """The name of a new file; that of an old one if a run ended before the pods could use what is in it."""
    named = {*_NAMED.findall(chart.templates.get(name, ""))}
    return name if named and named <= {pod.helper for pod in counted} else _free_name(chart, name)


def plan_chart(chart: Chart, decisions: Decisions | None = None) -> ChartPlan:
    """What a chart has for claims, and what it needs; `decisions` are answers about its devices."""
    texts = list(chart.templates.values())
    helpers = helpers_in(texts)
    files: dict[str, str] = {}
    said: list[Said] = []
    switches: list[Switch] = []
    keys: dict[str, list[str]] = {}
    taken: dict[str, str] = {}
    counted: list[CountedPod] = []
    switch = _switch_of(chart)
    for name, text in chart.manifests.items():
        edits: dict[int, list[str]] = {}
        if takes_no_claims(text):
            said.append(Said(name, None, "pods of Knative and Notebooks take no claims"))
            continue
        pods = pods_in(text, helpers)
        counts = Counts(name, text, pods, chart.name, decisions or Decisions())
        by_counts = {id(each.pod): each for each in counts.pods(switch)}
        said += [Said(name, each.line + 1, each.text) for each in counts.refused]
        for pod in pods:
            if not any(each.at is not None for each in pod.containers):
                continue
            planned = _Pod(name, text, pod, taken)
            found = by_counts.get(id(pod))
            if found is not None:
                general = planned.beside_counts()
                for line, new in counts.edits(found, switch, general).items():
                    edits.setdefault(line, []).extend(new)
                planned.say_counts(found, switch)
                counted.append(found)
            else:
                planned.plan(edits)
            said += planned.said
            if planned.switch is not None:
                switches.append(planned.switch)
            for key, what in planned.keys:
                keys.setdefault(key, [what, "[]"])
        if edits:
            files[name] = _inserted(text, edits)
    existing = objects_hook(texts)
    objects = existing or _OBJECTS
    if counted:
        keys[switch] = [_SWITCHED, "false"]
        for name, text in _device_claims(chart, counted, switch).items():
            files[name] = text
            said.append(Said(name, None, f"what claims ask for with values {switch}: true", True))
    has_switch = any(f"Values.{switch}" in each for each in texts)
    if existing is None and (counted or has_switch) and not switches:
        pass  # the chart makes its claim templates itself
    elif existing is None:
        name = _free_name(chart, "templates/extra-objects.yaml")
        files[name] = _EXTRA
        said.append(
            Said(name, None, f"whole objects, such as claim templates: values {_OBJECTS}", True)
        )
        keys[_OBJECTS] = ["Whole objects of the release, such as a ResourceClaimTemplate.", "[]"]
    else:
        said.append(Said("templates", None, f"whole objects: values {existing} are written out"))
    if not switches and not counted and not any("resources" in each for each in texts):
        said.append(Said("templates", None, "no template with a pod was found"))
    if keys and files:
        said += _values(chart, keys, files)
        said += _schema(chart, keys, files)
    return ChartPlan(files, tuple(said), tuple(switches), objects, tuple(counted), switch)


def _switch_of(chart: Chart) -> str:
    """The key of the values that turns claims on for counts that templates write: a key with no other meaning."""
    if any(f".Values.{_SWITCH}" in text for text in chart.templates.values()):
        return (
            _SWITCH
            if any(".deviceClaims." in text for text in chart.templates.values())
            else _OTHER
        )
    values = chart.values or ""
    if f"# {_SWITCHED}" in values:
        return _SWITCH  # of an earlier run
    documents = load(values.encode()).documents
    data: Any = documents[0].data if documents else None
    return _OTHER if isinstance(data, dict) and _SWITCH in data else _SWITCH


def _free_name(chart: Chart, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    found, number = name, 2
    while found in chart.templates:
        found, number = f"{stem}-{number}{dot}{ending}", number + 1
    return found


_EXTRA = f"""\
{{{{- range .Values.{_OBJECTS} }}}}
---
{{{{ tpl (toYaml .) $ }}}}
{{{{- end }}}}
"""


class _Pod:
    """One pod of a template, with what it has and what it gets."""

    def __init__(self, name: str, text: str, pod: TemplatePod, taken: dict[str, str]) -> None:
        self._name, self._pod, self._taken = name, pod, taken
        self._lines = text.split("\n")
        self.said: list[Said] = []
        self.keys: list[tuple[str, str]] = []
        self.switch: Switch | None = None

    def plan(self, edits: dict[int, list[str]]) -> None:
        """Reports what exists, and collects the lines to insert, by the line before which they are inserted."""
        pod = self._pod
        whole = next((e for each in pod.containers for e in each.whole), None)
        claims = self._claims_of_pod(whole, edits)
        containers: list[tuple[str, ...]] = []
        for container in pod.containers:
            if container.at is None:
                continue
            found = self._container(container, claims, edits)
            if found is not None:
                containers.append(found)
        if claims is not None:
            self.switch = Switch(self._name, steps_of(claims), tuple(containers))

    def beside_counts(self) -> str | None:
        """The places where values can give claims to containers whose resources are values as a whole, in a pod that also has counts."""
        whole = next((e for each in self._pod.containers for e in each.whole), None)
        key = None if whole is None else self._key(whole)
        if key is None:
            return None
        self._say(self._pod.line, f"claims of the pod: {_shown(key)}", written=True)
        self._remember(key, "Claims of the pod, as in its spec.")
        found = [steps_of(each.whole[0]) for each in self._pod.containers if each.whole]
        containers = tuple((*steps, "claims") for steps in found if steps is not None)
        self.switch = Switch(self._name, steps_of(key), containers)
        return key

    def say_counts(self, pod: CountedPod, switch: str) -> None:
        """Reports what becomes of the counts of a pod."""
        for count in pod.counts:
            text = (
                f"{count.resource} becomes request {count.request} of class {count.target.device_class} with "
                f"values {switch}: true"
            )
            self._say(count.lines[0], text, written=True)
            for note in count.target.notes:
                self._say(count.lines[0], f"note: {note}")

    def _claims_of_pod(self, whole: str | None, edits: dict[int, list[str]]) -> str | None:
        pod = self._pod
        if _CLAIMS in pod.fields:
            self._say(pod.line, f"claims of the pod: {_shown(pod.fields[_CLAIMS])}")
            return pod.fields[_CLAIMS]
        if pod.own_claims is not None:
            self._say(pod.own_claims, "the template writes claims of the pod itself")
            return None
        if pod.passed:
            self._say(pod.line, f"claims of the pod: {_shown(pod.passed[0])}.{_CLAIMS}")
            return f"{pod.passed[0]}.{_CLAIMS}"
        key = self._key(whole)
        if key is None:
            self._say(pod.line, "where its values stand is not known: write resourceClaims by hand")
            return None
        space = " " * pod.indent
        edits.setdefault(pod.line, []).extend(
            (
                f"{space}{{{{- with {key} }}}}",
                f"{space}{_CLAIMS}:",
                f"{space}  {{{{- toYaml . | nindent {pod.indent + 2} }}}}",
                f"{space}{{{{- end }}}}",
            )
        )
        self._say(pod.line, f"claims of the pod: {_shown(key)}", written=True)
        self._remember(key, "Claims of the pod, as in its spec.")
        return key

    def _key(self, whole: str | None) -> str | None:
        """The expression for the pod's claims: beside its resources, or at the top."""
        base = ".Values."
        if whole is not None:
            head, dot, last = whole.rpartition(".")
            if last.lower().endswith("resources") and dot:
                base = f"{head}."
            elif not whole.startswith((".Values.", "$.Values.")):
                return None
        base = base.removeprefix("$") if base.startswith("$.Values.") else base
        key = base + _CLAIMS
        # Pods that share resources share claims; others must not get those of the first.
        of = whole or f"{self._name}:{self._pod.line}"
        if self._taken.setdefault(key, of) != of:
            stem = re.sub(r"[^A-Za-z0-9]+", "-", self._name.rpartition("/")[2].partition(".")[0])
            first, *rest = stem.split("-")
            named = base + first + "".join(each.capitalize() for each in rest)
            key, number = f"{named}ResourceClaims", 2
            while self._taken.setdefault(key, of) != of:
                key, number = f"{named}{number}ResourceClaims", number + 1
        if key.startswith(".Values.") and not self._pod.in_root:
            return f"${key}"
        return key

    def _container(
        self, container: TemplateContainer, claims: str | None, edits: dict[int, list[str]]
    ) -> tuple[str, ...] | None:
        """Reports if values can set a container's claims; the keys for its list, if they can."""
        assert container.at is not None  # noqa: S101 - the caller checks this
        name = f"container {container.name}"
        for whole in container.whole:
            self._say(
                container.at,
                f"{name}: resources are written whole: claims in {_shown(whole)} survive",
            )
        if container.own_claims and not container.whole:
            self._say(container.at, f"{name}: the template writes claims of the container itself")
            return None
        if container.unknown is not None:
            self._say(
                container.at,
                f"{name}: whether claims survive {container.unknown} is not known: it writes the resources",
            )
        if container.whole:
            steps = steps_of(container.whole[0])
            return None if steps is None else (*steps, "claims")
        if not container.single:
            return None
        if claims is None:
            self._say(
                container.at, f"{name}: resources are written key by key: claims do not survive"
            )
            return None
        key = claims.removesuffix(_CLAIMS) + "containerClaims"
        if claims.endswith("ResourceClaims"):
            key = claims.removesuffix("ResourceClaims") + "ContainerClaims"
        space = " " * (container.indent + 2)
        edits.setdefault(container.at + 1, []).extend(
            (
                f"{space}{{{{- with {key} }}}}",
                f"{space}claims:",
                f"{space}  {{{{- toYaml . | nindent {container.indent + 4} }}}}",
                f"{space}{{{{- end }}}}",
            )
        )
        self._say(
            container.at,
            f"{name}: resources are written key by key: claims of the container: {_shown(key)}",
            written=True,
        )
        self._remember(key, "Claims of the container, as in its resources.")
        for line in container.single:
            found = _DEVICE.match(self._lines[line])
            if found is not None and is_device(found["key"], shipped_catalogue()):
                indent = " " * (len(self._lines[line]) - len(self._lines[line].lstrip()))
                edits.setdefault(line, []).append(f"{indent}{{{{- if not {key} }}}}")
                edits.setdefault(line + 1, []).insert(0, f"{indent}{{{{- end }}}}")
                self._say(line, f"{name}: {found['key']} only without {_shown(key)}", written=True)
        return steps_of(key)

    def _remember(self, key: str, what: str) -> None:
        steps = steps_of(key)
        if steps is not None:
            self.keys.append((".".join(steps), what))

    def _say(self, line: int, text: str, *, written: bool = False) -> None:
        self.said.append(Said(self._name, line + 1, text, written))


def _shown(expression: str) -> str:
    steps = steps_of(expression)
    return f"values {'.'.join(steps)}" if steps is not None else expression


def _inserted(text: str, edits: Mapping[int, list[str]]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    made: list[str] = []
    for number, line in enumerate(lines):
        made += [each + newline.removesuffix("\n") for each in edits.get(number, ())]
        made.append(line)
    return "\n".join(made)


def _values(chart: Chart, keys: Mapping[str, list[str]], files: dict[str, str]) -> Iterator[Said]:
    """The defaults in values.yaml: at the end with a comment, or within the mapping that is there."""
    text = chart.values or ""
    for key, (what, default) in keys.items():
        steps = key.split(".")
        documents = load(text.encode()).documents
        data: Any = documents[0].data if documents else None
        if _at(data, steps) is not None:
            continue
        if len(steps) == 1:
            newline = "\r\n" if "\r\n" in text else "\n"
            gap = "" if not text else newline if text.endswith("\n") else newline * 2
            text += f"{gap}# {what}{newline}{key}: {default}{newline}"
        else:
            try:
                text = edit_text(text, [[Put(tuple(steps), [])]])
            except CannotEditError as error:
                yield Said("values.yaml", None, f"{key}: [] must be written by hand: {error}")
                continue
        yield Said("values.yaml", None, f"{key}: {default}", True)
    if text != (chart.values or ""):
        files["values.yaml"] = text


def _at(data: Any, steps: list[str]) -> Any:
    for step in steps:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _schema(chart: Chart, keys: Mapping[str, list[str]], files: dict[str, str]) -> Iterator[Said]:
    """Entries of the schema, if it lists the keys that are allowed."""
    if chart.schema is None:
        return
    text = chart.schema
    for key, (what, default) in keys.items():
        documents = load(text.encode()).documents
        path, entry = _place_in_schema(
            documents[0].data if documents else None, key.split("."), what, default
        )
        if path is None:
            yield Said("values.schema.json", None, f"says nothing of {key}: it takes any key there")
            continue
        try:
            text = edit_text(text, [[Put(path, entry)]])
        except CannotEditError as error:
            yield Said("values.schema.json", None, f"{key} must be written by hand: {error}")
            continue
        what = "true or false" if default in _SWITCHES else "a list of objects"
        yield Said("values.schema.json", None, f"{key}: {what}", True)
    if text != chart.schema:
        files["values.schema.json"] = text


def _place_in_schema(
    root: Any, steps: list[str], what: str, default: str
) -> tuple[tuple[str, ...] | None, dict[str, object]]:
    """Where the entry for a key belongs: in the deepest mapping on its path that lists its keys."""
    entry: dict[str, object] = {
        "description": what,
        "type": "array",
        "items": {"type": "object"},
        "default": [],
    }
    if default in _SWITCHES:
        entry = {"description": what, "type": "boolean", "default": default == "true"}
    path: tuple[str, ...] = ()
    node = root
    for index, step in enumerate(steps):
        reference = node.get("$ref") if isinstance(node, dict) else None
        if isinstance(reference, str) and reference.startswith("#/"):
            path = tuple(reference[2:].split("/"))
            node = root
            for each in path:
                node = node.get(each) if isinstance(node, dict) else None
        listed = node.get("properties") if isinstance(node, dict) else None
        if not isinstance(listed, dict):
            return None, entry
        if index + 1 == len(steps):
            return (*path, "properties", step), entry
        if step not in listed:
            for below in reversed(steps[index + 1 :]):
                entry = {"type": "object", "properties": {below: entry}}
            return (*path, "properties", step), entry
        path, node = (*path, "properties", step), listed[step]
    return None, entry
