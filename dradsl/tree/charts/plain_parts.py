"""The plain parts of a Helm template as YAML: a text of the same length and lines, so that every place holds.

An action alone on its line is blank, one within a line is text with its signs replaced by those that manifests do not
hold (`unmask` puts them back: a value with braces is not known). Of a block with several branches one is there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

from dradsl.records import Record
from dradsl.text.masking import masked_action
from dradsl.tree.charts.go_template import OPENING, Action, Block, Node, parse
from dradsl.values.limits import MOST_TEMPLATE_ACTIONS
from dradsl.values.patterns import pattern

__all__ = ["PlainParts", "plain_parts"]

_HEADER = pattern(r"[:-] +[|>][-+0-9]{0,2}$")
_NOT_BLANK = pattern(r"[^\n]")


class PlainParts(Record):
    """A template as YAML; `chosen` are the places of blocks of which another branch could be there, in order, `actions`
    those that are in it."""

    text: str
    chosen: tuple[tuple[int, int], ...]
    actions: tuple[Action, ...]

    def is_chosen(self, at: int) -> bool:
        """Whether another branch could be at an offset."""
        index = bisect_right(self.chosen, at, key=itemgetter(0)) - 1
        return index >= 0 and at < self.chosen[index][1]


def plain_parts(text: str) -> Iterator[PlainParts]:
    """The template with the first branch of each block, and, if there are others, with the second.

    Nothing of a template with more actions than any chart has.
    """
    template = parse(text)
    if len(template.actions) > MOST_TEMPLATE_ACTIONS:
        return
    scalars = _block_scalars(text)
    yield _with_branch(template.nodes, text, scalars, 0)
    if any(len(block.branches) > 1 for block in template.blocks()):
        yield _with_branch(template.nodes, text, scalars, 1)


def _with_branch(
    nodes: Sequence[Node], text: str, scalars: Sequence[tuple[int, int, int]], number: int
) -> PlainParts:
    parts: list[str] = []
    chosen: list[tuple[int, int]] = []
    actions: list[Action] = []
    waiting: list[Node | tuple[int, int]] = [*reversed(nodes)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            parts.append(_NOT_BLANK.sub(" ", text[node[0] : node[1]]))
        elif isinstance(node, Action):
            parts.append(_of_action(node, text, scalars))
            actions.append(node)
        elif isinstance(node, Block):
            if len(node.branches) > 1 and (not chosen or node.start >= chosen[-1][1]):
                chosen.append((node.start, node.end))
            waiting += reversed([*_of_block(node, number)])
        else:
            parts.append(text[node.start : node.end])
    return PlainParts("".join(parts), tuple(chosen), tuple(actions))


def _of_block(block: Block, number: int) -> Iterator[Node | tuple[int, int]]:
    """The actions of a block, the nodes of one branch, and the places of the others."""
    if block.opening.word == "define":
        yield (block.start, block.end)
        return
    chosen = min(number, len(block.branches) - 1)
    last = block.end if block.end_action is None else block.end_action.start
    for index, branch in enumerate(block.branches):
        following = block.branches[index + 1 : index + 2]
        end = following[0].action.start if following else last
        yield branch.action
        if index == chosen:
            yield from branch.nodes
        else:
            yield (branch.action.end, end)
    if block.end_action is not None:
        yield block.end_action


def _of_action(action: Action, text: str, scalars: Sequence[tuple[int, int, int]]) -> str:
    written = text[action.start : action.end]
    first = text.rfind("\n", 0, action.start) + 1
    last = text.find("\n", action.end)
    rest = text[action.end : len(text) if last < 0 else last]
    if "\n" in written:
        return _NOT_BLANK.sub(" ", written)
    if text[first : action.start].strip() or rest.strip():
        return masked_action(written)
    indent = _indent_at(action.start, scalars)
    if indent is None or (action.start - first <= indent and _makes_nothing(action)):
        return _NOT_BLANK.sub(" ", written)
    # A line of the text above: it has to be indented as such, and to be there.
    blanks = max(0, indent + 1 - (action.start - first))
    sign = masked_action("{{")
    return (" " * blanks + sign + masked_action(written[blanks + 2 :]))[: len(written)]


def _indent_at(at: int, scalars: Sequence[tuple[int, int, int]]) -> int | None:
    """The indent of the key of the text in which an offset is; None outside of texts."""
    index = bisect_right(scalars, at, key=itemgetter(0)) - 1
    return scalars[index][2] if index >= 0 and at < scalars[index][1] else None


def _makes_nothing(action: Action) -> bool:
    return action.is_comment or action.word in (*OPENING, "else", "end") or ":=" in action.inner


def _block_scalars(text: str) -> list[tuple[int, int, int]]:
    """The places of texts that begin with `|` or `>`, to the next line that is indented as their key, and that indent."""
    found: list[tuple[int, int, int]] = []
    opened: tuple[int, int] | None = None
    at = 0
    for line in text.split("\n"):
        written = line.lstrip(" ")
        indent = len(line) - len(written)
        following = at + len(line) + 1
        if opened is not None and written.strip() and not written.startswith("{{"):
            if indent > opened[1]:
                at = following
                continue
            found.append((opened[0], at, opened[1]))
            opened = None
        if opened is None and _HEADER.search(line.partition(" #")[0].rstrip()[-16:]):
            opened = following - 1, indent
        at = following
    if opened is not None:
        found.append((opened[0], len(text), opened[1]))
    return found
