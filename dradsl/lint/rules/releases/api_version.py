"""DRA501, DRA502: API versions of another group than resource.k8s.io, and those served only where they are turned on."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Fix, Severity
from dradsl.kube.fields.table import GROUP, KINDS, VERSIONS
from dradsl.lint.view.rule_finding import RuleFinding, once_a_file
from dradsl.lint.view.view import Run
from dradsl.releases import Served
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.limits import LONGEST_GROUP
from dradsl.values.plain import mapping_at

_WRONG_GROUP = "DRA501"
_OPT_IN = "DRA502"

# Groups of Kubernetes itself without a dot; all others end in k8s.io, which is reserved for Kubernetes
# (KEP-1111, api-approved.kubernetes.io). The last is the domain of standard attributes; groups that end like it are
# reserved too (apiextensions-apiserver apihelpers, IsProtectedCommunityGroup).
_PLAIN_GROUPS = frozenset(
    {"", "apps", "autoscaling", "batch", "extensions", "policy", "resource.kubernetes.io"}
)
_NEAR = 0.85  # how alike two groups are when one is a slip of the other
WORDS = ((*KINDS, *(f"{GROUP}/{each}" for each in VERSIONS if each != "v1")),)


def check(run: Run) -> Iterator[RuleFinding]:
    opt_in: dict[tuple[str, str, str], list[Manifest]] = {}
    for manifest in run.manifests:
        if manifest.group == GROUP:
            if run.release.serves(manifest.version, manifest.kind) is Served.OPT_IN:
                key = manifest.path, manifest.api_version, _help(run, manifest)
                opt_in.setdefault(key, []).append(manifest)
            continue
        severity = _severity(manifest.group) if manifest.kind in KINDS else None
        if severity is None:
            continue
        version = manifest.version if "/" in manifest.api_version else ""
        wanted = f"{GROUP}/{version if version in VERSIONS else VERSIONS[0]}"
        yield RuleFinding(
            _WRONG_GROUP,
            manifest,
            ("apiVersion",),
            "apiVersion names a group without a version"
            if manifest.api_version == GROUP
            else f"{manifest.kind} is a kind of {GROUP}, not of {manifest.api_version}",
            help=f"write {wanted}",
            upstream=f'no matches for kind "{manifest.kind}" in version "{manifest.api_version}"',
            severity=severity,
            fix=_fix(manifest, wanted),
        )
    for (_, version, help_text), manifests in opt_in.items():
        message = f"{version} is served only where the API server was started with --runtime-config for it"
        first, *others = (
            RuleFinding(
                _OPT_IN,
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


def _severity(group: str) -> Severity | None:
    """None for a group that may have a kind of that name; info where that is a guess."""
    if group in _PLAIN_GROUPS:
        return Severity.ERROR
    from difflib import SequenceMatcher

    is_reserved = group.lower().endswith(".k8s.io")
    if len(group) > LONGEST_GROUP or SequenceMatcher(None, group.lower(), GROUP).ratio() < _NEAR:
        return Severity.INFO if is_reserved else None
    return Severity.ERROR if is_reserved else Severity.INFO


def _fix(manifest: Manifest, wanted: str) -> Fix | None:
    from dradsl.text.edits import replace_node
    from dradsl.text.nodes import MappingNode

    node = manifest.node
    entry = node.entry("apiVersion") if isinstance(node, MappingNode) else None
    if entry is None or entry.merged or entry.alias is not None:
        return None
    return Fix(f"write {wanted}", (replace_node(entry.value, wanted),), "unsafe")
