"""Small changes to texts and bytes, such as have broken programs that read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["mutated"]

_BITS = (
    *(
        "\t",
        "\x00",
        "\x1b[31m",
        "\x07",
        "\u202e",
        "\u2028",
        "\ufeff",
        "\x85",
        "\r",
        "\r\n",
        "é",
        "😀",
    ),
    *("&a ", "*a", "<<: *a\n", "!!int ", "!!binary ", "!x ", '"', "'", ": ", "- ", "? ", "\n---\n"),
    *(
        "\n...\n",
        "%YAML 1.1\n",
        "# dradsl: ignore[DRA301]\n",
        "{{ .Values.x }}",
        "{",
        "}",
        "[",
        "]",
    ),
    *("|\n", ">-\n", ",", "#", "null", "~", "true", "0x", "1e999", "-0", "9" * 40, ".inf", "1_0"),
    *(
        "2001-01-01",
        "12:30:45",
        "(" * 40,
        "[" * 40,
        "a" * 300,
        "::error::x",
        "../..",
        "/etc/passwd",
    ),
    *(
        "name: ",
        "kind: ",
        "apiVersion: ",
        "items: ",
        "metadata: ",
        "spec: ",
        "=",
        "\\",
        "${x}",
        "%s",
    ),
)


def mutated(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """`data` after one to four changes; `others` are what pieces are taken from."""
    for _ in range(random.randint(1, 4)):
        data = random.choice(_CHANGES)(data, random, others)
    return data


def _bit(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(_BITS).encode() + data[at:]


def _byte(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    first = random.randrange(len(data) + 1)
    return data[:first] + data[first + random.choice((1, 2, 5, 20, 100)) :]


def _line(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A line that is lost, doubled, moved, or indented otherwise."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines.insert(random.randrange(len(lines)), lines.pop(at))
        case 3:
            lines[at] = b" " * random.choice((1, 2, 4)) + lines[at]
        case _:
            lines[at] = lines[at].removeprefix(b" " * random.choice((1, 2)))
    return b"\n".join(lines)


def _other(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Lines of something else."""
    lines, more = data.split(b"\n"), random.choice(others).split(b"\n")
    at, first = random.randrange(len(lines) + 1), random.randrange(len(more))
    lines[at:at] = more[first : first + random.choice((1, 3, 10))]
    return b"\n".join(lines)


def _value(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Another value behind a colon."""
    colons = [at for at in range(len(data)) if data[at : at + 2] == b": "]
    if not colons:
        return data
    at = random.choice(colons) + 2
    end = data.find(b"\n", at)
    return data[:at] + random.choice(_BITS).encode() + data[end if end >= 0 else len(data) :]


_CHANGES: tuple[Callable[[bytes, Random, Sequence[bytes]], bytes], ...] = (
    _bit, _bit, _byte, _cut, _line, _line, _other, _value, _value,
)  # fmt: skip
