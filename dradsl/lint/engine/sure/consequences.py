"""Leaves out findings that merely follow from another one, judged by their fields."""

from __future__ import annotations

from collections import defaultdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.text.paths import FieldPath

__all__ = ["DISTORTING", "HIDING", "without_consequences", "patches_may_fix"]

# Findings after which the object is not what its author meant: whatever is said about the same
# field, or about something inside it, follows from them.
DISTORTING = frozenset({"DRA002", "DRA005", "DRA006", "DRA008", "DRA503", "DRA504", "DRA505"})

# Findings behind which others stand: also a version that is gone, under which nothing is read.
HIDING = DISTORTING | frozenset({"DRA501"})

# "Something is missing" at a path follows from a distorted or dropped field beside or below it.
_ABSENCES = frozenset(
    {"DRA007", "DRA301", "DRA303", "DRA309", "DRA401", "DRA601", "DRA602", "DRA603", "DRA851"}
)

# A reference that cannot be looked up, where its very name is refused, is the same mistake.
_LOOKUPS = frozenset({"DRA410", "DRA411", "DRA412", "DRA413", "DRA414", "DRA416"})

# What follows from a name that is none: no driver can publish it.
_OF_NAMES = frozenset({"DRA201", "DRA204", "DRA205", "DRA214", "DRA227", "DRA228"})
_NO_NAME = frozenset({"DRA310"})

# Mistakes that one edit mends for a whole mapping: the first of its fields is reported for all.
_ONE_FOR_ALL = frozenset({"DRA505"})


# What the object lacks, or what it names and is not found: patches may bring it.
_COMPLETED = _ABSENCES | _LOOKUPS | frozenset({"DRA402", "DRA403", "DRA415", "DRA417", "DRA419"})


def patches_may_fix(found: RuleFinding) -> bool:
    """Whether patches may mend what was found: it says that something is missing from their object."""
    return found.manifest.about.completed and found.code in _COMPLETED


def without_consequences(found: Iterable[RuleFinding]) -> Iterator[RuleFinding]:
    """The findings without those that follow from another one, in their order."""
    by_manifest: defaultdict[Manifest, list[RuleFinding]] = defaultdict(list)
    for each in found:
        by_manifest[each.manifest].append(each)
    for together in by_manifest.values():
        yield from _of_one_object(together)


def _of_one_object(found: list[RuleFinding]) -> Iterator[RuleFinding]:
    refused = {f.path for f in found if f.code not in _LOOKUPS}
    found = [f for f in found if f.code not in _LOOKUPS or f.path not in refused]
    found = list(_without_repetitions(found))
    causes = [f for f in found if f.code in DISTORTING]
    if not causes:
        yield from found
        return
    consequences = _Consequences(causes)
    reported_mappings: set[tuple[str, FieldPath]] = set()
    for each in found:
        if each.code in _ONE_FOR_ALL:
            mapping = (each.code, each.path[:-1])
            if mapping in reported_mappings:
                continue
            reported_mappings.add(mapping)
        if not consequences.hold(each):
            yield each


def _without_repetitions(found: list[RuleFinding]) -> Iterator[RuleFinding]:
    """Of several findings on one invalid name, the first: two faults of a name are one mistake."""
    wrong = {f.path for f in found if f.code in _NO_NAME}
    if not wrong:
        yield from found
        return
    told: set[FieldPath] = set()
    for each in found:
        if each.path in wrong and each.code in _OF_NAMES:
            continue
        if each.code in _NO_NAME:
            if each.path in told:
                continue
            told.add(each.path)
        yield each


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
            if cause.code == "DRA505" and cause.path
        }
        self._without_claims = {
            cause.path[:-1]
            for cause in causes
            if cause.code != "DRA008"
            and cause.path
            and str(cause.path[-1]).lower() == "resourceclaims"
        }

        # Pods of which a container's claims stand under a key that is no field.
        self._without_uses = {
            cause.path[:-4]
            for cause in causes
            if cause.code == "DRA005" and cause.path[-2:-1] == ("resources",)
        }

    def hold(self, each: RuleFinding) -> bool:
        """Whether a finding follows from another one."""
        path = each.path
        distorts = each.code in DISTORTING
        # Of two distorting findings at one place the first in order stays.
        lengths = range(len(path) if distorts else len(path) + 1)
        if any(path[:end] in self._at for end in lengths):
            return True
        if each.code == "DRA403":  # the claims of the pod were not read
            return any(path[:end] in self._without_claims for end in range(len(path)))
        if each.code == "DRA415":  # nor were those of the container
            return any(path[:end] in self._without_uses for end in range(len(path)))
        if each.code not in _ABSENCES:
            return False
        # The absence is reported at the mapping (`requests[0]`) or at the field that is not there.
        return path in self._above or path[:-1] in self._beside or path in self._moved
