"""A chart's folder as texts: templates, values and schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.lint.input.sources import UsageProblem
from dradsl.records import dataclass
from dradsl.text.documents import load
from dradsl.text.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Chart", "read_chart"]

_ENDINGS = (".yaml", ".yml", ".tpl")
_MOST = 2_000  # templates of one chart


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the texts of its templates, values and schema by their names within the folder."""

    folder: Path
    name: str
    templates: Mapping[str, str]
    values: str | None
    schema: str | None

    @property
    def manifests(self) -> dict[str, str]:
        """The templates that make objects of a release; templates of tests are left out."""
        return {
            name: text
            for name, text in self.templates.items()
            if not name.endswith(".tpl") and not name.startswith("templates/tests/")
        }


def read_chart(folder: Path) -> Chart:
    """The chart in a folder.

    Raises:
        UsageProblem: if there is no chart in it.
        FileError: if a file cannot be read.
    """
    if not (folder / "Chart.yaml").is_file():
        raise UsageProblem(f"{folder} holds no Chart.yaml: --chart takes the folder of a chart")
    documents = load(read_bytes(folder / "Chart.yaml")).documents
    data: Any = documents[0].data if documents else None
    name = data.get("name") if isinstance(data, dict) else None
    found = sorted(
        path
        for path in (folder / "templates").rglob("*")
        if path.suffix in _ENDINGS and path.is_file() and not path.is_symlink()
    )
    if len(found) > _MOST:
        raise UsageProblem(f"{folder} holds more than {_MOST} templates")
    return Chart(
        folder,
        str(name or folder.name),
        {path.relative_to(folder).as_posix(): _text(path) for path in found},
        _text_of(folder / "values.yaml"),
        _text_of(folder / "values.schema.json"),
    )


def _text_of(path: Path) -> str | None:
    return _text(path) if path.is_file() else None


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{path} is no UTF-8") from error
