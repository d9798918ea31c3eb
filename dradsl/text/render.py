"""Plain data as YAML text, in the style of Kubernetes manifests, for fragments that edits insert."""

from __future__ import annotations

from dradsl.text.scalars import ScalarError, resolve_plain
from dradsl.values.gotext import json_float
from dradsl.values.patterns import pattern
from dradsl.values.printable import COMMANDING, LOG_COMMAND, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.text.nodes import PlainScalar

__all__ = ["render_block", "render_flow", "render_scalar"]

# What may stand unquoted anywhere, flow collections included; but for `?`, which begins a key there.
_SAFE = pattern(
    r"[A-Za-z0-9_./$\\^(+-][A-Za-z0-9_./$\\^();+~=<>:@*&|!%?'-]*"
    r"(?: [A-Za-z0-9_./$\\^();+~=<>:@*&|!%?'-]+)*"
)
_UNSAFE_START = pattern(r"- |-$|---|\.\.\.")
_UNSAFE_WITHIN = pattern(r": |:$| #|, ")
# Texts to kubectl, and numbers or times to readers of YAML 1.1 (PyYAML, Ansible, Ruby): PCI addresses
# are numbers to base 60 there.
_OTHERWISE = pattern(
    r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*)?"
    r"|[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)"
    r"|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?"
    r"|[-+]_[0-9_]*"  # a number without digits to ruamel.yaml, which then fails
)
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COMMANDING = pattern(rf"(?!\n)[{COMMANDING}]")
_LOG_COMMAND = pattern(LOG_COMMAND)


def render_scalar(value: PlainScalar, *, key: bool = False, block: bool = False) -> str:
    """A scalar on one line: plain where the reader gets `value` back from that, else quoted.

    `block`: it is in no flow collection.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return json_float(value)
    plain = _may_be_plain(value, key) and (block or "?" not in value)
    return value if plain else _quoted(value)


def _may_be_plain(text: str, key: bool) -> bool:
    if not _SAFE.fullmatch(text) or _UNSAFE_START.match(text) or _UNSAFE_WITHIN.search(text):
        return False
    if _OTHERWISE.fullmatch(text) or (key and ":" in text):
        return False
    try:
        return resolve_plain(text) == text
    except ScalarError:
        return False


def _quoted(text: str) -> str:
    if "'" not in text and _obeyed_by_nobody(text) and "\n" not in text and text.strip():
        return f'"{text}"' if '"' not in text and "\\" not in text else f"'{text}'"
    return '"' + _LOG_COMMAND.sub(r"\\x23", "".join(map(_escaped, text))) + '"'


def _obeyed_by_nobody(text: str) -> bool:
    """Whether neither a terminal nor a log takes anything in it for a command, also at its line starts."""
    return printable(text, keep_newlines=True) == text


def _escaped(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    if not _COMMANDING.match(character):
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        # No YAML can hold half a character.
        return "\ufffd"
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def render_flow(value: object) -> str:
    """`value` on one line: `{a: 1, b: [x, y]}`."""
    if isinstance(value, dict):
        entries = (f"{render_scalar(str(k), key=True)}: {render_flow(v)}" for k, v in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(render_flow(item) for item in value) + "]"
    return render_scalar(_scalar(value))


def render_block(
    value: object, indent: int = 0, newline: str = "\n", *, literal: bool = True
) -> str:
    """`value` as block YAML whose lines, but the first, are indented by `indent` columns.

    The first line carries no indentation: it follows what is before it. No line end at the end.
    Text of several lines becomes a literal block, or with `literal` off a quoted scalar, after
    which a comment may follow.
    """
    return newline.join(_block_lines(value, indent, literal))


def _block_lines(value: object, indent: int, literal: bool) -> list[str]:
    if isinstance(value, dict) and value:
        return _mapping_lines(value, indent, literal)
    if isinstance(value, list | tuple) and value:
        return _sequence_lines(value, indent, literal)
    if literal and isinstance(value, str) and "\n" in value and _fits_literal(value):
        return _literal_lines(value, indent)
    if isinstance(value, dict | list | tuple):
        return [render_flow(value)]
    return [render_scalar(_scalar(value), block=True)]


def _mapping_lines(value: Mapping[object, object], indent: int, literal: bool) -> list[str]:
    lines: list[str] = []
    margin = " " * indent
    for name, child in value.items():
        head = (margin if lines else "") + render_scalar(str(name), key=True) + ":"
        if isinstance(child, dict) and child:
            inner = _block_lines(child, indent + 2, literal)
            lines += [head, " " * (indent + 2) + inner[0], *inner[1:]]
        elif isinstance(child, list | tuple) and child:
            inner = _block_lines(child, indent, literal)
            lines += [head, margin + inner[0], *inner[1:]]
        else:
            inner = _block_lines(child, indent + 2, literal)
            lines += [f"{head} {inner[0]}", *inner[1:]]
    return lines


def _sequence_lines(value: Sequence[object], indent: int, literal: bool) -> list[str]:
    lines: list[str] = []
    for item in value:
        inner = _block_lines(item, indent + 2, literal)
        lines += [(" " * indent if lines else "") + f"- {inner[0]}", *inner[1:]]
    return lines


def _fits_literal(text: str) -> bool:
    first = text.split("\n", 1)[0]
    return _obeyed_by_nobody(text) and bool(first.strip()) and not first.startswith(" ")


def _literal_lines(text: str, indent: int) -> list[str]:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    header = "|-" if ends == 0 else "|" if ends == 1 else "|+"
    margin = " " * indent
    lines = [margin + line if line else "" for line in body.split("\n")]
    return [header, *lines, *[""] * (ends - 1)]


def _scalar(value: object) -> PlainScalar:
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"no YAML for {type(value).__name__}")
