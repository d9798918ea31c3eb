"""A build from end to end: apps to the files of a folder, as a plan that can be looked at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.building.owner import owner_of
from dradsl.dsl.building.writing import plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from dradsl.dsl.building.loading import LoadedApp
    from dradsl.dsl.building.writing import Plan

__all__ = ["plan_build"]


def plan_build(
    loaded: Sequence[LoadedApp],
    folder: Path,
    *,
    helm: bool = False,
    kustomize: str | None = None,
    force: bool = False,
) -> Plan:
    """What it takes to have the objects of `loaded` in `folder`.

    Args:
        loaded: the apps.
        folder: the folder.
        helm: escape braces, for the templates of a chart.
        kustomize: write a "kustomization" or a "component" that names the files.
        force: overwrite files of others too.

    Raises:
        OverwriteError: for files of others, and for a file that two apps build.
        OSError: if a file cannot be read, or the folder is none.
    """
    builds: dict[str, dict[str, str]] = {}
    for one in loaded:
        files = builds.setdefault(owner_of(one, folder), {})
        files |= one.app.templates()[0] if helm else one.app.files()
    if kustomize is not None and builds:
        names = sorted(name for files in builds.values() for name in files)
        next(iter(builds.values()))["kustomization.yaml"] = _kustomization(names, kustomize)
    return plan(folder, builds, force=force)


def _kustomization(names: Iterable[str], kind: str) -> str:
    from dradsl.dsl.objects.yaml_text import to_yaml

    version = "v1beta1" if kind == "kustomization" else "v1alpha1"
    head = {"apiVersion": f"kustomize.config.k8s.io/{version}", "kind": kind.capitalize()}
    return to_yaml([{**head, "resources": list(names)}])
