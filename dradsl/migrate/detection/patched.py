"""Pods of charts that drop their claims: whether a patch of the release can add these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.charts.recipes import first
from dradsl.lint.input.manifests import manifests_of
from dradsl.migrate.edits.post_renderers import adds_claims
from dradsl.migrate.places import PatchedAt
from dradsl.values.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.charts.recipes import Patched
    from dradsl.lint.input.manifests import Manifest
    from dradsl.text.paths import FieldPath

__all__ = ["patched_at"]

_OF_FLUX = "values of HelmRelease"
_LABEL = pattern(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_POD = "/spec/template/spec"
_KINDS = {
    "deployment": ("Deployment", _POD),
    "statefulset": ("StatefulSet", _POD),
    "daemonset": ("DaemonSet", _POD),
    "job": ("Job", _POD),
    "cronjob": ("CronJob", f"/spec/jobTemplate{_POD}"),
}


def patched_at(
    patched: Patched, manifest: Manifest, path: FieldPath, data: Mapping[str, object], root: object
) -> PatchedAt | None:
    """Where the release that holds the values `manifest` patches what its chart makes of the pod at `path`; None if
    it is no release of Flux, or if the object of the pod is not known."""
    if manifest.kind != _OF_FLUX or manifest.within is not None:
        return None
    place = manifest.prefix[:-1]  # the spec with the values
    release: Any = next(
        (each for each in manifests_of(manifest.source) if _holds(each, manifest)), None
    )
    if release is None or release.is_patch:
        return None
    spec = release.data.get("spec")
    before = spec.get("postRenderers") if isinstance(spec, dict) else None
    if not (before is None or isinstance(before, list)) or adds_claims(before):
        return None
    named = first(data, (patched.kind_at,), root) if patched.kind_at is not None else None
    kind, pod = _KINDS.get(str(named or patched.kind).lower(), (None, ""))
    if kind is None:
        return None
    target = {"kind": kind}
    if patched.label is not None:
        key = str(path[-1]) if path else ""
        if not _LABEL.fullmatch(key):
            return None
        target["labelSelector"] = f"{patched.label}={key}"
    return PatchedAt((*place, "postRenderers"), target, pod)


def _holds(release: Manifest, values: Manifest) -> bool:
    """Whether the values stand in a release."""
    return (
        release.document is values.document
        and values.prefix[: len(release.prefix)] == release.prefix
        and release.kind == "HelmRelease"
    )
