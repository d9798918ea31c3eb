"""Counts of devices that the templates of a chart write themselves: what they are, and the lines that turn them into claims.

Each count becomes a named template that renders the number, or nothing if the values ask for none. The lines for
claims use these templates, so that the pods, the containers and the claim template cannot differ.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.chart.scopes import UnclearError, conditions_of, rooted, scopes_of, variables_of
from dradsl.migrate.evidence import find_sharing_hint
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.mapping.resource import FRACTIONS, Hints, Refusal, Target, is_device, target_of
from dradsl.records import dataclass, replace
from dradsl.tree.charts.template_pods import is_built_in, steps_of
from dradsl.values.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from dradsl.migrate.chart.scopes import Scope
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.tree.charts.template_pods import TemplateContainer, TemplatePod

__all__ = ["CountedPod", "Counts", "CountLeft", "helper_text", "objects_text"]

_LINE = re.compile(
    r"(?P<space>[ \t]*)(?P<quote>[\"']?)(?P<key>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+)(?P=quote)\s*:\s*(?P<value>.*?)\s*$"
)
_ANYWHERE = re.compile(r"(?<![\w.-])(?P<key>[a-z0-9-]+(?:\.[a-z0-9-]+)+/[\w.-]+)[\"']?\s*:")
_NUMBER = re.compile(r"([\"']?)(?P<number>[0-9]+)\1(?:\s+#.*)?$")
_VALUE = re.compile(r"([\"']?)\{\{ ?(?P<what>[^{}]+?) ?\}\}\1(?:\s+#.*)?$")
_LAST = re.compile(r"\s*\|\s*(?:quote|squote|toString|int|int64|toYaml|trim)\s*$")
_NAMESPACE = re.compile(r"  namespace:\s*(?P<what>\S.*?)\s*$")
_INNER = re.compile(r"\{\{-?(?P<inner>.*?)-?\}\}")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of devices for a container: `expression` and `conditions` from the root, `request` is the name in the claim.
    `whole` are the values that the template writes as the resources, for a number that is in there."""

    request: str
    helper: str
    resource: str
    target: Target
    expression: str
    conditions: tuple[str, ...]
    resources: int  # the line of `resources:`, from 0
    indent: int
    lines: tuple[int, ...]
    whole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedPod:
    """A pod of a template whose counts can all become requests of one claim."""

    file: str
    pod: TemplatePod
    helper: str
    stem: str
    counts: tuple[Count, ...]
    namespace: str | None


@dataclass(frozen=True, slots=True)
class CountLeft:
    """Why the count at a line stays, and the lines to write by hand."""

    line: int
    text: str
    question: str | None = None


class _AskedError(UnclearError):
    """A question is open, whose answer may say what a count becomes."""

    def __init__(self, reason: str, question: str | None) -> None:
        super().__init__(reason)
        self.question = question


NOTHING_WHOLE: Mapping[tuple[str, ...], frozenset[str]] = MappingProxyType({})


class Counts:
    """The counts of one template. `hints` are what the input says about a resource, for each cluster in question.
    `wanted` are the resources that values ask for, by the values that templates write as resources of a container."""

    def __init__(
        self,
        name: str,
        text: str,
        pods: Sequence[TemplatePod],
        chart: str,
        decisions: Decisions,
        hints: Callable[[str], Sequence[Hints]] | None = None,
        wanted: Mapping[tuple[str, ...], frozenset[str]] = NOTHING_WHOLE,
    ) -> None:
        self._wanted = wanted
        self._name, self._text, self._chart, self._decisions = name, text, chart, decisions
        self._pods, self._hints = pods, hints
        self._lines = [line.removesuffix("\r") for line in text.split("\n")]
        self._scopes = scopes_of(text)
        self._variables = variables_of(text)
        self.refused: list[CountLeft] = []
        self.guarded: list[tuple[int, str, str | None]] = []
        self.left_whole: dict[tuple[str, ...], tuple[str, str | None]] = {}
        self.guarded_whole: dict[tuple[str, ...], dict[str, str | None]] = {}

    def pods(self, key: str) -> Iterator[CountedPod]:
        """The pods that can have claims. Afterwards `refused` says why other pods cannot, and `guarded` are the counts
        that an earlier run put behind the switch: line, resource, and class. `key` is the switch in the values."""
        lines = [number for number in range(len(self._lines)) if self._is_use(number)]
        guarded = [n for n in lines if any(f"Values.{key}" in each for each in self._around(n))]
        for number in guarded:
            self.guarded.append((number, *self._class_at(number)))
        behind = [self._behind(pod, key) for pod in self._pods]
        if guarded or any(behind):
            return
        owned = [[(c, n) for c in p.containers for n in c.single if n in lines] for p in self._pods]
        left = {*lines} - {n for own in owned for _, n in own}
        for number, (pod, own) in enumerate(zip(self._pods, owned, strict=True)):
            values = [(c, steps) for c in pod.containers for steps in self._values_of(c)]
            if not own and not values:
                continue
            try:
                yield self._pod(pod, self._stem(number), own, values, left)
            except UnclearError as error:
                question = error.question if isinstance(error, _AskedError) else None
                reason = (str(error), question)
                self.left_whole |= dict.fromkeys((steps for _, steps in values), reason)
                self._refuse(str(error), own, question)
        for line in sorted(left):
            self.refused.append(CountLeft(line, "the pod of this count is not found: it stays"))

    def _values_of(self, container: TemplateContainer) -> list[tuple[str, ...]]:
        """The values that are the resources of a container and ask for devices."""
        found = map(steps_of, container.whole)
        return [steps for steps in found if steps is not None and self._wanted.get(steps)]

    def _behind(self, pod: TemplatePod, key: str) -> bool:
        """Whether an earlier run put resources of the pod behind the switch; notes which, with their classes."""
        found = False
        for container in pod.containers:
            if ".deviceClaims." not in (container.unknown or ""):
                continue
            for steps in self._values_of(container):
                found = True
                for resource in sorted(self._wanted[steps]):
                    try:
                        name = self._target(resource).device_class
                    except UnclearError:
                        name = None
                    self.guarded_whole.setdefault(steps, {})[resource] = name
        return found

    def _class_at(self, number: int) -> tuple[str, str | None]:
        found = _LINE.match(self._lines[number])
        if found is None:
            return "", None
        try:
            return found["key"], self._target(found["key"]).device_class
        except UnclearError:
            return found["key"], None

    def _around(self, number: int) -> Iterator[str]:
        for each in self._scopes[number]:
            yield from each.conditions

    def _is_use(self, number: int) -> bool:
        line = self._lines[number]
        if line.lstrip().startswith("#"):
            return False
        for found in _ANYWHERE.finditer(line):
            if not is_device(found["key"], shipped_catalogue()):
                continue
            return "{" in line[: found.start()] or self._parent(number) is not None
        return False

    def _parent(self, number: int) -> int | None:
        """The line of the `limits` or `requests` that contain a line."""
        indent = _indent(self._lines[number])
        for at in range(number - 1, -1, -1):
            line = self._lines[at]
            stripped = line.strip()
            if not stripped or stripped.startswith(("#", "{{")) or _indent(line) >= indent:
                continue
            return at if re.match(r"(limits|requests):\s*(#.*)?$", stripped) else None
        return None

    def _beside(self, number: int, pod: TemplatePod) -> bool:
        """Whether a line may belong to the same object as a pod."""
        first, last = sorted((number, pod.line))
        return not any(line.startswith("---") for line in self._lines[first:last])

    def _expect_room(self, pod: TemplatePod, left: Collection[int], *, has_own: bool) -> None:
        """See to it that claims can be written into a pod, and are kept there.

        Raises:
            UnclearError: if not, or if that is not known.
        """
        inner = next((n for n in sorted(left) if self._beside(n, pod)), None)
        if inner is not None:
            raise UnclearError(f"line {inner + 1} asks for devices in a form that is not read")
        if not is_built_in(self._text, pod.line) and not self._keeps(pod.line):
            raise UnclearError("whether pods of this kind keep claims is not known")
        if "helm.sh/hook" in self._text:
            raise UnclearError("a hook runs before the release has its claim template")
        if pod.own_claims is not None or (pod.has_claims and has_own):
            raise UnclearError(
                "the pod has a place for claims already, which would stand there twice"
            )
        if self._chomped(pod.line):
            raise UnclearError("the line above containers takes the line end away")

    def _stem(self, number: int) -> str:
        """The name of the file's pod of that number, as names of templates and objects begin."""
        name = self._name.removeprefix("templates/").partition(".")[0].lower()
        stem = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
        return stem + (f"-{number + 1}" if number else "")

    def _pod(
        self,
        pod: TemplatePod,
        stem: str,
        own: Sequence[tuple[TemplateContainer, int]],
        values: Sequence[tuple[TemplateContainer, tuple[str, ...]]],
        left: Collection[int],
    ) -> CountedPod:
        self._expect_room(pod, left, has_own=bool(own))
        helper = f"{self._chart}.deviceClaims.{stem}"
        groups: dict[tuple[int, str], list[int]] = {}
        owners: dict[int, TemplateContainer] = {}
        for container, line in own:
            if container.own_claims:
                raise UnclearError("the template writes claims of the container itself")
            at = self._resources_above(container, line)
            found = _LINE.match(self._lines[line])
            if found is None or self._parent(line) is None:
                raise UnclearError(f"line {line + 1} is written in another form than KEY: COUNT")
            groups.setdefault((at, found["key"]), []).append(line)
            owners[at] = container
        counts: list[Count] = []
        names: set[str] = set()
        for (at, resource), lines in groups.items():
            target = self._target(resource)
            said = {self._said(line) for line in lines}
            if len(said) > 1:
                raise UnclearError(f"limits and requests say {resource} in two ways")
            ((expression, conditions),) = said
            name = _free(_name(resource, owners[at], alone=len(groups) == 1), names)
            names.add(name)
            indent = owners[at].indent + 2
            counts.append(
                Count(
                    name, f"{helper}.{name}", resource, target, expression, conditions, at, indent,
                    tuple(lines),
                )
            )  # fmt: skip
        alone = len(groups) + sum(len(self._wanted[steps]) for _, steps in values) == 1
        free = tuple(_without_claims(pod)) if values else ()
        for container, steps in values:
            if len(container.whole) > 1 or container.unknown or container.own_claims:
                raise UnclearError("the template writes these resources in two ways")
            at = container.at or 0
            self._end_of(at)
            conditions = (*conditions_of(self._scopes[at]), *free)
            for resource in sorted(self._wanted[steps]):
                name = _free(_name(resource, container, alone=alone), names)
                names.add(name)
                parts = [
                    f'(get ({_nested((*steps, part))} | default dict) "{resource}")'
                    for part in ("limits", "requests")
                ]
                counts.append(
                    Count(
                        name, f"{helper}.{name}", resource, self._target(resource),
                        f"or {parts[0]} {parts[1]}", conditions, at, container.indent + 2, (), steps,
                    )
                )  # fmt: skip
        return CountedPod(self._name, pod, helper, stem, tuple(counts), self._namespace(pod))

    def _end_of(self, at: int) -> int:
        """The line after resources that are values as a whole.

        Raises:
            UnclearError: if it is not seen, or more than the values is written.
        """
        depth, seen = 0, False
        for number in range(at, len(self._lines)):
            line = self._lines[number]
            actions = [each["inner"].strip() for each in _INNER.finditer(line)]
            for inner in actions:
                word = inner.partition(" ")[0]
                depth += (word in ("if", "with")) - (word == "end")
            if depth < 0 or any(each.startswith(("else", "range")) for each in actions):
                break
            if re.search(r"\btpl\b", line):
                raise UnclearError("the template renders these values as a template")
            if number > at and not actions and line.strip():
                break
            seen = seen or any("toYaml" in each or "include" in each for each in actions)
            if seen and not depth:
                return number + 1
        raise UnclearError("where these resources end is not seen")

    def _keeps(self, line: int) -> bool:
        """Whether the kind around a line is known to keep claims in its pods."""
        words = {"apiVersion": "", "kind": ""}
        for each in self._lines[:line]:
            key, _, value = each.partition(":")
            if each.startswith("---"):
                words = {"apiVersion": "", "kind": ""}
            elif key in words:
                words[key] = value.partition("#")[0].strip().strip("\"'")
        group = words["apiVersion"].partition("/")[0]
        if "{{" in words["kind"] or group in ("apps", "batch", "v1"):
            return False
        row = row_of(group, words["kind"])
        return row is not None and row.verdict == "keeps"

    def _resources_above(self, container: TemplateContainer, line: int) -> int:
        for at in range(line - 1, container.line - 1, -1):
            stripped = self._lines[at].strip().removeprefix("- ")
            if re.match(r"resources:\s*(#.*)?$", stripped):
                return at
        raise UnclearError("what its resources are is not seen")

    def _target(self, resource: str) -> Target:
        if resource in FRACTIONS:
            raise UnclearError(f"{resource} is a part of a GPU")
        words = find_sharing_hint(self._text, self._name) if "gpu" in resource else None
        every = (Hints(),) if self._hints is None else self._hints(resource)
        targets = [
            target_of(
                resource,
                1,
                self._decisions,
                replace(hints, shared=hints.shared or words),
                shipped_catalogue(),
            )
            for hints in every
        ]
        for each in targets:
            if not isinstance(each, Target):
                question = each.question if isinstance(each, Refusal) else None
                answer = f" (--{question})" if question else ""
                raise _AskedError(f"{resource}: {each.reason}{answer}", question)
        target = targets[0]
        if not isinstance(target, Target) or any(each != target for each in targets):
            raise UnclearError(f"{resource} becomes something else in each cluster")
        if not target.whole or target.distinct is not None:
            raise UnclearError(f"{resource} becomes a share, which has no plain count")
        return target

    def _said(self, line: int) -> tuple[str, tuple[str, ...]]:
        """The count at a line and its conditions, from the root."""
        found = _LINE.match(self._lines[line])
        if found is None or self._chomped(line):
            raise UnclearError(f"line {line + 1} takes the line end away")
        conditions = tuple(conditions_of(self._scopes[line]))
        number = _NUMBER.match(found["value"])
        if number is not None:
            count = whole_number(number["number"])
            if count is None:
                raise UnclearError("it asks for more devices than a count can hold")
            if not count:
                raise UnclearError("it asks for no device")
            return str(count), conditions
        value = _VALUE.match(found["value"])
        if (
            value is None
            or value["what"].startswith(("-", "if ", "/*"))
            or value["what"].endswith("-")
        ):
            raise UnclearError(f"the count at line {line + 1} is more than one value")
        what = value["what"].strip()
        while (last := _LAST.search(what)) is not None:
            what = what[: last.start()]
        return rooted(what, self._dot(line), self._variables), conditions

    def _dot(self, line: int) -> str:
        scopes = self._scopes[line]
        return scopes[-1].dot if scopes else "."

    def _chomped(self, line: int) -> bool:
        """Whether the text before a line ends with an action that takes the white space behind it."""
        above = next((each for each in reversed(self._lines[:line]) if each.strip()), "")
        return above.rstrip().endswith("-}}")

    def _namespace(self, pod: TemplatePod) -> str | None:
        """The namespace that is written in the object of a pod, from the root."""
        start = pod.line
        while start > 0 and not self._lines[start].startswith("---"):
            start -= 1
        scopes: tuple[Scope, ...] | None = None
        for number in range(start, pod.line):
            line = self._lines[number]
            if line.startswith("kind:"):
                scopes = self._scopes[number]
            found = _NAMESPACE.match(line)
            if found is None:
                continue
            if scopes is None or self._scopes[number] != scopes:
                raise UnclearError(f"the namespace at line {number + 1} is not always written")
            dot = self._dot(number)
            return _rooted_in(found["what"], dot, self._variables)
        return None

    def _refuse(
        self,
        reason: str,
        own: Sequence[tuple[TemplateContainer, int]],
        question: str | None = None,
    ) -> None:
        for _, line in own:
            found = _LINE.match(self._lines[line])
            resource, value = (found["key"], found["value"]) if found is not None else ("", "COUNT")
            try:
                name = self._target(resource).device_class if resource else "CLASS"
            except UnclearError:
                name = "CLASS"
            text = (
                f"the count stays: {reason}. By hand: a ResourceClaimTemplate with the request "
                f"{{name: {_short(resource)}, exactly: {{deviceClassName: {name}, count: {value}}}}}; above containers "
                "resourceClaims: [{name: devices, resourceClaimTemplateName: NAME}]; in the resources, for this line, "
                f"claims: [{{name: devices, request: {_short(resource)}}}]"
            )
            self.refused.append(CountLeft(line, text, question))

    def edits(self, pod: CountedPod, key: str, general: str | None) -> dict[int, list[str]]:
        """The lines to insert, by the line before which they are inserted. `general` is an expression for other claims beside these."""
        made: dict[int, list[str]] = {}
        made[pod.pod.line] = _of_pod(pod, " " * pod.pod.indent, general)
        by_resources: dict[int, list[Count]] = {}
        for count in pod.counts:
            by_resources.setdefault(count.resources, []).append(count)
        for at, counts in by_resources.items():
            if counts[0].whole:
                space = " " * (counts[0].indent - 2)
                lines = _whole_resources(counts, space, dash=self._lines[at].lstrip()[:2] == "- ")
                made.setdefault(at, []).extend(lines)
                made.setdefault(self._end_of(at), []).insert(0, f"{space}{{{{- end }}}}")
                continue
            made.setdefault(at + 1, [])[:0] = _of_container(counts, " " * counts[0].indent)
        for count in pod.counts:
            for line in count.lines:
                first, last = self._without(line, pod)
                if first is None:
                    continue
                space = " " * _indent(self._lines[first])
                made.setdefault(first, []).append(f"{space}{{{{- if not $.Values.{key} }}}}")
                made.setdefault(last + 1, []).insert(0, f"{space}{{{{- end }}}}")
        return made

    def _without(self, line: int, pod: CountedPod) -> tuple[int | None, int]:
        """The lines that are written without claims: the count, with its `limits` if they hold nothing else. None if
        another count has them."""
        every = {each for count in pod.counts for each in count.lines}
        parent = self._parent(line)
        if parent is None or self._chomped(parent):
            return line, line
        last = parent
        while last + 1 < len(self._lines) and (
            last + 1 in every or not self._lines[last + 1].strip()
        ):
            last += 1
        while not self._lines[last].strip():
            last -= 1
        below = self._lines[last + 1] if last + 1 < len(self._lines) else ""
        inside = [n for n in every if parent < n <= last]
        alone = (
            inside
            and _indent(below) < _indent(self._lines[line])
            and not (below.strip().startswith(("{{", "#")))
        )
        if line not in inside or not alone:
            # There is, or may be, something else: only the count is removed.
            return line, line
        return (parent, last) if line == min(inside) else (None, last)


def _of_pod(pod: CountedPod, space: str, general: str | None) -> list[str]:
    name = f'include "{pod.helper}.name" $'
    entry = [
        f"{space}  - name: devices",
        f"{space}    resourceClaimTemplateName: {{{{ {name} }}}}",
    ]
    if general is None:
        return [
            f"{space}{{{{- if {name} }}}}",
            f"{space}resourceClaims:",
            *entry,
            f"{space}{{{{- end }}}}",
        ]
    return [
        f"{space}{{{{- if or {general} ({name}) }}}}",
        f"{space}resourceClaims:",
        f"{space}  {{{{- with {general} }}}}",
        f"{space}  {{{{- toYaml . | nindent {len(space) + 2} }}}}",
        f"{space}  {{{{- end }}}}",
        f"{space}  {{{{- if {name} }}}}",
        *entry,
        f"{space}  {{{{- end }}}}",
        f"{space}{{{{- end }}}}",
    ]


def _of_container(counts: Sequence[Count], space: str) -> list[str]:
    asked = [f'include "{count.helper}" $' for count in counts]
    any_of = asked[0] if len(asked) == 1 else "or " + " ".join(f"({each})" for each in asked)
    made = [f"{space}{{{{- if {any_of} }}}}", f"{space}claims:"]
    for count, each in zip(counts, asked, strict=True):
        entry = [f"{space}  - name: devices", f"{space}    request: {count.request}"]
        if len(counts) > 1:
            entry = [f"{space}  {{{{- if {each} }}}}", *entry, f"{space}  {{{{- end }}}}"]
        made += entry
    return [*made, f"{space}{{{{- end }}}}"]


def _whole_resources(counts: Sequence[Count], space: str, *, dash: bool) -> list[str]:
    """The resources of a container with claims; those that are values as a whole follow as the other way."""
    if dash:
        raise UnclearError("the container begins with its resources")
    asked = [f'include "{count.helper}" $' for count in counts]
    any_of = asked[0] if len(asked) == 1 else "or " + " ".join(f"({each})" for each in asked)
    return [
        f"{space}{{{{- if {any_of} }}}}",
        f"{space}resources:",
        f'{space}  {{{{- include "{counts[0].helper}.resources" $ | nindent {len(space) + 2} }}}}',
        f"{space}{{{{- else }}}}",
    ]


def _without_claims(pod: TemplatePod) -> Iterator[str]:
    """Conditions for a pod to which the values may give claims of their own: then it gets no others."""
    places = [*filter(None, [pod.fields.get("resourceClaims")])]
    for expression, more in (
        *((e, ()) for e in places),
        *((e, ("resourceClaims",)) for e in pod.passed),
    ):
        steps = steps_of(expression)
        if steps is None:
            raise UnclearError("where the claims of the pod come from is not known")
        yield f"not ({_nested((*steps, *more))})"


def _nested(steps: Sequence[str]) -> str:
    """An expression for values of which any may be missing."""
    made = f".Values.{steps[0]}"
    for step in steps[1:]:
        made = f"({made}).{step}"
    return made


def _resources_helper(counts: Sequence[Count]) -> Iterator[str]:
    """The named template of resources in which claims take the place of the devices."""
    yield f'{{{{- define "{counts[0].helper}.resources" -}}}}'
    yield f"{{{{- $resources := deepCopy ({_nested(counts[0].whole)} | default dict) }}}}"
    yield "{{- $claims := $resources.claims | default list }}"
    for count in counts:
        yield f'{{{{- if include "{count.helper}" . }}}}'
        yield (
            f'{{{{- $claims = append $claims (dict "name" "devices" "request" "{count.request}") }}}}'
        )
        for part in ("limits", "requests"):
            yield f'{{{{- with omit ($resources.{part} | default dict) "{count.resource}" }}}}'
            yield f'{{{{- $_ := set $resources "{part}" . }}}}'
            yield "{{- else }}"
            yield f'{{{{- $_ := unset $resources "{part}" }}}}'
            yield "{{- end }}"
        yield "{{- end }}"
    yield '{{- toYaml (set $resources "claims" $claims) }}'
    yield "{{- end }}"


def helper_text(pods: Sequence[CountedPod], key: str) -> str:
    """The named templates: each count, the requests of each pod, and the name of its claim template."""
    made: list[str] = []
    for pod in pods:
        made.append(
            f"{{{{- /* The devices of {pod.file} as claims, with values {key}: true. */}}}}"
        )
        for count in pod.counts:
            conditions = (f".Values.{key}", *count.conditions)
            number = count.expression
            message = f"{pod.file}: {count.resource} must be a whole number with {key}"
            check = f'not (regexMatch "^([0-9]*|<nil>)$" (toString ({number})))'
            made += [
                f'{{{{- define "{count.helper}" -}}}}',
                *(f"{{{{- if {each} }}}}" for each in conditions),
                *(
                    ()
                    if number.isdecimal()
                    else (f"{{{{- if {check} }}}}", f'{{{{- fail "{message}" }}}}', "{{- end }}")
                ),
                *(
                    (f"{{{{- {number} }}}}",)
                    if number.isdecimal()
                    else (
                        f"{{{{- if gt (int ({number})) 0 }}}}",
                        f"{{{{- int ({number}) }}}}",
                        "{{- end }}",
                    )
                ),
                *("{{- end }}" for _ in conditions),
                "{{- end }}",
            ]
        by_resources: dict[int, list[Count]] = {}
        for count in pod.counts:
            if count.whole:
                by_resources.setdefault(count.resources, []).append(count)
        for counts in by_resources.values():
            made += _resources_helper(counts)
        made.append(f'{{{{- define "{pod.helper}.requests" -}}}}')
        for count in pod.counts:
            made += [f'{{{{- with include "{count.helper}" . }}}}', *_request(count), "{{- end }}"]
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


def _request(count: Count) -> Iterator[str]:
    yield f"- name: {count.request}"
    yield "  exactly:"
    yield f"    deviceClassName: {count.target.device_class}"
    yield "    count: {{ . }}"
    if count.target.selectors:
        yield "    selectors:"
        for text in count.target.selectors:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            yield f'    - cel: {{expression: "{quoted}"}}'


def objects_text(pods: Sequence[CountedPod]) -> str:
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
            made.append(f"  namespace: {_rooted_in(pod.namespace, '$', {})}")
        made += [
            "spec:",
            "  spec:",
            "    devices:",
            "      requests:",
            "        {{- . | nindent 8 }}",
            "{{- end }}",
        ]
    return "\n".join(made) + "\n"


def _rooted_in(text: str, dot: str, variables: Mapping[str, str]) -> str:
    """A text with its actions rewritten for any block, where only `$` is sure to be the root."""
    return _INNER.sub(lambda each: f"{{{{ {rooted(each['inner'], dot, variables)} }}}}", text)


def _name(resource: str, container: TemplateContainer, *, alone: bool) -> str:
    short = _short(resource)
    if alone or "{{" in container.name:
        return short
    name = re.sub(r"[^a-z0-9-]+", "-", f"{container.name}-{short}".lower()).strip("-")
    return name[:58].strip("-") or short


def _short(resource: str) -> str:
    short = resource.rpartition("/")[2].removesuffix(".shared")
    return (
        "gpu" if short in ("i915", "xe", "dri", "") else re.sub(r"[^a-z0-9-]+", "-", short.lower())
    )


def _free(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
