"""docs/limits.md has a row for each number of the table of limits, and each with its number."""

from __future__ import annotations

import re
from pathlib import Path

from dradsl.values import limits

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^# (\|.*\|)\n([A-Z_]+) = ", re.MULTILINE)


def rows() -> dict[str, str]:
    """The rows of the page, by the names of the limits."""
    text = Path(limits.__file__).read_text()
    return {
        name: row.replace("{}", shown(getattr(limits, name))) for row, name in ROW.findall(text)
    }


def shown(number: int) -> str:
    return f"{number >> 20} MiB" if number % (1 << 20) == 0 else f"{number:,}"


def test_every_limit_has_a_row() -> None:
    assert sorted(rows()) == sorted(limits.__all__)


def test_the_page_has_the_rows_in_their_order() -> None:
    page = (ROOT / "docs/limits.md").read_text()
    assert "\n".join(rows().values()) + "\n" in page
