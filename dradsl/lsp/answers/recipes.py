"""Claims from recipes as code actions: a workload gets what `dradsl new RECIPE --for FILE` gives it."""

from __future__ import annotations

import os.path

from lsprotocol import types

from dradsl.lsp.texts.cursor import source_of
from dradsl.records import replace
from dradsl.scaffolding.attaching import aim, changed, notes_on, targets_in
from dradsl.scaffolding.recipes import ScaffoldError, recipe_named, recipe_names, workloads
from dradsl.scaffolding.writing import Scaffold
from dradsl.text.paths import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lsp.texts.buffers import Buffer
    from dradsl.lsp.texts.places import Places
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.scaffolding.attaching import PodContainer
    from dradsl.text.documents import Stream
    from dradsl.text.paths import FieldPath

__all__ = ["claim_actions"]

_VALUES, _SLICES = 5, 50  # an editor asks at each move of the cursor


def claim_actions(
    buffer: Buffer, stream: Stream, at: int, places: Places, known: DriverInfo, drivers: set[str]
) -> Iterator[types.CodeAction]:
    """What can be given to the pod at an offset: nothing if it has claims, or no recipe is for `drivers`."""
    text = stream.text
    # Before the first word of a line, the word is meant.
    at += len(text[at:]) - len(text[at:].lstrip(" -"))
    target = _target(buffer.path, stream, at) if drivers else None
    if target is None:
        return
    for scaffold in _offered(target.pod.manifest.kind, known, drivers):
        try:
            aim(scaffold, target)
            notes_on(target, scaffold.pod(), scaffold.catalogue)
            after = changed(scaffold, target)
        except ScaffoldError:
            continue  # `dradsl new` says why
        first = len(os.path.commonprefix((text, after)))  # noqa: RUF071 - of characters
        last = len(os.path.commonprefix((text[first:][::-1], after[first:][::-1])))  # noqa: RUF071
        where = places.range(first, len(text) - last)
        edit = types.TextEdit(where, after[first : len(after) - last])
        choices = scaffold.recipe["parameters"].get("driver", {}).get("choices", ())
        which = f" ({scaffold.given['driver']})" if len(drivers.intersection(choices)) > 1 else ""
        yield types.CodeAction(
            f"Add a claim: {scaffold.recipe['action'].format_map(scaffold.given)}{which}",
            types.CodeActionKind.RefactorRewrite,
            edit=types.WorkspaceEdit(changes={buffer.uri: [edit]}),
        )


def _target(path: str, stream: Stream, at: int) -> PodContainer | None:
    """The container at an offset, or the only one of the pod there, which has no claims."""

    def holds(target: PodContainer, field: FieldPath) -> bool:
        manifest = target.pod.manifest
        node = locate(manifest.node, field[len(manifest.prefix) :]).node
        # Behind the last word, what is typed next still belongs to it.
        return node.start <= at and not stream.text[node.end : at].strip()

    try:
        found = targets_in(source_of(path, stream), at)
    except ScaffoldError:
        return None
    found = [each for each in found if holds(each, each.pod.path)]
    inner = [each for each in found if holds(each, each.container.path)]
    found = inner or found
    return found[0] if len(found) == 1 and not found[0].pod.spec.get("resourceClaims") else None


def _offered(kind: str, known: DriverInfo, drivers: set[str]) -> Iterator[Scaffold]:
    """The recipes for a kind of workload, by driver; where a value is needed, with those that are recorded."""
    slices = known.slices[:_SLICES]
    for recipe in map(recipe_named, recipe_names()):
        kinds = recipe["kinds"][:1] if "namespace" in recipe else recipe["kinds"]
        late = known.oldest.name < recipe["since"]
        if "action" not in recipe or late or (kind in workloads() and kind not in kinds):
            continue
        for driver in recipe["parameters"].get("driver", {}).get("choices", (None,)):
            given = {} if driver is None else {"driver": driver}
            scaffold = Scaffold(recipe, given, known.drivers, slices)
            needed = next(scaffold.missing(), None)
            if not drivers.issuperset(scaffold.row(each)["driver"] for each in recipe["devices"]):
                continue
            if needed is None:
                yield scaffold
            elif (offer := scaffold.offer(needed)) and offer.is_recorded == bool(slices):
                for value in offer.values[: _VALUES if slices else 1]:
                    yield replace(scaffold, given={**given, needed: str(value)})
