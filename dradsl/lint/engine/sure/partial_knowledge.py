"""What may be reported for patches, and for values whose chart is not known or which are incomplete.

A patch may be of an object that has the rest, and a chart may make more of its values. What is wrong with the
shape of claims is a warning there. A name that is not found is one if another is so
near that it was meant; else nothing is said.
"""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.input.manifests import RESOURCE_GROUP
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import Run

__all__ = ["only_certain"]

_SHAPES = frozenset(
    {"DRA005", "DRA006", "DRA008", "DRA101", "DRA102", "DRA103", "DRA104", "DRA105", "DRA402"}
)
_SOURCES = {"DRA410": "ResourceClaimTemplate", "DRA411": "ResourceClaim"}
_BOTH = ("resourceClaimName", "resourceClaimTemplateName")
_LACKS = frozenset({"DRA403", "DRA410", "DRA411", "DRA414", "DRA415", "DRA416"})
_MAYBE_ELSEWHERE = frozenset({"DRA403", "DRA415"})  # where the object has what its patch has not
_NEAR = 0.85
_DIGITS = str.maketrans("", "", "0123456789")


def only_certain(run: Run, found: Sequence[RuleFinding]) -> Iterator[RuleFinding]:
    """The findings that hold, in what is not sure as warnings."""
    for each in found:
        made = each.manifest.made
        in_patch = each.manifest.is_patch and each.code in _MAYBE_ELSEWHERE
        if made is None and not in_patch:
            yield each
            continue
        if (
            made is not None
            and not in_patch
            and made.known
            and (made.complete or each.code not in _LACKS)
        ):
            yield each
            continue
        if _is_of_shape(run, each):
            fix = each.fix if each.fix is None else replace(each.fix, applicability="unsafe")
            yield replace(each, severity=_at_most_warning(each), fix=fix)
            continue
        near = _near_field(each) if each.code == "DRA005" else _near(run, each)
        if near is not None:
            help_ = f'did you mean "{near}"?'
            yield replace(each, severity=_at_most_warning(each), help=help_)


def _at_most_warning(found: RuleFinding) -> Severity:
    own = found.severity or RULES[found.code].severity
    return Severity.WARNING if own is Severity.ERROR else own


def _is_of_shape(run: Run, found: RuleFinding) -> bool:
    if found.code == "DRA401":
        entry = run.written_value(found.manifest, found.path)
        return isinstance(entry, dict) and all(entry.get(key) for key in _BOTH)
    if found.code == "DRA005" and found.manifest.group != RESOURCE_GROUP and not _is_known(found):
        return False  # a chart may have more to read in an entry
    return found.code in _SHAPES


def _is_known(found: RuleFinding) -> bool:
    made = found.manifest.made
    return made is not None and made.known


def _near_field(found: RuleFinding) -> str | None:
    """The field of a claim's entry that was meant."""
    key = str(found.path[-1]).lower()
    of_container = "claims" in found.path
    fields = ("name", "request") if of_container else ("name", *_BOTH)
    from difflib import SequenceMatcher

    def likeness(field: str) -> float:
        return SequenceMatcher(None, key, field.lower()).ratio()

    best = max(fields, key=likeness)
    return best if likeness(best) >= _NEAR else None


def _near(run: Run, found: RuleFinding) -> str | None:
    """The name that was meant, if one is very near to the one that is not found."""
    name = run.written_value(found.manifest, found.path)
    name = name.get("name") if isinstance(name, dict) else name
    if not isinstance(name, str):
        return None
    names: Sequence[str] = ()
    if found.code in _SOURCES:
        from dradsl.lint.rules.references.lookup import near_by

        names = near_by(name, run.index.names(_SOURCES[found.code]))
    elif found.code == "DRA403":
        claims = [entry for pod in run.pods_of(found.manifest) for _, entry in pod.claims()]
        names = [each for entry in claims if isinstance(each := entry.get("name"), str)]
    elif found.code == "DRA414":
        claim = run.claim_of(found.related[0].manifest)
        names = [] if claim is None else list(claim.request_names())
    from difflib import SequenceMatcher

    def likeness(other: str) -> float:
        return SequenceMatcher(None, name, other).ratio()

    # Names that differ in numbers alone do so on purpose.
    plain = name.translate(_DIGITS)
    others = [each for each in names if each.translate(_DIGITS) != plain]
    best = max(others, key=likeness, default=None)
    if best is None:
        return None
    return best if likeness(best) >= _NEAR or _exchanged(name, best) else None


def _exchanged(one: str, other: str) -> bool:
    """Whether the texts differ in two neighbours that changed places."""
    if len(one) != len(other):
        return False
    at = [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return (
        len(at) == 2
        and at[1] == at[0] + 1
        and one[at[0]] == other[at[1]]
        and one[at[1]] == other[at[0]]
    )
