"""Both sides of a chart's change rendered by the Helm that the user names, and compared.

Without the switch each side must be the same to the byte. With it each object must be what dradsl makes of the object
without it: the same devices by claims, and nothing else may differ.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.detection.recipes import RecipeBook
from dradsl.migrate.evidence import Evidence
from dradsl.migrate.overlays.compare import identity, is_claim
from dradsl.migrate.overlays.planned import Planner
from dradsl.migrate.places import whole
from dradsl.migrate.proof.rendered import (
    compare_objects,
    new_objects,
    rendered_objects,
    source_templates,
)
from dradsl.migrate.result import Outcome
from dradsl.records import dataclass
from dradsl.text.files import FileError
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_bytes
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.migrate.chart.requests import PodRequests
    from dradsl.migrate.chart.source import Chart
    from dradsl.migrate.chart.switch import SwitchPlan
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.tree.rendering.renderer import Renderer

    _Values: TypeAlias = Mapping[str, object]

__all__ = ["Rendered", "compare"]

_PATH = re.compile(r"\.Values((?:\.\w+)+)$")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The result of the comparison: what holds, what fails, and what could not be tried."""

    holds: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()


class _HelmError(Exception):
    """The output of Helm."""


def compare(
    chart: Chart,
    plan: SwitchPlan,
    decisions: Decisions,
    renderer: Renderer,
    own: object,
    values: Sequence[_Values],
) -> Rendered:
    """The chart before and after the change, rendered with its `own` defaults and the given values."""
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
        if before != after:
            return Rendered(faults=("without the new values something else is rendered",))
        known: dict[str, Any] = {}
        for each in (own, *values):
            _merge(known, each)
        folders = chart.folder, changed, folder
        return _with_switch(renderer, folders, values, plan, decisions, known)


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


def _with_switch(
    renderer: Renderer,
    folders: tuple[Path, Path, Path],
    values: Sequence[_Values],
    plan: SwitchPlan,
    decisions: Decisions,
    known: dict[str, Any],
) -> Rendered:
    """The counts with the values as they are, and with those that ask for them."""
    before, changed, top = folders
    holds = ["without the new values what is rendered is the same to the byte"]
    faults: list[str] = []
    untried: list[str] = []
    asking = _enabling_values(plan.pods, known)
    seen: dict[str, int] = {}
    for given in ([*values], [*values, asking])[: 2 if asking else 1]:
        try:
            as_before = _helm(renderer, before, before, given)
        except _HelmError as error:
            untried.append(f"with values that ask for devices Helm fails: {error}")
            continue
        try:
            off = _helm(renderer, changed, top, given)
            on, other = (
                _helm(renderer, changed, top, [*given, {plan.key: True}], release=name)
                for name in ("trial", "other")
            )
        except _HelmError as error:
            faults.append(f"with values {plan.key} Helm fails: {error}")
            continue
        if as_before != off:
            faults.append("with values that ask for devices something else is rendered")
        faults += _differences(off, on, decisions, seen)
        if _claims(on) & _claims(other):
            faults.append("two releases in one namespace would share a claim template")
    for file in dict.fromkeys(each.file for each in plan.pods):
        if file not in seen:
            untried.append(f"{file} renders no device with these values: not tried")
        elif not faults:
            holds.append(
                f"{file}: with values {plan.key}: true {seen[file]} count{'s' * (seen[file] > 1)} became "
                "requests of claims, and nothing else differs"
            )
    return Rendered(tuple(holds), tuple(faults), tuple(untried))


def _differences(
    off: bytes, on: bytes, decisions: Decisions, seen: dict[str, int]
) -> Iterator[str]:
    """What is wrong with the side with claims; `seen` gets the counts that became requests, by template."""
    old, new = rendered_objects(off), rendered_objects(on)
    if old is None or new is None:
        yield "what is rendered cannot be read"
        return
    templates = source_templates(off)
    planner = Planner(lambda *_: decisions, Evidence(), shipped_catalogue(), RecipeBook())
    done: dict[str, int] = {}
    for each in compare_objects(old, new, (), planner, lambda: None):
        problem = each.fault or each.problem
        if problem is not None:
            yield f"{each.title} {problem}"
        elif each.done and each.expected.items:
            file = templates.get(identity(each.built.data), "")
            number = sum(item.outcome is Outcome.TRANSLATED for item in each.expected.items)
            done[file] = done.get(file, 0) + number
    for file, number in done.items():
        seen[file] = max(number, seen.get(file, 0))
    yield from new_objects(old, new)


def _claims(text: bytes) -> set[tuple[str, str, str, str]]:
    return {identity(e.data) for e in rendered_objects(text) or () if is_claim(e.data)}


def _enabling_values(pods: Sequence[PodRequests], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that make the templates write the counts: plain conditions are true, plain counts are 2 if the chart has none."""
    made: dict[str, Any] = {}
    for request in (each for pod in pods for each in pod.requests):
        for condition in request.conditions:
            found = _PATH.fullmatch(condition)
            steps = [] if found is None else found[1].split(".")[1:]
            if steps and member(values, *steps) in (None, False):
                _set(made, steps, True)
        found = _PATH.fullmatch(request.number)
        number = [] if found is None else found[1].split(".")[1:]
        if request.values:
            number = [*request.values, "limits", request.resource]
        if number and not whole(member(values, *number)):
            _set(made, number, 2)
    return made


def _set(data: dict[str, Any], steps: Sequence[str], value: Any) -> None:
    for step in steps[:-1]:
        data = data.setdefault(step, {})
    if isinstance(data, dict):
        data[steps[-1]] = value


def _merge(into: dict[str, Any], data: Any) -> None:
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, dict):
            below = into.get(key)
            into[key] = copy_plain(below) if isinstance(below, dict) else {}
            _merge(into[key], value)
        else:
            into[key] = value


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
