"""Look-up of the run's objects by kind, namespace and name, `--context` included, the nearest first."""

from __future__ import annotations

from collections import defaultdict

from dradsl.records import cached, dataclass, once
from dradsl.values.limits import MOST_EQUALLY_NEAR, MOST_UNKNOWN_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
    from typing import TypeVar

    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.tree.variables import Parts

    K = TypeVar("K")

__all__ = ["ObjectIndex", "are_together", "is_elsewhere", "may_share_namespace"]

_CLUSTER_SCOPED = frozenset(
    {
        "DeviceClass",
        "ResourceSlice",
        "DeviceTaintRule",
        "ResourcePoolStatusRequest",
        "Namespace",
        "Node",
    }
)


def _is_literal(parts: Parts) -> bool:
    return len(parts) == 1 and isinstance(parts[0], str)


def _literal_names(manifest: Manifest, name: str) -> Sequence[str]:
    """The names of which nothing is unknown."""
    names = manifest.build_context.names
    return [str(parts[0]) for parts in names if _is_literal(parts)] if names else (name,)


def _namespaces_of(manifest: Manifest) -> Sequence[str | None]:
    """The namespaces that an object may go to; None for one that is not known."""
    return manifest.namespaces or (None,)


def _as_tuples(found: Mapping[K, list[Manifest]]) -> dict[K, tuple[Manifest, ...]]:
    return {key: tuple(manifests) for key, manifests in found.items()}


def _by_namespaces(
    manifests: Sequence[Manifest],
) -> Mapping[str | None, tuple[Manifest, ...]]:
    found: defaultdict[str | None, list[Manifest]] = defaultdict(list)
    for manifest in manifests:
        for each in _namespaces_of(manifest):
            found[each].append(manifest)
    return _as_tuples(found)


def may_share_namespace(one: Manifest, other: Manifest) -> bool:
    """Whether two objects may be in one namespace: an unknown one may be any."""
    return (
        not one.namespaces
        or not other.namespaces
        or not set(one.namespaces).isdisjoint(other.namespaces)
    )


class _Near:
    """Objects of one kind and name by their place: file, builds, folder, and the folders above."""

    __slots__ = ("above", "builds", "every", "files", "folders")

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self.every: list[Manifest] = []
        self.files: defaultdict[str, list[Manifest]] = defaultdict(list)
        self.builds: defaultdict[int, list[Manifest]] = defaultdict(list)
        self.folders: defaultdict[str, list[Manifest]] = defaultdict(list)
        self.above: defaultdict[str, list[Manifest]] = defaultdict(list)
        for manifest in manifests:
            own, *above = _folders(manifest.path)
            _put(self.every, manifest)
            _put(self.files[manifest.path], manifest)
            _put(self.folders[own], manifest)
            for build in manifest.builds:
                _put(self.builds[build], manifest)
            for folder in (own, *above):
                _put(self.above[folder], manifest)


def _tiers(
    places: Sequence[_Near], near: Manifest, folders: Sequence[str]
) -> Iterator[list[Sequence[Manifest]]]:
    """The objects in what is nearest to `near`, in what is next, and so on to all of them."""
    yield [place.files.get(near.path, ()) for place in places]
    yield [place.builds.get(build, ()) for place in places for build in near.builds]
    yield [place.folders.get(folders[0], ()) for place in places]
    for folder in folders:
        yield [place.above.get(folder, ()) for place in places]
    yield [place.every for place in places]


def _put(found: list[Manifest], manifest: Manifest) -> None:
    if len(found) <= MOST_EQUALLY_NEAR:
        found.append(manifest)


def _folders(path: str) -> list[str]:
    """The folders that hold a file, the innermost first."""
    found = []
    while path:
        path = path.rpartition("/")[0]
        found.append(path)
    return found or [""]


@dataclass(frozen=True, slots=True)
class ObjectIndex:
    """All objects of a run. An object of an unknown namespace may land in any: it matches every one.

    Patches are no objects; that something is patched says that it is there. So do templates of charts
    (`given`, by kind and name).
    """

    _by_name: Mapping[str, Mapping[str, tuple[Manifest, ...]]]  # of each kind
    _by_kind: Mapping[str, tuple[Manifest, ...]]
    _partial: Mapping[str, tuple[tuple[Parts, Manifest], ...]]  # of names with unknown parts
    _patched: Mapping[tuple[str, str], tuple[Manifest, ...]]
    _given: AbstractSet[tuple[str, str]] = frozenset()

    @cached
    def _by_file(self) -> Mapping[str, list[Manifest]]:
        found: defaultdict[str, list[Manifest]] = defaultdict(list)
        for each in self.every():
            found[each.path].append(each)
        return found

    @cached
    def _names(self) -> dict[str, tuple[str, ...]]:
        """The names of a kind that were asked for so far."""
        return {}

    @cached
    def _by_namespace(self) -> dict[tuple[str, str], Mapping[str | None, tuple[Manifest, ...]]]:
        """The objects of a name that several have, by their namespaces, as far as they were asked for."""
        return {}

    @cached
    def _places(self) -> dict[tuple[str, str, str | None], _Near]:
        """The places of a name that were asked for so far."""
        return {}

    @cached
    def _chosen(self) -> dict[Callable[[Manifest], bool], tuple[Manifest, ...]]:
        """The objects of which something was asked so far."""
        return {}

    @classmethod
    def of(
        cls, manifests: Iterable[Manifest], given: AbstractSet[tuple[str, str]] = frozenset()
    ) -> ObjectIndex:
        by_name: defaultdict[str, defaultdict[str, list[Manifest]]]
        by_name = defaultdict(lambda: defaultdict(list))
        by_kind: defaultdict[str, list[Manifest]] = defaultdict(list)
        unknown: defaultdict[str, list[tuple[Parts, Manifest]]] = defaultdict(list)
        patched: defaultdict[tuple[str, str], list[Manifest]] = defaultdict(list)
        for manifest in manifests:
            kind, name = manifest.kind, manifest.name
            if manifest.is_patch:
                if name is not None:
                    patched[kind, name].append(manifest)
                continue
            by_kind[kind].append(manifest)
            if name is None:
                continue
            if not manifest.build_context.names:
                by_name[kind][name].append(manifest)
                continue
            for parts in manifest.build_context.names:
                if not _is_literal(parts):
                    unknown[kind].append((parts, manifest))
            for each in _literal_names(manifest, name):
                by_name[kind][each].append(manifest)
        return cls(
            {kind: _as_tuples(named) for kind, named in by_name.items()},
            {kind: tuple(found) for kind, found in by_kind.items()},
            {kind: tuple(found) for kind, found in unknown.items()},
            {key: tuple(found) for key, found in patched.items()},
            given,
        )

    def exchanged(self, others: Mapping[Manifest, Manifest]) -> ObjectIndex:
        """As if some objects were others of the same kinds, names and namespaces, at their places."""
        if not others:
            return self
        by_kind, unknown, patched = dict(self._by_kind), dict(self._partial), dict(self._patched)
        by_name: dict[str, dict[str, tuple[Manifest, ...]]] = {}

        def put(found: Sequence[Manifest]) -> tuple[Manifest, ...]:
            return tuple([others.get(each, each) for each in found])

        for kind in {each.kind for each in others}:
            by_name[kind] = dict(self._by_name.get(kind, ()))
            if kind in by_kind:
                by_kind[kind] = put(by_kind[kind])
            if kind in unknown:
                unknown[kind] = tuple([(p, others.get(m, m)) for p, m in unknown[kind]])
        for each in others:
            kind, name = each.kind, each.name
            if name is None:
                continue
            if each.is_patch:
                patched[kind, name] = put(patched[kind, name])
                continue
            for literal in _literal_names(each, name):
                by_name[kind][literal] = put(by_name[kind][literal])
        index = ObjectIndex({**self._by_name, **by_name}, by_kind, unknown, patched, self._given)
        index._names.update(self._names)
        index._chosen.update({asked: put(found) for asked, found in self._chosen.items()})
        return index

    def where(self, asked: Callable[[Manifest], bool]) -> Sequence[Manifest]:
        """Every object of which that is so, in file order of each kind.

        It must not depend on values in the object, which may be exchanged.
        """
        return once(
            self._chosen,
            asked,
            lambda asked: tuple([m for found in self._by_kind.values() for m in found if asked(m)]),
        )

    def every(self) -> Iterator[Manifest]:
        """All objects, and all patches of which the object's name is known."""
        for found in (*self._by_kind.values(), *self._patched.values()):
            yield from found

    def in_file(self, manifest: Manifest, kind: str = "") -> Sequence[Manifest]:
        """The objects in the file of one, all or those of a kind."""
        listed = self._by_file.get(manifest.path, ())
        return [each for each in listed if kind in ("", each.kind)]

    def kind(self, kind: str) -> Sequence[Manifest]:
        """Every object of a kind, in file order."""
        return self._by_kind.get(kind, ())

    def named(self, kind: str, name: str) -> Sequence[Manifest]:
        """Every object of that kind and name, whatever its namespace."""
        named = self._by_name.get(kind)
        return () if named is None else named.get(name, ())

    def holds(self, kind: str, name: str, near: Manifest) -> bool:
        """Whether there is an object that a reference of `near` may mean, or a patch of one."""
        return self.candidates(kind, name, near) != ()

    def candidates(self, kind: str, name: str, near: Manifest) -> tuple[Manifest, ...] | None:
        """The objects that a reference of `near` may mean; None if something else shows that there is one: a patch
        whose kustomization takes in what is not known, or the template of a chart."""
        key = (kind, name)
        origins = [each.build_context.origin for each in self._patched.get(key, ())]
        if key in self._given or any(each is None or not each.whole for each in origins):
            return None
        return (*self._nearest(kind, name, near), *self._matching(kind, name, near))

    def find(self, kind: str, name: str, near: Manifest | None = None) -> Manifest | None:
        """The nearest object that a reference of `near` may mean, if the run holds one."""
        found = self._nearest(kind, name, near) or self._matching(kind, name, near)
        return found[0] if found else None

    def meant(self, kind: str, name: str, near: Manifest) -> tuple[Manifest, ...]:
        """The objects of which a reference of `near` means one; none if that cannot be said.

        They are in the same file, else in what is built together, in the same folder, in the
        nearest one. What holds for the one that is meant holds for all of them.
        """
        found = (*self._nearest(kind, name, near), *self._matching(kind, name, near))
        if len(found) > MOST_EQUALLY_NEAR or (kind, name) in self._patched:
            return ()
        return () if any(_is_apart(near, each) for each in found) else found

    def patches(self, kind: str, name: str) -> tuple[Manifest, ...]:
        """The patches that are said to be of objects of that kind and name."""
        return self._patched.get((kind, name), ())

    def meant_or_patched(self, kind: str, name: str, near: Manifest) -> tuple[Manifest, ...]:
        """As `meant`, and the patches of what is meant: what none of them holds, no result does."""
        found = (*self._nearest(kind, name, near), *self._matching(kind, name, near))
        patches = self.patches(kind, name)
        if not found or len(found) + len(patches) > MOST_EQUALLY_NEAR:
            return ()
        if not patches and any(each.build_context.completed for each in found):
            return ()  # a patch that names no object
        return () if any(_is_apart(near, each) for each in found) else (*found, *patches)

    def names(self, kind: str) -> tuple[str, ...]:
        """The names in use for a kind, sorted and each once."""
        return once(self._names, kind, lambda kind: tuple(sorted(self._by_name.get(kind, ()))))

    def _nearest(self, kind: str, name: str, near: Manifest | None) -> Sequence[Manifest]:
        """The nearest objects of that very name."""
        named = self.named(kind, name)
        if near is None or not named:
            return named[:1]
        if len(named) == 1:  # however far it is
            own = _namespaces_of(named[0])
            near_by = self._namespaces(kind, near)
            return named if any(each == "" or each in own for each in near_by) else ()
        namespaces = [
            namespace
            for namespace in self._namespaces(kind, near)
            if self._in_namespace(kind, name, namespace)
        ]
        if not namespaces:
            return ()
        if len(namespaces) == 1 and len(only := self._in_namespace(kind, name, namespaces[0])) == 1:
            return only
        places = [self._place(kind, name, namespace) for namespace in namespaces]
        for tier in _tiers(places, near, _folders(near.path)):
            found = tuple({id(each): each for some in tier for each in some}.values())
            if found:
                return _in_its_namespace(found, near)
        return ()

    def _namespaces(self, kind: str, near: Manifest) -> tuple[str | None, ...]:
        if kind in _CLUSTER_SCOPED or not near.namespaces:
            return ("",)  # any
        return (*near.namespaces, None)

    def _in_namespace(self, kind: str, name: str, namespace: str | None) -> Sequence[Manifest]:
        if namespace == "":
            return self.named(kind, name)
        named = self.named(kind, name)
        if len(named) < 2:
            return named if named and namespace in _namespaces_of(named[0]) else ()
        by_namespace = once(self._by_namespace, (kind, name), lambda _: _by_namespaces(named))
        return by_namespace.get(namespace, ())

    def _place(self, kind: str, name: str, namespace: str | None) -> _Near:
        key = (kind, name, namespace)
        return once(self._places, key, lambda key: _Near(self._in_namespace(*key)))

    def _matching(self, kind: str, name: str, near: Manifest | None) -> Sequence[Manifest]:
        """The objects whose names have unknown parts and can be that."""
        rows = self._partial.get(kind, ())
        if not rows:
            return ()
        if len(rows) > MOST_UNKNOWN_NAMES:
            return (rows[0][1],)
        from dradsl.tree.variables import can_be

        return tuple(
            manifest
            for parts, manifest in rows
            if can_be(parts, name) and (near is None or may_share_namespace(manifest, near))
        )


def _in_its_namespace(found: tuple[Manifest, ...], near: Manifest) -> tuple[Manifest, ...]:
    """Of objects equally near those that are known to be in the namespace, if there are any."""
    if not near.namespaces or len(found) == 1:
        return found
    exact = tuple(each for each in found if not set(each.namespaces).isdisjoint(near.namespaces))
    return exact or found


def is_elsewhere(one: Manifest, other: Manifest) -> bool:
    """Whether two objects are in no common build: one may be of another environment."""
    return bool(one.builds and other.builds) and one.builds.isdisjoint(other.builds)


def _is_apart(one: Manifest, other: Manifest) -> bool:
    """Whether two objects are built apart, and nothing says that they meet in one namespace."""
    return is_elsewhere(one, other) and not (one.namespaces and other.namespaces)


def are_together(one: Manifest, other: Manifest) -> bool:
    """Whether two objects are in one file, or are built together; values of charts also in one folder.

    Objects that merely lie in one repository may be examples of their own, or of two clusters.
    """
    if one.path == other.path:
        return True
    if is_elsewhere(one, other):
        return False
    if one.builds and other.builds:
        return True
    values = not one.api_version and not other.api_version
    return values and one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
