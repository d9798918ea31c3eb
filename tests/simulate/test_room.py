"""What still fits per profile, beside pods that are placed until nothing fits: on every recording with counters or shares."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.simulate.test_capacity import named
from tests.simulate.test_examples import EXAMPLES
from tests.simulate.test_what_is_there import run, written

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

_PARTS = ("consumesCounters:", "allowMultipleAllocations:")
_TESTS = Path(__file__).parents[1]
RECORDED = [
    file
    for file in (
        *(folder / "slices.yaml" for folder in EXAMPLES),
        *sorted((_TESTS / "drivers/data/slices").glob("*.yaml")),
        *sorted((_TESTS / "scaffolding/recordings").glob("*.yaml")),
        _TESTS / "why/shown/q12.yaml",
    )
    if any(word in file.read_text("utf-8") for word in _PARTS)
]


def name_of(file: Path) -> str:
    return file.parent.name if file.stem == "slices" else file.stem


def slices_of(file: Path) -> list[Json]:
    found: list[Json] = []
    for document in yaml.safe_load_all(file.read_text("utf-8")):
        found += document.get("items", [document]) if document else []
    found = [one for one in found if one["kind"] == "ResourceSlice"]
    for entry in found:
        for device in entry["spec"].get("devices", ()):
            for capacity in device.get("capacity", {}).values():
                if capacity.get("requestPolicy", {}).get("default") in ("1Mi", "2Mi"):
                    # 131,072 pods would fit: more than a test has time for.
                    capacity["requestPolicy"]["default"] = "1Gi"
    return found


def profile_of(device: Json, full: Json) -> str:
    """How the totals call what a claim gets by this device."""
    attributes = {
        name.rpartition("/")[2]: value for name, value in device.get("attributes", {}).items()
    }
    for name in ("profile", "computePartition"):
        if name in attributes:
            return str(attributes[name]["string"])
    if not device.get("consumesCounters"):
        return "default share" if device.get("allowMultipleAllocations") else ""
    (needs,) = device["consumesCounters"]
    whole = needs["counters"] == full[needs["counterSet"]]
    return "whole" if whole else str(device["capacity"]["memory"]["value"])


def claims(slices: list[Json]) -> Iterator[tuple[str, list[Json]]]:
    """For each profile a class that takes its devices only, a template and a Deployment of one pod."""
    full = {
        one["name"]: one["counters"]
        for entry in slices
        for one in entry["spec"].get("sharedCounters", ())
    }
    sorts: dict[str, set[tuple[str, str]]] = {}
    for entry in slices:
        for device in entry["spec"].get("devices", ()):
            domain = entry["spec"]["driver"]
            own = {
                name.rpartition("/")[2]: one for name, one in device.get("attributes", {}).items()
            }
            tests = [f"device.driver == '{domain}'"]
            for name in ("profile", "computePartition", "type"):
                if name in own:
                    tests.append(
                        f"device.attributes['{domain}'].?{name}.orValue('') == '{own[name]['string']}'"
                    )
                    break
            if not own:
                amount = device["capacity"]["memory"]["value"]
                memory = f"device.capacity['{domain}'].memory"
                tests.append(f"{memory}.compareTo(quantity('{amount}')) == 0")
            sorts.setdefault(profile_of(device, full), set()).add((domain, " && ".join(tests)))
    for profile, found in sorts.items():
        if not profile:
            continue
        expression = " || ".join(f"({test})" for _, test in sorted(found))
        name = re.sub("[^a-z0-9]", "-", profile)
        request = {"name": "gpu", "exactly": {"deviceClassName": name}}
        api = {"apiVersion": "resource.k8s.io/v1", "metadata": {"name": name}}
        pods = named(name, 1)
        pods["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = name
        spec = {"spec": {"devices": {"requests": [request]}}}
        yield (
            profile,
            [
                {
                    **api,
                    "kind": "DeviceClass",
                    "spec": {"selectors": [{"cel": {"expression": expression}}]},
                },
                {**api, "kind": "ResourceClaimTemplate", "spec": spec},
                pods,
            ],
        )


def still_fits(report: str) -> dict[str, int | None]:
    rows = json.loads(report)["totals"]["devices"]
    return {profile: number for row in rows for profile, number in row["stillFits"].items()}


def test_all_recordings_are_looked_at() -> None:
    assert len(RECORDED) >= 13


@pytest.mark.parametrize("first", [None, 0, -1])
@pytest.mark.parametrize("file", RECORDED, ids=name_of)
def test_as_many_are_said_to_fit_as_do(file: Path, first: int | None, tmp_path: Path) -> None:
    """With nothing in use, and with one pod of the first or the last profile."""
    slices = slices_of(file)
    profiles = dict(claims(slices))
    # Some drivers publish lists, which a selector cannot read with the gate off.
    words = ["--slices", written(tmp_path, "fleet", *slices), "--output-format", "json"]
    words += ["--feature-gates", "DRAListTypeAttributes=true"]
    before = list(profiles)[first or 0]
    held = 0 if first is None else 1
    given = written(tmp_path, "given", *profiles[before])
    said = still_fits(run(given, *words, "--replicas", str(held)).stdout)
    assert said.keys() == profiles.keys()
    for profile, objects in profiles.items():
        other = [] if profile == before else profiles[before]
        pods = written(tmp_path, "pods", *objects, *other)
        taken = ["--given", f"{other[-1]['metadata']['name']}={held}"] if other else []
        (fit,) = json.loads(run(pods, *words, "--fit", *taken).stdout)["fits"]
        assert not fit["limitReached"]
        assert said[profile] == fit["count"] - (0 if other else held), profile


def test_a_physical_device_counts_once_and_a_blocked_one_is_free_nowhere(tmp_path: Path) -> None:
    (file,) = (one for one in RECORDED if "dynamic-mig" in name_of(one))
    fleet = written(tmp_path, "fleet", *slices_of(file))
    objects = dict(claims(slices_of(file)))["3g.20gb"]
    given = written(tmp_path, "pods", *objects)
    words = [given, "--slices", fleet, "--replicas", "3"]
    model = "NVIDIA A100-SXM4-40GB"
    page = run(*words, "--output-format", "html").stdout
    total = f"<li>2 x {model}: 0 used before, 1 used now, 1 partly used, 0 free"
    assert total in page
    assert f"<li>{model}, what still fits, each alone: 4g.20gb: 0, 7g.40gb: 0, whole: 0, " in page
    cells = re.findall(r'<li class="device (\w+)">(\S+) NVIDIA', page)
    assert ("blocked", "gpu-0") in cells
    assert ("free", "gpu-0") not in cells
    free = {name for state, name in cells if state == "free"}
    fits = still_fits(run(*words, "--output-format", "json").stdout)
    assert bool(free) == any(fits.values())
    assert free
    assert fits["3g.20gb"] == sum("3g20gb" in name for name in free) == 1
