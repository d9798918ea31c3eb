"""Both sides of a chart's change rendered by the Helm that the user names, and compared.

Without the new values each side must be the same to the byte; with them the pods must have the claims, and
nothing else may differ.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.mapping.resource import is_device
from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.text.files import FileError, read_bytes
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.migrate.chart.hooks import ChartPlan, Switch
    from dradsl.migrate.chart.source import Chart
    from dradsl.tree.rendering.renderer import Renderer
    from dradsl.values.json_types import JsonObject

    _Values: TypeAlias = Mapping[str, object]

__all__ = ["Rendered", "compare"]

_NAME = "dradsl-trial"
_CLAIM = {"name": "trial", "resourceClaimTemplateName": _NAME}
_TEMPLATE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": _NAME},
    "spec": {
        "spec": {
            "devices": {
                "requests": [{"name": "trial", "exactly": {"deviceClassName": "example.com"}}]
            }
        }
    },
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The result of the comparison: what holds, what fails, and what could not be tried."""

    holds: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()


class _HelmError(Exception):
    """The output of Helm."""


def compare(chart: Chart, plan: ChartPlan, renderer: Renderer, files: Sequence[Path]) -> Rendered:
    """The chart before and after the change, rendered with its defaults and the given files of values.

    Raises:
        FileError: if a file of values cannot be read.
        UsageProblem: if it holds no mapping.
    """
    values = [_values_of(path) for path in files]
    holds: list[str] = []
    faults: list[str] = []
    untried: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dradsl-") as name:
        folder = Path(name)
        changed = folder / "changed" / chart.folder.resolve().name
        copy = Tree((os.path.realpath(changed),))
        shutil.copytree(chart.folder, changed, symlinks=True)
        for path, text in plan.files.items():
            try:
                copy.make_folder((changed / path).parent)
                write_bytes(changed / path, text.encode(), tree=copy)
            except FileError:
                # A link to another place of the tree, which the copy must not change.
                return Rendered(untried=(f"not rendered: {path} is behind a link",))
        try:
            before = _helm(renderer, chart.folder, chart.folder, values)
            after = _helm(renderer, changed, folder, values)
        except _HelmError as error:
            return Rendered(untried=(f"not rendered: {error}",))
        if before != after and _changes_by_itself(renderer, chart, folder, values, before):
            why = "the chart renders something else at each call (random values, the time)"
            return Rendered(untried=(f"not compared: {why}",))
        if before == after:
            holds.append("without the new values what is rendered is the same to the byte")
        else:
            faults.append("without the new values something else is rendered")
        templates = _templates_of(after)
        for switch in plan.switches:
            if switch.pod is None:
                untried.append(f"{switch.file}: its claims stand in items of a list: not tried")
            elif switch.file not in templates:
                untried.append(f"{switch.file} renders nothing with these values: not tried")
            else:
                _try(renderer, changed, folder, values, plan, switch, after, holds, faults)
        if plan.counted:
            _try_counts(renderer, changed, folder, chart, values, plan, holds, faults, untried)
    return Rendered(tuple(holds), tuple(faults), tuple(untried))


def _changes_by_itself(
    renderer: Renderer, chart: Chart, folder: Path, values: Sequence[_Values], before: bytes
) -> bool:
    """Whether the unchanged chart renders a different result when it is rendered again."""
    again = folder / "again" / chart.folder.resolve().name
    shutil.copytree(chart.folder, again, symlinks=True)
    try:
        return _helm(renderer, again, folder, values) != before
    except _HelmError:
        return False


def _try_counts(
    renderer: Renderer,
    changed: Path,
    folder: Path,
    chart: Chart,
    values: Sequence[_Values],
    plan: ChartPlan,
    holds: list[str],
    faults: list[str],
    untried: list[str],
) -> None:
    """The counts with the values as they are, and with those that ask for them."""
    from dradsl.migrate.chart.both_ways import (
        counts_that_differ,
        enabling_values,
        template_names,
    )

    documents = load((chart.values or "").encode()).documents
    known: dict[str, Any] = {}
    for each in (documents[0].data if documents else None, *values):
        _merge(known, each)
    asking = enabling_values(plan.counted, known)
    seen: dict[str, int] = {}
    for given in ([*values], [*values, asking])[: 2 if asking else 1]:
        try:
            before = _helm(renderer, chart.folder, chart.folder, given)
        except _HelmError as error:
            untried.append(f"with values that ask for devices Helm fails: {error}")
            continue
        try:
            off = _helm(renderer, changed, folder, given)
            on, other = (
                _helm(renderer, changed, folder, [*given, {plan.switch: True}], release=name)
                for name in ("trial", "other")
            )
        except _HelmError as error:
            faults.append(f"with values {plan.switch} Helm fails: {error}")
            continue
        if before != off:
            faults.append("with values that ask for devices something else is rendered")
        wrong, done = counts_that_differ(off, on, plan.counted)
        faults += wrong
        if template_names(on) & template_names(other):
            faults.append("two releases in one namespace would share a claim template")
        for file, number in done.items():
            seen[file] = max(number, seen.get(file, 0))
    for file in dict.fromkeys(each.file for each in plan.counted):
        if file not in seen:
            untried.append(f"{file} renders no device with these values: not tried")
        elif not faults:
            holds.append(
                f"{file}: with values {plan.switch}: true {seen[file]} count{'s' * (seen[file] > 1)} became "
                "requests of claims, and nothing else differs"
            )


def _merge(into: dict[str, Any], data: Any) -> None:
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, dict):
            below = into.get(key)
            into[key] = copy_plain(below) if isinstance(below, dict) else {}
            _merge(into[key], value)
        else:
            into[key] = value


def _try(
    renderer: Renderer,
    changed: Path,
    folder: Path,
    values: Sequence[_Values],
    plan: ChartPlan,
    switch: Switch,
    off: bytes,
    holds: list[str],
    faults: list[str],
) -> None:
    trial: dict[str, object] = {}
    assert switch.pod is not None  # noqa: S101 - asked before
    _set(trial, switch.pod, [_CLAIM])
    for steps in switch.containers:
        _set(trial, steps, [{"name": "trial"}])
    _set(trial, tuple(plan.objects.split(".")), [_TEMPLATE])
    try:
        on = _helm(renderer, changed, folder, [*values, trial])
    except _HelmError as error:
        faults.append(f"{switch.file}: with claims Helm fails: {error}")
        return
    wrong = list(_differences(_objects(off), _objects(on), with_containers=bool(switch.containers)))
    if wrong:
        faults.extend(f"{switch.file}: {each}" for each in wrong)
    else:
        where = "pod and container have" if switch.containers else "the pod has"
        holds.append(
            f"{switch.file}: with values {'.'.join(switch.pod)} {where} the claim, and nothing else differs"
        )


def _helm(
    renderer: Renderer,
    chart: Path,
    top: Path,
    values: Sequence[_Values],
    *,
    release: str = "trial",
) -> bytes:
    said = renderer.chart(str(chart), top=str(top), values=values, release=release)
    if said.unknown is not None:
        raise _HelmError(said.unknown)
    return said.text


def _values_of(path: Path) -> _Values:
    """The values in a file.

    Raises:
        FileError: if it cannot be read.
        UsageProblem: if it holds no mapping.
    """
    documents = load(read_bytes(path)).documents
    data: Any = documents[0].data if len(documents) == 1 else None
    if not isinstance(data, dict):
        raise UsageProblem(f"{path}: expected one mapping of values")
    return data


def _templates_of(text: bytes) -> frozenset[str]:
    """The templates with output, by their names within the chart."""
    return frozenset(
        line.partition("/")[2]
        for line in text.decode(errors="replace").splitlines()
        if line.startswith("# Source: ")
    )


def _objects(text: bytes) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for document in load(text).documents:
        data: Any = document.data
        if isinstance(data, dict) and isinstance(data.get("metadata"), dict):
            found[str(data.get("kind")), str(data["metadata"].get("name"))] = data
    return found


def _differences(
    off: dict[tuple[str, str], Any], on: dict[tuple[str, str], Any], *, with_containers: bool
) -> Iterator[str]:
    """What is wrong with the side with claims."""
    if on.pop(("ResourceClaimTemplate", _NAME), None) is None:
        yield "the claim template does not come out"
    claimed = in_container = 0
    for key, data in on.items():
        plain = copy_plain(data)
        for at in pod_specs(plain):
            spec: Any = at.spec
            entries = spec.get("resourceClaims")
            if not isinstance(entries, list) or _CLAIM not in entries:
                continue
            claimed += 1
            entries.remove(_CLAIM)
            if not entries:
                del spec["resourceClaims"]
            for part in ("initContainers", "containers"):
                for container in spec.get(part) or ():
                    resources = container.get("resources")
                    if isinstance(resources, dict) and resources.pop("claims", None):
                        in_container += 1
        if _bare(plain) != _bare(off.get(key)):
            yield f"{key[0]} {key[1]}: more differs than the claims"
    for key in off.keys() - on.keys():
        yield f"{key[0]} {key[1]} is gone"
    if not claimed:
        yield "no pod has the claim"
    elif with_containers and not in_container:
        yield "no container has the claim"


def _bare(data: Any) -> Any:
    """The data without devices in limits and requests, which claims replace, and without what that leaves empty."""
    if isinstance(data, dict):
        made = {
            key: _bare(value)
            for key, value in data.items()
            if not (isinstance(key, str) and "/" in key and is_device(key, shipped_catalogue()))
        }
        return {key: value for key, value in made.items() if value not in ({}, [], None)}
    return [_bare(each) for each in data] if isinstance(data, list) else data


def _set(data: JsonObject, steps: tuple[str, ...], value: Any) -> None:
    for step in steps[:-1]:
        data = data.setdefault(step, {})
    data[steps[-1]] = value
