"""Where a thing is named: definition, references and rename; and the outline of a file."""

from __future__ import annotations

import os

from lsprotocol import types

from dradsl.data import data_path
from dradsl.lsp.texts.cursor import source_of
from dradsl.lsp.texts.uris import uri_of
from dradsl.lsp.workspace.index import (
    CLAIM,
    CLASS,
    POD_CLAIM,
    REQUEST,
    SUBREQUEST,
    TEMPLATE,
    mentions_in,
)
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, manifests_of
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.lsp.texts.places import Places
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.lsp.workspace.index import Mention
    from dradsl.text.documents import Stream

__all__ = ["definitions", "in_driver_schema", "mention_at", "references", "renamed", "symbols"]

_LABEL = pattern(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
RENAMED = frozenset({CLAIM, TEMPLATE, REQUEST, SUBREQUEST, POD_CLAIM})


def mention_at(path: str, stream: Stream, offset: int) -> Mention | None:
    """The name at an offset of a file."""
    lines = stream.lines
    line, column = lines.position(offset)
    for mention in mentions_in(path, stream):
        span = mention.span
        if (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column):
            return mention
    return None


def definitions(mention: Mention, every: Sequence[Mention]) -> list[Mention]:
    """Where the thing gets its name; in another namespace, if there is none in the same."""
    exact = [each for each in every if each.defines and each.key == mention.key]
    if exact or mention.kind not in (CLAIM, TEMPLATE):
        return exact
    return [
        each
        for each in every
        if each.defines and (each.kind, each.name) == (mention.kind, mention.name)
    ]


def references(mention: Mention, every: Sequence[Mention]) -> list[Mention]:
    """All places with the name, the defining ones too."""
    return [each for each in every if each.key == mention.key]


def renamed(
    mention: Mention,
    new: str,
    every: Sequence[Mention],
    places_of: Callable[[str], Places],
    uri: Callable[[str], str],
) -> types.WorkspaceEdit:
    """The edits that give a thing another name.

    Raises:
        ValueError: if nothing may be called so, or something is.
    """
    whole = _SUBDOMAIN if mention.kind in (CLAIM, TEMPLATE) else _LABEL
    if whole.fullmatch(new) is None or len(new) > 253:
        raise ValueError(f"{new!r} is no name of a {mention.kind}")
    if any(each.defines and each.key == (mention.kind, mention.scope, new) for each in every):
        raise ValueError(f"there is a {mention.kind} called {new} already")
    changes: dict[str, list[types.TextEdit]] = {}
    for each in references(mention, every):
        path = os.path.abspath(each.manifest.path)
        edit = types.TextEdit(places_of(path).range_of(each.span), new)
        changes.setdefault(uri(path), []).append(edit)
    return types.WorkspaceEdit(changes=changes)


def in_driver_schema(mention: Mention, knowledge: DriverInfo) -> types.Location | None:
    """The schema of the driver that brings a class along, at the class."""
    known = knowledge.drivers.device_class(mention.name) if mention.kind == CLASS else None
    if known is None:
        return None
    path = data_path("schemas", "drivers", f"{known[0].name}.yaml")
    if not os.path.isfile(path):
        return None
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    lines = read_bytes(path, SETTINGS_BYTES).decode().split("\n")
    word = f"name: {mention.name}"
    number = next((n for n, line in enumerate(lines) if line.strip("- ") == word), 0)
    place = types.Position(number, 0)
    return types.Location(uri_of(str(path)), types.Range(place, place))


def symbols(path: str, stream: Stream, places: Places) -> list[types.DocumentSymbol]:
    """The objects of a file, with the requests of claims and the claims of pods."""
    inner: dict[tuple[object, ...], list[types.DocumentSymbol]] = {}
    for mention in mentions_in(path, stream):
        if mention.defines and mention.kind in (REQUEST, SUBREQUEST, POD_CLAIM):
            at = places.range_of(mention.span)
            key = (mention.manifest.document.index, mention.manifest.prefix)
            kind = types.SymbolKind.Field
            found = types.DocumentSymbol(mention.name, kind, at, at, detail=mention.kind)
            inner.setdefault(key, []).append(found)
    result = []
    for manifest in manifests_of(source_of(path, stream)):
        node = manifest.node
        here = places.range(node.start, node.end)
        field = ("metadata", "name") if manifest.name else ("kind",)
        chosen = places.range_of(manifest.span(field))
        if not (here.start <= chosen.start and chosen.end <= here.end):
            chosen = here
        ours = manifest.group == RESOURCE_GROUP
        result.append(
            types.DocumentSymbol(
                manifest.name or manifest.kind,
                types.SymbolKind.Class if ours else types.SymbolKind.Object,
                here,
                chosen,
                detail=manifest.kind,
                children=inner.get((manifest.document.index, manifest.prefix)),
            )
        )
    return result
