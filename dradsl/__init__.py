"""dradsl: lint, write, migrate and simulate Kubernetes DRA manifests.

Names are imported when they are first used: `import dradsl` itself costs next to nothing.
"""

from __future__ import annotations

from dradsl._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.dsl import (
        App,
        Config,
        Constraint,
        Device,
        DeviceClass,
        DeviceTaintRule,
        DroppedFieldsError,
        DuplicateObjectError,
        Expression,
        FirstAvailable,
        KubernetesObject,
        Manifest,
        ManifestError,
        Opaque,
        PodClaim,
        Pool,
        Request,
        ResourceClaim,
        ResourceClaimTemplate,
        ResourceSlice,
        Taint,
        Toleration,
        distinct,
        driver,
        from_dict,
        from_yaml,
        raw_cel,
        same,
    )

__all__ = [
    "__version__",
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
    # reading, and what can go wrong
    "DroppedFieldsError",
    "DuplicateObjectError",
    "ManifestError",
    "from_dict",
    "from_yaml",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from dradsl import dsl

        value: object = getattr(dsl, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
