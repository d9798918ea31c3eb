"""The request of our own: whether a claim or a pod fits the recorded devices, and why not."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dradsl.lsp.fleet.asking import LateError
from dradsl.lsp.fleet.markdown import about_placed, late
from dradsl.lsp.texts.cursor import source_of
from dradsl.lsp.texts.uris import path_of
from dradsl.lsp.workspace.related_objects import can_be_placed
from dradsl.tree.manifests.manifest import manifests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from dradsl.lsp.workspace.editor_state import EditorState
    from dradsl.text.documents import Stream
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.json_types import JsonObject

__all__ = ["OwnRequests"]


class OwnRequests:
    """Answers to requests that only our extension makes."""

    SLOW: ClassVar[Sequence[tuple[str, str, object]]] = (("dradsl/why", "why", None),)
    """They may wait for the recorded devices: the editor can cancel them."""

    def __init__(self, state: EditorState) -> None:
        self._state = state

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
