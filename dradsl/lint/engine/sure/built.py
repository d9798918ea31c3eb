"""Objects that patches change, judged on what the overlays build of them.

What an object lacks is not said of the object where patches may bring it (`is_completed`). It is said here, of each
overlay that can be built, at the place where the field was written: one finding with all overlays in which it
holds. So is what patches break. Where a variable, a controller or a construct that is not built has a say, nothing
is said.
"""

from __future__ import annotations

import os

from dradsl.lint.engine.sure.hiding import is_completed
from dradsl.lint.rules.references.replaced_claims import CODE as DROPPED
from dradsl.lint.rules.references.replaced_claims import dropped_names
from dradsl.records import dataclass, field, replace
from dradsl.text.paths import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.lint.engine.state import State
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.found import Found
    from dradsl.repository.build.nodes import At
    from dradsl.repository.build.parts.outcome import Built, Overlay
    from dradsl.text.paths import FieldPath

__all__ = ["built_findings"]

_MOST_OVERLAYS = 200
_MOST_ALONE = 20
_SHOWN = 3
NOT_LISTED = "DRA403"
_SIGNS = ("laims", "resource.k8s.io", "deviceClassName")


def built_findings(
    state: State, known: Iterable[Found], check: Callable[[State], Sequence[Found]]
) -> list[Found]:
    """What is found in the built forms of the objects that patches change, and is not `known`."""
    alone = _alone(state)
    wanted = dict.fromkeys((*_wanted(state), *alone))
    if not wanted:
        return []
    said = {(each.code, each.manifest.key, each.path) for each in known}
    places = _Places.of((*state.manifests, *state.context))
    own = {each.key for each in state.manifests}
    groups: dict[tuple[object, ...], tuple[Found, dict[str, None]]] = {}
    for overlay in _overlays(wanted):
        nodes: dict[int, Built] = {}
        bases: dict[int, Manifest] = {}
        manifests: list[Manifest] = []
        for one in overlay.objects:
            base = places.of_object(one.node.at)
            made = None if base is None else _of_built(base, one)
            if made is not None and base is not None:
                nodes[id(made)], bases[id(made)] = one, base
                manifests.append(made)
        # What is built stands for what it is built of; patches are in it.
        gone = {each.key for each in bases.values()}
        names = {(each.kind, each.name) for each in bases.values()}
        others = [
            each
            for each in state.manifests
            if each.key not in gone and not (each.is_patch and (each.kind, each.name) in names)
        ]
        part = replace(
            state,
            manifests=tuple(manifests),
            context=(*others, *state.context),
            sources=(),
            unknowns=None,
            previous=None,
        )
        for found in _by_cause(check(part), nodes, places):
            built = nodes.get(id(found.manifest))
            if built is None or built.open:
                continue
            base = bases[id(found.manifest)]
            given = overlay.folder in alone and base.key not in own and not base.about.holes
            if not (_is_whole(base) or given) or not _is_news(found, base):
                continue
            at, path = _written(built, found.path)
            place = places.of_field(at, path)
            if place is None or place[0].key not in own:
                continue  # written where no object of the run stands: there is no place to show
            if (found.code, place[0].key, place[1]) in said:
                continue
            key = (found.code, place[0].key, place[1], found.message)
            placed = replace(
                found, manifest=place[0], path=place[1], fix=None, related=(), text=None
            )
            groups.setdefault(key, (placed, {}))[1][_shown(overlay.folder)] = None
    return [_with_overlays(found, list(names)) for found, names in groups.values()]


def _by_cause(
    found: Sequence[Found], nodes: Mapping[int, Built], places: _Places
) -> Iterator[Found]:
    """The findings without those that follow from a patch which replaces the claims (DRA441)."""
    dropping: set[int] = set()
    for each in found:
        if each.code == DROPPED and (built := nodes.get(id(each.manifest))) is not None:
            place = places.of_field(*_written(built, each.path))
            if place is not None and place[0].is_patch:
                dropping.add(id(each.manifest))
    for each in found:
        dropped = id(each.manifest) in dropping
        if each.code == DROPPED:
            if dropped:
                yield each
        elif not (dropped and each.code == NOT_LISTED and _names_dropped(each)):
            yield each


def _names_dropped(found: Found) -> bool:
    """Whether a finding is of a container's entry that names a claim which a patch drops."""
    try:
        entry = value_at(found.manifest.data, found.path)
    except KeyError:
        return False
    name = entry.get("name") if isinstance(entry, dict) else entry
    return isinstance(name, str) and any(name == each for each in dropped_names(found.manifest))


def _with_overlays(found: Found, names: list[str]) -> Found:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return replace(found, message=f"{found.message} (built in {', '.join(names[:_SHOWN])}{more})")


def _is_news(found: Found, base: Manifest) -> bool:
    """Whether a finding can only be said of what is built: a lack, or a mistake that is no guess."""
    from dradsl.diagnostics import Severity
    from dradsl.lint.catalogue.rules import RULES

    if is_completed(replace(found, manifest=base)):
        return True
    return (found.severity or RULES[found.code].severity) is not Severity.INFO


def _wanted(state: State) -> tuple[str, ...]:
    """The folders whose builds are worth judging: patches change objects there that speak of claims, or
    give claims to others."""
    found: dict[str, None] = {}
    if state.unknowns is None:
        return ()
    for each in state.manifests:
        if _is_whole(each) and not each.is_patch and each.made is None:
            speaks = any(sign in each.document.text for sign in _SIGNS)
            found |= dict.fromkeys(state.unknowns.built_with_claims(each, speaks=speaks))
    return tuple(found)


def _alone(state: State) -> frozenset[str]:
    """The folders of kustomizations with patches of claims, in a run that was called with a few files: what
    they patch may be given as context."""
    if not state.context or len(state.sources) > _MOST_ALONE:
        return frozenset()
    from dradsl.repository.kustomization import is_kustomization

    return frozenset(
        os.path.realpath(os.path.dirname(each.name) or ".")
        for each in state.sources
        if "atch" in (text := each.stream.text)
        and any(sign in text for sign in _SIGNS)
        and is_kustomization(each.name)
        and os.path.isfile(each.name)
    )


def _is_whole(manifest: Manifest) -> bool:
    """Whether kustomizations alone make an object of what is written: variables and the patches of Flux and
    Argo CD are not seen there."""
    origin = manifest.about.origin
    if origin is None or not origin.reaches or origin.more or manifest.about.holes:
        return False
    return not any(each.by_controller or each.through is None for each in origin.reaches)


def _overlays(folders: Iterable[str]) -> Iterator[Overlay]:
    from dradsl.repository.around import top_of
    from dradsl.repository.build.overlays.overlay import Builder
    from dradsl.repository.build.parts.files import Files

    builders: dict[str, Builder] = {}
    for folder in list(folders)[:_MOST_OVERLAYS]:
        top = top_of(folder)
        if top not in builders:
            builders[top] = Builder(Files([top]))
        overlay = builders[top].build(folder)
        if overlay.refused is None and not overlay.unknowns:
            yield replace(overlay, folder=folder)


def _of_built(base: Manifest, built: Built) -> Manifest | None:
    data = built.data
    if not isinstance(data, dict):
        return None
    metadata = data.get("metadata")
    names = metadata if isinstance(metadata, dict) else {}
    name, namespace = names.get("name"), names.get("namespace")
    return replace(
        base,
        data=data,
        api_version=str(data.get("apiVersion")),
        name=name if isinstance(name, str) else None,
        namespace=namespace if isinstance(namespace, str) else base.namespace,
        about=replace(base.about, completed=False, names=(), spaces=None, unpatched=base.data),
    )


def _written(built: Built, path: FieldPath) -> tuple[At | None, FieldPath]:
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


@dataclass(frozen=True, slots=True)
class _Places:
    """The objects of a run and its patches, by the documents in which they stand."""

    objects: Mapping[tuple[str, int], Sequence[Manifest]] = field(default_factory=dict)
    inline: Mapping[tuple[str, int, FieldPath], Sequence[Manifest]] = field(default_factory=dict)
    """Patches that stand as texts, by the place of the text."""

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> _Places:
        objects: dict[tuple[str, int], list[Manifest]] = {}
        inline: dict[tuple[str, int, FieldPath], list[Manifest]] = {}
        real: dict[str, str] = {}
        for each in manifests:
            if each.made is not None:
                continue
            name = each.source.name
            if name not in real:
                real[name] = os.path.realpath(name)
            if each.within is None:
                objects.setdefault((real[name], each.document.index), []).append(each)
            else:
                text = (real[name], each.within.document.index, each.within.path)
                inline.setdefault(text, []).append(each)
        return cls(objects, inline)

    def of_object(self, at: At | None) -> Manifest | None:
        """The object that begins at a place."""
        if at is None or at.origin.within is not None:
            return None
        found = self.objects.get((at.origin.file, at.origin.document.index), ())
        path = at.path
        return next((m for m in found if m.operation is None and m.prefix == path), None)

    def of_field(self, at: At | None, rest: FieldPath) -> tuple[Manifest, FieldPath] | None:
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


def _shown(folder: str) -> str:
    return os.path.relpath(folder).replace(os.sep, "/")
