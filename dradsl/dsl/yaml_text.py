"""Objects as YAML text: keys in the order given, text of several lines as a block."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from dradsl.dsl.manifest import ManifestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.representer import RoundTripRepresenter

__all__ = ["read_yaml", "to_yaml"]

_TEXT_TAG = "tag:yaml.org,2002:str"


def to_yaml(objects: Iterable[Mapping[str, Any]]) -> str:
    """`objects` as a stream of documents."""
    emitter = _emitter()
    documents = []
    for obj in objects:
        out = io.StringIO()
        emitter.dump(obj, out)
        documents.append(out.getvalue())
    return "---\n".join(documents)


def _emitter() -> YAML:
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        pass

    Representer.add_representer(str, _represent)
    emitter = YAML()
    emitter.Representer = Representer
    emitter.width = 4096  # a folded scalar is no easier to read than a long one
    emitter.indent(mapping=2, sequence=2, offset=0)
    emitter.representer.ignore_aliases = _never_alias
    return emitter


def _never_alias(_: object) -> bool:
    return True


def _represent(representer: RoundTripRepresenter, text: str) -> ScalarNode:
    return representer.represent_scalar(_TEXT_TAG, text, style=_style(text))


def _style(text: str) -> str | None:
    if "\n" in text and _fits_a_block(text):
        return "|"
    # What the API server's reader takes for a number, a bool or a date needs quotes, although
    # YAML 1.2 would not ask for them.
    from dradsl.text.scalars import resolve_plain

    plain = text.isprintable() and isinstance(resolve_plain(text), str)
    return None if plain else '"'


def _fits_a_block(text: str) -> bool:
    # A block keeps neither trailing spaces' sight nor characters that YAML has to escape.
    lines = text.split("\n")
    return (
        not lines[0].startswith((" ", "\t"))
        and all(line == line.rstrip() for line in lines)
        and all(character.isprintable() or character == "\n" for character in text)
    )


def read_yaml(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a stream, the items of lists one by one; ManifestError with the line if it is bad."""
    from dradsl.text.documents import load

    stream = load(text.encode("utf-8", "surrogatepass"))
    for problem in stream.problems:
        raise ManifestError(f"line {problem.span.line}: {problem.message}")
    for document in stream.documents:
        for problem in document.problems:
            raise ManifestError(f"line {problem.span.line}: {problem.message}")
        yield from _objects(document.data, document.span.line)


def _objects(data: object, line: int) -> Iterator[dict[str, Any]]:
    if data is None:
        return
    if not isinstance(data, dict):
        raise ManifestError(f"line {line}: the document is no mapping")
    if isinstance(data.get("items"), list) and str(data.get("kind")).endswith("List"):
        for item in data["items"]:
            yield from _objects(item, line)
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(data.get(key), str):
            raise ManifestError(f"line {line}: the document has no {key}: no Kubernetes object")
    yield data
