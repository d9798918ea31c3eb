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

__all__ = [
    "Chunk",
    "has_marks",
    "holds_template_signs",
    "is_template",
    "source_comment",
    "speaks_of_helm",
    "split",
    "split_indented",
]

_SOURCE = pattern(r"(?:[ \t]*(?:#[^\n]*)?\n)*?# Source: (?P<path>[^\r\n]*[^\s])")
_SOURCE_REACH = 2_000

# A value that is `$$NAME` or `__NAME__` and no more: a script replaces it before it applies the file.
_TO_FILL_IN = pattern(r"""(?m)(?:^|[:-] )["']?<[A-Za-z][\w. -]*>["']?[ \t\r]*(?:#|,|\}|\]|$)""")
_OF_A_SCRIPT = pattern(
    r"""(?m)(?:^|[:-] )["']?(?:\$\$[A-Z][A-Z0-9_]*|__[A-Z][A-Z0-9_]*__)["']?[ \t\r]*(?:#|,|\}|\]|$)"""
)
# What only Helm's own objects and functions look like; Argo and Prometheus use braces as well.
_HELM = pattern(
    r"\{\{-?\s*(?:[^{}]*[\s(])?"
    r"(?:[.$]+(?:Values|Release|Chart|Capabilities|Files|Template)\b|include\s+\"|template\s+\")"
)


# Go and Jinja, Jinja, Terraform, ERB.
_SIGNS = ("{{", "{%", "%{", "<%")
_LINES = pattern(r"(?m)^[ ]*\$\{\w+\}[ \t\r]*$")


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


def split_indented(text: str, start: int, end: int, width: int) -> Iterator[Chunk]:
    """The chunks between `start` and `end`, in lines that are indented by `width` spaces.

    They keep their indentation, so that places hold in the whole text.
    """
    at = start
    for separator in _separator_lines(text, start, end, width):
        if text[at : separator[0]].strip():
            yield Chunk(at, separator[0])
        at = separator[1]
    if text[at:end].strip():
        yield Chunk(at, end)


def _separator_lines(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """The lines of `---` alone, with a comment at most, as their first and last offset."""
    at = text.find("---", start, end)
    while at >= 0:
        first = text.rfind("\n", start, at) + 1 or start
        last = text.find("\n", at, end)
        last = end if last < 0 else last
        rest = text[at + 3 : last].strip()
        if (
            at - first <= width
            and text[first:at].isspace() | (first == at)
            and rest[:1] in ("", "#")
        ):
            yield first, last
        at = text.find("---", last, end)


def source_comment(text: str, start: int, end: int) -> str | None:
    """The path in a comment `# Source: …` above the content of a chunk."""
    reach = min(end, start + _SOURCE_REACH)
    # A single character is found much faster, and few documents have it.
    if text.find("#", start, reach) < 0 or text.find("# Source: ", start, reach) < 0:
        return None
    match = _SOURCE.match(text, start, end)
    return match["path"] if match else None


def is_template(text: str, broken: Iterable[str]) -> bool:
    """Whether `text` is the source of a template; `broken` are its documents without data.

    Braces alone do not make one: Argo workflows and alert rules are YAML that holds them in
    strings. What cannot be read and holds signs of a template is one, and so is what mentions
    Helm's objects.
    """
    return any(map(holds_template_signs, broken)) or speaks_of_helm(text)


def holds_template_signs(text: str) -> bool:
    """Whether a text that is no YAML may be so for a template: of Go, Jinja, Terraform or ERB, or one with a
    variable that stands for whole lines."""
    return any(sign in text for sign in _SIGNS) or _LINES.search(text) is not None


def has_marks(text: str) -> bool:
    """Whether a text may hold variables or templates: a cheap test for whole files."""
    # A single character is found much faster, and few texts have it.
    if "{" in text and ("${" in text or "{{" in text):
        return True
    if "<" in text and _TO_FILL_IN.search(text) is not None:
        return True
    return ("$$" in text or "__" in text) and _OF_A_SCRIPT.search(text) is not None


def speaks_of_helm(text: str) -> bool:
    """Whether a text uses Helm's own objects or functions."""
    # A single character is found much faster, and few texts have it.
    return "{" in text and "{{" in text and _HELM.search(text) is not None
