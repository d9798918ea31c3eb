"""A rule of a team as its file has it: what it is called, what it looks at, what it says."""

from __future__ import annotations

from fnmatch import fnmatchcase

from dradsl.diagnostics import FieldPath, Severity
from dradsl.records import Record, field
from dradsl.text.characters import span_in_scalar
from dradsl.text.files import StrPath
from dradsl.text.nodes import Node, ScalarNode
from dradsl.values.patterns import pattern

__all__ = ["CODE", "CustomRule", "KindPattern", "RuleExample", "RuleExpression"]

CODE = pattern(r"(?!DRA)[A-Z][A-Z]{1,15}[0-9]{1,6}")
"""The codes that teams may give: none begins as ours do, now or ever."""


class KindPattern(Record):
    """Which kinds a rule looks at: patterns of `*` and `?` for the kind and the apiVersion as written."""

    kind: str
    api_version: str = "*"

    def meets(self, api_version: str, kind: str) -> bool:
        """Whether an object of the kind is meant."""
        return fnmatchcase(kind, self.kind) and fnmatchcase(api_version, self.api_version)


class RuleExpression(Record):
    """An expression of CEL in a rule file; `node` is its text there, if it is a plain one."""

    text: str
    line: int
    node: Node | None = field(default=None, repr=False, compare=False)

    def line_of(self, offset: int) -> int:
        """The line of the file on which a part of the expression stands."""
        if not isinstance(self.node, ScalarNode):
            return self.line
        return span_in_scalar(self.node, offset, offset).line


class RuleExample(Record):
    """Manifests in which a rule finds something (`bad`), or nothing."""

    bad: bool
    text: str
    line: int


class CustomRule(Record):
    """A rule of a team.

    Objects of `kinds` for which `condition` is false are found. With `templates` pods and claims are those
    too that are made of a template. `path` is the field at which a finding stands, in the shape of v1.
    """

    code: str
    name: str
    severity: Severity
    kinds: tuple[KindPattern, ...]
    condition: RuleExpression
    message: str
    message_expression: RuleExpression | None = None
    templates: bool = True
    path: FieldPath = ()
    why: str | None = None
    help: str | None = None
    url: str | None = None
    examples: tuple[RuleExample, ...] = ()
    source: StrPath = ""
    line: int = 1

    def looks_at(self, api_version: str, kind: str) -> bool:
        """Whether objects of the kind are judged."""
        return any(each.meets(api_version, kind) for each in self.kinds)
