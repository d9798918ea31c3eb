"""Questions to the recorded devices: values, matches, whether claims fit; each within its time, or given up."""

from __future__ import annotations

import json

from dradsl.lsp.fleet.asking import Asker, LateError
from dradsl.lsp.fleet.markdown import about_matches, about_placed, about_values, late
from dradsl.lsp.fleet.placing import place
from dradsl.lsp.fleet.recorded import Recorded
from dradsl.lsp.workspace.related_objects import class_selectors, question_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dradsl.lsp.fleet.placing import Placed, PlacingQuestion
    from dradsl.lsp.fleet.recorded import Matches
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.workspace.driver_info import DriverInfo
    from dradsl.lsp.workspace.index import Mention
    from dradsl.tree.manifests.manifest import Manifest
    from dradsl.values.deadline import Deadline

__all__ = ["RecordedDevices"]

_KEPT = 64
_FLEETS = 4
_QUICK = 0.5
"""Seconds that a completion waits for recorded values."""

Found = tuple["Matches", str | None]
"""How devices fare with a selector, and the class whose devices they are."""


class RecordedDevices:
    """The recorded devices of the projects, read when they are first asked for."""

    def __init__(self) -> None:
        self.asker = Asker()
        self._fleets: list[Recorded] = []
        self._placed: dict[tuple[int, str], Placed | None] = {}

    def recorded(
        self, inventory: Sequence[Mapping[str, object]], knowledge: DriverInfo
    ) -> Recorded | None:
        """The devices of an inventory; None if none was recorded."""
        if not inventory:
            return None
        release, features = knowledge.release, knowledge.features
        for known in self._fleets:
            if known.objects is inventory and (known.release, known.features) == (
                release,
                features,
            ):
                return known
        found = Recorded(inventory, release, features)
        self._fleets = [found, *self._fleets[: _FLEETS - 1]]
        self._placed.clear()
        return found

    async def values(self, recorded: Recorded, way: Sequence[str]) -> list[str]:
        """The values that recorded devices have at `device.attributes[domain].name`; none if that takes long."""
        if len(way) < 4 or way[1] not in ("attributes", "capacity"):
            return []
        kind, domain, name = way[1:4]
        try:
            found, _ = await self.asker.ask(lambda _: recorded.values(kind, domain, name), _QUICK)
        except LateError:
            return []
        return [value for value, _ in found.most_common()]

    async def about_values(
        self, recorded: Recorded, way: Sequence[str], seconds: float
    ) -> str | None:
        """The values at a place, with how many devices have each."""
        if len(way) != 4 or way[1] not in ("attributes", "capacity"):
            return None
        kind, domain, name = way[1:4]
        try:
            found = await self.asker.ask(lambda _: recorded.values(kind, domain, name), seconds)
        except LateError:
            return late(seconds)
        return about_values(*found)

    async def matches(
        self,
        cels: Iterable[Cel],
        mentions: Sequence[Mention],
        knowledge: DriverInfo,
        recorded: Recorded,
        seconds: float,
    ) -> list[Found | None]:
        """How the devices fare with selectors: those of the class, where it is known.

        Raises:
            LateError: if that takes longer.
        """
        asked = [(cel.text, class_selectors(cel, mentions, knowledge, recorded)) for cel in cels]

        def work(deadline: Deadline) -> list[Found | None]:
            result: list[Found | None] = []
            for text, known in asked:
                found = recorded.matches(text, known[1] if known else None, deadline)
                result.append(None if found is None else (found, known[0] if known else None))
            return result

        return await self.asker.ask(work, seconds)

    async def about_matches(
        self,
        cel: Cel,
        mentions: Sequence[Mention],
        knowledge: DriverInfo,
        recorded: Recorded,
        seconds: float,
    ) -> str | None:
        """Which devices match a selector, clause by clause; None for one that does not compile."""
        try:
            (found,) = await self.matches([cel], mentions, knowledge, recorded, seconds)
        except LateError:
            return late(seconds)
        return None if found is None else about_matches(*found)

    async def placed(
        self,
        manifest: Manifest,
        mentions: Sequence[Mention],
        knowledge: DriverInfo,
        recorded: Recorded,
        seconds: float,
    ) -> Placed | None:
        """What becomes of a claim, a template or the pods of an object; None if there is nothing to place.

        Raises:
            LateError: if that takes longer.
        """
        question = question_of(manifest, mentions, knowledge, recorded)
        key = (id(recorded), _words(question))
        if key not in self._placed:
            found = await self.asker.ask(lambda deadline: _place(question, deadline), seconds)
            if len(self._placed) >= _KEPT:
                self._placed.clear()
            self._placed[key] = found
        return self._placed[key]

    async def about_placed(
        self,
        manifest: Manifest,
        mentions: Sequence[Mention],
        knowledge: DriverInfo,
        recorded: Recorded,
        seconds: float,
    ) -> str | None:
        """Whether it fits, and on how many nodes."""
        try:
            found = await self.placed(manifest, mentions, knowledge, recorded, seconds)
        except LateError:
            return late(seconds)
        return None if found is None else about_placed(found)


def _place(question: PlacingQuestion, deadline: Deadline) -> Placed | None:
    """What becomes of it; None where recorded objects cannot be read, which lint says."""
    from dradsl.allocator.inventory.slices import InventoryError

    try:
        return place(question, deadline)
    except InventoryError:
        return None


def _words(question: PlacingQuestion) -> str:
    """The question as a text, to be recognized."""
    plain: Any = [question.subject, *question.others]
    return json.dumps(plain, default=str, sort_keys=False)
