"""DRA501 for kinds of resource.k8s.io under an API version of another group, or of none."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Fix, Severity
from dradsl.kube.fields.table import GROUP, KINDS, VERSIONS
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.limits import LONGEST_GROUP

CODE = "DRA501"

# Groups of Kubernetes itself without a dot; all others end in k8s.io, which is reserved for Kubernetes
# (KEP-1111, api-approved.kubernetes.io). The last is the domain of standard attributes; groups that end like it are
# reserved too (apiextensions-apiserver apihelpers, IsProtectedCommunityGroup).
_PLAIN_GROUPS = frozenset(
    {"", "apps", "autoscaling", "batch", "extensions", "policy", "resource.kubernetes.io"}
)
_NEAR = 0.85  # how alike two groups are when one is a slip of the other
WORDS = (tuple(KINDS),)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind not in KINDS or manifest.group == GROUP:
            continue
        severity = _severity(manifest.group)
        if severity is None:
            continue
        version = manifest.version if "/" in manifest.api_version else ""
        wanted = f"{GROUP}/{version if version in VERSIONS else VERSIONS[0]}"
        yield RuleFinding(
            CODE,
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
