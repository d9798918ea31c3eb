"""Lists, sets and maps: limits, duplicates, and the check of every item.

Source: validateSlice, validateSet and validateMap of kubernetes
pkg/apis/resource/validation/validation.go at 1.34.10 to 1.37.1. Go visits maps in random order;
here keys are visited in sorted order.
"""

from __future__ import annotations

from dradsl.kube.errors import FieldError, MapKey, Path, duplicate, too_many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import Any, TypeAlias

    from dradsl.releases.server import Validation

__all__ = ["check_list", "check_map", "check_set"]

CheckItem: TypeAlias = "Callable[[Any, Path], list[FieldError]]"


# Upstream: validateItems, validateSlice (pkg/apis/resource/validation/validation.go)
def check_list(
    items: Sequence[Any] | None,
    limit: int | None,
    check_item: CheckItem,
    path: Path,
    rules: Validation,
    *,
    reason: str,
    covered: bool = True,
) -> list[FieldError]:
    """Every item, and at most `limit` of them; `reason` is that of "too many".

    `covered` says that declarative rules check the limit as well.
    """
    items = items or ()
    errors: list[FieldError] = []
    too_long = limit is not None and len(items) > limit
    if not too_long or not rules.stops_at_limit:
        for index, item in enumerate(items):
            errors += check_item(item, (*path, index))
    if too_long and limit is not None:
        error = too_many(path, reason, len(items), limit).with_origin("maxItems")
        errors.append(error.as_covered() if covered else error)
    return errors


# Upstream: validateSet, stringKey, quantityKey, quantityKeyAsDec (pkg/apis/resource/validation/validation.go)
# Upstream: quantityKeyInt (pkg/apis/resource/validation/validation.go)
def check_set(
    items: Sequence[Any] | None,
    limit: int | None,
    check_item: CheckItem,
    path: Path,
    rules: Validation,
    *,
    reason: str,
    duplicate_reason: str,
    key_field: str = "",
    key: Callable[[Any], Hashable] | None = None,
    covered: bool = True,
) -> list[FieldError]:
    """As `check_list`, and no two items with the same `key`.

    `key_field` is the field of an item where 1.34 reports a duplicate, and the key if no other is given.
    """
    items = items or ()
    errors = check_list(items, limit, check_item, path, rules, reason=reason, covered=covered)
    if rules.stops_at_limit and limit is not None and len(items) > limit:
        return errors
    seen = set()
    for index, item in enumerate(items):
        value = item.get(key_field, "") if key is None else key(item)
        if value not in seen:
            seen.add(value)
            continue
        at: Path = (*path, index)
        if key_field and rules.duplicate_at_key:
            at = (*at, key_field)
        error = duplicate(at, duplicate_reason, value)
        errors.append(error.as_covered() if covered else error)
    return errors


# Upstream: validateMap, truncateIfTooLong (pkg/apis/resource/validation/validation.go)
def check_map(
    items: Mapping[str, object] | None,
    limit: int | None,
    shown_key: int,
    check_key: Callable[[str, Path], list[FieldError]],
    check_item: CheckItem,
    path: Path,
    rules: Validation,
    *,
    reason: str,
    keys_covered: bool = False,
) -> list[FieldError]:
    """Every key and value, and at most `limit` entries; keys beyond `shown_key` bytes are shown
    shortened."""
    items = items or {}
    errors: list[FieldError] = []
    if limit is not None and len(items) > limit:
        errors.append(too_many(path, reason, len(items), limit))
        if rules.stops_at_limit:
            return errors
    for key in sorted(items):
        at: Path = (*path, MapKey(key, shown_key))
        key_errors = check_key(key, at if rules.map_key_at_entry else path)
        errors += [e.as_covered() for e in key_errors] if keys_covered else key_errors
        errors += check_item(items[key], at)
    return errors
