"""Names for findings that outlive edits elsewhere in the file: for baselines and code hosts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from dradsl.diagnostics import Finding
from dradsl.lint.report.places import SourceLines
from dradsl.values.patterns import pattern

__all__ = ["fingerprints"]

_INDEX = pattern(r"\[\d+\]")
_HEX_DIGITS = 32


def fingerprints(findings: Iterable[Finding], lines: SourceLines) -> list[str]:
    """One fingerprint a finding, unique within its file, free of line numbers.

    It is made of the code, the object (without its API version), the field (without list
    positions), the words of the source line, and the how-manyth of equal ones it is. So neither
    lines above, nor another indentation, nor an item inserted before change it; editing the line
    itself does, as then the finding deserves a fresh look.
    """
    seen: Counter[tuple[str, str]] = Counter()
    result = []
    for finding in findings:
        identity = _identity(finding, lines)
        key = (finding.path, identity)
        whole = f"{identity}\0{seen[key]}"
        seen[key] += 1
        result.append(hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:_HEX_DIGITS])
    return result


def _identity(finding: Finding, lines: SourceLines) -> str:
    about = finding.object
    source = lines.line(finding.path, finding.span.line) or ""
    parts = (
        finding.code,
        about.kind if about else "",
        (about.namespace or "") if about else "",
        (about.name or "") if about else "",
        _INDEX.sub("[]", finding.field or ""),
        " ".join(source.split()),
    )
    return "\0".join(parts)
