"""Strength of what is too much to be switched one by one: CEL overloads and reasons of rejection.

Who uses what is noted once; a change is then put only to the cases that it concerns.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.releases import RELEASES
from tests.replay import answer
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Protocol

    Expected = tuple[tuple[Any, ...], ...]
    Asked = tuple[corpus.Case, Expected]

    class Bench(Protocol):
        """The recorded cases that our code answers rightly as it is."""

        def cases(self, subject: str, release: str) -> list[Asked]: ...


__all__ = ["overloads", "reasons"]

Outcome = tuple[int, list[str], "Counter[str]"]
"""How many changes were tried, which nothing noticed, and how many nothing can notice, by why."""

_MOST_TRIES = 200


def _unseen(name: str, groups: Mapping[str, tuple[str, ...]]) -> str | None:
    """Why no question can notice a change of this name, if that is so."""
    return next((why for why, prefixes in groups.items() if name.startswith(prefixes)), None)


def _notices(asked: Iterable[Asked], release: str) -> bool:
    """Whether one of the cases fails now."""
    for case, expected in asked:
        try:
            found = answer(case.subject, case.question, RELEASES[release])
        except Exception:  # noqa: BLE001 - a broken mutant is a killed one
            return True
        if not corpus.agree(case.subject, expected, found):
            return True
    return False


# -- CEL -----------------------------------------------------------------------------------

# Why no question can reach them.
_UNSEEN_OVERLOADS = {
    "no variable of a selector has these types: apiserver pkg/cel/library/authz.go, "
    "dynamic-resource-allocation cel/compile.go, all releases": (
        "authorizer_", "decision_", "groupcheck_", "pathcheck_", "resourcecheck_",
    ),
}  # fmt: skip


def overloads(bench: Bench, only: str | None) -> Outcome:
    """Every overload of every release: taken out, failing, dearer to run, dearer by estimate."""
    tried, left, unseen = 0, [], Counter[str]()
    for release in (name for name in RELEASES if only in (None, name)):
        uses = _uses_of_overloads(bench, release)
        for overload in sorted(_declared(release)):
            if reason := _unseen(overload, _UNSEEN_OVERLOADS):
                unseen[reason] += 1
                continue
            for change, asked, made in _changes(overload, uses.get(overload, _Uses())):
                tried += 1
                with made:
                    killed = _notices(asked[:_MOST_TRIES], release)
                if not killed:
                    left.append(f"{release}: {overload} {change}")
    return tried, left, unseen


@dataclasses.dataclass(slots=True)
class _Uses:
    """Cases by what they do with an overload."""

    resolved: list[Asked] = dataclasses.field(default_factory=list)
    estimated: list[Asked] = dataclasses.field(default_factory=list)
    run: list[Asked] = dataclasses.field(default_factory=list)
    paid: list[Asked] = dataclasses.field(default_factory=list)


def _declared(release: str) -> set[str]:
    from dradsl.cel.dra import device_environment
    from tests.replay.protocol import gates_of

    row = RELEASES[release]
    found: set[str] = set()
    for features in ("defaults", "all"):
        table = device_environment(row, gates_of({"features": features}, row), "stored").functions
        for name in table.names:
            function = table.find(name)
            found.update(overload.id for overload in (function.overloads if function else ()))
    return found


def _uses_of_overloads(bench: Bench, release: str) -> Mapping[str, _Uses]:
    uses: dict[str, _Uses] = defaultdict(_Uses)
    with _watched_overloads() as seen:
        for pair in bench.cases("cel", release):
            for names in seen.values():
                names.clear()
            answer("cel", pair[0].question, RELEASES[release])
            for how, names in seen.items():
                for overload in names:
                    getattr(uses[overload], how).append(pair)
    for found in uses.values():
        for asked in (found.resolved, found.estimated, found.run, found.paid):
            asked.sort(key=lambda pair: len(pair[0].question["expression"]))
    return uses


@contextlib.contextmanager
def _watched_overloads() -> Iterator[Mapping[str, set[str]]]:
    """The overloads that are met, by what is done with them."""
    from dradsl.cel import dialects
    from dradsl.cel.compile import Program
    from dradsl.cel.cost import actual as meter, estimate_calls as costs
    from dradsl.cel.cost.actual_calls import actual_call_cost

    seen: dict[str, set[str]] = {field.name: set() for field in dataclasses.fields(_Uses)}
    start, call_cost = Program.__init__, costs.call_cost
    base_functions = dialects.base_functions

    def started(program: Program, text: str, checked: Any, environment: Any) -> None:
        for reference in checked.references.values():
            seen["resolved"].update(reference.overloads)
        start(program, text, checked, environment)

    def priced(function: str, overload: str, dialect: Any) -> Any:
        seen["paid"].add(overload)
        return actual_call_cost(function, overload, dialect)

    def estimated(coster: Any, node: Any, function: str, overload: str, *rest: Any) -> Any:
        seen["estimated"].add(overload)
        return call_cost(coster, node, function, overload, *rest)

    def watched(name: str, body: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            seen["run"].add(name)
            return body(*args)

        return run

    def functions(dialect: Any) -> Mapping[str, Any]:
        return {name: watched(name, body) for name, body in base_functions(dialect).items()}

    with (
        mock.patch.object(Program, "__init__", started),
        mock.patch.object(meter, "actual_call_cost", priced),
        mock.patch.object(costs, "call_cost", estimated),
        mock.patch.object(dialects, "base_functions", functions),
    ):
        yield seen


Change = contextlib.AbstractContextManager[Any]


def _changes(overload: str, uses: _Uses) -> Iterator[tuple[str, list[Asked], Change]]:
    """What is done to an overload, with the cases that could notice."""
    from dradsl.cel.dialects import DIALECTS, base_functions

    yield "gone", uses.resolved, _without(overload)
    if uses.estimated:
        yield "estimated dearer", uses.estimated, _estimated_dearer(overload)
    if overload in base_functions(DIALECTS["0.26"]):
        yield "fails", uses.run, _failing(overload)
    if uses.paid:
        yield "costs more", uses.paid, _dearer(overload)


@contextlib.contextmanager
def _without(overload: str) -> Iterator[None]:
    from dradsl.cel import dra
    from dradsl.cel.dialects import DIALECTS

    fewer = {
        name: dataclasses.replace(dialect, without=dialect.without | {overload})
        for name, dialect in DIALECTS.items()
    }
    dra._environment.cache_clear()
    try:
        with mock.patch.object(dra, "DIALECTS", fewer):
            yield
    finally:
        dra._environment.cache_clear()


def _failing(overload: str) -> Change:
    from dradsl.cel import dialects
    from dradsl.cel.runtime.values import CelRuntimeError

    base_functions = dialects.base_functions

    def fail(*_: Any) -> Any:
        raise CelRuntimeError("a mutant fails")

    return mock.patch.object(
        dialects, "base_functions", lambda dialect: {**base_functions(dialect), overload: fail}
    )


def _dearer(overload: str) -> Change:
    from dradsl.cel.cost import actual as meter
    from dradsl.cel.cost.actual_calls import actual_call_cost

    def dearer(function: str, own: str, dialect: Any) -> Any:
        price = actual_call_cost(function, own, dialect)
        return (lambda args, result: price(args, result) + 1) if own == overload else price

    return mock.patch.object(meter, "actual_call_cost", dearer)


def _estimated_dearer(overload: str) -> Change:
    from dradsl.cel.cost import estimate_calls as costs
    from dradsl.cel.cost.ranges import fixed

    call_cost = costs.call_cost

    def dearer(coster: Any, node: Any, function: str, own: str, *rest: Any) -> Any:
        found = call_cost(coster, node, function, own, *rest)
        if own != overload:
            return found
        return dataclasses.replace(found, cost=found.cost.plus(fixed(1)))

    return mock.patch.object(costs, "call_cost", dearer)


# -- validation ----------------------------------------------------------------------------

_UNSEEN_REASONS = {
    "the protocol hands over objects": ("not-an-object",),
    "the namespace of a request is set or cleared before: apiserver pkg/registry/rest/meta.go, all "
    "releases": ("namespace-required", "namespace-on-cluster-kind"),
}  # fmt: skip


def reasons(bench: Bench, only: str | None) -> Outcome:
    """Every reason of rejection: errors that have it are left out."""
    from tests.kube.reasons import reasons as all_reasons

    uses = _uses_of_reasons(bench, [name for name in RELEASES if only in (None, name)])
    tried, left, unseen = 0, [], Counter[str]()
    for reason in all_reasons():
        if why := _unseen(reason, _UNSEEN_REASONS):
            unseen[why] += 1
            continue
        tried += 1
        with _unsaid({reason}):
            if not any(_notices([pair], release) for pair, release in uses.get(reason, ())):
                left.append(reason)
    return tried, left, unseen


def _uses_of_reasons(bench: Bench, releases: list[str]) -> Mapping[str, list[tuple[Asked, str]]]:
    uses: dict[str, list[tuple[Asked, str]]] = defaultdict(list)
    for release in releases:
        for subject in ("validate", "pod"):
            for pair in bench.cases(subject, release):
                seen: set[str] = set()
                with _unsaid(set(), seen):
                    answer(subject, pair[0].question, RELEASES[release])
                for reason in seen:
                    if len(uses[reason]) < _MOST_TRIES:
                        uses[reason].append((pair, release))
    return uses


@contextlib.contextmanager
def _unsaid(unsaid: set[str], seen: set[str] | None = None) -> Iterator[None]:
    """Leaves out errors for some reasons, and notes the reasons of the others."""
    from dradsl.kube.server.api_server import ApiServer

    def kept(reason: str) -> bool:
        if seen is not None:
            seen.add(reason)
        return reason not in unsaid

    def admitting(name: str) -> Any:
        asked = getattr(ApiServer, name)

        def answer(*args: Any, **kwargs: Any) -> Any:
            result = asked(*args, **kwargs)
            problems = tuple(problem for problem in result.problems if kept(problem.error.reason))
            return dataclasses.replace(result, problems=problems)

        return answer

    pod = ApiServer.pod

    def checked(*args: Any, **kwargs: Any) -> Any:
        return [error for error in pod(*args, **kwargs) if kept(error.reason)]

    doors = {name: admitting(name) for name in ("create", "update", "update_status", "group")}
    with mock.patch.multiple(ApiServer, pod=checked, **doors):
        yield
