"""Values of CEL that are known in part: whoever touches what is not known learns nothing."""

from __future__ import annotations

from dradsl.cel.admission import scalar_value
from dradsl.cel.runtime.operations import NativeMap
from dradsl.cel.runtime.values import Value, well_formed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from dradsl.diagnostics import FieldPath

__all__ = ["UNKNOWN", "PartlyKnownMap", "UnknownValueError", "value_of"]


class UnknownValueError(Exception):
    """An evaluation came to a value that is not known, so that its outcome is not known.

    It is no error of CEL: no `||` absorbs it.
    """


class _Unknown:
    """Stands in plain data for a value that is not known."""


UNKNOWN = _Unknown()


class PartlyKnownMap(NativeMap):
    """A map of which some values, or further entries, are not known.

    `unknown` are keys that are there, and `maybe` keys that may be, with values that are not known. With
    `has_unknown_keys` the map may have any other key.
    """

    __slots__ = ("has_unknown_keys", "maybe", "unknown")

    type_name = "map"
    go_type = "*types.baseMap"

    def __init__(self, data: dict[Value, Value]) -> None:
        super().__init__(data)
        self.unknown: frozenset[str] = frozenset()
        self.maybe: frozenset[str] = frozenset()
        self.has_unknown_keys = False

    def __getitem__(self, key: Value) -> Value:
        if key in self.unknown or (not super().__contains__(key) and self._may_have(key)):
            raise UnknownValueError
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        if self._may_have(key):
            raise UnknownValueError
        return False

    def _may_have(self, key: object) -> bool:
        return self.has_unknown_keys or key in self.maybe

    def _give_up(self) -> NoReturn:
        raise UnknownValueError

    def __len__(self) -> int:
        return self._give_up() if self.has_unknown_keys or self.maybe else super().__len__()

    def __iter__(self) -> Iterator[Value]:
        return self._give_up() if self.has_unknown_keys or self.maybe else super().__iter__()

    def __eq__(self, other: object) -> bool:
        return self._give_up()

    def __ne__(self, other: object) -> bool:
        return self._give_up()

    __hash__ = None  # type: ignore[assignment] # as of any dict

    def items(self) -> Any:
        self._give_up()

    def values(self) -> Any:
        self._give_up()

    def get(self, key: Value, default: Value = None) -> Value:
        found = key in self
        return self[key] if found else default


def value_of(
    data: object,
    unknown: Callable[[FieldPath], bool],
    has_unknown_keys: Callable[[FieldPath], bool],
) -> Value:
    """Plain data as a value of CEL.

    What is at paths that are `unknown` is not known, and neither is which other keys mappings have at
    paths that `has_unknown_keys` tells. A list with an item that is not known is not known itself.
    """
    return _value(data, (), unknown, has_unknown_keys)


def _value(
    data: object,
    path: FieldPath,
    unknown: Callable[[FieldPath], bool],
    has_unknown_keys: Callable[[FieldPath], bool],
) -> Value:
    if data is UNKNOWN or unknown(path):
        return UNKNOWN
    if isinstance(data, dict):
        made = {
            well_formed(str(key)): _value(each, (*path, str(key)), unknown, has_unknown_keys)
            for key, each in data.items()
        }
        holes = frozenset(key for key, each in made.items() if each is UNKNOWN)
        more_keys = has_unknown_keys(path)
        if not (holes or more_keys):
            return NativeMap(made)
        partly = PartlyKnownMap(made)
        partly.unknown, partly.has_unknown_keys = holes, more_keys
        return partly
    if isinstance(data, list):
        items = [_value(each, (*path, i), unknown, has_unknown_keys) for i, each in enumerate(data)]
        return UNKNOWN if any(each is UNKNOWN for each in items) else items
    return scalar_value(data)
