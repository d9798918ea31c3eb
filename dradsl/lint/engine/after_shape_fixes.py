"""What is behind errors of shape: the objects are looked at again as their safe fix leaves them.

A field at the wrong level hides all that is below it from every other rule, and an API version that is gone the
whole object. There is one way to read what was meant, so the text is fixed in memory, linted, and what is found
there is reported at its place in the text as it is. Its fixes wait until the shape is right.

A value of a wrong type counts as one that is not known. A misspelt name is only guessed, and what is below it is not judged by the guess. But what is still missing beside
or above the field after its fix was missing before, and not because of the name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from dradsl.diagnostics import Edit, Finding, Fix, Severity
from dradsl.lint.catalogue.rules import RULES, traits_of
from dradsl.lint.catalogue.table import FOLLOWS
from dradsl.lint.catalogue.traits import RuleTraits
from dradsl.lint.engine.state import RunObjects
from dradsl.lint.fixes.edits import WHOLE
from dradsl.records import replace
from dradsl.text.edits import apply, compatible
from dradsl.text.original_places import OriginalPlaces
from dradsl.text.paths import PathError, locate, parse_path
from dradsl.tree.inputs.sources import SourceText
from dradsl.tree.manifests.manifest import RESOURCE_GROUP, Manifest, manifests_of
from dradsl.values.limits import ROUNDS_OF_SHAPE_FIXES

__all__ = ["as_written", "findings_after_shape_fixes", "with_shown"]

# The findings of some rules in a state.
_Check = Callable[[RunObjects, frozenset[str]], Sequence[Finding]]


# v1alpha3 is gone since 1.33 (its kinds since 1.32 but for taint rules); v1beta1 took over its shape.
# k8s.io/api/resource/v1alpha3/types.go and v1beta1/types.go of 1.32
_GONE = "resource.k8s.io/v1alpha3"
_SUCCESSOR = "resource.k8s.io/v1beta1"
_OTHER_SHAPES = ("", "v1alpha1", "v1alpha2")
_UNKNOWN = "{{ .Release.Name }}"  # what no file says, and no note names


def findings_after_shape_fixes(
    findings: Sequence[Finding], state: RunObjects, check: _Check, wanted: frozenset[str]
) -> list[Finding]:
    """The findings of `wanted` rules that errors of shape among `findings` hide.

    `check` gives those of a state. Files without such an error are only there to be referred to.
    """
    found = list(findings)
    safe = _shape_fixes(findings, state.sources, guesses=False)
    found += _after_fixes(safe, found, state, check, wanted, guesses=False)
    fixed = _shape_fixes(findings, state.sources, guesses=True)
    guessed = {name: fixes for name, fixes in fixed.items() if fixes != safe.get(name)}
    if guessed:
        absent = wanted & _about_absence()
        missing = _after_fixes(guessed, found, state, check, absent, guesses=True)
        found += [each for each in missing if _is_missing_beside(each, findings)]
    return found[len(findings) :]


def _about_absence() -> frozenset[str]:
    """The rules that find something missing, and those from whose findings these follow."""
    codes = {code for code, rule in RULES.items() if rule.traits.about == "absence"}
    rest = [*codes]
    for code in rest:
        rest += [cause for cause, _ in FOLLOWS.get(code, ()) if cause not in codes]
        codes.update(rest)
    return frozenset(codes)


def with_shown(findings: Sequence[Finding], shown: Sequence[Finding]) -> Iterator[Finding]:
    """All findings; what is `shown` by itself is folded below none of them, and no note says again what one says."""
    known = {_place(each) for each in shown}
    said = {_place(each) for each in (*findings, *shown) if each.severity is not Severity.INFO}
    for each in (*findings, *shown):
        left = tuple([below for below in each.folded if _place(below) not in known])
        if each.severity is not Severity.INFO or _place(each) not in said:
            yield each if len(left) == len(each.folded) else replace(each, folded=left)


def _place(found: Finding) -> tuple[object, ...]:
    return found.code, found.path, found.document, found.span


def _identity(found: Finding) -> tuple[object, ...]:
    return found.code, found.path, found.document, found.message


def _after_fixes(
    fixes: dict[str, list[Fix]],
    known: Sequence[Finding],
    state: RunObjects,
    check: _Check,
    wanted: frozenset[str],
    *,
    guesses: bool,
) -> list[Finding]:
    sources = {source.name: source for source in state.sources if source.name in fixes}
    places = {name: OriginalPlaces(source.stream.text) for name, source in sources.items()}
    # Of a guess only what is beside it counts.
    judged = (
        {(e.path, e.document) for e in known if traits_of(e.code).distorts} if guesses else None
    )
    found: list[Finding] = []
    for _ in range(ROUNDS_OF_SHAPE_FIXES):
        sources = {
            name: fixed
            for name, source in sources.items()
            if (fixed := _fixed(source, fixes.get(name, ()), places[name])) is not None
        }
        if not sources:
            break
        shown = check(_state_of(state, sources, judged), wanted)
        found += _new_findings(shown, [*known, *found], places, sources)
        fixes = _shape_fixes(shown, sources.values(), guesses=guesses)
    return found


def _shape_fixes(
    findings: Iterable[Finding], sources: Iterable[SourceText], *, guesses: bool
) -> dict[str, list[Fix]]:
    """The fixes of shape by file: the safe ones, with `guesses` all."""
    fixes: dict[str, list[Fix]] = {}
    by_name = {source.name: source for source in sources}
    for each in findings:
        traits = traits_of(each.code)
        if not traits.hides_others:
            continue
        fix = (_under_successor(each) or each.fix) if traits.hides == "object" else each.fix
        if _is_blurred(each) and (fix is None or not guesses):
            fix = _as_unknown(each, by_name[each.path]) or fix
        # The other parts of an expression were judged before, and of the object nothing was.
        alone = traits.hides in ("nothing", "object")
        if fix is not None and (
            guesses or alone or fix.applicability == "safe" or fix.title == WHOLE
        ):
            fixes.setdefault(each.path, []).append(fix)
    return fixes


def _is_missing_beside(missing: Finding, findings: Iterable[Finding]) -> bool:
    """Whether something is missing beside or above a field with an error of shape."""
    if traits_of(missing.code).about != "absence":
        return False
    place = missing.field or ""
    for each in findings:
        same = (each.path, each.document) == (missing.path, missing.document)
        if same and traits_of(each.code).distorts and each.field:
            mapping = each.field.rpartition(".")[0]
            above = f"{mapping}.".startswith((f"{place}.", f"{place}["))
            if above or place.rpartition(".")[0] == mapping:
                return True
    return False


def _is_blurred(found: Finding) -> bool:
    """Whether a finding is about a value that `_as_unknown` takes out."""
    is_sure = found.fix is not None and found.fix.applicability == "safe"
    return traits_of(found.code).hides == "below" and not is_sure


def _may_follow(traits: RuleTraits) -> bool:
    """Whether a finding may be about what a value that is taken out was to give."""
    return traits.about == "absence" or traits.compares in ("pod-claims", "container-claims")


def _as_unknown(found: Finding, source: SourceText) -> Fix | None:
    """Puts something that is not known in the place of a value of a wrong type."""
    try:
        path = parse_path(found.field or "")
    except PathError:
        return None
    for document in source.stream.documents:
        if document.index == found.document and document.root is not None and path:
            at = locate(document.root, path)
            # A variable, `$COUNT`, is filled in by another program, and so is more of the file.
            is_written = "$" not in source.stream.text[at.node.start : at.node.end]
            is_there = at.exact and not at.shared and is_written
            if is_there and found.span in (at.key_span, at.value_span):
                return Fix("", (Edit(at.node.span, f' "{_UNKNOWN}"'),), "safe")
    return None


def _under_successor(found: Finding) -> Fix | None:
    """Reads an object of a version that is gone under the one that took over its shape, of an unknown one as of v1."""
    written = "" if found.object is None else found.object.api_version
    group, _, version = written.partition("/")
    is_whole = found.fix is not None and found.fix.title == WHOLE
    is_known = group != RESOURCE_GROUP or found.field != "apiVersion" or version in _OTHER_SHAPES
    if is_known or not (found.fix is None or is_whole):
        return None
    meant = _SUCCESSOR if written == _GONE else f"{RESOURCE_GROUP}/v1"
    return Fix("", (Edit(found.span, f'"{meant}"'),), "safe")


def _fixed(source: SourceText, fixes: Sequence[Fix], places: OriginalPlaces) -> SourceText | None:
    """The file after the fixes; None if there are no fixes."""
    text = source.stream.text
    edits = [edit for fix in compatible(text, fixes) for edit in fix.edits]
    if not edits:
        return None
    places.edited(text, edits)
    return replace(source, stream=source.stream.reread(apply(text, edits)))


def _state_of(
    state: RunObjects, sources: dict[str, SourceText], judged: Collection[tuple[str, int]] | None
) -> RunObjects:
    """The objects of the fixed files, or of their documents `judged`; all others are context."""
    unknowns = state.unknowns
    if unknowns is None and any(_UNKNOWN in each.stream.text for each in sources.values()):
        from dradsl.tree.manifests.unknown import Unknowns

        unknowns = Unknowns()
    fill = tuple if unknowns is None else unknowns.fill
    by_source = {name: fill(manifests_of(source)) for name, source in sources.items()}
    own: list[Manifest] = []
    others = [m for name, found in state.by_source.items() if name not in sources for m in found]
    for each in (m for found in by_source.values() for m in found):
        (own if judged is None or (each.path, each.index) in judged else others).append(each)
    return replace(
        state,
        manifests=tuple(own),
        context=(*state.context, *others),
        by_source=by_source,
        sources=tuple(sources.values()),
        unknowns=unknowns,
    )


def _new_findings(
    shown: Iterable[Finding],
    known: Sequence[Finding],
    places: dict[str, OriginalPlaces],
    sources: dict[str, SourceText],
) -> list[Finding]:
    """The findings that are not known yet, at their places in the text as it is."""
    told = {*map(_identity, known)}
    # What is said of the very field is the same mistake: a number that is to be one of some words.
    distorted = {
        (e.path, e.document, e.field) for e in known if traits_of(e.code).hides != "nothing"
    }
    # What a value of a wrong type was to be may be what is missing.
    blurred = {(e.path, e.document) for e in known if _is_blurred(e)}
    # A guess at an expression is no ground for guesses.
    guessed = {(e.path, e.document, e.field) for e in known if traits_of(e.code).about == "shape"}
    whole = {
        (e.path, e.document, str(e.help).partition(";")[0])
        for e in known
        if e.fix is not None and e.fix.title == WHOLE
    }
    notes = {(e.path, e.document, e.field, e.code) for e in known}
    found = []
    for each in shown:
        if (each.path, each.document, str(each.help).partition(";")[0]) in whole:
            each = replace(each, help="it is in what is to be written for apiVersion")
        place = (each.path, each.document, each.field)
        is_note = place in guessed or (*place, each.code) in notes
        same_field = place in distorted or (each.severity is Severity.INFO and is_note)
        follows = place[:2] in blurred and _may_follow(traits_of(each.code))
        if _identity(each) in told or same_field or follows or each.path not in sources:
            continue
        texts = {name: source.stream.text for name, source in sources.items()}
        found.append(as_written(each, texts, places))
    return found


def as_written(
    found: Finding, texts: Mapping[str, str], places: Mapping[str, OriginalPlaces]
) -> Finding:
    """A finding of edited `texts` at its place in what was written, without its fix."""
    related = tuple(
        replace(other, span=places[other.path].before(texts[other.path], other.span))
        if other.path in texts
        else other
        for other in found.related
    )
    span = places[found.path].before(texts[found.path], found.span)
    folded = tuple(as_written(each, texts, places) for each in found.folded)
    return replace(found, span=span, related=related, fix=None, folded=folded)
