"""What a rule finds: something wrong at a field of an object. It becomes a `Finding` once its place in the file is known."""

from __future__ import annotations

from dradsl.lint.catalogue.rules import RULES
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.diagnostics import FieldPath, Fix, Severity
    from dradsl.lint.custom.model import CustomRule
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["RuleFinding", "RelatedField", "once_a_file", "patches_may_fix"]


@dataclass(frozen=True, slots=True)
class RelatedField:
    """Another field that explains a finding; it may be in another file."""

    message: str
    manifest: Manifest
    path: FieldPath
    on_key: bool = False


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A mistake at `path` (as written) of an object.

    `on_key` points at the field's key instead of its value; `text` is a range of code points
    inside the field's string; `severity` overrides the rule's own.
    """

    code: str
    manifest: Manifest
    path: FieldPath
    message: str
    help: str | None = None
    why: str | None = None
    upstream: str | None = None
    on_key: bool = False
    text: tuple[int, int] | None = None
    severity: Severity | None = None
    fix: Fix | None = None
    related: tuple[RelatedField, ...] = ()
    folded: tuple[RuleFinding, ...] = ()  # what follows from it
    own: CustomRule | None = None  # the rule, if it is one of a team


def once_a_file(first: RuleFinding, others: Sequence[RuleFinding], joined: str = "") -> RuleFinding:
    """The first of the findings that a file has of one mistake, with the others folded below it."""
    if not others:
        return first
    message = f"{first.message} ({joined}{len(others)} more in this file)"
    return replace(first, message=message, folded=tuple(others))


def patches_may_fix(found: RuleFinding) -> bool:
    """Whether patches may fix what was found: it says that something is missing from their object."""
    return (
        found.manifest.build_context.completed and "patches" in RULES[found.code].traits.elsewhere
    )
