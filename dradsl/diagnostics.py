"""What dradsl says about a file: findings, their place, and the edits that fix them."""

from __future__ import annotations

import enum

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

__all__ = [
    "Edit",
    "FieldPath",
    "Finding",
    "Fix",
    "ObjectRef",
    "Related",
    "Severity",
    "Span",
]

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a field: keys of mappings and positions in lists."""


class Severity(enum.StrEnum):
    """How bad a finding is; `rank` orders them, most severe first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        return _RANK[self]


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of text: lines and columns from 1, in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def point(cls, line: int, column: int) -> Span:
        """An empty span: a place between two characters."""
        return cls(line, column, line, column)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding together.

    "safe" keeps what the object means to the API server; "unsafe" may change it.
    """

    title: str
    edits: tuple[Edit, ...]
    applicability: Literal["safe", "unsafe"] = "safe"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding (the class that filters first, the first duplicate)."""

    message: str
    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """Which Kubernetes object a finding is about."""

    api_version: str
    kind: str
    namespace: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake, where it stands, why it matters and what to do.

    `path` is as the user named the file; `document` counts the file's documents from 0;
    `kubernetes` are the releases in which it holds (all asked for, if empty);
    `upstream` is what the API server or the scheduler would print; `origin` names the file from
    which the object was rendered, where it says so; `url` is the page of a rule that is not ours;
    `folded` are findings of the object that follow from this one, and are not counted.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    span: Span
    document: int = 0
    object: ObjectRef | None = None
    field: str | None = None
    help: str | None = None
    why: str | None = None
    kubernetes: tuple[str, ...] = ()
    upstream: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    origin: str | None = None
    url: str | None = None
    folded: tuple[Finding, ...] = ()
