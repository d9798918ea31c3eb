"""What a lint run works on."""

from __future__ import annotations

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.diagnostics import Finding
    from dradsl.tree.applied.surroundings import Surroundings
    from dradsl.tree.inputs.sources import NotLinted, SourceText
    from dradsl.tree.rendering.renderer import Renderer

__all__ = ["RunInput"]


@dataclass(frozen=True, slots=True)
class RunInput:
    """What a run works on: the files to report on, those only looked into, and the state before.

    `previous` turns on the rules on updates; it holds the files as they were. `inventory` are
    recorded objects (slices above all), plain data. `failures` are findings made while reading (a
    file that could not be read). `skipped` are files that were found and are no manifests, and
    links out of the tree, which were not followed, `left_out` what was not even opened, as far
    as that was asked for. `unread` files are left out because the time of the run was over. `notes`
    are for the reader of the report. `surroundings` are the files around: without them nothing is
    known of what builds the files. `given` are values of variables that the call names;
    `renderer` runs the programs that it names.
    """

    sources: tuple[SourceText, ...]
    context: tuple[SourceText, ...] = ()
    previous: tuple[SourceText, ...] | None = None
    inventory: tuple[Mapping[str, object], ...] = ()
    failures: tuple[Finding, ...] = ()
    unread: int = 0
    skipped: tuple[NotLinted, ...] = ()
    left_out: tuple[NotLinted, ...] = ()
    notes: tuple[str, ...] = ()
    surroundings: Surroundings | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    renderer: Renderer | None = None
