"""What Applications of Argo CD build: folders and kustomizations; what ApplicationSets make.

Upstream: argo-cd reposerver/repository/repository.go, applicationset/generators and applicationset/utils.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping

from dradsl.records import Record, replace
from dradsl.tree.argo_cd.application_sets import RepositoryTree, filled_text, parameters_of
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder, with_settings
from dradsl.tree.kustomize.parts.files import Files, KustomizeError, is_remote, objects_in
from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay, UnsupportedConstruct
from dradsl.tree.kustomize.parts.resources import Resource
from dradsl.tree.nodes import SourcePlace, ValueNode, mapping, of, sequence, text_of
from dradsl.values.limits import MOST_FILES_OF_AN_APPLICATION

__all__ = ["Application", "applications_of", "build_source", "filled_node"]


class Application(Record):
    """The spec of an Application, its own or one that a set makes; `name` is that of the Application."""

    name: str
    spec: ValueNode


# ApplicationSets


def applications_of(
    node: ValueNode, files: Files, top: str
) -> tuple[list[Application], list[UnsupportedConstruct]]:
    """The applications that an Application or ApplicationSet stands for."""
    spec = node.get("spec") or mapping({}, node.at)
    if text_of(node.get("kind")) != "ApplicationSet":
        return [Application(text_of(node.get("metadata", "name")), spec)], []
    tree = RepositoryTree(
        top, lambda path: None if (found := files.text(path)) is None else found.stream
    )
    data = spec.plain()
    every, unknown = parameters_of(data if isinstance(data, dict) else {}, tree)
    made: list[Application] = []
    template = spec.get("template")
    for each in every if template is not None else ():
        filled = filled_node(template, each) if template is not None else None
        inner = filled.get("spec") if filled is not None else None
        if filled is not None and inner is not None:
            made.append(Application(text_of(filled.get("metadata", "name")), inner))
    return made, [UnsupportedConstruct("ApplicationSet", text, node.at) for text in unknown]


def filled_node(node: ValueNode, parameters: Mapping[str, str]) -> ValueNode:
    """A part of a template with the parameters of one application."""
    if node.is_map:
        fields = node.fields.items()
        return mapping({key: filled_node(each, parameters) for key, each in fields}, node.at)
    if node.is_seq:
        return sequence([filled_node(each, parameters) for each in node.items], node.at)
    text = node.plain()
    if not isinstance(text, str) or "{{" not in text:
        return node
    made = filled_text(text, parameters)
    return node if made == text else of(made, node.at)


# Sources


def build_source(builder: OverlayBuilder, source: ValueNode, top: str) -> Overlay | None:
    """What a source of an Application makes of a folder of the tree; None for a chart or another place.

    The builder is one that has built nothing.
    """
    files = builder.files
    path = source.get("path")
    if path is None or not path.text or "{{" in path.text:
        return None
    folder = files.real(os.path.join(top, path.text.strip("/")))
    if not files.is_folder(folder):
        note = UnsupportedConstruct("path", f"the folder {path.text} is not in this tree", path.at)
        return Overlay(folder, unknowns=(note,))
    if source.get("helm") is not None or files.is_file(os.path.join(folder, "Chart.yaml")):
        return None
    own = source.get("kustomize")
    if own is not None or any(files.is_file(os.path.join(folder, name)) for name in NAMES):
        return _kustomize(builder, folder, own)
    return _directory(files, folder, source.get("directory"), path.at)


_FIELDS = {name: name for name in ("namePrefix", "nameSuffix", "namespace")}


def _kustomize(builder: OverlayBuilder, folder: str, own: ValueNode | None) -> Overlay:
    """As Argo CD edits the kustomization of the folder before it builds (util/kustomize/kustomize.go, Build)."""
    if own is None:
        return builder.build(folder)
    notes: list[UnsupportedConstruct] = []
    try:
        node, text = builder.kustomization(folder)
        for name in ("commonLabels", "commonAnnotations"):
            node = _with_pairs(node, name, own, notes)
        for name in ("images", "replicas"):
            found = own.get(name)
            if found is not None and not found.is_empty:
                message = f"{name} of an Application are not put in"
                notes.append(UnsupportedConstruct(f"kustomize.{name}", message, found.at))
        for each in own.items_at("components"):
            is_there = is_remote(each.text) or builder.files.is_folder(
                builder.files.real(os.path.join(folder, each.text))
            )
            # Of one that is missing, some versions say nothing, and others reject it.
            is_missing = not is_there and not own.is_true("ignoreMissingComponents")
            if is_missing or any(mark in each.text for mark in "*?["):
                message = f"{each.text} is not a folder of this tree"
                notes.append(UnsupportedConstruct("kustomize.components", message, each.at))
                return Overlay(folder, unknowns=tuple(notes))
        node = with_settings(builder, folder, node, own, _FIELDS, once=True)
        builder.override_kustomization(folder, node, text)
    except KustomizeError as error:
        return Overlay(folder, rejected=error)
    overlay = builder.build(folder)
    return replace(overlay, unknowns=(*overlay.unknowns, *notes))


def _with_pairs(
    node: ValueNode, name: str, own: ValueNode, notes: list[UnsupportedConstruct]
) -> ValueNode:
    """`kustomize edit add label` and `add annotation`, where they add plain pairs that are not there."""
    more, before = own.get(name), node.get(name)
    if more is None or not more.is_map or more.is_empty:
        return node
    fields = {} if before is None else before.fields
    is_label = name == "commonLabels"
    is_plain = not (is_label or own.is_true("commonAnnotationsEnvsubst")) or all(
        "$" not in each.text for each in more.fields.values()
    )
    if (
        fields.keys() & more.fields
        or not is_plain
        or (is_label and own.is_true("labelWithoutSelector"))
    ):
        message = f"{name} of an Application are not put in"
        notes.append(UnsupportedConstruct(f"kustomize.{name}", message, more.at))
        return node
    return node.with_field(name, mapping({**fields, **more.fields}, more.at))


def _directory(files: Files, folder: str, own: ValueNode | None, at: SourcePlace | None) -> Overlay:
    """All objects in the files of a folder, and of those below if `recurse` is set."""
    recurse = own is not None and own.is_true("recurse")
    include = text_of(own.get("include")) if own is not None else ""
    exclude = text_of(own.get("exclude")) if own is not None else ""
    made: list[BuiltObject] = []
    unknowns: list[UnsupportedConstruct] = []
    taken: set[str] = set()
    for here, below, names in files.walk(folder):
        below[:] = sorted(below) if recurse else []
        for name in sorted(names):
            path = os.path.relpath(os.path.join(here, name), folder).replace(os.sep, "/")
            if (exclude and _matches(path, exclude)) or (include and not _matches(path, include)):
                continue
            if name.endswith(".jsonnet"):
                unknowns.append(UnsupportedConstruct("jsonnet", f"{path} is not run", at))
            if (
                not name.endswith((".yaml", ".yml", ".json"))
                or len(taken) > MOST_FILES_OF_AN_APPLICATION
            ):
                continue
            text = files.text(files.real(os.path.join(here, name)))
            if text is None:
                continue
            try:
                nodes = objects_in(text)
                files.budget.build(len(nodes), len(made) + len(nodes))
            except KustomizeError as error:
                return Overlay(folder, unknowns=tuple(unknowns), rejected=error)
            taken.add(text.file)
            made += [BuiltObject(r.node, r.name, r.namespace) for r in map(Resource, nodes)]
    return Overlay(folder, tuple(made), tuple(unknowns), files=frozenset(taken))


def _matches(path: str, pattern: str) -> bool:
    patterns = pattern[1:-1].split(",") if pattern.startswith("{") else [pattern]
    return any(fnmatch.fnmatchcase(path, each.strip()) for each in patterns)
