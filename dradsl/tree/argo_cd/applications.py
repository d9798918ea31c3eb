"""What Applications of Argo CD build: folders and kustomizations; what ApplicationSets make.

Upstream: argo-cd reposerver/repository/repository.go, applicationset/generators and applicationset/utils.
"""

from __future__ import annotations

import fnmatch
import os
import re

from dradsl.records import dataclass, replace
from dradsl.tree.argo_cd.application_sets import RepositoryTree, filled_text, parameters_of
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.parts.files import KustomizeError, is_remote, objects_in
from dradsl.tree.kustomize.parts.outcome import BuiltObject, Overlay, UnsupportedConstruct
from dradsl.tree.kustomize.parts.resources import Resource
from dradsl.tree.kustomize.parts.shape import check_kustomization
from dradsl.tree.nodes import ValueNode, mapping, of, sequence, text_of
from dradsl.values.digits import whole_number
from dradsl.values.limits import MOST_FILES_OF_AN_APPLICATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.nodes import SourcePlace

__all__ = ["Application", "applications_of", "build_source", "filled_node"]


@dataclass(frozen=True, slots=True)
class Application:
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


def _kustomize(builder: OverlayBuilder, folder: str, own: ValueNode | None) -> Overlay:
    """As Argo CD edits the kustomization of the folder before it builds (util/kustomize/kustomize.go, Build)."""
    if own is None:
        return builder.build(folder)
    notes: list[UnsupportedConstruct] = []
    try:
        node, text = builder.kustomization(folder)
        for name in ("namePrefix", "nameSuffix", "namespace"):
            found = own.get(name)
            if found is not None and found.text:
                node = node.with_field(name, found)
        node = _with_images(node, own.get("images"), notes)
        node = _with_replicas(node, own.get("replicas"), notes)
        node = _with_labels(node, own, notes)
        forced = own.is_true("forceCommonAnnotations")
        expanded = own.is_true("commonAnnotationsEnvsubst")
        node = _with_pairs(node, "commonAnnotations", own, notes, forced=forced, expanded=expanded)
        for name in ("patches", "components"):
            more = own.get(name)
            if more is None or not more.is_seq:
                continue
            items = node.items_at(name)
            known = {each.text for each in items} if name == "components" else set()
            for each in more.items:
                if name == "components" and not _is_component(
                    builder.files, folder, each, own, notes
                ):
                    continue
                if name == "patches" or each.text not in known:
                    items.append(each)
            node = node.with_field(name, sequence(items, more.at))
        builder.override_kustomization(folder, check_kustomization(node), text)
    except KustomizeError as error:
        return Overlay(folder, rejected=error)
    overlay = builder.build(folder)
    return replace(overlay, unknowns=(*overlay.unknowns, *notes))


def _is_component(
    files: Files, folder: str, entry: ValueNode, own: ValueNode, notes: list[UnsupportedConstruct]
) -> bool:
    """Whether a component is added: patterns that fit nothing are none."""
    if any(mark in entry.text for mark in "*?["):
        notes.append(
            UnsupportedConstruct("kustomize.components", f"{entry.text} is a pattern", entry.at)
        )
        return False
    if is_remote(entry.text) or files.is_folder(files.real(os.path.join(folder, entry.text))):
        return True
    # Where it is missing there, nothing is added with a word; other versions reject it.
    if not own.is_true("ignoreMissingComponents"):
        notes.append(
            UnsupportedConstruct("kustomize.components", f"{entry.text} is not there", entry.at)
        )
    return False


def _with_images(
    node: ValueNode, images: ValueNode | None, notes: list[UnsupportedConstruct]
) -> ValueNode:
    """`kustomize edit set image`: entries of the same name are replaced, and the list is sorted."""
    if images is None or not images.is_seq or not images.items:
        return node
    found = {text_of(each.get("name")): each for each in node.items_at("images")}
    for each in images.items:
        name, is_new, rest = each.text.partition("=")
        given = rest if is_new else name
        image, has_digest, digest = given.partition("@")
        tag = ""
        if not has_digest and (match := _TAGGED.fullmatch(given)) is not None:
            image, tag = match[1], match[2]
        if "*" in given or "$" in each.text or "=" in rest or not (is_new or tag or digest):
            notes.append(
                UnsupportedConstruct("kustomize.images", f"{each.text} is not put in", each.at)
            )
            continue
        fields = {"name": name if is_new else image}
        fields |= {"newName": image} if is_new else {}
        fields |= {"newTag": tag} if tag else {}
        fields |= {"digest": digest} if digest else {}
        made = {key: of(value, each.at) for key, value in fields.items()}
        found[fields["name"]] = mapping(made, each.at)
    return node.with_field("images", sequence([found[name] for name in sorted(found)], images.at))


_TAGGED = re.compile(r"(.*):([a-zA-Z0-9._-]*)")


def _with_replicas(
    node: ValueNode, replicas: ValueNode | None, notes: list[UnsupportedConstruct]
) -> ValueNode:
    """`kustomize edit set replicas`, in the same way."""
    if replicas is None or not replicas.is_seq or not replicas.items:
        return node
    found = {text_of(each.get("name")): each for each in node.items_at("replicas")}
    for each in replicas.items:
        name, count = text_of(each.get("name")), text_of(each.get("count"))
        number = whole_number(count) if re.fullmatch(r"[0-9]+", count) else None
        if number is None or not name or "=" in name:
            notes.append(
                UnsupportedConstruct("kustomize.replicas", "the count is not plain", each.at)
            )
            continue
        found[name] = mapping({"name": of(name, each.at), "count": of(number, each.at)}, each.at)
    listed = sequence([found[name] for name in sorted(found)], replicas.at)
    return node.with_field("replicas", listed)


def _with_labels(node: ValueNode, own: ValueNode, notes: list[UnsupportedConstruct]) -> ValueNode:
    """`kustomize edit add label`: to `labels` where selectors are left alone, else to `commonLabels`."""
    if not own.is_true("labelWithoutSelector"):
        forced = own.is_true("forceCommonLabels")
        return _with_pairs(node, "commonLabels", own, notes, forced=forced)
    more = own.get("commonLabels")
    if more is None or not more.is_map or more.is_empty:
        return node
    if node.get("labels") is not None or _has_variables(more):  # which entry takes them is not told
        notes.append(
            UnsupportedConstruct("kustomize.commonLabels", "the labels are not put in", more.at)
        )
        return node
    entry = {"pairs": more}
    if own.is_true("labelIncludeTemplates"):
        entry["includeTemplates"] = of(True, more.at)
    return node.with_field("labels", sequence([mapping(entry, more.at)], more.at))


def _with_pairs(
    node: ValueNode,
    name: str,
    own: ValueNode,
    notes: list[UnsupportedConstruct],
    *,
    forced: bool,
    expanded: bool = True,
) -> ValueNode:
    """`kustomize edit add`; a `$` in values that are not `expanded` is an ordinary character."""
    more = own.get(name)
    if more is None or not more.is_map or more.is_empty:
        return node
    if expanded and _has_variables(more):
        notes.append(UnsupportedConstruct(f"kustomize.{name}", f"{name} hold variables", more.at))
        return node
    before = node.get(name)
    fields = dict(before.fields) if before is not None else {}
    taken = next((key for key in more.fields if key in fields), None)
    if taken is not None and not forced:
        raise KustomizeError(f"{taken} is in {name} of the kustomization already", more.at)
    return node.with_field(name, mapping({**fields, **more.fields}, more.at))


def _has_variables(node: ValueNode) -> bool:
    return any("$" in each.text for each in node.fields.values())


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
            for node in nodes:
                resource = Resource(node)
                made.append(BuiltObject(node, resource.name, resource.namespace))
    return Overlay(folder, tuple(made), tuple(unknowns), files=frozenset(taken))


def _matches(path: str, pattern: str) -> bool:
    patterns = pattern[1:-1].split(",") if pattern.startswith("{") else [pattern]
    return any(fnmatch.fnmatchcase(path, each.strip()) for each in patterns)
