"""The claims of docs/security.md with their tests, and how the protection of each is taken away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["ROOT", "Break", "Edit", "breaks", "claims"]

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (?P<claim>[^|]+) \| `(?P<test>tests/[^`]+::[^`]+)` \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """`file` with `new` in place of `old`."""

    file: str
    old: str
    new: str

    def apply(self, root: Path) -> None:
        """Edit the file below `root`.

        Raises:
            ValueError: if the file does not have `old` exactly once.
        """
        path = root / self.file
        path.write_text(self.broken(path.read_text(encoding="utf-8")), encoding="utf-8")

    def broken(self, text: str) -> str:
        """The text without the protection.

        Raises:
            ValueError: if it does not have `old` exactly once.
            SyntaxError: if the file is no Python afterwards.
        """
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has this {text.count(self.old)} times: {self.old!r}")
        broken = text.replace(self.old, self.new)
        if self.file.endswith(".py"):
            compile(broken, self.file, "exec")
        return broken


@dataclass(frozen=True, slots=True)
class Break:
    """A protection of a claim, taken away by edits. The test skips without the programs that it `needs`."""

    claim: str
    edits: tuple[Edit, ...]
    needs: tuple[str, ...]


def claims() -> dict[str, str]:
    """Each claim of the page -> its test."""
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    return {row["claim"]: row["test"] for row in _ROW.finditer(page)}


def breaks() -> tuple[Break, ...]:
    """The table, in the order of the page."""
    rows = yaml.safe_load((Path(__file__).parent / "breaks.yaml").read_text(encoding="utf-8"))
    return tuple(
        Break(
            row["claim"],
            tuple(Edit(one["file"], one["old"], one["new"]) for one in (row, *row.get("also", ()))),
            tuple(row.get("needs", ())),
        )
        for row in rows
    )
