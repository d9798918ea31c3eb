"""Opaque parameters as their driver decodes them: what their author wrote, under the names that there are."""

from __future__ import annotations

import copy
import re

from dradsl.drivers.judge.config_facts import (
    ConfigTypeMissing,
    ExcludedConfigField,
    MissingConfigField,
    UnknownConfigField,
    UnknownConfigKind,
    WrongConfigValue,
)
from dradsl.drivers.judge.configs import check_config
from dradsl.values.limits import ROUNDS_OF_PARAMETERS
from dradsl.values.plain import find_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.observations import Observation

    Left: TypeAlias = Mapping[FieldPath, str]
    _Round: TypeAlias = "tuple[dict[str, Any], dict[FieldPath, str], _Enums, Mapping[str, str]]"
    _Enums: TypeAlias = Mapping[FieldPath, list[str]]

__all__ = ["written_parameters"]

_NOT_SHARED = frozenset({"none", "exclusive", "off", "disabled", "false"})


def written_parameters(driver: str, parameters: object, known: Catalogue) -> tuple[Any, Left]:
    """The parameters, and by its path in them what the driver takes nowhere, with why it is left out.

    Parameters of which nothing is left are None.
    """
    left: dict[FieldPath, str] = {}
    written: dict[str, Any] = {"parameters": copy.deepcopy(parameters)}
    schema = known.get(driver)
    kinds = () if schema is None else schema.configs
    enums: _Enums = {
        path: values for kind in kinds for path, values in _enums(kind.schema, ("parameters",))
    }
    names = {} if schema is None else schema.mistaken.fields
    for _ in range(ROUNDS_OF_PARAMETERS):
        for each in check_config(driver, written["parameters"], known):
            if _is_put_right((written, left, enums, names), each):
                break
        else:
            break
    found = written.get("parameters")
    is_empty = bool(left) and not {*(found or ())} - {"apiVersion", "kind"}
    return None if is_empty else found, left


def _enums(schema: Mapping[str, Any], path: FieldPath) -> Iterator[tuple[FieldPath, list[str]]]:
    """The values that fields may have (none: any), by the path of the field."""
    for name, each in mapping_at(schema, "properties").items():
        if isinstance(each, dict):
            yield from _enums(each, (*path, name))
            yield (*path, name), each.get("enum", [])


def _is_put_right(of: _Round, found: Observation) -> bool:
    """Whether one fault of the parameters has one answer, which is written."""
    written, left, enums, names = of
    facts, path = found.facts, found.path
    *above, name = path
    around = find_at(written, tuple(above))
    if own := _type_of(found):
        written["parameters"] = {**own, **written["parameters"], **own}
        return True
    if isinstance(facts, MissingConfigField):
        return _is_added(find_at(written, path), path, facts.field, enums)
    if not isinstance(around, dict) or name not in around:
        return False
    value = around[name]
    if isinstance(facts, UnknownConfigField) and facts.elsewhere and found.instead is None:
        del around[name]
        _fill(written["parameters"], facts.elsewhere).setdefault(str(name), value)
    elif not found.on_key and found.instead is not None:
        around[name] = found.instead
    elif found.on_key and value is not None and found.instead:
        around[found.instead] = around.pop(name)
    elif found.on_key:
        _remove(written, path)
        for place, values in enums.items():  # `timeSliceInterval: Long` beside strategy
            is_meant = value in values or (
                place[-1] == names.get(str(name)) and place[-2] != above[-1]
            )
            if place[: len(above)] == (*above,) and is_meant:
                _fill(written["parameters"], place[1:-1]).setdefault(str(place[-1]), value)
                return True
        why = facts.help if isinstance(facts, UnknownConfigField) else ""
        why = facts.why if isinstance(facts, ExcludedConfigField) else why
        if value is not None:
            left[path[1:]] = why or ""
    else:
        return isinstance(facts, WrongConfigValue) and _is_value(of, path, value, facts)
    return True


def _type_of(found: Observation) -> dict[str, str]:
    """The apiVersion and kind that parameters lack, or have in a form that the driver does not know."""
    facts = found.facts
    if isinstance(facts, ConfigTypeMissing):
        version, _, kinds = facts.known[0].partition(", kind: ")
        return {"apiVersion": version.partition(": ")[2], "kind": kinds.partition(" or ")[0]}
    is_bare = isinstance(facts, UnknownConfigKind) and found.instead is None
    if isinstance(facts, UnknownConfigKind) and is_bare and "example" not in facts.driver:
        return dict(zip(("apiVersion", "kind"), facts.known[0].split(" "), strict=True))
    return {}


def _is_value(of: _Round, path: FieldPath, value: object, facts: WrongConfigValue) -> bool:
    """Whether a value that the driver rejects is written as it takes it, or left out."""
    written, left, enums, _ = of
    around, name = find_at(written, path[:-1]), path[-1]
    word = re.sub("[-_ ]", "", str(value)).lower()
    if facts.rule == "type" and "integer" in facts.limits and word.rstrip("%").isdigit():
        around[name] = int(word.rstrip("%"))
    elif facts.rule == "type" and facts.limits == ("object",) and isinstance(value, str | bool):
        meant = [
            (field[-1], each)
            for field, values in enums.items()
            for each in values
            if field[:-1] == path and each.lower() == word
        ]
        if meant:
            around[name] = dict(meant[:1])
        else:
            _remove(written, path)
            left[path[1:]] = "" if word not in _NOT_SHARED else _exclusive(name)
    elif facts.rule == "enum":
        is_exclusive = word in _NOT_SHARED and len(path) > 2
        _remove(written, path[:-1] if is_exclusive else path)
        listed = f"one of {', '.join(map(str, facts.limits))}"
        left[path[1:]] = _exclusive(path[-2]) if is_exclusive else listed
    else:
        return False
    return True


def _exclusive(name: object) -> str:
    return f"a device that is not shared has no {name}"


def _is_added(around: Any, path: FieldPath, field: str, enums: _Enums) -> bool:
    """Whether a field that lacks is one that a field beside it says: `mpsConfig` that strategy is MPS."""
    for each in enums.get((*path, field), ()) if isinstance(around, dict) else ():
        if any(beside.lower() == f"{each}config".lower() for beside in around):
            around[field] = each
            return True
    return False


def _fill(parameters: dict[str, Any], path: FieldPath) -> dict[str, Any]:
    """The mapping at a path, which is made where it is missing."""
    for step in path:
        below = parameters.get(str(step))
        parameters[str(step)] = parameters = below if isinstance(below, dict) else {}
    return parameters


def _remove(written: dict[str, Any], path: FieldPath) -> None:
    """Removes a field, and the mappings that are empty then: they ask for nothing."""
    *above, name = path
    del find_at(written, tuple(above))[name]
    if len(above) > 1 and not find_at(written, tuple(above)):
        _remove(written, tuple(above))
