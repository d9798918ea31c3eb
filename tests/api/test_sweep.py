"""`dradsl.sweep`: the same table, whoever works it out."""

from __future__ import annotations

import csv
import io
import pickle
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dradsl
from dradsl import App, Fleet, PodClaim, Request, ResourceClaimTemplate, same
from dradsl.devices.nvidia import gpu

if TYPE_CHECKING:
    from collections.abc import Callable


def app(count: int, *, together: bool = False) -> App:
    made = App(for_release="1.37")
    request = Request("gpus", gpu, count=count)
    constraints = [same(gpu.pcieRoot, request)] if together else []
    made.add(ResourceClaimTemplate("train", requests=[request], constraints=constraints))
    return made


def fleet(nodes: int, count: int) -> Fleet:
    return Fleet.of(gpu, count=count, nodes=nodes, attributes={gpu.pcieRoot: "pci0000:10"})


def grid(workloads: int = 3, fleets: int = 3) -> tuple[dict[str, Any], dict[str, Fleet]]:
    return (
        {f"{n} GPUs": app(n, together=n == 2) for n in range(1, workloads + 1)},
        {f"{n} nodes": fleet(n, 4) for n in range(1, fleets + 1)},
    )


class OnlySubmits(Executor):
    """An executor as the standard asks for it at least; what it gets and gives is pickled, as over a wire."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        work, given = pickle.loads(pickle.dumps((fn, args)))
        future.set_result(pickle.loads(pickle.dumps(work(*given))))
        return future


def test_a_row_says_what_fits_and_why_not() -> None:
    found = dradsl.sweep({"two": app(2), "five": app(5)}, {"small": fleet(3, 4)})
    two, five = found
    assert (two.fleet, two.workload, two.answer) == ("small", "two", "fits")
    assert (two.pods, two.starting, two.replicas) == (1, 1, 6)
    assert (two.nodes, two.devices, two.reason) == (3, 12, "")
    assert (five.answer, five.starting, five.replicas) == ("never", 0, 0)
    assert "no node" in five.reason


def test_the_numbers_are_those_of_the_functions_for_one_scenario() -> None:
    workloads, fleets = grid()
    for row in dradsl.sweep(workloads, fleets):
        objects, given = workloads[row.workload], fleets[row.fleet]
        assert row.replicas == min(dradsl.fit(objects, given).values())
        result = dradsl.simulate(objects, given)
        assert row.starting == sum(pod.fits for pod in result.pods)
        assert (row.answer == "fits") == result.fits


@pytest.mark.parametrize("make", [ThreadPoolExecutor, ProcessPoolExecutor, OnlySubmits])
def test_executors_give_the_same(make: Callable[..., Executor]) -> None:
    workloads, fleets = grid()
    alone = dradsl.sweep(workloads, fleets)
    with make() if make is OnlySubmits else make(2) as executor:
        assert dradsl.sweep(workloads, fleets, executor=executor) == alone
    assert len(alone) == 9


def test_a_cluster_of_dask() -> None:
    import distributed

    workloads, fleets = grid()
    local = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.Client(**local) as client:
        found = dradsl.sweep(workloads, fleets, executor=client.get_executor())
    assert found == dradsl.sweep(workloads, fleets)


def test_what_cannot_be_worked_out_is_a_row() -> None:
    slices = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": {"devices": 5}}
    found = dradsl.sweep({"a": app(1)}, {"broken": Fleet((slices,)), "good": fleet(1, 4)})
    assert [row.answer for row in found] == ["error", "fits"]
    assert "ResourceSlice" in found[0].reason
    data = [*app(1).to_dicts(), *app(1).to_dicts()]
    data[1]["metadata"]["name"] = "other"
    data[1]["spec"]["spec"]["devices"]["requests"][0]["name"] = "Not A Name"
    (row,) = dradsl.sweep({"a": data}, {"good": fleet(1, 4)})
    assert row.answer == "never"
    assert "Not A Name" in row.reason


def test_tables() -> None:
    workloads, fleets = grid()
    found = dradsl.sweep(workloads, fleets)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["replicas"] for row in rows] == [str(row.replicas) for row in found]
    assert found.to_dicts()[0]["workload"] == "1 GPUs"
    lines = found.to_markdown().splitlines()
    assert lines[0] == "| workload | 1 nodes | 2 nodes | 3 nodes |"
    assert lines[2] == "| 1 GPUs | 4 | 8 | 12 |"


def test_names_in_the_table_are_text() -> None:
    found = dradsl.sweep({"<b>&": app(1)}, {"x|y": fleet(1, 1)})
    assert "x\\|y" in found.to_markdown()


def test_paths_are_read_once_by_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "app.yaml"
    path.write_text(app(2).to_yaml(), "utf-8")
    (row,) = dradsl.sweep({"file": str(path)}, {"f": fleet(1, 4)}, executor=OnlySubmits())
    assert row.replicas == 2


@pytest.mark.parametrize(
    "given", [({"a": app(1)}, {"f": 5}), ([app(1)], {"f": fleet(1, 1)}), ({"a": app(1)}, [])]
)
def test_other_types_are_rejected(given: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError):
        dradsl.sweep(*given)


def test_objects_and_results_can_be_pickled() -> None:
    workloads, fleets = grid(1, 1)
    pod = PodClaim("gpu", ResourceClaimTemplate("t", requests=[Request("gpus", gpu)]))
    for one in (workloads["1 GPUs"], fleets["1 nodes"], dradsl.sweep(workloads, fleets), pod):
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one)
    made = pickle.loads(pickle.dumps(workloads["1 GPUs"]))
    assert made.to_dicts() == workloads["1 GPUs"].to_dicts()


@pytest.mark.parametrize("kind", ["threads", "processes", "dask"])
def test_the_example(kind: str, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples/sweep/sweep.py"
    run = subprocess.run(
        [sys.executable, str(path), kind, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    documented = Path(__file__).parents[2] / "docs/python-api.md"
    assert run.stdout in documented.read_text("utf-8")
    assert (tmp_path / "sweep.csv").read_text("utf-8").startswith("fleet,workload,")
