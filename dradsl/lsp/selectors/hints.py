"""Inlay hints behind selectors: what they cost at most, and how many recorded devices match."""

from __future__ import annotations

from lsprotocol import types

from dradsl.cel.dra import COST_LIMIT
from dradsl.kube.server.api_server import ApiServer
from dradsl.lsp.fleet.markdown import about_matches, matches_label
from dradsl.lsp.texts.cursor import cel_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lsp.fleet.recorded import Matches
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.texts.places import Places
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.text.documents import Stream

__all__ = ["Costs", "hint", "selectors_within"]

_KEPT = 2000
_NO_BOUND = 2**64 - 1


class Costs:
    """What selectors cost at most, each worked out once."""

    def __init__(self, knowledge: DriverInfo) -> None:
        self.knowledge = knowledge
        self._server = ApiServer(knowledge.release, knowledge.features)
        self._known: dict[str, int | None] = {}

    def of(self, text: str) -> int | None:
        """The cost that the API server estimates; None for what it has none of, such as what does not compile."""
        if text not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[text] = self._server.expression(text, "new").cost
        return self._known[text]


def selectors_within(path: str, stream: Stream, within: tuple[int, int]) -> Iterator[Cel]:
    """The selectors of a part of a file."""
    for cel in cel_texts(path, stream):
        if cel.ranges and cel.node.start <= within[1] and cel.node.end >= within[0]:
            yield cel


def hint(
    cel: Cel,
    places: Places,
    cost: int | None,
    matches: tuple[Matches, str | None] | None,
) -> types.InlayHint | None:
    """The hint behind a selector; None if there is nothing to say."""
    labels, tips = [], []
    if cost is not None:
        labels.append("no bound of cost" if cost == _NO_BOUND else f"cost {cost:,}")
        tips.append(f"Costs at most {cost:,}; the API server takes up to {COST_LIMIT:,}.")
    if matches is not None:
        labels.append(matches_label(matches[0]))
        tips.append(about_matches(*matches))
    if not labels:
        return None
    end = len(cel.text.rstrip())
    at = cel.ranges[end - 1][1] if end else cel.node.end
    if cel.node.style in ("'", '"'):
        at = cel.node.end
    return types.InlayHint(
        places.position(at),
        ", ".join(labels),
        tooltip=types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(tips)),
        padding_left=True,
    )
