"""A Kubernetes object in a file: its data, its positioned node, and the way from field to place."""

from __future__ import annotations

import sys

from dradsl.diagnostics import ObjectRef, Span
from dradsl.records import cached, dataclass, field
from dradsl.text.documents import Document, expand_list
from dradsl.values.plain import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.text.nodes import Node
    from dradsl.text.paths import FieldPath
    from dradsl.tree.applied.repository import Origin
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.patch_reach import PatchOperation
    from dradsl.tree.variables import Parts

__all__ = [
    "PLAIN",
    "RESOURCE_GROUP",
    "SCHEDULING_GROUP",
    "BuildContext",
    "EnclosingText",
    "FromValues",
    "Manifest",
    "manifest_at",
    "manifests_in",
    "manifests_of",
]

RESOURCE_GROUP = "resource.k8s.io"
SCHEDULING_GROUP = "scheduling.k8s.io"  # of PodGroups, which have claims but no pod spec


@dataclass(frozen=True, slots=True, eq=False)
class BuildContext:
    """What the files around say of an object, and what of it is not known.

    `names` and `namespaces` are the names and namespaces that it may have where it is built; without any the
    written ones count, and a namespace that is not written is not known. `holes` are the paths of unknown
    values, `altered` those of variables with a known value or a default. `world` counts the ways
    in which holes are filled. `completed` says that patches may bring the claims and devices that it lacks, `changed`
    that each build changes it in whatever way.
    `unpatched` is the object of which overlays build this one.
    """

    origin: Origin | None = None
    names: tuple[Parts, ...] = ()
    namespaces: tuple[str, ...] | None = None
    holes: Mapping[FieldPath, Parts] = field(default_factory=dict)
    altered: frozenset[FieldPath] = frozenset()
    world: int = 0
    completed: bool = False
    changed: bool = False
    unpatched: Mapping[str, object] | None = None


PLAIN = BuildContext()
"""Nothing is known but what is written, and all of that is."""


@dataclass(frozen=True, slots=True, eq=False)
class EnclosingText:
    """The text of a document in which an object stands, a patch: the document, and the path to the text."""

    document: Document
    path: FieldPath


@dataclass(frozen=True, slots=True, eq=False)
class FromValues:
    """How a chart makes an object of its values.

    `places` say where parts of the object are in the document. `host` is the object that holds the values, if
    one does. `known` says that the chart is known (`by_key`: by the name of a key alone), `complete` that these are all of its values. The claims
    `used` are those that other pods of the same values use. Builds give the namespace only if it is `placed`.
    """

    title: str
    places: Mapping[FieldPath, FieldPath]
    host: Manifest | None = None
    known: bool = False
    by_key: bool = False
    complete: bool = False
    used: frozenset[str] = frozenset()
    placed: bool = True


class _Referable:
    """What can be known without being kept alive."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True, eq=False)
class Manifest(_Referable):
    """One object of a document (an item of a `kind: List` counts as one of its own).

    With `within` the `document` is one that was read of a text in another document. With `chart_output` a chart
    makes the object of its values. With `operation` it is the part of an object that an operation of a JSON
    patch writes.
    """

    source: SourceText
    document: Document
    prefix: FieldPath  # where the object is in the document: () or ("items", 3)
    data: Mapping[str, object]
    api_version: str
    group: str  # the API group, "" for the core group
    kind: str
    namespace: str | None
    name: str | None
    build_context: BuildContext = PLAIN
    within: EnclosingText | None = None
    chart_output: FromValues | None = None
    operation: PatchOperation | None = None

    @property
    def index(self) -> int:
        """The number of the object's document in the file."""
        return (self.document if self.within is None else self.within.document).index

    @cached
    def key(self) -> tuple[str, int, FieldPath]:
        """What identifies the object among all of a run."""
        # What a chart makes may be where another object does.
        path = (
            self.prefix
            if self.chart_output is None
            else (*self.prefix, "", self.chart_output.title)
        )
        if self.operation is not None:
            path = (*path, self.operation.index, self.operation.key)
        if self.within is None:
            return self.source.name, self.document.index, path
        return self.source.name, self.index, (*self.within.path, self.document.index, *path)

    @property
    def is_recorded(self) -> bool:
        """Whether the object was read from a cluster, though its uid may have been left out since.

        People write a name or a generateName, and no time of creation.
        """
        metadata = self.data.get("metadata")
        if not isinstance(metadata, dict):
            return False
        get = metadata.get
        return bool(
            get("uid")
            or get("resourceVersion")
            or get("creationTimestamp")
            or get("managedFields")
            or (get("name") and get("generateName"))
        )

    @cached
    def is_patch(self) -> bool:
        """Whether a kustomization takes the object for a patch of another one."""
        if self.operation is not None or (self.within is not None and self.chart_output is None):
            return True
        return self.build_context.origin is not None and self.build_context.origin.is_patch

    def place_of(self, path: FieldPath) -> FieldPath:
        """The path in the document of a path in the object."""
        if self.chart_output is not None:
            places = self.chart_output.places
            for end in range(len(path), -1, -1):
                if path[:end] in places:
                    return (*places[path[:end]], *path[end:])
        if self.operation is not None:
            path = self.operation.place(path)
        return (*self.prefix, *path)

    def field_of(self, path: FieldPath) -> FieldPath:
        """How findings name a field: of what a chart makes, by its place in the values; of an operation, by
        its place in the patch."""
        if self.operation is not None:
            return self.place_of(path)
        if self.chart_output is None:
            return path
        host = self.chart_output.host
        if self.within is not None:
            return (*self.within.path, *self.place_of(path))
        return self.place_of(path)[0 if host is None else len(host.prefix) :]

    @property
    def builds(self) -> frozenset[int]:
        """What is built of the object's file, as far as that is known."""
        return (
            frozenset() if self.build_context.origin is None else self.build_context.origin.builds
        )

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that the object may go to; none if that is not known."""
        if self.build_context.namespaces is not None:
            return self.build_context.namespaces
        return (self.namespace,) if self.namespace else ()

    def is_unknown(self, path: FieldPath) -> bool:
        """Whether a value that is not known is at the path or above it."""
        holes = self.build_context.holes
        return bool(holes) and any(path[:end] in holes for end in range(len(path) + 1))

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
        """Where the object comes from, if its document or an annotation of kustomize names it."""
        return _origin_of(self.document.source_comment, self.data)

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
        found = self._own_span(path, on_key=on_key, text=text)
        return found if self.within is None else _span_within(self.within, found, self.document)

    def _own_span(self, path: FieldPath, *, on_key: bool, text: tuple[int, int] | None) -> Span:
        from dradsl.text.nodes import ScalarNode
        from dradsl.text.paths import locate

        place = self.place_of(path)
        if on_key and self.operation is not None:
            place = (*self.prefix, *self.operation.place(path, on_key=True))
            on_key = len(place) > len(self.prefix) + 2  # else the field is in a path
        found = locate(self._root, place)
        if text is not None and found.exact and isinstance(found.node, ScalarNode):
            from dradsl.text.characters import span_in_scalar

            return span_in_scalar(found.node, *text)
        is_value = found.exact and isinstance(found.node, ScalarNode) and not on_key
        if found.entry is not None and not is_value:
            return found.entry.key.span
        return _first_line(found.value_span)


def _span_within(within: EnclosingText, span: Span, inner: Document) -> Span:
    """A place in a text as one in the file."""
    from dradsl.text.characters import span_in_scalar
    from dradsl.text.nodes import ScalarNode
    from dradsl.text.paths import locate

    root = within.document.root
    assert root is not None  # noqa: S101 - the text was read from it
    found = locate(root, within.path)
    if not isinstance(found.node, ScalarNode):
        return found.best_span
    start = inner.lines.offset(span.line, span.column)
    end = inner.lines.offset(span.end_line, span.end_column)
    return span_in_scalar(found.node, start, end)


def _first_line(span: Span) -> Span:
    """A long span's first character: a whole object underlined says nothing."""
    if span.line == span.end_line:
        return span
    return Span(span.line, span.column, span.line, span.column + 1)


def manifests_of(source: SourceText) -> Iterator[Manifest]:
    """Every object of the file that has an apiVersion and a kind; the items of Lists instead of the Lists."""
    return manifests_in(source, source.stream.documents)


def manifests_in(
    source: SourceText, documents: Iterable[Document], within: EnclosingText | None = None
) -> Iterator[Manifest]:
    """As `manifests_of`, for some documents in the file, or in a text of it."""
    for document in documents:
        for prefix, data in expand_list(document.data):
            manifest = manifest_at(source, document, prefix, data, within)
            if manifest is not None:
                yield manifest  # of others text_findings says what is missing


def manifest_at(
    source: SourceText,
    document: Document,
    prefix: FieldPath,
    data: object,
    within: EnclosingText | None = None,
) -> Manifest | None:
    """The object that `data` is, at `prefix` in the document; None without an apiVersion or a kind."""
    if not isinstance(data, dict):
        return None
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str) and api_version and kind):
        return None
    metadata = data.get("metadata")
    get = metadata.get if isinstance(metadata, dict) else {}.get
    namespace, name = get("namespace"), get("name")
    if not name or not isinstance(name, str):
        name = get("generateName")
    return Manifest(
        source,
        document,
        prefix,
        data,
        api_version,
        sys.intern(api_version.partition("/")[0]) if "/" in api_version else "",
        kind,
        namespace if namespace and isinstance(namespace, str) else None,
        name if name and isinstance(name, str) else None,
        within=within,
    )


_ANNOTATION = "config.kubernetes.io/origin"  # kustomize api/resource/origin.go
_SHOWN = 1024


def _origin_of(comment: str | None, data: Mapping[str, object]) -> str | None:
    """The file of a chart or of a kustomization from which an object was made; None if unknown.

    `comment` is what is after `# Source:` above the document.
    """
    value = member(data, "metadata", "annotations", _ANNOTATION)
    said = _from_kustomize(value) if isinstance(value, str) else None
    said = said or comment
    return said[:_SHOWN] if said else None


def _from_kustomize(value: str) -> str | None:
    """`path`, or `configuredIn` of what a generator made; with repository and revision."""
    fields: dict[str, str] = {}
    for line in value[: 4 * _SHOWN].splitlines():
        name, colon, rest = line.partition(": ")
        if colon and not name.startswith(" "):
            fields[name] = rest.strip().strip("\"'")
    path = fields.get("path") or fields.get("configuredIn")
    if not path:
        return None
    repo, ref = fields.get("repo"), fields.get("ref")
    if not repo:
        return path
    return f"{path} of {repo}@{ref}" if ref else f"{path} of {repo}"
