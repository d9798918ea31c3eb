"""The lock files of .ci: names, versions and hashes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Row", "rows"]

ROOT = Path(__file__).resolve().parents[2]
_ROW = re.compile(
    r"^([a-z0-9-]+)==(\S+)((?: ; [^\\]*)?) \\$((?:\n    --hash=\S+(?: \\)?)+)", re.MULTILINE
)


@dataclass(frozen=True)
class Row:
    """A package of a lock; `marker` says for which systems and Pythons, if not for all."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def rows(name: str) -> list[Row]:
    """The packages of a lock file."""
    text = (ROOT / ".ci" / name).read_text(encoding="utf-8")
    found = [
        Row(
            each[1],
            each[2],
            each[3].removeprefix(" ; ").strip(),
            tuple(re.findall(r"sha256:([0-9a-f]{64})", each[4])),
        )
        for each in _ROW.finditer(text)
    ]
    if len(found) != len(re.findall(r"^[a-z0-9-]+==", text, re.MULTILINE)):
        raise ValueError(f"{name}: not every row could be read")
    return found
