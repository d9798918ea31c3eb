"""The objects by which Flux and Argo CD build a folder of a repository, as data.

Fields: fluxcd/kustomize-controller api/v1/kustomization_types.go, argoproj/argo-cd
pkg/apis/application/v1alpha1/types.go. What Flux makes of them: fluxcd/pkg kustomize/kustomize_generator.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.records import Record, field
from dradsl.text.splitting import has_marks
from dradsl.tree.kustomize.kustomization import Patch, patches_of
from dradsl.values.limits import MOST_SOURCES
from dradsl.values.plain import list_at, mapping_at, string_at

__all__ = ["FLUX_GROUP", "FolderBuild", "builders_in", "is_flux", "scalar_text", "variables_of"]

FLUX_GROUP = "kustomize.toolkit.fluxcd.io"
_ARGO_CD = "argoproj.io"


class FolderBuild(Record):
    """What builds the folder `path` of its repository; components count from that folder.

    `namespace` goes to all objects, `fallback` to those without one. `substitute` are variables with their
    values, `config_maps` names of ConfigMaps with more; others may exist. `substitutes` says that variables
    are replaced at all. `patches` are its own.
    """

    title: str
    path: str
    namespace: str | None = None
    fallback: str | None = None
    prefix: str = ""
    suffix: str = ""
    components: tuple[str, ...] = ()
    substitute: Mapping[str, str] = field(default_factory=dict)
    config_maps: tuple[str, ...] = ()
    substitutes: bool = False
    patches: tuple[Patch, ...] = ()


def is_flux(data: object) -> bool:
    """Whether an object is a Kustomization of Flux."""
    return (
        isinstance(data, dict)
        and data.get("kind") == "Kustomization"
        and str(data.get("apiVersion")).startswith(f"{FLUX_GROUP}/")
    )


def builders_in(data: object, parameters: Mapping[str, str] | None = None) -> Iterator[FolderBuild]:
    """What an object builds: one folder, several, or none that is known. The template of an ApplicationSet may
    get the `parameters` of one application."""
    if not isinstance(data, dict):
        return
    kind = data.get("kind")
    if kind == "Kustomization":
        if is_flux(data):
            yield _flux(data)
        return
    is_argo_cd = str(data.get("apiVersion")).startswith(f"{_ARGO_CD}/")
    if kind in ("Application", "ApplicationSet") and is_argo_cd:
        spec = mapping_at(data, "spec")
        if kind == "ApplicationSet":
            spec = mapping_at(spec, "template", "spec")
            if parameters is not None:
                from dradsl.tree.argo_cd.application_sets import filled

                spec = filled(spec, parameters)
        yield from _argo_cd(_title(data), spec)


def _flux(data: Mapping[str, object]) -> FolderBuild:
    spec = mapping_at(data, "spec")
    after = mapping_at(spec, "postBuild")
    sources = [mapping_at(each) for each in list_at(after, "substituteFrom")]
    return FolderBuild(
        _title(data),
        string_at(spec, "path") or "./",
        namespace=string_at(spec, "targetNamespace"),
        prefix=string_at(spec, "namePrefix") or "",
        suffix=string_at(spec, "nameSuffix") or "",
        components=tuple(each for each in list_at(spec, "components") if string_at(each)),
        substitute=dict(variables_of(after.get("substitute"))),
        config_maps=tuple(
            name
            for each in sources
            if each.get("kind") == "ConfigMap" and (name := string_at(each, "name"))
        ),
        substitutes=True,
        patches=tuple(patches_of(spec)),
    )


def variables_of(value: object) -> Iterator[tuple[str, str]]:
    """The values that are known; newlines go (kustomize_varsub.go, SubstituteVariables)."""
    for name, each in mapping_at(value).items():
        text = scalar_text(each)
        # The controller above may replace variables in this very object.
        if text is not None and not has_marks(text) and not text.startswith("ENC["):
            yield name, text.replace("\n", "")


def scalar_text(value: object) -> str | None:
    """A scalar as text; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _argo_cd(title: str, spec: Mapping[str, object]) -> Iterator[FolderBuild]:
    fallback = string_at(spec, "destination", "namespace")
    for source in [spec.get("source"), *list_at(spec, "sources")[:MOST_SOURCES]]:
        path = string_at(source, "path")
        if path is None or has_marks(path):
            continue
        own = mapping_at(source, "kustomize")
        yield FolderBuild(
            title,
            path,
            namespace=string_at(own, "namespace"),
            fallback=fallback,
            prefix=string_at(own, "namePrefix") or "",
            suffix=string_at(own, "nameSuffix") or "",
            components=tuple(each for each in list_at(own, "components") if string_at(each)),
            patches=tuple(patches_of(own)),
        )


def _title(data: Mapping[str, object]) -> str:
    metadata = mapping_at(data, "metadata")
    return f"{data.get('kind')} {string_at(metadata.get('name')) or '(no name)'}"
