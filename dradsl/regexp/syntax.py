"""The syntax of Go's regular expressions: a pattern to a tree, or Go's reason to reject it.

Upstream: Go's package regexp/syntax, parse.go, with the flags of `regexp.Compile`.
"""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.regexp.classes import (
    ANY,
    NOT_NEWLINE,
    PERL,
    POSIX,
    Ranges,
    clean,
    folded,
    negated,
    unicode_class,
)
from dradsl.regexp.pattern import PatternError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["Alternate", "Assertion", "Chars", "Concat", "Node", "Repeat", "parse"]

_MOST_REPEATS = 1000
"""What a count of a repetition may be, and the product of nested ones."""

_HIGHEST = 1000
"""Levels that a pattern may nest."""

_LARGEST = (128 << 20) // 40
"""Instructions that a pattern may compile to in Go."""

_FOLD, _MULTILINE, _DOT_ALL, _LAZY = 1, 2, 4, 8
_FLAGS = {"i": _FOLD, "m": _MULTILINE, "s": _DOT_ALL, "U": _LAZY}


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character out of a set."""

    ranges: Ranges
    height = 1
    size = 1


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """A place: `^` (begin of text), `$` (its end), `(?m)` lines as `<` and `>`, `b`, `B`."""

    kind: str
    height = 1
    size = 1


@dataclass(frozen=True, slots=True, eq=False)
class Concat:
    """One after the other; empty for nothing."""

    items: tuple[Node, ...]
    height: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Alternate:
    """The first of these that lets the rest match."""

    items: tuple[Node, ...]
    height: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """`least` to `most` times; `most` is -1 for any number."""

    item: Node
    least: int
    most: int
    greedy: bool
    height: int
    size: int


Node: TypeAlias = "Chars | Assertion | Concat | Alternate | Repeat"


class _Group:
    """What was read of a group that is still open."""

    __slots__ = ("alternatives", "captures", "flags", "items")

    def __init__(self, flags: int, captures: bool) -> None:
        self.flags = flags
        self.captures = captures
        self.items: list[Node] = []
        self.alternatives: list[Node] = []

    def end_alternative(self) -> None:
        self.alternatives.append(_concat(self.items))
        self.items = []

    def close(self) -> Node:
        self.end_alternative()
        node = _alternate(self.alternatives)
        if not self.captures:
            return node
        # For matching a capture is its content; for the limits it is a level and two instructions.
        return Concat((node,), node.height + 1, node.size + 2)


def _concat(items: list[Node]) -> Node:
    if len(items) == 1:
        return items[0]
    return _checked(Concat(tuple(items), _height(items), max(1, sum(item.size for item in items))))


def _alternate(items: list[Node]) -> Node:
    if len(items) == 1:
        return items[0]
    return _checked(
        Alternate(tuple(items), _height(items), sum(item.size for item in items) + len(items) - 1)
    )


def _height(items: list[Node]) -> int:
    # Characters next to each other are one literal in Go.
    return 1 + max((item.height for item in items), default=0)


def _checked(node: Node) -> Node:
    if node.height > _HIGHEST:
        raise _Limit("expression nests too deeply")
    if node.size > _LARGEST:
        raise _Limit("expression too large")
    return node


class _Limit(Exception):  # noqa: N818 (an answer, turned into a PatternError of the whole pattern)
    """A limit of the whole pattern."""


def parse(pattern: str) -> Node:
    """The tree of a pattern.

    Raises:
        PatternError: in Go's words.
    """
    try:
        return _Parser(pattern).parse()
    except _Limit as limit:
        raise PatternError(str(limit), pattern) from None


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = 0
        self.groups = [_Group(0, captures=False)]

    def parse(self) -> Node:
        pattern = self.pattern
        repeated = -1  # where the repetition operator just before begins
        while self.at < len(pattern):
            start, letter = self.at, pattern[self.at]
            operator = False
            if letter == "(":
                self._open()
            elif letter == "|":
                self.groups[-1].end_alternative()
                self.at += 1
            elif letter == ")":
                self._close()
            elif letter in "*+?":
                self.at += 1
                least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[letter]
                self._repeat(least, most, start, repeated, counted=False)
                operator = True
            elif letter == "{" and (counts := self._counts()) is not None:
                least, most = counts
                if least < 0 or least > _MOST_REPEATS or most > _MOST_REPEATS or 0 <= most < least:
                    raise PatternError("invalid repeat count", pattern[start : self.at])
                self._repeat(least, most, start, repeated, counted=True)
                operator = True
            else:
                self._single(letter)
            repeated = start if operator else -1
        if len(self.groups) > 1:
            raise PatternError("missing closing )", pattern)
        return self.groups[0].close()

    def _single(self, letter: str) -> None:
        """A character, a class or an assertion."""
        if letter == "^":
            self.at += 1
            self._push(Assertion("<" if self.flags & _MULTILINE else "^"))
        elif letter == "$":
            self.at += 1
            self._push(Assertion(">" if self.flags & _MULTILINE else "$"))
        elif letter == ".":
            self.at += 1
            self._push(Chars(ANY if self.flags & _DOT_ALL else NOT_NEWLINE))
        elif letter == "[":
            self._push(Chars(self._brackets()))
        elif letter == "\\":
            self._escape()
        else:
            self.at += 1
            self._literal(ord(letter))

    def _push(self, node: Node) -> None:
        self.groups[-1].items.append(node)

    def _literal(self, rune: int) -> None:
        self._push(Chars(self._cased(((rune, rune),))))

    def _cased(self, ranges: Ranges) -> Ranges:
        return folded(ranges) if self.flags & _FOLD else ranges

    # Groups

    def _open(self) -> None:
        pattern, start = self.pattern, self.at
        if not pattern.startswith("(?", start):
            self.groups.append(_Group(self.flags, captures=True))
            self.at += 1
            return
        rest = len(pattern) - start
        named = 0
        if rest > 4 and pattern.startswith("P<", start + 2):
            named = 4
        elif rest > 3 and pattern.startswith("<", start + 2):
            named = 3
        if named:
            end = pattern.find(">", start)
            if end < 0:
                raise PatternError("invalid named capture", pattern[start:])
            name = pattern[start + named : end]
            if not (name and name.isascii() and name.replace("_", "a").isalnum()):
                raise PatternError("invalid named capture", pattern[start : end + 1])
            self.groups.append(_Group(self.flags, captures=True))
            self.at = end + 1
            return
        self._flags(start)

    def _flags(self, start: int) -> None:
        """`(?i)`, `(?i-s:` and the like."""
        pattern, at = self.pattern, start + 2
        flags, negative, seen = self.flags, False, False
        while at < len(pattern):
            letter = pattern[at]
            at += 1
            if letter in _FLAGS:
                flags = flags & ~_FLAGS[letter] if negative else flags | _FLAGS[letter]
                seen = True
            elif letter == "-" and not negative:
                negative, seen = True, False
            elif letter in ":)" and (seen or not negative):
                if letter == ":":
                    self.groups.append(_Group(self.flags, captures=False))
                self.flags = flags
                self.at = at
                return
            else:
                break
        raise PatternError("invalid or unsupported Perl syntax", pattern[start:at])

    def _close(self) -> None:
        if len(self.groups) < 2:
            raise PatternError("unexpected )", self.pattern)
        group = self.groups.pop()
        self.flags = group.flags
        self._push(_checked(group.close()))
        self.at += 1

    # Repetition

    def _counts(self) -> tuple[int, int] | None:
        """`{2}`, `{2,}` or `{2,3}`, (-1, -1) if a number is far too big; None for a literal `{`."""
        pattern, at = self.pattern, self.at + 1
        least, at = self._number(at)
        if least is None or at >= len(pattern):
            return None
        most: int | None = least
        if pattern[at] == ",":
            at += 1
            if pattern[at : at + 1] == "}":
                most = -1
            else:
                most, at = self._number(at)
                if most is not None and most < 0:
                    least = -1
        if most is None or pattern[at : at + 1] != "}":
            return None
        self.at = at + 1
        return least, most

    def _number(self, at: int) -> tuple[int | None, int]:
        pattern, start = self.pattern, at
        while at < len(pattern) and pattern[at] in "0123456789":
            at += 1
        digits = pattern[start:at]
        if not digits or (len(digits) > 1 and digits[0] == "0"):
            return None, at
        return (int(digits) if len(digits) < 9 else -1), at

    def _repeat(self, least: int, most: int, start: int, repeated: int, *, counted: bool) -> None:
        pattern = self.pattern
        greedy = not self.flags & _LAZY
        if pattern.startswith("?", self.at):
            self.at += 1
            greedy = not greedy
        if repeated >= 0:
            raise PatternError("invalid nested repetition operator", pattern[repeated : self.at])
        items = self.groups[-1].items
        if not items:
            part = pattern[start : self.at]
            raise PatternError("missing argument to repetition operator", part)
        item = items[-1]
        size = _size_of_repeat(item.size, least, most)
        node = Repeat(item, least, most, greedy, item.height + 1, size)
        if counted and (least >= 2 or most >= 2) and not _is_bounded(node, _MOST_REPEATS):
            raise PatternError("invalid repeat count", pattern[start : self.at])
        items[-1] = _checked(node)

    # Escapes

    def _escape(self) -> None:
        pattern, at = self.pattern, self.at
        letter = pattern[at + 1 : at + 2]
        if letter in ("A", "b", "B", "z"):
            self._push(Assertion({"A": "^", "z": "$"}.get(letter, letter)))
            self.at += 2
        elif letter == "C":
            raise PatternError("invalid escape sequence", "\\C")
        elif letter == "Q":
            end = pattern.find("\\E", at + 2)
            for each in pattern[at + 2 : end if end >= 0 else len(pattern)]:
                self._literal(ord(each))
            self.at = end + 2 if end >= 0 else len(pattern)
        else:
            ranges = self._class_escape()
            if ranges is not None:
                self._push(Chars(ranges))
            else:
                self._literal(self._rune())

    def _class_escape(self) -> Ranges | None:
        """`\\d`, `\\pL` and the like at this place, None if nothing of the kind is."""
        pattern, at = self.pattern, self.at
        if not pattern.startswith("\\", at):
            return None
        letter = pattern[at + 1 : at + 2]
        if letter and letter in "pP":
            return self._unicode(letter == "P")
        group = PERL.get(letter.lower())
        if group is None:
            return None
        self.at += 2
        ranges = self._cased(group)
        return negated(ranges) if letter.isupper() else ranges

    def _unicode(self, negative: bool) -> Ranges | None:
        pattern, start = self.pattern, self.at
        letter = pattern[start + 2 : start + 3]
        if letter == "{":
            end = pattern.find("}", start)
            if end < 0:
                raise PatternError("invalid character class range", pattern[start:])
            name, end = pattern[start + 3 : end], end + 1
        else:
            name, end = letter, start + 2 + len(letter)
        if name.startswith("^"):
            name, negative = name[1:], not negative
        ranges = unicode_class(name, bool(self.flags & _FOLD))
        if ranges is None:
            raise PatternError("invalid character class range", pattern[start:end])
        self.at = end
        return negated(ranges) if negative else ranges

    def _rune(self) -> int:
        """The character that an escape stands for."""
        pattern, start = self.pattern, self.at
        letter = pattern[start + 1 : start + 2]
        at = start + 2
        if not letter:
            raise PatternError("trailing backslash at end of expression", "")
        if letter in "01234567":
            following = pattern[at : at + 2]
            if letter == "0" or following[:1] in tuple("01234567"):
                digits = letter
                while len(digits) < 3 and pattern[at : at + 1] in tuple("01234567"):
                    digits += pattern[at]
                    at += 1
                self.at = at
                return int(digits, 8)
        elif letter == "x":
            return self._hexadecimal(start)
        elif letter in _CONTROLS:
            self.at = at
            return _CONTROLS[letter]
        elif letter.isascii() and not letter.isalnum():
            self.at = at
            return ord(letter)
        raise PatternError("invalid escape sequence", pattern[start:at])

    def _hexadecimal(self, start: int) -> int:
        pattern, at = self.pattern, start + 2
        if pattern.startswith("{", at):
            rune, digits = 0, 0
            at += 1
            while at < len(pattern):
                letter = pattern[at]
                at += 1
                if letter == "}" and digits:
                    self.at = at
                    return rune
                if letter not in _HEXADECIMAL:
                    break
                rune = rune * 16 + int(letter, 16)
                digits += 1
                if rune > 0x10FFFF:
                    break
            raise PatternError("invalid escape sequence", pattern[start:at])
        digits_text = pattern[at : at + 2]
        if len(digits_text) == 2 and all(letter in _HEXADECIMAL for letter in digits_text):
            self.at = at + 2
            return int(digits_text, 16)
        raise PatternError("invalid escape sequence", pattern[start : at + len(digits_text)])

    # Brackets

    def _brackets(self) -> Ranges:
        pattern, start = self.pattern, self.at
        self.at += 1
        negative = pattern.startswith("^", self.at)
        self.at += negative
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not pattern.startswith("]", self.at):
            first = False
            named = self._posix()
            if named is None:
                named = self._class_escape()
            if named is not None:
                ranges += named
                continue
            low_at = self.at
            low = high = self._bracket_rune(start)
            if pattern.startswith("-", self.at) and pattern[self.at + 1 : self.at + 2] not in (
                "]",
                "",
            ):
                self.at += 1
                high = self._bracket_rune(start)
                if high < low:
                    part = pattern[low_at : self.at]
                    raise PatternError("invalid character class range", part)
            ranges += self._cased(((low, high),))
        self.at += 1
        whole = clean(ranges)
        return negated(whole) if negative else whole

    def _bracket_rune(self, start: int) -> int:
        if self.at >= len(self.pattern):
            raise PatternError("missing closing ]", self.pattern[start:])
        if self.pattern[self.at] == "\\":
            return self._rune()
        self.at += 1
        return ord(self.pattern[self.at - 1])

    def _posix(self) -> Ranges | None:
        pattern, start = self.pattern, self.at
        if not pattern.startswith("[:", start):
            return None
        end = pattern.find(":]", start + 2)
        if end < 0:
            return None
        name = pattern[start + 2 : end]
        group = POSIX.get(name.removeprefix("^"))
        if group is None:
            raise PatternError("invalid character class range", pattern[start : end + 2])
        self.at = end + 2
        ranges = self._cased(group)
        return negated(ranges) if name.startswith("^") else ranges


_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


def _size_of_repeat(size: int, least: int, most: int) -> int:
    if (least, most) == (0, -1):
        return 2 + size
    if most == -1:
        return 1 + least * size
    return max(1, most * size + most - least)


def _is_bounded(node: Node, budget: int) -> bool:
    """Whether nested counts multiply to no more than `budget`."""
    pending: list[tuple[Node, int]] = [(node, budget)]
    while pending:
        each, left = pending.pop()
        if isinstance(each, Repeat):
            # The operators `*`, `+` and `?` are no counted repetitions.
            most = each.most if each.most >= 0 else each.least
            if (each.least, each.most) not in ((0, -1), (1, -1), (0, 1)) and each.most != 0:
                if most > left:
                    return False
                left = left // most if most > 0 else left
            elif each.most == 0:
                continue
            pending.append((each.item, left))
        elif isinstance(each, (Concat, Alternate)):
            pending += [(item, left) for item in each.items]
    return True
