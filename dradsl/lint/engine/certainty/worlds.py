"""Which findings hold for every value that an unknown value may have.

Nothing is reported about such a value itself. What is reported about anything else must be found again with other values
in the holes: with those of each build, with equal ones, and with the very value that the finding is about,
which one of the holes may have. Only what was found is looked for, by the rules that found it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath
from dradsl.lint.catalogue.rules import traits_of
from dradsl.lint.engine.state import Look, RunObjects
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.records import replace
from dradsl.tree.manifests.manifest import Manifest
from dradsl.tree.manifests.unknown import Unknowns, is_unknown_field
from dradsl.values.limits import MOST_TRIED
from dradsl.values.plain import find_at

__all__ = ["looks_at_other_values"]


def looks_at_other_values(
    found: list[RuleFinding], state: RunObjects, unknowns: Unknowns
) -> Iterator[Look]:
    """Leave in `found` what does not depend on values that are not known: what each of the looks finds again.

    Who evaluates a look takes out what it did not find before the next one is made.
    """
    found[:] = [each for each in found if not _is_unknown(each)]
    for world in range(1, unknowns.worlds):
        if found:
            yield Look(_in_world(state, unknowns, world), sought=tuple(found))
    tried = 0
    for each in tuple(found):
        for others in _fillings(each, unknowns):
            tried += 1
            if tried > MOST_TRIED:
                found[:] = [other for other in found if other is not each]
                break
            count = len(found)
            yield Look(_with_others(state, others), sought=(each,))
            if len(found) < count:
                break
    found[:] = [_as_written(each, unknowns) for each in found]


def _is_unknown(found: RuleFinding) -> bool:
    """Whether a finding is about a value that is not known."""
    # Which fields there are does not depend on what is in them.
    if found.on_key and found.path and traits_of(found.code).compares == "fields":
        return is_unknown_field(found.manifest, found.path)
    return found.manifest.is_unknown(found.path)


def _in_world(state: RunObjects, unknowns: Unknowns, world: int) -> RunObjects:
    previous = state.previous
    return replace(
        state,
        manifests=unknowns.in_world(state.manifests, world),
        context=unknowns.in_world(state.context, world),
        previous=None if previous is None else unknowns.in_world(previous, world),
    )


def _fillings(
    found: RuleFinding, unknowns: Unknowns
) -> Iterator[Mapping[tuple[str, int, FieldPath], Manifest]]:
    """The objects near a finding, by their keys, with each value in a hole that the finding is about."""
    near = {m.key: m for m in (found.manifest, *(r.manifest for r in found.related))}
    holding = [manifest for manifest in near.values() if manifest.build_context.holes]
    for value in _values(found) if holding else ():
        filled = [unknowns.with_value(manifest, value) for manifest in holding]
        others = {other.key: other for other in filled if other is not None}
        if others:
            yield others


def _with_others(
    state: RunObjects, others: Mapping[tuple[str, int, FieldPath], Manifest]
) -> RunObjects:
    return replace(
        state,
        manifests=tuple([others.get(m.key, m) for m in state.manifests]),
        context=tuple([others.get(m.key, m) for m in state.context]),
    )


def _values(found: RuleFinding) -> tuple[str, ...]:
    """The texts that a finding is about."""
    value = find_at(found.manifest.data, found.path)
    texts = value.values() if isinstance(value, dict) else [value]
    return tuple(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _as_written(found: RuleFinding, unknowns: Unknowns) -> RuleFinding:
    """A finding in the words of the file, where holes have no values; it has none for text that stands for
    variables."""
    if found.manifest.build_context.holes:
        found = replace(
            found,
            help=unknowns.restored(found.help),
            upstream=unknowns.restored(found.upstream),
        )
    if found.path not in found.manifest.build_context.altered:
        return found
    return replace(found, text=None, fix=None)
