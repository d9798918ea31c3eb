"""The objects of two builds: what identifies them, their claims, and what is generated anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.records import replace
from dradsl.tree.charts.recipes import find
from dradsl.tree.nodes import of
from dradsl.tree.values.values import INSTALLERS
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.tree.kustomize.parts.outcome import BuiltObject

__all__ = [
    "generated_anew",
    "identity",
    "is_claim",
    "namespaces_of",
    "new_objects",
    "templates_of",
    "under_old_names",
]

_KINDS = ("ResourceClaimTemplate", "ResourceClaim")


def identity(data: object) -> tuple[str, str, str, str]:
    """What identifies an object among all of a build."""
    fields, metadata = mapping_at(data), mapping_at(data, "metadata")
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


def new_objects(before: Iterable[BuiltObject], after: Iterable[BuiltObject]) -> Iterator[str]:
    """Kind and name of the objects that are new and no claims."""
    known = {identity(each.data) for each in before}
    for each in after:
        if identity(each.data) not in known and not is_claim(each.data):
            yield " ".join(identity(each.data)[1::2])


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
