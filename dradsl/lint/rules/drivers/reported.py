"""What the checks of requests and parameters find, as the linter reports it."""

from __future__ import annotations

from dradsl.lint.view.found import Found, ProposedFix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.judge.findings import ConfigFinding, RequestFinding
    from dradsl.lint.input.manifests import Manifest
    from dradsl.text.paths import FieldPath

__all__ = ["reported"]


def reported(
    manifest: Manifest,
    path: FieldPath,
    finding: RequestFinding | ConfigFinding,
    *,
    fixable: bool = True,
) -> Found:
    """The finding at `path` of a manifest, with its suggestion as a fix if that may be one."""
    return Found(
        code=finding.code,
        manifest=manifest,
        path=path,
        message=finding.message,
        help=finding.help,
        upstream=finding.upstream,
        on_key=finding.at_key,
        severity=finding.severity,
        fix=_fix(manifest, path, finding.suggestion, at_key=finding.at_key) if fixable else None,
    )


def _fix(
    manifest: Manifest, path: FieldPath, suggestion: str | None, *, at_key: bool
) -> ProposedFix | None:
    if suggestion is None:
        return None
    from dradsl.lint.fixes.edits import rename_or_replace

    edit = rename_or_replace(manifest, path, suggestion, at_key=at_key)
    return ProposedFix(f"write {suggestion}", (edit,), "unsafe") if edit else None
