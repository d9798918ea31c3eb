"""What a build gives, and the objects on their way through it."""

from __future__ import annotations

from dradsl.records import Record, dataclass, field
from dradsl.tree.kustomize.parts.files import Files, KustomizeError, TextFile
from dradsl.tree.kustomize.parts.specs import EMPTY, TransformerConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from dradsl.tree.kustomize.parts.resources import GroupVersionKind, Resource
    from dradsl.tree.nodes import SourcePlace, ValueNode

    class Host(Protocol):
        """What the steps of a kustomization ask of the builder."""

        files: Files

        def path_of(self, text: str, folder: str, at: SourcePlace | None) -> str: ...
        def load(self, text: str, folder: str, at: SourcePlace | None) -> TextFile: ...


__all__ = ["BuildState", "BuiltObject", "Overlay", "UnsupportedConstruct"]


class UnsupportedConstruct(Record):
    """A construct that is not built here, at its place.

    With `changes` it may change the objects of its kustomization, else it adds some that are not seen.
    """

    construct: str
    message: str
    at: SourcePlace | None
    changes: bool = False


class BuiltObject(Record):
    """An object that an overlay makes. `incomplete` says that what cannot be built may change it."""

    node: ValueNode
    original_name: str
    original_namespace: str
    incomplete: bool = False

    @property
    def data(self) -> object:
        """The object as plain data. Do not change it."""
        return self.node.plain()


class Overlay(Record):
    """What building a folder gives: objects in the order of Kustomize, or what it rejects."""

    folder: str
    objects: tuple[BuiltObject, ...] = ()
    unknowns: tuple[UnsupportedConstruct, ...] = ()
    rejected: KustomizeError | None = None
    files: frozenset[str] = frozenset()


@dataclass(slots=True)
class BuildState:
    """Objects on their way, with what decides on the last steps."""

    resources: list[Resource] = field(default_factory=list)
    config: TransformerConfig = EMPTY
    unknowns: list[UnsupportedConstruct] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    hidden: bool = False  # objects that are not seen
    index: set[tuple[GroupVersionKind, str, str]] | None = (
        None  # what is there, until a step changes names
    )

    def copy(self) -> BuildState:
        return BuildState(
            [each.copy() for each in self.resources],
            self.config,
            list(self.unknowns),
            set(self.files),
            self.hidden,
        )

    def append(self, resource: Resource, at: SourcePlace | None) -> None:
        if self.index is None:
            self.index = {_key(each) for each in self.resources}
        key = _key(resource)
        if key in self.index:
            raise KustomizeError(
                f"may not add resource with an already registered id: {key[0].kind} {key[1]}", at
            )
        self.index.add(key)
        self.resources.append(resource)


def _key(resource: Resource) -> tuple[GroupVersionKind, str, str]:
    now = resource.id
    return now.kind, now.name, now.effective_namespace
