"""The pods in the source of a Helm template: what of the values reaches their containers and their specs.

A template is no YAML. Its lines are read by their indentation, with the actions around them. Any other form is
not found, or reported as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from dradsl.records import Record, field
from dradsl.tree.charts.go_template import OPENING, actions_in, parse, set_once
from dradsl.values.patterns import pattern

__all__ = [
    "PodForm",
    "TemplateContainer",
    "TemplatePod",
    "helpers_in",
    "is_built_in",
    "pods_in",
    "steps_of",
    "takes_no_claims",
    "whole_resources_in",
]

_TO_YAML = pattern(r"toYaml\s+\(?\s*([.$][\w.$-]*)|([.$][\w.$-]*)\s*\|\s*toYaml")
_INCLUDE = pattern(r"(?:include|template)\s+\"([^\"]+)\"\s+([.$][\w.$-]*)?")
_KEY = pattern(r"(?P<space> *)(?P<dash>- +)?(?P<key>[\w./-]+):(?P<rest>[ \t].*)?$")
_NAME = pattern(r"[\"`]([^\"`]+)[\"`]")
_INDEX = pattern(r"index\s+(\$?\.Values[\w.]*)((?:\s+\"[^\"]+\")+)")
_RANGE = pattern(r"(?:.*:=\s*)?(?P<what>[.$][\w.$-]*)$")


class TemplateContainer(Record):
    """A container at a line (from 0). `whole` are the values that its resources are as a whole, `single` the
    lines of keys that are written one by one below `resources` at line `at`; `unknown` is a helper or variable
    whose content is not known. `own_claims` says that the template writes claims itself."""

    name: str
    line: int
    indent: int
    at: int | None = None
    whole: tuple[str, ...] = ()
    single: tuple[int, ...] = ()
    unknown: str | None = None
    own_claims: bool = False


class PodForm(Record):
    """How an object takes claims: in the list `claims`, which containers refer to if they are `named`. A controller looks
    for the keys `keep_as_zero` in the limits."""

    claims: str = "resourceClaims"
    named: bool = True
    keep_as_zero: tuple[str, ...] = ()


# A predictor of KServe is a pod spec whose model is a container (kserve pkg/apis/serving/v1beta1/predictor.go). The NIM
# operator gives the claims of a NIMService to its only container (k8s-nim-operator api/apps/v1alpha1).
_POD, _PREDICTOR = PodForm(), PodForm(keep_as_zero=("nvidia.com/gpu",))
_NIM = PodForm("draResources", named=False)


class TemplatePod(Record):
    """A pod spec whose `containers` are at a line (from 0), with its indentation.

    `fields` say which values fields of the pod are, `passed` values whose every key becomes one. At the line
    `own_claims` the template writes claims itself. `conditional` is whether a with, range or if is around it. Without
    `containers` in the template, the line is that of what makes the container.
    """

    line: int
    indent: int
    containers: tuple[TemplateContainer, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    own_claims: int | None = None
    conditional: bool = False
    form: PodForm = _POD

    @property
    def has_claims(self) -> bool:
        """Whether the values can give the pod claims."""
        return self.form.claims in self.fields or bool(self.passed)


class _Open(Record):
    """A with, range or if that is open at a line."""

    word: str
    what: str


class _Line(Record):
    text: str
    indent: int
    is_action: bool
    opened: tuple[_Open, ...]

    @property
    def is_blank(self) -> bool:
        stripped = self.text.strip()
        return not stripped or stripped.startswith("#")


def helpers_in(texts: Sequence[str]) -> dict[str, str]:
    """The named templates of a chart, by name."""
    found: dict[str, str] = {}
    for text in texts:
        for block in parse(text).blocks() if "define" in text else ():
            name = _NAME.match(block.opening.rest) if block.opening.word == "define" else None
            if name is not None:
                start, end = block.body
                found[name[1]] = text[start:end]
    return found


def pods_in(text: str, helpers: Mapping[str, str]) -> list[TemplatePod]:
    """The pods whose containers the template lists."""
    lines = list(_lines(_with_values(text)))
    found = []
    for number, line in enumerate(lines):
        key = _KEY.match(line.text)
        if key is None or key["dash"] or line.is_action:
            continue
        whole = bool(key["rest"] and key["rest"].strip())
        if key["key"] == "containers" and not whole:  # as a whole they are values
            found.append(_pod(lines, number, helpers, _POD))
        elif key["key"] in _MODELS and not whole and _is_in(lines, number, *_OF_KSERVE):
            found.append(_pod(lines, number, helpers, _PREDICTOR))
        elif key["key"] == "resources" and _is_in(lines, number, *_OF_NIM):
            found.append(_pod(lines, number, helpers, _NIM))
    return [pod for pod in found if pod.containers]


# The servers that a predictor can name in the place of containers.
_MODELS = {
    "model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml",
    "lightgbm", "paddle",
}  # fmt: skip
_OF_KSERVE = ("InferenceService", ["predictor", "spec"])
_OF_NIM = ("NIMService", ["spec"])


def _is_in(lines: Sequence[_Line], number: int, kind: str, path: list[str]) -> bool:
    """Whether a key is at a path of an object of a kind, as far as the lines above show it; the innermost step first."""
    indent, keys = lines[number].indent, list[str]()
    for line in reversed(lines[:number]):
        if line.text.startswith("---"):
            break
        key = None if line.is_action or line.is_blank else _KEY.match(line.text)
        if key is not None and key["key"] == "kind" and not line.indent:
            return keys == path and (key["rest"] or "").split()[:1] == [kind]
        if key is not None and line.indent < indent:
            indent = line.indent
            keys.append(key["key"])
    return False


def whole_resources_in(
    text: str, helpers: Mapping[str, str]
) -> Iterator[tuple[int, str, str, str]]:
    """The `resources`, or limits or requests of them, that are values as a whole, anywhere in a template: line (from 0),
    values, and API group and kind of the object, as far as they are written."""
    lines = list(_lines(_with_values(text)))
    group = kind = ""
    for number, line in enumerate(lines):
        if line.text.startswith("---"):
            group = kind = ""
        head, _, rest = line.text.partition(":")
        word = rest.partition("#")[0].strip().strip("\"'")
        if head == "apiVersion":
            group = word.partition("/")[0] if "/" in word else ""
        elif head == "kind":
            kind = word
        key = None if line.is_action else _KEY.match(line.text)
        if key is None or key["key"] not in ("resources", "limits", "requests"):
            continue
        expression = _expression(lines, number, helpers)
        if expression is not None:
            yield number, expression, group, kind


# Kinds whose pods have no claims, whatever a template writes: Knative rejects them, a Notebook drops them.
_NO_CLAIMS = pattern(r"serving\.knative\.dev/|^kind:[ \t]*[\"']?Notebook\b", re.MULTILINE)


def takes_no_claims(text: str) -> bool:
    """Whether pods of the template's objects cannot have claims."""
    return _NO_CLAIMS.search(text) is not None


# Kinds of Kubernetes itself. Whether other kinds keep claims depends on their CRD.
_BUILT_IN = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod")


def is_built_in(text: str, line: int) -> bool:
    """Whether the object around a line (from 0) is a workload of Kubernetes itself, as far as its kind is written."""
    kind = None
    for number, each in enumerate(text.splitlines()):
        if each.startswith("---"):
            if number > line:
                break
            kind = None
        elif each.startswith("kind:"):
            if number > line and kind is not None:
                break
            kind = each.partition(":")[2].partition("#")[0].strip().strip("\"'")
    return kind in _BUILT_IN


def _with_values(text: str) -> str:
    """The text with values in the place of variables that are set to them once: no line moves."""
    for name, (what, _) in set_once(text).items():
        index = _INDEX.fullmatch(what)
        values = what if index is None else ".".join([index[1], *_NAME.findall(index[2])])
        if steps_of(values) is not None and re.fullmatch(r"[\w.$-]+", values):
            set_at = re.compile(rf"{re.escape(name)}(?![\w-]|\s*:?=)")
            text = set_at.sub(values.replace("\\", ""), text)
    return text


def _lines(text: str) -> Iterator[_Line]:
    opened: list[_Open] = []
    actions = [*actions_in(text)]
    index = start = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        end, first = start + len(raw), index
        left, at = "", start
        while index < len(actions) and actions[index].start < end:
            if actions[index].end <= start + len(line):
                left += text[at : actions[index].start]
                at = actions[index].end
            index += 1
        only = index > first and not (left + text[at : start + len(line)]).strip()
        yield _Line(line, len(line) - len(line.lstrip(" ")), only, tuple(opened))
        for action in actions[first:index]:
            if action.word in OPENING:
                what = _RANGE.match(action.rest)
                opened.append(_Open(action.word, what["what"] if what else action.rest))
            elif action.word == "end" and opened:
                opened.pop()
        start = end


def _pod(
    lines: Sequence[_Line], number: int, helpers: Mapping[str, str], form: PodForm
) -> TemplatePod:
    indent = lines[number].indent
    end = _end_of_block(lines, number, indent)
    first, last = number, end
    while first > 0 and _belongs(lines[first - 1], indent):
        first -= 1
    while last < len(lines) and _belongs(lines[last], indent):
        last += 1
    fields: dict[str, str] = {}
    passed: list[str] = []
    own, beside = None, False
    around = (*range(first, number), *range(end, last))
    for at in around:
        line = lines[at]
        key = _KEY.match(line.text)
        if key is not None and not line.is_action and line.indent == indent and not key["dash"]:
            beside = beside or key["key"] in ("containers", "workerSpec")
            expression = _expression(lines, at, helpers)
            if expression is not None:
                fields[key["key"]] = expression
            elif key["key"] == form.claims:
                own = at
        elif line.is_action and re.search(rf"\bn?indent\s+{indent}\b", line.text):
            expression = _of_action(line, helpers)
            above = next((lines[i] for i in range(at - 1, -1, -1) if not lines[i].is_action), None)
            # Below a key of its own it is the value of that key.
            if expression is not None and not (above is not None and above.text.endswith(":")):
                passed.append(expression)
    if form is _POD:
        containers = [*_containers(lines, number, end, helpers)]
    elif form is _NIM:
        containers = [_container(lines, number, end, indent, helpers)]
    else:  # KServe works out devices beside workerSpec itself
        containers = [] if beside else [_container(lines, number, end, indent + 2, helpers)]
    return TemplatePod(
        number,
        indent,
        tuple(containers),
        fields,
        tuple(passed),
        own,
        bool(lines[number].opened),
        form,
    )


def _belongs(line: _Line, indent: int) -> bool:
    return line.is_blank or line.is_action or line.indent >= indent


def _end_of_block(lines: Sequence[_Line], number: int, indent: int) -> int:
    """The line after everything below a key."""
    at = number + 1
    while at < len(lines):
        line = lines[at]
        item = line.indent == indent and line.text.lstrip().startswith("- ")
        if not (line.is_blank or line.is_action or line.indent > indent or item):
            break
        at += 1
    # Actions after the last line belong to what follows.
    while at > number + 1 and (lines[at - 1].is_blank or lines[at - 1].is_action):
        at -= 1
    return at


def _containers(
    lines: Sequence[_Line], number: int, end: int, helpers: Mapping[str, str]
) -> Iterator[TemplateContainer]:
    starts = []
    dash = None
    for at in range(number + 1, end):
        line = lines[at]
        if line.is_action or line.is_blank:
            continue
        if dash is None and line.text.lstrip().startswith("- "):
            dash = line.indent
        if line.indent == dash and line.text.lstrip().startswith("- "):
            starts.append(at)
    for index, start in enumerate(starts):
        stop = starts[index + 1] if index + 1 < len(starts) else end
        yield _container(lines, start, stop, (dash or 0) + 2, helpers)


def _container(
    lines: Sequence[_Line], start: int, stop: int, indent: int, helpers: Mapping[str, str]
) -> TemplateContainer:
    name = ""
    at: int | None = None
    whole: list[str] = []
    single: list[int] = []
    unknown = None
    for number in range(start, stop):
        line = lines[number]
        key = None if line.is_action else _KEY.match(line.text)
        if key is None or len(key["space"]) + len(key["dash"] or "") != indent:
            continue
        if key["key"] == "name" and not name:
            name = (key["rest"] or "").strip().strip("\"'")
        if key["key"] != "resources":
            continue
        at = number if at is None else at
        expressions = [*_expressions(lines, number, helpers)]
        for expression in expressions:
            if expression.startswith('"'):
                unknown = expression.strip('"')
            elif re.fullmatch(r"\$\w+", expression):
                unknown = expression
            else:
                whole.append(expression)
        if not expressions:
            single += [
                below
                for below in range(number + 1, _end_of_block(lines, number, indent))
                if below < stop and not lines[below].is_blank
            ]
    claims = any(
        (key := _KEY.match(lines[each].text)) is not None and key["key"] == "claims"
        for each in range(start if at is None else at, stop)
    )
    return TemplateContainer(
        name, start, indent, at, tuple(dict.fromkeys(whole)), tuple(single), unknown, claims
    )


def _expression(lines: Sequence[_Line], number: int, helpers: Mapping[str, str]) -> str | None:
    """The values that are the whole content of a key; in quotes the name of a helper that is not evaluated."""
    return next(_expressions(lines, number, helpers), None)


def _expressions(lines: Sequence[_Line], number: int, helpers: Mapping[str, str]) -> Iterator[str]:
    """The values that can be the whole content of a key: `else` says others."""
    line = lines[number]
    rest = line.text.partition(":")[2].strip()
    if rest:
        found = _of_action(line, helpers) if "{{" in rest else None
        yield from () if found is None else (found,)
        return
    depth = len(line.opened)
    for below in lines[number + 1 :]:
        if below.is_blank:
            continue
        first = next(actions_in(below.text), None)
        if first is None or not below.is_action or len(below.opened) < depth:
            return
        found = _of_action(below, helpers)
        if found is not None:
            yield found
        elif not (
            first.word in ("with", "if", "else", "end") or first.inner.startswith(("$", "/*"))
        ):
            return


def _of_action(line: _Line, helpers: Mapping[str, str]) -> str | None:
    for action in actions_in(line.text) if "{{" in line.text else ():
        inner = action.inner
        found = _TO_YAML.search(inner)
        if found is not None:
            return _resolved(found[1] or found[2], line.opened)
        call = _INCLUDE.search(inner)
        if call is not None:
            return _through(call[1], helpers) or f'"{call[1]}"'
    return None


def _through(name: str, helpers: Mapping[str, str]) -> str | None:
    """The values that a helper writes as a whole, if it writes nothing else."""
    body = helpers.get(name)
    found = None if body is None else _TO_YAML.search(body)
    if body is None or found is None:
        return None
    expression = found[1] or found[2]
    what, _ = set_once(body).get(expression, (expression, True))
    expression = what.partition(" ")[0]  # a default may follow
    return expression if expression.startswith((".Values.", "$.Values.")) else None


def _resolved(expression: str, opened: Sequence[_Open]) -> str:
    """An expression with the dot of a `with` put in; that of a `range` stays."""
    for each in reversed(opened):
        if expression.startswith((".Values", "$")) or each.word not in ("with", "range"):
            continue
        if each.word == "range":
            break
        expression = each.what + (expression if expression != "." else "")
    return expression


def steps_of(expression: str) -> tuple[str, ...] | None:
    """The path of the values that an expression of a template is; None for any other expression."""
    for start in (".Values.", "$.Values."):
        if expression.startswith(start):
            return tuple(expression.removeprefix(start).split("."))
    return None
