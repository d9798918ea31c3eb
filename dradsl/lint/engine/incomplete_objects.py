"""Findings about documents that are nearly objects: what they are is missing, or not said rightly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dradsl.diagnostics import Edit, FieldPath, Finding, Fix, Span
from dradsl.kube.fields.table import GROUP, KINDS
from dradsl.lint.catalogue.rules import rule_named
from dradsl.lint.catalogue.server_words import kind_of
from dradsl.text.documents import Document, expand_list
from dradsl.text.edits import rename_key
from dradsl.text.nodes import Entry, MappingNode, SequenceNode
from dradsl.text.paths import format_path, locate
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.loose import looks_like_dra, loose_paths, says_dra

__all__ = ["incomplete_objects"]

_IDENTITY = ("apiVersion", "kind")
_BY_LOWER_CASE = {name.lower(): name for name in (*_IDENTITY, "metadata", "spec")}
_GO_NAMES: Mapping[type, str] = MappingProxyType(
    {bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
)


def incomplete_objects(source: SourceText, document: Document) -> Iterator[Finding]:
    """What is clearly meant as an object that asks for devices, and says not rightly what it is.

    Other documents without apiVersion and kind, such as values of a chart, are none of ours.
    """
    root = document.data
    if isinstance(root, list) or (isinstance(root, dict) and "kind" not in root):
        yield from _no_object(source, document)
    is_object = isinstance(root, dict) and all(isinstance(root.get(n), str) for n in _IDENTITY)
    for prefix, data in expand_list(root) if is_object else (((), root),):
        if isinstance(data, dict):
            yield from _of_wrong_type(source, document, prefix, data)
            if data.get("apiVersion") and data.get("kind"):
                continue
            miswritten = tuple(_miswritten(data))
            for key, name in miswritten:
                yield _wrong_capitals(source, document, prefix, key, name)
            missing = None if miswritten else _missing(data)
            if missing is not None:
                yield _half(source, document, prefix, *missing)


def _no_object(source: SourceText, document: Document) -> Iterator[Finding]:
    """DRA007: a document that is a list or a mapping of objects."""
    places = loose_paths(document.data)
    # In values of a chart, objects are below keys.
    if not places or "values" in source.name.rpartition("/")[2].lower():
        return
    count = f"{len(places)} object{'s' * (len(places) > 1)}"
    is_list = isinstance(document.data, list)
    yield _at(
        source,
        document,
        (),
        "missing-field",
        f"apiVersion and kind are missing: the document is a {'list' if is_list else 'mapping'} "
        f"of {count}",
        help_="write a List with the objects as its items, or a document for each"
        if is_list
        else "write a document for each object, without the keys above them",
        upstream="json: cannot unmarshal array into Go value"
        if is_list
        else "Object 'Kind' is missing",
        fix=_as_list(document),
    )


def _start(document: Document) -> Span:
    span = document.span
    return Span(span.line, span.column, span.line, span.column + 1)


def _as_list(document: Document) -> Fix | None:
    """Puts the items of a list under `items` of a List."""
    root = document.root
    if not isinstance(root, SequenceNode) or not root.lines.editable:
        return None
    span = root.span
    first = Span.point(span.line, span.column)
    if root.flow:
        last = Span.point(span.end_line, span.end_column)
        edits: tuple[Edit, ...] = (
            Edit(first, '{"apiVersion": "v1", "kind": "List", "items": '),
            Edit(last, "}"),
        )
    else:
        newline = "\r\n" if "\r\n" in root.lines.text else "\n"
        indent = " " * (span.column - 1)
        before = newline.join(("apiVersion: v1", f"{indent}kind: List", f"{indent}items:", indent))
        edits = (Edit(first, before),)
    return Fix("make a List of it", edits, "unsafe")


def _of_wrong_type(
    source: SourceText, document: Document, prefix: FieldPath, data: Mapping[str, object]
) -> Iterator[Finding]:
    """DRA006: an apiVersion or a kind that is no text."""
    wrong = [name for name in _IDENTITY if not isinstance(data.get(name), str | None)]
    if not wrong or not (says_dra(data) or looks_like_dra(data)):
        return
    for name in wrong:
        value = data[name]
        yield _at(
            source,
            document,
            (*prefix, name),
            "wrong-type",
            f"{name} is text, not {kind_of(value)}",
            upstream=f"json: cannot unmarshal {_GO_NAMES[type(value)]} into Go struct field "
            f".{name} of type string",
        )


def _miswritten(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The keys of an object that are `apiVersion` and `kind` but for their capitals."""
    pairs = []
    whole: dict[str, object] = {}
    for key, value in data.items():
        name = _BY_LOWER_CASE.get(key.lower()) if isinstance(key, str) else None
        if name is None:
            continue
        if name != key:
            if name in data:
                return
            if name in _IDENTITY:
                pairs.append((key, name))
        whole[name] = value
    if pairs and all(isinstance(whole.get(name), str) for name in _IDENTITY) and _is_known(whole):
        yield from pairs


def _is_known(data: Mapping[str, object]) -> bool:
    """Whether something with a kind is an object of Kubernetes, and not values that name a kind."""
    if not (isinstance(data.get("metadata"), dict) and isinstance(data.get("spec"), dict)):
        return False
    return says_dra(data) or _version_of(data.get("kind")) is not None


def _version_of(kind: object) -> str | None:
    """The API version of Kubernetes' own kinds with devices or pods."""
    if not isinstance(kind, str):
        return None
    if kind in KINDS:
        return f"{GROUP}/v1"
    from dradsl.kube.pods.fields import WORKLOADS

    return WORKLOADS.get(kind)


def _wrong_capitals(
    source: SourceText, document: Document, prefix: FieldPath, key: str, name: str
) -> Finding:
    """DRA005: a key that says what the object is, with the wrong capitals."""
    return _at(
        source,
        document,
        (*prefix, key),
        "unknown-field",
        f'unknown field "{key}"',
        help_=f'did you mean "{name}"?',
        upstream="apiVersion not set" if name == "apiVersion" else "Object 'Kind' is missing",
        fix=_renamed(document, (*prefix, key), name),
    )


def _renamed(document: Document, path: FieldPath, name: str) -> Fix | None:
    entry, _ = _entry(document, path)
    return Fix(f"rename to {name}", (rename_key(entry, name),), "unsafe") if entry else None


def _entry(document: Document, path: FieldPath) -> tuple[Entry | None, MappingNode | None]:
    """The entry at a path that is there, and the mapping that holds it; None for shared ones."""
    root = document.root
    if root is None or not root.lines.editable:
        return None, None
    holder = locate(root, path[:-1])
    if not holder.exact or holder.shared or not isinstance(holder.node, MappingNode):
        return None, None
    entry = holder.node.entry(str(path[-1]))
    return (None, None) if entry is None or entry.merged else (entry, holder.node)


def _missing(data: Mapping[str, object]) -> tuple[str, str, str, str | None] | None:
    """What is there of `apiVersion` and `kind`, what is not, what to write, and if that is sure."""
    version, kind = data.get("apiVersion"), data.get("kind")
    if version in (None, "") and isinstance(kind, str):
        wanted = f"{GROUP}/v1" if kind in KINDS else _version_of(kind) if _is_known(data) else None
        if wanted is not None:
            return "kind", "apiVersion", wanted, wanted if "apiVersion" not in data else None
    if kind in (None, "") and isinstance(version, str):
        if version.startswith(f"{GROUP}/"):
            return "apiVersion", "kind", "ResourceClaim, for example", None
        if looks_like_dra(data):
            return "apiVersion", "kind", "Pod, for example", None
    return None


def _half(
    source: SourceText,
    document: Document,
    prefix: FieldPath,
    there: str,
    missing: str,
    value: str,
    sure: str | None,
) -> Finding:
    """DRA007: what is clearly meant as an object, without apiVersion or kind."""
    return _at(
        source,
        document,
        (*prefix, there),
        "missing-field",
        f"{missing} is missing",
        field=missing,
        help_=f"write {missing}: {value}",
        upstream="apiVersion not set" if missing == "apiVersion" else "Object 'Kind' is missing",
        fix=None if sure is None else _added(document, (*prefix, there), missing, sure),
    )


def _added(document: Document, path: FieldPath, name: str, value: str) -> Fix | None:
    """Writes a field above the one at `path`."""
    entry, mapping = _entry(document, path)
    if entry is None or mapping is None:
        return None
    key = entry.key.span
    quote = '"' if entry.key.style == '"' else ""
    text = f"{quote}{name}{quote}: {quote}{value}{quote}"
    if mapping.flow:
        text += ", "
    else:
        text += ("\r\n" if "\r\n" in mapping.lines.text else "\n") + " " * (key.column - 1)
    return Fix(f"write {name}: {value}", (Edit(Span.point(key.line, key.column), text),), "unsafe")


def _at(
    source: SourceText,
    document: Document,
    path: FieldPath,
    name: str,
    message: str,
    *,
    upstream: str,
    field: str | None = None,
    help_: str | None = None,
    fix: Fix | None = None,
) -> Finding:
    """A finding at the key of a field, of no field at the start of the document."""
    root = document.root
    rule = rule_named(name)
    key = locate(root, path).key_span if path and root is not None else None
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=source.name,
        span=key or (document.span if path else _start(document)),
        document=document.index,
        field=field or format_path(path) or None,
        help=help_,
        upstream=upstream,
        fix=fix,
        origin=document.source_comment,
    )
