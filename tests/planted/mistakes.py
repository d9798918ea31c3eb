"""The mistakes that are planted: one change of one line of a correct text each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from tests.planted.sites import Site


@dataclass(frozen=True)
class Mistake:
    """A kind of mistake: which line of a use it changes, and how."""

    kind: str
    """Of names, of requests, of fields, of wiring, or of CEL."""
    what: str
    line: str
    """A regular expression of the lines in which it can be made."""
    change: Callable[[str, Random], str]
    also: str = ""
    """Of the other lines at which it may be said as well: the other end of a reference."""


@dataclass(frozen=True)
class Planted:
    """One mistake in one file of a site."""

    kind: str
    what: str
    file: str
    text: str
    lines: frozenset[tuple[str, int]]
    """The lines at which it may be said."""


def _misspelt(word: str, rng: Random) -> str:
    """The word with two letters exchanged, one left out, or one twice."""
    while True:
        at = rng.randrange(1, len(word) - 1)
        made = rng.choice(
            (
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
            )
        )
        if made != word:
            return made


def _misspell(pattern: str) -> Callable[[str, Random], str]:
    """Misspell what the first group of the pattern takes."""

    def change(line: str, rng: Random) -> str:
        found = re.search(pattern, line)
        assert found
        start, end = found.span(1)
        return line[:start] + _misspelt(line[start:end], rng) + line[end:]

    return change


def _swap(old: str, new: str) -> Callable[[str, Random], str]:
    return lambda line, _rng: line.replace(old, new, 1)


def _take(pattern: str, new: str) -> Callable[[str, Random], str]:
    return lambda line, _rng: re.sub(pattern, new, line, count=1)


_NAME = r"^ +- name: device$"
_REFERENCE = r"TemplateName: planted|^ +request: accelerator$"
_REQUEST = r"^ +request: accelerator$"
_LISTED = r"^ +- (name: )?accelerator$"
_ATTRIBUTE = r"device\.attributes\[\"[a-z.]+\"\]\.(\w+)"
_CAPACITY = r"device\.capacity\[\"[a-z.]+\"\]\.(\w+)"

MISTAKES = (
    Mistake("names", "name of the template misspelt", r"TemplateName: planted", _misspell(r"Name: (.*)$")),
    Mistake("names", "name of the claim misspelt", _NAME, _misspell(r"name: (.*)$"), _NAME),
    Mistake("names", "name of the class misspelt", r"deviceClassName:", _misspell(r"Name: (.*)$")),
    Mistake("names", "name with a capital letter", r"^ +- name: accelerator$", _swap("acc", "Acc"), _LISTED),
    Mistake("requests", "request of the container misspelt", _REQUEST, _misspell(r"request: (.*)$")),
    Mistake("requests", "request of the constraint misspelt", r"^ +- accelerator$", _misspell(r"- (.*)$")),
    Mistake("requests", "request of the claim renamed", r"^ +- name: accelerator$", _swap("accelerator", "gpu"), f"{_REQUEST}|{_LISTED}"),
    Mistake("requests", "count of zero", r"^ +count:", lambda line, _rng: re.sub(r"\d+", "0", line)),
    Mistake("fields", "template field misspelt", r"resourceClaimTemplateName:", _misspell(r" (\w+):"), _NAME),
    Mistake("fields", "template field by another name", r"resourceClaimTemplateName:", _swap("Name:", ":"), _NAME),
    Mistake("fields", "claims in small letters", r"^ +resourceClaims:", _swap("Claims", "claims"), _NAME),
    Mistake("fields", "claims by another name", r"^ +claims:", _swap("claims", "claim"), _NAME),
    Mistake("fields", "request by another name", r"^ +request: ", _swap("request", "requests")),
    Mistake("fields", "class field misspelt", r"deviceClassName:", _misspell(r" (\w+):"), r"exactly:|deviceClass"),
    Mistake("fields", "count as text", r"^ +count:", lambda line, _rng: re.sub(r"(\d+)", r'"\1"', line)),
    Mistake("fields", "exactly by another name", r"^ +exactly:", _swap("exactly", "exact"), _LISTED),
    Mistake("CEL", "attribute misspelt", _ATTRIBUTE, _misspell(_ATTRIBUTE), r"expression:"),
    Mistake("CEL", "capacity misspelt", _CAPACITY, _misspell(_CAPACITY), r"expression:"),
    Mistake("CEL", "domain misspelt", r"device\.attributes\[", _misspell(r"\[\"([a-z.]+)\""), r"expression:"),
    Mistake("CEL", "quantity as number", r"compareTo", lambda line, _rng: re.sub(r"\.compareTo.*", " >= 40", line), r"expression:"),
    Mistake("CEL", "bracket forgotten", r"compareTo", _swap(")) >=", ") >="), r"expression:"),
    Mistake("CEL", "value that no device has", r"device\.attributes\[", lambda line, rng: re.sub(r'== "([^"]+)"', lambda found: f'== "{_misspelt(found[1], rng)}"', line), r"expression:"),
    Mistake("CEL", "unit that is none", r"quantity\(", _swap('Gi"', 'GB"'), r"expression:"),
    Mistake("CEL", "more than any device has", r"quantity\(", _swap('Gi"', 'Ti"'), r"expression:"),
    Mistake("CEL", "name with its domain in the quotes", _ATTRIBUTE, _take(r'"\]\.(\w+)', r'/\1"]'), r"expression:"),
    Mistake("wiring", "template named as a claim", r"resourceClaimTemplateName:", _swap("TemplateName", "Name"), _NAME),
    Mistake("wiring", "template left out of the kustomization", r"- (\./)?planted-template\.yaml$", _take(r"^.*$", ""), _REFERENCE),
    Mistake("wiring", "shape of v1 in v1beta1", r"^apiVersion: resource\.k8s\.io/v1$", _swap("/v1", "/v1beta1"), r"exactly:"),
    Mistake("wiring", "constraint without a domain", r"matchAttribute:", _take(r"resource\.kubernetes\.io/", "")),
    Mistake("wiring", "attribute of the constraint misspelt", r"matchAttribute:", _misspell(r"/(\w+)$")),
)  # fmt: skip


def plant(site: Site, mistake: Mistake, rng: Random) -> Iterator[Planted]:
    """The mistake at each line of the site where it can be made."""
    for name, (first, last) in site.added.items():
        if name not in site.open:
            continue
        lines = site.files[name].splitlines()
        for number in range(first, last + 1):
            line = lines[number - 1]
            if not re.search(mistake.line, line):
                continue
            changed = mistake.change(line, rng)
            text = "\n".join([*lines[: number - 1], changed, *lines[number:]]) + "\n"
            where = {(name, number)}
            if mistake.also:
                for path, (start, end) in site.added.items():
                    others = site.files[path].splitlines()
                    where |= {
                        (path, at)
                        for at in range(start, end + 1)
                        if re.search(mistake.also, others[at - 1])
                    }
            yield Planted(
                mistake.kind, f"{mistake.what}: {changed.strip()}", name, text, frozenset(where)
            )
