"""Fields that the API server silently drops while their feature gate is off.

On create, and on update unless the stored object uses a field of the same gate already, such fields
are gone before validation. `drop_disabled` works on v1 objects and says what it dropped. `gates.json`
holds the fields; rows with a switch hold in the releases that have it so (`releases.server.Validation`).

Sources: kubernetes pkg/registry/resource/*/strategy.go and pkg/api/resourceclaimspec/util.go at
1.34.10, 1.35.8, 1.36.4 and 1.37.1.
"""

from __future__ import annotations

import functools
import json

from dradsl.data import text_beside
from dradsl.kube.errors import MapKey, Path
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.records import Record
from dradsl.releases import Features, validation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


__all__ = ["Dropped", "drop_disabled"]


class Dropped(Record):
    """A field that was dropped: where it stood in the v1 object and the gates that would keep it."""

    path: Path
    gates: tuple[str, ...]


class _Row(Record):
    """Fields of a gate. In a pattern `[]` is every item, `{}` every value; `!` at the end means that
    an empty value in the stored object counts as use. `used` are further signs of use. With a `switch`
    the row is in force where that switch of the release is on; with a "!" before its name, off."""

    gates: tuple[str, ...]
    dropped: tuple[str, ...]
    used: tuple[str, ...] = ()
    switch: str = ""


@functools.cache
def _tables() -> Mapping[str, tuple[_Row, ...]]:
    """The rows of `gates.json`: those of a kind, or of its status."""
    return {
        of: tuple(
            [
                _Row(
                    tuple(row["gates"]),
                    tuple(row["dropped"]),
                    tuple(row.get("used", ())),
                    row.get("switch", ""),
                )
                for row in rows
            ]
        )
        for of, rows in json.loads(text_beside(__file__, "gates.json")).items()
    }


# Upstream: dropDisabled*, dropDisable* (pkg/registry/resource/*/strategy.go)
# Upstream: dropDeviceBindingConditionsFields (pkg/registry/resource/*/strategy.go)
# Upstream: DropDisabledFields, dropDisabled* (pkg/api/resourceclaimspec/util.go)
def drop_disabled(
    obj: dict[str, object],
    features: Features,
    old: dict[str, object] | None = None,
    subresource: str | None = None,
) -> tuple[dict[str, object], tuple[Dropped, ...]]:
    """The v1 object without the fields of disabled gates, and what was dropped.

    `old` is the stored object of an update. With `subresource` "status" the status of a claim is
    treated, otherwise the spec. The object itself comes back if nothing had to go.
    """
    if not _holds(obj, _gated_fields(str(obj.get("kind")), subresource, features)):
        return obj, ()
    dropped: list[Dropped] = []
    result = obj
    for row, prefix in _rows_in_force(str(obj.get("kind")), subresource, features):
        if _in_use(row, prefix, old):
            continue
        for pattern in row.dropped:
            tokens = _tokens(prefix, pattern)
            found = list(_find(result, tokens, ()))
            if found and result is obj:
                result = copy_plain(obj)
            for path, _ in found:
                _remove(result, path)
                dropped.append(Dropped(path, row.gates))
    return result, tuple(dropped)


@functools.lru_cache(256)
def _rows_in_force(
    kind: str, subresource: str | None, features: Features
) -> tuple[tuple[_Row, str], ...]:
    return tuple(item for item in _rows(kind, subresource) if _applies(item[0], features))


_Tree = dict[str, "_Tree"]  # the next steps of ways to fields
_END = ""  # among them: that a way ends here


@functools.lru_cache(256)
def _gated_fields(kind: str, subresource: str | None, features: Features) -> _Tree:
    """The fields that are dropped if they are there, their ways put together."""
    tree: _Tree = {}
    for row, prefix in _rows_in_force(kind, subresource, features):
        for pattern in row.dropped:
            below = tree
            for step in _tokens(prefix, pattern):
                below = below.setdefault(step, {})
            below[_END] = {}
    return tree


def _holds(value: Any, tree: _Tree) -> bool:
    """Whether one of the fields is there: most objects have none."""
    for step, below in tree.items():
        if step == "[]":
            found = any(_holds(item, below) for item in value)
        elif step == "{}":
            found = any(_holds(item, below) for item in value.values())
        else:
            inner = value.get(step)
            found = inner is not None and (_END in below or _holds(inner, below))
        if found:
            return True
    return False


def _rows(kind: str, subresource: str | None) -> Iterator[tuple[_Row, str]]:
    # A template has the spec of a claim, one level deeper.
    of, prefix = ("ResourceClaim", "spec.") if kind == "ResourceClaimTemplate" else (kind, "")
    if subresource == "status":
        of, prefix = f"{kind}/status", ""
    yield from ((row, prefix) for row in _tables().get(of, ()))


def _applies(row: _Row, features: Features) -> bool:
    if all(gate in features for gate in row.gates):
        return False
    if not row.switch:
        return True
    name = row.switch.removeprefix("!")
    on: bool = getattr(validation_of(features.release), name)
    return on is (name == row.switch)


# Upstream: dra*InUse, isDRA*InUse (pkg/registry/resource/*/strategy.go)
# Upstream: *InUse (pkg/api/resourceclaimspec/util.go)
def _in_use(row: _Row, prefix: str, old: dict[str, object] | None) -> bool:
    if old is None:
        return False
    for pattern in (*row.dropped, *row.used):
        for _, value in _find(old, _tokens(prefix, pattern), ()):
            if pattern.endswith("!") or not isinstance(value, list | dict) or value:
                return True
    return False


@functools.cache
def _tokens(prefix: str, pattern: str) -> list[str]:
    text = (prefix + pattern).rstrip("!").replace("[]", ".[]").replace("{}", ".{}")
    return text.split(".")


def _find(value: Any, tokens: list[str], path: Path) -> Iterator[tuple[Path, Any]]:
    if not tokens:
        yield path, value
    elif tokens[0] == "[]":
        for index, item in enumerate(value):
            yield from _find(item, tokens[1:], (*path, index))
    elif tokens[0] == "{}":
        for key, item in value.items():
            yield from _find(item, tokens[1:], (*path, MapKey(key)))
    elif value.get(tokens[0]) is not None:
        yield from _find(value[tokens[0]], tokens[1:], (*path, tokens[0]))


def _remove(obj: Any, path: Path) -> None:
    for element in path[:-1]:
        obj = obj[element]
    del obj[path[-1]]
