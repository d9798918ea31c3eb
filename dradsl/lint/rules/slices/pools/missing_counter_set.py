"""DRA620: a device takes from a counter set that no slice of its pool has: the pool is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.rules.slices.pools.listed import PoolOfFile, SliceAt, pools_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA620"
WORDS = ("ResourceSlice", "consumesCounters")


def check(run: Run) -> Iterator[RuleFinding]:
    for pool in pools_of(run):
        if not pool.whole:
            continue  # a slice that is not here may have it
        sets = dict(_sets(pool))
        for one in pool.newest:
            for path, use in _uses(one):
                name, counters = use.get("counterSet"), use.get("counters")
                if not isinstance(name, str):
                    continue
                lacks = _lacks(sets, name, counters if isinstance(counters, dict) else {})
                if lacks is not None:
                    at, text, upstream = lacks
                    yield RuleFinding(
                        CODE,
                        one.manifest,
                        one.written((*path, *at)),
                        f'{text}: the scheduler uses no device of pool "{pool.name}"',
                        help="add it under sharedCounters of a slice of the pool",
                        upstream=upstream,
                    )


def _sets(pool: PoolOfFile) -> Iterator[tuple[str, frozenset[str]]]:
    for one in pool.newest:
        for each in one.spec.get("sharedCounters") or ():
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield each["name"], frozenset(each.get("counters") or ())


def _uses(one: SliceAt) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, object]]]:
    for index, device in one.devices():
        for number, use in enumerate(device.get("consumesCounters") or ()):
            if isinstance(use, dict):
                yield ("spec", "devices", index, "consumesCounters", number), use


def _lacks(
    sets: Mapping[str, frozenset[str]], name: str, counters: Mapping[str, object]
) -> tuple[tuple[str, ...], str, str] | None:
    if name not in sets:
        text = f'no slice of the pool has a counter set "{name}"'
        return ("counterSet",), text, f"counter set {name} not found"
    for each in counters:
        if each not in sets[name]:
            text = f'counter set "{name}" has no counter "{each}"'
            return ("counters", each), text, f"counter {each} not found in counter set {name}"
    return None
