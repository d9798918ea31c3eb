"""One file migrated alone: what kind it is, and the plans and edits for its kind.

What is built of several files is no concern here (`overlays/`): the caller says what was `rejected` for that reason.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.unjudged import (
    computed_names,
    counts_beside_names,
    profiles_in,
    scan_broken,
    scan_template,
    values_elsewhere,
)
from dradsl.migrate.kustomize.tree import RENAMED, named_patch, obstacle, real_path
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.overlays.drafts import Place
from dradsl.migrate.planning.templates import claim_classes
from dradsl.migrate.result import FileMigration
from dradsl.migrate.targets.extended import answer_names, migrate_by_class
from dradsl.migrate.targets.kustomize import (
    requests_in_texts,
    scan_kustomization,
    scan_patches,
)
from dradsl.migrate.targets.manifests import migrate_manifests
from dradsl.migrate.targets.operator import is_plugin_values, plugin_settings
from dradsl.records import replace
from dradsl.tree.charts.recipes import is_values
from dradsl.tree.kustomize.kustomization import is_kustomization

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.places import PodAt
    from dradsl.migrate.result import Item
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["claims_once", "is_template", "migrate_file"]

NOTHING: Mapping[Place, Rejection] = MappingProxyType({})


def migrate_file(
    source: SourceText,
    survey: RunEvidence,
    rejected: Mapping[Place, Rejection] = NOTHING,
    made: dict[str, list[str]] | None = None,
) -> FileMigration:
    """A file after its migration. Where classes answer the requests, `made` collects over all files where new ones are."""
    options, catalogue, tree = survey.options, survey.catalogue, survey.tree
    options.deadline.check()
    by_class, made = options.by_class, {} if made is None else made
    named: tuple[Item, ...] = ()
    more: tuple[Item, ...] = ()
    if is_template(source):
        file = scan_template(source, catalogue)
        named = (*file.items, *computed_names(source, survey.helpers))
    elif is_kustomization(source.name):
        edited = survey.builds and not by_class
        file = scan_kustomization(source, survey.planner, tree, edited=edited)
        settings = () if by_class else plugin_settings(source, survey.book.fetched)
        named, more = file.items, (*scan_broken(source, catalogue), *settings)
    elif by_class:
        file = migrate_by_class(source, survey.planner, survey.release, made)
        patches = scan_patches(source, catalogue, tree)
        named = (*patches, *profiles_in(source, catalogue))
        more = (
            *file.items,
            *scan_broken(source, catalogue),
            *values_elsewhere(source, survey.named),
        )
    else:
        file = _edited(source, survey, rejected)
        more = file.items
    if file.kind != "template":
        named += tuple(requests_in_texts(source, catalogue, tree, read=file.read))
    if by_class:
        named, classes = answer_names(named, source, survey.planner, survey.release, made)
        file = replace(file, added=(*file.added, *classes))
    return replace(file, items=(*more, *named))


def _edited(
    source: SourceText, survey: RunEvidence, rejected: Mapping[Place, Rejection]
) -> FileMigration:
    """A file of manifests or values with claims."""
    options, catalogue = survey.options, survey.catalogue
    patch = named_patch(survey.tree, source.name)
    settings = () if patch else plugin_settings(source, survey.book.fetched)
    if settings and is_plugin_values(source):
        text = source.stream.text
        return FileMigration(source.name, "operator", text, text, settings)
    file = migrate_manifests(
        source,
        survey.planner,
        partial(_obstacle, survey, rejected),
        separate=options.separate,
    )
    items = (
        *file.items,
        *settings,
        *scan_patches(source, catalogue, survey.tree, patch, file.items),
        *scan_broken(source, catalogue),
        *values_elsewhere(source, survey.named),
        *profiles_in(source, catalogue),
    )
    if source.name.rpartition("/")[0] in survey.charts:
        return replace(file, items=items)  # its templates show what it asks for
    return replace(file, items=(*items, *counts_beside_names(source, survey.book, catalogue)))


def _obstacle(
    survey: RunEvidence, rejected: Mapping[Place, Rejection], manifest: Manifest, pod: PodAt
) -> Rejection | None:
    """Why a pod cannot be migrated in place: because of what is built of it, or because that is not known."""
    path = real_path(manifest.path)
    rejection = None if path is None else rejected.get(Place(path, manifest.index))
    taken = () if manifest.api_version else survey.book.taken.get(manifest.source.name, ())
    folders = [folder for name in taken for folder in survey.tree.own_folder(name)]
    renamed = survey.tree.renames(folders)
    return (
        rejection
        or obstacle(survey.tree, manifest, pod, built=survey.builds, seen=survey.built_by)
        or (Rejection(RENAMED, routes=survey.tree.routes(folders)) if renamed else None)
    )


def is_template(source: SourceText) -> bool:
    """Whether the file is rendered before it is applied.

    A file that can be read mentions Helm in strings only: charts render strings of their values, and any file may
    hold text about Helm. It counts as a template only among the templates of a chart.
    """
    if not source.stream.is_template:
        return False
    documents = source.stream.documents
    if "templates" in source.name.replace("\\", "/").split("/")[:-1]:
        return not all(is_values(each.data) for each in documents)
    return any(each.data is None and _has_content(each.text) for each in documents)


def _has_content(text: str) -> bool:
    """Whether a document without data is more than comments."""
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith(("#", "---")) for line in lines)


def claims_once(
    files: tuple[FileMigration, ...], survey: RunEvidence
) -> tuple[tuple[FileMigration, ...], tuple[str, ...]]:
    """The files with each shared claim among the new objects of one of them, which is built if any of them is, or of none
    if the run has the claim already; and the faults of claims that differ. Each cluster is separate, as far as clusters are
    known.
    """
    if not any(obj.get("kind") == "ResourceClaim" for file in files for obj in file.added):
        return files, ()
    repository = survey.clusters.repository

    made: dict[tuple[str | None, str], list[tuple[str, object]]] = {}
    result: dict[str, FileMigration] = {}
    faults: list[str] = []
    # Files that nothing builds come last.
    for file in sorted(
        files, key=lambda each: bool(each.added) and not repository.origin(each.path).uses
    ):
        kept = []
        uses = repository.origin(file.path).uses if file.added else ()
        for obj in file.added:
            if obj.get("kind") != "ResourceClaim":
                kept.append(obj)
                continue
            metadata: Any = obj["metadata"]
            name, written = metadata["name"], metadata.get("namespace")
            spaces = {each.namespace or written or each.fallback for each in uses}
            space = next(iter(spaces)) if len(spaces) == 1 else written
            key = (space or survey.book.namespaces.get(file.path), name)
            there = survey.evidence.claim_classes(("ResourceClaim", written, name), file.path)
            others = made.setdefault(key, [])
            other = next(
                (each for each in others if survey.evidence.may_share(each[0], file.path)), None
            )
            if there is not None and there != claim_classes(obj):
                faults.append(
                    f"{file.path}: ResourceClaim {name} is in the run, and asks for "
                    f"{', '.join(sorted(there)) or 'nothing'}: choose another name (claim-name)"
                )
            elif there is None and other is None:
                others.append((file.path, obj["spec"]))
                kept.append(obj)
            elif there is None and other is not None and other[1] != obj["spec"]:
                faults.append(
                    f"{file.path}: ResourceClaim {name} is to ask for other devices than in "
                    f"{other[0]}: answer with another name (claim-name)"
                )
        changed = len(kept) != len(file.added)
        result[file.path] = replace(file, added=tuple(kept)) if changed else file
    return tuple(result[file.path] for file in files), tuple(faults)
