"""A tree while it is rewritten: what changes in it, what is built together, and what was rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.controllers import build_folder
from dradsl.migrate.overlays.original import base_of
from dradsl.records import dataclass, field
from dradsl.tree.builds import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.migrate.overlays.drafts import Place, TreeEdit
    from dradsl.migrate.overlays.original import OriginalTree
    from dradsl.migrate.overlays.patch_index import DevicePatch, PatchIndex
    from dradsl.migrate.planning.answers import Options
    from dradsl.migrate.result import BuildPair, FileMigration, Item
    from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay

__all__ = ["RewriteState", "unbuilt"]


@dataclass(slots=True)
class RewriteState:
    """The tree `before`, the `draft` of what it becomes, and what was found out on the way.

    `files` are the single files after their migration, by real paths, and `changed` the documents that it changed. Patches at
    places that are `rejected` stay as they are. `links` are places
    that make one object. `failed` are places that cannot be migrated, `placed` the files whose new objects have
    a place, `claims` the namespaces and names of existing claims, `named` those that pods name. `sides` are what was built and compared, by folder.
    """

    before: OriginalTree
    draft: TreeEdit
    files: Mapping[str, FileMigration]
    changed: frozenset[Place]
    rejected: Mapping[Place, Rejection]
    options: Options
    links: list[tuple[Place, ...]] = field(default_factory=list)
    failed: dict[Place, Rejection] = field(default_factory=dict)
    translated: dict[Place, list[Item]] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    claims: set[tuple[str, str]] = field(default_factory=set)
    named: list[tuple[list[Place], str, str]] = field(default_factory=list)
    sides: dict[str, list[BuildPair]] = field(default_factory=dict)
    linked: set[int] = field(default_factory=set)
    compared: dict[tuple[int, int], tuple[Overlay, Overlay, BuildPair]] = field(
        default_factory=dict
    )

    @property
    def found(self) -> PatchIndex:
        return self.before.found

    def fail(self, places: Iterable[Place], rejection: Rejection) -> None:
        """Reject the documents at places."""
        for place in places:
            self.failed.setdefault(place, rejection)

    def patches_to_rewrite(self, folder: str, *, components: bool = False) -> list[DevicePatch]:
        """The patches made where a folder is built that are to be rewritten."""
        found = self.found.of(folder, components=components)
        return [patch for patch in found if patch.place not in self.rejected]

    def folders(self) -> list[str]:
        """The folders whose build includes a change: in patches, or in documents of the run."""
        files = {place.file for place in self.changed}
        return [
            folder
            for folder in self.found.builds
            if any(patch.edited for patch in self.patches_to_rewrite(folder))
            or not files.isdisjoint(self.found.files_of(folder))
        ]

    def places(self, folder: str) -> Iterator[Place]:
        """The places that change and are built in a folder."""
        inside = set(self.found.files_of(folder))
        yield from (place for place in self.changed if place.file in inside)
        yield from (patch.place for patch in self.patches_to_rewrite(folder))

    def of_object(self, folder: str, built: BuiltObject) -> list[Place]:
        """The places that change and make an object of a folder."""
        base = base_of(built)
        found = [base] if base is not None and base in self.changed else []
        concerning = self.before.concerning(folder, built)
        return found + [patch.place for patch in concerning if patch.place not in self.rejected]

    def is_compared_only(self, folder: str) -> bool:
        """Whether Flux or Argo CD build a folder without their own patches on devices. If that build is not possible
        here, the build of the folder itself is still a proof."""
        found = self.found
        if folder not in found.controllers or folder in found.patching:
            return False
        return not self.patches_to_rewrite(folder, components=True)

    def build(self, folder: str) -> Overlay:
        """What is built of a folder as it is now."""
        return build_folder(self.draft.builder(), folder, self.found.controllers)

    def title(self, folder: str) -> str:
        """The name of a folder in a report."""
        controller = self.found.controllers.get(folder)
        return shown(folder) if controller is None else controller.title

    def link(self, folder: str) -> None:
        """Find out which places make one object of a folder, and what cannot be built."""
        overlay = self.before.overlay(folder)
        if overlay.rejected is not None:
            # Flux takes files from outside of a folder too.
            controllers = self.found.controllers
            by_flux = folder not in controllers and any(
                key in controllers
                and controllers[key].is_flux
                and self.before.overlay(key).rejected is None
                for key in self.found.tree.around((folder,))
            )
            if not (self.is_compared_only(folder) or by_flux):
                reason = unbuilt(self.title(folder), str(overlay.rejected))
                self.fail(self.places(folder), reason)
            return
        if self.is_compared_only(folder):
            if id(overlay) in self.linked:
                return  # another object builds the same
            self.linked.add(id(overlay))
        reached: set[Place] = set()
        for built in overlay.objects:
            places = self.of_object(folder, built)
            if not places:
                continue
            self.links.append(tuple(places))
            reached.update(places)
            if built.incomplete and not self.is_compared_only(folder):
                reason_of = "; ".join(each.message for each in overlay.unknowns if each.changes)
                reason = unbuilt(self.title(folder), reason_of or "a part of it is not known")
                self.fail(places, reason)
        users = self.found.tree.users.get(folder, ())
        if overlay.unknowns and not any(u not in self.found.controllers for u in users):
            # No changed object is found for these patches: there may be one outside of the run.
            what = "; ".join(dict.fromkeys(each.message for each in overlay.unknowns))
            name = self.title(folder)
            why = f"its target is not known: {name} takes in what is not read here ({what})"
            own = folder in self.found.controllers  # what else is in the folder is judged there
            patches = (patch.place for patch in self.patches_to_rewrite(folder, components=own))
            self.fail((place for place in patches if place not in reached), Rejection(why))

    def spread(self) -> None:
        """Reject together what is built together."""
        groups: dict[Place, set[Place]] = {}
        for link in self.links:
            joined: set[Place] = set(link)
            for place in link:
                joined |= groups.get(place, set())
            for place in joined:
                groups[place] = joined
        for place, rejection in list(self.failed.items()):
            name = self.before.names.get(place.file, shown(place.file))
            together = Rejection(
                f"what is built of this and of {name} is migrated together, and that is rejected: {rejection.reason}"
            )
            for other in groups.get(place, ()):
                self.failed.setdefault(other, together)


def unbuilt(name: str, reason: str) -> Rejection:
    """The rejection for what is built of a folder that cannot be built."""
    return Rejection(f"{name} cannot be built here, so nothing is proven of it: {reason}")
