"""What is known of the place under the mouse."""

from __future__ import annotations

from dradsl.kube.fields.table import GROUP, KINDS
from dradsl.kube.schemas import description_of
from dradsl.lsp.selectors.lookups import lookup_at
from dradsl.lsp.workspace.driver_info import signature
from dradsl.lsp.workspace.index import CLASS
from dradsl.lsp.workspace.markdown import (
    about_class,
    about_driver,
    about_entry,
    about_field,
    field_at,
)
from dradsl.text.paths import format_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.lsp.selectors.lookups import Lookup
    from dradsl.lsp.texts.cursor import Cel, Cursor
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.text.paths import FieldPath

__all__ = ["of_cel", "of_field", "of_name", "of_path", "of_value"]


def of_cel(cel: Cel, knowledge: DriverInfo, near: str | None) -> tuple[str, int, int] | None:
    """What a token of a selector means, and where it starts and ends in the text."""
    found = lookup_at(cel.text, cel.at)
    if found is None:
        return None
    text = _of_lookup(found, knowledge, near)
    return None if text is None else (text, found.start, found.end)


def _of_lookup(found: Lookup, knowledge: DriverInfo, near: str | None) -> str | None:
    way = found.way
    if found.call is not None:
        signatures = [signature(found.call, each) for each in knowledge.overloads(found.call)]
        return "```\n" + "\n".join(signatures) + "\n```" if signatures else None
    if way[:1] != ("device",) or len(way) < 2:
        return None
    if len(way) == 2 and found.value is not None:
        schema = knowledge.drivers.get(found.value) if way[1] == "driver" else None
        return None if schema is None else about_driver(schema)
    if len(way) == 2:
        fields = knowledge.environment.fields_of("kubernetes.DRADevice") or {}
        type_ = fields.get(way[1])
        return None if type_ is None else f"**device.{way[1]}**: `{type_}`"
    if way[1] not in ("attributes", "capacity"):
        return None
    if len(way) == 3:
        own = knowledge.drivers.get(way[2]) or knowledge.domains(way[1], near).get(way[2])
        return None if own is None else about_driver(own)
    entries = knowledge.entries(way[1], way[2], near).get(way[3])
    return about_entry(entries) if entries else None


def of_name(name: str, kind: str, knowledge: DriverInfo) -> str | None:
    """What is known of a class that no file defines."""
    known = knowledge.drivers.device_class(name) if kind == CLASS else None
    return None if known is None else about_class(*known)


def of_field(cursor: Cursor, knowledge: DriverInfo) -> str | None:
    """What a field of the API is, or a field of a pod that is about claims."""
    manifest = cursor.manifest
    if manifest.group != GROUP:
        return _of_pod_field(cursor.path)
    return of_path(manifest.kind, manifest.version, cursor.path, knowledge)


def _of_pod_field(path: FieldPath) -> str | None:
    """The text for a field of a pod, wherever in an object the pod is."""
    if path[-1:] == ("resourceClaims",):
        owner = "PodSpec"
    elif path[-3:-2] == ("resourceClaims",):
        owner = "PodResourceClaim"
    elif path[-4:-2] == ("resources", "claims"):
        owner = "ContainerClaim"
    elif path[-2:-1] == ("resources",):
        owner = "ResourceRequirements"
    else:
        return None
    text = description_of(owner, str(path[-1]))
    return None if text is None else f"**{format_path(path)}**\n\n{text}"


def of_path(kind: str, version: str, path: FieldPath, knowledge: DriverInfo) -> str | None:
    """As `of_field`, for a text that cannot be read."""
    if kind not in KINDS:
        return None
    release = knowledge.release
    _, field, owner = field_at(kind, path, version, release.name)
    return None if field is None else about_field(field, path, release, owner)


def of_value(cursor: Cursor, knowledge: DriverInfo) -> str | None:
    """What a value names: an attribute of a constraint, the driver of a configuration."""
    name, text = cursor.path[-1] if cursor.path else "", cursor.node.text
    if name in ("matchAttribute", "distinctAttribute"):
        domain, _, word = text.partition("/")
        found = knowledge.entries("attributes", domain).get(word)
        return about_entry(found) if found else None
    if name == "driver":
        schema = knowledge.drivers.get(text)
        return None if schema is None else about_driver(schema)
    return None
