"""DRA502: the API version is served only where the operator turned it on."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.kube.fields.table import VERSIONS
from dradsl.lint.view.rule_finding import RuleFinding, once_a_file
from dradsl.lint.view.view import Run
from dradsl.releases import Served
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.values.plain import mapping_at

CODE = "DRA502"
WORDS = (tuple(f"{RESOURCE_GROUP}/{each}" for each in VERSIONS if each != "v1"),)


def check(run: Run) -> Iterator[RuleFinding]:
    found: dict[tuple[str, str, str], list[Manifest]] = {}
    for manifest in run.manifests:
        if manifest.group != RESOURCE_GROUP:
            continue
        if run.release.serves(manifest.version, manifest.kind) is Served.OPT_IN:
            key = manifest.path, manifest.api_version, _help(run, manifest)
            found.setdefault(key, []).append(manifest)
    for (_, version, help_text), manifests in found.items():
        message = f"{version} is served only where the API server was started with --runtime-config for it"
        first, *others = (
            RuleFinding(
                CODE,
                each,
                ("apiVersion",),
                message,
                help=help_text,
                upstream=f'no matches for kind "{each.kind}" in version "{version}"',
            )
            for each in manifests
        )
        yield once_a_file(first, others, "and ")


def _help(run: Run, manifest: Manifest) -> str:
    if run.release.serves("v1", manifest.kind) is Served.YES:
        spec = mapping_at(manifest.data, "spec")
        claim = mapping_at(spec, "spec") or spec
        if manifest.kind.startswith("ResourceClaim") and "devices" not in claim:
            return "write resource.k8s.io/v1"  # no conversion knows what is asked for
        return "write resource.k8s.io/v1; `dradsl convert` rewrites the manifest"
    return f"{manifest.kind} is not in resource.k8s.io/v1 on this release: enable the API version"
