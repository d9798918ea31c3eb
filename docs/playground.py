"""Put the parts of the playground into a site that mkdocs has built: `PLAYGROUND=1 mkdocs build` calls this.

Pyodide (Python as WebAssembly) comes from the package registry of npm; dradsl, and the packages that it
needs, from this environment, without what is compiled. Nothing is fetched when the page runs.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PYODIDE = "314.0.7"  # with Python 3.14
CORE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
# rpds, which the last of them need, is compiled: dradsl stands in for it.
PACKAGES = ("click", "PyYAML", "jsonschema", "jsonschema-specifications", "referencing", "attrs")
FLEETS = (
    "gpu.nvidia.com-eks-p4d-a100-full-gpu",
    "gpu.nvidia.com-oke-gb200-full-gpu",
    "gpu.nvidia.com-static-mig-mixed-a100",
    "gpu.amd.com-static-cpx-mi300x",
    "gpu.intel.com-rpl-s-arc-b60",
)
# What each task begins with: a recipe, and a word of it with what a person may write instead.
BEGINNINGS = {
    "lint": ("gpu", "cudaComputeCapability", "computeCapability"),
    "cel": ("extended-resource", '"30Gi"', '"30GB"'),
    "simulate": ("gpu-or-two", "39Gi", "60Gi"),
}


class NotToBeHadError(Exception):
    """A part of the playground cannot be had here."""


def build(site: Path) -> int:
    """Write the parts into `site`; the number of their bytes."""
    target = site / "assets" / "playground"
    if not (target / "page.js").is_file():
        raise NotToBeHadError(f"{site} holds no site: run mkdocs build first")
    _core(target / "pyodide")
    _application(target / "app.zip")
    from dradsl.releases import RELEASES

    loaded = [target / "app.zip", *(target / "pyodide").iterdir()]
    total = sum(path.stat().st_size for path in loaded)
    parts = {
        "bytes": total,
        "releases": list(RELEASES),
        "fleets": list(FLEETS),
        "recipes": list(_recipes()),
        "examples": dict(_beginnings()),
    }
    (target / "parts.json").write_text(json.dumps(parts), "utf-8")
    return total


def _recipes() -> Iterator[dict[str, str]]:
    """The recipes of `dradsl new`, with the manifests of the cookbook."""
    from docs._pages.cookbook import cookbook_example, cookbook_names

    for name in cookbook_names():
        scaffold, command, manifest = cookbook_example(name)
        title = f"{name}: {scaffold.recipe['summary']}"
        yield {"name": name, "title": title, "text": f"# {command}\n{manifest}"}


def _beginnings() -> Iterator[tuple[str, str]]:
    """What is in the editor first: a recipe with a mistake, for CEL its selectors alone."""
    from docs._pages.cookbook import cookbook_example
    from dradsl.text.paths import values_named

    for task, (name, word, instead) in BEGINNINGS.items():
        scaffold, _, text = cookbook_example(name)
        if task == "cel":
            text = " &&\n".join(values_named(scaffold.objects(), "expression")) + "\n"
        if word not in text:
            raise ValueError(f"{name}: no {word}")
        yield task, text.replace(word, instead)


def _core(target: Path) -> None:
    """What of the package pyodide the page loads."""
    with tempfile.TemporaryDirectory() as folder:
        call = ["npm", "pack", "--silent", "--pack-destination", folder, f"pyodide@{PYODIDE}"]
        try:
            subprocess.run(call, check=True, capture_output=True, text=True, timeout=300)  # noqa: S603 - the words are fixed
        except (OSError, subprocess.SubprocessError) as error:
            raise NotToBeHadError(f"npm cannot get pyodide {PYODIDE}: {error}") from error
        (archive,) = Path(folder).glob("*.tgz")
        target.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as packed:
            for name in CORE:
                source = packed.extractfile(f"package/{name}")
                assert source is not None  # noqa: S101 - a file, not a folder
                (target / name).write_bytes(source.read())


def _application(target: Path) -> None:
    """dradsl with its data as in its wheel, the packages, recorded fleets: the same bytes each time."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, path in sorted(_files()):
            out.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def _files() -> Iterator[tuple[str, Path]]:
    folders = {"dradsl": "dradsl", "rules": "dradsl/_data/rules", "schemas": "dradsl/_data/schemas"}
    for source, name in folders.items():
        for path in (ROOT / source).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and "_data" not in path.parts:
                yield f"{name}/{path.relative_to(ROOT / source).as_posix()}", path
    for fleet in FLEETS:
        yield f"fleets/{fleet}/slices.yaml", ROOT / "examples" / "inventory" / fleet / "slices.yaml"
    yield "playground_run.py", ROOT / "docs" / "playground_run.py"
    yield "LICENSE", ROOT / "LICENSE"
    for package in PACKAGES:
        for file in importlib.metadata.files(package) or ():
            plain = (
                file.suffix == ".py" or "LICENSE" in file.name.upper() or "schemas" in file.parts
            )
            plain = plain and file.suffix != ".pyc" and "tests" not in file.parts
            if plain and ".." not in file.parts:
                yield str(file), Path(str(file.locate()))
