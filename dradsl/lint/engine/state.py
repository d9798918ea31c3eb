"""The objects of a run as they were read: what the checks of every release look at."""

from __future__ import annotations

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.lint.input.embedded import Embedded
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText
    from dradsl.lint.input.unknown import Unknowns
    from dradsl.repository.rendering.renderer import Renderer

__all__ = ["RunObjects"]


@dataclass(frozen=True, slots=True)
class RunObjects:
    """The objects of a run, read once for all releases.

    `by_source` and `embedded` (documents within ConfigMaps) are by the name of the file. `unknowns`
    are the values that are not known. `given` are kinds and names of what templates of charts make.
    `renderer` runs the programs that the caller names.
    """

    manifests: Sequence[Manifest]
    context: tuple[Manifest, ...]
    previous: tuple[Manifest, ...] | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    by_source: Mapping[str, Sequence[Manifest]] = field(default_factory=dict)
    sources: tuple[SourceText, ...] = ()
    embedded: Mapping[str, tuple[Embedded, ...]] = field(default_factory=dict)
    unknowns: Unknowns | None = None
    given: frozenset[tuple[str, str]] = frozenset()
    renderer: Renderer | None = None

    @property
    def is_long(self) -> bool:
        """Whether the objects are those of a long stream, made when somebody asks for them."""
        return self.manifests.__class__ is not tuple

    def may_say(self, text: str) -> bool:
        """Whether a text may stand in the objects; False where it is known that it does not."""
        may = getattr(self.manifests, "may_say", None)
        return may is None or bool(may(text))
