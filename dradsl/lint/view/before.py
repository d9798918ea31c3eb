"""The objects as they were before a change, paired with those of the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from dradsl.tree.manifests.manifest import Manifest

__all__ = ["PreviousObjects"]


class PreviousObjects:
    """The earlier objects, each under the file that it stood in.

    An object is paired with the one of its kind and name in the same file. If there is none, it was moved:
    then with the one that is gone from its own file, if only one is.
    """

    def __init__(self, before: Iterable[Manifest], now: Iterable[Manifest]) -> None:
        self._by_file: defaultdict[tuple[str, str, str], list[Manifest]] = defaultdict(list)
        self._gone: defaultdict[tuple[str, str], list[Manifest]] = defaultdict(list)
        self._new: defaultdict[tuple[str, str], list[Manifest]] = defaultdict(list)
        for old in before:
            if old.name is not None:
                self._by_file[_file(old), old.kind, old.name].append(old)
        present: set[tuple[str, str, str]] = set()
        for manifest in now:
            if manifest.name is None:
                continue
            keys = [(file, manifest.kind, manifest.name) for file in _files(manifest)]
            present.update(keys)
            if not any(key in self._by_file for key in keys):
                self._new[manifest.kind, manifest.name].append(manifest)
        for key, olds in self._by_file.items():
            if key not in present:
                self._gone[key[1:]] += olds

    def find(self, manifest: Manifest) -> Manifest | None:
        """The object as it was; None if it is new, or if it is not known which one it was."""
        if manifest.name is None:
            return None
        for file in _files(manifest):
            found = self._by_file.get((file, manifest.kind, manifest.name))
            if found:
                return _of_its_namespace(found, manifest)
        moved = self._moved(manifest, manifest.name)
        # What the variables of a file that is gone came to is not known.
        unsure = moved is None or moved.build_context.holes or moved.build_context.altered
        return None if unsure else moved

    def _moved(self, manifest: Manifest, name: str) -> Manifest | None:
        key = (manifest.kind, name)
        gone, new = self._gone.get(key, ()), self._new.get(key, ())
        if len(gone) == len(new) == 1:
            return _of_its_namespace(gone, manifest)
        # Several moved: those that stayed in their folder tell themselves apart.
        folder = _folder(manifest.path)
        near = [each for each in gone if _folder(_file(each)) == folder]
        if len(near) == sum(_folder(each.path) == folder for each in new) == 1:
            return _of_its_namespace(near, manifest)
        if manifest.namespace is None:
            return None
        same = [each for each in gone if each.namespace == manifest.namespace]
        if len(same) == sum(each.namespace == manifest.namespace for each in new) == 1:
            return same[0]
        return None


def _of_its_namespace(found: Sequence[Manifest], manifest: Manifest) -> Manifest | None:
    """The one of the same namespace; an unknown one matches every one."""
    exact = [each for each in found if each.namespace == manifest.namespace]
    if exact:
        return exact[0]
    if len(found) > 1 or (manifest.namespace is not None and found[0].namespace is not None):
        return None
    return found[0]


def _files(manifest: Manifest) -> tuple[str, ...]:
    """The names under which the earlier state may have an object's file."""
    source = manifest.source
    if source.top is None:
        return (source.name,)
    top = source.top.removeprefix("./").rstrip("/")
    below = source.name.removeprefix(f"{top}/") if top not in ("", ".") else source.name
    return (source.name, below)


def _file(old: Manifest) -> str:
    return old.source.name if old.source.was is None else old.source.was


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
