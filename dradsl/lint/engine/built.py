"""Objects that patches complete, judged on what the overlays build of them.

What an object lacks is not said of the object where patches may bring it (`is_completed`). It is said here, of each
overlay that can be built, at the place where the field was written: one finding with all overlays in which it
holds. Where a variable, a controller or a construct that is not built has a say, nothing is said.
"""

from __future__ import annotations

import os

from dradsl.lint.engine.sure.hiding import is_completed
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.lint.engine.state import State
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.found import Found
    from dradsl.repository.build.nodes import At
    from dradsl.repository.build.parts.outcome import Built, Overlay
    from dradsl.text.paths import FieldPath

__all__ = ["built_findings"]

_MOST_OVERLAYS = 200
_SHOWN = 3


def built_findings(
    state: State, known: Iterable[Found], check: Callable[[State], Sequence[Found]]
) -> list[Found]:
    """What is found in the built forms of the objects that patches may complete, and is not `known`."""
    said = {(each.code, each.manifest.key, each.path) for each in known}
    wanted = {
        manifest.key: manifest
        for manifest in state.manifests
        if manifest.about.completed and not manifest.about.holes and _by_kustomize(manifest)
    }
    by_file: dict[tuple[str, int], list[Manifest]] = {}
    for each in state.manifests:
        if each.within is None and each.made is None:
            name = os.path.realpath(each.source.name)
            by_file.setdefault((name, each.document.index), []).append(each)
    groups: dict[tuple[object, ...], tuple[Found, dict[str, None]]] = {}
    for overlay in _overlays(wanted.values()):
        nodes: dict[int, Built] = {}
        manifests: list[Manifest] = []
        for one in overlay.objects:
            base = _manifest(one.node.at, by_file)
            made = None if base is None else _of_built(base[0], one)
            if made is not None and base is not None and not base[1]:
                nodes[id(made)] = one
                manifests.append(made)
        context = (*state.manifests, *state.context)
        part = replace(
            state,
            manifests=tuple(manifests),
            context=context,
            sources=(),
            unknowns=None,
            previous=None,
        )
        for found in check(part):
            built = nodes.get(id(found.manifest))
            base_key = found.manifest.key
            if built is None or built.open or base_key not in wanted:
                continue
            if not is_completed(replace(found, manifest=wanted[base_key])):
                continue
            at, path = _written(built, found.path)
            place = _manifest(at, by_file)
            if place is None:
                continue  # written where no object of the run stands: there is no place to show
            target = (place[0], (*place[1], *path))
            if (found.code, target[0].key, target[1]) in said:
                continue
            key = (found.code, target[0].key, target[1], found.message)
            placed = replace(
                found, manifest=target[0], path=target[1], fix=None, related=(), text=None
            )
            groups.setdefault(key, (placed, {}))[1][_shown(overlay.folder)] = None
    return [_with_overlays(found, list(names)) for found, names in groups.values()]


def _with_overlays(found: Found, names: list[str]) -> Found:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return replace(found, message=f"{found.message} (built in {', '.join(names[:_SHOWN])}{more})")


def _by_kustomize(manifest: Manifest) -> bool:
    """Whether kustomizations alone build an object: the patches of Flux and Argo CD are not seen there."""
    origin = manifest.about.origin
    return origin is not None and not any(
        each.by_controller or each.through is None for each in origin.reaches
    )


def _overlays(manifests: Iterable[Manifest]) -> Iterator[Overlay]:
    from dradsl.repository.around import top_of
    from dradsl.repository.build.overlays.overlay import Builder
    from dradsl.repository.build.parts.files import Files

    folders: dict[str, None] = {}
    for manifest in manifests:
        origin = manifest.about.origin
        reaches = origin.reaches if origin is not None else ()
        for each in reaches:
            chain, outermost = each.through, ""
            while chain is not None:
                outermost, chain = chain
            folders[outermost] = None
    builders: dict[str, Builder] = {}
    for folder in list(folders)[:_MOST_OVERLAYS]:
        top = top_of(folder)
        if top not in builders:
            builders[top] = Builder(Files([top]))
        overlay = builders[top].build(folder)
        if overlay.refused is None and not overlay.unknowns:
            yield overlay


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
        about=replace(base.about, completed=False, names=(), spaces=None),
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
    return at, ()


def _manifest(
    at: At | None, by_file: dict[tuple[str, int], list[Manifest]]
) -> tuple[Manifest, FieldPath] | None:
    """The object of the run that stands at a place, and the way to the place in it."""
    if at is None or at.origin.within is not None:
        return None
    path = at.path
    for each in by_file.get((at.origin.file, at.origin.document.index), ()):
        if path[: len(each.prefix)] == each.prefix:
            return each, path[len(each.prefix) :]
    return None


def _shown(folder: str) -> str:
    return os.path.relpath(folder).replace(os.sep, "/")
