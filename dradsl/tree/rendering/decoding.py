"""Kustomizations as Kustomize decodes them, and the text that it gets of them.

Kustomize matches keys without regard to case, takes the last of equal keys and reads the first document alone. What
it could read otherwise than dradsl is rejected. It gets JSON of what was read: so it cannot find anything else.
Upstream: kustomize 5.7 api/types/kustomization.go (Unmarshal), api/internal/builtins, kyaml/openapi, encoding/json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from dradsl.text.documents import Document, load
from dradsl.text.paths import FieldPath, locate
from dradsl.tree.kustomize.parts import shape as shapes
from dradsl.tree.kustomize.parts.shape import (
    ANY,
    ANY_PATCH,
    FIELD_SPECS,
    FILE,
    IMAGE,
    JSON_PATCH,
    METADATA,
    PAIRS,
    PATCH,
    REPLACEMENTS,
    REPLICA,
    SELECTOR,
    Shape,
)
from dradsl.tree.rendering.programs import NotRenderedError

__all__ = ["KUSTOMIZATION", "TRANSFORMERS", "Decoded", "decoded", "json_text"]

# The fields that are handed to Kustomize, in exactly this case.
KUSTOMIZATION: Mapping[str, Shape] = {
    **shapes.KUSTOMIZATION,
    "openapi": {"path": FILE, "version": str},
    "helmGlobals": {"chartHome": str},  # no configHome: it is that of another helm
    "helmChartInflationGenerator": [{}],
}

_SPECS: Mapping[str, Shape] = {"fieldSpecs": FIELD_SPECS}
_HEAD: Mapping[str, Shape] = {"apiVersion": str, "kind": str, "metadata": METADATA}
TRANSFORMERS: Mapping[str, Mapping[str, Shape]] = {
    "AnnotationsTransformer": {**_HEAD, "annotations": PAIRS, **_SPECS},
    "ImageTagTransformer": {**_HEAD, "imageTag": IMAGE, **_SPECS},
    "LabelTransformer": {**_HEAD, "labels": PAIRS, **_SPECS},
    "NamespaceTransformer": {
        **_HEAD,
        **_SPECS,
        "unsetOnly": bool,
        "setRoleBindingSubjects": str,
    },
    "PatchJson6902Transformer": {**_HEAD, **JSON_PATCH, "jsonOp": str},
    "PatchStrategicMergeTransformer": {**_HEAD, "paths": [PATCH], "patches": str},
    "PatchTransformer": {**_HEAD, **ANY_PATCH},
    "PrefixTransformer": {**_HEAD, "prefix": str, **_SPECS},
    "PrefixSuffixTransformer": {**_HEAD, "prefix": str, "suffix": str, **_SPECS},
    "SuffixTransformer": {**_HEAD, "suffix": str, **_SPECS},
    "ReplacementTransformer": {**_HEAD, "replacements": REPLACEMENTS},
    "ReplicaCountTransformer": {**_HEAD, "replica": REPLICA, **_SPECS},
    "ValueAddTransformer": {
        **_HEAD,
        "value": str,
        "targets": [{"selector": SELECTOR, "fieldPath": str, "filePathPosition": int}],
        "targetFilePath": FILE,
    },
}

_NAMES = {str: "string", bool: "boolean", int: "whole number"}
_SEPARATOR = re.compile(r"(?m)^(?:---|\.\.\.)(?=\s|$)")
_UNREADABLE = re.compile(r"(?m)^%|\\u[dD][89a-fA-F]")  # directives, and halves of letters
_EXACT = 1 << 53  # whole numbers up to here are the same as floating point numbers
# What JSON may hold as it is, and a reader of YAML takes for something else.
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class Decoded:
    """A document that Kustomize reads as it is, and where parts of it stand."""

    def __init__(self, title: str, document: Document) -> None:
        """`title` is the file as messages name it."""
        self.title = title
        self._document = document
        self.data = document.data

    def error(self, path: FieldPath, message: str) -> NotRenderedError:
        """What is wrong at a path."""
        root = self._document.root
        line = 1
        if root is not None:
            found = locate(root, path)
            line = (found.key_span or found.value_span).line
        return NotRenderedError(f"{self.title}:{line}: {message}")

    def checked(
        self,
        shapes: Mapping[str, Shape],
        strings: Callable[[str, str, FieldPath], object],
    ) -> dict[str, object]:
        """The data, with what `strings` makes of each value that is not simply a string.

        Raises:
            NotRenderedError: for a field that is not among `shapes`, and for a value of another type.
        """
        found = self._checked(self.data, shapes, (), strings)
        if not isinstance(found, dict):
            raise self.error((), "expected a mapping")
        return found

    def _checked(
        self,
        value: object,
        shape: Shape,
        path: FieldPath,
        strings: Callable[[str, str, FieldPath], object],
    ) -> object:
        if value is None:
            return None
        if isinstance(shape, type):
            self._expect(value, shape, path)
            return value
        if isinstance(shape, str) and shape != ANY:
            self._expect(value, str, path)
            return strings(str(value), shape, path)
        if isinstance(shape, list):
            if not isinstance(value, list):
                raise self.error(path, f"{_last(path)}: expected a list")
            if any(each is None for each in value):
                raise self.error(path, f"{_last(path)}: an item is null")
            return [
                self._checked(each, shape[0], (*path, index), strings)
                for index, each in enumerate(value)
            ]
        if not isinstance(value, dict):
            raise self.error(path, f"{_last(path)}: expected a mapping")
        if isinstance(shape, str):
            return value
        anything = shape.get("*")
        for key in value:
            if anything is None and key not in shape:
                raise self.error((*path, key), f"unknown field {key!r}")
        return {
            key: self._checked(each, shape.get(key, anything or str), (*path, key), strings)
            for key, each in value.items()
        }

    def _expect(self, value: object, kind: type, path: FieldPath) -> None:
        right = isinstance(value, kind) and (kind is not int or not isinstance(value, bool))
        if not right or (kind is int and abs(int(str(value))) > _EXACT):
            raise self.error(path, f"{_last(path)}: expected a {_NAMES[kind]}")


def decoded(data: bytes, title: str) -> Decoded:
    """The only document of a text, which Kustomize reads as dradsl does.

    Raises:
        NotRenderedError: if there is none, or something that Kustomize reads otherwise.
    """
    stream = load(data)
    for problem in stream.all_problems():
        raise NotRenderedError(f"{title}:{problem.span.line}: {problem.message}")
    if stream.is_template or stream.encoding not in ("utf-8", "utf-8-sig"):
        raise NotRenderedError(f"{title} is not plain YAML in UTF-8")
    if len(stream.documents) != 1:
        raise NotRenderedError(f"{title}: expected one document, not {len(stream.documents)}")
    (document,) = stream.documents
    marks = len(_SEPARATOR.findall(stream.text))
    if document.masked or _UNREADABLE.search(stream.text):
        raise NotRenderedError(f"{title} is not plain YAML in UTF-8")
    if marks > 1 or (marks == 1 and _has_text_before_mark(stream.text)):
        raise NotRenderedError(f"{title}: expected one document")
    return Decoded(title, document)


def _has_text_before_mark(text: str) -> bool:
    """Whether something but comments is before the only mark of a document."""
    mark = _SEPARATOR.search(text)
    before = text[: mark.start()] if mark is not None else ""
    return any(line.strip() and not line.lstrip().startswith("#") for line in before.splitlines())


def json_text(value: object) -> str:
    """JSON that a reader of YAML takes for the same.

    Raises:
        ValueError: for what is no JSON, such as infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _last(path: FieldPath) -> str:
    names = [part for part in path if isinstance(part, str)]
    return names[-1] if names else "the document"
