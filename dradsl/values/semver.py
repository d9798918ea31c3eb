"""Semantic versions as CEL's `semver()` reads them: strict, or normalised first.

Rules and texts follow github.com/blang/semver v4.0.0 (`Parse`, `Compare`) and `normalizeAndParse`
in pkg/cel/library/semverlib.go of k8s.io/apiserver v0.34 to v0.37.
"""

from __future__ import annotations

import re

from dradsl.errors import DradslError
from dradsl.records import dataclass
from dradsl.values.gotext import quote
from dradsl.values.patterns import pattern

__all__ = ["Semver", "SemverError"]

_DIGITS = pattern(r"[0-9]*", re.ASCII)
_IDENTIFIER = pattern(r"[0-9A-Za-z-]*", re.ASCII)
_MAX_UINT64 = 2**64 - 1


class SemverError(DradslError, ValueError):
    """The text is no version; the message is upstream's."""


@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A semantic version. Build metadata has no say in comparisons: `1.2.3+a == 1.2.3+b`.

    `pre` holds numeric identifiers as int, others as str; `build` the identifiers as written.
    """

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, normalize: bool = False) -> Semver:
        """The version in `text`; SemverError with upstream's message if there is none.

        `normalize` drops one leading `v`, fills up missing parts with 0 and strips leading zeros,
        as `semver(text, true)` does.
        """
        return _parse(_normalized(text) if normalize else text)

    def cmp(self, other: Semver) -> int:
        """-1, 0 or 1 in the order of semver 2.0: a pre-release is before its release."""
        left = (self.major, self.minor, self.patch)
        right = (other.major, other.minor, other.patch)
        if left != right:
            return 1 if left > right else -1
        if not self.pre or not other.pre:
            return bool(other.pre) - bool(self.pre)
        for a, b in zip(self.pre, other.pre, strict=False):
            order = _compare_identifiers(a, b)
            if order:
                return order
        return (len(self.pre) > len(other.pre)) - (len(self.pre) < len(other.pre))

    def __eq__(self, other: object) -> bool:
        return self.cmp(other) == 0 if isinstance(other, Semver) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.major, self.minor, self.patch, self.pre))

    def __lt__(self, other: Semver) -> bool:
        return self.cmp(other) < 0

    def __le__(self, other: Semver) -> bool:
        return self.cmp(other) <= 0

    def __gt__(self, other: Semver) -> bool:
        return self.cmp(other) > 0

    def __ge__(self, other: Semver) -> bool:
        return self.cmp(other) >= 0

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.pre:
            text += "-" + ".".join(map(str, self.pre))
        return text + ("+" + ".".join(self.build) if self.build else "")


def _compare_identifiers(a: int | str, b: int | str) -> int:
    if isinstance(a, int) and isinstance(b, int):
        return (a > b) - (a < b)
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    return -1 if isinstance(a, int) else 1


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part.encode("utf-8", "surrogatepass")) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1] in tuple("0123456789") else "0" + stripped
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise SemverError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _parse(text: str) -> Semver:
    if not text:
        raise SemverError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError("No Major.Minor.Patch elements found")
    major = _number(parts[0], "Major")
    minor = _number(parts[1], "Minor")
    rest, plus, build = parts[2].partition("+")
    patch, dash, pre = rest.partition("-")
    return Semver(
        major,
        minor,
        _number(patch, "Patch"),
        tuple(map(_pre_release, pre.split("."))) if dash else (),
        tuple(map(_build, build.split("."))) if plus else (),
    )


def _number(text: str, part: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in {part.lower()} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise SemverError(f"{part} number must not contain leading zeroes {quote(text)}")
    return _uint64(text)


def _uint64(text: str) -> int:
    if not text:
        raise SemverError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > _MAX_UINT64:
        raise SemverError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def _pre_release(text: str) -> int | str:
    if not text:
        raise SemverError("Prerelease is empty")
    if _DIGITS.fullmatch(text):
        if len(text) > 1 and text[0] == "0":
            message = "Numeric PreRelease version must not contain leading zeroes"
            raise SemverError(f"{message} {quote(text)}")
        return _uint64(text)
    if not _IDENTIFIER.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in prerelease {quote(text)}")
    return text


def _build(text: str) -> str:
    if not text:
        raise SemverError("Build meta data is empty")
    if not _IDENTIFIER.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in build meta data {quote(text)}")
    return text
