"""Findings about a file as text: what the reader complains of, and ignores that hide nothing."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.diagnostics import Finding, Related
from dradsl.kube.fields.table import GROUP, KINDS
from dradsl.lint.catalogue.rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.lint.engine.suppress import UnusedIgnore
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import Document, Problem

__all__ = ["text_findings", "unused_ignore_finding"]

# Reason of the text layer -> code and remedy.
_CODES: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "yaml-syntax": ("DRA001", None),
        "tab-indent": ("DRA001", "indent with spaces"),
        "separator": ("DRA001", "put what follows on a line of its own"),
        "content-after-end": ("DRA001", None),
        "invalid-key": ("DRA001", "a key is a single word or a quoted text"),
        "merge-value": ("DRA001", "<<: takes an alias of a mapping"),
        "unreadable-scalar": ("DRA001", None),
        "duplicate-key": ("DRA002", "remove one of the two"),
        "encoding": ("DRA003", "save the file as UTF-8"),
        "binary": ("DRA003", None),
        "too-large": ("DRA004", None),
        "too-deep": ("DRA004", None),
        "alias-bomb": ("DRA004", "write the repeated part out, or split the file"),
        "alias-loop": ("DRA004", "an alias cannot stand inside its own anchor"),
    }
)


def text_findings(source: SourceText) -> Iterator[Finding]:
    """What is wrong with the file before any object is looked at.

    The source of a Helm template is not YAML; what its unrendered text looks like says nothing.
    """
    stream = source.stream
    if stream.is_template:
        return
    for problem in stream.problems:
        yield _finding(source, problem, 0)
    for document in stream.documents:
        for problem in document.problems:
            yield _finding(source, problem, document.index)
        yield from _half_an_object(source, document)


def _half_an_object(source: SourceText, document: Document) -> Iterator[Finding]:
    """DRA007: what is clearly meant as an object of the group, without apiVersion or kind."""
    data = document.data
    if not isinstance(data, dict):
        return
    version, kind = data.get("apiVersion"), data.get("kind")
    if not version and isinstance(kind, str) and kind in KINDS:
        present, missing, value = "kind", "apiVersion", f"{GROUP}/v1"
    elif not kind and isinstance(version, str) and version.startswith(f"{GROUP}/"):
        present, missing, value = "apiVersion", "kind", "ResourceClaim, for example"
    else:
        return
    from dradsl.text.paths import locate

    rule = RULES["DRA007"]
    root = document.root
    span = locate(root, (present,)).key_span if root is not None else None
    yield Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=f"{missing} is missing",
        path=source.name,
        span=span or document.span,
        document=document.index,
        field=missing,
        help=f"write {missing}: {value}",
        upstream="apiVersion not set" if missing == "apiVersion" else "Object 'Kind' is missing",
    )


def _finding(source: SourceText, problem: Problem, document: int) -> Finding:
    code, help_ = _CODES[problem.reason]
    rule = RULES[code]
    related = problem.related
    return Finding(
        code=code,
        name=rule.name,
        severity=rule.severity,
        message=problem.message,
        path=source.name,
        span=problem.span,
        document=document,
        help=help_,
        # Strict decoding would name the key, but kubectl sends the last value alone.
        upstream=None if problem.reason == "duplicate-key" else problem.upstream,
        related=(Related("the first one", source.name, related),) if related else (),
    )


def unused_ignore_finding(source: SourceText, ignore: UnusedIgnore) -> Finding:
    """DRA010: an ignore that hides nothing, or names a rule that does not exist."""
    rule = RULES["DRA010"]
    codes = ", ".join(ignore.codes)
    message, help_ = {
        "unknown": (f"no rule is called {codes}", "see `dradsl rules`"),
        "unused": (f"nothing to ignore here: {codes}", "remove it: it could hide a new finding"),
        "empty": ("an ignore names what it ignores", "write `dradsl: ignore[DRA301]`"),
    }[ignore.problem]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=source.name,
        span=ignore.span,
        help=help_,
    )
