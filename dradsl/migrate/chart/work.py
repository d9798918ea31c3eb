"""`dradsl migrate --chart`: a chart is read, changed and rendered, and the report is written."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.migrate.chart.hooks import plan_chart
from dradsl.migrate.chart.source import read_chart
from dradsl.records import dataclass
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dradsl.migrate.chart.hooks import ChartPlan
    from dradsl.migrate.chart.render import Rendered
    from dradsl.migrate.chart.source import Chart
    from dradsl.migrate.mapping.questions import Decisions

__all__ = ["ChartWork", "work_on"]

# Templates serve both ways, and the schema allows the keys of the values.
_TURNS = MappingProxyType({"values.schema.json": 1, "values.yaml": 2})


@dataclass(frozen=True, slots=True)
class ChartWork:
    """A chart, the plan for it, and what Helm rendered of both sides; None if no Helm was named. `confinement` says what
    the kernel kept Helm from."""

    chart: Chart
    plan: ChartPlan
    rendered: Rendered | None
    confinement: str | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the comparison of the two sides failed."""
        return self.rendered is not None and bool(self.rendered.faults)

    def lines(self) -> Iterator[str]:
        """The report."""
        last = None
        for each in self.plan.said:
            if each.file != last:
                yield each.file
                last = each.file
            place = f"{each.line}: " if each.line is not None else ""
            yield f"  {place}{each.text}{' (new)' if each.written else ''}"
        yield ""
        if not self.plan.files:
            yield "Nothing to write: values can give the pods claims."
            return
        if self.rendered is None:
            yield "not rendered: --build-with helm renders both sides and compares them"
            return
        for said in self.rendered.holds:
            yield f"proof: {said}"
        yield from self.rendered.untried
        if self.confinement is not None:
            yield f"helm was {self.confinement}"
        for said in self.rendered.faults:
            yield f"fault: {said}"

    def as_data(self) -> dict[str, object]:
        """The report as plain data."""
        rendered = self.rendered
        return {
            "chart": self.chart.name,
            "said": [
                {"file": e.file, "line": e.line, "text": e.text, "written": e.written}
                for e in self.plan.said
            ],
            "files": sorted(self.plan.files),
            "rendered": None
            if rendered is None
            else {
                "holds": list(rendered.holds),
                "faults": list(rendered.faults),
                "untried": list(rendered.untried),
                "confinement": self.confinement,
            },
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
    """Read and plan a chart; with a `helm` or `helm=PATH` both sides are rendered.

    Raises:
        UsageProblem: if the folder is no chart.
        FileError: if a file cannot be read.
        BuildWithError: for what names no program.
    """
    chart = read_chart(folder)
    plan = plan_chart(chart, decisions)
    rendered = confinement = None
    if build_with and plan.files:
        from dradsl.migrate.chart.render import compare
        from dradsl.tree.rendering.renderer import Renderer

        renderer = Renderer.of(build_with)
        rendered = compare(chart, plan, renderer, values)
        confinement = renderer.confinement
    return ChartWork(chart, plan, rendered, confinement)
