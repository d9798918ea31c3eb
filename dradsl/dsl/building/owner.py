"""The name of the module and app that a built file is from, the same wherever the build runs.

A mark names its owner by the way from the output folder to the module: `../team/a.py:app`. That way
is the same in each copy of a project and for each working directory, it tells two files `app.py`
apart, and it needs neither git nor a pyproject.toml, which an image that builds may lack. Two cases
have no such way:

- An output folder outside the module's project (another repository, a temporary folder): the way
  there depends on the machine. The owner is the project's name and the way inside the project:
  `infra//team/a.py:app`.
- An installed module: where Python keeps it depends on the environment. The owner is the dotted
  name: `acme.manifests:app`.

A module in no project has nothing but the way, wherever the folder is.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from dradsl.dsl.building.loading import LoadedApp

__all__ = ["owner_of"]

_INSTALLED = frozenset({"site-packages", "dist-packages"})


def owner_of(loaded: LoadedApp, folder: Path) -> str:
    """Who owns the files that `loaded` builds into `folder`: `MODULE:APP`, on one line."""
    return _plain(f"{_module(loaded, folder.resolve())}:{loaded.app_name}")


def _module(loaded: LoadedApp, folder: Path) -> str:
    if loaded.file is None:
        return loaded.module_name
    file = loaded.file.resolve()
    if loaded.by_name and not _INSTALLED.isdisjoint(file.parts):
        return loaded.module_name
    top = _project_top(file.parent)
    if top is not None and top != _project_top(folder):
        return f"{_project_name(top)}//{file.relative_to(top).as_posix()}"
    try:
        way = Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive of Windows: there is no way
        return file.as_posix()
    return way if way.startswith("../") else f"./{way}"


def _project_top(start: Path) -> Path | None:
    """The top of the git repository around `start`, else the outermost folder with pyproject.toml."""
    outermost = None
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
        if (folder / "pyproject.toml").is_file():
            outermost = folder
    return outermost


def _project_name(top: Path) -> str:
    """What pyproject.toml calls the project, else the folder's name."""
    import tomllib

    from dradsl.tree.files import Tree

    try:
        data = tomllib.loads(Tree.around(top).read(top / "pyproject.toml").decode())
    except (
        OSError,
        ValueError,
        RecursionError,
    ):  # not a file that a build wrote: nothing to complain about
        data = {}
    project = data.get("project")
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) and name else top.name


def _plain(text: str) -> str:
    """`text` on one line of a YAML comment, which Helm too leaves alone.

    macOS may hand out the name of a file decomposed; the name is one and the same.
    """
    return "".join(
        char if char.isprintable() and char not in "%{}" else quote(char, errors="surrogatepass")
        for char in unicodedata.normalize("NFC", text)
    )
