"""Whether an ignore hides something is not known where a document could not be judged."""

from __future__ import annotations

import pytest

from dradsl.lint import lint_text

IGNORE = "# dradsl: ignore[DRA301]\n"


def codes(text: str | bytes) -> list[str]:
    return [finding.code for finding in lint_text(text, "a.yaml").findings]


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (b"a: caf\xe9\n", "DRA003"),
        (b"a: [1\n", "DRA001"),
        (b"a: &x [*x]\n", "DRA004"),
        (b"a: {{ .x }}\n{{ if }}\n", None),
    ],
)
def test_a_broken_document(broken: bytes, code: str | None) -> None:
    expected = [] if code is None else [code]
    ignore = IGNORE.encode()
    assert codes(b"a: 1\n---\n" + ignore + broken) == expected
    assert codes(b"# dradsl: ignore-file[DRA301]\na: 1\n---\n" + broken) == expected
    # The ignore of a document that was judged is judged as well.
    assert codes(ignore + b"a: 1\n---\n" + broken) == ["DRA010", *expected]


def test_unknown_rules_and_empty_ignores_are_told_all_the_same() -> None:
    assert codes("# dradsl: ignore[DRA999]\na: [1\n") == ["DRA010", "DRA001"]
    assert codes("# dradsl: ignore\na: [1\n") == ["DRA010", "DRA001"]
