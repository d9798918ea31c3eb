"""Two builds compared object by object: the same objects, and only the planned changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.edits.operations import Remove
from dradsl.migrate.overlays.differences import differences, named_alike, value_in
from dradsl.records import replace
from dradsl.text.paths import format_path
from dradsl.tree.charts.recipes import find
from dradsl.tree.nodes import of
from dradsl.tree.values.values import INSTALLERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.migrate.overlays.planned import Expected
    from dradsl.tree.kustomize.parts.outcome import BuiltObject

__all__ = [
    "generated_anew",
    "identity",
    "is_claim",
    "named_templates",
    "namespaces_of",
    "problem_of",
    "templates_of",
    "under_old_names",
]

_KINDS = ("ResourceClaimTemplate", "ResourceClaim")


def identity(data: object) -> tuple[str, str, str, str]:
    """What identifies an object among all of a build."""
    fields: Any = data if isinstance(data, dict) else {}
    metadata = fields.get("metadata") if isinstance(fields.get("metadata"), dict) else {}
    group = str(fields.get("apiVersion", "")).rpartition("/")[0]
    return (
        group,
        str(fields.get("kind")),
        str(metadata.get("namespace") or ""),
        str(metadata.get("name") or ""),
    )


def is_claim(data: object) -> bool:
    """Whether an object is a claim or a template of claims."""
    return isinstance(data, dict) and data.get("kind") in _KINDS


def templates_of(objects: Iterable[BuiltObject]) -> dict[str, dict[str, object]]:
    """The specs of claims and claim templates, by namespace and name."""
    found: dict[str, dict[str, object]] = {}
    for each in objects:
        data: Any = each.data
        if is_claim(data):
            found.setdefault(identity(data)[2], {})[identity(data)[3]] = data.get("spec")
    return found


def generated_anew(before: Iterable[BuiltObject], after: Iterable[BuiltObject]) -> dict[str, str]:
    """The generated objects that got another name because their content changed: the old names by the new ones."""
    names = {_generated(each): identity(each.data)[3] for each in before}
    found: dict[str, str] = {}
    for each in after:
        old, new = names.get(_generated(each)), identity(each.data)[3]
        if old is not None and old != new and identity(each.data)[1] in ("ConfigMap", "Secret"):
            found[new] = old
    return found


def _generated(built: BuiltObject) -> tuple[str, str, str]:
    _, kind, namespace, _ = identity(built.data)
    return kind, namespace, built.original_name


def under_old_names(built: BuiltObject, names: Mapping[str, str]) -> BuiltObject:
    """An object with its old name, in which references to other objects have old names too."""
    if not names:
        return built
    return replace(built, node=of(_with_names(built.data, names), built.node.at))


def _with_names(data: object, names: Mapping[str, str]) -> object:
    if isinstance(data, dict):
        return {key: _with_names(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_with_names(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data


def namespaces_of(data: object) -> list[str]:
    """The namespaces to which an object installs a chart."""
    fields: Any = data if isinstance(data, dict) else {}
    places = INSTALLERS.get(f"{fields.get('kind')}.{identity(data)[0]}")
    found = (value for key in (places[1] if places else ()) for _, value in find(data, key))
    return [value for value in found if isinstance(value, str)]


def problem_of(
    after: BuiltObject | None, expected: Expected, built: Mapping[str, Mapping[str, object]]
) -> str | None:
    """What is wrong with an object after the migration, in a sentence without its name; None if it is as
    planned. `built` are the claims and templates that are built with it, as `templates_of` gives them."""
    if after is None:
        return "is not built any more"
    has, data = after.data, expected.data
    specs: dict[str, object] = {}
    for namespace in (identity(has)[2], *namespaces_of(has)):
        specs |= built.get(namespace, {})
    planned = {each["metadata"]["name"]: each["spec"] for each in expected.templates}
    left = list(differences(has, named_alike(has, data, specs, planned)))
    kept = [each for each in left if isinstance(each, Remove) and "nodeSelector" in each.path]
    if kept and len(kept) < len(left):
        # If the pod keeps its node label, the claim needs no selector for it.
        left = list(differences(has, named_alike(has, data, _bare(specs), _bare(planned))))
    for change in left:
        if isinstance(change, Remove) and "nodeSelector" in change.path:
            continue
        if (
            isinstance(change, Remove)
            and len(change.path) > 1
            and change.path[-2] in ("limits", "requests")
        ):
            return f"still asks for {change.path[-1]} ({format_path(change.path[:-2])})"
        name = value_in(has, change.path)
        if change.path[-1:] == ("resourceClaimTemplateName",) and name not in specs:
            return f"names the claim template {name}, which is not built in its namespace"
        return f"would differ at {format_path(change.path)} from what was planned"
    apart = {e["metadata"]["name"] for e in expected.templates if e["kind"] == "ResourceClaim"}
    for name in named_templates(has):  # claims that other pods share may be built elsewhere
        if name in planned and name not in specs and name not in apart:
            return f"names the claim template {name}, which is not built in its namespace"
    return None


def named_templates(data: object) -> Iterator[str]:
    """The claims and claim templates that pods in an object name."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("resourceClaimTemplateName", "resourceClaimName") and isinstance(value, str):
                yield value
            else:
                yield from named_templates(value)
    elif isinstance(data, list):
        for value in data:
            yield from named_templates(value)


def _bare(specs: Mapping[str, object]) -> dict[str, object]:
    """Specs without selectors."""
    found: dict[str, object] = {}
    for name, spec in specs.items():
        copied: Any = copy_plain(spec)
        _drop_selectors(copied)
        found[name] = copied
    return found


def _drop_selectors(value: Any) -> None:
    if isinstance(value, dict):
        value.pop("selectors", None)
        for each in value.values():
            _drop_selectors(each)
    elif isinstance(value, list):
        for each in value:
            _drop_selectors(each)
