"""Which nodes to buy: two workloads on the cluster as it is, and with more nodes of three shapes.

    python examples/sweep/sweep.py [threads|processes|dask]

prints the table and writes its rows into `sweep.csv`.
"""

import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import dradsl
from dradsl import App, Fleet, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import gpu


def claim(name, count, *, together=False):
    app = App(for_release="1.37")
    request = Request("gpus", gpu, count=count, select=gpu.memory >= "40Gi")
    constraints = [same(gpu.pcieRoot, request)] if together else []
    app.add(ResourceClaimTemplate(name, requests=[request], constraints=constraints))
    return app


def nodes(number, gpus, memory, roots=1):
    made = Fleet()
    for root in range(roots):
        names = [f"{gpus}x{memory.lower()}-{n + 1}" for n in range(number)]
        attributes = {gpu.pcieRoot: f"pci0000:{root:02}"}
        made += Fleet.of(
            gpu,
            count=gpus // roots,
            nodes=names,
            attributes=attributes,
            capacity={gpu.memory: memory},
        )
    return made


@contextmanager
def executor(kind):
    if kind == "dask":
        from distributed import Client

        with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
            yield client.get_executor()
    else:
        made = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor}[kind]
        with made(2) as pool:
            yield pool


def main(kind="processes", folder="."):
    today = nodes(2, 4, "40Gi")
    fleets = {
        "today": today,
        "+2 x 8 GPUs": today + nodes(2, 8, "80Gi", roots=4),
        "+4 x 4 GPUs": today + nodes(4, 4, "80Gi"),
        "+8 x 2 GPUs": today + nodes(8, 2, "80Gi"),
    }
    workloads = {"serve": claim("serve", 1), "train": claim("train", 4, together=True)}
    with executor(kind) as pool:
        found = dradsl.sweep(workloads, fleets, executor=pool)
    sys.stdout.write(found.to_markdown())
    (Path(folder) / "sweep.csv").write_text(found.to_csv(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
