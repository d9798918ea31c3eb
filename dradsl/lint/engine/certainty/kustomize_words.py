"""Words such as `on` and `yes`: booleans for kubectl, texts for Kustomize, which writes them in quotes."""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.tree.manifests.unknown import Unknowns

__all__ = ["kept_as_texts"]

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})


# Upstream: resource.MustYaml and kyaml RNode.MarshalJSON (kustomize api 0.20.1), which read YAML 1.2.
def kept_as_texts(found: Sequence[RuleFinding], unknowns: Unknowns) -> Iterator[RuleFinding]:
    """The findings; that such a word is no text is an info in a file which a kustomization takes in."""
    for each in found:
        yield _as_info(each) if _is_text(each, unknowns) else each


def _is_text(found: RuleFinding, unknowns: Unknowns) -> bool:
    manifest = found.manifest
    repository = unknowns.repository
    if repository is None or manifest.within is not None or manifest.chart_output is not None:
        return False
    if RULES[found.code].traits.about != "shape" or found.on_key:
        return False
    span, stream = manifest.span(found.path), manifest.source.stream
    start = stream.lines.offset(span.line, span.column)
    end = stream.lines.offset(span.end_line, span.end_column)
    if stream.text[start:end].lower() not in _WORDS:
        return False
    return bool(repository.origin(manifest.source.name).uses)


def _as_info(found: RuleFinding) -> RuleFinding:
    help_ = "Kustomize reads it as text, kubectl as a boolean: write it in quotes"
    return replace(found, severity=Severity.INFO, help=help_)
