"""Which rules and files a word means: codes, prefixes, names, and path patterns."""

from __future__ import annotations

import functools
import re

from dradsl.values import patterns

__all__ = ["is_known", "path_matches", "selects", "suggest_rule"]

_ALL = 1  # the weight of "ALL"; a prefix weighs as much as it is long


def selects(selector: str, code: str, name: str) -> int:
    """How exactly `selector` means the rule: 0 not at all, else the more the narrower it is.

    A selector is "ALL", a code ("DRA301"), the start of one ("DRA3") or a name
    ("request-shape"), in whatever case.
    """
    wanted = selector.strip().upper()
    if wanted == "ALL":
        return _ALL
    if wanted == name.upper():
        return len(code)
    return len(wanted) if wanted.startswith("DRA") and code.startswith(wanted) else 0


def is_known(selector: str) -> bool:
    """Whether `selector` means a rule that exists, or a family that may get some."""
    from dradsl.lint.catalogue.rules import FAMILIES

    wanted = selector.strip().upper()
    if wanted == "DRA" or (len(wanted) == 4 and wanted[:3] == "DRA" and wanted[3:].isdecimal()):
        return wanted == "DRA" or int(wanted[3:]) in FAMILIES
    return wanted in _words()


@functools.cache
def _words() -> frozenset[str]:
    """Everything that means some rule, in upper case."""
    from dradsl.lint.catalogue.rules import RULES

    starts = {code[:end] for code in RULES for end in range(4, len(code) + 1)}
    return frozenset({"ALL", *starts, *(rule.name.upper() for rule in RULES.values())})


def suggest_rule(selector: str) -> str | None:
    """The code or name that comes nearest to a selector that means nothing."""
    from difflib import get_close_matches

    from dradsl.lint.catalogue.rules import RULES

    known = [*RULES, *(rule.name for rule in RULES.values())]
    near = get_close_matches(selector.strip(), known, n=1)
    near = near or get_close_matches(selector.strip().upper(), known, n=1)
    return near[0] if near else None


def path_matches(pattern: str, path: str) -> bool:
    """Whether `path`, relative and with forward slashes, is meant by `pattern`.

    `*` and `?` stay within a folder's name, `**` crosses folders. A pattern without a slash
    matches a name at any depth; one that matches a folder means everything below it.
    """
    return _pattern(pattern).fullmatch(path.removeprefix("./")) is not None


_PIECE = patterns.pattern(r"\*{2,}/?|\*|\?|\[!?[^\]/]+\]|[^*?\[]+|\[")


@functools.lru_cache(maxsize=4096)  # as many patterns as a run may have, several times
def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern that never tries again what it has tried.

    Between two wildcards the first place that fits is as good as any later one: what follows finds
    all the more there. So nothing behind a wildcard has to make one before it give way, which the
    groups `(?>...)` say. What stands between two `**` counts as one such part.
    """
    text = pattern.removeprefix("./").rstrip("/")
    parts = _parts(text.lstrip("/") if "/" in text else f"**/{text}")
    last = len(parts) - 1
    written = []
    for number, (crossing, pieces) in enumerate(parts):
        if number == last:
            written.append(f"{crossing}{_translated(pieces, last=True)}(?:/.*)?")
        else:
            written.append(f"(?>{crossing}{_translated(pieces, last=False)})")
    try:
        return re.compile("".join(written), re.DOTALL)
    except re.error:  # a class such as [z-a]: take the pattern literally
        anywhere = "" if "/" in text else "(?:.*/)?"
        return re.compile(f"{anywhere}{re.escape(text.lstrip('/'))}(?:/.*)?", re.DOTALL)


def _parts(text: str) -> list[tuple[str, list[str]]]:
    """The pieces between wildcards that cross folders, each with the expression for what it crosses."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for piece in _PIECE.findall(text):
        pieces = parts[-1][1]
        if not piece.startswith("**"):
            pieces.append(piece)
        elif piece.endswith("/") and (not pieces or pieces[-1].endswith("/")):
            parts.append(("(?:[^/]*/)*?", []))
        else:
            parts.append((".*?", ["/"] if piece.endswith("/") else []))
    return parts


def _translated(pieces: list[str], *, last: bool) -> str:
    """The expression of a part without `**`; the `last` one of all has to reach a name's end."""
    written: list[str] = []
    since_star: list[str] | None = None
    for piece in pieces:
        if piece != "*":
            (written if since_star is None else since_star).append(_literal(piece))
        elif since_star is None:
            since_star = []
        elif since_star:
            written.append(f"(?>[^/]*?{''.join(since_star)})")
            since_star = []
    if since_star is not None:
        end = "".join(since_star)
        written.append(f"[^/]*{end}" if last else f"(?>[^/]*?{end})")
    return "".join(written)


def _literal(piece: str) -> str:
    """The expression for one piece: `?`, a class, or text as it is."""
    if piece == "?":
        return "[^/]"
    if len(piece) < 3 or piece[0] != "[" or piece[-1] != "]":
        return re.escape(piece)
    negated = piece.startswith("[!")
    body = piece[2 if negated else 1 : -1]
    ranges = re.findall(r".-.|.", body, re.DOTALL)
    members = "".join(
        f"{re.escape(one[0])}-{re.escape(one[2])}" if len(one) == 3 else re.escape(one)
        for one in ranges
    )
    return f"[^/{members}]" if negated else f"[{members}]"
