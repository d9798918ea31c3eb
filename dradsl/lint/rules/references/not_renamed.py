"""DRA440: a kustomization renames a claim or template, and the name by which a pod refers to it stays.

Upstream: kustomize api/internal/konfig/builtinpluginconsts/namereference.go names neither field.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.kube.pods.workloads import pod_specs
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.triggers import BUILT
from dradsl.lint.view.view import Run
from dradsl.records import dataclass
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.counted import first_of
from dradsl.values.limits import MOST_ALONE, MOST_OVERLAYS
from dradsl.values.plain import list_at, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.tree.kustomize.parts.outcome import Overlay
    from dradsl.tree.nodes import SourcePlace

CODE = "DRA440"

_FIELDS = {
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
}
_GROUP = "resource.k8s.io/"
WORDS = (("namePrefix", "nameSuffix", BUILT),)


@dataclass(frozen=True, slots=True)
class _Left:
    """A reference that stays: who is renamed, what refers to it, where that was written."""

    kind: str
    old: str
    new: str
    referrer: str
    path: FieldPath
    at: SourcePlace | None
    folder: str


def check(run: Run) -> Iterator[RuleFinding]:
    folders = _folders(run)
    if not folders:
        return
    from dradsl.tree.builds import shown

    groups: dict[tuple[object, ...], list[_Left]] = {}
    places: dict[tuple[object, ...], tuple[Manifest, FieldPath]] = {}
    for each in run.remember(
        (CODE, *folders),
        lambda: tuple(left for folder in folders for left in _left(run.builds.overlay(folder))),
    ):
        place = _place(run, each)
        if place is not None:
            key: tuple[object, ...] = (*place[0].key, *place[1], each.kind, each.old)
            places[key] = place
            groups.setdefault(key, []).append(each)
    for group, found in groups.items():
        manifest, path = places[group]
        first = found[0]
        names = list(dict.fromkeys(shown(each.folder) for each in found))
        field = next(name for name, kind in _FIELDS.items() if kind == first.kind)
        spec = "/".join(str(step) for step in first.path if not isinstance(step, int))
        yield RuleFinding(
            CODE,
            manifest,
            path,
            f'Kustomize renames {first.kind} "{first.old}" to "{first.new}", but not the name in {field} '
            f"of this {first.referrer}: built in {first_of(names)}",
            help=f"add a file under configurations: with nameReference, kind {first.kind}, group "
            f"resource.k8s.io, and under fieldSpecs path {spec}, kind {first.referrer}",
        )


def _folders(run: Run) -> tuple[str, ...]:
    """The folders whose builds may rename what pods refer to."""
    found: dict[str, None] = {}
    # A run that was called with a few files looks at the kustomizations among them, whose claims it may not see.
    if len(run.sources) <= MOST_ALONE:
        for source in run.sources:
            text = source.stream.text
            renames = "namePrefix" in text or "nameSuffix" in text
            if renames and is_kustomization(source.name):
                folder = run.builds.folder_of(source.name)
                if folder is not None:
                    found[folder] = None
    for kind in _FIELDS.values():
        for manifest in run.index.kind(kind):
            origin = manifest.build_context.origin
            if not manifest.api_version.startswith(_GROUP) or origin is None:
                continue
            for use in origin.uses:
                if not (use.prefix or use.suffix):
                    continue
                chain, outermost = use.through, None
                while chain is not None:
                    outermost, chain = chain
                if outermost is not None:
                    found[outermost] = None
    return tuple(found)[:MOST_OVERLAYS]


def _left(overlay: Overlay) -> Iterator[_Left]:
    renamed: dict[tuple[str, str], str] = {}
    there: set[tuple[str, str]] = set()
    for each in overlay.objects:
        kind = string_at(each.data, "kind") or ""
        name = string_at(each.data, "metadata", "name") or ""
        if kind in _FIELDS.values() and (string_at(each.data, "apiVersion") or "").startswith(
            _GROUP
        ):
            there.add((kind, name))
            if name != each.original_name:
                renamed[kind, each.original_name] = name
    gone = {key: new for key, new in renamed.items() if key not in there}
    for each in overlay.objects if gone else ():
        data = each.data
        if each.incomplete or not isinstance(data, dict):
            continue
        for spec in pod_specs(data):
            for index, entry in enumerate(list_at(spec.spec, "resourceClaims")):
                for field, kind in _FIELDS.items():
                    name = string_at(entry, field) or ""
                    if (kind, name) not in gone:
                        continue
                    path: FieldPath = (*spec.path, "resourceClaims", index, field)
                    at = each.node.at
                    node = each.node
                    for step in path:
                        below = node.items[step] if isinstance(step, int) else node.get(step)
                        if below is None:
                            break
                        node = below
                        at = node.at or at
                    yield _Left(
                        kind,
                        name,
                        gone[kind, name],
                        str(data.get("kind")),
                        path,
                        at,
                        overlay.folder,
                    )


def _place(run: Run, left: _Left) -> tuple[Manifest, FieldPath] | None:
    """The object and the field to point at: where the name was written, else the kustomization's prefix."""
    at = left.at
    if at is not None and at.origin.within is None:
        path = at.path
        for manifest in run.manifests:
            if (
                manifest.within is None
                and manifest.chart_output is None
                and manifest.document.index == at.origin.document.index
                and path[: len(manifest.prefix)] == manifest.prefix
                and run.builds.real(manifest.source.name) == at.origin.file
            ):
                return manifest, path[len(manifest.prefix) :]
    for manifest in run.manifests:
        if (
            manifest.kind == "Kustomization"
            and os.path.dirname(run.builds.real(manifest.source.name)) == left.folder
        ):
            for field in ("namePrefix", "nameSuffix"):
                if field in manifest.data:
                    return manifest, (field,)
    return None
