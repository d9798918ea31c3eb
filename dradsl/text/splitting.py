"""Where documents begin and end in a stream, before any YAML is parsed.

Follows `YAMLReader` in apimachinery pkg/util/yaml/decoder.go: a line that starts with `---`
separates, whatever surrounds it, and only a comment may follow on that line.
"""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Chunk", "is_template", "source_comment", "split"]

_SOURCE = pattern(r"(?:[ \t]*(?:#[^\n]*)?\n)*?# Source: (?P<path>[^\r\n]*[^\s])")
_SOURCE_REACH = 2_000

# What only Helm's own objects and functions look like; Argo and Prometheus use braces as well.
_HELM = pattern(
    r"\{\{-?\s*(?:[^{}]*[\s(])?"
    r"(?:[.$]+(?:Values|Release|Chart|Capabilities|Files|Template)\b|include\s+\"|template\s+\")"
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text between two separators. `separator` is the place of a faulty separator before it:
    from the dashes to the end of what must not follow them.
    """

    start: int
    end: int
    separator: tuple[int, int] | None = None


def split(text: str) -> Iterator[Chunk]:
    """The chunks of a stream in order, empty ones left out unless their separator is faulty."""
    start = 0
    faulty: tuple[int, int] | None = None
    at = 0 if text.startswith("---") else text.find("\n---") + 1
    while at > 0 or (at == 0 and text.startswith("---") and start == 0):
        if at > start or faulty:
            yield Chunk(start, at, faulty)
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        rest = text[at + 3 : end].strip()
        faulty = None
        if rest and not rest.startswith("#"):
            faulty = (at, at + 3 + text[at + 3 : end].index(rest) + len(rest))
        start = min(end + 1, len(text))
        # The line end that closes a separator may open the next one.
        at = text.find("\n---", max(end, at)) + 1
    if start < len(text) or faulty:
        yield Chunk(start, len(text), faulty)


def source_comment(text: str, start: int, end: int) -> str | None:
    """The path in a comment `# Source: …` above the content of a chunk."""
    if text.find("# Source: ", start, min(end, start + _SOURCE_REACH)) < 0:
        return None
    match = _SOURCE.match(text, start, end)
    return match["path"] if match else None


def is_template(text: str, broken: Iterable[str]) -> bool:
    """Whether `text` is the source of a Helm template; `broken` are its documents without data.

    Braces alone do not make one: Argo workflows and alert rules are YAML that holds them in
    strings. What cannot be read and holds them is one, and so is what speaks of Helm's objects.
    """
    if "{{" not in text:
        return False
    return any("{{" in document for document in broken) or _HELM.search(text) is not None
