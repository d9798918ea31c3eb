"""The checks of one release over a long stream: its objects are looked at in portions.

Most rules say of an object what they say whichever objects are looked at with it: they look things up in the index, or
remember what holds for the run. These are asked of each portion, and only whether they find something. Then every
rule is asked once, in order: those for the objects in which they did, and the others for all objects, one
after another. So what is said once a file, or is counted, is as if all had been there at once.
"""

from __future__ import annotations

from array import array

from dradsl.lint.rules.api_server import api_server_findings
from dradsl.lint.rules.table import CHECKS
from dradsl.lint.view.long_objects import LongIndex, LongObjects, Picked
from dradsl.lint.view.long_run import LongRun
from dradsl.lint.view.words import BUILT, CUSTOM, PLAIN_GROUPS, QUALIFIED, RECORDED, VALUES, hold
from dradsl.text.documents import unusual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from dradsl.lint.engine.state import RunObjects
    from dradsl.lint.settings.config import LintConfig
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import Run
    from dradsl.releases import Features, Release
    from dradsl.values.deadline import Deadline

__all__ = ["check_in_portions", "long_run"]

_PORTION = 256  # objects


def _codes(first: int, last: int) -> set[str]:
    return {f"DRA{number:03d}" for number in range(first, last + 1)}


# What they find in an object, they find in it if they are shown no other one.
_OF_ONE_OBJECT = frozenset(
    {"DRA005", "DRA012", "DRA107", "DRA615", "DRA901", "DRA903", "DRA904", "DRA905", "DRA909"}
    | _codes(201, 229)
    | _codes(317, 339)
    | _codes(410, 423)
    | _codes(501, 506)
    | _codes(640, 642)
    | _codes(801, 807)
)


def long_run(
    state: RunObjects, release: Release, features: Features, config: LintConfig
) -> LongRun:
    """What rules may look at in a long stream."""
    objects = state.manifests
    assert isinstance(objects, LongObjects)  # noqa: S101 - of such a state alone it is asked
    return LongRun(
        release=release,
        features=features,
        config=config,
        manifests=(),
        reported=objects,
        index=LongIndex({}, {}, {}, {}, state.given, objects),
        inventory=state.inventory,
        sources=state.sources,
    )


def check_in_portions(
    run: Run,
    asked: AbstractSet[str],
    progress: Callable[[int], None] | None,
    deadline: Deadline,
    *,
    complete: bool,
) -> tuple[list[RuleFinding], int, bool]:
    """As `checks._check`, of a long stream: `run` is what `long_run` gave."""
    assert isinstance(run, LongRun)  # noqa: S101 - it is one
    objects = run.reported
    assert isinstance(objects, LongObjects)  # noqa: S101 - see `long_run`
    objects.expect(
        {
            word
            for _, _, needed in CHECKS
            for some in needed
            for word in some
            if isinstance(word, str)
        }
    )
    words = _Words(run, objects)
    checks = [
        (load(), codes, array("I"))
        for load, codes, needed in CHECKS
        if complete and not asked.isdisjoint(codes) and hold(words, needed)
    ]
    alone = [each for each in checks if _OF_ONE_OBJECT.issuperset(each[1])]
    found: list[RuleFinding] = []
    for start in range(0, len(objects), _PORTION):
        portion = tuple(objects[start : start + _PORTION])
        run.look_at(portion)
        for number, manifest in enumerate(portion, start):
            if deadline.is_over:
                run.walk(objects)
                return found, len(objects) - number, True
            found += api_server_findings(run, manifest)
            if progress is not None:
                progress(1)
        for check, _, numbers in alone:
            if not any(True for _ in check(run)):
                continue
            for number, manifest in enumerate(portion, start):
                run.look_at((manifest,), more=True)
                if any(True for _ in check(run)):
                    numbers.append(number)
            run.look_at(portion, more=True)
    run.forget()  # who asked for what first counts for some of it
    for check, codes, numbers in checks:
        if deadline.is_over:
            run.walk(objects)
            return found, 0, True
        if not _OF_ONE_OBJECT.issuperset(codes):
            run.walk(objects)
            found += check(run)
        elif numbers:
            run.walk(Picked(objects, numbers))
            found += check(run)
    run.walk(objects)
    return found, 0, not complete


class _Words:
    """The words of a long stream, as far as its text tells: it may have more than the data."""

    def __init__(self, run: LongRun, objects: LongObjects) -> None:
        self._run = run
        self._objects = objects

    def isdisjoint(self, words: Iterable[object]) -> bool:
        return not any(map(self._holds, words))

    def _holds(self, word: object) -> bool:
        if word == BUILT:
            return False
        if word == RECORDED:
            return bool(self._run.inventory)
        if word == CUSTOM:
            groups = {each.rpartition("/")[0] for each in self._objects.versions()}
            return not groups <= PLAIN_GROUPS
        if word == VALUES:
            return any(
                isinstance(data := document.data, dict)
                and ("apiVersion" not in data or "kind" not in data)
                for source in self._run.sources
                for document in unusual(source.stream.documents)
            )
        return word == QUALIFIED or not isinstance(word, str) or self._objects.may_say(word)
