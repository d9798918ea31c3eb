"""Names for annotations, and what generated handles are made of: part of the public API.

Devices of a driver are a `Handle`, what `dradsl.lint` takes is `Objects`, a fixture for tests gives a `Snapshot`.
"""

from __future__ import annotations

from importlib import import_module

from dradsl.dsl.expressions.attributes import (
    Attribute,
    AttributeAny,
    AttributeBool,
    AttributeBools,
    AttributeInt,
    AttributeInts,
    AttributeString,
    AttributeStrings,
    AttributeVersion,
    AttributeVersions,
    Capacity,
)
from dradsl.dsl.expressions.expression import Expression
from dradsl.dsl.expressions.handle import Handle, raw_cel
from dradsl.dsl.expressions.nodes import DeviceType
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.parameters import ConfigPart, DriverConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.api.objects import Objects as Objects
    from dradsl.testing.plugin import Snapshot as Snapshot

__all__ = [
    "Attribute",
    "AttributeAny",
    "AttributeBool",
    "AttributeBools",
    "AttributeInt",
    "AttributeInts",
    "AttributeString",
    "AttributeStrings",
    "AttributeVersion",
    "AttributeVersions",
    "Capacity",
    "ConfigPart",
    "DeviceClass",
    "DeviceType",
    "DriverConfig",
    "Expression",
    "Handle",
    "Objects",
    "Snapshot",
    "raw_cel",
]


def __getattr__(name: str) -> object:
    module = {"Objects": "dradsl.api.objects", "Snapshot": "dradsl.testing.plugin"}.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)
