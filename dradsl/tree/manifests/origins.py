"""Where a rendered object comes from: the comments of `helm template`, the annotation of kustomize."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["origin_of"]

_ANNOTATION = "config.kubernetes.io/origin"  # kustomize api/resource/origin.go
_SHOWN = 1024


def origin_of(comment: str | None, data: Mapping[str, object]) -> str | None:
    """The file of a chart or of a kustomization from which an object was made; None if unknown.

    `comment` is what stands after `# Source:` above the document.
    """
    metadata = data.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    value = annotations.get(_ANNOTATION) if isinstance(annotations, dict) else None
    said = _from_kustomize(value) if isinstance(value, str) else None
    said = said or comment
    return said[:_SHOWN] if said else None


def _from_kustomize(value: str) -> str | None:
    """`path`, or `configuredIn` of what a generator made; with repository and revision."""
    fields: dict[str, str] = {}
    for line in value[: 4 * _SHOWN].splitlines():
        name, colon, rest = line.partition(": ")
        if colon and not name.startswith(" "):
            fields[name] = rest.strip().strip("\"'")
    path = fields.get("path") or fields.get("configuredIn")
    if not path:
        return None
    repo, ref = fields.get("repo"), fields.get("ref")
    if not repo:
        return path
    return f"{path} of {repo}@{ref}" if ref else f"{path} of {repo}"
