"""The declarative rules that come with the API types: enforced from 1.37 on (pool requests: 1.36).

They run on the object in the client's API version, next to the hand-written checks. Where both
report the same kind of error for the same field and rule, the hand-written error goes and the
declarative one, often in other words, stays.

A rule table like that of `fields`: a block a type, a line a field, rules in upstream's order. `!`
in front of a rule = stable, enforced always; without it the gate DeclarativeValidationBeta decides.
Rules of alpha maturity are never enforced and left out.

Sources: kubernetes pkg/apis/resource/{v1,v1beta2,v1beta1,v1alpha3}/zz_generated.validations.go at
1.37.1 (pool requests: 1.36.4 as well); apimachinery pkg/api/validate and apiserver
pkg/registry/rest/validate.go at 0.37.2.
"""

from __future__ import annotations

import functools

from dradsl.kube.conversion import path_to_v1
from dradsl.kube.equality import field_equal, semantic_equal
from dradsl.kube.errors import (
    FieldError,
    MapKey,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from dradsl.kube.fields import Category, Field, fields_of
from dradsl.kube.validation.formats import (
    c_identifier,
    dns_label,
    dns_subdomain,
    dns_subdomain_caseless,
    label_key,
)
from dradsl.records import dataclass, replace
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.kube.validation.context import Context

__all__ = ["check_declaratively", "merge"]

_TABLE = """
ResourceClaim
  spec immutable
  status
ResourceClaimSpec
  devices
ResourceClaimStatus
  allocation no-modify
  reservedFor max-items=256 unique=uid
  devices unique=driver,device,pool,shareID
ResourceClaimTemplate
  spec
ResourceClaimTemplateSpec
  spec
DeviceClaim
  requests max-items=32 unique=name
  constraints max-items=32
  config max-items=32
DeviceRequest
  exactly
  selectors max-items=32
  allocationMode enum=All,ExactCount
  firstAvailable max-items=8 unique=name
  tolerations
  derivedAttributes !max-items=32
ExactDeviceRequest
  selectors max-items=32
  allocationMode enum=All,ExactCount
  tolerations
  derivedAttributes !max-items=32
DeviceSubRequest
  deviceClassName required long-name
  selectors max-items=32
  allocationMode enum=All,ExactCount
  tolerations
  derivedAttributes !max-items=32
DeviceDerivedAttribute
  name !required !fully-qualified
  expression !required
DeviceToleration
  key label-key
  operator required enum=Equal,Exists
  effect enum=NoExecute,NoSchedule,None
DeviceConstraint
  requests max-items=32 unique
  matchAttribute fully-qualified
  distinctAttribute fully-qualified
DeviceClaimConfiguration
  requests max-items=32 unique
  opaque
OpaqueDeviceConfiguration
  driver required long-name-caseless max-length=63
AllocationResult
  devices
DeviceAllocationResult
  results max-items=32
  config max-items=64
DeviceRequestAllocationResult
  driver required long-name-caseless max-length=63
  pool required pool-name
  tolerations
  bindingConditions max-items=4
  bindingFailureConditions max-items=4
  shareID uuid
  skipNodeOperations !unique !each-enum=*,NodePrepareResources,NodeUnprepareResources
DeviceAllocationConfiguration
  source required enum=FromClaim,FromClass
  requests max-items=32 unique
  opaque
AllocatedDeviceStatus
  shareID uuid
  networkData
NetworkDeviceData
  interfaceName max-bytes=256
  ips max-items=16 unique
  hardwareAddress max-bytes=128

DeviceClass
  metadata
  spec
ObjectMeta@DeviceClass
  name long-name
DeviceClassSpec
  selectors max-items=32
  config max-items=32
  extendedResourceName extended-resource
DeviceClassConfiguration
  opaque

ResourceSlice
  spec
ResourceSliceSpec
  devices
  sharedCounters max-items=8 unique=name
  partitionTypeAttribute !gated=DRAPartitionableDevicesType !fully-qualified
  skipNodeOperations !unique !each-enum=*,NodePrepareResources,NodeUnprepareResources
CounterSet
  name required short-name
  counters required keys-short-name
Device
  basic
  attributes
  consumesCounters max-items=2 unique=counterSet
  taints
  bindingConditions max-items=4
  bindingFailureConditions max-items=4
  nodeAllocatableResources
BasicDevice
  attributes
  consumesCounters max-items=2 unique=counterSet
  taints
  bindingConditions max-items=4
  bindingFailureConditions max-items=4
  nodeAllocatableResources
DeviceAttribute union=int,bool,string,version,ints,bools,strings,versions
DeviceCounterConsumption
  counterSet required short-name
  counters required keys-short-name
  compatibilityGroups !max-items=2 !each-short-name !unique
DeviceTaint
  effect required enum=NoExecute,NoSchedule,None
NodeAllocatableResource
  mapping
NodeAllocatableMapping !union=capacityKey,deviceMultiplier

DeviceTaintRule
  spec
DeviceTaintRuleSpec
  taint

ResourcePoolStatusRequest
  spec !immutable
  status
ResourcePoolStatusRequestSpec
  driver !required !long-name-caseless
  poolName !pool-name
  limit !required !maximum=1000 !minimum=1
  defaultPartitionTypeAttribute !gated=DRAPartitionableDevicesType !fully-qualified
ResourcePoolStatusRequestStatus
  poolCount !required !minimum=0
  pools !max-items=1000
  conditions !max-items=10
PoolStatus
  driver !required !long-name-caseless
  poolName !required !pool-name
  generation !required !minimum=0
  resourceSliceCount !minimum=1
  totalDevices !minimum=0
  allocatedDevices !minimum=0
  availableDevices !minimum=0
  unavailableDevices !minimum=0
  nodeName !long-name
  validationError !max-bytes=256
  partitionSummary !max-items=32 !unique=attribute,type
  shareableSummary
PartitionTypeStatus
  attribute !required
  type !required
  total !required !minimum=0
  allocatable !required !minimum=0
ShareableSummaryStatus
  fullyAvailableDevices !required !minimum=0
  partiallyAvailableDevices !required !minimum=0
  capacity !max-items=32
ShareableCapacityStatus
  name !required
  total !required
  consumed !required
  available !required
"""

# Reason of an error by rule, where the field does not make it a more special one.
_REASONS = {
    "required": "value-required",
    "immutable": "spec-immutable",
    "no-modify": "allocation-immutable",
    "max-items": "too-many-items",
    "unique": "duplicate-item",
    "each-enum": "unknown-skip-operation",
    "max-length": "driver-too-long",
    "max-bytes": "network-value-too-long",
    "long-name": "invalid-subdomain",
    "long-name-caseless": "invalid-driver-name",
    "short-name": "invalid-dns-label",
    "keys-short-name": "invalid-dns-label",
    "each-short-name": "invalid-dns-label",
    "label-key": "invalid-label-key",
    "pool-name": "invalid-pool-name",
    "uuid": "invalid-share-id",
    "fully-qualified": "invalid-attribute-name",
    "extended-resource": "invalid-extended-resource-name",
    "gated": "field-gate-off",
    "minimum": "number-out-of-bounds",
    "maximum": "number-out-of-bounds",
    "union": "attribute-ambiguous",
}
_FIELD_REASONS = {
    ("deviceClassName", "required"): "device-class-required",
    ("deviceClassName", "long-name"): "invalid-device-class-name",
    ("metadata.name", "long-name"): "invalid-object-name",
    ("requests", "max-items"): "too-many-requests",
    ("requests", "unique"): "duplicate-request",
    ("firstAvailable", "max-items"): "too-many-alternatives",
    ("firstAvailable", "unique"): "duplicate-alternative",
    ("constraints", "max-items"): "too-many-constraints",
    ("config", "max-items"): "too-many-configs",
    ("selectors", "max-items"): "too-many-selectors",
    ("derivedAttributes", "max-items"): "too-many-derived-attributes",
    ("name", "required"): "derived-attribute-incomplete",
    ("expression", "required"): "derived-attribute-incomplete",
    ("allocationMode", "enum"): "unknown-allocation-mode",
    ("operator", "enum"): "unknown-toleration-operator",
    ("operator", "required"): "unknown-toleration-operator",
    ("effect", "enum"): "unknown-taint-effect",
    ("effect", "required"): "taint-effect-required",
    ("driver", "required"): "driver-required",
    ("pool", "required"): "pool-name-required",
    ("poolName", "required"): "pool-name-required",
    ("source", "required"): "config-source-unknown",
    ("source", "enum"): "config-source-unknown",
    ("reservedFor", "max-items"): "too-many-consumers",
    ("reservedFor", "unique"): "duplicate-consumer",
    ("devices", "unique"): "duplicate-device-status",
    ("results", "max-items"): "too-many-results",
    ("bindingConditions", "max-items"): "too-many-binding-conditions",
    ("bindingFailureConditions", "max-items"): "too-many-binding-conditions",
    ("sharedCounters", "max-items"): "too-many-counter-sets",
    ("sharedCounters", "unique"): "duplicate-counter-set",
    ("consumesCounters", "max-items"): "too-many-counter-consumptions",
    ("consumesCounters", "unique"): "duplicate-counter-consumption",
    ("counterSet", "required"): "counter-set-name-required",
    ("counters", "required"): "counters-required",
    ("compatibilityGroups", "max-items"): "too-many-compatibility-groups",
    ("compatibilityGroups", "unique"): "duplicate-compatibility-group",
    ("skipNodeOperations", "unique"): "duplicate-skip-operation",
    ("ips", "max-items"): "too-many-addresses",
    ("ips", "unique"): "duplicate-address",
    ("NodeAllocatableMapping", "union"): "node-resource-incomplete",
}
_SPECIAL = {
    ("DeviceConstraint", "requests", "max-items"): "too-many-request-references",
    ("DeviceConstraint", "requests", "unique"): "duplicate-request-reference",
    ("DeviceClaimConfiguration", "requests", "max-items"): "too-many-request-references",
    ("DeviceClaimConfiguration", "requests", "unique"): "duplicate-request-reference",
    ("DeviceAllocationConfiguration", "requests", "max-items"): "too-many-request-references",
    ("DeviceAllocationConfiguration", "requests", "unique"): "duplicate-request-reference",
    ("CounterSet", "name", "required"): "counter-set-name-required",
    ("ShareableCapacityStatus", "name", "required"): "value-required",
}
_UUID_TEXT = "must be a lowercase UUID in 8-4-4-4-12 format"
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORT_CIRCUITS = frozenset({"required", "immutable", "no-modify", "max-items", "gated"})


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule: its name, its argument, and whether it is enforced without the gate."""

    name: str
    argument: str
    stable: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """The rules of a type and of its fields."""

    union: _Rule | None
    fields: Mapping[str, tuple[_Rule, ...]]


def _rule(text: str) -> _Rule:
    name, _, argument = text.removeprefix("!").partition("=")
    return _Rule(name, argument, text.startswith("!"))


@functools.cache
def _lines() -> Mapping[str, list[str]]:
    """The lines of each type, its own first; they are read when the type is asked for."""
    types: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in filter(None, _TABLE.splitlines()):
        if not line.startswith(" "):
            lines = types[line.partition(" ")[0]] = []
        lines.append(line)
    return types


@functools.cache
def _block(type_name: str) -> _Block | None:
    """The rules of a type; None if the table does not have it."""
    lines = _lines().get(type_name)
    if lines is None:
        return None
    of_type, *of_fields = [line.split() for line in lines]
    fields = {name: tuple([_rule(text) for text in rules]) for name, *rules in of_fields}
    return _Block(_rule(of_type[1]) if of_type[1:] else None, fields)


@dataclass(frozen=True, slots=True)
class _FieldRules:
    """The rules of a field: those that end its check, the others as far as they are enforced.

    `silent` says that there is nothing to say where the field is not set, `inner` is the type of
    its value or items if that has rules, `keys` are what identifies an item.
    """

    field: Field
    first: Sequence[_Rule]
    rest: Sequence[_Rule]
    silent: bool
    inner: str | None
    keys: tuple[str, ...]


def _block_inside(name: str, kind: str) -> _Block | None:
    return _block(f"{name}@{kind}") or _block(name)


@functools.cache
def _rules_of(
    name: str, kind: str, version: str, release: str, beta: bool
) -> tuple[_Rule | None, Sequence[_FieldRules]] | None:
    """The rules of a type inside an object of `kind`, of the type itself and of its fields.

    `beta` enforces those that are not stable.
    """
    block = _block_inside(name, kind)
    if block is None:
        return None
    fields = fields_of(name, version, release)
    union = block.union if block.union is not None and (block.union.stable or beta) else None
    return union, [
        _field_rules(fields[field], rules, kind, beta)
        for field, rules in block.fields.items()
        if field in fields
    ]


def _field_rules(field: Field, rules: tuple[_Rule, ...], kind: str, beta: bool) -> _FieldRules:
    type_ = field.type
    first, rest = [], []
    keys: tuple[str, ...] = ()
    silent = type_.pointer or type_.category is not Category.STRUCT
    for rule in rules:
        if rule.name in _SHORT_CIRCUITS:
            first.append(rule)
            silent = silent and rule.name != "required"
        elif rule.stable or beta:
            rest.append(rule)
        if rule.name == "unique" and rule.argument:
            keys = tuple(rule.argument.split(","))
    inner = type_.item or type_
    has_rules = inner.category is Category.STRUCT and _block_inside(inner.name, kind) is not None
    return _FieldRules(field, first, rest, silent, inner.name if has_rules else None, keys)


def check_declaratively(
    obj: Mapping[str, Any], old: Mapping[str, Any] | None, version: str, context: Context
) -> list[FieldError]:
    """What the declarative rules say about an object in API `version`, those in force only."""
    kind = str(obj.get("kind"))
    beta = context.rules.declarative and "DeclarativeValidationBeta" in context.features
    engine = _Engine(context, version, kind, beta)
    engine.struct(obj, old, kind, ())
    return engine.errors


def merge(
    errors: list[FieldError], declared: list[FieldError], kind: str, version: str
) -> list[FieldError]:
    """Hand-written errors without those that a declarative one stands for, then the declarative."""
    beta = [
        (error, path_to_v1(error.path, kind, version))
        for error in declared
        if not error.covered  # `covered` on a declarative error marks a stable rule
    ]

    def superseded(error: FieldError) -> bool:
        if not error.covered:
            return False
        return any(
            error.type == other.type
            and error.path in (other.path, path)
            and error.origin == other.origin
            and (error.type != "FieldValueInvalid" or bool(error.origin))
            for other, path in beta
        )

    return [error for error in errors if not superseded(error)] + declared


class _Engine:
    """One run of the rules over an object and, for an update, the stored one."""

    def __init__(self, context: Context, version: str, kind: str, beta: bool) -> None:
        self.context = context
        self.release = context.release
        self.version = version
        self.kind = kind
        self.beta = beta
        self.errors: list[FieldError] = []

    def struct(
        self, new: Mapping[str, Any], old: Mapping[str, Any] | None, name: str, path: Path
    ) -> None:
        """The rules of a type; `old` is None if there is no stored value to compare with."""
        found = _rules_of(name, self.kind, self.version, self.release, self.beta)
        if found is None:
            return
        union, fields = found
        if union is not None:
            self.errors += self._union(new, old, name, union, path)
        for each in fields:
            field = each.field
            value, before = new.get(field.name), None
            if old is None:
                if value is None and each.silent:
                    continue
            else:
                before = old.get(field.name)
                if field_equal(value, before, field, self.release, self.version):
                    continue
            self._field(value, before, old is not None, each, name, (*path, field.name))

    def _field(
        self, new: Any, old: Any, has_old: bool, each: _FieldRules, owner: str, path: Path
    ) -> None:
        stopped = self._is_unset(new, each.field)
        for rule in each.first:
            error = self._short_circuit(rule, new, old, has_old, each.field, path)
            if error is not None:
                stopped = True
                if rule.stable or self.beta:
                    self.errors.append(self._finish(error, rule, owner))
        if stopped:
            return
        for rule in each.rest:
            for error in self._apply(rule, new, old, path):
                self.errors.append(self._finish(error, rule, owner))
        if each.inner is not None:
            self._below(new, old, each, each.inner, path)

    def _finish(self, error: FieldError, rule: _Rule, owner: str) -> FieldError:
        name = next((e for e in reversed(error.path) if isinstance(e, str)), "")
        if error.path == ("metadata", "name"):
            name = "metadata.name"
        reason = (
            error.reason
            or _SPECIAL.get((owner, name, rule.name))
            or _FIELD_REASONS.get((name, rule.name))
            or _REASONS[rule.name]
        )
        return replace(error, reason=reason, declarative=True, covered=rule.stable)

    def _is_unset(self, value: Any, field: Field) -> bool:
        """Whether there is nothing to check: absent, or zero where the type is no pointer."""
        category = field.type.category
        if category is Category.STRUCT and not field.type.pointer:
            return False
        if field.type.pointer or category is Category.QUANTITY:
            return value is None
        return not value

    def _short_circuit(
        self, rule: _Rule, new: Any, old: Any, has_old: bool, field: Field, path: Path
    ) -> FieldError | None:
        if rule.name == "required":
            return required(path, "") if self._is_unset(new, field) else None
        if rule.name == "immutable":
            if not has_old:
                return None
            return invalid(path, "", None, "field is immutable").with_origin("immutable")
        if rule.name == "no-modify":
            if not has_old or new is None or old is None:
                return None
            detail = "field cannot be modified once set"
            return invalid(path, "", None, detail).with_origin("update")
        if rule.name == "gated":
            is_off = new is not None and rule.argument not in self.context.features
            return forbidden(path, "", "") if is_off else None
        if len(new or ()) > int(rule.argument):
            return too_many(path, "", len(new), int(rule.argument)).with_origin("maxItems")
        return None

    def _apply(self, rule: _Rule, new: Any, old: Any, path: Path) -> Iterator[FieldError]:
        if rule.name == "unique":
            yield from self._unique(new, rule.argument, path)
        elif rule.name == "enum":
            if new not in rule.argument.split(","):
                yield not_supported(path, "", new, rule.argument.split(","))
        elif rule.name in ("each-enum", "each-short-name"):
            yield from self._each(rule, new, old or (), path)
        elif rule.name == "keys-short-name":
            for key in sorted(set(new) - set(old or ())):
                yield from _short_name(key, path, self.context)
        elif rule.name == "max-length":
            if len(new) > int(rule.argument):
                error = too_long(path, "", int(rule.argument), "characters")
                yield error.with_origin("maxLength")
        elif rule.name == "max-bytes":
            if len(new.encode()) > int(rule.argument):
                yield too_long(path, "", int(rule.argument)).with_origin("maxBytes")
        elif rule.name == "minimum":
            if new < int(rule.argument):
                detail = f"must be greater than or equal to {rule.argument}"
                yield invalid(path, "", new, detail).with_origin("minimum")
        elif rule.name == "maximum":
            if new > int(rule.argument):
                detail = f"must be less than or equal to {rule.argument}"
                yield invalid(path, "", new, detail).with_origin("maximum")
        else:
            yield from _FORMATS[rule.name](new, path, self.context)

    def _unique(self, items: Any, keys: str, path: Path) -> Iterator[FieldError]:
        names = keys.split(",") if keys else None
        seen = set()
        for index, item in enumerate(items):
            key = item if names is None else tuple(item.get(name) or "" for name in names)
            if key in seen:
                yield duplicate((*path, index), "", item)
            seen.add(key)

    def _each(self, rule: _Rule, new: Any, old: Any, path: Path) -> Iterator[FieldError]:
        allowed = rule.argument.split(",")
        for index, item in enumerate(new):
            if item in old:
                continue
            if rule.name == "each-short-name":
                yield from _short_name(item, (*path, index), self.context)
            elif item not in allowed:
                yield not_supported((*path, index), "", item, allowed)

    def _below(self, new: Any, old: Any, each: _FieldRules, inner: str, path: Path) -> None:
        """The rules of the types of a field's value."""
        category = each.field.type.category
        if category is Category.STRUCT:
            self.struct(new or {}, old, inner, path)
        elif category is Category.MAP:
            for key in sorted(new):
                before = (old or {}).get(key)
                if before is None or not self._same(new[key], before, inner):
                    self.struct(new[key], before, inner, (*path, MapKey(key)))
        else:
            for index, value in enumerate(new):
                before = _matching(value, old or (), each.keys) if each.keys else None
                if before is None or not self._same(value, before, inner):
                    self.struct(value, before, inner, (*path, index))

    def _same(self, new: Any, old: Any, name: str) -> bool:
        return semantic_equal(new, old, name, self.release, self.version)

    def _union(
        self,
        new: Mapping[str, Any],
        old: Mapping[str, Any] | None,
        owner: str,
        rule: _Rule,
        path: Path,
    ) -> Iterator[FieldError]:
        members = rule.argument.split(",")

        def chosen(value: Mapping[str, Any]) -> list[str]:
            return [name for name in members if value.get(name) not in (None, [])]

        is_set = chosen(new)
        if old is not None and is_set == chosen(old):
            return
        if len(is_set) == 1:
            return
        names = ", ".join(f"`{name}`" for name in members)
        if is_set:
            value = f"{{{', '.join(is_set)}}}"
            error = invalid(path, "", value, f"must specify exactly one of: {names}")
        else:
            error = invalid(path, "", "", f"must specify one of: {names}")
        reason = "attribute-ambiguous" if is_set else "attribute-without-value"
        if owner != "DeviceAttribute":
            reason = "node-resource-incomplete"
        error = replace(error, reason=reason, declarative=True, covered=rule.stable)
        yield error.with_origin("union")


def _matching(item: Any, old: Any, keys: Any) -> Any:
    def key(value: Mapping[str, Any]) -> list[Any]:
        return [value.get(name) or "" for name in keys]

    return next((before for before in old if key(before) == key(item)), None)


def _short_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_label(text, "bytes"):
        yield invalid(path, "", text, message).with_origin("format=k8s-short-name")


def _long_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_subdomain(text, "bytes"):
        yield invalid(path, "", text, message).with_origin("format=k8s-long-name")


def _long_name_caseless(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    for message in dns_subdomain_caseless(text):
        yield invalid(path, "", text, message).with_origin("format=k8s-long-name-caseless")


def _label_key(text: str, path: Path, context: Context) -> Iterator[FieldError]:
    for message in label_key(text, context.rules):
        yield invalid(path, "", text, message).with_origin("format=k8s-label-key")


def _pool_name(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    origin = "format=k8s-resource-pool-name"
    if len(text.encode()) > 253:
        yield too_long(path, "pool-name-too-long", 253).with_origin(origin)
    for index, part in enumerate(text.split("/")):
        messages = dns_subdomain(part, "bytes") if part else ["must not be empty"]
        for message in messages:
            detail = f"segment {index}: {message}"
            yield invalid(path, "", part or text, detail).with_origin(origin)


def _uuid(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    if not _UUID.fullmatch(text):
        yield invalid(path, "", text, _UUID_TEXT).with_origin("format=k8s-uuid")


def _fully_qualified(text: str, path: Path, _context: Context) -> Iterator[FieldError]:
    def wrong(value: str, detail: str) -> FieldError:
        return invalid(path, "", value, detail).with_origin(origin)

    origin = "format=k8s-resource-fully-qualified-name"
    parts = text.split("/")
    if len(parts) == 2 and not parts[0]:
        yield wrong("", "prefix must not be empty")
    elif len(parts) == 2:
        if len(parts[0].encode()) > 63:
            yield too_long(path, "", 63).with_origin(origin)
        for message in dns_subdomain(parts[0], "bytes"):
            yield wrong(parts[0], f"prefix: {message}")
    if len(parts) == 2 and not parts[1]:
        yield wrong("", "name must not be empty")
    elif len(parts) <= 2:
        if len(parts[-1].encode()) > 32:
            yield too_long(path, "", 32).with_origin(origin)
        for message in c_identifier(parts[-1]):
            yield wrong(parts[-1], message)
    if len(parts) == 1:
        yield wrong(text, "a fully qualified name must be a domain and a name separated by a slash")


def _extended_resource(text: str, path: Path, context: Context) -> Iterator[FieldError]:
    details = []
    if "/" not in text:
        details.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif "kubernetes.io/" in text:
        details.append('must not have "kubernetes.io/" domain')
    if text.startswith("requests."):
        details.append('must not have "requests." prefix')
    details += label_key(f"requests.{text}", context.rules)
    for detail in details:
        yield invalid(path, "", text, detail).with_origin("format=k8s-extended-resource-name")


_FORMATS: Mapping[str, Callable[[str, Path, Context], Iterator[FieldError]]] = {
    "short-name": _short_name,
    "long-name": _long_name,
    "long-name-caseless": _long_name_caseless,
    "label-key": _label_key,
    "pool-name": _pool_name,
    "uuid": _uuid,
    "fully-qualified": _fully_qualified,
    "extended-resource": _extended_resource,
}
