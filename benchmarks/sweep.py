"""`dradsl.sweep`: a thousand scenarios, worked out by one thread, by processes, and by Dask's local cluster.

25 workloads (1 to 8 GPUs, behind one PCIe root or not, of a model, with a threshold of memory) on 40 fleets: the recorded ones
of `examples/inventory` with GPUs of NVIDIA, and made ones of 1 to 8 nodes of 4 or 8 GPUs. The peer is the loop without an
executor. `python -m benchmarks.sweep FOLDER` writes the table and the picture there.
"""

from __future__ import annotations

import itertools
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dradsl
from dradsl import App, Fleet, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import gpu

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.dsl.expressions.attributes import Attribute

_RECORDED = sorted(Path(__file__).parents[1].glob("examples/inventory/gpu.nvidia.com-*"))
_FLEETS = 40


def workloads() -> dict[str, App]:
    """25 apps of one claim template each."""
    found = {}
    for count in (1, 2, 3, 4, 6, 8):
        for words, select, together in (
            ("any", None, False),
            ("one root", None, True),
            ("80Gi", gpu.memory >= "80Gi", False),
            ("H100", gpu.productName == "NVIDIA H100 80GB HBM3", False),
        ):
            found[f"{count} x {words}"] = _app(count, select, together=together)
    found["1 x Hopper"] = _app(1, gpu.architecture == "Hopper", together=False)
    return found


def _app(count: int, select: dradsl.Expression | None, *, together: bool) -> App:
    app = App(for_release="1.37")
    request = Request("gpus", gpu, count=count, select=select)
    constraints = [same(gpu.pcieRoot, request)] if together else []
    app.add(ResourceClaimTemplate("claim", requests=[request], constraints=constraints))
    return app


def fleets() -> dict[str, Fleet]:
    """40 fleets: recorded ones, and made ones of growing size."""
    found = {path.name.removeprefix("gpu.nvidia.com-"): Fleet.from_file(path) for path in _RECORDED}
    shapes = itertools.product(
        (
            ("H100", "NVIDIA H100 80GB HBM3", "Hopper", "80Gi"),
            ("A100", "NVIDIA A100-SXM4-40GB", "Ampere", "40Gi"),
        ),
        (4, 8),
        range(1, 9),
    )
    for (name, model, architecture, memory), count, nodes in itertools.islice(
        shapes, _FLEETS - len(found)
    ):
        attributes: dict[Attribute | str, str] = {
            gpu.productName: model,
            gpu.architecture: architecture,
            gpu.pcieRoot: "pci0000:10",
        }
        found[f"{nodes} x {count} {name}"] = Fleet.of(
            gpu, count=count, nodes=nodes, attributes=attributes, capacity={gpu.memory: memory}
        )
    return found


def main() -> None:
    """Time the ways, and compare their tables."""
    asked, given = workloads(), fleets()
    first, alone = _timed(lambda: dradsl.sweep(asked, given))
    sys.stdout.write(f"{len(first)} scenarios: one thread {alone:.1f} s\n")
    for number in (1, 2):
        with ProcessPoolExecutor(number) as pool:
            found, seconds = _timed(lambda: dradsl.sweep(asked, given, executor=pool))
        _say(f"processes: {number}", found == first, seconds, alone)
    try:
        from distributed import Client
    except ImportError:
        sys.stdout.write("Dask is not installed: pip install distributed\n")
        return
    client: Any = Client
    with client(n_workers=2, threads_per_worker=1, dashboard_address=None) as dask:
        pool = dask.get_executor()
        found, seconds = _timed(lambda: dradsl.sweep(asked, given, executor=pool))
        _say("Dask, workers: 2", found == first, seconds, alone)
    if sys.argv[1:]:
        folder = Path(sys.argv[1])
        (folder / "sweep.csv").write_text(first.to_csv(), "utf-8")


def _timed(work: Callable[[], dradsl.Sweep]) -> tuple[dradsl.Sweep, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def _say(name: str, same_table: bool, seconds: float, alone: float) -> None:
    table = "the same table" if same_table else "ANOTHER TABLE"
    sys.stdout.write(f"{name}: {seconds:.1f} s, {seconds / alone:.2f} of one thread; {table}\n")


if __name__ == "__main__":
    main()
