"""The lists for the trees of an editor: recorded devices, claims and who uses them, whether a claim fits."""

from __future__ import annotations

import asyncio
import os
from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dradsl.lsp.fleet.asking import LateError
from dradsl.lsp.fleet.listing import inventory_of
from dradsl.lsp.fleet.markdown import about_placed, late
from dradsl.lsp.known.gathering import can_be_placed
from dradsl.lsp.known.names import CLAIM, REQUEST, TEMPLATE
from dradsl.lsp.texts.cursor import source_of
from dradsl.lsp.texts.uris import path_of, uri_of
from dradsl.tree.manifests.manifest import manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from dradsl.lsp.fleet.recorded import Recorded
    from dradsl.lsp.known.names import Mention
    from dradsl.lsp.known.state import EditorState
    from dradsl.text.documents import Stream
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonObject

__all__ = ["Trees"]

_AT_ONCE = 50


class Trees:
    """Answers to requests of our own, with which our extension fills its trees."""

    SLOW: ClassVar[Sequence[tuple[str, str, object]]] = (
        ("dradsl/inventory", "inventory", None),
        ("dradsl/claims", "claims", None),
        ("dradsl/why", "why", None),
    )
    """Those that may wait for the recorded devices: the editor can cancel them."""

    def __init__(self, state: EditorState) -> None:
        self._state = state

    async def inventory(self, _params: object) -> list[JsonObject]:
        """The recorded devices of each folder; `devices` are null where they took too long."""
        result = []
        for root, project in self._state.engine.projects.items():
            recorded = self._state.recorded(root, self._state.knowledge(os.path.join(root, "x")))
            if recorded is None or not project.is_folder:
                continue
            try:
                work = partial(_listed, recorded)
                drivers = await self._state.devices.asker.ask(
                    work, 10 * self._state.engine.settings.seconds
                )
            except LateError:
                drivers = None
            row = {"uri": uri_of(root), "name": os.path.basename(root), "drivers": drivers}
            result.append({**row, "whole": not recorded.cut})
        return result

    async def claims(self, _params: object) -> list[JsonObject]:
        """The claims and templates of each folder, with what uses them."""
        found: dict[tuple[object, ...], dict[str, object]] = {}
        for root in self._state.engine.projects:
            mentions = self._state.mentions(root)
            uses: dict[object, list[Mention]] = {}
            requests: dict[object, list[str]] = {}
            for each in mentions:
                if each.kind == REQUEST and each.defines:
                    requests.setdefault(each.scope, []).append(each.name)
                elif each.kind in (CLAIM, TEMPLATE) and not each.defines:
                    uses.setdefault(each.key, []).append(each)
            for each in mentions:
                # Folders may hold each other.
                if each.kind in (CLAIM, TEMPLATE) and each.defines:
                    place = (os.path.abspath(each.manifest.path), *each.manifest.key[1:])
                    if place not in found:
                        if len(found) % _AT_ONCE == 0:
                            await asyncio.sleep(0)  # others are answered between
                        named = requests.get((each.kind, each.scope, each.name), [])
                        found[place] = self._claim(each, named, uses.get(each.key, []))
        return list(found.values())

    def _claim(
        self, claim: Mention, requests: Sequence[str], uses: Sequence[Mention]
    ) -> dict[str, object]:
        """A claim or template for a list."""
        used_by = [
            {"kind": one.manifest.kind, "name": one.manifest.name, **self._at(one)} for one in uses
        ]
        return {
            "kind": claim.kind,
            "name": claim.name,
            "namespace": claim.manifest.namespace,
            **self._at(claim),
            "requests": list(requests),
            "usedBy": used_by,
        }

    def _at(self, mention: Mention) -> dict[str, object]:
        place = self._state.location(mention)
        return {"uri": place.uri, "range": _plain(place.range)}

    async def why(self, params: object) -> dict[str, object] | None:
        """Whether the claim, template or pod at `{uri, position}` fits the recorded devices, and why not.

        None where no such object stands; without recorded devices `answer` is null.
        """
        given = _fields(params)
        uri, place = given.get("uri"), _fields(given.get("position"))
        path = path_of(str(uri)) if uri else None
        if path is None:
            return None
        text, stream = self._state.engine.places(path), self._state.readable(path)
        try:
            position = types.Position(int(place.get("line", 0)), int(place.get("character", 0)))
        except (TypeError, ValueError) as error:
            raise JsonRpcInvalidParams("position: expected line and character") from error
        manifest = _object_at(path, stream, text.offset(position)) if stream else None
        if manifest is None:
            return None
        knowledge, title = self._state.knowledge(path), f"{manifest.kind} {manifest.name}"
        recorded = self._state.recorded(path, knowledge)
        if recorded is None:
            words = "No recorded devices: name some with `slices`, in the configuration or in the settings."
            return {"title": title, "answer": None, "text": words}
        seconds = 10 * self._state.engine.settings.seconds
        mentions = self._state.mentions(path)
        try:
            found = await self._state.devices.placed(
                manifest, mentions, knowledge, recorded, seconds
            )
        except LateError:
            return {"title": title, "answer": None, "text": late(seconds)}
        if found is None:
            return None
        counts = {"fitting": found.fitting, "nodes": found.nodes}
        return {"title": title, "answer": found.answer, **counts, "text": about_placed(found)}


def _listed(recorded: Recorded, _deadline: object) -> list[dict[str, object]] | None:
    return inventory_of(recorded)


def _plain(range_: types.Range) -> dict[str, object]:
    ends = (("start", range_.start), ("end", range_.end))
    return {name: {"line": at.line, "character": at.character} for name, at in ends}


def _fields(params: object) -> JsonObject:
    """The members of what a client sends with a request of ours."""
    if isinstance(params, dict):
        return params
    as_dict = getattr(params, "_asdict", None)
    return {} if as_dict is None else dict(as_dict())


def _object_at(path: str, stream: Stream, offset: int) -> Manifest | None:
    """The object around an offset, if it can be placed."""
    for manifest in manifests_of(source_of(path, stream)):
        if manifest.document.start <= offset <= manifest.document.end and can_be_placed(manifest):
            return manifest
    return None
