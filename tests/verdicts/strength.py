"""How strong the recorded corpora are: `python -m tests.verdicts.strength [allocator gates cel …]`.

Flips every switch of the release tables, takes out every test on the way to a device, every reason
of refusal and every CEL overload, one at a time, and replays until a recorded answer fails. What
survives is printed: a behaviour that no recorded case holds us to.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES, Release
from dradsl.replay import QuestionError, answer
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Mutant", "main", "mutants"]

Expected = tuple[tuple[Any, ...], ...]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of our code: what it is called, whom it concerns, and how it is made.

    `change` is a context in which the change is in force; `row` replaces the release's row. `variant`
    is the implementation of the allocator that is changed: only what it answers can notice.
    """

    name: str
    subjects: tuple[str, ...]
    release: str
    change: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    row: Release | None = None
    variant: str | None = None


class Bench:
    """The recorded cases that our code answers rightly as it is."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str], list[tuple[corpus.Case, Expected]]] = {}

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
        if mutant.variant is None:
            return self.cases(subject, mutant.release)
        key = (f"{subject} {mutant.variant}", mutant.release)
        if key not in self._cases:
            self._cases[key] = [
                pair
                for pair in self.cases(subject, mutant.release)
                if _variant(pair[0].question, RELEASES[mutant.release]) == mutant.variant
            ]
        return self._cases[key]

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


def _variant(question: Mapping[str, Any], release: Release) -> str:
    """Which implementation of the allocator answers."""
    from dradsl.allocator import switches
    from dradsl.replay.protocol import gates_of

    enabled = switches.allocator_features(gates_of(question, release))
    named = question.get("impl") or "auto"
    variants = switches.variants_of(release.name)
    return switches.choose_variant(variants, enabled, None if named == "auto" else named).name


def _answer(case: corpus.Case, release: Release) -> list[Any]:
    try:
        return answer(case.subject, case.question, release)
    except QuestionError as error:
        return [{"error": str(error), "errorKind": "input"}]
    except Exception as error:  # noqa: BLE001 - a broken mutant is a killed one
        return [{"error": repr(error)}]


def _other_values(value: Any) -> Iterator[Any]:
    """Every value that a switch could have instead, as far as its type tells."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, enum.Enum):
        yield from (other for other in type(value) if other is not value)
    elif isinstance(value, frozenset):
        yield from (value - {one} for one in sorted(value))
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, tuple) and value:
        yield value[:-1]


def _allocator() -> Iterator[Mutant]:
    """Every switch of every variant that a release may pick."""
    from dradsl.allocator import switches

    for release in RELEASES:
        row = switches._ROWS[release]
        for place, variant in enumerate(row):
            for field in dataclasses.fields(variant):
                if field.name == "name":
                    continue
                for value in _other_values(getattr(variant, field.name)):
                    changed = list(row)
                    changed[place] = dataclasses.replace(variant, **{field.name: value})
                    rows = {**switches._ROWS, release: tuple(changed)}
                    yield Mutant(
                        f"allocator {release} {variant.name}: {field.name} = {_shown(value)}",
                        ("alloc",),
                        release,
                        lambda rows=rows: mock.patch.object(switches, "_ROWS", rows),  # type: ignore[misc]
                        variant=None if field.name == "supports" else variant.name,
                    )


def _steps() -> Iterator[Mutant]:
    """Every test on the way to taking a device, taken out."""
    from dradsl.allocator import (
        capacity,
        cells,
        constraints,
        eligibility,
        nodes,
        pools,
        problem,
        search,
    )

    changes: list[tuple[str, Any, str, Any]] = [
        ("no taint blocks", cells, "blocking_taint", lambda *a, **k: None),
        ("constraints always hold", search, "make_constraint", lambda **k: _Anything()),
        ("an attribute is never found", problem, "lookup", lambda *a: None),
        ("node selectors match everything", nodes.NodeSelector, "matches", lambda *a: True),
        ("slices reach every node", pools.PoolGatherer, "_reaches", lambda *a: True),
        ("no slice is hidden by a gate", pools.PoolGatherer, "_hidden", lambda *a: False),
        ("duplicate devices are fine", pools, "_duplicate_device", lambda *a: None),
        ("counters need no definition", pools, "_wrong_counters", lambda *a: None),
        ("binding conditions change no order", pools, "_has_conditions", lambda *a: False),
        ("every selector holds", eligibility.Eligibility, "of", lambda *a, **k: True),
        ("capacity is never rounded", capacity, "_steps", lambda *a: 0),
        ("lists are no values", constraints, "_differs", lambda *a: True),
    ]
    for release in RELEASES:
        for name, target, attribute, replacement in changes:
            yield Mutant(
                f"allocator {release}: {name}",
                ("alloc",),
                release,
                lambda t=target, a=attribute, r=replacement: mock.patch.object(t, a, r),  # type: ignore[misc]
            )


class _Anything:
    """A constraint that nothing can break."""

    def add(self, *_: Any) -> bool:
        return True

    def remove(self, *_: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: True


def _gates() -> Iterator[Mutant]:
    """The default of every DRA gate."""
    for name, release in RELEASES.items():
        for gate in release.gates.values():
            if not gate.name.startswith("DRA"):
                continue
            changed = dataclasses.replace(gate, default=not gate.default)
            row = dataclasses.replace(
                release, gates=MappingProxyType({**release.gates, gate.name: changed})
            )
            subjects = ("validate", "alloc", "schedule", "cel")
            yield Mutant(f"gate {name}: {gate.name}", subjects, name, row=row)


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
                _other_values(value)
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
            values = [value + "x"] if isinstance(value, str) else list(_other_values(value))
            for other in values:
                change: dict[str, Any] = {field.name: other}
                table = {**context._RULES, release: dataclasses.replace(rules, **change)}
                yield Mutant(
                    f"validation {release}: {field.name} = {_shown(other)}",
                    ("validate", "pod"),
                    release,
                    lambda table=table: mock.patch.object(context, "_RULES", table),  # type: ignore[misc]
                )


def _shown(value: Any) -> str:
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(value)) + "}"
    return str(value)


MUTANTS: dict[str, Callable[[], Iterator[Mutant]]] = {
    "allocator": _allocator,
    "steps": _steps,
    "gates": _gates,
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
        else:
            chosen = [m for m in mutants(section) if options.release in (None, m.release)]
            total = len(chosen)
            left = []
            for mutant in chosen:
                if bench.kills(mutant) is None:
                    left.append(mutant.name)
                    sys.stdout.write(f"survives: {mutant.name}\n")
                    sys.stdout.flush()
        if section in COVERED:
            sys.stdout.write("".join(f"never seen: {section} {name}\n" for name in left))
        sys.stdout.write(f"{section}: {total - len(left)} of {total} killed\n")
        sys.stdout.flush()
        survivors += len(left)
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
