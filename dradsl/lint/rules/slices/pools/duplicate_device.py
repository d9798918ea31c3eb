"""DRA617: two slices of a pool publish a device of one name: the scheduler leaves the pool out."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.slices.pools.listed import SliceAt, pools_of
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA617"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pool in pools_of(run):
        seen: dict[str, tuple[SliceAt, int]] = {}
        for one in pool.newest:
            for index, device in one.devices():
                name = device.get("name")
                if not isinstance(name, str):
                    continue
                first, place = seen.setdefault(name, (one, index))
                if first is one:
                    continue  # twice in one slice: DRA610
                yield RuleFinding(
                    CODE,
                    one.manifest,
                    one.written(("spec", "devices", index, "name")),
                    f'another slice of the pool publishes a device "{name}": the scheduler uses no '
                    f'device of pool "{pool.name}"',
                    help="a device is in one slice of its pool",
                    upstream=f"duplicate device name {name}",
                    related=(
                        RelatedField(
                            "the other one",
                            first.manifest,
                            first.written(("spec", "devices", place, "name")),
                        ),
                    ),
                )
