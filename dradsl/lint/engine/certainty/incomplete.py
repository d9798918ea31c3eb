"""What may be reported for patches, and for values whose chart is not known or which are incomplete.

A patch may be of an object that has the rest, and a chart may make more of its values. What is wrong with the
shape of claims is a warning there. A name that is not found is one if another is so
near that it was meant; else nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dradsl.diagnostics import Severity
from dradsl.kube.fields.decoding import similar
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.rules.references.lookup import near_name
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.records import replace
from dradsl.tree.manifests.manifest import RESOURCE_GROUP
from dradsl.tree.manifests.unknown import Unknowns

__all__ = ["downgrade_incomplete", "kept_as_texts"]

# Booleans for kubectl, texts for Kustomize, which writes them in quotes.
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})
_OF_PODS = ("pod-claims", "container-claims")  # an object may have the half that its patch has not
_BOTH = ("resourceClaimName", "resourceClaimTemplateName")


def downgrade_incomplete(run: Run, found: Sequence[RuleFinding]) -> Iterator[RuleFinding]:
    """The findings that hold, in what is not sure as warnings."""
    for each in found:
        made, traits = each.manifest.chart_output, RULES[each.code].traits
        in_patch = each.manifest.is_patch and traits.compares in _OF_PODS
        if made is None and not in_patch:
            yield each
            continue
        if (
            made is not None
            and not in_patch
            and made.known
            and (made.complete or "values" not in traits.elsewhere)
        ):
            yield replace(each, severity=_at_most_warning(each)) if made.by_key else each
            continue
        if _is_of_shape(run, each):
            fix = each.fix if each.fix is None else replace(each.fix, applicability="unsafe")
            yield replace(each, severity=_at_most_warning(each), fix=fix)
            continue
        if traits.compares == "objects":
            if each.severity is not Severity.INFO:
                yield each
            continue
        near = _near_field(each) if traits.compares == "fields" else _near(run, each)
        if near is not None:
            help_ = f'did you mean "{near}"?'
            yield replace(each, severity=_at_most_warning(each), help=help_)


def _at_most_warning(found: RuleFinding) -> Severity:
    own = found.severity or RULES[found.code].severity
    return Severity.WARNING if own is Severity.ERROR else own


def _is_of_shape(run: Run, found: RuleFinding) -> bool:
    traits = RULES[found.code].traits
    if traits.about == "absence":  # of one of two names; both are one too many
        entry = run.written_value(found.manifest, found.path)
        return isinstance(entry, dict) and all(entry.get(key) for key in _BOTH)
    if (
        traits.compares == "fields"
        and found.manifest.group != RESOURCE_GROUP
        and not _is_known(found)
    ):
        return False  # a chart may have more to read in an entry
    return traits.about == "shape"


def _is_known(found: RuleFinding) -> bool:
    made = found.manifest.chart_output
    return made is not None and made.known


def _near_field(found: RuleFinding) -> str | None:
    """The field of a claim's entry that was meant, or the list of claims."""
    if not isinstance(found.path[-2], int):
        return similar(str(found.path[-1]), ("claims", "resourceClaims"))
    of_container = "claims" in found.path
    fields = ("name", "request") if of_container else ("name", *_BOTH)
    return similar(str(found.path[-1]), fields)


def _near(run: Run, found: RuleFinding) -> str | None:
    """The name that was meant, if one is very near to the one that is not found."""
    name = run.written_value(found.manifest, found.path)
    name = name.get("name") if isinstance(name, dict) else name
    if not isinstance(name, str):
        return None
    names: Sequence[str] = ()
    compares = RULES[found.code].traits.compares
    if compares == "pod-claims":
        claims = [entry for pod in run.pods_of(found.manifest) for _, entry in pod.claims]
        names = [each for entry in claims if isinstance(each := entry.get("name"), str)]
    elif compares == "requests":
        claim = run.claim_of(found.related[0].manifest)
        names = [] if claim is None else list(claim.request_names())
    return next(near_name(name, names), None)


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
