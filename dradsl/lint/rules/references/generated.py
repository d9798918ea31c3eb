"""Names that controllers will give: templates that a custom resource of the run asks for."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.index import is_elsewhere, may_share_namespace
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest
from dradsl.tree.variables import Parts, can_be
from dradsl.values.limits import MOST_UNKNOWN_NAMES

__all__ = ["CHANNEL", "domains", "is_generated"]

CHANNEL = "channel"
"""The one request of a ComputeDomain's template (dra-driver-nvidia-gpu v25.3 to v0.5,
templates/compute-domain-workload-claim-template.tmpl.yaml)."""

_DOMAINS = ("resource.nvidia.com", "ComputeDomain")


def is_generated(run: Run, name: str) -> bool:
    """Whether a template has a name that is under `resourceClaimTemplate.name` of a custom resource.

    NVIDIA's ComputeDomain is one such kind: its controller creates the template of that name. Of these `domains`
    says in which namespace.
    """
    names, open_names = run.remember("generated-templates", lambda: _names(run))
    if name in names or len(open_names) > MOST_UNKNOWN_NAMES:
        return True
    if not open_names:
        return False
    return any(can_be(parts, name) for parts in open_names)


def domains(
    run: Run, name: str, near: Manifest
) -> tuple[tuple[Manifest, ...], tuple[Manifest, ...]]:
    """The ComputeDomains whose template of that name an object may use, and those of other namespaces.

    The template goes to the namespace of the ComputeDomain (cmd/compute-domain-controller/computedomain.go).
    """
    by_name = run.remember("compute-domains", lambda: _domains(run))
    found = [each for each in by_name.get(name, ()) if not is_elsewhere(each, near)]
    here = tuple(each for each in found if may_share_namespace(each, near))
    return here, tuple(each for each in found if each not in here)


def _domains(run: Run) -> dict[str, tuple[Manifest, ...]]:
    found: dict[str, tuple[Manifest, ...]] = {}
    for manifest in run.index.kind(_DOMAINS[1]):
        if manifest.group == _DOMAINS[0]:
            for name in dict.fromkeys(_below(manifest.data)):
                found[name] = (*found.get(name, ()), manifest)
    return found


def _names(run: Run) -> tuple[frozenset[str], tuple[Parts, ...]]:
    names: set[str] = set()
    open_names: list[Parts] = []
    for manifest in run.index.where(_may_name):
        names.update(run.remember_of(manifest, _templates_named))
        holes = manifest.build_context.holes
        open_names += [holes[path] for path in holes if path[-2:] == _PLACE]
    return frozenset(names), tuple(open_names)


_PLACE = ("resourceClaimTemplate", "name")
_OF_PODS = "resourceClaimTemplateName"


def _may_name(manifest: Manifest) -> bool:
    """Whether a custom resource of a file can have a field that is called so."""
    if manifest.group in ("", RESOURCE_GROUP) or "." not in manifest.group:
        return False
    if manifest.chart_output is not None:
        return True
    text = manifest.source.stream.text
    # In quotes its letters may be written as escapes. Fields of pods begin with the same word.
    return text.count(_PLACE[0]) > text.count(_OF_PODS) or "\\" in text


def _templates_named(manifest: Manifest) -> tuple[str, ...]:
    return tuple(_below(manifest.data))


def _below(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            template = each.get(_PLACE[0])
            if isinstance(template, dict) and isinstance(template.get("name"), str):
                yield template["name"]
            pending += [inner for inner in each.values() if isinstance(inner, (dict, list))]
        elif isinstance(each, list):
            pending += each
