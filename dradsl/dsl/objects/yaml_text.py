"""Objects as YAML text: keys in the order given, text of several lines as a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.data.fragment import ManifestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dradsl.text.documents import Document

__all__ = ["read_yaml", "to_yaml"]


def to_yaml(objects: Iterable[Mapping[str, object]]) -> str:
    """`objects` as a stream of documents."""
    from dradsl.text.render import render_block

    return "---\n".join(f"{render_block(obj)}\n" for obj in objects)


def read_yaml(
    text: str, on_error: Callable[[ManifestError], None] | None = None
) -> Iterator[dict[str, object]]:
    """The objects of a stream, the items of lists one by one.

    Args:
        text: the stream.
        on_error: is told of each document that holds no object, which is then left out.

    Raises:
        ManifestError: with the line, for text that is no YAML, and without `on_error` for the
            first document that holds no object.
    """
    from dradsl.text.documents import load

    stream = load(text.encode("utf-8", "surrogatepass"))
    for problem in stream.problems:
        raise ManifestError(f"line {problem.span.line}: {problem.message}")
    for document in stream.documents:
        try:
            objects = list(_of_document(document))
        except ManifestError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield from objects


def _of_document(document: Document) -> Iterator[dict[str, object]]:
    for problem in document.problems:
        raise ManifestError(f"line {problem.span.line}: {problem.message}")
    yield from _objects(document.data, document.span.line)


def _objects(data: object, line: int) -> Iterator[dict[str, object]]:
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
