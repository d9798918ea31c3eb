"""Objects that patches change, judged on what the overlays build of them.

What an object lacks is not reported for the object where patches may bring it (`patches_may_fix`). It is said here, of each
overlay that can be built, at the place where the field was written: one finding with all overlays in which it
holds. So is what patches break. Where a variable, a controller or a construct that is not built has a say, nothing
is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.engine.certainty.consequences import folded
from dradsl.lint.engine.state import Look, RunObjects
from dradsl.lint.rules.references.replaced_claims import CODE as DROPPED
from dradsl.lint.view.rule_finding import RuleFinding, patches_may_fix
from dradsl.records import Record, field, once, replace
from dradsl.text import mentions
from dradsl.text.files import real_path
from dradsl.tree.completed_releases import Releases, is_release, node_of
from dradsl.tree.manifests.manifest import EnclosingText, Manifest
from dradsl.values.limits import MOST_ALONE, MOST_OVERLAYS
from dradsl.values.plain import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.tree.applied.repository import BuiltBy
    from dradsl.tree.builds import Build, Builds
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.kustomize.parts.outcome import BuiltObject
    from dradsl.tree.nodes import SourcePlace, ValueNode

__all__ = ["looks_at_builds"]


def looks_at_builds(
    state: RunObjects, known: Sequence[RuleFinding], codes: AbstractSet[str], notes: list[str]
) -> Iterator[Look]:
    """Looks at the built forms of the objects that patches change, and of releases with values of several places.

    What is `known` is not found once more. `notes` get what was not built because it is too much.
    """
    repository = None if state.unknowns is None else state.unknowns.repository
    alone = _alone(state)
    releases = Releases(state)
    of_releases = [*releases.wanted(repository)]
    above = (key for _, keys in of_releases for key in keys)
    wanted = dict.fromkeys((*_wanted(state), *alone, *above))
    if not wanted and not of_releases:
        return
    from dradsl.tree.builds import Builds

    builds = Builds(state, repository)
    reported = {_spot(each.code, each.manifest, each.path) for each in known}
    built = _Built(state, codes, releases, builds, alone, reported)
    for build in builds.of(wanted, MOST_OVERLAYS):
        yield built.of_build(build)
    for manifest, keys in of_releases:
        if (
            not keys
            and not manifest.build_context.holes
            and (node := node_of(manifest)) is not None
        ):
            yield built.of_release(manifest, node)
    notes += builds.spent()


def _spot(code: str, manifest: Manifest, path: FieldPath) -> tuple[object, ...]:
    """What a finding is of, and the place in the file."""
    within = None if manifest.within is None else manifest.within.path
    return code, manifest.source.name, manifest.index, within, manifest.place_of(path)


class _Entry(Record):
    """A built object as it is judged: `base` is what is written of it, `built` what a build gives. With `made` a
    chart makes it of the values of that."""

    base: Manifest
    built: BuiltObject
    made: bool = False

    def way(self, found: RuleFinding) -> FieldPath:
        """The way to the field in what is built."""
        if not self.made:
            return found.path
        return found.manifest.place_of(found.path)[len(self.base.prefix) :]


class _Built:
    """Looks at what is built, and the way back to what is written."""

    def __init__(
        self,
        state: RunObjects,
        codes: AbstractSet[str],
        releases: Releases,
        builds: Builds,
        alone: frozenset[str],
        reported: set[tuple[object, ...]],
    ) -> None:
        self._state = state
        self._codes = codes
        self._releases = releases
        self._builds = builds
        self._alone = alone
        self._reported = reported
        self._places = _Places.of((*state.manifests, *state.context), state.sources)
        self._own = {each.key for each in state.manifests}

    def of_build(self, build: Build) -> Look:
        """All objects of a build."""
        entries: dict[Manifest, _Entry] = {}
        for one in build.overlay.objects:
            base = self._places.of_object(one.node.at)
            if base is not None:
                self._take(base, one, build, entries)
        return self._look(entries, build)

    def of_release(self, manifest: Manifest, node: ValueNode) -> Look:
        """A release that nothing builds with all of its values."""
        from dradsl.tree.builds import Build
        from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay

        one = BuiltObject(node, manifest.name or "", manifest.namespace or "")
        build = Build(f"{manifest.kind} {manifest.name}", Overlay("", (one,)))
        entries: dict[Manifest, _Entry] = {}
        self._take(manifest, one, build, entries)
        return self._look(entries, build)

    def _take(
        self, base: Manifest, one: BuiltObject, build: Build, entries: dict[Manifest, _Entry]
    ) -> None:
        whole, complete = one, False
        if is_release(base) and not one.incomplete:
            files, top = self._builds.files(os.path.dirname(os.path.realpath(base.source.name)))
            namespace_node = one.node.get("metadata", "namespace")
            namespace = base.namespace or "" if namespace_node is None else namespace_node.text
            built = build.overlay.objects
            node = self._releases.completed(
                one.node, namespace, built, files, top, filled=build.filled
            )
            if node is not None:
                whole, complete = replace(one, node=node), True
        made = _of_built(base, whole, build.fallback)
        if made is None:
            return
        entries[made] = _Entry(base, whole)
        for each in self._releases.objects_made_of(made) if complete else ():
            entries[each] = _Entry(base, whole, made=True)

    def _look(self, entries: dict[Manifest, _Entry], build: Build) -> Look:
        state = self._state
        # What is built stands for what it is built of; patches are in it.
        bases = [each.base for each in entries.values()]
        gone = {each.key for each in bases}
        names = {(each.kind, each.name) for each in bases}
        others = [
            each
            for each in state.manifests
            if each.key not in gone
            and not (each.is_patch and (each.kind, each.name) in names)
            and not (
                each.chart_output is not None
                and each.chart_output.host is not None
                and each.chart_output.host.key in gone
            )
        ]
        part = replace(
            state,
            manifests=tuple(entries),
            context=(*others, *state.context),
            sources=(),
            unknowns=None,
            previous=None,
        )

        def back(every: Sequence[RuleFinding]) -> Iterator[RuleFinding]:
            for found in folded([each for each in every if self._is_of_patch(each, entries)]):
                entry = entries.get(found.manifest)
                placed = None if entry is None else self._as_written(found, entry, build)
                if placed is not None:
                    yield placed

        return Look(part, self._codes, made="built in", title=build.title, back=back)

    def _as_written(self, found: RuleFinding, entry: _Entry, build: Build) -> RuleFinding | None:
        """A finding where the field was written; None if it holds for no more than is reported already."""
        base = entry.base
        if entry.built.incomplete:
            return None
        if build.folder is not None:
            given = build.folder in self._alone and base.key not in self._own
            if not (_is_whole(base) or (given and not base.build_context.holes)):
                return None
        if not _is_news(found, base):
            return None
        at, path = _written(entry.built, entry.way(found))
        place = self._places.of_field(at, path)
        if place is None and (is_release(base) or entry.made):
            place = self._places.of_values(at, path)
        if place is None or not self._is_own(place[0]):
            return None  # written where no object of the run stands: there is no place to show
        if _spot(found.code, *place) in self._reported:
            return None
        return replace(
            found, manifest=place[0], path=place[1], fix=None, related=(), text=None, folded=()
        )

    def _is_of_patch(self, found: RuleFinding, entries: Mapping[Manifest, _Entry]) -> bool:
        """Whether a patch drops claims, where a finding says so (DRA441)."""
        entry = entries.get(found.manifest)
        if found.code != DROPPED or entry is None:
            return found.code != DROPPED
        place = self._places.of_field(*_written(entry.built, entry.way(found)))
        return place is not None and place[0].is_patch

    def _is_own(self, manifest: Manifest) -> bool:
        return manifest.key in self._own or manifest.source.name in self._places.own


def _is_news(found: RuleFinding, base: Manifest) -> bool:
    """Whether a finding can only be said of what is built: a lack, or a mistake that is no guess."""
    if patches_may_fix(replace(found, manifest=base)):
        return True
    return (found.severity or RULES[found.code].severity) is not Severity.INFO


def _wanted(state: RunObjects) -> tuple[str | BuiltBy, ...]:
    """The builds that are worth judging: patches change objects there that mention claims, or give claims to
    others."""
    found: dict[str | BuiltBy, None] = {}
    repository = None if state.unknowns is None else state.unknowns.repository
    if state.unknowns is None or repository is None:
        return ()
    # The labels of a Namespace say whether its claims may ask for admin access.
    labels = any("adminAccess" in each.document.text for each in state.manifests)
    for each in state.manifests:
        origin = each.build_context.origin
        is_built = origin is not None and origin.uses
        if is_built and not each.is_patch and each.chart_output is None:
            mentioned = mentions.CLASSES.is_in(each.document.text)
            if labels and each.kind == "Namespace" and each.build_context.changed:
                found |= dict.fromkeys(repository.built_from(each.path) or ())
            found |= dict.fromkeys(state.unknowns.built_with_claims(each, mentions=mentioned))
    return tuple(found)


def _alone(state: RunObjects) -> frozenset[str]:
    """The folders of kustomizations with patches of claims, in a run that was called with a few files: what
    they patch may be given as context."""
    if not state.context or len(state.sources) > MOST_ALONE:
        return frozenset()
    from dradsl.tree.kustomize.kustomization import is_kustomization

    return frozenset(
        os.path.realpath(os.path.dirname(each.name) or ".")
        for each in state.sources
        if mentions.PATCHES.is_in(text := each.stream.text)
        and mentions.CLASSES.is_in(text)
        and is_kustomization(each.name)
        and os.path.isfile(each.name)
    )


def _is_whole(manifest: Manifest) -> bool:
    """Whether kustomizations alone make an object of what is written: variables and the patches of Flux and
    Argo CD are not seen there."""
    origin = manifest.build_context.origin
    if origin is None or not origin.uses or origin.more or manifest.build_context.holes:
        return False
    return not any(each.by_controller or each.through is None for each in origin.uses)


def _of_built(base: Manifest, built: BuiltObject, fallback: str | None) -> Manifest | None:
    data = built.data
    if not isinstance(data, dict):
        return None
    names = mapping_at(data, "metadata")
    name, namespace = names.get("name"), names.get("namespace")
    return replace(
        base,
        data=data,
        api_version=str(data.get("apiVersion")),
        name=name if isinstance(name, str) else None,
        namespace=namespace if isinstance(namespace, str) else base.namespace or fallback,
        build_context=replace(
            base.build_context,
            completed=False,
            changed=False,
            names=(),
            namespaces=None,
            holes={},
            altered=frozenset(),
            unpatched=base.data,
        ),
    )


def _written(built: BuiltObject, path: FieldPath) -> tuple[SourcePlace | None, FieldPath]:
    """Where a field was written, as far as it was, and the rest of the way."""
    node, at = built.node, built.node.at
    for index, step in enumerate(path):
        if isinstance(step, int):
            below = node.items[step] if step < len(node.items) else None
        else:
            below = node.get(step)
        if below is None:
            return at, path[index:]
        node = below
        at = node.at or at
    if at is not None and node.is_map:
        # Of an entry in which a patch writes one field, that field.
        others = [
            each.at
            for each in node.fields.values()
            if each.at is not None and each.at.origin is not at.origin
        ]
        if len(others) == 1:
            return others[0], ()
    return at, ()


class _Places(Record):
    """The objects of a run and its patches, by the documents in which they stand."""

    objects: Mapping[tuple[str, int], Sequence[Manifest]] = field(default_factory=dict)
    inline: Mapping[tuple[str, int, FieldPath], Sequence[Manifest]] = field(default_factory=dict)
    """Patches that stand as texts, by the place of the text."""

    own: Mapping[str, str] = field(default_factory=dict)
    """The names of the files of the run; by their real paths in `sources`."""
    sources: Mapping[str, SourceText] = field(default_factory=dict)

    @classmethod
    def of(cls, manifests: Iterable[Manifest], sources: Iterable[SourceText]) -> _Places:
        objects: dict[tuple[str, int], list[Manifest]] = {}
        inline: dict[tuple[str, int, FieldPath], list[Manifest]] = {}
        folders: dict[str, str] = {}
        real: dict[str, str] = {}
        for each in manifests:
            if each.chart_output is not None:
                continue
            name = each.source.name
            path = once(real, name, lambda name: real_path(name, folders))
            if each.within is None:
                objects.setdefault((path, each.document.index), []).append(each)
            else:
                text = (path, each.within.document.index, each.within.path)
                inline.setdefault(text, []).append(each)
        files = {real_path(each.name, folders): each for each in sources if each.name[:1] != "<"}
        names = {each.name: path for path, each in files.items()}
        return cls(objects, inline, names, files)

    def of_object(self, at: SourcePlace | None) -> Manifest | None:
        """The object that begins at a place."""
        if at is None or at.origin.within is not None:
            return None
        found = self.objects.get((at.origin.file, at.origin.document.index), ())
        path = at.path
        return next((m for m in found if m.operation is None and m.prefix == path), None)

    def of_field(
        self, at: SourcePlace | None, rest: FieldPath
    ) -> tuple[Manifest, FieldPath] | None:
        """The object or patch in which a place is, and the way to the field `rest` below it."""
        if at is None:
            return None
        inside = at.origin.within
        if inside is None:
            found = self.objects.get((at.origin.file, at.origin.document.index), ())
        elif inside.origin.within is None:
            text = (inside.origin.file, inside.origin.document.index, inside.path)
            found = [
                each
                for each in self.inline.get(text, ())
                if each.document.index == at.origin.document.index
            ]
        else:
            return None
        path = at.path
        for each in found:
            operation = each.operation
            if operation is None:
                if path[: len(each.prefix)] == each.prefix:
                    return each, (*path[len(each.prefix) :], *rest)
            elif operation.written and path[:2] == (operation.index, "value"):
                return each, (*operation.at, *path[2:], *rest)
        return None

    def of_values(
        self, at: SourcePlace | None, rest: FieldPath
    ) -> tuple[Manifest, FieldPath] | None:
        """Values of a chart as a Manifest: a file of them, or a text in a ConfigMap or Secret."""
        if at is None:
            return None
        path = (*at.path, *rest)
        inside = at.origin.within
        source = self.sources.get(at.origin.file)
        if source is None:
            return None
        data = at.origin.document.data
        if not isinstance(data, dict):
            return None
        if inside is None:
            index = at.origin.document.index
            document = next((d for d in source.stream.documents if d.index == index), None)
            if document is None:
                return None
            name = _named(at.origin.file)
            values = Manifest(source, document, (), data, "", "", "values", None, name)
            return values, path
        if inside.origin.within is not None:
            return None
        number = (at.origin.file, inside.origin.document.index)
        for host in self.objects.get(number, ()):
            if host.operation is None and inside.path[: len(host.prefix)] == host.prefix:
                within = EnclosingText(host.document, inside.path)
                return (
                    replace(host, document=at.origin.document, prefix=(), data=data, within=within),
                    path,
                )
        return None


def _named(path: str) -> str:
    return os.path.basename(path).rpartition(".")[0] or path
