"""The files around a run, in the same trees: kustomizations that take its files in, and what builds those."""

from __future__ import annotations

import os

from dradsl.records import Record, once, replace
from dradsl.text import mentions
from dradsl.text.files import real_path, work_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.text.documents import Stream
    from dradsl.tree.applied.repository import Repository
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Surroundings", "look_around", "with_variables"]

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_BUILDERS = ("kustomize.toolkit.fluxcd.io/", "argoproj.io/")


class Surroundings(Record):
    """Files around those of a run, by their real paths, and the tops of the trees.

    The folders of the files `unseen` were not searched: no kustomization is beside or above them.
    """

    files: tuple[tuple[str, Stream], ...] = ()
    tops: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    def repository(self, sources: Sequence[SourceText]) -> Repository | None:
        """What builds the files of a run; None if nothing does, as far as can be seen."""
        if not self.files and not any(map(_builds, sources)):
            return None
        from dradsl.tree.applied.repository import Repository
        from dradsl.tree.kustomize.surrounding import SurroundingKustomizations

        files = ((source.name, source.stream) for source in sources)
        return Repository(
            files, self.files, self.tops, SurroundingKustomizations(roots=self.tops).read
        )

    def search_whole_trees(self) -> Surroundings:
        """Surroundings with the kustomizations anywhere in the trees of the files whose folders were not searched.

        A patch may lie far from its kustomization. To search a whole tree takes long for a run of one
        file, so it is done for those alone of which something is found.
        """
        if not self.unseen:
            return self
        from dradsl.tree.kustomize import surrounding

        found = surrounding.look_around(self.unseen, anywhere=True)
        files = [
            (os.path.join(folder, "kustomization.yaml"), stream)
            for folder, stream in found.kustomizations
        ]
        tops = dict.fromkeys((*self.tops, *found.roots))
        return Surroundings((*self.files, *files), tuple(tops))


def _builds(source: SourceText) -> bool:
    """Whether a file is a kustomization, or holds objects of Flux or Argo CD."""
    if source.name.replace(os.sep, "/").rpartition("/")[2] in _KUSTOMIZATIONS:
        return True
    return any(map(source.stream.text.__contains__, _BUILDERS))


def look_around(sources: Sequence[SourceText]) -> Surroundings:
    """The kustomizations around the files that have claims; with variables, what Flux builds too."""
    wanted = [
        source
        for source in sources
        # A file that mentions none has nothing that the files around can change.
        if mentions.CLAIM_TEMPLATES.is_in(source.stream.text) and os.path.lexists(source.name)
    ]
    if not wanted:
        return Surroundings()
    marked = any("${" in source.stream.text for source in wanted)
    built = any(map(_builds, sources))
    folders = {os.path.dirname(os.path.abspath(source.name)) for source in wanted}
    if not marked and not built and not any(map(_has_kustomization_above, folders)):
        return Surroundings(unseen=tuple(_in_work_trees(wanted)))
    from dradsl.tree.kustomize import surrounding

    tops = tuple(dict.fromkeys(surrounding.top_of(os.path.realpath(folder)) for folder in folders))
    read = {source.top for source in sources}
    covered = {os.path.realpath(top) for top in read if top is not None}
    uncovered_tops = tuple(top for top in tops if top not in covered)
    if not uncovered_tops:
        return Surroundings((), tops)
    real: dict[str, str] = {}
    known = {real_path(source.name, real) for source in sources}
    names = [source.name for source in wanted]
    found = [
        (os.path.join(folder, "kustomization.yaml"), stream)
        for folder, stream in surrounding.look_around(names, known=known).kustomizations
    ]
    if marked:
        found += surrounding.builders_around(uncovered_tops, known)
    return Surroundings(tuple(found), tops)


def _in_work_trees(sources: Iterable[SourceText]) -> Iterator[str]:
    """The files in git work trees that the run does not read as a whole."""
    tops: dict[str, str | None] = {}
    for source in sources:
        folder = os.path.dirname(os.path.abspath(source.name))
        top = once(tops, folder, work_tree)
        if top is not None and (source.top is None or os.path.abspath(source.top) != top):
            yield source.name


def _has_kustomization_above(folder: str) -> bool:
    """Whether a folder or one above it, within its tree, has a kustomization."""
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in _KUSTOMIZATIONS):
            return True
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return False
        folder = above


def with_variables(sources: Iterable[SourceText]) -> tuple[SourceText, ...]:
    """The files, those read again that can only be read if `${...}` is taken for a plain text."""
    return tuple(
        replace(source, stream=replace(source.stream, variables=True).reread(source.stream.text))
        if "${" in source.stream.text and any(d.data is None for d in source.stream.documents)
        else source
        for source in sources
    )
