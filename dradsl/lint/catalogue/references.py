"""The rules on references to objects that do not exist, by the kind that is referred to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["MISSING"]

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "ResourceClaimTemplate": "DRA410",
        "ComputeDomain": "DRA410",
        "ResourceClaim": "DRA411",
        "DeviceClass": "DRA412",
    }
)
