"""The types that checkers see of pods are those that are looked at when objects are read."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from dradsl.allocator.inventory import shape
from dradsl.kube.fields.typed_dicts import NodeSelectorDict
from dradsl.kube.pods import typed_dicts

_POD: Any = shape._POD
_NODE: Any = shape._NODE

# Read for whether it is set, whatever it is.
_TRUTHY = {"hostNetwork"}


def _looked_at(type_: object) -> object:
    """A type in the notation of `dradsl.allocator.inventory.shape`."""
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if type_ == str | int | float:
        return (str, int, float)
    if origin is typing.Required:
        return _looked_at(arguments[0])
    if origin is Sequence:
        return [_looked_at(arguments[0])]
    if origin is Mapping:
        return {"*": _looked_at(arguments[1])}
    if typing.is_typeddict(type_):
        hints = typing.get_type_hints(type_)
        return {name: _looked_at(each) for name, each in hints.items() if name not in _TRUTHY}
    return type_


@pytest.mark.parametrize(
    ("type_", "table"),
    [
        (typed_dicts.PodSpecDict, _POD),
        (typed_dicts.PodStatusDict, shape._POD_STATUS),
        (typed_dicts.ContainerDict, shape._CONTAINER),
        (typed_dicts.TaintDict, _NODE["spec"]["taints"][0]),
        (
            NodeSelectorDict,
            _POD["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"],
        ),
    ],
)
def test_types_are_those_that_are_looked_at(type_: object, table: object) -> None:
    assert _looked_at(type_) == table
