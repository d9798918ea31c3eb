"""Both sides of a chart's change rendered by the Helm that the user names, and compared.

Without the switch each side must be the same to the byte; with it each count must become a request, and nothing else
may differ.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.chart.both_ways import counts_that_differ, enabling_values, template_names
from dradsl.records import dataclass
from dradsl.text.files import FileError
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from dradsl.migrate.chart.source import Chart
    from dradsl.migrate.chart.switch import SwitchPlan
    from dradsl.tree.rendering.renderer import Renderer

    _Values: TypeAlias = Mapping[str, object]

__all__ = ["Rendered", "compare"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The result of the comparison: what holds, what fails, and what could not be tried."""

    holds: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()


class _HelmError(Exception):
    """The output of Helm."""


def compare(
    chart: Chart, plan: SwitchPlan, renderer: Renderer, own: object, values: Sequence[_Values]
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
        return _with_switch(renderer, (chart.folder, changed, folder), values, plan, known)


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
    known: dict[str, Any],
) -> Rendered:
    """The counts with the values as they are, and with those that ask for them."""
    before, changed, top = folders
    holds = ["without the new values what is rendered is the same to the byte"]
    faults: list[str] = []
    untried: list[str] = []
    asking = enabling_values(plan.pods, known)
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
        wrong, done = counts_that_differ(off, on, plan.pods)
        faults += wrong
        if template_names(on) & template_names(other):
            faults.append("two releases in one namespace would share a claim template")
        for file, number in done.items():
            seen[file] = max(number, seen.get(file, 0))
    for file in dict.fromkeys(each.file for each in plan.pods):
        if file not in seen:
            untried.append(f"{file} renders no device with these values: not tried")
        elif not faults:
            holds.append(
                f"{file}: with values {plan.key}: true {seen[file]} count{'s' * (seen[file] > 1)} became "
                "requests of claims, and nothing else differs"
            )
    return Rendered(tuple(holds), tuple(faults), tuple(untried))


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
