"""Releases with all of their values: what their references name, in the order of Flux and Argo CD, at its places.

A HelmRelease comes out with the values that Flux gives to the chart under `spec.values` and without `valuesFrom`;
a source of Argo CD with `valuesObject` alone. What is there keeps the way back to where it was written.
Upstream: fluxcd/pkg chartutil/values.go and runtime/transform, helm pkg/strvals/parser.go,
argo-cd reposerver/repository/repository.go (helmTemplate).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterable, Sequence

from dradsl.records import Record
from dradsl.text.splitting import has_marks
from dradsl.tree.kustomize.parts.files import Files, TextFile
from dradsl.tree.nodes import (
    KustomizeError,
    SourceDocument,
    SourcePlace,
    ValueNode,
    mapping,
    of,
    sequence,
    text_of,
)
from dradsl.values.limits import MOST_LIST_INDEX, MOST_REFERENCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ValuesError", "complete_release", "complete_source", "set_value"]

Find = Callable[[str, str], ValueNode | None]
"""The object of a kind and name in the namespace of a release; None if it is not known."""


class _Map(dict[str, "Any"]):
    """Mutable copy of a mapping node that remembers its place; its members are such copies, lists, or scalars as
    nodes."""

    def __init__(self, items: dict[str, object], at: SourcePlace | None) -> None:
        super().__init__(items)
        self.at = at

    def copy(self) -> _Map:
        return _Map(self, self.at)


class _Value(Record):
    """A text with values, and where it stands."""

    text: str
    at: SourcePlace | None
    file: str | None = None
    """The file that is the text."""
    filled: bool = False
    """Whether all variables are put in, so that what looks like one is text."""

    def read(self) -> _Map:
        """The mapping in the text.

        Raises:
            ValuesError: if it is no mapping, or cannot be parsed.
        """
        if "${" in self.text and not self.filled:  # `{{ }}` is the chart's own
            raise ValuesError("the values hold variables")
        file = self.file or (self.at.origin.file if self.at is not None else "")
        text = TextFile(
            file, self.text.encode("utf-8", "surrogatepass"), None if self.file else self.at
        )
        # Not as Kustomize reads texts: here `yes` is true.
        documents = text.stream.documents
        if any(each.fatal for each in text.stream.all_problems()):
            raise ValuesError("the values are no YAML")
        data = documents[0].data if documents else None
        if data is None and len(documents) < 2:
            return _Map({}, self.at)
        if not isinstance(data, dict):  # of several documents the first counts
            raise ValuesError("the values are no mapping")
        return _tree_of(of(data, SourcePlace(SourceDocument(file, documents[0], text.within))))


# Flux


def complete_release(
    release: ValueNode, find: Find, files: Files, *, top: str | None = None, filled: bool = False
) -> ValueNode | None:
    """A HelmRelease with all of its values under `spec.values`; None if some of them are not known. With `filled`
    Flux has put in all variables. `valuesFiles` are known of a chart in the tree of the folder `top`."""
    spec = release.get("spec")
    if spec is None or not spec.is_map:
        return release
    listed = spec.items_at("valuesFrom")
    own = spec.get("values")
    named = spec.get("chart", "spec", "valuesFiles")
    if not listed and not spec.items_at("chart", "spec", "valuesFiles"):
        return release
    if len(listed) > MOST_REFERENCES:
        return None
    try:
        references = [_reference(each, find, files, filled=filled) for each in listed]
        values = _merged(references, own)
        if named is not None and named.items:
            # They take the place of the chart's own values.
            values = _joined(_chart_values(spec, named, files, top), values)
            chart = spec.get("chart") or named
            inner = (chart.get("spec") or named).with_field("valuesFiles", None)
            spec = spec.with_field("chart", chart.with_field("spec", inner))
    except (ValuesError, KustomizeError):
        return None
    made = spec.with_field("values", _node(values, spec.at)).with_field("valuesFrom", None)
    return release.with_field("spec", made)


def _chart_values(spec: ValueNode, named: ValueNode, files: Files, top: str | None) -> _Map:
    """The values in the files that a HelmRelease names for its chart, where that lies in the tree; they count from the
    top of the source (source-controller internal/helm/chart/builder_local.go)."""
    made = _Map({}, named.at)
    chart = text_of(spec.get("chart", "spec", "chart"))
    kind = text_of(spec.get("chart", "spec", "sourceRef", "kind"))
    described = None
    if top is not None and kind in ("GitRepository", "Bucket") and not has_marks(chart):
        folder = files.of_source(top, chart)
        described = folder and files.read(files.real(os.path.join(folder, "Chart.yaml")))
    if top is None or described is None:
        raise ValuesError("the chart is not in this tree")
    is_lenient = spec.is_true("chart", "spec", "ignoreMissingValuesFiles")
    for each in named.items:
        real = files.of_source(top, each.text)
        data = files.read(real) if real is not None and not has_marks(each.text) else None
        if real is not None and data is not None:
            text = data.decode("utf-8", "replace")
            made = _joined(made, _Value(text, each.at, real, filled=True).read())
        elif not is_lenient:
            raise ValuesError(f"{each.text} is not in this tree")
    return made


def _merged(references: Iterable[tuple[str, _Value]], own: ValueNode | None) -> _Map:
    """The values of a HelmRelease: what its references name in their order, then its own.

    A reference with a target path sees the values of the release merged before it. What it writes stays where its
    mapping is the release's own one; elsewhere the values of the release win in the end, as in Flux.
    """
    ours = _tree_of(own) if own is not None and own.is_map else _Map({}, None)
    made = _Map({}, None)
    for target, value in references:
        if not target:
            made = _joined(made, value.read())
            continue
        made = _joined(made, ours)
        text, at = value.text, value.at
        quoted = bool(text) and text[0] == text[-1] and text[0] in "'\""
        set_value(
            made,
            target,
            text.strip("'\"") if quoted else text,
            as_text=quoted,
            wrap=_placing(at),
        )
    return _joined(made, ours)


def _joined(under: _Map, over: _Map) -> _Map:
    made = merge_values(under, over)
    return made if isinstance(made, _Map) else _Map(made, over.at)


def _reference(node: ValueNode, find: Find, files: Files, *, filled: bool) -> tuple[str, _Value]:
    kind, name = text_of(node.get("kind")), text_of(node.get("name"))
    key = text_of(node.get("valuesKey")) or "values.yaml"
    target = text_of(node.get("targetPath"))
    if has_marks(name) or has_marks(target) or has_marks(key):
        raise ValuesError("the reference holds variables")
    found = find(kind, name) if kind in ("ConfigMap", "Secret") and name else None
    if found is None:
        raise ValuesError(f"{kind} {name} is not known")
    value = _value_in(found, kind, key, files, filled=filled)
    if value is None:
        raise ValuesError(f"{kind} {name} has no {key} that is known")
    return target, value


def _value_in(node: ValueNode, kind: str, key: str, files: Files, *, filled: bool) -> _Value | None:
    """The text under a key of a ConfigMap or Secret; None if it is not there, or encrypted."""
    if node.get("sops") is not None:
        return None
    plain = node.get("stringData", key) if kind == "Secret" else None
    found = plain if plain is not None else node.get("data", key)
    if found is None or not found.is_scalar or found.is_null:
        return None
    text = found.text
    if text.startswith("ENC["):
        return None
    if kind == "Secret" and plain is None:
        try:
            text = base64.b64decode(text).decode()
        except (binascii.Error, ValueError):
            return None
    file = _file_of(found, text, files)
    return _Value(text, found.at, file, filled)


def _file_of(node: ValueNode, text: str, files: Files) -> str | None:
    """The file of which a generator made a text, as the entry of the kustomization says it."""
    written = node.at.written() if node.at is not None else None
    entry = getattr(written, "text", None)
    if node.at is None or not isinstance(entry, str) or entry == text or "\n" in entry:
        return None
    path = entry.partition("=")[2] or entry
    real = files.real(os.path.join(os.path.dirname(node.at.origin.file), path))
    data = files.read(real)
    # Variables may be put in by now, which moves no line.
    return real if data is not None and data.count(b"\n") == text.count("\n") else None


# Argo CD


def complete_source(source: ValueNode, files: Files, top: str) -> ValueNode | None:
    """A source of an Application with all values of its chart under `helm.valuesObject`; None if some of them
    are not known."""
    own = source.get("helm")
    if own is None or not own.is_map:
        return source
    names = ("valueFiles", "values", "parameters", "fileParameters")
    if not any((found := own.get(name)) is not None and not found.is_empty for name in names):
        return source
    try:
        values = _of_argo_cd(source, own, files, top)
    except (ValuesError, KustomizeError):
        return None
    for name in names:
        own = own.with_field(name, None)
    made = own.with_field("valuesObject", _node(values, own.at))
    return source.with_field("helm", made)


def _of_argo_cd(source: ValueNode, own: ValueNode, files: Files, top: str) -> _Map:
    made = _Map({}, own.at)
    is_lenient = own.is_true("ignoreMissingValueFiles")
    for each in own.items_at("valueFiles"):
        value = _value_file(each, text_of(source.get("path")), files, top)
        if value is not None:
            made = _joined(made, value.read())
        elif not is_lenient:
            raise ValuesError(f"{each.text} is not in this tree")
    if own.items_at("fileParameters"):
        raise ValuesError("values out of files are not put in")
    inline, text = own.get("valuesObject"), own.get("values")
    if inline is not None and inline.is_map:  # of both the object counts
        made = _joined(made, _tree_of(inline))
    elif text is not None and text.text:
        made = _joined(made, _Value(text.text, text.at).read())
    made = _copied_map(made)
    for each in own.items_at("parameters"):
        name, given = text_of(each.get("name")), each.get("value")
        written = text_of(given)
        if has_marks(name) or has_marks(written):
            raise ValuesError("a parameter holds variables")
        at = each.at if given is None else given.at
        set_value(
            made,
            name,
            written,
            as_text=each.is_true("forceString"),
            wrap=_placing(at),
        )
    return made


def _value_file(entry: ValueNode, path: str, files: Files, top: str) -> _Value | None:
    text = entry.text
    if "{{" in text or "://" in text or has_marks(text):
        raise ValuesError(f"{text} is not of this tree")
    if text.startswith("$"):
        where, text = top, text.partition("/")[2]
    else:
        where = top if text.startswith("/") else os.path.join(top, path.strip("/"))
    real = files.real(os.path.join(where, text.lstrip("/")))
    data = files.read(real)
    return None if data is None else _Value(data.decode("utf-8", "replace"), entry.at, real)


# Mutable copies of nodes


def _tree_of(node: ValueNode) -> _Map:
    return _Map({key: _tree(each) for key, each in node.fields.items()}, node.at)


def _tree(node: ValueNode) -> Any:
    if node.is_map:
        return _tree_of(node)
    if node.is_seq:
        return [_tree(each) for each in node.items]
    return None if node.is_null and node.at is None else node


def _copied_map(value: dict[str, object]) -> _Map:
    at = value.at if isinstance(value, _Map) else None
    return _Map({key: _copied(each) for key, each in value.items()}, at)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return _copied_map(value)
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value


def _placing(at: SourcePlace | None) -> Callable[[object], object]:
    return lambda data: of(data, at)


def _node(value: Any, at: SourcePlace | None) -> ValueNode:
    if isinstance(value, ValueNode):
        return value
    if isinstance(value, dict):
        place = (value.at if isinstance(value, _Map) else None) or at
        return mapping({key: _node(each, place) for key, each in value.items()}, place)
    if isinstance(value, list):
        place = next((each.at for each in value if isinstance(each, ValueNode | _Map)), None) or at
        return sequence([_node(each, place) for each in value], place)
    return of(value, at)


# Plain values put together: mappings merged, and single values written at a path


class ValuesError(ValueError):
    """Values that are not known as a whole, or that cannot be put together; the message says why."""


def merge_values(under: dict[str, object], over: dict[str, object]) -> dict[str, object]:
    """Mapping merged of both: below equal keys mappings are merged, and anything else is that of `over`."""
    made = under.copy()
    for key, value in over.items():
        before = made.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            made[key] = merge_values(before, value)
        else:
            made[key] = value
    return made


_STEP = re.compile(r"((?:\\.|[^\\.\[\],=])*)((?:\[[0-9]+\])*)(\.|$)")


def set_value(
    values: dict[str, object],
    path: str,
    text: str,
    *,
    as_text: bool = False,
    wrap: Callable[[object], object] = lambda value: value,
) -> None:
    """Write a value at a path such as `a.b[0].c`, as `--set` does. `wrap` converts the value before it is stored.

    Raises:
        ValuesError: if path or value have a form that means several values, or lead through no mapping.
    """
    value = wrap(_value(text, as_text=as_text))
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            raise ValuesError(f"the path {path} cannot be read")
        name = re.sub(r"\\(.)", r"\1", step[1])
        if name or not steps:
            steps.append(name)
        steps += [int(each) for each in re.findall(r"\[([0-9]{1,9})\]", step[2])]
        at = step.end()
    if not steps:
        raise ValuesError("the path is empty")
    _write(values, steps, value, path, text_is_empty=not text)


def _write(
    values: Any, steps: Sequence[str | int], value: object, path: str, *, text_is_empty: bool
) -> None:
    if text_is_empty and any(isinstance(each, int) for each in steps):
        raise ValuesError(f"{path} gets no value")  # of which Helm writes a part
    above: Any = None
    before: str | int = ""
    here = values
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int):
            if not isinstance(here, list) or step > MOST_LIST_INDEX:
                raise ValuesError(f"{path} leads to no list")
            if step >= len(here):  # a longer list is another one: who shares the old one keeps it
                here = above[before] = [*here, *[None] * (step + 1 - len(here))]
            current = here[step]
            # What is in a list gives way to a mapping; nothing of it becomes a list.
            there = current is not None and (
                isinstance(following, int) or isinstance(current, dict)
            )
        else:
            if not isinstance(here, dict):
                raise ValuesError(f"{path} leads through no mapping")
            there = step in here  # null is a value that is no mapping
            current = here.get(step)
        if following is None:
            here[step] = value
            return
        if not there:
            current = here[step] = [] if isinstance(following, int) else {}
        above, before, here = here, step, current


def _value(text: str, *, as_text: bool) -> object:
    if text.startswith("{"):
        if not text.endswith("}") or "\\" in text or "}" in text[:-1]:
            raise ValuesError("the list does not end where the value ends")
        return [each if as_text else _typed(each) for each in text[1:-1].split(",")]
    if re.search(r"(?<!\\),", text):
        raise ValuesError("the value holds several")
    plain = re.sub(r"\\(.)", r"\1", text)
    return plain if as_text else _typed(plain)


def _typed(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() == "null":
        return None
    if text == "0":
        return 0
    if re.fullmatch(r"[-+]?[0-9]{1,18}", text) and text[0] != "0":
        return int(text)
    return text
