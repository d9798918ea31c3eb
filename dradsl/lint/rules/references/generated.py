"""Names that controllers will give: templates that a custom resource of the run asks for."""

from __future__ import annotations

from dradsl.lint.input.manifests import RESOURCE_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

__all__ = ["generated_templates"]


def generated_templates(run: Run) -> frozenset[str]:
    """Names under `resourceClaimTemplate.name` of custom resources.

    NVIDIA's ComputeDomain is one such kind: its controller creates the template of that name.
    """
    return run.remember("generated-templates", lambda: frozenset(_names(run)))


def _names(run: Run) -> Iterator[str]:
    for manifest in run.index:
        if manifest.group not in ("", RESOURCE_GROUP) and "." in manifest.group:
            yield from _below(manifest.data)


def _below(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            template = each.get("resourceClaimTemplate")
            if isinstance(template, dict) and isinstance(template.get("name"), str):
                yield template["name"]
            pending += each.values()
        elif isinstance(each, list):
            pending += each
