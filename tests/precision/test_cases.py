"""Files with their exact findings: nothing is said that is not so, and nothing is left out.

Each line names its findings at its end, `# error: DRA201` (in CEL `// warning: DRA209, DRA209`).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dradsl.lint.engine.run import lint_text

CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
EXPECTED = re.compile(r"(?:#|//) (error|warning|info): (DRA\d{3}(?:, DRA\d{3})*)")


def expected(text: str) -> list[tuple[int, str, str]]:
    return sorted(
        (number, code, severity)
        for number, line in enumerate(text.split("\n"), 1)
        for severity, codes in EXPECTED.findall(line)
        for code in codes.split(", ")
    )


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_findings_are_these_and_no_others(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = lint_text(text, path.name).findings
    seen = sorted((each.span.line, each.code, str(each.severity)) for each in found)
    shown = "\n".join(
        f"{each.span.line}: {each.severity} {each.code} {each.message}" for each in found
    )
    assert seen == expected(text), shown
