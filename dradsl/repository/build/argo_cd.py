"""What Applications of Argo CD build: folders, kustomizations, and the values of charts; what ApplicationSets make.

Upstream: argo-cd reposerver/repository/repository.go, applicationset/generators and applicationset/utils.
"""

from __future__ import annotations

import fnmatch
import os
import re

from dradsl.records import dataclass
from dradsl.repository.build.nodes import Node, mapping, of, sequence, text_of
from dradsl.repository.build.overlays.overlay import Builder
from dradsl.repository.build.parts.files import BuildError, objects_in
from dradsl.repository.build.parts.outcome import Built, Overlay, Unknown
from dradsl.repository.build.parts.resources import Resource
from dradsl.repository.build.parts.shape import check_kustomization
from dradsl.repository.build.values import ValuesError, argo_cd_values
from dradsl.repository.kustomization import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.repository.build.nodes import At
    from dradsl.repository.build.parts.files import Files

__all__ = ["Application", "applications_of", "build_source", "helm_values"]

_MOST = 2_000  # applications of a set, files of a folder


@dataclass(frozen=True, slots=True)
class Application:
    """The spec of an Application, its own or one that a set makes; `name` is that of the Application."""

    name: str
    spec: Node


# ApplicationSets


def applications_of(node: Node, files: Files, top: str) -> tuple[list[Application], list[Unknown]]:
    """The applications that an Application or ApplicationSet stands for."""
    spec = node.get("spec") or mapping({}, node.at)
    if text_of(node.get("kind")) != "ApplicationSet":
        return [Application(text_of(node.get("metadata", "name")), spec)], []
    made: list[Application] = []
    unknowns: list[Unknown] = []
    template = spec.get("template")
    generators = spec.get("generators")
    go = spec.get("goTemplate")
    is_go = go is not None and go.plain() is True
    for generator in generators.items if generators is not None else ():
        for name, own in generator.fields.items():
            if name == "list":
                parameters = _listed(own)
            elif name == "git":
                parameters = _of_git(own, files, top, go=is_go)
            else:
                unknowns.append(
                    Unknown("ApplicationSet", f"the generator {name} is not run", generator.at)
                )
                continue
            for each in parameters:
                if template is None or len(made) >= _MOST:
                    break
                filled = _filled(template, each, go=is_go)
                inner = filled.get("spec")
                if inner is not None:
                    made.append(Application(text_of(filled.get("metadata", "name")), inner))
    return made, unknowns


def _listed(node: Node) -> list[dict[str, str]]:
    elements = node.get("elements")
    return [
        _flat(each.plain())
        for each in (elements.items if elements is not None else ())
        if each.is_map
    ]


def _flat(data: object, before: str = "") -> dict[str, str]:
    made: dict[str, str] = {}
    for key, value in data.items() if isinstance(data, dict) else ():
        name = f"{before}{key}"
        if isinstance(value, dict):
            made.update(_flat(value, f"{name}."))
        elif isinstance(value, bool):
            made[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            made[name] = str(value)
    return made


def _of_git(node: Node, files: Files, top: str, *, go: bool) -> list[dict[str, str]]:
    folders = node.get("directories")
    listed = node.get("files")
    made: list[dict[str, str]] = []
    if folders is not None:
        wanted: list[str] = []
        refused: list[str] = []
        for each in folders.items:
            excluded = each.get("exclude")
            is_excluded = excluded is not None and excluded.plain() is True
            (refused if is_excluded else wanted).append(text_of(each.get("path")))
        made += [
            _path_of(path, go=go)
            for path in _folders(top)
            if any(_fits(path, each) for each in wanted)
            and not any(_fits(path, each) for each in refused)
        ]
    if listed is not None:
        patterns = [text_of(each.get("path")) for each in listed.items]
        for folder, _, names in _walk(top):
            for name in sorted(names):
                full = os.path.join(folder, name)
                path = os.path.relpath(full, top).replace(os.sep, "/")
                if not any(_fits(path, each) for each in patterns):
                    continue
                text = files.text(files.real(full))
                documents = text.stream.documents if text is not None else ()
                data = documents[0].data if documents else None
                for entry in data if isinstance(data, list) else [data]:
                    own = os.path.dirname(path)
                    made.append({**_flat(entry), **_path_of(own, go=go)})
    return made[:_MOST]


def _path_of(path: str, *, go: bool) -> dict[str, str]:
    steps = path.split("/")
    base = steps[-1]
    plain = re.sub(r"[^a-zA-Z0-9-]", "-", base).lower()
    made = {"path.basename": base, "path.basenameNormalized": plain}
    made["path.path" if go else "path"] = path
    for index, step in enumerate(steps):
        made[f"path[{index}]" if not go else f"path.segments[{index}]"] = step
    return made


def _fits(path: str, pattern: str) -> bool:
    """Whether a pattern of folders fits: `*` stays within one step, `**` does not."""
    one, two = path.split("/"), pattern.strip("/").split("/")
    if "**" in two:
        return fnmatch.fnmatchcase(path, pattern.strip("/").replace("**", "*"))
    return len(one) == len(two) and all(
        fnmatch.fnmatchcase(a, b) for a, b in zip(one, two, strict=True)
    )


def _walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    left = 20_000
    for folder, below, names in os.walk(top):
        below[:] = sorted(each for each in below if each != ".git")
        left -= 1
        if left < 0:
            return
        yield folder, below, names


def _folders(top: str) -> Iterator[str]:
    for folder, _, _ in _walk(top):
        path = os.path.relpath(folder, top).replace(os.sep, "/")
        if path != "." and not any(step.startswith(".") for step in path.split("/")):
            yield path


_PLACE = re.compile(r"\{\{-?\s*\.?([A-Za-z_][\w.\-\[\]]*)\s*-?\}\}")


def _filled(node: Node, parameters: Mapping[str, str], *, go: bool) -> Node:
    if node.is_map:
        return mapping(
            {key: _filled(each, parameters, go=go) for key, each in node.fields.items()}, node.at
        )
    if node.is_seq:
        return sequence([_filled(each, parameters, go=go) for each in node.items], node.at)
    text = node.plain()
    if not isinstance(text, str) or "{{" not in text:
        return node
    made = _PLACE.sub(lambda match: parameters.get(match[1], match[0]), text)
    return node if made == text else of(made, node.at)


# Sources


def build_source(source: Node, files: Files, top: str) -> Overlay | None:
    """What a source of an Application makes of a folder of the tree; None for a chart or another place."""
    path = source.get("path")
    if path is None or not path.text or "{{" in path.text:
        return None
    folder = files.real(os.path.join(top, path.text.strip("/")))
    if not files.is_folder(folder):
        note = Unknown("path", f"the folder {path.text} is not in this tree", path.at)
        return Overlay(folder, unknowns=(note,))
    if source.get("helm") is not None or os.path.isfile(os.path.join(folder, "Chart.yaml")):
        return None
    own = source.get("kustomize")
    if own is not None or any(os.path.isfile(os.path.join(folder, name)) for name in NAMES):
        return _kustomize(files, folder, own)
    return _directory(files, folder, source.get("directory"), path.at)


def _kustomize(files: Files, folder: str, own: Node | None) -> Overlay:
    builder = Builder(files)
    if own is None:
        return builder.build(folder)
    try:
        node, text = builder.kustomization(folder)
        for name in ("namePrefix", "nameSuffix", "namespace"):
            found = own.get(name)
            if found is not None and found.text:
                node = node.with_field(name, found)
        for name in ("components", "patches"):
            more = own.get(name)
            if more is not None and more.is_seq:
                before = node.get(name)
                items = [*(before.items if before is not None else ()), *more.items]
                node = node.with_field(name, sequence(items, more.at))
        for name in ("commonLabels", "commonAnnotations"):
            more = own.get(name)
            if more is not None and more.is_map:
                before = node.get(name)
                fields = dict(before.fields) if before is not None else {}
                node = node.with_field(name, mapping({**fields, **more.fields}, more.at))
        builder.give(folder, check_kustomization(node), text)
    except BuildError as error:
        return Overlay(folder, refused=error)
    overlay = builder.build(folder)
    left = [name for name in ("images", "replicas") if own.get(name) is not None]
    notes = tuple(
        Unknown(f"kustomize.{name}", f"{name} of the Application are not put in", own.at)
        for name in left
    )
    return Overlay(
        overlay.folder,
        overlay.objects,
        (*overlay.unknowns, *notes),
        overlay.refused,
        overlay.files,
    )


def _directory(files: Files, folder: str, own: Node | None, at: At | None) -> Overlay:
    """All objects in the files of a folder, and of those below if `recurse` says so."""
    recurse = (
        own is not None and (found := own.get("recurse")) is not None and found.plain() is True
    )
    include = text_of(own.get("include")) if own is not None else ""
    exclude = text_of(own.get("exclude")) if own is not None else ""
    made: list[Built] = []
    unknowns: list[Unknown] = []
    taken: set[str] = set()
    for here, below, names in os.walk(folder):
        below[:] = sorted(below) if recurse else []
        for name in sorted(names):
            path = os.path.relpath(os.path.join(here, name), folder).replace(os.sep, "/")
            if (exclude and _matches(path, exclude)) or (include and not _matches(path, include)):
                continue
            if name.endswith(".jsonnet"):
                unknowns.append(Unknown("jsonnet", f"{path} is not run", at))
            if not name.endswith((".yaml", ".yml", ".json")) or len(taken) > _MOST:
                continue
            text = files.text(files.real(os.path.join(here, name)))
            if text is None:
                continue
            try:
                nodes = objects_in(text)
            except BuildError as error:
                return Overlay(folder, unknowns=tuple(unknowns), refused=error)
            taken.add(text.file)
            for node in nodes:
                resource = Resource(node)
                made.append(Built(node, resource.name, resource.namespace))
    return Overlay(folder, tuple(made), tuple(unknowns), files=frozenset(taken))


def _matches(path: str, pattern: str) -> bool:
    patterns = pattern[1:-1].split(",") if pattern.startswith("{") else [pattern]
    return any(fnmatch.fnmatchcase(path, each.strip()) for each in patterns)


def helm_values(
    source: Node, files: Files, top: str
) -> tuple[dict[str, Any] | None, list[Unknown]]:
    """The values that a Helm source gives to its chart; None if they cannot all be seen."""
    own = source.get("helm")
    if own is None:
        return {}, []
    texts: list[str] = []
    listed = own.get("valueFiles")
    base = os.path.join(top, text_of(source.get("path")).strip("/"))
    ignored = own.get("ignoreMissingValueFiles")
    for each in listed.items if listed is not None else ():
        where = top if each.text.startswith("/") else base
        data = files.read(files.real(os.path.join(where, each.text.lstrip("/"))))
        if data is not None and not each.text.startswith("$") and "://" not in each.text:
            texts.append(data.decode("utf-8", "replace"))
        elif not (ignored is not None and ignored.plain() is True):
            return None, [Unknown("valueFiles", f"{each.text} is not in this tree", each.at)]
    if own.get("fileParameters") is not None:
        return None, [Unknown("fileParameters", "values out of files are not put in", own.at)]
    parameters = own.get("parameters")
    given = [
        (
            text_of(each.get("name")),
            text_of(each.get("value")),
            (force := each.get("forceString")) is not None and force.plain() is True,
        )
        for each in (parameters.items if parameters is not None else ())
    ]
    values = own.get("valuesObject")
    data_of: Any = values.plain() if values is not None and values.is_map else None
    if data_of is None:
        data_of = text_of(own.get("values")) or None
    try:
        return argo_cd_values(texts, data_of, given), []
    except ValuesError as error:
        return None, [Unknown("helm", str(error), own.at)]
