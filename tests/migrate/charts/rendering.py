"""Cases for recipes: values of a chart, migrated as a release has them, and both sides rendered by Helm.

A case is a file `cases/CHART--NAME.yaml`. The comparison knows nothing of how the migration plans: it looks at
the pods on both sides.
"""

from __future__ import annotations

import copy
import hashlib
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.mapping.resource import is_device
from dradsl.tree.charts.recipes import Recipe, shipped_recipes
from tests.migrate.runs import data_of, run

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*.yaml"))
RECORDED = HERE / "recorded.json"
ANSWERS = {
    "tolerations": "leave",
    "sharing": "exclusive",
    "visible-devices": "keep",
    "existing-claims": "other-devices",
}
KUBE_VERSION = "1.35.0"


def recipe_of(case: Path) -> Recipe:
    """The recipe of a case, by its name or the chart's, with which the name of the case begins."""
    name = case.stem.partition("--")[0]
    named = [each for each in shipped_recipes() if each.name == name]
    return next(
        each for each in (*named, *shipped_recipes()) if each in named or name in each.charts
    )


def chart_of(case: Path) -> str:
    """The chart of a case."""
    name, charts = case.stem.partition("--")[0], recipe_of(case).charts
    return name if name in charts else min(charts)


def release(case: Path, version: str) -> str:
    """A HelmRelease with the values of a case."""
    chart = chart_of(case)
    indented = "".join(f"    {line}".rstrip() + "\n" for line in case.read_text().splitlines())
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        "metadata: {name: case, namespace: ml}\nspec:\n"
        f"  chart: {{spec: {{chart: {chart}, version: {version}}}}}\n  values:\n{indented}"
    )


def migrated(case: Path, version: str) -> tuple[Any, list[Any]]:
    """The values after migration, and the objects beside the release."""
    (file,) = run(release(case, version), answers=ANSWERS).files
    first, *added = [data for data in data_of(file.text) if data]
    return first["spec"]["values"], [*added, *file.added]


def digest(values: object, added: object) -> str:
    """What tells one result of the migration from another."""
    text = json.dumps([values, added], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def rendered(
    helm: str,
    chart: Path,
    values: object,
    folder: Path,
) -> dict[tuple[str, str], Any]:
    """The objects that Helm makes of values, by kind and name.

    Schemas are left out: some are at addresses elsewhere.
    """
    file = folder / "values.yaml"
    file.write_text(json.dumps(values))
    words = ("template", "case", str(chart), "-f", str(file), "--namespace", "ml")
    more = ("--kube-version", KUBE_VERSION, "--skip-schema-validation")
    said = subprocess.run([helm, *words, *more], capture_output=True, text=True, check=False)
    if said.returncode:
        raise ValueError(said.stderr.strip()[-2000:])
    found = [data for data in data_of(said.stdout) if isinstance(data, dict)]
    return {(each["kind"], each["metadata"]["name"]): _settled(each) for each in found}


def _settled(data: Any) -> Any:
    """An object without what differs from one run to the next."""
    if data.get("kind") == "Secret":
        return {key: data[key] for key in ("apiVersion", "kind", "metadata")}
    for at in pod_specs(data):
        holder: Any = data
        for step in at.path[:-1]:
            holder = holder[step]
        annotations = (holder.get("metadata") or {}).get("annotations") or {}
        for key in [key for key in annotations if key.startswith("checksum/")]:
            del annotations[key]
    return data


def problems(
    before: dict[tuple[str, str], Any], after: dict[tuple[str, str], Any], added: list[Any]
) -> Iterator[str]:
    """What is wrong with the migrated side: a use that is left, a claim that gives other devices, any
    other difference."""
    templates = {
        each["metadata"]["name"]: each["spec"]["spec"]["devices"]
        for each in (*after.values(), *added)
        if each["kind"] == "ResourceClaimTemplate"
    }
    for key in before.keys() - after.keys():
        yield f"{key} is gone"
    for key in after.keys() - before.keys():
        if key[0] != "ResourceClaimTemplate":
            yield f"{key} is new"
    uses = 0
    for key in sorted(before.keys() & after.keys()):
        old, new = copy.deepcopy(before[key]), copy.deepcopy(after[key])
        for at in pod_specs(old):
            pod: Any = new
            for step in at.path:
                pod = pod[step]
            spec: Any = at.spec
            asked, given = dict(_asked(spec)), dict(_given(pod, templates))
            uses += len(asked)
            if asked != given:
                yield f"{key}: asked for {asked}, and gets {given}"
            kept = spec.get("resourceClaims") or []
            pod["resourceClaims"] = [
                each for each in pod.get("resourceClaims") or () if each in kept
            ]
        if _bare(_untold(old)) != _bare(_untold(new)):
            yield f"{key}: something else differs"
    if not uses:
        yield "no pod asks for a device"


def _untold(data: Any) -> Any:
    """A RayCluster without its number of GPUs, which Ray is told where the limit does not say it."""
    groups = data.get("spec", {}) if data["kind"] == "RayCluster" else {}
    for group in (groups.get("headGroupSpec"), *groups.get("workerGroupSpecs", ())):
        if group:
            group.get("rayStartParams", {}).pop("num-gpus", None)
    return data


def _containers(spec: Any) -> Iterator[Any]:
    for part in ("initContainers", "containers"):
        yield from spec.get(part) or ()


def _asked(spec: Any) -> Iterator[tuple[str, int]]:
    """The devices that each container asks for; what it asks for is taken out."""
    for container in _containers(spec):
        resources = container.get("resources") or {}
        number = 0
        for section in ("requests", "limits"):
            amounts = resources.get(section) or {}
            devices = [name for name in amounts if is_device(name, shipped_catalogue())]
            number = sum(int(amounts.pop(name)) for name in devices) or number
        if number:
            yield container["name"], number


def _given(spec: Any, templates: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The devices that each container gets by claims; these are taken out, and amounts that are left count."""
    names = {
        each["name"]: each.get("resourceClaimTemplateName")
        for each in spec.get("resourceClaims") or ()
    }
    for container in _containers(spec):
        resources = container.get("resources") or {}
        number = 0
        for claim in resources.pop("claims", None) or ():
            for request in templates[names[claim["name"]]]["requests"]:
                if claim.get("request") in (None, request["name"]):
                    number += request["exactly"].get("count", 1)
        left = [
            name
            for section in ("requests", "limits")
            for name in resources.get(section) or ()
            if is_device(name, shipped_catalogue())
        ]
        if number or left:
            yield container["name"], -1 if left else number


def _bare(data: Any) -> Any:
    """The data without mappings and lists that are empty: taking the last amount out leaves one."""
    if isinstance(data, dict):
        made = {key: _bare(value) for key, value in data.items()}
        return {key: value for key, value in made.items() if value not in ({}, [], None)}
    return [_bare(each) for each in data] if isinstance(data, list) else data
