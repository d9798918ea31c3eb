"""What the patches of kustomizations change: objects that they may complete, and parts that JSON patches write.

Targets: kustomize api/types/selector.go; without one a patch names its object by kind and name. Kinds and
names of targets are regular expressions; what is none of the plain ones may be anything.
"""

from __future__ import annotations

from dradsl.records import Record
from dradsl.text import mentions
from dradsl.tree.kustomize.kustomization import Patch, is_json_patch
from dradsl.values.limits import MOST_KUSTOMIZATION_LEVELS
from dradsl.values.patterns import pattern
from dradsl.values.plain import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
    from typing import Literal

    from dradsl.text.paths import FieldPath

__all__ = [
    "ANY_CHANGE",
    "ANY_PATCH",
    "NO_PATCHES",
    "PatchOperation",
    "PatchSet",
    "PatchTarget",
    "operations_in",
    "patch_set",
    "target_of",
    "union",
]

# Of a Namespace the label that allows admin access, as a key and in the path of a JSON patch.
_LABEL = "resource.kubernetes.io/admin-access"
_FIELDS = (
    "resourceClaims", "claims", "devices", "deviceClassName", _LABEL, _LABEL.replace("/", "~1"),
)  # fmt: skip


class PatchSet(Record):
    """The objects that patches may change as to claims and devices, by kind and name; None for any. `mentioned` are
    those of which a patch itself mentions these, and does not just change what nothing reads here; `changed`
    are all objects that are changed at all."""

    targets: frozenset[tuple[str | None, str | None]] = frozenset()
    mentioned: frozenset[tuple[str | None, str | None]] = frozenset()
    changed: frozenset[tuple[str | None, str | None]] = frozenset()

    def has(
        self, which: Literal["targets", "mentioned", "changed"], kind: str, names: Iterable[str]
    ) -> bool:
        """Whether an object of that kind, with one of the names, may be among `which` of these."""
        targets: AbstractSet[tuple[str | None, str | None]] = getattr(self, which)
        return bool(targets) and any(
            (k, name) in targets for k in (kind, None) for name in (*names, None)
        )


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
    return _literal(target.get("kind")), _literal(target.get("name"))


def _own(data: object) -> tuple[str | None, str | None]:
    return _literal(member(data, "kind")), _literal(member(data, "metadata", "name"))


_TOO_DEEP = object()


def _values_in(data: object) -> Iterator[object]:
    """Data with all fields, items and names of fields in it; at the end what says that some are too deep."""
    pending: list[tuple[object, int]] = [(data, 0)]
    while pending:
        value, level = pending.pop()
        if level > MOST_KUSTOMIZATION_LEVELS:
            yield _TOO_DEEP
            return
        yield value
        if isinstance(value, dict):
            pending += [(each, level + 1) for each in (*value, *value.values())]
        elif isinstance(value, list):
            pending += [(each, level + 1) for each in value]


def _names_claims(data: object) -> bool:
    """Whether a field or a text anywhere in what is no object has to do with claims or devices."""
    return any(
        value is _TOO_DEEP or (isinstance(value, str) and mentions.PATCHED.is_in(value))
        for value in _values_in(data)
    )


def _is_of_claims(data: object) -> bool:
    """Whether a patch has to do with claims or devices."""
    if isinstance(data, dict) and str(data.get("apiVersion")).startswith("resource.k8s.io/"):
        return True
    return any(
        value is _TOO_DEEP
        or (
            isinstance(value, dict)
            and (any(name in value for name in _FIELDS) or _is_operation(value))
        )
        for value in _values_in(data)
    )


def _is_operation(value: dict[str, object]) -> bool:
    """Whether a mapping is an operation of a JSON patch on such a field, or on all around it."""
    path = value.get("path")
    if "op" not in value or not isinstance(path, str):
        return False
    steps = path.split("/")
    return steps[-1] == "spec" or any(name in steps for name in (*_FIELDS, "selectors"))


# The operations of a JSON patch (RFC 6902) as parts of the object that they change. What `add` and `replace` write is a
# part of the result, so it is put into an otherwise empty object, at its path. All other operations only name fields.
# Lists have one item there, whatever its number is.

_LITERAL = pattern(r"[A-Za-z0-9.-]+")
_NUMBER = pattern(r"0|[1-9][0-9]*")
# By these a pod spec is known as one, which a part of it need not hold.
_CONTAINERS = frozenset({"containers", "initContainers"})
_WRITES = frozenset({"add", "replace"})
_NAMES = frozenset({"remove", "test", "move", "copy"})
# Fields whose keys are chosen by their author: a number is a key there, no place in a list.
_FREE = frozenset(
    {"annotations", "attributes", "capacity", "consumesCounters", "counters", "data", "labels"}
    | {"limits", "matchLabels", "nodeSelector", "parameters", "stringData"}
)


class PatchOperation(Record):
    """One operation of a patch: the `index`th of its list. `at` is the path in the object; `written` says
    that a value is there, `key` in which field of the operation the path does."""

    index: int
    at: FieldPath
    value: object = None
    written: bool = False
    key: str = "path"

    def data(self, target: PatchTarget) -> dict[str, object]:
        """An object of the target's kind that holds nothing but what the operation writes."""
        value = self.value
        for step in reversed(self.at):
            if (
                step in _CONTAINERS
                and isinstance(value, list)
                and value
                and isinstance(value[0], dict)
            ):
                value = [{"name": "any", **value[0]}]
            value = [value] if isinstance(step, int) else {step: value}
            if step == "resourceClaims":
                value = {"containers": [], **value} if isinstance(value, dict) else value
        data: dict[str, object] = value if isinstance(value, dict) else {}
        return {**data, "apiVersion": target.api_version, "kind": target.kind}

    def place(self, path: FieldPath, *, on_key: bool = False) -> FieldPath:
        """Where a field of that object is in the patch: in the value, else in the path."""
        own = len(self.at)
        below = path[:own] == self.at and (len(path) > own or not on_key)
        if self.written and below:
            return (self.index, "value", *path[own:])
        return (self.index, self.key)


class PatchTarget(Record):
    """The kind of the objects that a patch changes; their name where the patch says just one."""

    api_version: str
    kind: str
    name: str | None = None


def target_of(
    target: Mapping[str, object], known: Iterable[tuple[str, str, str | None]]
) -> PatchTarget | None:
    """What a patch is of; None if that cannot be said.

    Where the target names no version, that of the objects of its kind and name counts: `known` are
    API version, kind and name of objects. They have to agree.
    """
    kind = _literal(target.get("kind"))
    if kind is None:
        return None
    group, version = target.get("group"), target.get("version")
    name = _literal(target.get("name"))
    versions = set()
    for each, its_kind, its_name in known:
        its_group, _, its_version = each.rpartition("/")
        if its_kind != kind or (name is not None and its_name != name):
            continue
        if group in (None, "", its_group) and version in (None, "", its_version):
            versions.add(each)
    if len(versions) == 1:
        return PatchTarget(versions.pop(), kind, name)
    if versions or not (isinstance(group, str) and isinstance(version, str) and version):
        return None
    if not _LITERAL.fullmatch(version) or (group and not _LITERAL.fullmatch(group)):
        return None
    return PatchTarget(f"{group}/{version}" if group else version, kind, name)


def operations_in(data: object) -> Iterator[PatchOperation]:
    """The operations of a JSON patch whose paths can be read."""
    if not isinstance(data, list) or not is_json_patch(data):
        return
    for index, each in enumerate(data):
        op = each.get("op")
        if not isinstance(op, str):
            continue
        at = _steps(each.get("path"))
        if at and op in _WRITES and each.get("value") is not None:
            yield PatchOperation(index, at, each["value"], written=True)
        elif at and (op in _NAMES or op in _WRITES):
            yield PatchOperation(index, at)
        source = _steps(each.get("from")) if op in ("move", "copy") else None
        if source:
            yield PatchOperation(index, source, key="from")


def _steps(path: object) -> FieldPath | None:
    """The path of an operation: (RFC 6901, a number or `-` is a place in a list)."""
    if not isinstance(path, str) or not path.startswith("/"):
        return None
    texts = path[1:].split("/")
    if len(texts) > MOST_KUSTOMIZATION_LEVELS:
        return None
    steps: list[str | int] = []
    for text in texts:
        if (text == "-" or _NUMBER.fullmatch(text)) and steps:
            if steps[-1] in _FREE:
                return None  # both may be meant
            steps.append(0)
        else:
            steps.append(text.replace("~1", "/").replace("~0", "~"))
    return tuple(steps)


def _literal(value: object) -> str | None:
    """The one text that an expression matches; None if there may be others."""
    return value if isinstance(value, str) and _LITERAL.fullmatch(value) else None
