"""Text from elsewhere in what the program prints: nothing in it commands a terminal or a log.

A manifest, a file name or what another program says may hold any character. Whatever writes text
for people or for logs puts it through `printable`, and JSON through `json_text`. Contents that are
handed on as they are (a converted manifest, the lines of a diff) are data.
"""

from __future__ import annotations

from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "COMMANDING",
    "LOG_COMMAND",
    "diff_name",
    "json_text",
    "one_line",
    "printable",
    "without_halves",
]

COMMANDING = (
    r"\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    r"\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd"
    r"\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0001\U000e0020-\U000e007f"
)
"""The inside of a character class: control characters, those that format or turn the direction
(Unicode Cf, but for the joiner of emoji), separators of lines and paragraphs, halves of characters."""

# GitHub's runner obeys `::name ...::` at the start of a line, blanks before it or not, and
# `##[name]` anywhere in it (actions/runner, src/Runner.Common/ActionCommand.cs). Azure's and
# TeamCity's have a word before the bracket.
LOG_COMMAND = r"(?<=#)#(?=[A-Za-z]*\[)"
"""The second character of `##[`, which begins a command of a workflow wherever it stands."""

_COMMANDING = pattern(f"[{COMMANDING}]")
_COMMANDING_BUT_NEWLINES = pattern(rf"(?!\n)[{COMMANDING}]")
_COMMANDS = pattern(rf"(?m){LOG_COMMAND}|^(?P<blanks>\s*):(?=:[A-Za-z])")
_IN_JSON = pattern(rf"(?![\n\r\t])[{COMMANDING}]|{LOG_COMMAND}")
_IN_NAMES = pattern(rf"[{COMMANDING}]|{LOG_COMMAND}|^:")
_BEYOND_ASCII = pattern(r"[^\x00-\x7f]")
_HALVES = pattern(r"[\ud800-\udfff]")

_UNKNOWN = "\ufffd"
_LONGEST_TEXT = 1000  # characters of another program's text


def printable(text: str, *, keep_newlines: bool = False) -> str:
    """`text` with what a terminal or a log would obey made visible, character for character.

    A manifest from elsewhere must neither move the cursor, nor reverse a line on the reader, nor
    begin a command of a workflow (`::error::`, `##[error]`).
    """
    if not (text.isascii() and text.isprintable()):
        commanding = _COMMANDING_BUT_NEWLINES if keep_newlines else _COMMANDING
        text = commanding.sub(lambda found: _visible(found[0]), text)
    if "::" in text or "##" in text:
        text = _COMMANDS.sub(lambda found: (found["blanks"] or "") + _UNKNOWN, text)
    return text


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the "control pictures" block mirrors ASCII
    return "\u2421" if code == 0x7F else _UNKNOWN


def one_line(text: str) -> str:
    """A text of another program, for a message: one line that is not too long, no controls."""
    line = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    return printable(line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}...")


def diff_name(name: str) -> str:
    """A file's name in the head of a diff, quoted as git and patch read it where that is needed."""
    if printable(name) == name:
        return name
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_IN_NAMES.sub(lambda found: _octal(found[0]), quoted)}"'


def _octal(character: str) -> str:
    try:
        data = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that stands for no byte
        data = b"?"
    return "".join([f"\\{byte:03o}" for byte in data])


def without_halves(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, which no file and no strict reader takes."""
    return text if text.isascii() else _HALVES.sub(_UNKNOWN, text)


def json_text(data: Any, *, indent: int | None = 2, ascii_only: bool = True) -> str:
    """`data` as JSON that every reader takes, and that can be shown as it is.

    What commands a terminal or a log is escaped, which changes no value; lone surrogates become
    U+FFFD.
    """
    import json

    separators = None if indent is not None else (",", ":")
    text = json.dumps(data, indent=indent, ensure_ascii=False, separators=separators)
    text = _IN_JSON.sub(lambda found: _escape(found[0]), without_halves(text))
    if ascii_only and not text.isascii():
        return _BEYOND_ASCII.sub(lambda found: _escape(found[0]), text)
    return text


def _escape(character: str) -> str:
    """As JSON has it, in UTF-16."""
    units = character.encode("utf-16-be")
    return "".join([f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)])
