"""How strong the recorded corpora are: `python -m tests.verdicts.strength [allocator gates cel …]`.

Flips every switch of the release tables, takes out every test on the way to a device, every reason
of refusal and every CEL overload, one at a time, and replays until a recorded answer fails. What
survives is printed: a behaviour that no recorded case holds us to.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES, Release
from dradsl.replay import QuestionError, answer
from tests.verdicts import allocator_mutants, corpus
from tests.verdicts.mutants import Mutant, other_values, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    try:
        return answer(case.subject, case.question, release)
    except QuestionError as error:
        return [{"error": str(error), "errorKind": "input"}]
    except Exception as error:  # noqa: BLE001 - a broken mutant is a killed one
        return [{"error": repr(error)}]


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


def _rules() -> Iterator[Mutant]:
    """The rows of validation."""
    from dradsl.kube.validation import context

    for release in RELEASES:
        rules = context._RULES[release]
        for field in dataclasses.fields(rules):
            value = getattr(rules, field.name)
            values = [value + "x"] if isinstance(value, str) else list(other_values(value))
            for other in values:
                change: dict[str, Any] = {field.name: other}
                table = {**context._RULES, release: dataclasses.replace(rules, **change)}
                yield Mutant(
                    f"validation {release}: {field.name} = {shown(other)}",
                    ("validate", "pod"),
                    release,
                    lambda table=table: mock.patch.object(context, "_RULES", table),  # type: ignore[misc]
                )


MUTANTS: dict[str, Callable[[], Iterator[Mutant]]] = {
    "allocator": allocator_mutants.allocator,
    "steps": allocator_mutants.steps,
    "gates": allocator_mutants.gates,
    "cel": _cel,
    "rules": _rules,
}


def mutants(section: str) -> Iterator[Mutant]:
    """The changes of a section."""
    return MUTANTS[section]()


# What is covered if a case that agrees uses it: taking it out would fail that case.


# What no question can reach, and why: not counted as surviving.
_OUT_OF_REACH = {
    "no variable of these types exists in a selector": (
        "authorizer_", "decision_", "groupcheck_", "pathcheck_", "resourcecheck_",
    ),
    "the protocol hands over objects with a kind, in a namespace": (
        "not-an-object", "missing-api-version", "missing-kind", "namespace-required",
        "namespace-on-cluster-kind",
    ),
    "kinds that are no subject of the oracle": ("too-many-group-claims", "kind-removed"),
    "the API server's own compiler never fails so": ("cel-internal-error", "cel-required"),
    "upstream crashes instead, which is recorded": ("range-step-crash",),
    "a pod is not created with ephemeral containers": ("resources-in-ephemeral-container",),
}  # fmt: skip


def _reachable(names: list[str]) -> list[str]:
    prefixes = tuple(prefix for group in _OUT_OF_REACH.values() for prefix in group)
    return [name for name in names if not name.startswith(prefixes)]


def _reasons(bench: Bench) -> tuple[int, list[str]]:
    """Reasons of refusal that no recorded refusal has."""
    from dradsl.kube import admission
    from dradsl.kube.validation.reasons import reasons

    seen: set[str] = set()
    original = admission.admit

    def watched(*args: Any, **kwargs: Any) -> admission.Admission:
        result = original(*args, **kwargs)
        seen.update(problem.error.reason for problem in result.problems)
        return result

    for release in RELEASES:
        for subject in ("validate", "pod"):
            cases = bench.cases(subject, release)
            with mock.patch.object(admission, "admit", watched), _watched_pods(seen):
                for case, _ in cases:
                    _answer(case, RELEASES[release])
    known = [row.id for row in _values(reasons())]
    return len(known), [name for name in known if name not in seen]


@contextlib.contextmanager
def _watched_pods(seen: set[str]) -> Iterator[None]:
    from dradsl.kube import pods

    original = pods.validate_pod_spec

    def watched(*args: Any, **kwargs: Any) -> Any:
        errors = original(*args, **kwargs)
        seen.update(error.reason for error in errors)
        return errors

    with mock.patch.object(pods, "validate_pod_spec", watched):
        yield


def _values(table: Any) -> list[Any]:
    return list(table.values()) if hasattr(table, "values") else list(table)


def _overloads(bench: Bench) -> tuple[int, list[str]]:
    """CEL overloads that no recorded expression resolves to."""
    from dradsl.cel.dra import compile_selector, device_environment

    used: set[str] = set()
    declared: set[str] = set()
    for name, release in RELEASES.items():
        table = device_environment(release, release.features(), "stored").functions
        for function in table.names:
            found = table.find(function)
            declared.update(overload.id for overload in (found.overloads if found else ()))
        for case, _ in bench.cases("cel", name):
            question = case.question
            mode = "new" if question.get("env") == "new" else "stored"
            selector = compile_selector(question["expression"], release, None, mode)  # type: ignore[arg-type]
            if selector.program is not None:
                for found_ids in selector.program.checked.references.values():
                    used.update(_ids(found_ids))
    return len(declared), sorted(declared - used)


def _ids(reference: Any) -> set[str]:
    if isinstance(reference, str):
        return {reference}
    overloads = getattr(reference, "overloads", reference)
    return {getattr(one, "id", str(one)) for one in overloads or ()}


COVERED = {"reasons": _reasons, "overloads": _overloads}


def _survivors(bench: Bench, section: str, release: str | None) -> tuple[int, list[str]]:
    """How many changes were tried, and the names of those that nothing noticed."""
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
            sys.stdout.write(f"survives: {mutant.name}\n")
            sys.stdout.flush()
    for reason, count in unseen.most_common():
        sys.stdout.write(f"{section}: {count} not tried: {reason}\n")
    return tried, left


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
        if section in COVERED:
            total, left = COVERED[section](bench)
            left = _reachable(left)
            sys.stdout.write("".join(f"never seen: {section} {name}\n" for name in left))
        else:
            total, left = _survivors(bench, section, options.release)
        sys.stdout.write(f"{section}: {total - len(left)} of {total} killed\n")
        sys.stdout.flush()
        survivors += len(left)
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
