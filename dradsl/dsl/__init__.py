"""Manifests as typed Python objects, with CEL selectors as Python expressions.

Private: names may change in any version.
"""

from __future__ import annotations

from dradsl.dsl.building.app import App, DuplicateObjectError
from dradsl.dsl.data.fragment import ManifestError
from dradsl.dsl.expressions.expression import Expression
from dradsl.dsl.expressions.handle import all_of, any_of, cel_string, driver, raw_cel
from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.compute_domains import ComputeDomain
from dradsl.dsl.objects.configs import Config
from dradsl.dsl.objects.constraints import Constraint, distinct, same
from dradsl.dsl.objects.manifest import DroppedFieldsError, KubernetesObject, Manifest
from dradsl.dsl.objects.parameters import Opaque
from dradsl.dsl.objects.pods import PodClaim
from dradsl.dsl.objects.reading import from_dict, from_yaml
from dradsl.dsl.objects.requests import FirstAvailable, Request, Toleration
from dradsl.dsl.objects.slices import Device, DeviceTaintRule, Pool, ResourceSlice, Taint

__all__ = [
    # objects
    "App",
    "ComputeDomain",
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
    "all_of",
    "any_of",
    "cel_string",
    "driver",
    "raw_cel",
    # reading
    "DroppedFieldsError",
    "DuplicateObjectError",
    "ManifestError",
    "from_dict",
    "from_yaml",
]
