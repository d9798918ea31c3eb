"""Charts among the files that two releases of one namespace install: objects with a fixed name would be in both."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dradsl.lint.input.manifests import manifests_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.sources import SourceText

__all__ = ["installed_twice"]

_SIGNS = ("HelmRelease", "Application", "releases:")


def installed_twice(sources: Sequence[SourceText], folders: Collection[str]) -> dict[str, str]:
    """By the folders of charts: the two releases that install it into one namespace, in words."""
    if not folders:
        return {}
    found: dict[str, dict[tuple[str, ...], dict[str, str]]] = {}
    for source in sources:
        if not any(sign in source.stream.text for sign in _SIGNS):
            continue
        for path, goes_to, title in _installs(source):
            for folder in folders:
                if folder and (folder == path or folder.endswith(f"/{path}")):
                    # One name in two files is one release of two clusters, or of two overlays.
                    found.setdefault(folder, {}).setdefault(goes_to, {})[title] = source.name
    said = {}
    for folder, places in found.items():
        several = next((names for names in places.values() if len(names) > 1), None)
        if several is not None:
            said[folder] = " and ".join(
                f"{title} ({file})" for title, file in [*several.items()][:2]
            )
    return said


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
