"""Driver schemas as data: what a DRA driver publishes, which configuration it takes, what it replaces.

Every class mirrors a part of `schemas/drivers/<driver>.yaml`, whose keys `schemas/driver.schema.json`
explains. Versions compare by position in `DriverSchema.versions`, never as text.
"""

from __future__ import annotations

import enum
import functools
import re

from dradsl.errors import DradslError
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeVar

__all__ = [
    "AttributeSchema",
    "AttributeType",
    "CapacitySchema",
    "ConfigKind",
    "DeviceClassInfo",
    "DevicePlugin",
    "DeviceTypeSchema",
    "DriverSchema",
    "DriverVersion",
    "NodeLabel",
    "PluginResource",
    "Products",
    "Presence",
    "Range",
    "RequestPolicy",
    "SchemaError",
]

Value = str | int | bool


class SchemaError(DradslError, ValueError):
    """A driver schema file that cannot be used; the message names the file and the place in it."""


class AttributeType(enum.StrEnum):
    """Types of attribute values; the list forms need Kubernetes' DRAListTypeAttributes."""

    STRING = "string"
    INT = "int"
    BOOL = "bool"
    VERSION = "version"
    STRINGS = "strings"
    INTS = "ints"
    BOOLS = "bools"
    VERSIONS = "versions"

    @property
    def is_list(self) -> bool:
        return self.value in ("strings", "ints", "bools", "versions")


class Presence(enum.StrEnum):
    """Whether every device of a type has a name."""

    ALWAYS = "always"
    USUAL = "usual"
    """Missing only on odd machines; the schema's note says which."""
    SOMETIMES = "sometimes"


@dataclass(frozen=True, slots=True)
class Range:
    """The order of magnitude of real values: quantities for capacities, numbers for attributes."""

    minimum: str | int
    maximum: str | int


@dataclass(frozen=True, slots=True)
class Lifetime:
    """From which driver version (inclusive) until which one (exclusive) a name exists."""

    since: str | None = None
    removed_in: str | None = None
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class Products:
    """Names of products as a driver publishes them: those that are known, not all that there are.

    Of the `rare` ones there are hardly any devices; why is beside each. `families` has the family of each.
    """

    names: tuple[str, ...]
    rare: Mapping[str, str]
    families: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AttributeSchema:
    """An attribute of a device type. `name` may hold `<N>`, which stands for a number."""

    domain: str
    name: str
    type: AttributeType
    alternative: AttributeType | None = None
    presence: Presence = Presence.ALWAYS
    always_before: str | None = None
    lifetime: Lifetime = Lifetime()
    deprecated: bool = False
    gate: str | None = None
    values: tuple[Value, ...] | None = None
    """All values there are (closed list), or None."""
    examples: tuple[Value, ...] = ()
    products: Products | None = None
    pattern: str | None = None
    range: Range | None = None
    unique: str | None = None
    """"cluster" or "node" if no two devices there share a value."""
    same_on: str | None = None
    """"node" if all devices of a node that have it share the value, "model" if all of a model do."""
    group_size: int | None = None
    """How many devices of the driver share a value, at most."""
    separator: str | None = None
    """The value joins words by this text, in no fixed order."""
    mistaken_values: Mapping[str, str] | None = None
    meaning: str | None = None
    note: str | None = None

    @property
    def qualified(self) -> str:
        """The name with its domain, as `matchAttribute` wants it."""
        return f"{self.domain}/{self.name}"

    @property
    def types(self) -> tuple[AttributeType, ...]:
        """Every type that a device may carry under this name."""
        return (self.type,) if self.alternative is None else (self.type, self.alternative)


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How much of a capacity a request may consume, as the driver publishes it.

    `default` is what a request takes that does not say how much; "whole" is all of it.
    """

    default: str | None = None
    valid_values: tuple[str, ...] = ()
    minimum: str | None = None
    maximum: str | None = None
    step: str | None = None
    since: str | None = None
    gate: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class CapacitySchema:
    """A capacity of a device type; `examples` maps a part to the quantity that it publishes."""

    domain: str
    name: str
    presence: Presence = Presence.ALWAYS
    always_before: str | None = None
    lifetime: Lifetime = Lifetime()
    gate: str | None = None
    unit: str | None = None
    values: tuple[str, ...] | None = None
    """All amounts that devices publish (closed list), or None."""
    examples: Mapping[str, str] | None = None
    range: Range | None = None
    request_policy: RequestPolicy | None = None
    meaning: str | None = None
    note: str | None = None

    @property
    def qualified(self) -> str:
        return f"{self.domain}/{self.name}"


@dataclass(frozen=True, slots=True)
class Counters:
    """Counter sets that devices of a type consume. Nothing can select on a counter."""

    set: str | None = None
    names: tuple[str, ...] = ()
    since: str | None = None
    gate: str | None = None


@dataclass(frozen=True, slots=True)
class DeviceTypeSchema:
    """One kind of device of a driver; `attributes` and `capacities` by `domain/name`."""

    name: str
    summary: str | None
    discriminator: str | None
    """CEL that tells this type from the driver's others, or None where nothing does."""
    device_name: str | None
    lifetime: Lifetime
    gate: str | None
    note: str | None
    attributes: Mapping[str, AttributeSchema]
    capacities: Mapping[str, CapacitySchema]
    counters: Counters | None
    allows_multiple_allocations: bool
    taken_together: str | None
    """Why devices of a node are claimed together, if they are."""

    def attribute(self, domain: str, name: str) -> AttributeSchema | None:
        """The attribute called `name` in `domain`, also by a `<N>` pattern."""
        return _find(self.attributes, domain, name)

    def capacity(self, domain: str, name: str) -> CapacitySchema | None:
        """The capacity called `name` in `domain`, also by a `<N>` pattern."""
        return _find(self.capacities, domain, name)


@dataclass(frozen=True, slots=True)
class DeviceClassInfo:
    """A DeviceClass that comes with the driver (or with what `by` names)."""

    name: str
    selectors: tuple[str, ...] = ()
    extended_resource_name: str | None = None
    since: str | None = None
    condition: str | None = None
    by: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigKind:
    """A kind of opaque parameters. `schema` is JSON Schema, closed where the driver is strict.

    `api_version` is None where the parameters carry neither apiVersion nor kind.
    """

    api_version: str | None
    kind: str
    device_types: tuple[str, ...]
    """The device types it is for; empty: all."""
    since: str | None
    strict: bool
    note: str | None
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PluginResource:
    """An extended resource that a device plugin serves, and the request that takes its place.

    `<word>` in `name` matches any text, which enters `selector` at `<word>` after `replace`.
    With `capacity`, the number asked for becomes a capacity request (with suffix `unit`).
    """

    name: str
    device_class: str | None
    selector: str | None = None
    replace: Mapping[str, str] | None = None
    capacity: str | None = None
    unit: str | None = None
    percent_of: str | None = None
    allocation_mode: str | None = None
    admin_access: bool = False
    examples: Mapping[str, str] | None = None
    why: str | None = None
    verified: bool = True
    note: str | None = None


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """A node label that workloads select on, and the attribute or capacity that says the same."""

    label: str
    attribute: str | None = None
    capacity: str | None = None
    translate: str | None = None
    values: Mapping[str, str] | None = None
    stays: bool = False
    comparison: str = "equals"
    why: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class DevicePlugin:
    """What the driver replaces."""

    resources: tuple[PluginResource, ...] = ()
    node_labels: tuple[NodeLabel, ...] = ()


@dataclass(frozen=True, slots=True)
class Mistaken:
    """Names that people write, mapped to what they mean."""

    drivers: Mapping[str, str]
    domains: Mapping[str, str]
    attributes: Mapping[str, str]
    capacities: Mapping[str, str]
    api_versions: Mapping[str, str]
    fields: Mapping[str, str]
    """Of parameters."""
    instead: Mapping[str, str]
    """What to do about a field of parameters, or about a value (`FIELD.VALUE`), for which there is no other one."""


@dataclass(frozen=True, slots=True)
class TaintSchema:
    """A taint that the driver may put on devices."""

    key: str
    effects: tuple[str, ...]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class DriverVersion:
    """A release of a driver; `name` is what `since` and `removedIn` use.

    `kubernetes` are the releases that its documents name: "1.34+", "1.33-1.34" or "1.31".
    """

    name: str
    tag: str | None = None
    date: str | None = None
    released: bool = True
    kubernetes: str | None = None

    def supports(self, minor: int) -> bool:
        """Whether the documents name Kubernetes 1.`minor`; they do where they are silent."""
        if self.kubernetes is None:
            return True
        first, dash, last = self.kubernetes.partition("-")
        low = int(first.rstrip("+").partition(".")[2])
        if first.endswith("+"):
            return minor >= low
        return low <= minor <= (int(last.partition(".")[2]) if dash else low)


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """Where facts of a schema come from."""

    repository: str | None = None
    commit: str | None = None
    paths: tuple[str, ...] = ()
    document: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class DriverSchema:
    """Everything known about one driver; see the module's first lines."""

    name: str
    vendor: str
    summary: str
    completeness: str
    sources: tuple[SchemaSource, ...]
    uncertain: tuple[str, ...]
    note: str | None
    versions: tuple[DriverVersion, ...]
    qualified_names: bool
    pod_scoped: bool
    """Whether devices are attached to the pod, so that no container has to list the claim."""
    open_domains: tuple[str, ...]
    open_reason: str | None
    publishes_as: tuple[str, ...]
    device_types: tuple[DeviceTypeSchema, ...]
    taints: tuple[TaintSchema, ...]
    classes: tuple[DeviceClassInfo, ...]
    configs: tuple[ConfigKind, ...]
    device_plugin: DevicePlugin
    mistaken: Mistaken
    profiles: Mapping[str, object]

    @property
    def version_order(self) -> tuple[str, ...]:
        """The names of the versions, oldest first."""
        return tuple(version.name for version in self.versions)

    def device_type(self, name: str) -> DeviceTypeSchema | None:
        """The type of that name."""
        return next((kind for kind in self.device_types if kind.name == name), None)

    def device_class(self, name: str) -> DeviceClassInfo | None:
        """The class of that name that the driver installs."""
        return next((known for known in self.classes if known.name == name), None)

    def is_open(self, domain: str) -> bool:
        """Whether names in `domain` that the schema does not list may exist."""
        others = "others" in self.open_domains and domain != self.name
        return others or "any" in self.open_domains or domain in self.open_domains

    def charts(self) -> tuple[str, ...]:
        """The names of the repositories that the facts are from: charts have them in their labels."""
        repositories = (source.repository for source in self.sources)
        return tuple(dict.fromkeys(each.rpartition("/")[2] for each in repositories if each))

    def domains(self) -> tuple[str, ...]:
        """The domains of all attributes and capacities, the driver's own first."""
        attributes = (attribute.domain for _, attribute in self.attributes())
        capacities = (capacity.domain for _, capacity in self.capacities())
        return tuple(dict.fromkeys((self.name, *attributes, *capacities)))

    def attributes(self) -> Iterator[tuple[DeviceTypeSchema, AttributeSchema]]:
        """Every attribute of every device type."""
        for kind in self.device_types:
            for attribute in kind.attributes.values():
                yield kind, attribute

    def capacities(self) -> Iterator[tuple[DeviceTypeSchema, CapacitySchema]]:
        """Every capacity of every device type."""
        for kind in self.device_types:
            for capacity in kind.capacities.values():
                yield kind, capacity

    def find_version(self, text: str) -> str | None:
        """The version that `text` names: "v25.8", "25.8.1" or a tag; None if unknown."""
        wanted = text.strip().rpartition("/")[2].removeprefix("v")
        for version in self.versions:
            if version.tag is not None and version.tag.removeprefix("v") == wanted:
                return version.name
        best: str | None = None
        for name in self.version_order:
            bare = name.removeprefix("v")
            if (wanted == bare or wanted.startswith(f"{bare}.")) and len(name) > len(best or ""):
                best = name
        return best

    def current_versions(self) -> tuple[str, ...]:
        """The newest release and what is newer than it: what is checked when no version is given."""
        names = self.version_order
        released = [i for i, version in enumerate(self.versions) if version.released]
        return names[released[-1] :] if released else names[-1:]

    def exists(self, lifetime: Lifetime, version: str) -> bool:
        """Whether a name with that lifetime is published by `version`."""
        order = self.version_order
        position = order.index(version)
        if lifetime.since is not None and position < order.index(lifetime.since):
            return False
        return lifetime.removed_in is None or position < order.index(lifetime.removed_in)

    def precedes(self, version: str, other: str) -> bool:
        """Whether `version` is older than `other`."""
        order = self.version_order
        return order.index(version) < order.index(other)


if TYPE_CHECKING:
    _Entry = TypeVar("_Entry", AttributeSchema, CapacitySchema)


def _find(entries: Mapping[str, _Entry], domain: str, name: str) -> _Entry | None:
    exact = entries.get(f"{domain}/{name}")
    if exact is not None:
        return exact
    for entry in entries.values():
        if "<N>" in entry.name and entry.domain == domain and name_pattern(entry.name)(name):
            return entry
    return None


@functools.cache
def name_pattern(name: str) -> Any:
    """A function that tells whether a text is `name` with a number at `<N>`."""
    first, _, rest = name.partition("<N>")
    return re.compile(f"{re.escape(first)}[0-9]+{re.escape(rest)}").fullmatch
