"""YAML text to PyYAML's raw nodes, by its C composer, and never deeper than allowed.

The C composer recurses on the C stack, forgets where an alias stands, and rejects anchors that are
defined twice, which YAML allows. So a cheap test comes first; documents that are deep or hold
aliases are composed here from parser events, without recursion.
"""

from __future__ import annotations

import operator
import re

from dradsl.text.pyyaml import HAS_LIBYAML, EventParser, yaml
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

__all__ = ["RawAlias", "RawNode", "TooDeepError", "compose", "may_hold_aliases"]


class RawAlias:
    """A `*name` and the node that it stands for."""

    __slots__ = ("end_mark", "name", "start_mark", "target")
    tag = None  # as of nodes, where it says what a scalar is

    def __init__(self, name: str, target: RawNode, start_mark: Any, end_mark: Any) -> None:
        self.name = name
        self.target = target
        self.start_mark = start_mark
        self.end_mark = end_mark


RawNode: TypeAlias = "Any"
"""yaml.ScalarNode, SequenceNode or MappingNode, whose `tag` breaks PyYAML's types, or RawAlias."""

# Block collections nest only by columns of white space and indicators, flow ones by brackets.
_INDENTATION = " \t-?:"
_INDENTED = pattern(rf"\n[{re.escape(_INDENTATION)}]{{120}}")
_BRACKETS = 400
_LONE_TAG = pattern(r"!(?=\s)")
_LONE_TAG_HERE = pattern(r"(?:&\S+\s+)?!(?=\s)")
_ALIAS = pattern(r"\*[\w-]")


class TooDeepError(ValueError):
    """The document nests deeper than allowed; `offset` is where it does."""

    def __init__(self, offset: int) -> None:
        super().__init__("nested too deeply")
        self.offset = offset


class _Composer(EventParser):
    """The C composer without a resolver: an untagged node's `tag` is what the parser implies.

    That is a pair of booleans for scalars, the first of them true if the scalar is plain.
    """

    def __init__(self, text: str) -> None:
        EventParser.__init__(self, text)

    def resolve(self, _kind: type, _value: str | None, implicit: object) -> object:
        return implicit

    # Called for every node and for nothing here: functions of C that do nothing are the fastest.
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = staticmethod(tuple)


def compose(text: str, max_depth: int) -> RawNode | None:
    """The first document of `text`, None if there is none.

    Raises yaml.YAMLError for what is no YAML, TooDeepError beyond `max_depth` levels.
    """
    root = _compose(text, max_depth)
    if "!" in text and root is not None and _LONE_TAG.search(text):
        _restore_lone_tags(root, text)
    return root


def _holds_colons(text: str) -> bool:
    from dradsl.text.colons import may_hold_colons

    return may_hold_colons(text)


def _compose(text: str, max_depth: int) -> RawNode | None:
    rejected = None
    if HAS_LIBYAML or not _holds_colons(text):
        try:
            return _compose_once(text, max_depth)
        except yaml.scanner.ScannerError as error:
            from dradsl.text.colons import is_rejected_colon

            if not is_rejected_colon(error, text):
                raise
            rejected = error
    from dradsl.text.colons import compose_with_colons

    return compose_with_colons(text, rejected, lambda masked: _compose_once(masked, max_depth))


def _compose_once(text: str, max_depth: int) -> RawNode | None:
    if not HAS_LIBYAML or _needs_events(text):
        return _compose_from_events(text, max_depth)
    parser = _Composer(text)
    try:
        node: RawNode = parser.get_node() if parser.check_node() else None
    except yaml.composer.ComposerError:
        return _compose_from_events(text, max_depth)
    finally:
        parser.dispose()
    return node


def may_hold_aliases(text: str) -> bool:
    """Whether `text` can hold an alias; if not, `compose` gives no RawAlias."""
    return "&" in text and "*" in text and _ALIAS.search(text) is not None


def _needs_events(text: str) -> bool:
    if len(text) > _BRACKETS and text.count("[") + text.count("{") > _BRACKETS:
        return True
    if may_hold_aliases(text):
        return True
    if _INDENTED.search(text):
        return True
    return text[:1] in _INDENTATION and _INDENTED.match("\n" + text[:200]) is not None


def _compose_from_events(text: str, max_depth: int) -> RawNode | None:
    """The same as the C composer, with a stack of its own, and with aliases kept as such."""
    parser = _Composer(text)
    stack: list[Any] = []
    anchors: dict[str, RawNode] = {}
    root: RawNode | None = None
    try:
        while parser.check_event():
            event = _next(parser)
            kind = event.__class__
            if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                finished = stack.pop()
                finished.end_mark = event.end_mark
                if kind is yaml.MappingEndEvent:
                    flat = finished.value
                    finished.value = list(zip(flat[::2], flat[1::2], strict=True))
            elif kind is yaml.ScalarEvent or isinstance(event, yaml.NodeEvent):
                node = _node(event, anchors)
                if stack:
                    stack[-1].value.append(node)
                else:
                    root = node
                if isinstance(event, yaml.CollectionStartEvent):
                    stack.append(node)
                    if len(stack) > max_depth:
                        raise TooDeepError(node.start_mark.index)
            elif kind is yaml.DocumentEndEvent:
                if not HAS_LIBYAML and not event.explicit:
                    parser.check_event()  # the C composer looks at what comes next, too
                break
    finally:
        parser.dispose()
    return root


def _restore_lone_tags(root: RawNode, text: str) -> None:
    """Gives scalars tagged with a lone `!` that tag: PyYAML drops it, the reader keeps the text."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.__class__ is yaml.ScalarNode:
            if _LONE_TAG_HERE.match(text, node.start_mark.index):
                node.tag = "!"
        elif node.__class__ is yaml.MappingNode:
            pending += [child for pair in node.value for child in pair]
        elif node.__class__ is yaml.SequenceNode:
            pending += node.value


def _next(parser: Any) -> Any:
    # PyYAML's stubs make every mark optional.
    return parser.get_event()


def _node(event: Any, anchors: dict[str, RawNode]) -> RawNode:
    start: Any = event.start_mark
    end: Any = event.end_mark
    name: Any = event.anchor
    node: RawNode
    if event.__class__ is yaml.ScalarEvent:
        tag: Any = event.implicit if event.tag is None else event.tag
        node = yaml.ScalarNode(tag, event.value, start, end, event.style)
    elif event.__class__ is yaml.AliasEvent:
        target = anchors.get(name)
        if target is None:
            problem = f"unknown anchor '{name}' referenced"
            raise yaml.composer.ComposerError(None, None, problem, start)
        return RawAlias(name, target, start, end)
    else:
        is_sequence = isinstance(event, yaml.SequenceStartEvent)
        kind: Any = yaml.SequenceNode if is_sequence else yaml.MappingNode
        node = kind(event.tag, [], start, end, flow_style=event.flow_style)
    if name is not None:
        anchors[name] = node
    return node
