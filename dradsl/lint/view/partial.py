"""Objects of which only a part is there: patches, and objects with values that are not known."""

from __future__ import annotations

from dradsl.kube.errors import (
    DECODING,
    INVALID,
    NOT_FOUND,
    NOT_SUPPORTED,
    REQUIRED,
    STRICT_DECODING,
    TOO_LONG,
    FieldError,
    WrongType,
)
from dradsl.records import replace
from dradsl.tree.manifests.unknown import changed, is_unknown_field
from dradsl.values.limits import ROUNDS_OF_PARTS
from dradsl.values.plain import find_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from dradsl.diagnostics import FieldPath
    from dradsl.kube.server.api_server import Admission, ApiServer
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "admit_known_part",
    "as_it_may_have_been",
    "holds_for_patches",
    "known_workload_values",
    "without_directives",
]

# Keys that say what a strategic merge does (apimachinery pkg/util/strategicpatch/patch.go).
_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")
_MANY = 1_000_000
_UNREADABLE = frozenset({"invalid-quantity", "invalid-time"})


def admit_known_part(
    server: ApiServer, manifest: Manifest, labels: Mapping[str, str] | None
) -> Admission:
    """What the server says of the part of an object that is known.

    Of a patch: names and types of fields, expressions, and single values that it writes. Of an object with unknown values: what it says
    with values of the right types in their place, without what it says of these.
    """
    if manifest.is_patch:
        admission = server.create(without_directives(manifest.data))
        names_only = manifest.operation is not None and not manifest.operation.written
        kept = tuple(
            p
            for p in admission.problems
            if holds_for_patches(p.error, p.written, manifest.data)
            and (p.error.type == STRICT_DECODING or not names_only)
        )
        return replace(admission, problems=kept)
    data = _with_expressions(manifest)
    for _ in range(ROUNDS_OF_PARTS):
        admission = server.create(data, labels=labels)
        fitting = _fitting(manifest, ((p.written, p.error) for p in admission.problems))
        if not fitting:
            break
        data = changed(data, fitting)
    kept = tuple(
        p
        for p in admission.problems
        if not (
            is_unknown_field(manifest, p.written)
            if p.error.reason == "unknown-field"
            else manifest.is_unknown(p.written)
        )
    )
    return replace(admission, problems=kept)


def known_workload_values(server: ApiServer, manifest: Manifest) -> list[FieldError]:
    """What the server says of a whole pod or workload with unknown values, and does not hang on one of these."""
    data = manifest.data
    for _ in range(ROUNDS_OF_PARTS):
        fitting = _fitting(manifest, ((e.path, e) for e in server.workload(data)))
        if not fitting:
            break
        data = changed(data, fitting)
    return [e for e in server.workload_values(data) if not _hangs_on_unknown(e, manifest)]


def _hangs_on_unknown(error: FieldError, manifest: Manifest) -> bool:
    """Whether an unknown value may be what makes an error: at its place, below it, or beside it if it is one of several
    fields. A volume with such a value is none for the server."""
    path, holes = error.path, manifest.build_context.holes
    alone = error.type == NOT_SUPPORTED or (error.type == REQUIRED and not error.detail)
    above = path if alone else path[:-1]
    return (
        manifest.is_unknown(path)
        or any(hole[: len(above)] == above and len(hole) <= len(path) + 1 for hole in holes)
        or (error.type == NOT_FOUND and any("volumes" in hole for hole in holes))
    )


def _fitting(
    manifest: Manifest, errors: Iterable[tuple[FieldPath, FieldError]]
) -> dict[FieldPath, object]:
    """Values of the right types, for the unknown ones that are of another type."""
    context = manifest.build_context
    return {
        path: _value_for(error, context.world)
        for path, error in errors
        if path in context.holes and _is_of_type(error)
    }


def as_it_may_have_been(old: Manifest, manifest: Manifest) -> Mapping[str, object]:
    """The data of an earlier object, with what is not known of one of the two taken from the new one."""
    changes: dict[FieldPath, object] = {}
    for path in {*old.build_context.holes, *manifest.build_context.holes}:
        value = find_at(manifest.data, path)
        if value is None or find_at(old.data, path) is None:
            continue
        if (path in old.build_context.holes) != (path in manifest.build_context.holes):
            changes[path] = value
    return changed(old.data, changes) if changes else old.data


def holds_for_patches(error: FieldError, written: FieldPath, data: Mapping[str, object]) -> bool:
    """Whether what the server says of a patch holds for every object that it may be a part of."""
    if error.type in (DECODING, STRICT_DECODING) or error.fault is not None:
        return True
    # A single value is one of the result too; but a patch need not have the name of its object.
    if error.type not in _OF_VALUES or written[:1] == ("metadata",):
        return False
    if error.reason == "unknown-request-reference":
        # A list of requests takes the place of the one that was there.
        requests = (*written[: written.index("devices") + 1], "requests")
        return find_at(data, requests) is not None
    value = find_at(data, written)
    return value is not None and not isinstance(value, (dict, list))


_OF_VALUES = frozenset({INVALID, NOT_SUPPORTED, TOO_LONG})


def _with_expressions(manifest: Manifest) -> Mapping[str, object]:
    """The object, in the second world with expressions that every device meets in the place of unknown ones."""
    if manifest.build_context.world != 1:
        return manifest.data
    paths = [path for path in manifest.build_context.holes if path[-1:] == ("expression",)]
    return changed(manifest.data, dict.fromkeys(paths, "true")) if paths else manifest.data


def _is_of_type(error: FieldError) -> bool:
    """Whether a field cannot hold what stands for a hole: it has another type, or is an expression."""
    return (
        isinstance(error.data, WrongType) or error.reason in _UNREADABLE or error.fault is not None
    )


def _value_for(error: FieldError, world: int) -> object:
    """Something of the type that the field has: in the second world something else than in the others."""
    if error.fault is not None:
        return "false"  # no device meets it
    if error.reason == "invalid-time":
        return "2020-01-01T00:00:00Z"
    wanted = error.data.wanted if isinstance(error.data, WrongType) else "text"
    match wanted:
        case "integer":
            return _MANY if world == 1 else 1
        case "boolean":
            return world != 1
        case "list":
            return []
        case "mapping":
            return {}
    return f"{_MANY}Gi" if world == 1 else "1"


def without_directives(value: Any) -> Any:
    """A patch without what it says to a strategic merge: what is left has the form of the object."""
    if isinstance(value, dict):
        return {
            key: without_directives(each)
            for key, each in value.items()
            if not str(key).startswith(_DIRECTIVES)
        }
    return [without_directives(each) for each in value] if isinstance(value, list) else value
