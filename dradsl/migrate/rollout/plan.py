"""A rollout as a value: numbered stages, what each changes, how it is checked, and who waits for a device meanwhile; and as
files: a folder for each stage with its patch and a README, and an overview.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dradsl.records import Record, field, replace
from dradsl.text.diff import unified_diff
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

__all__ = [
    "FileChange",
    "Need",
    "Rollout",
    "RolloutStage",
    "expect_free",
    "overview",
    "write_rollout",
]


class Need(Record):
    """A check or a step; `command` does it."""

    text: str
    command: str = ""


class FileChange(Record):
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


class RolloutStage(Record):
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


class Rollout(Record):
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


_PATCH = "changes.patch"
_IN_ORDER = ("Do", "Back")


def expect_free(folder: Path) -> None:
    """Reject a folder that holds something.

    Raises:
        UsageProblem: if it does.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageProblem(f"{folder} is not an empty folder; --plan needs one of its own")


def write_rollout(rollout: Rollout, folder: Path) -> Iterator[str]:
    """Write the files of a rollout; gives their names.

    Raises:
        FileError: if one cannot be written.
    """
    tree = Tree.around(folder)
    for name, text in plan_files(rollout).items():
        path = folder / name
        tree.make_folder(path.parent)
        write_bytes(path, text.encode("utf-8", "surrogateescape"), expected=b"", tree=tree)
        yield str(path)


def plan_files(rollout: Rollout) -> Mapping[str, str]:
    """The files of a rollout by their names in the plan's folder."""
    files = {"README.md": f"# Rollout\n\n{overview(rollout)}"}
    for stage in rollout.stages:
        files[f"{stage.folder}/README.md"] = _readme(stage)
        files |= {f"{stage.folder}/{_PATCH}": stage.patch} if stage.changes else {}
        files |= {f"{stage.folder}/{name}": text for name, text in stage.files.items()}
    return files


def overview(rollout: Rollout) -> str:
    """The rollout on a page: its stages, what is open, what decided."""
    unproven = rollout.told("unproven")
    left = "; not all of it is proven" if unproven else ""
    left = left if rollout.complete else "; it does not lead to the end yet"
    number = len(rollout.stages)
    lines = [f"{number} stages from device plugins to DRA, on {rollout.platform}{left}.", ""]
    lines += ["| Stage | What | Files | Without a device |", "| --- | --- | --- | --- |"]
    for stage in rollout.stages:
        link, waiting = f"[{stage.folder}]({stage.folder}/README.md)", "; ".join(stage.waiting)
        lines.append(f"| {link} | {stage.title} | {len(stage.changes)} | {waiting} |")
    sections = {
        "Rejected": rollout.rejected,
        "No plan": rollout.unplanned,
        "The plugin stays on for these (answer the questions, then plan again)": rollout.asking,
        "Work by hand": rollout.told("by_hand"),
        "Not proven": unproven,
        "Stays with its device plugin: no DRA driver is known": rollout.stays,
        "What decided": rollout.evidence,
        "Sources of steps and values": rollout.sources,
    }
    return _page([*lines, ""], sections)


def _readme(stage: RolloutStage) -> str:
    lines = [f"# {stage.number}. {stage.title}", ""]
    if stage.changes:
        patch = f"{stage.folder}/{_PATCH}"
        lines += [f"One pull request: `git apply {patch}`, after the stages before.", ""]
    sections: dict[str, Sequence[str | Need]] = {
        "Files": [f"{each.kind}: `{each.path}`" for each in stage.changes],
        "By hand": stage.by_hand,
        "Check before": stage.before,
        "Do": stage.steps,
        "Check after": stage.after,
        "Without a device, and how long": stage.waiting,
        "Back": stage.back,
        "Notes": stage.notes,
        "Proven": stage.proven,
        "Not proven": stage.unproven,
    }
    return _page(lines, sections)


def _page(lines: list[str], sections: Mapping[str, Sequence[str | Need]]) -> str:
    """A page with a list for each section that has something. What follows the first line of a text, and a command, is
    code below it."""
    for title, items in sections.items():
        lines += [f"## {title}", ""] if items else []
        mark = "1." if title in _IN_ORDER else "-"
        for item in items:
            text, _, code = (
                item if isinstance(item, str) else f"{item.text}\n{item.command}"
            ).partition("\n")
            block = textwrap.indent(f"```\n{code.rstrip()}\n```", " " * (len(mark) + 1))
            lines += [f"{mark} {text}", *(["", *block.splitlines(), ""] if code else [])]
        lines += [""] if items else []
    return "\n".join(lines).rstrip("\n") + "\n"
