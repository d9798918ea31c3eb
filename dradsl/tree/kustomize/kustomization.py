"""One kustomization as data: what it takes in, which patches it has, and what of it is not known.

Field names follow sigs.k8s.io/kustomize api/types/kustomization.go and api/types/patch.go.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dradsl.records import Record, field
from dradsl.text.documents import Stream, expand_list, load
from dradsl.text.paths import FieldPath
from dradsl.tree.charts.recipes import find
from dradsl.values.plain import list_at, mapping_at, mappings_at, member, string_at

__all__ = [
    "NAMES",
    "Kustomization",
    "Patch",
    "generated",
    "is_json_patch",
    "is_kustomization",
    "patch_texts",
    "patches_of",
    "patches_within",
    "place",
    "read_kustomization",
]

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")

# Objects by which Flux and Argo CD build a folder and patch the result.
_BUILDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Kustomization.kustomize.toolkit.fluxcd.io": ("spec",),
        "Application.argoproj.io": ("spec.source.kustomize", "spec.sources.*.kustomize"),
        "ApplicationSet.argoproj.io": (
            "spec.template.spec.source.kustomize",
            "spec.template.spec.sources.*.kustomize",
        ),
    }
)


class Patch(Record):
    """A patch as a kustomization has it: in the file `path`, or with the documents `inline`.

    `target` is what it selects; empty where the patch names its target itself. `anything` says that
    it may select every object, whatever its own documents say. `where` is the path of an inline patch that is a text.
    """

    title: str
    path: str | None = None
    inline: tuple[object, ...] = ()
    target: Mapping[str, object] = field(default_factory=dict)
    anything: bool = False
    where: FieldPath = ()


class Kustomization(Record):
    """A kustomization in `folder`. `resources`, `components` and `transformers` are paths of files and
    folders, those of the remote ones too, where nothing is found. `namespace` is what it gives to all
    objects, `prefix` and `suffix` what it puts around their names; None and "" where it gives none. With `selects` it
    gives labels to selectors and templates."""

    folder: str
    component: bool
    resources: tuple[str, ...]
    components: tuple[str, ...]
    transformers: tuple[str, ...]
    patches: tuple[Patch, ...]
    renames: bool
    charts: bool
    namespace: str | None = None
    prefix: str = ""
    suffix: str = ""
    selects: bool = False


def is_json_patch(data: object) -> bool:
    """Whether a document is a list of operations of a JSON patch (RFC 6902)."""
    return (
        isinstance(data, list)
        and bool(data)
        and all(isinstance(each, Mapping) and "op" in each and "path" in each for each in data)
    )


def is_kustomization(name: str) -> bool:
    """Whether a file has a name under which Kustomize looks for its kustomization."""
    return name.replace(os.sep, "/").rpartition("/")[2] in NAMES


def read_kustomization(folder: str, stream: Stream) -> Kustomization:
    """The kustomization in `folder`; what has another shape than Kustomize takes is left out."""
    documents = [d.data for d in stream.documents if isinstance(d.data, Mapping)]
    data: Mapping[str, object] = documents[0] if documents else {}
    patches = [*patches_of(data, folder)]
    for key in ("replacements", "vars"):
        for index, item in enumerate(list_at(data, key)):
            path = member(item, "path")
            if isinstance(path, str) and path:
                title = f"{key}[{index}] ({path})"
                patches.append(Patch(title, place(folder, path), anything=True))
            patches.append(Patch(f"{key}[{index}]", inline=(item,), anything=True))
    entries = {key: [*_texts(data.get(key))] for key in _PATHS}
    inline = [text for text in entries["transformers"] if "\n" in text]
    patches += [Patch("transformers", inline=_documents(text), anything=True) for text in inline]
    files = {
        key: tuple(place(folder, text) for text in texts if "\n" not in text)
        for key, texts in entries.items()
    }
    return Kustomization(
        folder,
        data.get("kind") == "Component",
        files["resources"] + files["bases"],
        files["components"],
        files["transformers"],
        tuple(patches),
        any(data.get(key) for key in ("namePrefix", "nameSuffix", "transformers", "replacements")),
        any(data.get(key) for key in ("helmCharts", "helmChartInflationGenerator", "generators")),
        string_at(data, "namespace"),
        string_at(data, "namePrefix") or "",
        string_at(data, "nameSuffix") or "",
        bool(data.get("commonLabels"))
        or any(
            member(each, key)
            for each in list_at(data, "labels")
            for key in ("includeSelectors", "includeTemplates")
        ),
    )


_PATHS = ("resources", "bases", "components", "transformers")


def patches_of(data: Mapping[str, object], folder: str | None = None) -> Iterator[Patch]:
    """The patches in the fields of a kustomization; paths count from `folder`, without it there are
    none."""
    for way, item in _entries(data):
        title = f"{way[0]}[{way[1]}]"
        target = mapping_at(item, "target")
        path, text = member(item, "path"), member(item, "patch")
        if way[0] == "patchesStrategicMerge":
            (path, text), target = (item, None) if _is_path(item) else (None, item), {}
        if isinstance(path, str) and path and folder is not None:
            yield Patch(f"{title} ({path})", place(folder, path), target=target)
        if text is not None:
            if isinstance(text, str):
                where: FieldPath = way if way[0] == "patchesStrategicMerge" else (*way, "patch")
                yield Patch(title, inline=_documents(text), target=target, where=where)
            else:
                yield Patch(title, inline=(text,), target=target)


def _entries(data: Mapping[str, object]) -> Iterator[tuple[tuple[str, int], object]]:
    for key in ("patches", "patchesJson6902", "patchesStrategicMerge"):
        for index, item in enumerate(list_at(data, key)):
            yield (key, index), item


def _is_path(item: object) -> bool:
    """Whether an entry of patchesStrategicMerge leads to a file; others are patches themselves."""
    return isinstance(item, str) and "\n" not in item and not item.lstrip().startswith("{")


def generated(data: object) -> Iterator[Mapping[str, object]]:
    """The entries of a kustomization that make ConfigMaps and Secrets."""
    for key in ("configMapGenerator", "secretGenerator"):
        yield from mappings_at(data, key)


def patch_texts(data: object, kind: str = "", group: str = "") -> Iterator[tuple[FieldPath, str]]:
    """The patches that stand as texts in a kustomization, or in an object of Flux or Argo CD, and their
    paths."""
    for where in _BUILDERS.get(f"{kind}.{group}", ("",)):
        found = find(data, where) if where else (((), data),)
        for path, fields in found:
            if isinstance(fields, Mapping):
                for below, text in _patch_texts(fields):
                    yield (*path, *below), text


def _patch_texts(data: Mapping[str, object]) -> Iterator[tuple[FieldPath, str]]:
    for way, item in _entries(data):
        text = member(item, "patch")
        if way[0] == "patchesStrategicMerge":
            if isinstance(item, str) and "\n" in item:
                yield way, item
        elif isinstance(text, str):
            yield (*way, "patch"), text


def patches_within(kind: str, group: str, data: object) -> Iterator[Patch]:
    """The patches by which Flux or Argo CD change what they build, in their own objects."""
    for where in _BUILDERS.get(f"{kind}.{group}", ()):
        for _, found in find(data, where):
            if isinstance(found, Mapping):
                yield from patches_of(found)


def _documents(text: str) -> tuple[object, ...]:
    stream = load(text.encode("utf-8", "surrogatepass"))
    return tuple(obj for d in stream.documents for _, obj in expand_list(d.data))


def place(folder: str, text: str) -> str:
    """Where an entry leads, links resolved; an address of elsewhere leads to where nothing is.

    `folder` is free of links.
    """
    # What no file can be called (a NUL, half of a surrogate pair) leads to nothing either.
    name = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode().removeprefix("./")
    path = os.path.join(folder, name)
    if "/" not in name and name not in ("", ".", "..") and not os.path.islink(path):
        return path  # nearly all entries: the folders above need no look
    return os.path.realpath(path)


def _texts(value: object) -> Iterator[str]:
    return (item for item in list_at(value) if isinstance(item, str) and item)
