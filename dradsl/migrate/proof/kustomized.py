"""Kustomizations that were built before and after, built again by Kustomize: both must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.overlays.compare import identity
from dradsl.migrate.overlays.drafts import EditedFiles
from dradsl.records import dataclass
from dradsl.text.documents import expand_list
from dradsl.tree.builder import TreeBuilder
from dradsl.tree.kustomize.parts.files import Files
from dradsl.tree.kustomize.surrounding import top_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.migrate.result import BuildPair
    from dradsl.tree.kustomize.parts.outcome import Overlay
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["Kustomized", "kustomized"]


@dataclass(frozen=True, slots=True)
class Kustomized:
    """The folders for which Kustomize agrees; errors, and what it did not build, in sentences."""

    agreed: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()


def kustomized(
    sides: Sequence[BuildPair],
    texts: Mapping[str, bytes],
    renderer: Renderer,
    check: Callable[[], None],
) -> Kustomized:
    """Build the folders of `sides` by Kustomize, as they are and with `texts`, by real paths, in them."""
    agreed: list[str] = []
    faults: list[str] = []
    untried: list[str] = []
    for side in sides:
        if side.folder is None:
            continue
        check()
        top = top_of(side.folder)
        disk = Files([top])
        rest: list[dict[object, object]] = []
        for when, files in (("", disk), ("after the migration ", EditedFiles(disk, texts))):
            overlay = TreeBuilder(files).overlay(side.folder)
            said = _built(side.folder, top, renderer, texts if when else {})
            if isinstance(said, str):
                if when:
                    faults.append(f"{side.name}: {when}Kustomize does not build it: {said}")
                else:
                    untried.append(f"{side.name} is not built by Kustomize: {said}")
                break
            wrong = list(_different(overlay, said))
            if wrong:
                faults.append(f"{side.name}: {when}Kustomize builds {wrong[0]}")
                break
            rest.append(_besides(overlay, said))
        else:
            if rest[0] == rest[1]:
                agreed.append(side.name)
            else:
                untried.append(f"{side.name}: Kustomize builds other objects of charts afterwards")
    return Kustomized(tuple(agreed), tuple(faults), tuple(untried))


def _built(
    folder: str, top: str, renderer: Renderer, texts: Mapping[str, bytes]
) -> list[object] | str:
    """What Kustomize builds of a folder with `texts` in place of files; or why it does not."""
    rendered = renderer.overlay(folder, top=top, texts=texts)
    if rendered.unknown is not None:
        return rendered.unknown
    return [
        data for document in rendered.stream().documents for _, data in expand_list(document.data)
    ]


def _different(overlay: Overlay, said: list[object]) -> Iterator[str]:
    """The objects that differ from those of our builder. What it does not build, such as charts, is no difference."""
    own = {identity(each.data): each.data for each in overlay.objects}
    theirs = {identity(each): each for each in said}
    for key in own if overlay.unknowns else {**own, **theirs}:
        if own.get(key) != theirs.get(key):
            yield f"{key[1]} {key[3]} otherwise than dradsl"


def _besides(overlay: Overlay, said: list[object]) -> dict[object, object]:
    """The objects that our builder does not build."""
    own = {identity(each.data) for each in overlay.objects}
    return {identity(each): each for each in said if identity(each) not in own}
