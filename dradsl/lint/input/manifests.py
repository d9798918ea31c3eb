"""A Kubernetes object in a file: its data, its positioned node, and the way from field to place."""

from __future__ import annotations

from dradsl.diagnostics import ObjectRef, Span
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import Document
    from dradsl.text.nodes import Node
    from dradsl.text.paths import FieldPath

__all__ = [
    "RESOURCE_GROUP",
    "SCHEDULING_GROUP",
    "Manifest",
    "manifest_at",
    "manifests_in",
    "manifests_of",
]

RESOURCE_GROUP = "resource.k8s.io"
SCHEDULING_GROUP = "scheduling.k8s.io"  # of PodGroups, which have claims but no pod spec


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object of a document (an item of a `kind: List` counts as one of its own)."""

    source: SourceText
    document: Document
    prefix: FieldPath  # where the object stands in the document: () or ("items", 3)
    data: Mapping[str, object]
    api_version: str
    group: str  # the API group, "" for the core group
    kind: str
    namespace: str | None
    name: str | None

    @property
    def path(self) -> str:
        """The file, as findings name it."""
        return self.source.name

    @property
    def version(self) -> str:
        return self.api_version.rpartition("/")[2]

    @property
    def ref(self) -> ObjectRef:
        return ObjectRef(self.api_version, self.kind, self.namespace, self.name)

    @property
    def origin(self) -> str | None:
        """Where the object comes from, if its document or an annotation of kustomize says so."""
        from dradsl.lint.input.origins import origin_of

        return origin_of(self.document.source_comment, self.data)

    @property
    def title(self) -> str:
        """The object as messages name it: `ResourceClaim ml/gpu`."""
        name = self.name or "(no name)"
        return f"{self.kind} {self.namespace}/{name}" if self.namespace else f"{self.kind} {name}"

    @property
    def _root(self) -> Node:
        root = self.document.root
        assert root is not None  # noqa: S101 - the object's data was read from it
        return root

    @property
    def node(self) -> Node:
        """The object's positioned node (built when the first place is asked for)."""
        from dradsl.text.paths import locate

        return locate(self._root, self.prefix).node

    def span(
        self,
        path: FieldPath,
        *,
        on_key: bool = False,
        text: tuple[int, int] | None = None,
    ) -> Span:
        """The place of the field at `path` (as written), or of the nearest enclosing one.

        With `on_key` the field's key; with `text` a range of code points inside its string. A
        mapping or list is shown by its key, so that an excerpt is one line.
        """
        from dradsl.text.nodes import ScalarNode
        from dradsl.text.paths import locate

        found = locate(self._root, (*self.prefix, *path))
        if text is not None and found.exact and isinstance(found.node, ScalarNode):
            from dradsl.text.characters import span_in_scalar

            return span_in_scalar(found.node, *text)
        is_value = found.exact and isinstance(found.node, ScalarNode) and not on_key
        if found.key_span is not None and not is_value:
            return found.key_span
        return _first_line(found.value_span)


def _first_line(span: Span) -> Span:
    """A long span's first character: a whole object underlined says nothing."""
    if span.line == span.end_line:
        return span
    return Span(span.line, span.column, span.line, span.column + 1)


def manifests_of(source: SourceText) -> Iterator[Manifest]:
    """Every object of the file that has an apiVersion and a kind, Lists taken apart."""
    return manifests_in(source, source.stream.documents)


def manifests_in(source: SourceText, documents: Iterable[Document]) -> Iterator[Manifest]:
    """As `manifests_of`, for some documents in the file."""
    from dradsl.text.documents import expand_list

    for document in documents:
        for prefix, data in expand_list(document.data):
            manifest = manifest_at(source, document, prefix, data)
            if manifest is not None:
                yield manifest  # of others text_findings says what is missing


def manifest_at(
    source: SourceText, document: Document, prefix: FieldPath, data: object
) -> Manifest | None:
    """The object that `data` is, at `prefix` in the document; None without an apiVersion or a kind."""
    if not isinstance(data, dict):
        return None
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str) and api_version and kind):
        return None
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return Manifest(
        source=source,
        document=document,
        prefix=prefix,
        data=data,
        api_version=api_version,
        group=api_version.partition("/")[0] if "/" in api_version else "",
        kind=kind,
        namespace=_text(metadata.get("namespace")),
        name=_text(metadata.get("name")) or _text(metadata.get("generateName")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
