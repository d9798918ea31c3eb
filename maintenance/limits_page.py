"""The table of limits in docs/limits.md, made from dradsl/values/limits.py: `python -m maintenance.limits_page`."""

from __future__ import annotations

import re
from pathlib import Path

from dradsl.values import limits

__all__ = ["PAGE", "page", "rows"]

PAGE = Path(__file__).parents[1] / "docs" / "limits.md"
_ROW = re.compile(r"^# (\|.*\|)\n([A-Z_]+) = ", re.MULTILINE)
_TABLE = re.compile(r"(?<=<!-- dradsl/values/limits\.py -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)
_HEAD = ("| What | Limit | Beyond it |", "| --- | --- | --- |")


def rows() -> dict[str, str]:
    """The rows of the table, by the names of the limits."""
    text = Path(limits.__file__).read_text("utf-8")
    return {
        name: row.replace("{}", _shown(getattr(limits, name))) for row, name in _ROW.findall(text)
    }


def page(text: str) -> str:
    """The page with the table as it is now."""
    table = "\n".join((*_HEAD, *rows().values()))
    return _TABLE.sub(lambda _: f"{table}\n", text)


def _shown(number: float) -> str:
    if number >= 1 << 20 and number % (1 << 20) == 0:
        return f"{int(number) >> 20:,} MiB"
    return f"{int(number):,}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
