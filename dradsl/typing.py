"""Names for annotations, and what generated handles are made of: part of the public API.

Functions of a library that take a driver's devices say `kind: Handle`; those that take what `dradsl.lint` takes say
`Objects`; tests say `Snapshot`.
"""

from __future__ import annotations

from dradsl.api.objects import Objects
from dradsl.dsl import (
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
    ConfigPart,
    DeviceClass,
    DeviceType,
    DriverConfig,
    Handle,
)
from dradsl.testing.plugin import Snapshot

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
    "Handle",
    "Objects",
    "Snapshot",
]
