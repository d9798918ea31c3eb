"""How strong the recorded corpora are: `python -m tests.verdicts.strength [allocator gates cel …]`.

Flips every switch of the release tables, takes out every test on the way to a device, every reason
of rejection and every CEL overload (or lets it fail, or cost more), one at a time, and replays until a
recorded answer fails. What survives is printed: a behaviour that no recorded case holds us to.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES, Release, table, validation_of
from tests.replay import answer_or_failure
from tests.verdicts import allocator_mutants, corpus, covered, plugin_mutants
from tests.verdicts.mutants import Mutant, other_values, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dradsl.releases.server import Validation

__all__ = ["Bench", "main", "mutants"]

Expected = tuple[tuple[Any, ...], ...]


class Bench:
    """The recorded cases that our code answers rightly as it is."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str], list[tuple[corpus.Case, Expected]]] = {}
        self._concerned: dict[tuple[str, str, str], list[tuple[corpus.Case, Expected]]] = {}

    def cases(self, subject: str, release: str) -> list[tuple[corpus.Case, Expected]]:
        key = (subject, release)
        if key not in self._cases:
            found = []
            for path in sorted(corpus.corpora(subject), key=lambda p: p.stat().st_size):
                for case in corpus.read_corpus(path):
                    expected = case.answers.get(release)
                    if expected and corpus.agree(
                        subject, expected, _answer(case, RELEASES[release])
                    ):
                        found.append((case, expected))
            # Cases that releases answer differently are the likely ones to notice a change.
            found.sort(key=lambda pair: len(set(map(str, pair[0].answers.values()))), reverse=True)
            self._cases[key] = found
        return self._cases[key]

    def concerned(self, mutant: Mutant, subject: str) -> list[tuple[corpus.Case, Expected]]:
        """The cases that could notice; the list is the bench's own, to be kept in a good order."""
        cases = self.cases(subject, mutant.release)
        if mutant.touches is None:
            return cases
        key = (subject, mutant.release, mutant.group or mutant.name)
        if key not in self._concerned:
            self._concerned[key] = [pair for pair in cases if mutant.touches(pair[0].question)]
        return self._concerned[key]

    def kills(self, mutant: Mutant) -> str | None:
        """The first case that fails because of the change; None if all still agree."""
        release = mutant.row or RELEASES[mutant.release]
        for subject in mutant.subjects:
            cases = self.concerned(mutant, subject)
            with mutant.change():
                for place, (case, expected) in enumerate(cases):
                    if not corpus.agree(subject, expected, _answer(case, release)):
                        # What kills one change often kills its neighbours.
                        cases.insert(0, cases.pop(place))
                        return case.name
        return None


def _answer(case: corpus.Case, release: Release) -> list[Any]:
    """Our answer as the code is now; a change that breaks it shows as a failure."""
    return answer_or_failure(case.subject, case.question, release)


def _cel() -> Iterator[Mutant]:
    """The columns of CEL in the table of releases."""
    others: dict[str, list[Any]] = {
        "cel_go": sorted({release.cel.cel_go for release in RELEASES.values()}),
        "includes": [None, "bounded", "library"],
    }
    for name, release in RELEASES.items():
        for field in dataclasses.fields(release.cel):
            value = getattr(release.cel, field.name)
            values = [v for v in others.get(field.name, ()) if v != value] or list(
                other_values(value)
            )
            for other in values:
                libraries = dataclasses.replace(release.cel, **{field.name: other})
                row = dataclasses.replace(release, cel=libraries)
                yield Mutant(f"cel {name}: {field.name} = {other}", ("cel",), name, row=row)


_UNSEEN_RULES = {
    (
        "1.34",
        "declarative",
    ): "the gate of declarative rules comes with 1.36, and fields whose rules "
    "need no gate come later still: pkg/features/kube_features.go of 1.34.10 and 1.35.8",
    ("1.37", "template_update_spec"): "what an update would be told once more is told already: "
    "stored expressions are not compiled, pkg/apis/resource/validation/validation.go of 1.37.1",
}
_UNSEEN_RULES["1.35", "declarative"] = _UNSEEN_RULES["1.34", "declarative"]


@contextlib.contextmanager
def _validating(release: str, rules: Validation) -> Iterator[None]:
    """With other switches of validation in a release."""
    try:
        column = table.NAMES.index(release)
        rows = {
            name: (*row[:column], getattr(rules, name), *row[column + 1 :])
            for name, row in table.VALIDATION.items()
        }
        with mock.patch.dict(table.VALIDATION, rows):
            _forget()
            yield
    finally:
        _forget()


def _forget() -> None:
    from dradsl.kube.server import gates

    validation_of.cache_clear()
    gates._rows_in_force.cache_clear()
    gates._gated_fields.cache_clear()


def _rules() -> Iterator[Mutant]:
    """The rows of validation."""
    for release in RELEASES:
        rules = validation_of(release)
        for field in dataclasses.fields(rules):
            value = getattr(rules, field.name)
            values = [value + "x"] if isinstance(value, str) else list(other_values(value))
            for other in values:
                change: dict[str, Any] = {field.name: other}
                changed = dataclasses.replace(rules, **change)
                yield Mutant(
                    f"validation {release}: {field.name} = {shown(other)}",
                    ("validate", "pod"),
                    release,
                    functools.partial(_validating, release, changed),
                    unseen=_UNSEEN_RULES.get((release, field.name), ""),
                )


MUTANTS: dict[str, Callable[[], Iterator[Mutant]]] = {
    "allocator": allocator_mutants.allocator,
    "steps": allocator_mutants.steps,
    "gates": allocator_mutants.gates,
    "plugin": plugin_mutants.plugin,
    "cel": _cel,
    "rules": _rules,
}


def mutants(section: str) -> Iterator[Mutant]:
    """The changes of a section."""
    return MUTANTS[section]()


COVERED = {"reasons": covered.reasons, "overloads": covered.overloads}


def _survivors(bench: Bench, section: str, release: str | None) -> covered.Outcome:
    """How many changes were tried, which nothing noticed, and how many nothing can notice."""
    if section in COVERED:
        return COVERED[section](bench, release)
    unseen: Counter[str] = Counter()
    tried, left = 0, []
    for mutant in mutants(section):
        if release not in (None, mutant.release):
            continue
        if mutant.unseen:
            unseen[mutant.unseen] += 1
            continue
        tried += 1
        if bench.kills(mutant) is None:
            left.append(mutant.name)
    return tried, left, unseen


def main(arguments: list[str] | None = None) -> int:
    """Prints what survives; succeeds if nothing does."""
    sections = [*MUTANTS, *COVERED]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=sections)
    parser.add_argument("--release", help="only this one")
    options = parser.parse_args(arguments)
    bench = Bench()
    survivors = 0
    for section in options.sections:
        tried, left, unseen = _survivors(bench, section, options.release)
        sys.stdout.write("".join(f"survives: {section} {name}\n" for name in left))
        for reason, count in unseen.most_common():
            sys.stdout.write(f"{section}: {count} not tried: {reason}\n")
        sys.stdout.write(f"{section}: {tried - len(left)} of {tried} killed\n")
        sys.stdout.flush()
        survivors += len(left)
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
