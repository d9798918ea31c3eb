"""A chart with both ways: devices by limits as before, and by claims with a switch in its values; and the report of a run with
such charts, for the files without the switch.

Each request has a named template that renders its number, or nothing if the values ask for none. All lines for claims
use these, so the pod, its containers and the claim template cannot differ.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.chart.requests import RequestReader, nested
from dradsl.migrate.chart.template import TemplateText, rooted_in
from dradsl.migrate.detection.texts import indent_of
from dradsl.migrate.edits.operations import CannotEditError, Put, edit_text
from dradsl.migrate.planning.plan import MAX_DEVICES
from dradsl.migrate.result import BY_RECIPE, Outcome
from dradsl.records import Record, field, replace
from dradsl.text.documents import load
from dradsl.tree.charts.template_pods import helpers_in, pods_in, takes_no_claims
from dradsl.tree.inputs.sources import SourceText
from dradsl.values.plain import mapping_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.requests import Becomes, ChartAmount, PodRequests, TemplateRequest
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.mapping.resource import Hints
    from dradsl.migrate.result import FileMigration, Item, Migration
    from dradsl.tree.charts.template_pods import PodForm, TemplatePod

__all__ = ["Chart", "ChartPlaces", "CountSaid", "SwitchPlan", "Switched", "plan_switch"]

_SWITCH, _OTHER = "deviceClaims", "useDeviceClaims"
_SWITCHED = "Devices by resource claims, in the place of limits for a device plugin."
_NAMED = re.compile(r"\"([\w.-]+\.deviceClaims\.[\w-]+)\.")


class Chart(Record):
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


class SwitchPlan(Record):
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
    return _SWITCH if member(_data_of(chart.values or ""), _SWITCH) is None else _OTHER


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


def changed_template(text: str, pods: Sequence[PodRequests], key: str) -> str:
    """A template with both ways, and the same text if there is nothing to change. `key` is the switch in the values.

    Without the switch, the rendered text is the same to the byte: an action with `{{-` removes the line end before it,
    and the line end after its `end` replaces that one.
    """
    edits: dict[int, list[str]] = {}
    for pod in pods:
        for at, new in _edits(pod, key).items():
            edits.setdefault(at, []).extend(new)
    newline = "\r" if "\r\n" in text else ""
    made: list[str] = []
    for number, line in enumerate(text.split("\n")):
        made += [each + newline for each in edits.get(number, ())]
        made.append(line)
    return "\n".join(made)


def _edits(pod: PodRequests, key: str) -> dict[int, list[str]]:
    """The lines to insert, by the line before which they are inserted."""
    template = pod.template
    made = {pod.pod.line: _of_pod(pod, " " * pod.pod.indent)}
    for at, requests in _by_resources(pod.requests).items():
        space = " " * (requests[0].container.indent + 2)
        if requests[0].values:
            # The resources with claims; those that are values as a whole follow as the other way.
            outer, named = space[2:], f'include "{requests[0].helper}.resources" $'
            made.setdefault(at, []).extend(
                [
                    f"{outer}{{{{- if {_any_of(requests)} }}}}",
                    f"{outer}resources:",
                    f"{outer}  {{{{- {named} | nindent {len(outer) + 2} }}}}",
                    f"{outer}{{{{- else }}}}",
                ]
            )
            made.setdefault(template.end_of_values(at), []).insert(0, f"{space[2:]}{{{{- end }}}}")
        elif pod.pod.form.named:
            made.setdefault(at + 1, [])[:0] = _of_container(requests, space)
    for request, line in ((each, line) for each in pod.requests for line in each.lines):
        is_zero = request.resource in pod.pod.form.keep_as_zero
        first, last = (line, line) if is_zero else _without(line, pod)
        if first is not None:
            space = " " * indent_of(template.lines[first])
            other = [f"{space}{{{{- else }}}}", f"{space}{request.resource}: 0"] if is_zero else []
            made.setdefault(first, []).append(f"{space}{{{{- if not $.Values.{key} }}}}")
            made.setdefault(last + 1, [])[:0] = [*other, f"{space}{{{{- end }}}}"]
    return made


def _by_resources(requests: Iterable[TemplateRequest]) -> dict[int, list[TemplateRequest]]:
    """The requests by the lines of the resources that they are in."""
    found: dict[int, list[TemplateRequest]] = {}
    for each in requests:
        found.setdefault(each.at, []).append(each)
    return found


def _without(line: int, pod: PodRequests) -> tuple[int | None, int]:
    """The lines that are written without claims: the count, with its `limits` if they hold nothing else. None if
    another count has them."""
    template, lines = pod.template, pod.template.lines
    every = {each for request in pod.requests for each in request.lines}
    parent = template.amounts_above(line)
    if parent is None or template.is_chomped(parent):
        return line, line
    last = parent
    while last + 1 < len(lines) and (last + 1 in every or not lines[last + 1].strip()):
        last += 1
    while not lines[last].strip():
        last -= 1
    below = lines[last + 1] if last + 1 < len(lines) else ""
    inside = [number for number in every if parent < number <= last]
    is_all = indent_of(below) < indent_of(lines[line]) and not below.strip().startswith(("{{", "#"))
    if line not in inside or not is_all:
        # There is, or may be, something else: only the count is removed.
        return line, line
    return (parent, last) if line == min(inside) else (None, last)


def _of_pod(pod: PodRequests, space: str) -> list[str]:
    name, form = f'include "{pod.helper}.name" $', pod.pod.form
    entry = f"resourceClaimTemplateName: {{{{ {name} }}}}"
    return [
        f"{space}{{{{- if {name} }}}}",
        f"{space}{form.claims}:",
        *([f"{space}  - name: devices"] if form.named else []),
        f"{space}  {'  ' if form.named else '- '}{entry}",
        f"{space}{{{{- end }}}}",
    ]


def _any_of(requests: Sequence[TemplateRequest]) -> str:
    """The condition for claims of a container."""
    asked = [f'include "{each.helper}" $' for each in requests]
    return asked[0] if len(asked) == 1 else "or " + " ".join(f"({each})" for each in asked)


def _of_container(requests: Sequence[TemplateRequest], space: str) -> list[str]:
    made = [f"{space}{{{{- if {_any_of(requests)} }}}}", f"{space}claims:"]
    for each in requests:
        entry = [f"{space}  - name: devices", f"{space}    request: {each.name}"]
        if len(requests) > 1:
            asked = f'{space}  {{{{- if include "{each.helper}" $ }}}}'
            entry = [asked, *entry, f"{space}  {{{{- end }}}}"]
        made += entry
    return [*made, f"{space}{{{{- end }}}}"]


def helper_text(pods: Sequence[PodRequests], key: str) -> str:
    """The named templates: each count, the requests of each pod, and the name of its claim template."""
    made: list[str] = []
    for pod in pods:
        made.append(
            f"{{{{- /* The devices of {pod.template.name} as claims, with values {key}: true. */}}}}"
        )
        for request in pod.requests:
            made += _number_helper(request, pod.template.name, key)
        for requests in _by_resources(each for each in pod.requests if each.values).values():
            made += _resources_helper(requests, pod.pod.form)
        made.append(f'{{{{- define "{pod.helper}.requests" -}}}}')
        counts = " ".join(f'(include "{each.helper}" . | int)' for each in pod.requests)
        if len({each.resource for each in pod.requests}) > 1:
            made += [
                f"{{{{- if gt (add {counts}) {MAX_DEVICES} }}}}",
                f'{{{{- fail "{pod.template.name}: a claim holds at most {MAX_DEVICES} devices" }}}}',
                "{{- end }}",
            ]
        for request in pod.requests:
            made += [
                f'{{{{- with include "{request.helper}" . }}}}',
                *_entry(request),
                "{{- end }}",
            ]
        made += [
            "{{- end }}",
            f'{{{{- define "{pod.helper}.name" -}}}}',
            f'{{{{- with include "{pod.helper}.requests" . | trim }}}}',
            "{{- /* The spec of a claim template cannot be changed: other requests get another name. */}}",
            f'{{{{- printf "%s-{pod.stem}-%s" $.Release.Name (. | sha256sum | trunc 6) }}}}',
            "{{- end }}",
            "{{- end }}",
        ]
    return "\n".join(made) + "\n"


def _number_helper(request: TemplateRequest, file: str, key: str) -> list[str]:
    """The named template of a number, which fails for values that are none."""
    number, conditions = request.number, (f".Values.{key}", *request.conditions)
    checked = [
        f'{{{{- if not (regexMatch "^([0-9]*|<nil>)$" (toString ({number}))) }}}}',
        f'{{{{- fail "{file}: {request.resource} must be a whole number with {key}" }}}}',
        "{{- end }}",
        f"{{{{- if gt (int ({number})) 0 }}}}",
        f"{{{{- int ({number}) }}}}",
        "{{- end }}",
    ]
    return [
        f'{{{{- define "{request.helper}" -}}}}',
        *(f"{{{{- if {each} }}}}" for each in conditions),
        *([f"{{{{- {number} }}}}"] if number.isdecimal() else checked),
        *("{{- end }}" for _ in (*conditions, "define")),
    ]


def _resources_helper(requests: Sequence[TemplateRequest], form: PodForm) -> list[str]:
    """The named template of resources in which claims take the place of the devices."""
    named = form.named
    made = [
        f'{{{{- define "{requests[0].helper}.resources" -}}}}',
        f"{{{{- $resources := deepCopy ({nested(requests[0].values)} | default dict) }}}}",
        *(["{{- $claims := $resources.claims | default list }}"] if named else []),
    ]
    for each in requests:
        name, zero = each.resource, each.resource in form.keep_as_zero
        entry = f'(dict "name" "devices" "request" "{each.name}")'
        kept = f'(set ($resources.limits | default dict) "{name}" 0)'
        made += [
            f'{{{{- if include "{each.helper}" . }}}}',
            *([f"{{{{- $claims = append $claims {entry} }}}}"] if named else []),
            *([f'{{{{- $_ := set $resources "limits" {kept} }}}}'] if zero else []),
        ]
        for part in ("requests",) if zero else ("limits", "requests"):
            made += [
                f'{{{{- with omit ($resources.{part} | default dict) "{name}" }}}}',
                f'{{{{- $_ := set $resources "{part}" . }}}}',
                "{{- else }}",
                f'{{{{- $_ := unset $resources "{part}" }}}}',
                "{{- end }}",
            ]
        made.append("{{- end }}")
    result = '(set $resources "claims" $claims)' if named else "$resources"
    return [*made, f"{{{{- toYaml {result} }}}}", "{{- end }}"]


def _entry(request: TemplateRequest) -> list[str]:
    selectors = [
        text.replace("\\", "\\\\").replace('"', '\\"') for text in request.target.selectors
    ]
    return [
        f"- name: {request.name}",
        "  exactly:",
        f"    deviceClassName: {request.target.device_class}",
        "    count: {{ . }}",
        *(["    selectors:"] if selectors else []),
        *(f'    - cel: {{expression: "{text}"}}' for text in selectors),
    ]


def objects_text(pods: Sequence[PodRequests]) -> str:
    """The claim templates of the release."""
    made: list[str] = []
    for pod in pods:
        made += [
            f'{{{{- with include "{pod.helper}.requests" . | trim }}}}',
            "---",
            "apiVersion: resource.k8s.io/v1",
            "kind: ResourceClaimTemplate",
            "metadata:",
            f'  name: {{{{ include "{pod.helper}.name" $ }}}}',
        ]
        if pod.namespace is not None:
            # Within `with` the root is `$`.
            made.append(f"  namespace: {rooted_in(pod.namespace, '$', {})}")
        made += [
            "spec:",
            "  spec:",
            "    devices:",
            "      requests:",
            "        {{- . | nindent 8 }}",
            "{{- end }}",
        ]
    return "\n".join(made) + "\n"


class CountSaid(Record):
    """What becomes of the count at a line (from 0) of a template or of values: `after`, or the reason why it stays. It is
    `off` if the values turn it off already. `now` is its line in values to which the switch was added, `item` its line
    in the report."""

    line: int
    resource: str = ""
    after: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    question: str | None = None
    hint: str | None = None
    off: bool = False
    now: int | None = None
    item: Item | None = None


class Switched(Record):
    """A chart with its switch: the texts of its files and of those with its releases, by name; new ones too."""

    key: str
    texts: Mapping[str, str]


class ChartPlaces(Record):
    """The charts that get a switch, by their folders, and what is said of their counts, by file."""

    charts: Mapping[str, Switched] = field(default_factory=dict)
    said: Mapping[str, tuple[CountSaid, ...]] = field(default_factory=dict)

    def given(self, sources: Sequence[SourceText]) -> list[SourceText]:
        """The files as they are with the places and switches, new files too."""
        texts = self.texts
        made = [
            replace(each, stream=each.stream.reread(texts[each.name]))
            if each.name in texts
            else each
            for each in sources
        ]
        known = {each.name for each in sources}
        return made + [
            SourceText(name, load(text.encode()))
            for name, text in texts.items()
            if name not in known
        ]

    @property
    def keys(self) -> dict[str, str]:
        """The keys of the values that turn claims on, by the folders of the charts."""
        return {folder: each.key for folder, each in self.charts.items()}

    @property
    def texts(self) -> dict[str, str]:
        """The files that are right only together because of a switch, with their texts."""
        return {name: t for each in self.charts.values() for name, t in each.texts.items()}

    def failed(self, migration: Migration) -> dict[str, str]:
        """The charts whose switch was taken back because of a fault, with the reason."""
        after = {file.path: file for file in migration.files}
        return {
            folder: next(iter(migration.faults), "the proof failed")
            for folder, each in self.charts.items()
            for name in each.texts
            if name in after and after[name].text == after[name].before
        }

    def told(
        self, files: Iterable[FileMigration], sources: Sequence[SourceText]
    ) -> tuple[FileMigration, ...]:
        """The files, with the switches among their changes."""
        if not self.said:
            return tuple(files)
        before = {each.name: each.stream.text for each in sources}
        switched = self.texts.keys()
        made = []
        for file in files:
            if file.path in switched:
                file = replace(file, before=before.get(file.path, ""))
            said = self.said.get(file.path)
            if said is not None and file.kind != "template":
                file = replace(file, items=tuple(_with_requests(file, said)))
            elif said is not None:
                file = replace(file, items=tuple(_with_counts(file, said, before[file.path])))
            elif file.path in switched and file.path not in before:
                file = replace(file, items=(), notes=())
            made.append(file)
        return tuple(made)


def _with_requests(file: FileMigration, said: Sequence[CountSaid]) -> Iterator[Item]:
    """The uses in values, with what becomes of those that the chart turns into claims."""
    proven = {(item.span.line, item.span.column) for item in file.items if item.proven}
    left: list[CountSaid] = []
    for item in file.items:
        at = item.span.line - 1
        here = (each for each in said if at in (each.now, each.line))
        count = next((each for each in here if item.before.startswith(each.resource)), None)
        if count is None or (count.question and item.outcome is Outcome.TRANSLATED):
            yield item  # a template without actions is translated as it is
        elif count.after is None and item.outcome is Outcome.LEFT:
            left.append(count)
            yield item
        elif count.question == "chart-places":  # what the templates lack is said there
            yield replace(item, question=count.question)
    for each in said:
        if each.item is not None and each.question != "chart-places" and each not in left:
            done = (each.item.span.line, each.item.span.column) in proven
            yield _told(each.item, each, proven=done)


def _told(item: Item, count: CountSaid, *, proven: bool) -> Item:
    """The line of the report for a use, with what is said of its count."""
    if count.off:
        return replace(item, outcome=Outcome.LEFT, reason=count.reason, routes=(), about="setting")
    if count.after is None:
        return replace(item, reason=count.reason, question=count.question, hint=count.hint)
    doubt = None if proven else BY_RECIPE
    return replace(
        item, outcome=Outcome.TRANSLATED, reason="", after=count.after, notes=count.notes, routes=(),
        proven=proven, doubt=doubt,
    )  # fmt: skip


def _with_counts(file: FileMigration, said: Sequence[CountSaid], before: str) -> Iterator[Item]:
    """The uses in a template as they were before it changed, with what becomes of its counts."""
    from dradsl.migrate.detection.unjudged import scan_template

    source = SourceText(file.path, load(before.encode("utf-8", "surrogatepass")))
    by_line = {each.line: each for each in said}
    known = {(item.span.line, item.span.column) for item in file.items if item.proven}
    yield from (item for item in file.items if item.about == "unknown")
    for item in scan_template(source, shipped_catalogue()).items:
        count = by_line.get(item.span.line - 1)
        if count is None:
            yield item
        else:
            yield _told(item, count, proven=(item.span.line, item.span.column) in known)
