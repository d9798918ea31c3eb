"""Charts in the tree that releases among the files install, and the namespaces to which they go."""

from __future__ import annotations

import itertools
import os
import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dradsl.text.documents import load
from dradsl.text.files import FileError
from dradsl.tree.completed_releases import chart_paths, is_release
from dradsl.tree.files import Tree
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.kustomize.surrounding import top_of
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.nodes import of
from dradsl.values.limits import MOST_BYTES_OUTSIDE, MOST_TEMPLATES_OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["chart_releases", "namespaces_of_charts", "read_outside"]

_SIGNS = ("HelmRelease", "Application", "releases:")


def namespaces_of_charts(sources: Sequence[SourceText]) -> dict[str, frozenset[str]]:
    """The namespaces to which releases among the files install the charts of the tree, by the paths of these; "" is one
    that is not written."""
    found: dict[str, set[str]] = {}
    for source in sources:
        if any(sign in source.stream.text for sign in _SIGNS):
            for path, (*_, space), _ in _installs(source):
                found.setdefault(path, set()).add("" if space.endswith("/") else space)
    return {path: frozenset(spaces) for path, spaces in found.items()}


def chart_releases(source: SourceText) -> Iterator[tuple[tuple[str, int, FieldPath], str]]:
    """The places of values of releases in a file (file, document, path), each with the folder of the chart in the
    tree, as the files of the run name folders."""
    text = source.stream.text
    if source.name.startswith("<") or not any(sign in text for sign in _SIGNS):
        return
    beside = posixpath.dirname(source.name.replace("\\", "/"))
    top = top_of(os.path.realpath(beside or "."))
    for manifest in manifests_of(source):
        if manifest.within is not None or manifest.made is not None or not is_release(manifest):
            continue
        for path, way in chart_paths(of(manifest.data, None)):
            if "{{" in path or "${" in path:
                continue
            folder = _named(f"{top}/{path.lstrip('/')}", top, beside)
            if folder is None:
                continue
            at = (*manifest.prefix, "spec", *way)
            yield (source.name, manifest.document.index, at), folder
            if way[-1] == "valuesObject":
                yield (source.name, manifest.document.index, (*at[:-1], "values")), folder
    for document in source.stream.documents:
        data = document.data
        listed = data.get("releases") if isinstance(data, Mapping) else None
        for index, each in enumerate(listed if isinstance(listed, list) else ()):
            chart = _text(each, "chart")
            folder = _named(f"{beside or '.'}/{chart}", top, beside) if chart[:1] == "." else None
            values = each.get("values") if isinstance(each, Mapping) else None
            for number in range(len(values) if isinstance(values, list) and folder else 0):
                place = ("releases", index, "values", number)
                yield (source.name, document.index, place), str(folder)


def _named(path: str, top: str, beside: str) -> str | None:
    """A folder of the tree `top`, as the files of the run are named: relative to the working directory, or from the root."""
    real = os.path.realpath(path)
    if not (real == top or real.startswith(f"{top}/")):
        return None
    return real if beside.startswith("/") else posixpath.normpath(os.path.relpath(real))


def read_outside(folder: str, beside: str) -> Iterator[SourceText]:
    """The Chart.yaml, the templates and the values of a chart that is no file of the run, if it stands in the tree
    that holds the folder `beside`. What a link brings in from elsewhere is left out."""
    tree = Tree((top_of(os.path.realpath(beside or ".")),))
    if tree.roots == (os.path.realpath(folder),) or not tree.is_file(f"{folder}/Chart.yaml"):
        return
    listed = itertools.islice(tree.files(f"{folder}/templates"), MOST_TEMPLATES_OUTSIDE)
    for path in (f"{folder}/Chart.yaml", f"{folder}/values.yaml", *sorted(listed)):
        if not path.endswith((".yaml", ".yml", ".tpl")):
            continue
        try:
            data = tree.read_found(path, MOST_BYTES_OUTSIDE)
        except FileError:
            continue
        yield SourceText(path.replace(os.sep, "/"), load(data))


def _installs(source: SourceText) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The path of the chart, where it goes to, and the title of each release of a file."""
    beside = posixpath.dirname(source.name.replace("\\", "/"))
    for manifest in manifests_of(source):
        if manifest.kind == "HelmRelease":
            yield from _of_flux(manifest, beside)
        elif manifest.kind == "Application" and manifest.group == "argoproj.io":
            yield from _of_argo_cd(manifest, beside)
    for document in source.stream.documents:
        data = document.data
        listed = data.get("releases") if isinstance(data, Mapping) else None
        for each in listed if isinstance(listed, list) else ():
            chart = _text(each, "chart")
            if chart.startswith("."):
                path = posixpath.normpath(posixpath.join(beside, chart))
                where = _text(each, "kubeContext"), _text(each, "namespace")
                yield path, ("helmfile", *where), f"release {_text(each, 'name')}"


def _of_flux(manifest: Manifest, beside: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    path = _text(manifest.data, "spec", "chart", "spec", "chart")
    kind = _text(manifest.data, "spec", "chart", "spec", "sourceRef", "kind")
    if path and kind in ("GitRepository", "Bucket"):
        space = _text(manifest.data, "spec", "targetNamespace") or manifest.namespace
        where = _text(manifest.data, "spec", "kubeConfig", "secretRef", "name")
        # If there is no namespace, a Kustomization sets one, the same for all files of a folder.
        goes_to = ("flux", where, space or f"{beside}/")
        yield _relative(path), goes_to, manifest.title


def _of_argo_cd(manifest: Manifest, beside: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    spec = manifest.data.get("spec")
    several = spec.get("sources") if isinstance(spec, Mapping) else None
    one = spec.get("source") if isinstance(spec, Mapping) else None
    server = _text(spec, "destination", "server") or _text(spec, "destination", "name")
    space = _text(spec, "destination", "namespace") or f"{beside}/"
    for each in several if isinstance(several, list) else (one,):
        path = _text(each, "path")
        if path:
            yield _relative(path), ("argo cd", server, space), manifest.title


def _relative(path: str) -> str:
    return posixpath.normpath(path).strip("/").removeprefix("./")


def _text(data: object, *keys: str) -> str:
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, str) else ""
