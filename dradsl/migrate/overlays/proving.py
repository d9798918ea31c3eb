"""The builds of both sides compared: of folders, and of what Flux and Argo CD build of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.mapping.targets import Refusal
from dradsl.migrate.overlays.before import base_of
from dradsl.migrate.overlays.compare import (
    generated_anew,
    identity,
    is_claim,
    problem_of,
    templates_of,
    under_old_names,
)
from dradsl.migrate.overlays.controllers import build_controller
from dradsl.migrate.overlays.planned import Expected, manifest_of
from dradsl.migrate.overlays.work import Side, unbuilt
from dradsl.migrate.planning.gangs import asks, members_of
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.overlays.work import Work
    from dradsl.migrate.planning.gangs import GroupWithoutAmounts
    from dradsl.migrate.result import Migrated
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay

__all__ = ["prove_builds"]


def prove_builds(work: Work, folders: Sequence[str]) -> dict[str, list[Side]]:
    """Build all folders as they were and as they are now, by folder; anything that differs from the plan fails."""
    work.claims.clear()  # from here on only claims that are built
    sides: dict[str, list[Side]] = {}
    for folder in folders:
        work.check()
        made = list(_proved(work, folder))
        if made:
            sides[folder] = made
    for places, space, name in work.named:
        if (space, name) not in work.claims:
            reason = f"ResourceClaim {name} is built in none of the namespaces where it is named"
            work.fail(places, Refusal(reason))
    return sides


def _proved(work: Work, folder: str) -> Iterator[Side]:
    before = work.before.overlay(folder)
    controller = work.found.controllers.get(folder)
    if controller is not None and controller.is_flux:
        filled = work.before.filled(controller)
        if filled.refused is None:
            after = build_controller(work.draft.builder(), controller, work.before.sources())
            yield from _both(work, folder, filled, after)
            if work.is_compared_only(folder):
                return
    if before.refused is not None:  # a folder that counts has failed before
        return
    sides = list(_both(work, folder, before, work.build(folder)))
    if controller is None or not controller.is_flux or filled.refused is not None:
        yield from sides


def _both(work: Work, folder: str, before: Overlay, after: Overlay) -> Iterator[Side]:
    if after.refused is not None:
        reason = unbuilt(work.title(folder), f"after the migration: {after.refused}")
        work.fail(work.places(folder), reason)
        return
    if folder not in work.found.controllers or work.open(folder, components=True):
        yield _compared(work, folder, before, after)
        return
    key = (id(before), id(after))
    if key not in work.compared:  # else another object builds the same
        work.compared[key] = (before, after, _compared(work, folder, before, after))
    yield replace(work.compared[key][2], name=work.title(folder))


def _compared(work: Work, folder: str, before: Overlay, after: Overlay) -> Side:
    name = work.title(folder)
    new = generated_anew(before.objects, after.objects)
    objects = tuple(under_old_names(each, new) for each in after.objects)
    others = {identity(each.data): each for each in objects}
    known = {identity(each.data) for each in before.objects}
    claims = templates_of(objects)
    workloads: list[Migrated] = []
    for built in before.objects:
        key = identity(built.data)
        places = work.of_object(folder, built)
        made = work.before.expected(folder, built) if places else None
        expected = made[1] if made is not None else Expected(_with_own_patches(work, built))
        expected = replace(expected, data=_with_texts(work, built, expected.data))
        group = _group_of(work, built)
        if group is not None:
            expected = Expected(_without_amounts(built.data, group.keys))
        if expected.refusal is not None:
            work.fail(places, expected.refusal)
            continue
        work.named += [
            (places, key[2], each["metadata"]["name"])
            for each in expected.templates
            if each["kind"] == "ResourceClaim"
        ]
        workloads += [
            replace(each, namespace=key[2] or None, name=key[3]) for each in expected.workloads
        ]
        other = others.get(key)
        if (
            other is not None
            and key[1] in ("ConfigMap", "Secret")
            and _is_of_files(work, built, other)
        ):
            continue
        problem = problem_of(other, expected, claims)
        if group is not None:
            problem = problem or _asking(group, key, objects)
        elif _is_of_operator(work, folder, built, expected):
            problem = None
        if problem is not None:
            at = places or list(work.places(folder))
            work.fail(at, Refusal(f"built with {name}, {key[1]} {key[3]} {problem}"))
    work.claims |= {
        identity(each.data)[2:]
        for each in after.objects
        if identity(each.data)[1] == "ResourceClaim"
    }
    for each in objects:
        if identity(each.data) not in known and not is_claim(each.data):
            reason = f"{name} would build {identity(each.data)[1]} {identity(each.data)[3]} as well"
            work.fail(work.places(folder), Refusal(reason))
    own = None if folder in work.found.controllers else folder
    side = Side(name, before.objects, after.objects, tuple(workloads), own)
    found = work.faults(side)
    if found:
        reason = f"{name} would have an error when it is built: {found[0]}"
        work.fail(work.places(folder), Refusal(reason))
    return side


def _group_of(work: Work, built: BuiltObject) -> GroupWithoutAmounts | None:
    """The group of pods that an object is, if it lost amounts."""
    base = base_of(built)
    found = work.groups.get(base) if base is not None else None
    return found[0] if found is not None and found[0].manifest.name == built.original_name else None


def _without_amounts(data: Any, keys: Sequence[str]) -> object:
    spec = dict(data["spec"])
    amounts = {key: each for key, each in spec["minResources"].items() if key not in keys}
    spec["minResources"] = amounts
    if not amounts:
        del spec["minResources"]
    return {**data, "spec": spec}


def _asking(
    group: GroupWithoutAmounts, key: tuple[str, str, str, str], objects: Sequence[BuiltObject]
) -> str | None:
    """What is wrong with a group whose pods, as they are built, still ask for what it lost."""
    own = replace(group.manifest, name=key[3], namespace=key[2] or None)
    for each in objects:
        made = manifest_of(each, "", identity(each.data)[2] or None)
        for member, spec in members_of(own, made) if made is not None else ():
            still = next((name for name in group.keys if asks(spec, name)), None)
            if still is not None:
                return f"would start without {still}, for which {member[0]} {member[2]} still asks"
    return None


def _with_own_patches(work: Work, built: BuiltObject) -> object:
    """An object as it is, with the patches in it as they are now: the patches of Flux and Argo CD are in objects that
    are built as well."""
    base = base_of(built)
    data: Any = built.data
    if base is None:
        return data
    for controller in work.found.patched_objects.get((base.file, base.document), ()):
        for patch in work.found.patches.get(controller.key, ()):
            path = patch.place.text[len(controller.prefix) :]
            data = _with_text(data, path, *work.draft.texts_at(patch.place, work.before.texts))
    return data


def _with_texts(work: Work, built: BuiltObject, data: object) -> object:
    """An object with the manifests and values in its texts as they are now."""
    base, at = base_of(built), built.node.at
    if base is None or at is None:
        return data
    for document, path in work.read.get(base.file, ()):
        if document == base.document and path[: len(at.path)] == at.path:
            place = replace(base, text=path)
            texts = work.draft.texts_at(place, work.before.texts)
            data = _with_text(data, path[len(at.path) :], *texts)
    return data


def _with_text(data: Any, path: Sequence[str | int], old: str, new: str) -> Any:
    """Data with a new text at a path if the old text is there; other data as it is."""
    if not path:
        return new if data == old else data
    step, rest = path[0], path[1:]
    if isinstance(data, dict) and step in data:
        return {**data, step: _with_text(data[step], rest, old, new)}
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return [*data[:step], _with_text(data[step], rest, old, new), *data[step + 1 :]]
    return data


def _is_of_operator(work: Work, folder: str, built: BuiltObject, expected: Expected) -> bool:
    """Whether an object has other changes than claims, because it configures an operator."""
    changed = base_of(built) in work.changed
    return changed and not expected.items and not work.before.concerning(folder, built)


def _is_of_files(work: Work, before: BuiltObject, after: BuiltObject) -> bool:
    """Whether a generated object differs only by the changes in the files that it holds."""
    one, other = _texts_of(before.data), _texts_of(after.data)
    became = {
        text: work.draft.texts[path]
        for path, text in work.before.texts.items()
        if text != work.draft.texts[path]
    }
    return one.keys() == other.keys() and all(
        other[key] == text or other[key] == became.get(str(text)) for key, text in one.items()
    )


def _texts_of(data: object) -> dict[str, object]:
    found = data.get("data") if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}
