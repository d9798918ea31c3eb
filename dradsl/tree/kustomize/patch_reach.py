"""Which objects the patches of kustomizations may complete with claims and devices.

Targets: kustomize api/types/selector.go; without one a patch names its object by kind and name. Kinds and
names of targets are regular expressions; what is none of the plain ones may be anything.
"""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.text import mentions
from dradsl.tree.kustomize.operations import literal
from dradsl.values.limits import MOST_KUSTOMIZATION_LEVELS
from dradsl.values.plain import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet

    from dradsl.tree.kustomize.kustomization import Patch

__all__ = ["ANY_CHANGE", "ANY_PATCH", "NO_PATCHES", "PatchSet", "union", "patch_set"]

# Of a Namespace the label that allows admin access, as a key and in the path of a JSON patch.
_LABEL = "resource.kubernetes.io/admin-access"
_FIELDS = (
    "resourceClaims", "claims", "devices", "deviceClassName", _LABEL, _LABEL.replace("/", "~1"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PatchSet:
    """The objects that patches may change as to claims and devices, by kind and name; None for any. `mentioned` are
    those of which a patch itself mentions these, and does not just change what nothing reads here; `changed`
    are all objects that are changed at all."""

    targets: frozenset[tuple[str | None, str | None]] = frozenset()
    mentioned: frozenset[tuple[str | None, str | None]] = frozenset()
    changed: frozenset[tuple[str | None, str | None]] = frozenset()

    def reaches(self, kind: str, names: Iterable[str]) -> bool:
        """Whether an object of that kind, with one of the names, may be changed."""
        return _reaches(self.targets, kind, names)

    def mentions(self, kind: str, names: Iterable[str]) -> bool:
        """Whether a patch of such an object mentions claims or devices."""
        return _reaches(self.mentioned, kind, names)

    def changes(self, kind: str, names: Iterable[str]) -> bool:
        """Whether such an object is changed in whatever way."""
        return _reaches(self.changed, kind, names)


def _reaches(
    targets: AbstractSet[tuple[str | None, str | None]], kind: str, names: Iterable[str]
) -> bool:
    if not targets:
        return False
    every = (*names, None)
    return any((k, name) in targets for k in (kind, None) for name in every)


_ANY = frozenset({(None, None)})
NO_PATCHES = PatchSet()
ANY_PATCH = PatchSet(_ANY, changed=_ANY)
ANY_CHANGE = PatchSet(changed=_ANY)


def union(sets: Iterable[PatchSet]) -> PatchSet:
    """Union of several sets: the objects of all of them."""
    found = tuple(sets)
    changed = frozenset(target for each in found for target in each.changed)
    if not changed:
        return NO_PATCHES
    return PatchSet(
        frozenset(target for each in found for target in each.targets),
        frozenset(target for each in found for target in each.mentioned),
        changed,
    )


def patch_set(patches: Iterable[tuple[Patch, Sequence[object] | None]]) -> PatchSet:
    """The objects that patches with these documents may change; documents that could not be read (None) may do
    anything."""
    targets: set[tuple[str | None, str | None]] = set()
    mentioned: set[tuple[str | None, str | None]] = set()
    changed: set[tuple[str | None, str | None]] = set()
    for patch, documents in patches:
        if patch.anything or documents is None:
            any_of = _target(patch.target) if patch.target else (None, None)
            targets.add(any_of)
            if any(map(_names_claims, documents or ())):
                mentioned.add(any_of)
            continue
        for data in documents:
            target = _target(patch.target) if patch.target else _own(data)
            changed.add(target)
            if _is_of_claims(data):
                mentioned.add(target)
    targets |= mentioned
    changed |= targets
    return PatchSet(frozenset(targets), frozenset(mentioned), frozenset(changed))


def _target(target: Mapping[str, object]) -> tuple[str | None, str | None]:
    return literal(target.get("kind")), literal(target.get("name"))


def _own(data: object) -> tuple[str | None, str | None]:
    return literal(member(data, "kind")), literal(member(data, "metadata", "name"))


def _names_claims(data: object) -> bool:
    """Whether a field or a text anywhere in what is no object has to do with claims or devices."""
    pending: list[tuple[object, int]] = [(data, 0)]
    while pending:
        value, level = pending.pop()
        if level > MOST_KUSTOMIZATION_LEVELS:
            return True
        if isinstance(value, dict):
            pending += [(each, level + 1) for each in (*value, *value.values())]
        elif isinstance(value, list):
            pending += [(each, level + 1) for each in value]
        elif isinstance(value, str) and mentions.PATCHED.is_in(value):
            return True
    return False


def _is_of_claims(data: object) -> bool:
    """Whether a patch has to do with claims or devices."""
    if isinstance(data, dict) and str(data.get("apiVersion")).startswith("resource.k8s.io/"):
        return True
    pending: list[tuple[object, int]] = [(data, 0)]
    while pending:
        value, level = pending.pop()
        if level > MOST_KUSTOMIZATION_LEVELS:
            return True
        if isinstance(value, dict):
            if any(name in value for name in _FIELDS) or _is_operation(value):
                return True
            pending += [(each, level + 1) for each in value.values()]
        elif isinstance(value, list):
            pending += [(each, level + 1) for each in value]
    return False


def _is_operation(value: dict[str, object]) -> bool:
    """Whether a mapping is an operation of a JSON patch on such a field, or on all around it."""
    path = value.get("path")
    if "op" not in value or not isinstance(path, str):
        return False
    steps = path.split("/")
    return steps[-1] == "spec" or any(name in steps for name in (*_FIELDS, "selectors"))
