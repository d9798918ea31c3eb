"""Ignore comments in a builder's Python: `# dradsl: ignore[DRA412]`, on the line or above it."""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

from dradsl.diagnostics import Span
from dradsl.text.ignores import Ignore

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_python_ignores"]

_DIRECTIVE = re.compile(
    r"#\s*dradsl:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]*)\])?(?P<why>.*)"
)
_CODE = re.compile(r"[A-Za-z0-9_-]+")


def find_python_ignores(source: str) -> tuple[Ignore, ...]:
    """The ignore comments of a Python file, in order."""
    return tuple(_ignores(source)) if "dradsl:" in source else ()


def _ignores(source: str) -> Iterator[Ignore]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return  # it ran, so this is no Python file after all
    for index, token in enumerate(tokens):
        match = _DIRECTIVE.match(token.string) if token.type == tokenize.COMMENT else None
        if match is None:
            continue
        line, column = token.start[0], token.start[1] + 1
        target = line
        if not token.line[: token.start[1]].strip():
            # A comment alone applies to the next line with code.
            skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
            following = (one for one in tokens[index:] if one.type not in skipped)
            target = next((one.start[0] for one in following), line)
        codes = match["codes"] or ""
        start = column + match.start("codes")
        found = list(_CODE.finditer(codes))
        yield Ignore(
            tuple(code[0] for code in found),
            tuple(Span(line, start + code.start(), line, start + code.end()) for code in found),
            match["why"].strip(),
            Span(line, column, line, column + len(token.string)),
            None if match["file"] else (line, target),
        )
