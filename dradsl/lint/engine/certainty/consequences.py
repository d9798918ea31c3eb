"""Leaves out findings that merely follow from another one, judged by their fields."""

from __future__ import annotations

from collections import defaultdict

from dradsl.lint.catalogue.rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["without_consequences", "patches_may_fix"]


def patches_may_fix(found: RuleFinding) -> bool:
    """Whether patches may mend what was found: it says that something is missing from their object."""
    return (
        found.manifest.build_context.completed and "patches" in RULES[found.code].traits.elsewhere
    )


def without_consequences(found: Iterable[RuleFinding]) -> Iterator[RuleFinding]:
    """The findings without those that follow from another one, in their order."""
    by_manifest: defaultdict[Manifest, list[RuleFinding]] = defaultdict(list)
    for each in found:
        by_manifest[each.manifest].append(each)
    for together in by_manifest.values():
        yield from _of_one_object(together)


def _of_one_object(found: list[RuleFinding]) -> Iterator[RuleFinding]:
    # A reference that cannot be looked up, where its very name is refused, is the same mistake.
    refused = {f.path for f in found if _about(f) != "lookup"}
    found = [f for f in found if _about(f) != "lookup" or f.path not in refused]
    found = list(_without_repetitions(found))
    causes = [f for f in found if RULES[f.code].traits.distorts]
    if not causes:
        yield from found
        return
    consequences = _Consequences(causes)
    reported_mappings: set[tuple[str, FieldPath]] = set()
    for each in found:
        if RULES[each.code].traits.hides == "level":  # one edit moves all fields of a mapping
            mapping = (each.code, each.path[:-1])
            if mapping in reported_mappings:
                continue
            reported_mappings.add(mapping)
        if not consequences.hold(each):
            yield each


def _without_repetitions(found: list[RuleFinding]) -> Iterator[RuleFinding]:
    """Of several findings on one invalid name, the first: two faults of a name are one mistake."""
    wrong = {f.path for f in found if _hides_names(f)}
    if not wrong:
        yield from found
        return
    told: set[FieldPath] = set()
    for each in found:
        if each.path in wrong and _about(each) == "name":
            continue  # no driver can publish it
        if _hides_names(each):
            if each.path in told:
                continue
            told.add(each.path)
        yield each


def _about(found: RuleFinding) -> str:
    return RULES[found.code].traits.about


def _hides_names(found: RuleFinding) -> bool:
    return RULES[found.code].traits.hides == "names"


class _Consequences:
    """What follows from the distorting findings of one object, looked up by their paths."""

    def __init__(self, causes: Sequence[RuleFinding]) -> None:
        self._at = {cause.path for cause in causes}
        self._above = {path[:end] for path in self._at for end in range(len(path) + 1)}
        self._beside = {path[:-1] for path in self._at}
        # What stands a level too high is not missing where it belongs.
        self._moved = {
            (*cause.path[:-1], "exactly", cause.path[-1])
            for cause in causes
            if RULES[cause.code].traits.hides == "level" and cause.path
        }
        self._without_claims = {
            cause.path[:-1]
            for cause in causes
            if RULES[cause.code].traits.hides != "level"
            and cause.path
            and str(cause.path[-1]).lower() == "resourceclaims"
        }

        # Pods of which a container's claims stand under a key that is no field.
        self._without_uses = {
            cause.path[:-4]
            for cause in causes
            if RULES[cause.code].traits.hides == "field" and cause.path[-2:-1] == ("resources",)
        }

    def hold(self, each: RuleFinding) -> bool:
        """Whether a finding follows from another one."""
        path, traits = each.path, RULES[each.code].traits
        # Of two distorting findings at one place the first in order stays.
        lengths = range(len(path) if traits.distorts else len(path) + 1)
        if any(path[:end] in self._at for end in lengths):
            return True
        if traits.compares == "pod-claims":  # the claims of the pod were not read
            return any(path[:end] in self._without_claims for end in range(len(path)))
        if traits.compares == "container-claims":  # nor were those of the container
            return any(path[:end] in self._without_uses for end in range(len(path)))
        if traits.about != "absence":
            return False
        # The absence is reported at the mapping (`requests[0]`) or at the field that is not there.
        return path in self._above or path[:-1] in self._beside or path in self._moved
