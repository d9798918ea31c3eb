"""Objects broken at random, each put to one release: the questions of validate/mutated.

Random objects are kept as long as they show something new: a reason of rejection, in an API version,
that fewer than two kept ones show, or lines of our code that no other runs in that release.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.kube.asking import ask
from tests.kube.mutations import Question, question

if TYPE_CHECKING:
    from types import FrameType

_TRIES = 40_000
_ENOUGH = 2
_OURS = "/dradsl/kube/"


class _Lines:
    """The lines of dradsl.kube that run inside a `with`."""

    def __init__(self) -> None:
        self.found: set[tuple[str, ...]] = set()

    def __enter__(self) -> set[tuple[str, ...]]:
        sys.settrace(self._call)
        return self.found

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, _: object) -> Any:
        return self._line if _OURS in frame.f_code.co_filename else None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        self.found.add((frame.f_code.co_filename, str(frame.f_lineno)))
        return self._line


def questions() -> list[Question]:
    """The objects that are kept."""
    random = Random(2026)
    seen: Counter[tuple[str, ...]] = Counter()
    kept: list[Question] = []
    for turn in range(_TRIES):
        release = RELEASES[list(RELEASES)[turn % len(RELEASES)]]
        asked = question(release, random)
        if len(str(asked)) > 20_000:
            continue
        with _Lines() as lines:
            answer = ask(
                asked["object"],
                release.name,
                asked["features"],
                old=asked.get("old"),
                subresource=asked.get("subresource"),
                labels=asked.get("namespaceLabels", {}),
            )
        update = "update" if "old" in asked else "create"
        shows = {
            (p.error.reason, p.error.type, str(p.error.declarative), answer.version, update)
            for p in answer.problems
        } or {("accepted", answer.kind, answer.version, update, release.name)}
        new = {(release.name, *line) for line in lines} - seen.keys()
        if new or any(seen[sign] < _ENOUGH for sign in shows):
            seen.update(shows | new)
            kept.append({"id": len(kept), "releases": [release.name], **asked})
    return kept
