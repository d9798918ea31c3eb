"""A configuration file as a table of plain values: YAML, or [tool.dradsl] of a TOML file.

Such files are found in whatever tree is checked, so they are read as warily as manifests are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dradsl.lint.settings.problems import ConfigError
from dradsl.text.documents import SETTINGS_LIMITS, Document, Limits, load
from dradsl.text.files import SETTINGS_BYTES, FileError, StrPath, read_bytes
from dradsl.values.patterns import pattern
from dradsl.values.plain import member
from dradsl.values.shown import shortened, shown

__all__ = [
    "LineOf",
    "bytes_of",
    "document_of",
    "read_table",
    "speaks_of_dradsl",
    "tool_table",
    "value_of",
]

LineOf = Callable[[object], int | None]


def read_table(path: StrPath) -> tuple[dict[str, object], LineOf]:
    """The options in a file, by name, and a way to find the line of one.

    Raises:
        ConfigError: if it cannot be read, or is no table.
    """
    if str(path).endswith(".toml"):
        data = bytes_of(path)
        return _tool_table(path, data) or {}, _toml_lines(data)
    return _read_yaml(path, bytes_of(path))


def value_of(key: str, text: str) -> object:
    """The value of a key that a call gives as YAML.

    Raises:
        ConfigError: if it cannot be read.
    """
    data = f"{key}: {text}".encode("utf-8", "surrogateescape")
    return _read_yaml(f"--config {key}", data)[0][key]


def speaks_of_dradsl(path: StrPath) -> bool:
    """Whether a file holds the word at all.

    Raises:
        ConfigError: if it cannot be read.
    """
    return b"dradsl" in bytes_of(path)


def tool_table(path: StrPath) -> dict[str, object] | None:
    """The table [tool.dradsl] of a TOML file; None where it has none.

    Raises:
        ConfigError: if it cannot be read, or is no TOML.
    """
    return _tool_table(path, bytes_of(path))


def bytes_of(path: StrPath) -> bytes:
    """The bytes of a file.

    Raises:
        ConfigError: if it cannot be read.
    """
    try:
        return read_bytes(path, SETTINGS_BYTES)
    except FileError as error:
        cause = error.__cause__
        said = cause.strerror if isinstance(cause, OSError) else None
        reason = said or str(error).removeprefix(f"{error.path}: ")
        raise ConfigError(path, f"cannot be read: {reason}") from error


# --- TOML ---

# A string that is never closed ends with its line or with the text, so that each is read once.
_TOML_TOKEN = pattern(
    r'"""(?:[^"\\]|\\(?:.|\Z)|"{1,2}(?!"))*(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'{1,2}(?!'))*(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\(?:.|\Z))*"?'
    r"|'[^'\n]*'?"
    r"|\#[^\n]*"
    r"|[\[\]{}.=,\n]",
    re.DOTALL,
)
_TOML_PLACE = pattern(r"\(at line (\d+), column \d+\)\Z")
_SHOWN = 300  # characters of a reader's complaint, which may quote what it read


def _tool_table(path: StrPath, data: bytes) -> dict[str, object] | None:
    if b"dradsl" not in data:  # spares most projects the import of tomllib
        return None
    table = member(_parse_toml(path, data), "tool", "dradsl")
    if table is not None and not isinstance(table, dict):
        raise ConfigError(path, "tool.dradsl is not a table")
    return table


def _parse_toml(path: StrPath, data: bytes) -> dict[str, object]:
    import tomllib

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, f"is not UTF-8: {error.reason}", line) from error
    _expect_shallow(path, text)
    try:
        return tomllib.loads(text)
    # A number of too many digits is a plain ValueError.
    except (ValueError, RecursionError, OverflowError) as error:
        place = _TOML_PLACE.search(str(error))
        where = int(place[1]) if place is not None else None
        raise ConfigError(path, f"is not TOML: {shortened(str(error), _SHOWN)}", where) from error


def _expect_shallow(path: StrPath, text: str) -> None:
    """Reject brackets and dotted keys of more levels than allowed.

    The parser calls itself for each bracket, and looks at a key's parts as often as there are some.
    """
    most = SETTINGS_LIMITS.max_depth
    depth = dots = 0
    for token in _TOML_TOKEN.finditer(text):
        sign = token[0]
        if sign in ("[", "{"):
            depth += 1
            dots = 0
        elif sign in ("]", "}"):
            depth = max(depth - 1, 0)
        elif sign == ".":
            dots += 1
        elif sign in ("=", ",", "\n"):
            dots = 0
        if depth > most or dots >= most:
            line = text.count("\n", 0, token.start()) + 1
            raise ConfigError(path, f"is nested more than {most} levels deep", line)


def _toml_lines(data: bytes) -> LineOf:
    """A way to find a key's line, followed only once something has to be said about it."""

    def line_of(key: object) -> int | None:
        word = rf'"?{re.escape(str(key))}"?'
        entry = re.compile(rf"\s*(?:dradsl\.)?{word}\s*[=.]")
        own_table = re.compile(rf"\s*\[\s*tool\.dradsl\.{word}\s*[\].]")
        inside = False
        for number, line in enumerate(data.decode().splitlines(), start=1):
            if own_table.match(line):
                return number
            if line.lstrip().startswith("["):
                inside = re.match(r"\s*\[\s*tool(\.dradsl)?\s*\]", line) is not None
            elif inside and entry.match(line):
                return number
        return None

    return line_of


# --- YAML ---


def document_of(path: StrPath, data: bytes, limits: Limits = SETTINGS_LIMITS) -> Document | None:
    """The one document of a YAML file; None if it has none.

    Raises:
        ConfigError: for what is no YAML, and for several documents.
    """
    stream = load(data, limits)
    for problem in stream.all_problems():
        if problem.reason in ("duplicate-key", "repeated-key"):
            span = problem.span
            start = stream.lines.offset(span.line, span.column)
            key = stream.text[start : stream.lines.offset(span.end_line, span.end_column)]
            raise ConfigError(path, f"duplicate key {shortened(key, _SHOWN)}", span.line)
        raise ConfigError(
            path, f"is not YAML: {shortened(problem.message, _SHOWN)}", problem.span.line
        )
    if len(stream.documents) > 1:
        line = stream.documents[1].span.line
        raise ConfigError(path, "holds more than one document", line)
    return stream.documents[0] if stream.documents else None


def _read_yaml(path: StrPath, data: bytes) -> tuple[dict[str, object], LineOf]:
    document = document_of(path, data)
    if document is None:
        return {}, lambda _key: None
    table = document.data
    if not isinstance(table, dict):
        raise ConfigError(path, f"is not a table of options: {shown(table)}", 1)

    def line_of(key: object) -> int | None:
        from dradsl.text.paths import locate

        span = None if document.root is None else locate(document.root, (str(key),)).key_span
        return None if span is None else span.line

    return table, line_of
