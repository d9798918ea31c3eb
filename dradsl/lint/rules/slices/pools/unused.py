"""DRA617, DRA618, DRA619: why the scheduler leaves out a pool, or some of its slices."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.slices.pools.listed import PoolOfFile, SliceAt, pools_of
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

_DUPLICATE_DEVICE = "DRA617"
_SLICE_COUNT = "DRA618"
_OLD_GENERATION = "DRA619"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pool in pools_of(run):
        yield from _duplicate_devices(pool)
        yield from _slice_count(pool)
        newest = pool.newest[0].generation
        for one in pool.slices:
            if one.generation != newest:
                yield RuleFinding(
                    _OLD_GENERATION,
                    one.manifest,
                    one.written(("spec", "pool", "generation")),
                    f'pool "{pool.name}" has slices of generation {newest}: the devices of this one, of '
                    f"generation {one.generation}, are not used",
                    help="give all slices of a pool one generation",
                    # A driver that is at work writes its slices one after the other.
                    severity=Severity.INFO if one.recorded else None,
                )


def _duplicate_devices(pool: PoolOfFile) -> Iterator[RuleFinding]:
    seen: dict[str, tuple[SliceAt, int]] = {}
    for one in pool.newest:
        for index, device in one.devices():
            name = device.get("name")
            if not isinstance(name, str):
                continue
            first, place = seen.setdefault(name, (one, index))
            if first is one:
                continue  # twice in one slice: DRA610
            related = RelatedField(
                "the other one",
                first.manifest,
                first.written(("spec", "devices", place, "name")),
            )
            yield RuleFinding(
                _DUPLICATE_DEVICE,
                one.manifest,
                one.written(("spec", "devices", index, "name")),
                f'another slice of the pool publishes a device "{name}": the scheduler uses no '
                f'device of pool "{pool.name}"',
                help="a device is in one slice of its pool",
                upstream=f"duplicate device name {name}",
                related=(related,),
            )


def _slice_count(pool: PoolOfFile) -> Iterator[RuleFinding]:
    found = len(pool.newest)
    for one in pool.newest:
        announced = one.pool.get("resourceSliceCount")
        if isinstance(announced, int) and announced not in (0, found):
            verb = "is" if found == 1 else "are"
            yield RuleFinding(
                _SLICE_COUNT,
                one.manifest,
                one.written(("spec", "pool", "resourceSliceCount")),
                f'pool "{pool.name}" announces {announced} slices, and {found} {verb} here: the scheduler uses '
                "the pool only if the numbers agree",
                help="write the number of slices of this generation into each of them",
                # Others may be in files that are not shown; too many cannot go away.
                severity=Severity.INFO if announced > found else None,
            )
            return
