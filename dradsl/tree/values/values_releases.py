"""Which releases the files of values are for: what HelmReleases and Applications of the run name.

A HelmRelease names a ConfigMap, which a kustomization makes of a file (configMapGenerator). Paths of
`valueFiles` count from the chart, or with `$name/` from the top of a tree.
"""

from __future__ import annotations

import posixpath

from dradsl.records import dataclass
from dradsl.text.paths import value_at
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.tree.values.values import INSTALLERS
from dradsl.values.limits import MOST_VALUES_FILES
from dradsl.values.plain import list_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["NAMING", "ValuesReference", "releases_of_values_files"]

NAMING = ("valuesFrom", "valueFiles", "configMapGenerator")
"""What texts hold that name files of values, or say of which file a ConfigMap is made."""


@dataclass(frozen=True, slots=True)
class ValuesReference:
    """A release that takes values of a file: the object `by`, and the path of the settings for its chart."""

    by: Manifest
    path: FieldPath


def releases_of_values_files(
    sources: Sequence[SourceText], files: Iterable[str]
) -> dict[str, tuple[ValuesReference, ...]]:
    """The releases that take values of each of the `files`, as far as `sources` say it."""
    made = dict(_made_config_maps(sources))
    ends: dict[str, list[ValuesReference]] = {}
    for source in sources:
        for manifest in manifests_of(source):
            for target, naming in _named(manifest, made):
                ends.setdefault(target, []).append(naming)
    if not ends or len(ends) > MOST_VALUES_FILES:
        return {}
    found: dict[str, tuple[ValuesReference, ...]] = {}
    for name in files:
        steps = _plain(name).split("/")
        tails = ("/".join(steps[at:]) for at in range(len(steps)))
        every = [naming for tail in tails for naming in ends.get(tail, ())]
        if every:
            found[name] = tuple(every)
    return found


def _named(
    manifest: Manifest, made: dict[tuple[str, str, str], str]
) -> Iterator[tuple[str, ValuesReference]]:
    installer = f"{manifest.kind}.{manifest.group}"
    if installer not in INSTALLERS:
        return
    if manifest.kind == "HelmRelease":
        folder = posixpath.dirname(_plain(manifest.path))
        for _, entry in find(manifest.data, "spec.valuesFrom.*"):
            if isinstance(entry, dict) and entry.get("kind") == "ConfigMap":
                key = str(entry.get("valuesKey") or "values.yaml")
                file = made.get((folder, str(entry.get("name")), key))
                if file is not None:
                    yield file, ValuesReference(manifest, ())
        return
    for place in INSTALLERS[installer][0]:
        for path, helm in find(manifest.data, place.removesuffix(".valuesObject")):
            source = value_at(manifest.data, path[:-1])
            for text in list_at(helm, "valueFiles"):
                target = _of_argo_cd(source.get("path"), text)
                if target is not None:
                    yield target, ValuesReference(manifest, path)


def _of_argo_cd(path: object, text: object) -> str | None:
    """The path of a file of values from the top of its tree."""
    if not isinstance(text, str) or not text or "{{" in text or "://" in text:
        return None
    if text.startswith("$"):
        target = text.partition("/")[2]
    elif isinstance(path, str) and path and "{{" not in path:
        target = f"{path}/{text}"
    else:
        return None
    plain = posixpath.normpath(target.lstrip("/"))
    return None if plain.startswith("..") or "/" not in plain else plain


def _made_config_maps(
    sources: Iterable[SourceText],
) -> Iterator[tuple[tuple[str, str, str], str]]:
    """The files of which kustomizations make ConfigMaps, by folder, name and key."""
    for source in sources:
        name = _plain(source.name)
        if not is_kustomization(name):
            continue
        folder = posixpath.dirname(name)
        for document in source.stream.documents:
            for _, entry in find(document.data, "configMapGenerator.*"):
                for text in list_at(entry, "files"):
                    if isinstance(text, str) and text:
                        key, equals, file = text.rpartition("=")
                        key = key if equals else posixpath.basename(file)
                        where = posixpath.normpath(posixpath.join(folder, file))
                        yield (folder, str(entry.get("name")), key), where


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))
