"""The engines in dradsl beside those they follow: upstream's allocator, cel-go and cel-python, on the same questions.

The allocator is the oracle of tests/oracle (`make -C tests/oracle`); cel-go is the small program in benchmarks/celgo
(`go build -o DIR/celgo .` there), if it is on the PATH.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from benchmarks import allocator, cel
from benchmarks.measure import paired_calls
from dradsl._version import __version__
from dradsl.cel.dra import compile_selector, device_view
from tests.oracle import client

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Row", "allocators", "selectors"]

Row = tuple[str, str, float]
"""A name, a version, and seconds."""
_RUNS = 5
_NODES = 300
_SHAPES = ("pair", "eight", "all", "prioritized", "four claims")


def allocators(release: str) -> list[Row]:
    """Seconds for some shapes on all nodes of a fleet whose nodes differ; the answers have to agree."""
    try:
        oracle = client.binary(release)
        upstream = client.versions(release)["k8s.io/dynamic-resource-allocation"]
    except (client.MissingOracleError, KeyError):
        return []
    listed = list(allocator.slices(_NODES, different=True, partitions=False))
    text = json.dumps({"kind": "List", "items": listed}).encode()
    bench = allocator.Bench(release, text, [])
    warm = allocator.request("gpu", selector="device.driver != ''")
    bench.run([allocator.claim("warm", [warm])])
    ours, theirs = 0.0, 0.0
    for name in _SHAPES:
        claims = allocator.SHAPES[name]
        runs = [
            (bench.run(claims), allocator.upstream(oracle, claims, listed, []))
            for _ in range(_RUNS)
        ]
        for (_, fitting, _), (_, expected) in runs:
            if fitting != expected:
                raise AssertionError(f"{name}: {fitting} nodes fit, upstream says {expected}")
        ours += statistics.median(own[0] for own, _ in runs)
        theirs += statistics.median(other[0] for _, other in runs)
    return [("dradsl", __version__, ours), ("Kubernetes", upstream, theirs)]


def selectors() -> tuple[list[Row], list[Row]]:
    """Seconds to compile seven selectors, and to evaluate them for a device; the same devices have to match."""
    recorded = cel.devices(500)
    views = [device_view(cel.DRIVER, each) for each in recorded]
    values = [cel.peer_values(each) for each in recorded]
    totals: dict[str, list[float]] = {"dradsl": [0.0, 0.0], "cel-python": [0.0, 0.0]}
    expected = {}
    for name, text in cel.SELECTORS.items():
        selector, program = compile_selector(text, "1.36"), cel.peer_compile(text)
        expected[name] = cel.matching(selector.match, views)
        compiled = paired_calls(
            partial(compile_selector, text, "1.36"), partial(cel.peer_compile, text)
        )
        evaluated = paired_calls(
            partial(cel.matching, selector.match, views),
            partial(cel.peer_matching, program, values),
        )
        for each, at in (("dradsl", 0), ("cel-python", 1)):
            totals[each][0] += compiled[at]
            totals[each][1] += evaluated[at] / len(views)
    versions = {"dradsl": __version__, "cel-python": version("cel-python")}
    for name, said, answers in _cel_go(recorded):
        versions[name] = said
        if {key: each["matches"] for key, each in answers.items()} != expected:
            raise AssertionError("cel-go: not the same devices match")
        totals[name] = [sum(each[key] for each in answers.values()) for key in ("compile", "each")]
    return (
        [(name, versions[name], each[0]) for name, each in totals.items()],
        [(name, versions[name], each[1]) for name, each in totals.items()],
    )


def _cel_go(recorded: list[dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    program = shutil.which("celgo")
    if program is None:
        return
    devices = [cel.plain_values(each) for each in recorded]
    asked = {"selectors": cel.SELECTORS, "devices": devices, "runs": 9}
    done = subprocess.run(
        [program], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    yield "cel-go", answer["version"], answer["answers"]
