"""How an object differs from what it must become: the changes that are left to make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.edits.operations import Put, Remove

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.text.paths import FieldPath

__all__ = ["differences", "named_alike"]

_SECTIONS = ("limits", "requests", "resources")


def differences(has: object, wants: object, path: FieldPath = ()) -> Iterator[Put | Remove]:
    """The changes that make `wants` of `has`. Lists of the same named items are compared item by item, others are replaced as
    a whole. Empty mappings under `resources` count as absent."""
    if has == wants:
        return
    if isinstance(has, dict) and isinstance(wants, dict):
        for key, value in has.items():
            if key not in wants and not _is_nothing(key, value):
                # Remove only the amounts, not their mapping: it may get other keys later.
                inner = value if key in _SECTIONS and isinstance(value, dict) else None
                if inner is None:
                    yield Remove((*path, key))
                else:
                    yield from differences(inner, {}, (*path, key))
        for key, value in wants.items():
            if key in has:
                yield from differences(has[key], value, (*path, key))
            elif not _is_nothing(key, value):
                yield Put((*path, key), value)
        return
    if _same_items(has, wants):
        assert isinstance(has, list)  # noqa: S101 - _same_items says so
        assert isinstance(wants, list)  # noqa: S101 - the same
        for index, (one, other) in enumerate(zip(has, wants, strict=True)):
            yield from differences(one, other, (*path, index))
        return
    yield Put(path, wants)


def _is_nothing(key: str, value: object) -> bool:
    if key not in _SECTIONS or not isinstance(value, dict):
        return False
    return all(_is_nothing(name, each) for name, each in value.items())


def _same_items(has: object, wants: object) -> bool:
    """Whether both are lists of containers in the same order, or of other items with the same names."""
    if not (isinstance(has, list) and isinstance(wants, list) and len(has) == len(wants)):
        return False
    return bool(has) and all(
        isinstance(one, dict)
        and isinstance(other, dict)
        and "name" in one
        and one.get("name") == other.get("name")
        and "image" in other
        for one, other in zip(has, wants, strict=True)
    )


def named_alike(
    has: object, wants: object, specs: Mapping[str, object], planned: Mapping[str, object]
) -> Any:
    """`wants`, in which claims name the same templates as in `has` if the templates have the same spec.

    `specs` are the existing templates, `planned` those of `wants`, by name.
    """
    result: Any = copy_plain(wants)
    _align(has, result, specs, planned)
    return result


def _align(
    has: Any, wants: Any, specs: Mapping[str, object], planned: Mapping[str, object]
) -> None:
    if isinstance(has, dict) and isinstance(wants, dict):
        for key, value in wants.items():
            if key == "resourceClaimTemplateName" and isinstance(value, str):
                other = has.get(key)
                spec = planned.get(value)
                if isinstance(other, str) and spec is not None and specs.get(other) == spec:
                    wants[key] = other
            else:
                _align(has.get(key), value, specs, planned)
    elif isinstance(has, list) and isinstance(wants, list):
        for one, other in zip(has, wants, strict=False):
            _align(one, other, specs, planned)
