"""Matching in linear time without RE2: all ways through a pattern at once, in Go's order of choice.

A state is what is still to be matched: a node, and the state behind it. States are made when they
are reached and are equal if they are the same, so at each character of the text every state is
followed at most once (Pike's way of simulating a non-deterministic automaton).
"""

from __future__ import annotations

from dradsl.regexp.classes import holds, is_word
from dradsl.regexp.syntax import Alternate, Assertion, Chars, Concat, Repeat, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.regexp.syntax import Node

__all__ = ["PurePattern"]

_BODY_DONE = -1
"""The step of a repetition without an end, after its least number of times."""


class _State:
    """A node to match and what follows, None for the end of the pattern.

    `step` is how far inside of the node the state stands: the index of the item of a Concat, the
    times that a Repeat has matched.
    """

    __slots__ = ("following", "node", "step")

    def __init__(self, node: Node, step: int, following: _State | None) -> None:
        self.node = node
        self.step = step
        self.following = following


class _Threads:
    """The states that wait at one place of the text, best first; a state stands in it once."""

    __slots__ = ("reached", "waiting")

    def __init__(self) -> None:
        self.reached: set[_State | None] = set()
        self.waiting: list[tuple[_State | None, int]] = []
        """States that need a character (None: the pattern has matched), and where they began."""


class _StateSet:
    """The states that wait at once, and which of these sets comes next, as far as it was asked."""

    __slots__ = ("following", "states")

    def __init__(self, states: tuple[_State | None, ...]) -> None:
        self.states = states
        self.following: dict[tuple[int, int], _StateSet] = {}


_MOST_SETS = 1000
"""Sets of states that a pattern remembers before it begins anew."""


class PurePattern:
    """A pattern matched by Python alone."""

    __slots__ = ("_anchored", "_first", "_sets", "_states")

    def __init__(self, pattern: str) -> None:
        tree = parse(pattern)
        self._states: dict[tuple[Node, int, _State | None], _State] = {}
        self._sets: dict[tuple[_State | None, ...], _StateSet] = {}
        self._first = self._state(tree, 0, None)
        self._anchored = _is_anchored(tree)

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`."""
        threads = _Threads()
        self._follow(self._first, 0, text, 0, threads)
        current = self._set_of(threads)
        for position, letter in enumerate(text):
            if None in current.states:
                return True
            if self._anchored and not current.states:
                return False
            # What can be reached behind the character depends on it and on what comes after it.
            after = ord(text[position + 1]) if position + 1 < len(text) else -1
            key = (ord(letter), after if after in (-1, 10) else -2 - is_word(after))
            following = current.following.get(key)
            if following is None:
                following = current.following[key] = self._step(current, text, position)
            current = following
        return None in current.states

    def _step(self, current: _StateSet, text: str, position: int) -> _StateSet:
        rune, threads = ord(text[position]), _Threads()
        for state in current.states:
            node = None if state is None else state.node
            if isinstance(node, Chars) and holds(node.ranges, rune):
                self._follow(state and state.following, 0, text, position + 1, threads)
        if not self._anchored:
            self._follow(self._first, 0, text, position + 1, threads)
        return self._set_of(threads)

    def _set_of(self, threads: _Threads) -> _StateSet:
        states = tuple(state for state, _ in threads.waiting)
        known = self._sets.get(states)
        if known is None:
            if len(self._sets) >= _MOST_SETS:
                self._sets.clear()
            known = self._sets[states] = _StateSet(states)
        return known

    def find(self, text: str, limit: int = -1) -> list[tuple[int, int]]:
        """Start and end of the matches; see `dradsl.regexp.Pattern`.

        Upstream: Go's package regexp, regexp.go, allMatches.
        """
        results: list[tuple[int, int]] = []
        position, last_end = 0, -1
        while position <= len(text) and (limit < 0 or len(results) < limit):
            found = self._match(text, position)
            if found is None:
                break
            start, end = found
            if end != position:
                position = end
                results.append(found)
            else:
                position += 1
                if start != last_end:
                    results.append(found)
            last_end = end
        return results

    def _match(self, text: str, position: int) -> tuple[int, int] | None:
        """Upstream: Go's package regexp, exec.go, machine.match and step."""
        found: tuple[int, int] | None = None
        threads = _Threads()
        while True:
            if found is None and (position == 0 or not self._anchored):
                self._follow(self._first, position, text, position, threads)
            rune = ord(text[position]) if position < len(text) else -1
            following = _Threads()
            for state, start in threads.waiting:
                if state is None:
                    found = (start, position)
                    break  # what comes later was chosen after this
                node = state.node
                if rune >= 0 and isinstance(node, Chars) and holds(node.ranges, rune):
                    self._follow(state.following, start, text, position + 1, following)
            if rune < 0:
                return found
            position += 1
            threads = following
            if not threads.waiting and (found is not None or self._anchored):
                return found

    def _follow(
        self, state: _State | None, start: int, text: str, position: int, threads: _Threads
    ) -> None:
        """Add the states that are reached from `state` without a character."""
        pending = [state]
        while pending:
            state = pending.pop()
            if state in threads.reached:
                continue
            threads.reached.add(state)
            if state is None or isinstance(state.node, Chars):
                threads.waiting.append((state, start))
            elif isinstance(state.node, Assertion):
                if _stands(state.node.kind, text, position):
                    pending.append(state.following)
            elif isinstance(state.node, Concat):
                pending.append(self._next_item(state, state.node))
            elif isinstance(state.node, Alternate):
                pending += [
                    self._state(item, 0, state.following) for item in reversed(state.node.items)
                ]
            else:
                pending += reversed(self._repeated(state, state.node))

    def _next_item(self, state: _State, node: Concat) -> _State | None:
        if not node.items:
            return state.following
        after = state.step + 1
        rest = (
            self._state(node, after, state.following)
            if after < len(node.items)
            else state.following
        )
        return self._state(node.items[state.step], 0, rest)

    def _repeated(self, state: _State, node: Repeat) -> tuple[_State | None, ...]:
        """What comes next in a repetition, best first."""
        step, end = state.step, state.following
        if step != _BODY_DONE and step == node.most:
            return (end,)
        endless = node.most < 0 and (step == _BODY_DONE or step + 1 >= node.least)
        rest = self._state(node, _BODY_DONE if endless else step + 1, end)
        again = self._state(node.item, 0, rest)
        if step != _BODY_DONE and step < node.least:
            return (again,)
        return (again, end) if node.greedy else (end, again)

    def _state(self, node: Node, step: int, following: _State | None) -> _State:
        key = (node, step, following)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(node, step, following)
        return state


def _stands(kind: str, text: str, position: int) -> bool:
    """Whether an assertion holds at a place."""
    match kind:
        case "^":
            return position == 0
        case "$":
            return position == len(text)
        case "<":
            return position == 0 or text[position - 1] == "\n"
        case ">":
            return position == len(text) or text[position] == "\n"
        case _:
            before = position > 0 and is_word(ord(text[position - 1]))
            after = position < len(text) and is_word(ord(text[position]))
            return (before != after) == (kind == "b")


def _is_anchored(node: Node) -> bool:
    """Whether a match can only begin where the text does."""
    while isinstance(node, Concat) and node.items:
        node = node.items[0]
    return isinstance(node, Assertion) and node.kind == "^"
