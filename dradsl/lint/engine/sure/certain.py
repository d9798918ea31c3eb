"""Which findings hold for every value that an unknown value may have.

Nothing is reported about such a value itself. What is reported about anything else must be found again with other values
in the holes: with those of each build, with equal ones, and with the very value that the finding is about,
which one of the holes may have. Only what was found is looked for, by the rules that found it.
"""

from __future__ import annotations

from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.lint.engine.state import RunObjects
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.input.unknown import Unknowns
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.text.paths import FieldPath

    # The findings of another state among which some are looked for.
    _Again: TypeAlias = Callable[[RunObjects, Sequence[RuleFinding]], Sequence[RuleFinding]]

__all__ = ["certain"]

# Findings beside holes that are tried one by one; what is beyond is left out.
_MOST_TRIED = 50


def certain(
    found: Sequence[RuleFinding],
    state: RunObjects,
    unknowns: Unknowns,
    again: _Again,
) -> list[RuleFinding]:
    """The findings that do not depend on what is not known; `again` gives those of another state."""
    kept = [each for each in found if not _is_open(each)]
    for world in range(1, unknowns.worlds):
        if not kept:
            break
        other = {_key(each) for each in again(_in_world(state, unknowns, world), kept)}
        kept = [each for each in kept if _key(each) in other]
    return [_as_written(each, unknowns) for each in _tried(kept, state, unknowns, again)]


def _is_open(found: RuleFinding) -> bool:
    """Whether a finding is about a value that is not known."""
    return found.manifest.is_open(found.path)


def _key(found: RuleFinding) -> Hashable:
    """What makes two findings the same one; of a variable, each value has words of its own."""
    said = "" if found.path in found.manifest.about.altered else found.message
    return found.code, found.manifest.key, found.path, said


def _in_world(state: RunObjects, unknowns: Unknowns, world: int) -> RunObjects:
    previous = state.previous
    return replace(
        state,
        manifests=unknowns.in_world(state.manifests, world),
        context=unknowns.in_world(state.context, world),
        previous=None if previous is None else unknowns.in_world(previous, world),
    )


def _tried(
    kept: Sequence[RuleFinding],
    state: RunObjects,
    unknowns: Unknowns,
    again: _Again,
) -> list[RuleFinding]:
    """Those that are found too where a hole near them has a value that they are about."""
    left: list[RuleFinding] = []
    tried = 0
    for each in kept:
        near = {m.key: m for m in (each.manifest, *(r.manifest for r in each.related))}
        holding = [manifest for manifest in near.values() if manifest.about.holes]
        certain = True
        for value in _values(each) if holding else ():
            filled = [unknowns.with_value(manifest, value) for manifest in holding]
            others = {other.key: other for other in filled if other is not None}
            if not others:
                continue
            tried += 1
            certain = tried <= _MOST_TRIED and _is_found(each, state, others, again)
            if not certain:
                break
        if certain:
            left.append(each)
    return left


def _is_found(
    found: RuleFinding,
    state: RunObjects,
    others: Mapping[tuple[str, int, FieldPath], Manifest],
    again: _Again,
) -> bool:
    """Whether the same is found where some objects are the others."""
    part = replace(
        state,
        manifests=tuple([others.get(m.key, m) for m in state.manifests]),
        context=tuple([others.get(m.key, m) for m in state.context]),
    )
    return _key(found) in {_key(other) for other in again(part, (found,))}


def _values(found: RuleFinding) -> tuple[str, ...]:
    """The texts that a finding is about."""
    value: object = found.manifest.data
    for step in found.path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ()
    texts = value.values() if isinstance(value, dict) else [value]
    return tuple(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def _as_written(found: RuleFinding, unknowns: Unknowns) -> RuleFinding:
    """A finding in the words of the file, where holes have no values; it has none for text that stands for
    variables."""
    if found.manifest.about.holes:
        found = replace(
            found,
            help=unknowns.restored(found.help),
            upstream=unknowns.restored(found.upstream),
        )
    if found.path not in found.manifest.about.altered:
        return found
    return replace(found, text=None, fix=None)
