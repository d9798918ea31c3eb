"""The stages in words, filled in from `stages.yaml` with what moves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dradsl.migrate.rollout.driver import selector_of
from dradsl.migrate.rollout.facts import read_words
from dradsl.migrate.rollout.plan import Need, RolloutStage
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.rollout.moves import Move, Moves
    from dradsl.migrate.rollout.plugins import InstalledPlugin

__all__ = ["stage_of"]

_CHECKS = ("before", "steps", "after", "back")


def stage_of(name: str, moves: Moves, commands: Sequence[str] = ()) -> RolloutStage:
    """A stage in words; `commands` install what no file of the tree installs."""
    words = read_words()[name]
    filling = _Filling(moves, tuple(commands))
    checks: dict[str, Any] = {each: tuple(filling.needs(words.get(each, ()))) for each in _CHECKS}
    texts: dict[str, Any] = {
        each: tuple(dict.fromkeys(need.text for need in filling.needs(words.get(each, ()))))
        for each in ("waiting", "notes")
    }
    return RolloutStage(0, name, words["title"], **checks, **texts)


@dataclass(frozen=True, slots=True)
class _Filling:
    moves: Moves
    commands: tuple[str, ...]

    def needs(
        self, entries: Iterable[Mapping[str, Any]], more: Mapping[str, str] | None = None
    ) -> Iterator[Need]:
        """The entries that hold, once for each of their subjects."""
        moves, given = self.moves, more or {}
        pools = "pools" if "pool_labels" in moves.platform else "nodes"
        way = "unplanned" if not moves.moves else "bridged" if moves.bridged else "alone"
        for entry in entries:
            if not {pools, way}.issuperset(entry.get("if", "").split()):
                continue
            if "use" in entry:
                which = entry.get("which", "")
                if which == "the first node" and len(moves.moves) > 1:
                    which += " of each vendor"
                yield from self._list(
                    entry["use"], {**given, **({"which": which} if which else {})}
                )
                continue
            for subject in self._subjects(entry.get("each"), entry.get("only")):
                words = {**given, **subject}
                yield Need(_filled(entry["text"], words), _filled(entry.get("command", ""), words))

    def _list(self, name: str, more: Mapping[str, str]) -> Iterator[Need]:
        moves = self.moves
        if name == "needs":
            every = [moves.platform, *(move.driver for move in moves.moves)]
            yield from dict.fromkeys(Need(**n) for each in every for n in each.get("needs", ()))
        elif name == "notes":
            notes = [n for m in moves.moves for p in m.plugins for n in p.facts.get("notes", ())]
            yield from map(Need, notes)
        elif name == "commands":
            yield from (
                Need("install the driver with the values in this folder", c) for c in self.commands
            )
        else:
            yield from self.needs(read_words()["lists"][name], more)

    def _subjects(
        self, each: str | None, only: Sequence[str] | None
    ) -> Iterator[Mapping[str, str]]:
        """The words for every move, plugin or resource; no words for an entry that is said once."""
        if each is None:
            yield {}
        for move in self.moves.moves if each else ():
            if each == "resource":
                yield from ({"resource": resource} for resource in move.resources)
            elif each == "plugin":
                for plugin in move.plugins:
                    if not only or plugin.facts["confine"] in only:
                        yield {**_of_move(move, self.moves), **_of_plugin(plugin)}
            elif each == "move" or (not move.plugins and "pool_labels" not in self.moves.platform):
                yield _of_move(move, self.moves)


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"<(\w+)>", lambda found: words.get(found[1], found[0]), text).rstrip()


def _of_plugin(plugin: InstalledPlugin) -> Mapping[str, str]:
    pods = plugin.facts.get("pods")
    chosen = ",".join(f"{key}={value}" for key, value in plugin.node_selector.items())
    return {
        "plugin": plugin.facts["title"],
        "pods": f"-l {pods}" if pods else "",
        "selector": f"-l '{chosen}'" if chosen else "NODES",
    }


def _of_move(move: Move, moves: Moves) -> Mapping[str, str]:
    """The words of a driver: `over` are the labels that hand a node over in one request, `back` those that give it back."""
    driver = move.driver
    label, value = driver["label"], driver["label_value"]
    over, back = [f"{label}={value}"], [f"{label}-"]
    for facts in (plugin.facts for plugin in move.plugins[:1]):
        if facts["confine"] in ("selector", "pair"):
            back = [f"{label}=plugin"]
        if "label" in facts:
            over.append(f"{facts['label']}=false")
            back.append(f"{facts['label']}=true")
        over += facts.get("set_labels", ())
    pool = selector_of(move.plugins[0] if move.plugins else None, driver, moves.platform)
    return {
        "title": driver["title"],
        "driver": driver["driver"],
        "label": label,
        "value": value,
        "reason": move.alone,
        "over": " ".join(over),
        "back": " ".join(back),
        "pool": ",".join(f"{key}={each}" for key, each in pool.items()),
    }
