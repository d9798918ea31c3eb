"""A chart's folder as texts: templates, values and schema."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.tree.charts.template_pods import helpers_in, pods_in, takes_no_claims
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import UsageProblem
from dradsl.values.limits import MOST_TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.tree.charts.template_pods import TemplatePod

__all__ = ["Chart", "read_chart"]

_ENDINGS = (".yaml", ".yml", ".tpl")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the texts of its templates, values and schema by their names within the folder."""

    folder: Path
    name: str
    templates: Mapping[str, str]
    values: str | None
    schema: str | None

    def pods(self) -> dict[str, list[TemplatePod]]:
        """The pods in the templates that make objects of a release and whose kinds may take claims; templates of tests are
        left out."""
        helpers = helpers_in(list(self.templates.values()))
        return {
            name: pods_in(text, helpers)
            for name, text in self.templates.items()
            if not (name.endswith(".tpl") or name.startswith("templates/tests/"))
            and not takes_no_claims(text)
        }


def read_chart(folder: Path) -> Chart:
    """The chart in a folder.

    Raises:
        UsageProblem: if there is no chart in it.
        FileError: if a file cannot be read, or a link among those of the chart leads out of its tree.
    """
    tree = Tree.of(folder)
    if not os.path.lexists(folder / "Chart.yaml"):
        raise UsageProblem(f"{folder} holds no Chart.yaml: --chart takes the folder of a chart")
    documents = load(tree.read(folder / "Chart.yaml")).documents
    data: Any = documents[0].data if documents else None
    name = data.get("name") if isinstance(data, dict) else None
    tree.expect(folder / "templates")
    found = sorted(map(Path, _templates(folder / "templates", tree)))
    if len(found) > MOST_TEMPLATES:
        raise UsageProblem(f"{folder} holds more than {MOST_TEMPLATES} templates")
    return Chart(
        folder,
        str(name or folder.name),
        {path.relative_to(folder).as_posix(): _text(path, tree) for path in found},
        _text_of(folder / "values.yaml", tree),
        _text_of(folder / "values.schema.json", tree),
    )


def _templates(start: Path, tree: Tree) -> Iterator[str]:
    for folder, below, names in tree.walk(start):
        for name in (*below, *names):
            tree.expect(Path(folder, name))
        for name in names:
            path = str(Path(folder, name))
            if path.endswith(_ENDINGS) and tree.is_plain(path):
                yield path


def _text_of(path: Path, tree: Tree) -> str | None:
    return _text(path, tree) if os.path.lexists(path) else None


def _text(path: Path, tree: Tree) -> str:
    try:
        return tree.read(path).decode()
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{path} is no UTF-8") from error
