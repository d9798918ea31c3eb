"""Post-renderers of a HelmRelease: the patch that gives a pod the claim that its chart drops.

Upstream: fluxcd/helm-controller api/v2/helmrelease_types.go (PostRenderer) and internal/postrender/kustomize.go: the
patches are those of a kustomization, over what Helm rendered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.migrate.edits.operations import Append
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.values.plain import list_at, member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.places import PatchedAt
    from dradsl.values.json_types import JsonMapping

__all__ = ["adds_claims", "patches_in", "post_renderer"]

_CLAIMS = "resourceClaims"
_CLAIM = "resourceClaim"


def post_renderer(patched: PatchedAt, entry: JsonMapping) -> Append:
    """The change that adds an entry of `resourceClaims` by a patch of the release."""
    operation = {"op": "add", "path": f"{patched.pod}/{_CLAIMS}", "value": [dict(entry)]}
    patch: dict[str, Any] = {
        "target": dict(patched.target),
        "patch": render_block([operation]) + "\n",
    }
    return Append(patched.at, {"kustomize": {"patches": [patch]}})


def patches_in(post_renderers: object) -> Iterator[object]:
    """The data of the patches of post-renderers that are texts."""
    renderers = list_at(post_renderers)
    for renderer in renderers:
        for each in list_at(renderer, "kustomize", "patches"):
            text = member(each, "patch")
            if isinstance(text, str) and _CLAIM in text:
                for document in load(text.encode("utf-8", "surrogatepass")).documents:
                    yield document.data


def adds_claims(post_renderers: object) -> bool:
    """Whether post-renderers of a release say something of claims of pods."""
    if isinstance(post_renderers, dict):
        return any(key == _CLAIMS or adds_claims(each) for key, each in post_renderers.items())
    if isinstance(post_renderers, list):
        return any(adds_claims(each) for each in post_renderers)
    return isinstance(post_renderers, str) and _CLAIMS in post_renderers
