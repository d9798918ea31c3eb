"""A rollout as files: a folder for each stage with its patch and a README, and an overview."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from dradsl.migrate.rollout.plan import Need, Rollout, RolloutStage

__all__ = ["expect_free", "overview", "plan_files", "write_rollout"]

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
