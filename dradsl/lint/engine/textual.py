"""Findings about a file as text: what the reader complains of, and ignores that hide nothing."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.diagnostics import Finding, Related
from dradsl.kube.fields.table import GROUP, KINDS
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.input.manifests import manifests_in
from dradsl.text.splitting import holds_template_signs, speaks_of_helm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.lint.engine.suppress import UnusedIgnore
    from dradsl.lint.input.embedded import Embedded
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import Document, Problem
    from dradsl.text.paths import FieldPath

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


def text_findings(source: SourceText, embedded: Sequence[Embedded] = ()) -> Iterator[Finding]:
    """What is wrong with the file before any object is looked at.

    The source of a template is not YAML; what its unrendered text looks like says nothing. Of a
    page of Markdown, and of strings in ConfigMaps (`embedded`), only whole objects count.
    """
    if source.values_only or speaks_of_helm(source.stream.text):
        return
    for problem in source.stream.problems:
        yield _finding(source, problem, 0)
    for document in source.stream.documents:
        if document.data is None and _is_no_mistake(source, document):
            continue
        if source.is_markdown and not _is_whole(source, document):
            continue
        for problem in document.problems:
            yield _finding(source, problem, document.index, document.source_comment)
        if not source.is_markdown:
            yield from _half_objects(source, document)
    for each in embedded:
        if each.is_whole and (each.is_file or each.document.data is not None):
            for problem in each.document.problems:
                yield _finding(source, problem, each.document.index)


def _is_no_mistake(source: SourceText, document: Document) -> bool:
    """Whether a document cannot be read because it is a template."""
    if not source.is_template:
        return False
    return not source.stream.is_template or holds_template_signs(document.text)


def _is_whole(source: SourceText, document: Document) -> bool:
    """Whether a document says what object it is, or was meant to."""
    if document.data is not None:
        return any(True for _ in manifests_in(source, (document,)))
    says = {line.strip().partition(":")[0] for line in document.text.split("\n")}
    return {"apiVersion", "kind"} <= says


def _half_objects(source: SourceText, document: Document) -> Iterator[Finding]:
    """What is clearly meant as an object with claims or devices, and says not rightly what it is."""
    from dradsl.text.documents import expand_list

    root = document.data
    is_object = isinstance(root, dict) and all(isinstance(root.get(n), str) for n in _IDENTITY)
    for prefix, data in expand_list(root) if is_object else (((), root),):
        if isinstance(data, dict):
            yield from _of_wrong_type(source, document, prefix, data)
            missing = _missing(data)
            if missing is not None:
                yield _half(source, document, prefix, *missing)


_IDENTITY = ("apiVersion", "kind")
_GO_NAMES: Mapping[type, str] = MappingProxyType(
    {bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
)


def _of_wrong_type(
    source: SourceText, document: Document, prefix: FieldPath, data: Mapping[str, object]
) -> Iterator[Finding]:
    """DRA006: an apiVersion or a kind that is no text."""
    wrong = [name for name in _IDENTITY if not isinstance(data.get(name), str | None)]
    if not wrong or not (_says_dra(data) or _looks_like_dra(data)):
        return
    from dradsl.lint.rules.api_server import kind_of

    for name in wrong:
        value = data[name]
        yield _at_field(
            source,
            document,
            (*prefix, name),
            "DRA006",
            f"{name} is text, not {kind_of(value)}",
            upstream=f"json: cannot unmarshal {_GO_NAMES[type(value)]} into Go struct field "
            f".{name} of type string",
        )


def _says_dra(data: Mapping[str, object]) -> bool:
    version, kind = data.get("apiVersion"), data.get("kind")
    return (isinstance(version, str) and version.startswith(f"{GROUP}/")) or (
        isinstance(kind, str) and kind in KINDS
    )


def _looks_like_dra(data: Mapping[str, object]) -> bool:
    """Whether an object asks for devices, publishes them, or has pods with claims."""
    spec = data.get("spec")
    inner = spec.get("spec") if isinstance(spec, dict) else None
    if any(isinstance(each, dict) and "devices" in each for each in (spec, inner)):
        return True
    from dradsl.kube.pods.workloads import pod_specs

    return any(pod.spec.get("resourceClaims") for pod in pod_specs(data))


def _missing(data: Mapping[str, object]) -> tuple[str, str, str] | None:
    """What is there of `apiVersion` and `kind`, what is not, and what to write."""
    version, kind = data.get("apiVersion"), data.get("kind")
    if version in (None, "") and isinstance(kind, str) and kind in KINDS:
        return "kind", "apiVersion", f"{GROUP}/v1"
    if kind in (None, "") and isinstance(version, str) and version.startswith(f"{GROUP}/"):
        return "apiVersion", "kind", "ResourceClaim, for example"
    return None


def _half(
    source: SourceText, document: Document, prefix: FieldPath, there: str, missing: str, value: str
) -> Finding:
    """DRA007: what is clearly meant as an object of the group, without apiVersion or kind."""
    return _at_field(
        source,
        document,
        (*prefix, there),
        "DRA007",
        f"{missing} is missing",
        field=missing,
        help_=f"write {missing}: {value}",
        upstream="apiVersion not set" if missing == "apiVersion" else "Object 'Kind' is missing",
    )


def _at_field(
    source: SourceText,
    document: Document,
    path: FieldPath,
    code: str,
    message: str,
    *,
    upstream: str,
    field: str | None = None,
    help_: str | None = None,
) -> Finding:
    """A finding at the key of a field."""
    from dradsl.text.paths import format_path, locate

    rule = RULES[code]
    root = document.root
    span = locate(root, path).key_span if root is not None else None
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=source.name,
        span=span or document.span,
        document=document.index,
        field=field or format_path(path),
        help=help_,
        upstream=upstream,
        origin=document.source_comment,
    )


def _finding(
    source: SourceText, problem: Problem, document: int, origin: str | None = None
) -> Finding:
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
        origin=origin,
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
