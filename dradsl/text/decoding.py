"""The bytes of a file to text, as libyaml's reader decides on the encoding."""

from __future__ import annotations

import codecs

from dradsl.records import dataclass, field

__all__ = ["DecodedText", "DecodingError", "decode", "encode", "undecodable"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
)
_MARKS = {name: mark for mark, _, name in _BOMS}


class DecodingError(ValueError):
    """The bytes are no text, or too many; `reason` is too-large, binary or encoding."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text without byte order mark. `damaged`: bytes that are no UTF-8 stand as lone surrogates.

    `encoding` is "utf-8", or "utf-8-sig", "utf-16-le", "utf-16-be" for files with a mark.
    """

    text: str = field(repr=False)
    encoding: str
    damaged: bool = False


def decode(data: bytes, max_bytes: int) -> DecodedText:
    """The text in `data`; DecodingError if it is too large, binary, or broken UTF-16."""
    if len(data) > max_bytes:
        raise DecodingError("too-large", f"file has {len(data)} bytes; the limit is {max_bytes}")
    codec, encoding = "utf-8", "utf-8"
    for mark, mark_codec, name in _BOMS:
        if data.startswith(mark):
            data, codec, encoding = data[len(mark) :], mark_codec, name
            break
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        if codec != "utf-8":
            raise DecodingError("encoding", f"no valid UTF-16: {error.reason}") from error
        if b"\0" in data:
            raise DecodingError("binary", "binary file, no YAML or JSON text") from error
        return DecodedText(data.decode("utf-8", "surrogateescape"), encoding, damaged=True)
    if "\0" in text:
        raise DecodingError("binary", "binary file, no YAML or JSON text")
    return DecodedText(text, encoding)


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `text` in an encoding of `DecodedText`, byte order mark included."""
    codec = encoding.removesuffix("-sig")
    return _MARKS.get(encoding, b"") + text.encode(codec, "surrogateescape")


def undecodable(text: str) -> int | None:
    """The offset of the first character that stands for a byte that is no UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None
