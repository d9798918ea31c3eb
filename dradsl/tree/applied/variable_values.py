"""Values of variables that a call gives: `NAME=VALUE`, and files of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dradsl.text.documents import SETTINGS_LIMITS, load
from dradsl.text.files import SETTINGS_BYTES, FileError, read_bytes
from dradsl.tree.applied.builders import builders_in, scalar_text
from dradsl.values.patterns import pattern

__all__ = ["VariablesError", "is_assignment", "read_variables"]

_ASSIGNMENT = pattern(r"(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>[^\r\n]*)")


class VariablesError(ValueError):
    """The values cannot be read; the message says which and why."""


def is_assignment(text: str) -> bool:
    """Whether a text is `NAME=VALUE`; anything else is the path of a file."""
    return _ASSIGNMENT.fullmatch(text) is not None


def read_variables(entries: Iterable[str]) -> dict[str, str]:
    """The values in some entries, of which a later one wins.

    A file holds lines `NAME=VALUE`, or YAML: a mapping of names to values, a ConfigMap, a Secret with
    stringData, or a Kustomization of Flux.

    Raises:
        GivenError: if a file cannot be read, or holds no values.
    """
    values: dict[str, str] = {}
    for entry in entries:
        match = _ASSIGNMENT.fullmatch(entry)
        values.update(((match["name"], match["value"]),) if match is not None else _in_file(entry))
    return values


def _in_file(path: str) -> Iterator[tuple[str, str]]:
    try:
        data = read_bytes(path, SETTINGS_BYTES)
    except FileError as error:
        raise VariablesError(str(error)) from error
    lines = _lines(data.decode("utf-8", "replace"))
    if lines is not None:
        yield from lines
        return
    documents = [d.data for d in load(data, SETTINGS_LIMITS).documents]
    if not documents or not all(isinstance(each, dict) for each in documents):
        raise VariablesError(
            f"{path}: expected lines NAME=VALUE, or a YAML mapping of names to values"
        )
    for document in documents:
        if isinstance(document, dict):
            yield from _in_mapping(document)


def _lines(text: str) -> list[tuple[str, str]] | None:
    """The assignments of a file that holds nothing else but comments."""
    found = []
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _ASSIGNMENT.fullmatch(stripped)
        if match is None:
            return None
        value = match["value"].strip()
        quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
        found.append((match["name"], value[1:-1] if quoted else value))
    return found or None


def _in_mapping(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    built = [builder.substitute for builder in builders_in(data)]
    if built:
        for values in built:
            yield from values.items()
        return
    kind = data.get("kind")
    inner = data.get({"ConfigMap": "data", "Secret": "stringData"}.get(str(kind), ""), data)
    for name, value in inner.items() if isinstance(inner, dict) else ():
        text = scalar_text(value)
        if text is not None:
            yield name, text
