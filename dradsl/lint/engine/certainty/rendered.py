"""What helm and kustomize render, for the caller who names them (`--build-with`), judged like written objects.

Charts of the tree are rendered with their own values, and once for each release whose values are all known; of
kustomizations those that are not built without the program. What is found is at the line of the template that
wrote it, as far as that shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set as AbstractSet

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.engine.state import Look, RunObjects
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.records import Record, replace
from dradsl.text.documents import Document, load
from dradsl.text.paths import value_at
from dradsl.tree.builds import Builds, shown
from dradsl.tree.completed_releases import (
    Releases,
    chart_paths,
    is_release,
    namespace_of,
    node_of,
    values_at,
)
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.kustomize.parts.outcome import BuiltObject
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.tree.nodes import ValueNode
from dradsl.tree.rendering.programs import RenderedText
from dradsl.tree.rendering.renderer import Renderer
from dradsl.values.limits import MOST_RENDERED_KUSTOMIZATIONS, MOST_RENDERED_RELEASES

__all__ = ["RenderedLooks"]

_RENDERED = "<rendered>"


class _Output(Record):
    """What a program printed: `title` says of what. Templates lie below `folder`; without any, all is said at the
    file `at`."""

    title: str
    rendered: RenderedText
    folder: str
    at: str


class RenderedLooks:
    """Looks at what programs render, what was rendered and what not (`notes`), and how many `objects`."""

    def __init__(self, state: RunObjects, renderer: Renderer, codes: AbstractSet[str]) -> None:
        self.notes: list[str] = []
        self.objects = 0
        self._state = state
        self._renderer = renderer
        self._codes = codes
        self._sources = {
            os.path.realpath(each.name): each for each in state.sources if each.name[:1] != "<"
        }

    def looks(self) -> Iterator[Look]:
        """One for each chart, release and overlay."""
        state, renderer, sources = self._state, self._renderer, self._sources
        outputs = 0
        for output in (*_charts(state, renderer, sources), *_overlays(renderer, sources)):
            if output.rendered.unknown is not None:
                self.notes.append(f"{output.title} was not rendered: {output.rendered.unknown}")
                continue
            source = SourceText(_RENDERED, output.rendered.stream())
            manifests = tuple(manifests_of(source))
            outputs, self.objects = outputs + 1, self.objects + len(manifests)
            part = replace(
                state,
                manifests=manifests,
                context=(*state.manifests, *state.context),
                sources=(),
                unknowns=None,
                previous=None,
            )
            back = self._back(output, source)
            yield Look(part, self._codes, made="rendered of", title=output.title, back=back)
        if outputs:
            many = "object" if self.objects == 1 else "objects"
            of = f" in {outputs} charts, releases and overlays" if outputs > 1 else ""
            self.notes.insert(
                0, f"rendered and judged: {self.objects} {many}{of}; {renderer.confinement}"
            )

    def _back(
        self, output: _Output, source: SourceText
    ) -> Callable[[Sequence[RuleFinding]], Iterator[RuleFinding]]:
        def back(every: Sequence[RuleFinding]) -> Iterator[RuleFinding]:
            for found in every:
                if (
                    found.manifest.source is not source
                    or (found.severity or RULES[found.code].severity) is Severity.INFO
                ):
                    continue
                manifest = self._place(found, output)
                if manifest is not None:
                    yield replace(
                        found,
                        manifest=manifest,
                        path=("x",),
                        fix=None,
                        related=(),
                        text=None,
                        on_key=True,
                    )

        return back

    def _place(self, found: RuleFinding, output: _Output) -> Manifest | None:
        """Something to be at the line of the file that wrote what is found."""
        source, line = self._sources.get(output.at), 1
        comment = found.manifest.document.source_comment
        if comment is not None and output.folder:
            template = os.path.join(output.folder, *comment.split("/")[1:])
            if template in self._sources:
                source = self._sources[template]
                line = _line(source.stream.text, found)
        if source is None:
            return None
        document = _at_line(source.stream.text, line)
        return replace(found.manifest, source=source, document=document, prefix=())


# What is rendered


def _charts(
    state: RunObjects, renderer: Renderer, sources: Mapping[str, SourceText]
) -> Iterator[_Output]:
    if renderer.programs.helm is None:
        return
    builds = Builds(state, None if state.unknowns is None else state.unknowns.repository)
    folders = [os.path.dirname(path) for path in sources if os.path.basename(path) == "Chart.yaml"]
    above = [f"{other.rstrip(os.sep)}{os.sep}" for other in folders]
    charts = {e for e in folders if not any(e.startswith(other) for other in above)}
    for folder in sorted(charts):
        metadata = os.path.join(folder, "Chart.yaml")
        if _is_library(sources[metadata]):
            continue
        _, top = builds.files(folder)
        title = f"chart {shown(folder)}"
        yield _Output(title, renderer.chart(folder, top=top), folder, metadata)
    releases = Releases(state)
    count = 0
    for manifest in state.manifests:
        if manifest.chart_output is None and not manifest.is_patch and is_release(manifest):
            for node, built in _as_built(manifest, state, builds):
                count += 1
                if count > MOST_RENDERED_RELEASES:
                    return
                yield from _of_release(manifest, node, built, releases, builds, renderer)


def _is_library(source: SourceText) -> bool:
    documents = source.stream.documents
    data = documents[0].data if documents else None
    return isinstance(data, dict) and data.get("type") == "library"


def _as_built(
    manifest: Manifest, state: RunObjects, builds: Builds
) -> Iterator[tuple[ValueNode, tuple[BuiltObject, ...]]]:
    """A release as each build gives it; as it is written where nothing builds it."""
    repository = None if state.unknowns is None else state.unknowns.repository
    keys = () if repository is None else repository.built_from(manifest.path)
    if keys is None:
        return
    written = node_of(manifest)
    if not keys:
        if written is not None and not manifest.build_context.holes:
            yield written, ()
        return
    for build in builds.of(keys, len(keys)):
        for one in build.overlay.objects:
            at = one.node.at
            if (
                written is not None
                and written.at is not None
                and at is not None
                and not one.incomplete
                and at.origin.file == written.at.origin.file
                and at.origin.document.index == manifest.document.index
                and at.path == manifest.prefix
            ):
                yield one.node, build.overlay.objects


def _of_release(
    manifest: Manifest,
    node: ValueNode,
    built: tuple[BuiltObject, ...],
    releases: Releases,
    builds: Builds,
    renderer: Renderer,
) -> Iterator[_Output]:
    """A release whose chart lies in the tree."""
    files, top = builds.files(os.path.dirname(os.path.realpath(manifest.source.name)))
    namespace_node = node.get("metadata", "namespace")
    namespace = (manifest.namespace or "") if namespace_node is None else namespace_node.text
    for path, way in chart_paths(node):
        folder = files.real(os.path.join(top, path.lstrip("/")))
        metadata = os.path.join(folder, "Chart.yaml")
        if not files.is_file(metadata):
            continue
        title = f"{manifest.kind} {manifest.name}"
        whole = releases.completed(node, namespace, built, files, top)
        if whole is None:
            yield _Output(
                title, RenderedText(unknown="not all of its values are known"), folder, metadata
            )
            continue
        values = values_at(whole, way)
        rendered = renderer.chart(
            folder,
            top=top,
            values=values,
            release=manifest.name or "release-name",
            namespace=namespace_of(whole) or namespace or "default",
        )
        yield _Output(title, rendered, folder, metadata)


def _overlays(renderer: Renderer, sources: Mapping[str, SourceText]) -> Iterator[_Output]:
    """The kustomizations that cannot be built without the program."""
    if renderer.programs.kustomize is None:
        return
    builds = Builds()
    for path in [each for each in sources if is_kustomization(each)][:MOST_RENDERED_KUSTOMIZATIONS]:
        folder = os.path.dirname(path)
        documents = sources[path].stream.documents
        if any(isinstance(d.data, dict) and d.data.get("kind") == "Component" for d in documents):
            continue
        overlay = builds.overlay(folder)
        if overlay.rejected is None and not overlay.unknowns:
            continue
        title = f"kustomization {shown(folder)}"
        _, top = builds.files(folder)
        yield _Output(title, renderer.overlay(folder, top=top), "", path)


# Where it is said


def _line(text: str, found: RuleFinding) -> int:
    """The line of a template with the field, or with one above it, if one line alone has it."""
    lines = text.splitlines()
    path = found.path
    while path:
        key = path[-1]
        if isinstance(key, str):
            try:
                value = value_at(found.manifest.data, path)
            except KeyError:
                value = None
            with_key = [i for i, each in enumerate(lines, 1) if f"{key}:" in each]
            with_both = [i for i in with_key if isinstance(value, str) and value in lines[i - 1]]
            for found_at in (with_both, with_key):
                if len(found_at) == 1:
                    return found_at[0]
        path = path[:-1]
    kinds = [i for i, each in enumerate(lines, 1) if each.strip() == f"kind: {found.manifest.kind}"]
    return kinds[0] if len(kinds) == 1 else 1


def _at_line(text: str, line: int) -> Document:
    """A document with one field, `x`, where a line of a text begins: templates have no fields."""
    written = text.splitlines()[line - 1 : line] or [""]
    column = len(written[0]) - len(written[0].lstrip(" "))
    return load(b"\n" * (line - 1) + b" " * column + b"x: 1\n").documents[0]
