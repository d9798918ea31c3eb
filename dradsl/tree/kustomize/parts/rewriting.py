"""Texts as Kustomize reads and writes them, where go-yaml v3 differs from what the API server reads.

`yes` and `on` are texts there. A folded block (`>`) gets one more line end before a line that is indented, since
the emitter looks at the beginning of the text in place of what follows (yaml_emitter_write_folded_scalar).
"""

from __future__ import annotations

from itertools import pairwise

from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.text.documents import Document
    from dradsl.text.nodes import Node

__all__ = ["OLD_WORDS", "rewritten"]

OLD_WORDS = frozenset(
    form
    for word in ("y", "n", "yes", "no", "on", "off")
    for form in (word, word.title(), word.upper())
)
_WORD = r"(?:[yY]|[nN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF)"
_USED = pattern(
    rf"(?m)[:\-,\[{{][ \t]*{_WORD}[ \t]*(?:$|#|,|\]|\}}|:[ \t\n])|^[ \t]*{_WORD}[ \t]*:"
)
_FOLDED = pattern(r"(?m)[:\-][ \t]+>[-+0-9]*[ \t]*(?:#.*)?$")


def rewritten(document: Document) -> object:
    """The data of a document as Kustomize gives it out."""
    text = document.text
    if _USED.search(text) is None and (_FOLDED.search(text) is None):
        return document.data
    root = document.root
    return document.data if root is None else _data(root)


def _data(node: Node) -> object:
    if isinstance(node, MappingNode):
        made = {}
        for entry in node.entries:
            name = entry.name
            if name in ("true", "false") and entry.key.text in OLD_WORDS:
                name = entry.key.text
            made[name] = _data(entry.value)
        return made
    if isinstance(node, SequenceNode):
        return [_data(item) for item in node.items]
    return _scalar(node)


def _scalar(node: ScalarNode) -> object:
    value = node.value
    if isinstance(value, bool) and node.style == "" and node.tag is None and node.text in OLD_WORDS:
        return node.text
    if node.style == ">" and isinstance(value, str) and ("\n " in value or "\n\t" in value):
        return folded(value)
    return value


def folded(text: str) -> str:
    """What a folded block says after it was written once more."""
    first = text.lstrip("\n")[:1]
    if first in ("", " ", "\t"):
        return text
    lines = text.split("\n")
    made = [lines[0]]
    for before, line in pairwise(lines):
        # One more where a run of line ends begins behind a line that is not indented.
        if before and before[0] not in " \t" and line[:1] in (" ", "\t"):
            made.append("")
        made.append(line)
    return "\n".join(made)
