"""The objects of a run and its files, as far as builds and releases look at them."""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

    class ObjectsOfRun(Protocol):
        """The objects of a run, those of its context, and its files."""

        @property
        def manifests(self) -> Sequence[Manifest]: ...
        @property
        def context(self) -> Sequence[Manifest]: ...
        @property
        def sources(self) -> Sequence[SourceText]: ...


__all__ = ["GivenObjects"]


@dataclass(frozen=True, slots=True)
class GivenObjects:
    """The objects of some files, without any of a context."""

    manifests: Sequence[Manifest]
    sources: Sequence[SourceText] = ()
    context: Sequence[Manifest] = ()
