"""`dradsl migrate --chart`: a chart is read, changed and rendered, and the report is written."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dradsl.migrate.chart.source import read_chart
from dradsl.migrate.chart.switch import plan_switch
from dradsl.migrate.detection.charts.values import whole_resources_asked
from dradsl.migrate.mapping.questions import Decisions
from dradsl.migrate.mapping.targets import Hints
from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.text.files import read_bytes
from dradsl.tree.charts.template_pods import steps_of, takes_no_claims
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.tree.replacing import write_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from dradsl.migrate.chart.render import Rendered
    from dradsl.migrate.chart.requests import Amount, Becomes
    from dradsl.migrate.chart.source import Chart
    from dradsl.migrate.chart.switch import SwitchPlan
    from dradsl.tree.charts.template_pods import TemplateContainer

__all__ = ["ChartWork", "Said", "work_on"]

# Templates serve both ways, and the schema allows the keys of the values.
_TURNS = MappingProxyType({"values.schema.json": 1, "values.yaml": 2})


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence on a place in the chart, at a line (from 1) or on the file; `written` says that it is about a change."""

    file: str
    line: int | None
    text: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class ChartWork:
    """A chart, the values that `asked` for devices, the plan, and what Helm rendered of both sides; None if no Helm was
    named."""

    chart: Chart
    asked: frozenset[tuple[str, ...]]
    plan: SwitchPlan
    rendered: Rendered | None

    @property
    def is_wrong(self) -> bool:
        """Whether the comparison of the two sides failed."""
        return self.rendered is not None and bool(self.rendered.faults)

    def said(self) -> Iterator[Said]:
        """What becomes of the devices that templates and values ask for."""
        pods = self.chart.pods()
        for name, text in self.chart.templates.items():
            if takes_no_claims(text):
                why = "pods of Knative and Notebooks take no claims: nothing is written here"
                yield Said(name, None, why)
            for amount, becomes in self.plan.becomes.items():
                if amount.file == name:
                    yield from self._about(name, amount, becomes)
            for pod in pods.get(name, ()):
                for container in pod.containers:
                    unasked = {*map(steps_of, container.whole)} - self.asked - {None}
                    if not container.own_claims and unasked:
                        yield Said(name, (container.at or 0) + 1, _unasked(container, *unasked))
        for amount, becomes in self.plan.becomes.items():
            if amount.values:
                yield from self._about("values", amount, becomes)
        if self.plan.obstacle is not None:
            yield Said("values", None, self.plan.obstacle)
        for name in self.plan.files.keys() - self.chart.templates.keys():
            text = f"what claims ask for with values {self.plan.key}: true"
            if name.startswith("templates/"):
                yield Said(name, None, text, True)
        if not any(pods.values()):
            yield Said("templates", None, "no template has a pod that may take claims")

    def _about(self, file: str, amount: Amount, becomes: Becomes) -> Iterator[Said]:
        line = amount.line + 1 if amount.file else None
        if becomes.stays:
            yield Said(file, line, becomes.stays)
            return
        subject = f"{'.'.join(amount.values)}: " if amount.values else ""
        name = "CLASS" if becomes.target is None else becomes.target.device_class
        text = f"{subject}{amount.resource} becomes a request of class {name} with values {self.plan.key}: true"
        yield Said(file, line, text, not becomes.done)
        for note in () if becomes.target is None else becomes.target.notes:
            yield Said(file, line, f"note: {note}")

    def lines(self) -> Iterator[str]:
        """The report."""
        last = None
        for each in self.said():
            if each.file != last:
                yield each.file
                last = each.file
            place = f"{each.line}: " if each.line is not None else ""
            yield f"  {place}{each.text}{' (new)' if each.written else ''}"
        yield ""
        if not self.plan.files:
            has_claims = bool(self.plan.claims)
            key = self.plan.key
            yield "Nothing to write" + (f": values {key}: true give claims." if has_claims else ".")
            return
        if self.rendered is None:
            yield "not rendered: --build-with helm renders both sides and compares them"
            return
        for said in self.rendered.holds:
            yield f"proof: {said}"
        yield from self.rendered.untried
        for said in self.rendered.faults:
            yield f"fault: {said}"

    def as_data(self) -> dict[str, object]:
        """The report as plain data."""
        rendered = self.rendered
        return {
            "chart": self.chart.name,
            "said": [
                {"file": e.file, "line": e.line, "text": e.text, "written": e.written}
                for e in self.said()
            ],
            "files": sorted(self.plan.files),
            "rendered": None
            if rendered is None
            else {name: list(getattr(rendered, name)) for name in ("holds", "faults", "untried")},
        }

    def before(self, name: str) -> str:
        """The present content of a file of the chart."""
        if name == "values.yaml":
            return self.chart.values or ""
        if name == "values.schema.json":
            return self.chart.schema or ""
        return self.chart.templates.get(name, "")

    def write(self, output: Path | None, *, force: bool) -> Iterator[str]:
        """Writes the files into the chart, or below a folder, and names them.

        Raises:
            UsageProblem: if git could not restore the present files.
            FileError: if one cannot be written; if that is known before, none is.
        """
        folder = self.chart.folder if output is None else output
        tree = Tree.of(folder) if output is None else Tree.around(folder)
        there = [
            path for name in self.plan.files if os.path.lexists(tree.expect(path := folder / name))
        ]
        if output is None and not force:
            from dradsl.migrate.in_place import expect_committed

            expect_committed({str(path): tree.read(path) for path in there})
        files = sorted(
            self.plan.files.items(),
            key=lambda each: (_TURNS.get(each[0], 0), not each[0].endswith(".tpl"), each),
        )
        for name, _ in files:
            tree.make_folder((folder / name).parent)
        # What is there was read: a link between the templates is not, and is not written through.
        every = [
            (
                folder / name,
                text.encode(),
                self.before(name).encode() if output is None else None,
                tree,
            )
            for name, text in files
        ]
        yield from map(str, write_in_order(every))


def work_on(
    folder: Path,
    build_with: Sequence[str],
    values: Sequence[Path],
    decisions: Decisions | None = None,
) -> ChartWork:
    """Read and plan a chart, by its own values and the files of others; with a `helm` or `helm=PATH` both sides are rendered.

    Raises:
        UsageProblem: if the folder is no chart, or a file holds no values.
        FileError: if a file cannot be read.
        BuildWithError: for what names no program.
    """
    chart = read_chart(folder)
    given = [_values_of(path) for path in values]
    documents = load((chart.values or "").encode()).documents
    own: Any = documents[0].data if documents else None
    wanted = whole_resources_asked((own, *given), chart.pods().values())
    answers = decisions or Decisions()
    plan = plan_switch(chart, lambda _: answers, lambda _: (Hints(),), wanted)
    rendered = None
    if build_with and plan.files:
        from dradsl.migrate.chart.render import compare
        from dradsl.tree.rendering.renderer import Renderer

        rendered = compare(chart, plan, answers, Renderer.of(build_with), own, given)
    return ChartWork(chart, frozenset(wanted), plan, rendered)


def _values_of(path: Path) -> Mapping[str, object]:
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


def _unasked(container: TemplateContainer, *steps: tuple[str, ...] | None) -> str:
    names = ", ".join(sorted(".".join(each) for each in steps if each is not None))
    return (
        f"container {container.name}: its resources are values {names}, which ask for no device here: found, not judged. Name "
        "a file of values that ask for one (dradsl migrate --chart DIR FILE)"
    )
