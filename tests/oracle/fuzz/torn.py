"""Allocation on pools that are torn: slices on several nodes that share a pool's name, by mistake or
while a driver publishes anew, so that each node takes its own for the whole pool."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import alloc

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["generate"]

Json = dict[str, Any]

_THEMES = ("all", "generations", "groups", "incomplete", "per-device", "prioritized", "shares",
           "selectors", "together", "topology")  # fmt: skip
_ALWAYS = ("counters", "state")


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `alloc` without end."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        chosen = frozenset({*_ALWAYS, *one.sample(_THEMES, one.choice((0, 1, 2, 3)))})
        question = alloc.question(one, chosen)
        _tear(one, question)
        yield {"id": f"torn-{seed:x}", **question}


def _tear(rng: random.Random, question: Json) -> None:
    """Gives pools on different nodes one name; what is allocated of them goes along."""
    pools = [one["spec"]["pool"] for one in question["slices"]]
    new = {pool["name"]: f"pool{rng.choice((0, 0, 0, 1))}" for pool in pools}
    generation = rng.random() < 0.7
    for pool in pools:
        pool["name"] = new[pool["name"]]
        if generation:
            pool["generation"] = 1
    for key in ("allocated", "allocatedShared", "consumedCapacity"):
        for place in question[key]:
            place["pool"] = new[place["pool"]]
    for number, one in enumerate(question["slices"]):
        one["metadata"]["name"] += f"-{number}"
