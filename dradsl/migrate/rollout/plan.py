"""A rollout as a value: numbered stages, what each changes, how it is checked, and who waits for a device meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.records import dataclass, field, replace
from dradsl.text.diff import unified_diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["FileChange", "Need", "Rollout", "RolloutStage"]


@dataclass(frozen=True, slots=True)
class Need:
    """A check or a step; `command` does it."""

    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after a stage, by its path from the top of the tree; None where it does not exist."""

    path: str
    before: str | None = field(repr=False)
    after: str | None = field(repr=False)

    @property
    def kind(self) -> str:
        return "new" if self.before is None else "removed" if self.after is None else "changed"

    def patch(self) -> str:
        """The change as `git apply` takes it."""
        new, gone = self.before is None, self.after is None
        head = f"diff --git a/{self.path} b/{self.path}\n"
        head += "new file mode 100644\n" if new else "deleted file mode 100644\n" if gone else ""
        old_name, new_name = f"a/{self.path}", f"b/{self.path}"
        names = ("/dev/null" if new else old_name, "/dev/null" if gone else new_name)
        return head + "".join(unified_diff(self.before or "", self.after or "", *names))


@dataclass(frozen=True, slots=True)
class RolloutStage:
    """One pull request and the work around it.

    `before` and `after` are checks, `steps` is what people do. `waiting` says which pods have no device, and for how
    long; `back` undoes the stage. `files` are more files for its folder. `by_hand` are changes that dradsl could not
    make, `proven` and `unproven` what is known of the result; `lost` are pods that would lose their device.
    """

    number: int
    name: str
    title: str
    changes: tuple[FileChange, ...] = ()
    before: tuple[Need, ...] = ()
    steps: tuple[Need, ...] = ()
    after: tuple[Need, ...] = ()
    waiting: tuple[str, ...] = ()
    back: tuple[Need, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    by_hand: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def more(self, **fields: Iterable[str]) -> RolloutStage:
        """The stage with more said under some names."""
        made: dict[str, Any] = {n: (*getattr(self, n), *each) for n, each in fields.items()}
        return replace(self, **made)

    @property
    def folder(self) -> str:
        return f"{self.number:02}-{self.name}"

    @property
    def patch(self) -> str:
        """All changes as one patch for the tree after the stage before; "" if no file changes."""
        return "".join(change.patch() for change in self.changes)


@dataclass(frozen=True, slots=True)
class Rollout:
    """The stages from device plugins to DRA drivers, up to the first that is `rejected`: it would leave these pods
    without a device. While something is `asking` for a plugin, that stays on. `stays` has no DRA driver."""

    platform: str
    stages: tuple[RolloutStage, ...] = ()
    rejected: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    unplanned: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def told(self, what: str) -> tuple[str, ...]:
        """What the stages say under a name (by_hand, unproven), each with its folder."""
        return tuple(f"{s.folder}: {each}" for s in self.stages for each in getattr(s, what))

    @property
    def complete(self) -> bool:
        """Whether the stages lead to the end, with nothing left to find out."""
        left = self.rejected or self.asking or self.unplanned or self.told("by_hand")
        return bool(self.stages) and not left
