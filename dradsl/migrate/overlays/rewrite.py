"""A tree rewritten, step by step from the inside out, and the builds of both sides compared.

The requests are taken out of every patch. Then, where a folder is built, each object that a patch concerns is
compared with what it must become: what is missing is written into the last such patch. So a patch says no more
than the object it meets needs, whatever its base brings. In the end all is built and compared; what fails is refused
with all that is built of the same places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.overlays.bases import place_added, prepare_bases
from dradsl.migrate.overlays.drafts import Draft
from dradsl.migrate.overlays.patching import complete, strip
from dradsl.migrate.overlays.proving import prove_builds
from dradsl.migrate.overlays.work import Work
from dradsl.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.migrate.mapping.targets import Refusal
    from dradsl.migrate.overlays.before import Before
    from dradsl.migrate.overlays.drafts import Place
    from dradsl.migrate.overlays.work import Side
    from dradsl.migrate.planning.gangs import Group
    from dradsl.migrate.result import Item
    from dradsl.text.paths import FieldPath

__all__ = ["Rewritten", "rewrite"]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of a tree: `texts` of its files that changed and `made` those that are new, by real paths.

    `translated` are the lines of the report for the uses in patches. `refused` are places that cannot be
    migrated; if there are any, the texts are of no use. `placed` are the files whose new objects are among
    those in `made`. `sides` are what was built and compared, of `folders`.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    translated: Mapping[Place, tuple[Item, ...]] = field(default_factory=dict)
    refused: Mapping[Place, Refusal] = field(default_factory=dict)
    placed: frozenset[str] = frozenset()
    sides: tuple[Side, ...] = ()
    folders: tuple[str, ...] = ()


def rewrite(
    before: Before,
    texts: Mapping[str, str],
    changed: frozenset[Place],
    refused: Mapping[Place, Refusal],
    added: Mapping[str, Sequence[Mapping[str, Any]]],
    groups: Mapping[Place, tuple[Group, tuple[Place, ...]]],
    read: Mapping[str, frozenset[tuple[int, FieldPath]]],
    faults: Callable[[Side], Sequence[str]],
    check: Callable[[], None],
) -> Rewritten:
    """Rewrite the patches of a tree.

    `texts` are the files of the run after the objects in them were migrated, `changed` the documents that
    became others by that. Patches at places that are `refused` stay as they are. `added` are new objects that stand in none of these files, by the
    file that needs them. `groups` are groups of pods that lost amounts, by their place, with those of their
    pods, `read` the texts within documents that were edited. `faults` are what else is wrong with a build;
    `check` is called now and then.
    """
    draft = Draft(before.disk, texts)
    return _Rewriting(before, draft, changed, refused, added, faults, check).run()


@dataclass(slots=True)
class _Rewriting:
    before: Before
    draft: Draft
    changed: frozenset[Place]
    refused: Mapping[Place, Refusal]
    added: Mapping[str, Sequence[Mapping[str, Any]]]
    faults: Callable[[Side], Sequence[str]]
    check: Callable[[], None]
    links: list[tuple[Place, ...]] = field(default_factory=list)
    failed: dict[Place, Refusal] = field(default_factory=dict)
    translated: dict[Place, list[Item]] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    claims: set[tuple[str, str]] = field(default_factory=set)
    named: list[tuple[list[Place], str, str]] = field(default_factory=list)

    def run(self) -> Rewritten:
        folders = self._folders()
        for folder in folders:
            self._link(folder)
        self._prepare_bases()
        self._place_added()
        self._strip(folders)
        for folder in folders:
            self.check()
            self._complete(folder)
        sides: list[Side] = []
        if not self.failed:
            self.claims.clear()  # from here on those that are built
            for folder in folders:
                self.check()
                sides += self._proved(folder)
            self.check()
            sides += self._by_flux(folders)
            for places, space, name in self.named:
                if (space, name) not in self.claims:
                    self._fail(
                        places,
                        Refusal(
                            f"ResourceClaim {name} is built in none of the namespaces where it is named"
                        ),
                    )
        self._spread()
        texts = {
            path: text for path, text in self.draft.texts.items() if text != self.before.texts[path]
        }
        return Rewritten(
            texts,
            dict(self.draft.made),
            {place: tuple(items) for place, items in self.translated.items()},
            dict(self.failed),
            frozenset(self.placed),
            tuple(sides),
            tuple(folders) if sides else (),
        )

    @property
    def _found(self) -> Found:
        return self.before.found

    def _open(self, folder: str, *, components: bool = False) -> list[DevicePatch]:
        """The patches made where a folder is built that are to be rewritten."""
        found = self._found.of(folder, components=components)
        return [patch for patch in found if patch.place not in self.refused]

    def _folders(self) -> list[str]:
        """The folders that are built of what changes: patches, and documents of the run."""
        files = {place.file for place in self.changed}
        return [
            folder
            for folder in self.before.builds()
            if any(patch.edited for patch in self._open(folder))
            or not files.isdisjoint(self._files_of(folder))
        ]

    def _files_of(self, folder: str) -> Iterator[str]:
        """The files of which a folder is built, but for patches."""
        for inner in self._found.inside(folder):
            yield inner
            if inner in self._found.files:
                yield self._found.files[inner]
            yield from self._found.generated.get(inner, ())

    def _places(self, folder: str) -> Iterator[Place]:
        """The places that change and are built in a folder."""
        inside = set(self._files_of(folder))
        yield from (place for place in self.changed if place.file in inside)
        yield from (patch.place for patch in self._open(folder))

    def _of_object(self, folder: str, built: Built) -> list[Place]:
        """The places that change and make an object of a folder."""
        base = base_of(built)
        found = [base] if base is not None and base in self.changed else []
        concerning = self.before.concerning(folder, built)
        return found + [patch.place for patch in concerning if patch.place not in self.refused]

    def _fail(self, places: Iterable[Place], refusal: Refusal) -> None:
        for place in places:
            self.failed.setdefault(place, refusal)

    def _link(self, folder: str) -> None:
        overlay = self.before.overlay(folder)
        if overlay.refused is not None:
            self._fail(self._places(folder), _unbuilt(folder, str(overlay.refused)))
            return
        reached: set[Place] = set()
        for built in overlay.objects:
            places = self._of_object(folder, built)
            if not places:
                continue
            self.links.append(tuple(places))
            reached.update(places)
            if built.open:
                reason = "; ".join(each.message for each in overlay.unknowns if each.changes)
                self._fail(places, _unbuilt(folder, reason or "a part of it is not known"))
        for place in self._places(folder):
            if place not in reached and not self._is_used_above(folder):
                self._lost(folder, place, overlay)

    def _is_used_above(self, folder: str) -> bool:
        return bool(self._found.tree.users.get(folder))

    def _lost(self, folder: str, place: Place, overlay: Overlay) -> None:
        """A patch without an object that it changes: there may be one that is not seen."""
        patches = [patch for patch in self._open(folder) if patch.place == place]
        if patches and overlay.unknowns:
            what = "; ".join(dict.fromkeys(each.message for each in overlay.unknowns))
            self._fail(
                [place],
                Refusal(
                    f"its target is not known: {_shown(folder)} takes in what is not read here ({what})"
                ),
            )

    # What bases need

    def _prepare_bases(self) -> None:
        """Bases whose objects got claims: their templates must get the names and namespaces of the pods."""
        for folder, found in self._found.tree.folders.items():
            listed = {path for each in found for path in each.resources}
            places = [place for place in self.changed if place.file in listed]
            if not places:
                continue
            for kind, group, pods, own in self._kinds(folder, places):
                try:
                    follow_namespaces(self.draft, self._found, folder, kind)
                    teach_names(self.draft, self._found, folder, [(group, kind, p) for p in pods])
                except CannotEditError as error:
                    self._fail([own], Refusal(str(error)))

    def _kinds(
        self, folder: str, places: list[Place]
    ) -> Iterator[tuple[str, str, tuple[Any, ...], Place]]:
        for above in self._found.around(folder):
            if above not in self.before.builds():
                continue
            for built in self.before.overlay(above).objects:
                base = base_of(built)
                if base is None or base not in places:
                    continue
                made = self.before.wanted(above, built)
                if made is not None and made[1].pods:
                    yield made[0].kind, made[0].group, made[1].pods, base

    def _place_added(self) -> None:
        """New objects that stand in no file that is built: into one that is, in the same folder."""
        for path, objects in self.added.items():
            folder = next(
                (
                    f
                    for f, found in self._found.tree.folders.items()
                    if any(path in each.resources for each in found)
                    or self._found.files.get(f) == path
                    or path in self._found.generated.get(f, ())
                    or path in self._found.values.get(f, ())
                ),
                None,
            )
            if folder is None:
                continue
            self.placed.add(path)
            namespace = self._found.values.get(folder, {}).get(path)
            if namespace is not None:
                objects = [
                    {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
                    if "namespace" not in obj["metadata"]
                    else obj
                    for obj in objects
                ]
            try:
                add_objects(self.draft, self._found, folder, objects)
            except CannotEditError as error:
                self._fail([p for p in self.changed if p.file == path], Refusal(str(error)))

    # Patches

    def _strip(self, folders: list[str]) -> None:
        devices = _Devices(self.before.planner.catalogue)
        done: set[Place] = set()
        for folder in folders:
            for patch in self._open(folder):
                if patch.place in done or patch.place in self.failed:
                    continue
                done.add(patch.place)
                if not patch.edited:
                    continue
                try:
                    operations = stripped(self.draft.data(patch.place), devices)
                    self.draft.edit(patch.place, operations)
                except CannotEditError as error:
                    self._fail([patch.place], Refusal(f"the patch cannot be rewritten: {error}"))

    def _complete(self, folder: str) -> None:
        """Write into the patches of a folder what its objects still need."""
        patches = self._open(folder, components=True)
        before = self.before.overlay(folder)
        if not patches or before.refused is not None:
            return
        after = self.draft.builder().build(folder)
        touched: set[Place] = set()
        for built in before.objects:
            own = [p for p in self.before.concerning(folder, built) if p in patches]
            if not own or any(place in self.failed for place in self._of_object(folder, built)):
                continue
            made = self.before.wanted(folder, built)
            if made is None:
                continue
            manifest, wanted = made
            if wanted.refusal is not None:
                self._fail([own[-1].place], wanted.refusal)
                continue
            for patch in own:
                self.translated.setdefault(patch.place, []).extend(wanted.items)
            if any(patch.place in touched for patch in own):
                after = self.draft.builder().build(folder)
            if after.refused is not None:
                self._fail(
                    self._places(folder), _unbuilt(folder, f"after the migration: {after.refused}")
                )
                return
            try:
                place = self._completed(folder, built, after, own, manifest, wanted)
            except CannotEditError as error:
                self._fail([own[-1].place], Refusal(f"the patch cannot be rewritten: {error}"))
                continue
            if place is not None:
                touched.add(place)

    def _completed(
        self,
        folder: str,
        built: Built,
        after: Overlay,
        own: list[DevicePatch],
        manifest: Manifest,
        wanted: Wanted,
    ) -> Place | None:
        key = identity(built.data)
        other = next((each for each in after.objects if identity(each.data) == key), None)
        if other is None:
            raise CannotEditError(f"{manifest.title} is not built any more")
        specs = templates_of(after.objects, key[2], *namespaces_of(other.data))
        planned = {each["metadata"]["name"]: each["spec"] for each in wanted.templates}
        target = named_alike(other.data, wanted.data, specs, planned)
        left = list(differences(other.data, target))
        if not left:
            return None
        patch = next((each for each in reversed(own) if each.edited), None)
        if patch is None:
            raise CannotEditError(f"{own[-1].title} is not among the files of the run")
        data = self.draft.data(patch.place)
        self.draft.edit(patch.place, written_into(data, other.data, left, manifest.group))
        named = set(_template_names(target))
        fresh = [
            each
            for each in wanted.templates
            if each["metadata"]["name"] in named
            and each["metadata"]["name"] not in specs
            and not self._is_there(each, key[2])
        ]
        if fresh:
            add_objects(self.draft, self._found, patch.owner, fresh)
            follow_namespaces(self.draft, self._found, patch.owner, manifest.kind)
            specs_of = [(manifest.group, manifest.kind, pod) for pod in wanted.pods]
            teach_names(self.draft, self._found, patch.owner, specs_of)
        return patch.place

    def _is_there(self, obj: Mapping[str, Any], namespace: str) -> bool:
        """Whether a claim that several workloads name is among the new objects already."""
        if obj["kind"] != "ResourceClaim":
            return False
        key = (namespace, str(obj["metadata"]["name"]))
        known = key in self.claims
        self.claims.add(key)
        return known

    # The proof

    def _proved(self, folder: str) -> Iterator[Side]:
        before = self.before.overlay(folder)
        after = self.draft.builder().build(folder)
        if after.refused is not None:
            reason = f"after the migration: {after.refused}"
            self._fail(self._places(folder), _unbuilt(folder, reason))
            return
        yield self._compared(folder, folder, before, after)

    def _by_flux(self, folders: Sequence[str]) -> Iterator[Side]:
        """What Flux builds of these folders, as far as both sides can be built: it renames and patches too."""
        tops = self.before.tops
        for name, node, sources in self.before.flux():
            before = build_flux(self.before.files(), node, tops, sources)
            if before.refused is not None or before.folder not in folders:
                continue
            after = build_flux(self.draft.files(), node, tops, sources)
            title = f"{name} of Flux"
            if after.refused is not None:
                reason = f"after the migration: {after.refused}"
                self._fail(self._places(before.folder), _unbuilt(title, reason))
                continue
            self.before.keep.append(before)
            yield self._compared(before.folder, title, before, after)

    def _compared(self, folder: str, title: str, before: Overlay, after: Overlay) -> Side:
        shown = _shown(title) if title == folder else title
        new = generated_anew(before.objects, after.objects)
        objects = tuple(under_old_names(each, new) for each in after.objects)
        others = {identity(each.data): each for each in objects}
        known = {identity(each.data) for each in before.objects}
        workloads: list[Migrated] = []
        for built in before.objects:
            key = identity(built.data)
            places = self._of_object(folder, built)
            made = self.before.wanted(folder, built) if places else None
            wanted = made[1] if made is not None else Wanted(built.data)
            if wanted.refusal is not None:
                self._fail(places, wanted.refusal)
                continue
            self.named += [
                (places, key[2], each["metadata"]["name"])
                for each in wanted.templates
                if each["kind"] == "ResourceClaim"
            ]
            workloads += [
                replace(each, namespace=key[2] or None, name=key[3]) for each in wanted.workloads
            ]
            other = others.get(key)
            made_of_files = key[1] in ("ConfigMap", "Secret")
            if other is not None and made_of_files and self._is_of_files(built, other):
                continue
            problem = problem_of(other, wanted, objects)
            if problem is not None and not self._is_of_operator(folder, built, wanted):
                at = places or list(self._places(folder))
                reason = f"built with {shown}, {key[1]} {key[3]} {problem}"
                self._fail(at, Refusal(reason))
        self.claims |= {
            identity(each.data)[2:]
            for each in after.objects
            if identity(each.data)[1] == "ResourceClaim"
        }
        for each in objects:
            if identity(each.data) not in known and not is_claim(each.data):
                reason = (
                    f"{shown} would build {identity(each.data)[1]} {identity(each.data)[3]} as well"
                )
                self._fail(self._places(folder), Refusal(reason))
        own = folder if title == folder else None
        side = Side(shown, before.objects, after.objects, tuple(workloads), own)
        found = self.faults(side)
        if found:
            reason = f"{shown} would have an error when it is built: {found[0]}"
            self._fail(self._places(folder), Refusal(reason))
        return side

    def _is_of_operator(self, folder: str, built: Built, wanted: Wanted) -> bool:
        """Whether an object was changed otherwise than by claims: what configures an operator."""
        changed = base_of(built) in self.changed
        return changed and not wanted.items and not self.before.concerning(folder, built)

    def _is_of_files(self, before: Built, after: Built) -> bool:
        """Whether a generated object differs only by what the files that it holds became."""
        one, other = _texts_of(before.data), _texts_of(after.data)
        became = {
            text: self.draft.texts[path]
            for path, text in self.before.texts.items()
            if text != self.draft.texts[path]
        }
        return one.keys() == other.keys() and all(
            other[key] == text or other[key] == became.get(str(text)) for key, text in one.items()
        )

    def _spread(self) -> None:
        """What is built together is refused together."""
        groups: dict[Place, set[Place]] = {}
        for link in self.links:
            joined: set[Place] = set(link)
            for place in link:
                joined |= groups.get(place, set())
            for place in joined:
                groups[place] = joined
        for place, refusal in list(self.failed.items()):
            shown = self.before.names.get(place.file, _shown(place.file))
            together = Refusal(
                f"what is built of this and of {shown} is migrated together, and that is refused: {refusal.reason}"
            )
            for other in groups.get(place, ()):
                self.failed.setdefault(other, together)


def _texts_of(data: object) -> dict[str, object]:
    found = data.get("data") if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _template_names(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("resourceClaimTemplateName", "resourceClaimName") and isinstance(value, str):
                yield value
            else:
                yield from _template_names(value)
    elif isinstance(data, list):
        for value in data:
            yield from _template_names(value)


def _unbuilt(folder: str, reason: str) -> Refusal:
    return Refusal(f"{_shown(folder)} cannot be built here, so nothing is proven of it: {reason}")


def _shown(path: str) -> str:
    return os.path.relpath(path).replace(os.sep, "/")
