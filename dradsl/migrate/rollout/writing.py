"""A rollout as files: a folder for each stage with its patch and a README, and an overview."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dradsl.migrate.rollout.plan import Need, Rollout, RolloutStage

__all__ = ["expect_free", "overview", "plan_files", "write_rollout"]

_PATCH = "changes.patch"


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
        files[f"{stage.folder}/README.md"] = _page(stage)
        files |= {f"{stage.folder}/{_PATCH}": stage.patch} if stage.changes else {}
        files |= {f"{stage.folder}/{name}": text for name, text in stage.files.items()}
    return files


def overview(rollout: Rollout) -> str:
    """The rollout on a page: its stages, what is open, what decided."""
    unproven = rollout.told("unproven")
    left = "" if rollout.complete else "; it does not lead to the end yet"
    left = left or ("; not all of it is proven" if unproven else "")
    lines = [
        f"{len(rollout.stages)} stages from device plugins to DRA, on {rollout.platform}{left}.",
        "",
    ]
    lines += ["| Stage | What | Files | Without a device |", "| --- | --- | --- | --- |"]
    for stage in rollout.stages:
        link = f"[{stage.folder}]({stage.folder}/README.md)"
        lines.append(
            f"| {link} | {stage.title} | {len(stage.changes)} | {'; '.join(stage.waiting)} |"
        )
    lines.append("")
    lines += _section("Rejected", rollout.rejected)
    lines += _section("No plan", rollout.unplanned)
    lines += _section(
        "The plugin stays on for these (answer the questions, then plan again)", rollout.asking
    )
    lines += _section("Work by hand", rollout.told("by_hand"))
    lines += _section("Not proven", unproven)
    lines += _section("Stays with its device plugin: no DRA driver is known", rollout.stays)
    lines += _section("What decided", rollout.evidence)
    lines += _section("Sources of steps and values", rollout.sources)
    return "\n".join(lines).rstrip("\n") + "\n"


def _page(stage: RolloutStage) -> str:
    lines = [f"# {stage.number}. {stage.title}", ""]
    if stage.changes:
        lines += [
            f"One pull request: `git apply {stage.folder}/{_PATCH}`, after the stages before.",
            "",
        ]
    kinds = (
        (c, "new" if c.before is None else "removed" if c.after is None else "changed")
        for c in stage.changes
    )
    lines += _section("Files", [f"{kind}: `{change.path}`" for change, kind in kinds])
    lines += _section("By hand", stage.by_hand)
    lines += _needs("Check before", stage.before, "-")
    lines += _needs("Do", stage.steps, "1.")
    lines += _needs("Check after", stage.after, "-")
    lines += _section("Without a device, and how long", stage.waiting)
    lines += _needs("Back", stage.back, "1.")
    lines += _section("Notes", stage.notes)
    lines += _section("Proven", stage.proven)
    lines += _section("Not proven", stage.unproven)
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(title: str, texts: Iterable[str]) -> Sequence[str]:
    known = [line for text in texts for line in _item("-", *text.split("\n", 1))]
    return [f"## {title}", "", *known, ""] if known else []


def _needs(title: str, needs: Iterable[Need], mark: str) -> Sequence[str]:
    known = [line for need in needs for line in _item(mark, need.text, need.command)]
    return [f"## {title}", "", *known, ""] if known else []


def _item(mark: str, text: str, code: str = "") -> Sequence[str]:
    """An item of a list, with a command or other code below it."""
    if not code:
        return [f"{mark} {text}"]
    block = textwrap.indent(f"```\n{code.rstrip()}\n```", " " * (len(mark) + 1))
    return [f"{mark} {text}", "", *block.splitlines(), ""]
