"""Mistakes that the facts on drivers list: each is found with its suggestion, its correction is clean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

ROWS: list[dict[str, Any]] = yaml.load(
    Path(__file__).with_name("listed_mistakes.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
FORMS = ("selector", "own", "request", "attribute", "parameters", "manifest")

# How many mistakes the facts on each driver list.
LISTED = {
    "ascend.project-hami.io": 1,
    "compute-domain.nvidia.com": 2,
    "dra.cpu": 3,
    "dra.hygon.com": 1,
    "dra.memory": 2,
    "dra.net": 8,
    "gaudi.intel.com": 2,
    "gpu.amd.com": 8,
    "gpu.example.com": 2,
    "gpu.intel.com": 5,
    "gpu.nvidia.com": 15,
    "hami-core-gpu.project-hami.io": 3,
    "neuron.aws.com": 2,
    "npu.rebellions.ai": 1,
    "qat.intel.com": 1,
    "spyre.ibm.com": 1,
    "sriovnetwork.k8snetworkplumbingwg.io": 3,
    "tenstorrent.com": 1,
    "tpu.google.com": 3,
}


def rows() -> list[Any]:
    return [pytest.param(row, id=f"{row['driver']}: {row['mistake']}") for row in ROWS]


def manifest(row: dict[str, Any], way: str) -> str:
    (form,) = (each for each in FORMS if each in row)
    written = row[form][way]
    if form == "manifest":
        return str(written)
    if form == "own":
        spec: Any = {"selectors": [{"cel": {"expression": written}}]}
        return dump("DeviceClass", {"name": "a"}, spec)
    if form == "attribute":
        joined = [
            {"name": f"r{n}", "exactly": body(name, count)}
            for n, (name, count) in enumerate(row["joins"].items())
        ]
        devices: Any = {"requests": joined, "constraints": [{"matchAttribute": written}]}
    else:
        request: dict[str, Any] = {"deviceClassName": row["class"]}
        if form == "selector":
            request["selectors"] = [{"cel": {"expression": written}}]
        if form == "request":
            request |= written
        devices = {"requests": [{"name": "r", "exactly": request}]}
        if form == "parameters":
            devices["requests"][0]["exactly"] = body(row["class"])
            opaque = {"driver": row["driver"], "parameters": written}
            devices["config"] = [{"opaque": opaque}]
    return dump("ResourceClaim", {"name": "a", "namespace": "ml"}, {"devices": devices})


def body(name: str, count: int = 1) -> dict[str, Any]:
    """A request that has no finding by itself."""
    request: dict[str, Any] = {"deviceClassName": name}
    if name == "gpu.amd.com":
        whole = 'device.attributes["gpu.amd.com"].type == "amdgpu"'
        request["selectors"] = [{"cel": {"expression": whole}}]
    return request | ({"count": count} if count > 1 else {})


def dump(kind: str, metadata: Any, spec: Any) -> str:
    whole = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}
    return yaml.safe_dump(whole, sort_keys=False, width=1000)


def meant(row: dict[str, Any]) -> LintConfig | None:
    """The newest version of the driver by name: a placeholder stands for any driver otherwise.

    `gates` of a row are on.
    """
    if "gates" in row:
        return LintConfig(root=str(Path.cwd()), feature_gates=dict.fromkeys(row["gates"], True))
    schema = Catalogue().get(row["driver"])
    if schema is None or not row["driver"].endswith(".example.com"):
        return None
    return LintConfig(
        root=str(Path.cwd()), driver_versions={row["driver"]: schema.version_order[-1]}
    )


@pytest.mark.parametrize("row", rows())
def test_a_listed_mistake_is_found_with_its_suggestion(row: dict[str, Any]) -> None:
    findings = lint_text(manifest(row, "wrong"), config=meant(row)).findings
    assert sorted(each.code for each in findings) == sorted((row["code"], *row.get("also", ())))
    found = next(each for each in findings if each.code == row["code"])
    fixes = [edit.new_text for edit in found.fix.edits] if found.fix else []
    assert row["suggests"] in " ".join([found.message, found.help or "", *fixes])


@pytest.mark.parametrize("row", rows())
def test_its_correction_has_no_finding(row: dict[str, Any]) -> None:
    assert lint_text(manifest(row, "right"), config=meant(row)).findings == ()


def test_every_listed_mistake_has_a_row() -> None:
    seen: dict[str, set[int]] = {}
    for row in ROWS:
        if row["entry"] != "overview":
            seen.setdefault(row["driver"], set()).add(row["entry"])
    assert seen == {driver: set(range(1, count + 1)) for driver, count in LISTED.items()}
