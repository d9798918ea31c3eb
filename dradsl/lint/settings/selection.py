"""Which rules and files a word means: codes, prefixes, names, and path patterns."""

from __future__ import annotations

import functools
import re

from dradsl.lint.catalogue.rules import FAMILIES, RULES
from dradsl.values import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.lint.custom.model import CustomRule

__all__ = ["is_known", "path_matches", "selects", "suggest_rule"]

_ALL = 1  # the weight of "ALL"; a prefix weighs as much as it is long


def selects(selector: str, code: str, name: str) -> int:
    """How exactly `selector` means the rule: 0 not at all, else the more the narrower it is.

    A selector is "ALL", a code ("DRA301", "ACME001"), the start of one with all of its letters ("DRA3",
    "ACME") or a name ("request-shape"), in whatever case.
    """
    wanted = selector.strip().upper()
    if wanted == "ALL":
        return _ALL
    if wanted == name.upper():
        return len(code)
    if not code.startswith(wanted):
        return 0
    return len(wanted) if wanted.startswith(code.rstrip(_DIGITS)) else 0


_DIGITS = "0123456789"


def is_known(selector: str, own: Iterable[CustomRule] = ()) -> bool:
    """Whether `selector` means a rule that exists, one of the team's `own` too, or a family that may get some."""
    if any(selects(selector, rule.code, rule.name) for rule in own):
        return True
    wanted = selector.strip().upper()
    if wanted == "DRA" or (len(wanted) == 4 and wanted[:3] == "DRA" and wanted[3:].isdecimal()):
        return wanted == "DRA" or int(wanted[3:]) in FAMILIES
    return wanted in _words()


@functools.cache
def _words() -> frozenset[str]:
    """Everything that means some rule, in upper case."""
    starts = {code[:end] for code in RULES for end in range(4, len(code) + 1)}
    return frozenset({"ALL", *starts, *(rule.name.upper() for rule in RULES.values())})


def suggest_rule(selector: str, own: Iterable[CustomRule] = ()) -> str | None:
    """The code or name that comes nearest to a selector that means nothing."""
    from difflib import get_close_matches

    known = [*RULES, *(rule.name for rule in RULES.values())]
    known += [word for rule in own for word in (rule.code, rule.name)]
    if selector.strip()[-1:].isdecimal():  # a code: another number is no hint, its letters may be
        wanted = selector.strip().upper()
        near = get_close_matches(wanted, [*RULES, *(rule.code for rule in own)], n=1, cutoff=0.6)
        return near[0] if near and _digits(near[0]) == _digits(wanted) else None
    near = get_close_matches(selector.strip().lower(), known, n=1, cutoff=0.7)
    near = near or get_close_matches(selector.strip().upper(), known, n=1, cutoff=0.8)
    return near[0] if near else None


def _digits(code: str) -> str:
    return "".join(filter(str.isdecimal, code))


def path_matches(pattern: str, path: str) -> bool:
    """Whether `path`, relative and with forward slashes, is meant by `pattern`.

    `*` and `?` stay within a folder's name, `**` crosses folders. A pattern without a slash
    matches a name at any depth; one that matches a folder means everything below it.
    """
    return _pattern(pattern).fullmatch(path.removeprefix("./")) is not None


_PIECE = patterns.pattern(r"\*{2,}/?|\*|\?|\[!?[^\]/]+\]|[^*?\[]+|\[")


@functools.lru_cache(maxsize=4096)  # as many patterns as a run may have, several times
def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern that never tries again what it has tried."""
    from dradsl.values.globs import FOLDERS, expression

    text = pattern.removeprefix("./").rstrip("/")
    whole = text.lstrip("/") if "/" in text else f"{FOLDERS}{text}"
    try:
        return re.compile(expression(map(_piece, _PIECE.findall(whole)), "(?:/.*)?"), re.DOTALL)
    except re.error:  # a class such as [z-a]: take the pattern literally
        anywhere = "" if "/" in text else "(?:.*/)?"
        return re.compile(f"{anywhere}{re.escape(text.lstrip('/'))}(?:/.*)?", re.DOTALL)


def _piece(text: str) -> str:
    """A wildcard, or the expression for anything else: `?`, a class, literal text."""
    from dradsl.values.globs import ACROSS, FOLDERS, STAR, character_class

    if text == STAR:
        return STAR
    if text.startswith(ACROSS):
        return FOLDERS if text.endswith("/") else ACROSS
    if text == "?":
        return "[^/]"
    if len(text) < 3 or text[0] != "[" or text[-1] != "]":
        return re.escape(text)
    negated = text.startswith("[!")
    return character_class(text[2 if negated else 1 : -1], negated=negated)
