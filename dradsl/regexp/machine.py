"""Matching in linear time, with Go's choice among the ways that a text can match.

A text is read twice. The first reading goes from its end to its begin and finds, at each place,
from which parts of the pattern the rest of the text can match. These sets are remembered with what
follows them, so most characters cost one look into a table. The second reading goes forward from
the leftmost place where a match can begin. It takes, at each choice, the first way that is known to
match: no way is tried twice, and none is tried in vain.

Repetitions with counts are not written out. A part that is in repetitions has one bit for each
turn that it can be in, and all turns are followed at once.
"""

from __future__ import annotations

from operator import and_

from dradsl.regexp.classes import clean, holds, is_word
from dradsl.regexp.pattern import SearchLimitError
from dradsl.regexp.syntax import Alternate, Assertion, Chars, Concat, Repeat, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from dradsl.regexp.classes import Ranges
    from dradsl.regexp.syntax import Node

__all__ = ["MOST_STEPS", "Pattern"]

MOST_STEPS = 5_000_000
"""Steps that one search may take: characters of the text times parts of the pattern.

A part in repetitions counts once more for each 64 turns.
"""

_MOST_KEPT = 100_000
"""Parts of a pattern in the sets that it remembers; beyond, it forgets them and begins anew."""

_Spot: TypeAlias = "tuple[int, int, int]"
"""A node, its turn, and `_ENTER`, `_LEAVE`, or how many times a repetition has matched."""

_ENTER, _LEAVE = -2, -1
_MATCH: _Spot = (-1, 0, 0)


class Pattern:
    """A compiled pattern.

    Raises:
        PatternError: if Go rejects the pattern.
    """

    __slots__ = (
        *("_kept", "_kinds", "_masks", "_near", "_nodes", "_nothing", "_sets", "_to_end"),
        "_weight",
    )

    def __init__(self, pattern: str) -> None:
        tree = parse(pattern)
        self._nodes = _nodes(tree)
        self._weight = sum(1 + (node.turns * node.length >> 6) for node in self._nodes)
        self._nothing = (0,) * sum(isinstance(node, _Word) for node in self._nodes)
        self._kinds = frozenset(node.kind for node in self._nodes if isinstance(node, _Place))
        self._near = not self._kinds <= {"^", "$"}
        self._to_end = _is_to_end(tree)
        self._masks: dict[str, tuple[int, ...]] = {}
        self._sets: dict[tuple[tuple[int, ...], frozenset[str]], _Set] = {}
        self._kept = 0

    @property
    def longest(self) -> int:
        """Characters of the longest text that it may be searched in."""
        return MOST_STEPS // self._weight

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`.

        Raises:
            SearchLimitError: if that takes more than `MOST_STEPS`.
        """
        current = self._last(text)
        for key in self._keys(text):
            if current.decided is not None:
                return current.decided
            current = current.following.get(key) or self._step(current, key)
        return current.decided is True

    def find(self, text: str, limit: int = -1) -> list[tuple[int, int]]:
        """Start and end of the matches from left to right, at most `limit` if it is not -1.

        Empty matches right behind another match do not count, as in Go's `FindAllString`.

        Raises:
            SearchLimitError: if that takes more than `MOST_STEPS`.

        Upstream: Go's package regexp, regexp.go, allMatches.
        """
        sets = [self._last(text)]
        for key in self._keys(text):
            sets.append(sets[-1].following.get(key) or self._step(sets[-1], key))
        sets.reverse()
        results: list[tuple[int, int]] = []
        position, last_end = 0, -1
        while position <= len(text) and (limit < 0 or len(results) < limit):
            start = next((at for at in range(position, len(text) + 1) if sets[at].starts), -1)
            if start < 0:
                break
            end = self._end(sets, start)
            if end != position:
                position = end
                results.append((start, end))
            else:
                position += 1
                if start != last_end:
                    results.append((start, end))
            last_end = end
        return results

    # From the end of the text to its begin

    def _keys(self, text: str) -> list[str]:
        """What decides on the next set, for each place from the last character to the first.

        It is the character, with the one before it if the pattern looks at both. The first
        character has a key of its own, because the begin of the text is before it.
        """
        if len(text) > self.longest:
            raise SearchLimitError
        if not text:
            return []
        if self._near:
            return [*(text[at - 1 : at + 1] for at in range(len(text) - 1, 0, -1)), text[0]]
        return [*text[:0:-1], "^" + text[0]]

    def _last(self, text: str) -> _Set:
        """The set at the end of the text."""
        return self._set(self._nothing, self._standing(text[-1:], ""))

    def _step(self, current: _Set, key: str) -> _Set:
        """The set before a character."""
        letter = key[-1]
        masks = self._masks.get(letter)
        if masks is None:
            if len(self._masks) * self._weight > _MOST_KEPT:
                self._masks.clear()
            masks = self._masks[letter] = tuple(
                node.mask(ord(letter)) for node in self._nodes if isinstance(node, _Word)
            )
        before = key[:-1] if self._near else "" if len(key) > 1 else "-"
        self._keep()
        following = self._set(
            tuple(map(and_, current.pending, masks)), self._standing(before, letter)
        )
        current.following[key] = following
        return following

    def _standing(self, before: str, after: str) -> frozenset[str]:
        """The assertions that hold between two characters; nothing is before the first one."""
        return frozenset(kind for kind in self._kinds if _stands(kind, before, after))

    def _set(self, alive: tuple[int, ...], standing: frozenset[str]) -> _Set:
        known = self._sets.get((alive, standing))
        if known is None:
            view = _View(self._nodes, alive, standing)
            starts = bool(view.first[0]) or view.empty[0]
            dead = self._to_end and "$" not in standing and not any(alive)
            known = _Set(alive, standing, tuple(view.pending), starts, False if dead else None)
            self._sets[alive, standing] = known
        return known

    def _keep(self) -> None:
        self._kept += self._weight
        if self._kept > _MOST_KEPT:
            for each in self._sets.values():
                each.following.clear()
                each.targets.clear()
            self._sets.clear()
            self._kept = 0

    # From the start of a match to its end

    def _end(self, sets: list[_Set], position: int) -> int:
        """Where the match ends that begins at `position`."""
        spot: _Spot = (0, 0, _ENTER)
        while True:
            here = sets[position]
            target = here.targets.get(spot)
            if target is None:
                target = self._target(here, spot)
                self._keep()
                here.targets[spot] = target
            if target == _MATCH:
                return position
            position += self._nodes[target[0]].length
            spot = (target[0], target[1], _LEAVE)

    def _target(self, here: _Set, spot: _Spot) -> _Spot:
        """The first word on the way from `spot` that leads to a match, or `_MATCH`.

        The order is Go's: depth first, and no spot twice at one place of the text.
        """
        view = _View(self._nodes, here.alive, here.standing)
        pending, seen = [spot], set()
        while pending:
            spot = pending.pop()
            if spot in seen:
                continue
            seen.add(spot)
            at, turn, step = spot
            node = self._nodes[at]
            if step == _LEAVE:
                if node.up < 0:
                    return _MATCH
                pending.append(self._nodes[node.up].after(node, turn))
            elif step == _ENTER and not view.first[at] >> turn & 1:
                # Nothing inside can match: what is left is to pass by.
                if view.empty[at] and view.follow[at] >> turn & 1:
                    pending.append((at, turn, _LEAVE))
            elif isinstance(node, _Word):
                return spot
            else:
                pending.extend(node.ways(turn, step, view))
        raise AssertionError("a match was announced and not found")


class _Set:
    """From where a match can be reached at a place of the text."""

    __slots__ = ("alive", "decided", "following", "pending", "standing", "starts", "targets")

    def __init__(
        self,
        alive: tuple[int, ...],
        standing: frozenset[str],
        pending: tuple[int, ...],
        starts: bool,
        decided: bool | None,
    ) -> None:
        self.alive = alive
        """For each word, the bits of those turns and letters from which a match can be reached."""
        self.standing = standing
        self.pending = pending
        """The same before the next character, if each letter of the words were it."""
        self.starts = starts
        self.decided = True if starts else decided
        """Whether the pattern matches somewhere, None as long as it depends on what is before."""
        self.following: dict[str, _Set] = {}
        self.targets: dict[_Spot, _Spot] = {}


class _View:
    """What a set says of each node, with a bit for each turn."""

    __slots__ = ("alive", "empty", "first", "follow", "pending", "reach", "standing")

    def __init__(
        self, nodes: list[_Node], alive: tuple[int, ...], standing: frozenset[str]
    ) -> None:
        self.alive = alive
        self.standing = standing
        self.first = [0] * len(nodes)
        """Whether a word inside leads to a match."""
        self.empty = [False] * len(nodes)
        """Whether the node can match nothing here."""
        self.reach = [0] * len(nodes)
        """Of the item of a repetition: whether this turn or, past empty ones, a later one does."""
        self.follow = [0] * len(nodes)
        """Whether what follows the node leads to a match."""
        self.pending = [0] * len(alive)
        for node in reversed(nodes):
            node.look(self)
        self.follow[0] = 1
        for node in nodes:
            node.pass_on(self)


class _Node:
    """A part of the pattern. Parts are in one list, each before its items."""

    __slots__ = ("at", "items", "place", "turns", "up")
    length = 1

    def __init__(self, at: int, up: int, place: int, turns: int) -> None:
        self.at = at
        self.up = up
        """The node that this is an item of, -1 for the whole pattern."""
        self.place = place
        """Which of its items."""
        self.turns = turns
        """Turns of the repetitions around this node, multiplied."""
        self.items: list[int] = []

    def look(self, view: _View) -> None:
        """Set `first` and `empty`, those of the items being known."""
        raise NotImplementedError

    def pass_on(self, view: _View) -> None:
        """Set what follows the items, or is pending, by what follows the node."""

    def after(self, item: _Node, turn: int) -> _Spot:
        """Where the way leads behind an item."""
        raise NotImplementedError

    def ways(self, turn: int, step: int, view: _View) -> list[_Spot]:
        """The ways through a node, the first choice last."""
        raise NotImplementedError


class _Word(_Node):
    """Characters one after the other; its bits are the turns of the first one, of the second ..."""

    __slots__ = ("_letters", "_shift", "_turn_mask", "length", "number")

    def __init__(
        self, at: int, up: int, place: int, turns: int, number: int, letters: list[Ranges]
    ) -> None:
        super().__init__(at, up, place, turns)
        self.number = number
        self.length: int = len(letters)
        self._turn_mask = (1 << turns) - 1
        self._shift = (len(letters) - 1) * turns
        self._letters: dict[Ranges, int] = {}
        for index, ranges in enumerate(letters):
            bits = self._turn_mask << index * turns
            self._letters[ranges] = self._letters.get(ranges, 0) | bits

    def mask(self, rune: int) -> int:
        """The bits of the letters that a character is one of."""
        bits = 0
        for ranges, mask in self._letters.items():
            if holds(ranges, rune):
                bits |= mask
        return bits

    def look(self, view: _View) -> None:
        view.first[self.at] = view.alive[self.number] & self._turn_mask

    def pass_on(self, view: _View) -> None:
        rest = view.alive[self.number] >> self.turns
        view.pending[self.number] = rest | view.follow[self.at] << self._shift


class _Place(_Node):
    """An assertion."""

    __slots__ = ("kind",)

    def __init__(self, at: int, up: int, place: int, turns: int, kind: str) -> None:
        super().__init__(at, up, place, turns)
        self.kind = kind

    def look(self, view: _View) -> None:
        view.empty[self.at] = self.kind in view.standing


class _Sequence(_Node):
    """Items one after the other."""

    __slots__ = ()

    def look(self, view: _View) -> None:
        first, empty = 0, True
        for item in reversed(self.items):
            first = view.first[item] | (first if view.empty[item] else 0)
            empty = empty and view.empty[item]
        view.first[self.at], view.empty[self.at] = first, empty

    def pass_on(self, view: _View) -> None:
        follow = view.follow[self.at]
        for item in reversed(self.items):
            view.follow[item] = follow
            follow = view.first[item] | (follow if view.empty[item] else 0)

    def after(self, item: _Node, turn: int) -> _Spot:
        following = item.place + 1
        if following < len(self.items):
            return (self.items[following], turn, _ENTER)
        return (self.at, turn, _LEAVE)

    def ways(self, turn: int, step: int, view: _View) -> list[_Spot]:
        return [(self.items[0], turn, _ENTER)]


class _Choice(_Node):
    """The first item that lets the rest match."""

    __slots__ = ()

    def look(self, view: _View) -> None:
        first = 0
        for item in self.items:
            first |= view.first[item]
        view.first[self.at] = first
        view.empty[self.at] = any(view.empty[item] for item in self.items)

    def pass_on(self, view: _View) -> None:
        for item in self.items:
            view.follow[item] = view.follow[self.at]

    def after(self, item: _Node, turn: int) -> _Spot:
        return (self.at, turn, _LEAVE)

    def ways(self, turn: int, step: int, view: _View) -> list[_Spot]:
        return [(item, turn, _ENTER) for item in reversed(self.items)]


class _Loop(_Node):
    """A repetition. Bit `j * turns + k` of its item is the item's turn j in turn k of the loop.

    Without a greatest number of times, the last turn of the item follows itself.
    """

    __slots__ = ("_exits", "_last", "_tree", "inner", "rounds")

    def __init__(self, at: int, up: int, place: int, turns: int, tree: Repeat) -> None:
        super().__init__(at, up, place, turns)
        self._tree = tree
        self.rounds = tree.most if tree.most >= 0 else max(tree.least, 1)
        self.inner = self.rounds * turns
        first_exit = max(tree.least, 1) - 1
        self._exits = sum(1 << index * turns for index in range(first_exit, self.rounds))
        """A bit at the begin of each turn of the item that may be the last one."""
        ending = ((1 << turns) - 1) << (self.inner - turns)
        self._last = ending if tree.most < 0 else 0

    def look(self, view: _View) -> None:
        item = self.items[0]
        reach = view.first[item]
        if view.empty[item]:
            reach = self._reaching(reach)
        view.reach[self.at] = reach
        view.first[self.at] = reach & ((1 << self.turns) - 1)
        view.empty[self.at] = view.empty[item] or not self._tree.least

    def pass_on(self, view: _View) -> None:
        item, reach = self.items[0], view.reach[self.at]
        follow = view.follow[self.at] * self._exits | reach >> self.turns | reach & self._last
        view.follow[item] = self._reaching(follow) if view.empty[item] else follow

    def _reaching(self, bits: int) -> int:
        """The bits, and those of all earlier turns of the item."""
        distance = self.turns
        while distance < self.inner:
            bits |= bits >> distance
            distance *= 2
        return bits

    def after(self, item: _Node, turn: int) -> _Spot:
        done, outer = divmod(turn, self.turns)
        return (self.at, outer, done + 1)

    def ways(self, turn: int, step: int, view: _View) -> list[_Spot]:
        tree, step = self._tree, max(step, 0)
        leave: list[_Spot] = [(self.at, turn, _LEAVE)] if view.follow[self.at] >> turn & 1 else []
        if tree.most < 0 or step < tree.most:
            again = min(step, self.rounds - 1) * self.turns + turn
            if view.reach[self.at] >> again & 1:
                enter: list[_Spot] = [(self.items[0], again, _ENTER)]
                if step < tree.least:
                    return enter
                return leave + enter if tree.greedy else enter + leave
        return leave if step >= tree.least or view.empty[self.items[0]] else []


def _nodes(tree: Node) -> list[_Node]:
    """The parts of a pattern, each before its items."""
    nodes: list[_Node] = []
    words = 0
    pending: list[tuple[Node | list[Ranges], int, int, int]] = [(tree, -1, 0, 1)]
    while pending:
        each, up, place, turns = pending.pop()
        at, items, inner = len(nodes), _items(each), turns
        node: _Node
        if isinstance(each, list):
            node, words = _Word(at, up, place, turns, words, each), words + 1
        elif len(items) == 1 and not isinstance(each, Repeat):
            pending.append((items[0], up, place, turns))
            continue
        elif isinstance(each, Assertion):
            node = _Place(at, up, place, turns, each.kind)
        elif isinstance(each, Alternate):
            node = _Choice(at, up, place, turns)
        elif isinstance(each, Repeat) and each.most:
            node = loop = _Loop(at, up, place, turns, each)
            inner = loop.inner
        else:
            node, items = _Sequence(at, up, place, turns), [] if isinstance(each, Repeat) else items
        nodes.append(node)
        if up >= 0:
            nodes[up].items.append(at)
        pending += [(item, at, index, inner) for index, item in enumerate(items)][::-1]
    return nodes


def _items(tree: Node | list[Ranges]) -> list[Node | list[Ranges]]:
    """The items of a node, characters next to each other made one word."""
    if isinstance(tree, (list, Assertion)):
        return []
    if isinstance(tree, Repeat):
        return [tree.item]
    if isinstance(tree, Alternate):
        letters = [_letter(item) for item in tree.items]
        if None in letters:
            return list(tree.items)
        return [[clean(each for ranges in letters for each in ranges or ())]]
    items: list[Node | list[Ranges]] = []
    for item in (tree,) if isinstance(tree, Chars) else tree.items:
        ranges = _letter(item)
        if ranges is None:
            items.append(item)
        elif items and isinstance(items[-1], list):
            items[-1].append(ranges)
        else:
            items.append([ranges])
    return items


def _letter(tree: Node) -> Ranges | None:
    """The characters of which a node is one, None if it is anything else."""
    while isinstance(tree, Concat) and len(tree.items) == 1:
        tree = tree.items[0]
    if isinstance(tree, Chars):
        return tree.ranges
    if isinstance(tree, Alternate) and all(isinstance(item, Chars) for item in tree.items):
        return clean(each for item in tree.items if isinstance(item, Chars) for each in item.ranges)
    return None


def _stands(kind: str, before: str, after: str) -> bool:
    """Whether an assertion holds between two characters, empty at the ends of the text."""
    match kind:
        case "^":
            return not before
        case "$":
            return not after
        case "<":
            return before in ("", "\n")
        case ">":
            return after in ("", "\n")
        case _:
            words = [bool(letter) and is_word(ord(letter)) for letter in (before, after)]
            return (words[0] != words[1]) == (kind == "b")


def _is_to_end(node: Node) -> bool:
    """Whether a match can only end where the text does."""
    while isinstance(node, Concat) and node.items:
        node = node.items[-1]
    return isinstance(node, Assertion) and node.kind == "$"
