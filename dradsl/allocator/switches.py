"""Which implementation of the allocator a release takes, and for which features.

Upstream keeps three implementations side by side and takes the first one, in the order stable,
incubating, experimental, that knows every enabled feature. How each behaves say the pages of the
releases (`schemas/releases/*.yaml`).

Source: k8s.io/dynamic-resource-allocation `structured/allocator.go`.
"""

from __future__ import annotations

from dradsl.records import Record
from dradsl.releases import Features, get_release, patch_number, scheduling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.releases.scheduling import AllocatorVariant, Plugin

__all__ = [
    "ALLOCATOR_FEATURES",
    "AllocatorFeatures",
    "allocator_features",
    "choose_variant",
    "plugin_features",
    "plugin_of",
    "usable_features",
    "variants_of",
]


class AllocatorFeatures(Record):
    """What the scheduler plugin switches on in the allocator."""

    enabled: frozenset[str]

    def __contains__(self, feature: str) -> bool:
        return feature in self.enabled


# Allocator feature -> the gates that it needs (dynamicresources plugin, feature.Features).
ALLOCATOR_FEATURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("AdminAccess", ("DRAAdminAccess",)),
    ("CompatibilityGroups", ("DRADeviceCompatibilityGroups",)),
    ("ConsumableCapacity", ("DRAConsumableCapacity",)),
    ("DerivedAttributes", ("DRADerivedAttributes",)),
    ("DeviceBindingAndStatus", ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus")),
    ("DeviceTaints", ("DRADeviceTaints",)),
    ("FractionalCapacityRange", ("DRAFractionalCapacityRange",)),
    ("ListTypeAttributes", ("DRAListTypeAttributes",)),
    ("OptionalNodeOperations", ("DRAOptionalNodeOperations",)),
    ("PartitionableDevices", ("DRAPartitionableDevices",)),
    ("PrioritizedList", ("DRAPrioritizedList",)),
)

# 1.34 passes binding conditions and device status separately; other releases know no such features.
_ALONE = (
    ("DeviceBinding", "DRADeviceBindingConditions"),
    ("DeviceStatus", "DRAResourceClaimDeviceStatus"),
)

_FOUR = frozenset({"AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints"})


def variants_of(name: str) -> tuple[AllocatorVariant, ...]:
    """The implementations of a release ("1.36": its newest patch) or of an older patch.

    Recorded is the last patch before a change: it stands for those before it, too.

    Raises:
        UnknownReleaseError: for a release that dradsl does not know.
    """
    known = scheduling.recorded_variants()
    if name in known:
        return known[name]
    release = get_release(name)
    asked = patch_number(release.patch)
    recorded = [n for n in known if n.startswith(f"{release.name}.") and patch_number(n) >= asked]
    return known[min(recorded, key=patch_number, default=release.name)]


def plugin_of(name: str) -> Plugin:
    """What the plugin of a release ("1.36", or one of its patches) does.

    Raises:
        UnknownReleaseError: for a release that dradsl does not know.
    """
    return scheduling.recorded_plugins()[get_release(name).name]


# Upstream: AllocatorFeatures (plugins/dynamicresources/dynamicresources.go)
# Upstream: Features.Set (structured/internal/types.go)
def allocator_features(features: Features) -> AllocatorFeatures:
    """The allocator's features under these gates."""
    enabled = {
        name for name, gates in ALLOCATOR_FEATURES if all(gate in features for gate in gates)
    }
    enabled.update(name for name, gate in _ALONE if gate in features)
    return AllocatorFeatures(frozenset(enabled))


def plugin_features(features: Features, plugin: Plugin) -> AllocatorFeatures:
    """The allocator's features under these gates, as far as the scheduler's plugin passes them on."""
    enabled = allocator_features(features).enabled
    return AllocatorFeatures(enabled if plugin.passes_lists else enabled - {"ListTypeAttributes"})


# Upstream: NewAllocator, EnableAllocators, allocatorEnabled (structured/allocator.go)
def choose_variant(
    variants: tuple[AllocatorVariant, ...], features: AllocatorFeatures, name: str | None = None
) -> AllocatorVariant:
    """The first variant that knows all enabled features, or the one called `name`."""
    known = frozenset[str]().union(*(variant.supports for variant in variants))
    wanted = features.enabled - {alone for alone, _ in _ALONE if alone not in known}
    for variant in variants:
        if variant.name == name or (name is None and wanted <= variant.supports):
            return variant
    # Gates that none of them knows change nothing; the last variant knows the most.
    return variants[-1]


def usable_features(variant: AllocatorVariant, features: AllocatorFeatures) -> AllocatorFeatures:
    """The features without those that the variant has no code for.

    Every variant has code for the four oldest ones, even where it is not taken when they are on.
    """
    return AllocatorFeatures(features.enabled & (variant.supports | _FOUR))
