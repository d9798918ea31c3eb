"""Presets: what a configuration that names one changes of the rules, each row with its reason.

docs/configuration.md shows the same table; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dradsl.records import dataclass

__all__ = ["PRESETS", "Preset", "PresetRow"]


@dataclass(frozen=True, slots=True)
class PresetRow:
    """One rule: the severity that its findings get ("off": none), and why."""

    code: str
    severity: str
    reason: str


@dataclass(frozen=True, slots=True)
class Preset:
    """Who it is for, and what it changes."""

    summary: str
    rows: tuple[PresetRow, ...] = ()


def _rows(text: str) -> tuple[PresetRow, ...]:
    lines = (line.split(" | ") for line in text.strip().splitlines())
    return tuple(
        PresetRow(code.strip(), severity.strip(), reason) for code, severity, reason in lines
    )


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "default": Preset("Every rule with its own severity."),
        "strict": Preset(
            "For trees that hold everything the cluster gets: what is not defined there does not exist.",
            _rows("""
DRA010 | error   | an ignore that hides nothing is dead text, or hides another mistake than was meant
DRA207 | error   | a device without the attribute makes the whole pod unschedulable
DRA215 | error   | a selector that any driver's devices may meet is an accident waiting for the next driver
DRA218 | warning | a value that just misses the devices is most often a mistake in the value
DRA219 | warning | without a schema of the driver nothing is known of its attributes: give one with driver-schema
DRA222 | warning | a deprecated attribute is gone in a later version of the driver
DRA410 | error   | the tree holds all templates, so this one does not exist
DRA411 | error   | the tree holds all claims, so this one does not exist
DRA412 | error   | the tree holds all classes, so this one does not exist
DRA413 | error   | the tree holds all classes, so this one does not exist
DRA415 | error   | a claim that no container uses is allocated for nothing
DRA418 | warning | replicas that share one claim run on the nodes that reach its devices only
DRA502 | error   | whether the version is served depends on a flag of the API server
DRA903 | warning | a toleration without devices lets pods onto nodes that were kept free for others
DRA904 | warning | a label of the device plugin is gone once the plugin is
"""),
        ),
        "platform": Preset(
            "For those who run the cluster: drivers, classes, slices and taints.",
            _rows("""
DRA216 | off     | a class or a test of a platform pins one device on purpose
DRA410 | off     | templates are in the trees of the workloads
DRA411 | off     | claims are in the trees of the workloads
DRA219 | warning | the platform chooses the drivers, and can give a schema of each
DRA502 | error   | the platform sets the flags of the API server, and can serve the stable version
DRA615 | error   | users cannot name a driver in another spelling than the one that is published
DRA902 | error   | which class gets an extended resource is for the platform to decide
DRA906 | error   | a quota that does not count claims does not limit devices
DRA907 | error   | a queue that does not count claims admits what the cluster has no devices for
"""),
        ),
        "workload": Preset(
            "For those who run pods on a cluster of others: classes and drivers are not in the tree.",
            _rows("""
DRA012 | warning | a status in a manifest of a workload is a copy from a cluster
DRA219 | off     | the driver is not theirs, and neither is its schema
DRA410 | warning | templates belong beside the pods that name them
DRA412 | off     | classes are in the tree of the platform: give it with context to have them checked
DRA413 | off     | classes are in the tree of the platform: give it with context to have them checked
DRA418 | warning | replicas that share one claim run on the nodes that reach its devices only
DRA903 | off     | taints of nodes are not theirs
DRA904 | warning | the node label goes when the platform moves to DRA
"""),
        ),
    }
)
