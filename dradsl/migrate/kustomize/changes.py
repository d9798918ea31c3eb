"""What a patch changes, as far as that concerns the migration of the object that it changes.

Kustomize merges maps by key, replaces lists it knows no key for, and fails where a JSON patch leads to
nothing (RFC 6902): a limit of the base can be removed only if no patch depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.texts import names_device
from dradsl.records import dataclass
from dradsl.tree.kustomize.kustomization import is_json_patch
from dradsl.values.plain import string_at

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["Change", "changes_of"]

_LITERAL = re.compile(r"[A-Za-z0-9.-]+")
_LISTS = ("containers", "initContainers")
# What a migration changes in a container and in a pod.
_OURS = frozenset({"resources", "limits", "requests", "claims"})
_OF_POD = frozenset({"tolerations", "resourceClaims", "nodeSelector"})
_MERGED_GROUPS = frozenset({"", "apps", "batch"})


@dataclass(frozen=True, slots=True)
class Change:
    """A change to objects of a kind and name; None, or text that is not literal, is any kind or name. `what` says why
    it matters, in words that follow the patch's title."""

    kind: str | None
    name: str | None
    what: str

    def reaches(self, manifest: Manifest) -> bool:
        """Whether the change may apply to the object, whose name may get a prefix or suffix."""
        kind = manifest.kind.removeprefix("values of ")
        if self.kind is not None and _LITERAL.fullmatch(self.kind) and self.kind != kind:
            return False
        if self.name is None or manifest.name is None or not _LITERAL.fullmatch(self.name):
            return True
        return manifest.name in self.name


def changes_of(
    documents: Sequence[object], target: Mapping[str, object], catalogue: Catalogue
) -> Iterator[Change]:
    """The changes in the documents of a patch that concern devices."""
    for data in documents:
        if is_json_patch(data):
            what = _json_patch(data, catalogue)
        elif isinstance(data, Mapping):
            what = _merge(data, catalogue)
        else:
            what = "names a device resource" if names_device(data, catalogue) else None
        if what is not None:
            yield Change(*_target(data, target), what)


def _target(data: object, target: Mapping[str, object]) -> tuple[str | None, str | None]:
    if target:
        return string_at(target, "kind"), string_at(target, "name")
    if not isinstance(data, Mapping):
        return None, None
    return string_at(data, "kind"), string_at(data, "metadata", "name")


def _json_patch(operations: Any, catalogue: Catalogue) -> str | None:
    if names_device(operations, catalogue):
        return "names a device resource"
    for operation in operations:
        for key in ("path", "from"):
            pointer = operation.get(key)
            op = operation.get("op")
            if isinstance(pointer, str) and op != "test" and _meets(pointer, str(op)):
                return f"has the operation {op} {pointer}"
    return None


def _meets(pointer: str, op: str) -> bool:
    """Whether an operation works on what a migration changes, or on all of a container or pod."""
    parts = pointer.strip("/").split("/")
    if not _OF_POD.isdisjoint(parts):
        return True
    if "resources" in parts:
        # Another resource's amount does not matter, unless its mapping may have been removed.
        below = parts[parts.index("resources") + 1 :]
        return len(below) < 2 or below[0] == "claims" or op in ("add", "copy", "move")
    last = parts[-1]
    if op != "add" and (last.isdigit() or last == "-"):
        return len(parts) > 1 and parts[-2] in _LISTS
    return op in ("replace", "remove", "move") and last in (*_LISTS, "spec", "template", "")


def _merge(data: Mapping[str, object], catalogue: Catalogue) -> str | None:
    if names_device(data, catalogue):
        return "names a device resource"
    group = str(data.get("apiVersion", "")).rpartition("/")[0]
    lists = _OF_POD if group in _MERGED_GROUPS else _OF_POD | frozenset(_LISTS)
    found = next(_replaced(data, lists - {"nodeSelector"}), None)
    return None if found is None else f"replaces or removes {found}"


def _replaced(value: object, lists: frozenset[str]) -> Iterator[str]:
    """The keys of lists that are replaced, of what is removed, and of `$patch`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if (
                key == "$patch"
                or (key in lists and isinstance(item, list))
                or (item is None and key in (_OURS | _OF_POD | frozenset((*_LISTS, "spec"))))
            ):
                yield str(key)
            else:
                yield from _replaced(item, lists)
    elif isinstance(value, list):
        for item in value:
            yield from _replaced(item, lists)
