"""One file migrated alone: what kind it is, and the plans and edits for its kind.

What is built of several files is no concern here (`overlays/`): the caller says what was `rejected` for that reason.
"""

from __future__ import annotations

import itertools
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.migrate.detection.unjudged import (
    computed_names,
    profiles_in,
    scan_broken,
    scan_template,
    values_elsewhere,
)
from dradsl.migrate.kustomize.tree import named_patch, obstacle, real_path, renamed_values
from dradsl.migrate.overlays.drafts import Place
from dradsl.migrate.result import FileMigration
from dradsl.migrate.targets.kustomize import (
    requests_in_texts,
    scan_json_patches,
    scan_kustomization,
    scan_patch_keys,
)
from dradsl.migrate.targets.manifests import migrate_manifests
from dradsl.migrate.targets.operator import is_plugin_values, plugin_settings
from dradsl.records import replace
from dradsl.tree.charts.recipes import is_values
from dradsl.tree.kustomize.kustomization import is_kustomization

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.mapping.resource import Rejection
    from dradsl.migrate.places import PodAt
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["claims_once", "files_by_class", "is_template", "migrate_file"]

NOTHING: Mapping[Place, Rejection] = MappingProxyType({})


def migrate_file(
    source: SourceText, survey: RunEvidence, rejected: Mapping[Place, Rejection] = NOTHING
) -> FileMigration:
    options, catalogue = survey.options, survey.catalogue
    options.deadline.check()
    if is_template(source):
        return _template(source, survey)
    if is_kustomization(source.name):
        file = _kustomization(source, survey, by_class=False)
        file = replace(file, items=(*file.items, *plugin_settings(source, survey.book.fetched)))
        return _with_texts(source, file, survey)
    patch = named_patch(survey.tree, source.name)
    settings = () if patch else plugin_settings(source, survey.book.fetched)
    if settings and is_plugin_values(source):
        text = source.stream.text
        file = FileMigration(source.name, "operator", text, text, settings)
        return _with_texts(source, file, survey)
    file = migrate_manifests(
        source,
        survey.planner,
        partial(_obstacle, survey, rejected),
        separate=options.separate,
    )
    if patch is not None:
        more = scan_patch_keys(source, catalogue, patch, file.items)
    else:
        more = itertools.chain(settings, scan_json_patches(source, catalogue, survey.tree))
    items = (
        *file.items,
        *more,
        *scan_broken(source, catalogue),
        *values_elsewhere(source, survey.named),
        *profiles_in(source, catalogue),
    )
    return _with_texts(source, replace(file, items=items), survey)


def _obstacle(
    survey: RunEvidence, rejected: Mapping[Place, Rejection], manifest: Manifest, pod: PodAt
) -> Rejection | None:
    """Why a pod cannot be migrated in place: because of what is built of it, or because that is not known."""
    path = real_path(manifest.path)
    rejection = None if path is None else rejected.get(Place(path, manifest.index))
    taken = () if manifest.api_version else survey.book.taken.get(manifest.source.name, ())
    return (
        rejection
        or obstacle(survey.tree, manifest, pod, built=survey.builds, seen=survey.built_by)
        or (renamed_values(survey.tree, taken) if taken else None)
    )


def _template(source: SourceText, survey: RunEvidence) -> FileMigration:
    file = scan_template(source, survey.catalogue)
    return replace(file, items=(*file.items, *computed_names(source, survey.helpers)))


def _kustomization(source: SourceText, survey: RunEvidence, *, by_class: bool) -> FileMigration:
    file = scan_kustomization(
        source,
        survey.planner,
        survey.tree,
        by_class=by_class,
        edited=survey.builds and not by_class,
    )
    return replace(file, items=(*file.items, *scan_broken(source, survey.catalogue)))


def _with_texts(
    source: SourceText, file: FileMigration, survey: RunEvidence, *, by_class: bool = False
) -> FileMigration:
    found = requests_in_texts(
        source, survey.catalogue, survey.tree, by_class=by_class, read=file.read
    )
    return replace(file, items=(*file.items, *found))


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


def files_by_class(survey: RunEvidence) -> tuple[FileMigration, ...]:
    """All files, with DeviceClasses that answer their requests."""
    made: dict[str, list[str]] = {}
    return tuple(_file_by_class(source, survey, made) for source in survey.sources)


def _file_by_class(
    source: SourceText, survey: RunEvidence, made: dict[str, list[str]]
) -> FileMigration:
    from dradsl.migrate.targets.extended import migrate_by_class

    options, catalogue = survey.options, survey.catalogue
    options.deadline.check()
    if is_template(source):
        return _template(source, survey)
    if is_kustomization(source.name):
        file = _kustomization(source, survey, by_class=True)
        return _with_texts(source, file, survey, by_class=True)
    file = migrate_by_class(source, survey.planner, survey.release, made)
    patches = scan_json_patches(source, catalogue, survey.tree, by_class=True)
    items = (*file.items, *patches, *values_elsewhere(source, survey.named))
    return _with_texts(source, replace(file, items=items), survey, by_class=True)


def claims_once(
    files: tuple[FileMigration, ...], survey: RunEvidence
) -> tuple[tuple[FileMigration, ...], tuple[str, ...]]:
    """The files with each claim that several workloads name written once, and what is impossible about it."""
    if not any(obj.get("kind") == "ResourceClaim" for file in files for obj in file.added):
        return files, ()
    from dradsl.migrate.planning.templates import once

    repository = survey.clusters.repository

    def is_built(path: str) -> bool:
        return bool(repository.origin(path).uses)

    def namespace_of(path: str, written: str | None) -> str | None:
        uses = repository.origin(path).uses
        found = {each.namespace or written or each.fallback for each in uses}
        given = next(iter(found)) if len(found) == 1 else written
        return given or survey.book.namespaces.get(path)

    return once(files, survey.evidence, namespace_of, is_built)
