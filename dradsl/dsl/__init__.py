"""Manifests as typed Python objects, with CEL selectors as Python expressions."""

from __future__ import annotations

from dradsl.dsl.app import App, DuplicateObjectError
from dradsl.dsl.attributes import (
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
from dradsl.dsl.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.classes import DeviceClass
from dradsl.dsl.configs import Config, ConfigPart, DriverConfig, Opaque
from dradsl.dsl.constraints import Constraint, distinct, same
from dradsl.dsl.handle import Handle, driver, raw_cel
from dradsl.dsl.manifest import (
    DroppedFieldsError,
    Fragment,
    KubernetesObject,
    Manifest,
    ManifestError,
)
from dradsl.dsl.nodes import DeviceType, Expression
from dradsl.dsl.pods import PodClaim
from dradsl.dsl.reading import from_dict, from_yaml
from dradsl.dsl.requests import FirstAvailable, Request, Toleration
from dradsl.dsl.slices import Device, DeviceTaintRule, Pool, ResourceSlice, Taint

__all__ = [
    # objects
    "App",
    "DeviceClass",
    "DeviceTaintRule",
    "KubernetesObject",
    "Manifest",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
    # parts of them
    "Config",
    "Constraint",
    "Device",
    "FirstAvailable",
    "Fragment",
    "Opaque",
    "PodClaim",
    "Pool",
    "Request",
    "Taint",
    "Toleration",
    "distinct",
    "same",
    # expressions
    "Expression",
    "driver",
    "raw_cel",
    # reading
    "DroppedFieldsError",
    "DuplicateObjectError",
    "ManifestError",
    "from_dict",
    "from_yaml",
    # what generated handles are made of
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
    "DeviceType",
    "DriverConfig",
    "Handle",
]
