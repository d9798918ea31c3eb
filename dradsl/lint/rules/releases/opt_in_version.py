"""DRA502: the API version is served only where the operator turned it on."""

from __future__ import annotations

from dradsl.lint.input.manifests import RESOURCE_GROUP
from dradsl.lint.view.found import Found
from dradsl.releases import Served

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA502"


def check(run: Run) -> Iterator[Found]:
    for manifest in run.manifests:
        if manifest.group != RESOURCE_GROUP:
            continue
        if run.release.serves(manifest.version, manifest.kind) is Served.OPT_IN:
            yield Found(
                CODE,
                manifest,
                ("apiVersion",),
                f"{manifest.api_version} is served only where the API server was started with "
                "--runtime-config for it",
                help=_help(run, manifest.kind),
                upstream=f'no matches for kind "{manifest.kind}" in version '
                f'"{manifest.api_version}"',
            )


def _help(run: Run, kind: str) -> str:
    if run.release.serves("v1", kind) is Served.YES:
        return "write resource.k8s.io/v1; `dradsl convert` rewrites the manifest"
    return f"{kind} is not in resource.k8s.io/v1 on this release: enable the API version"
