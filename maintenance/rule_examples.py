"""Examples in rule documents: fenced blocks that say in comments which findings they give."""

from __future__ import annotations

import re
from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.lint.pages.documents import DocumentError
from dradsl.records import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    from dradsl.lint.pages.documents import RuleDocument

__all__ = [
    "ROLES",
    "Attachment",
    "Example",
    "examples_of",
    "parse_examples",
    "without_expectations",
]

ExampleKind: TypeAlias = "Literal['bad', 'good']"

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>\w*)(?P<attributes>[^`\n]*)$")
_ATTRIBUTE = re.compile(r'([a-z][a-z-]*)="([^"]*)"')
_EXPECTED = re.compile(
    r"(?:^|\s)(?:#|//) (?P<severity>error|warning|info): (?P<codes>DRA\d{3}(?:, DRA\d{3})*)\s*$"
)
_REPEATED = re.compile(r"\s*(?:#|//) × (\d+)$")
_EXPECT_ITEM = re.compile(r"(?:(error|warning|info):)?(DRA\d{3})@(\d+)")
_KINDS: Mapping[str, ExampleKind] = MappingProxyType({"bad": "bad", "good": "good"})
ROLES = ("context", "before", "slices", "driver-schema", "config")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A further file of an example: `role` is one of `ROLES`."""

    role: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A fenced block that the tests lint.

    `text` is what the document shows, `source` the file that it stands for: a line that ends with
    `# × 33` is written 33 times there, `{n}` counting from 1. `expected` are (line, code) pairs,
    the line counted from 1 in `source`, in the order of the text, and `severities` theirs; a good
    example expects none. `fixed` is the source after every safe fix, where the document shows it.
    `options` are the other attributes of the fence, such as "kube-version". `line` is where `text`
    starts in the document.
    """

    kind: ExampleKind
    text: str
    source: str
    expected: tuple[tuple[int, str], ...] = ()
    file_name: str = "example.yaml"
    caption: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    fixed: str | None = None
    severities: tuple[Severity, ...] = ()
    line: int = 0


def examples_of(document: RuleDocument) -> tuple[Example, ...]:
    """The examples of a document.

    Raises:
        DocumentError: as `parse_examples`.
    """
    file_name = f"{document.code}-{document.name}.md"
    return parse_examples(document.body, document.first_line, file_name)


@dataclass(frozen=True, slots=True)
class _Fence:
    line: int  # of the text's first line, in the document
    language: str
    attributes: Mapping[str, str]
    text: str


def _fences(body: str, first_line: int, file_name: str) -> list[_Fence]:
    fences = []
    opened: re.Match[str] | None = None
    started = 0
    lines = body.split("\n")
    for index, line in enumerate(lines):
        if opened is None:
            opened = _FENCE.match(line)
            started = index + 1
        elif line == opened["fence"]:
            attributes = opened["attributes"]
            if _ATTRIBUTE.sub("", attributes).strip():
                raise DocumentError(f"{file_name}:{first_line + started - 1}: {attributes.strip()}")
            fences.append(
                _Fence(
                    first_line + started,
                    opened["language"],
                    dict(_ATTRIBUTE.findall(attributes)),
                    "".join(f"{text}\n" for text in lines[started:index]),
                )
            )
            opened = None
    if opened is not None:
        raise DocumentError(f"{file_name}:{first_line + started - 1}: the fence is never closed")
    return fences


def parse_examples(body: str, first_line: int, file_name: str) -> tuple[Example, ...]:
    """The examples of a document's `body`, which starts at line `first_line` of the file.

    A fence is one by its title: "bad" or "good" (then, if wanted, a colon and a caption),
    "fixed" after a bad one, or the role of an `Attachment`, which goes to all examples after it.

    Raises:
        DocumentError: for a fence left open, an attribute or title that is not understood, a bad
            example without an expected finding, or a good one with it.
    """
    examples: list[Example] = []
    attachments: list[Attachment] = []
    for fence in _fences(body, first_line, file_name):
        options = dict(fence.attributes)
        kind, _, caption = options.pop("title", "").partition(":")
        if not kind and not options:
            continue  # an illustration, not an example
        if kind in ROLES:
            name = options.get("file", f"{kind}.yaml")
            attachments.append(Attachment(kind, name, _written_out(fence.text)[0]))
        elif kind == "fixed" and examples and examples[-1].kind == "bad":
            examples[-1] = replace(examples[-1], fixed=_written_out(fence.text)[0])
        elif kind in _KINDS:
            example = _example(_KINDS[kind], fence, options, tuple(attachments), file_name)
            examples.append(replace(example, caption=caption.strip()))
        else:
            raise DocumentError(f"{file_name}:{fence.line}: a fence titled {kind!r}")
    return tuple(examples)


def _example(
    kind: ExampleKind,
    fence: _Fence,
    options: Mapping[str, str],
    attachments: tuple[Attachment, ...],
    file_name: str,
) -> Example:
    rest = dict(options)
    default_name = "example.json" if fence.language == "json" else "example.yaml"
    name = rest.pop("file", default_name)
    source, lines = _written_out(fence.text)
    expected = _expected(fence.text, rest.pop("expect", ""))
    if (kind == "bad") != bool(expected):
        problem = "no expected finding" if kind == "bad" else "an expected finding"
        raise DocumentError(f"{file_name}:{fence.line}: a {kind} example with {problem}")
    return Example(
        kind=kind,
        text=fence.text,
        source=source,
        expected=tuple((lines[line], code) for line, code, _ in expected),
        file_name=name,
        options=MappingProxyType(rest),
        attachments=attachments,
        severities=tuple(severity for _, _, severity in expected),
        line=fence.line,
    )


def _written_out(text: str) -> tuple[str, list[int]]:
    """The text with repeated lines written out, and where each line of `text` starts in it."""
    written: list[str] = []
    starts = [0]  # lines count from 1
    for line in text.split("\n"):
        starts.append(len(written) + 1)
        repeated = _REPEATED.search(line)
        if repeated is None:
            written.append(line)
        else:
            once = line[: repeated.start()]
            times = range(1, int(repeated[1]) + 1)
            written += [once.replace("{n}", str(number)) for number in times]
    return "\n".join(written), starts


def _expected(text: str, attribute: str) -> list[tuple[int, str, Severity]]:
    """What a block says that it will give: comments at line ends, or `expect="DRA001@3"`.

    The attribute is for lines that cannot hold a comment; `expect="warning:DRA010@2"` says the
    severity where it is not error.
    """
    found = [
        (int(line), code, Severity(severity or "error"))
        for severity, code, line in _EXPECT_ITEM.findall(attribute)
    ]
    for number, line in enumerate(text.split("\n"), start=1):
        match = _EXPECTED.search(line)
        if match:
            severity = Severity(match["severity"])
            found += [(number, code, severity) for code in match["codes"].split(", ")]
    return sorted(found)


def without_expectations(text: str) -> str:
    """The text without the comments that say which findings it gives."""
    return "\n".join(_EXPECTED.sub("", line) for line in text.split("\n"))
