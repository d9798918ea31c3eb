"""The one table of rules: code, name, default severity, what each needs, and where it is checked."""

from __future__ import annotations

from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

__all__ = ["FAMILIES", "GROUP_CHECKS", "INTERNAL_ERROR", "RULES", "Need", "Rule", "find_rule"]

Need: TypeAlias = "Literal['schema', 'classes', 'inventory', 'old']"

FAMILIES: Mapping[int, str] = MappingProxyType(
    {
        0: "text and structure",
        1: "CEL as upstream compiles it",
        2: "CEL against driver schemas",
        3: "requests and constraints",
        4: "references and workloads",
        5: "releases and feature gates",
        6: "slices and inventories",
        7: "feasibility on recorded slices",
        8: "driver configuration",
        9: "migration and coexistence",
    }
)

INTERNAL_ERROR = "DRA099"
"""The code of findings about dradsl itself: no configuration, ignore or baseline hides them."""

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of mistake. `check` names the module with `check(run)` under `dradsl.lint.rules`;
    without one the finding comes from reading the text, from the API server's own rules
    (`lint/adapter.py`), or from a layer that `lint/checks.py` calls."""

    code: str
    name: str
    severity: Severity
    summary: str
    check: str | None = None
    needs: frozenset[Need] = frozenset()

    @property
    def family(self) -> int:
        return int(self.code[3])


def _rule(
    code: str,
    name: str,
    severity: Severity,
    summary: str,
    check: str | None = None,
    *needs: Need,
) -> tuple[str, Rule]:
    return code, Rule(code, name, severity, summary, check, frozenset(needs))


_OWN = (
    # 0: text and structure
    _rule("DRA001", "yaml-syntax", _E, "the document is not YAML"),
    _rule("DRA002", "duplicate-key", _E, "a key stands twice in one mapping"),
    _rule("DRA003", "unreadable-file", _E, "the file cannot be read as text"),
    _rule("DRA004", "yaml-limit", _E, "the file is larger or deeper than is safe to read"),
    _rule("DRA005", "unknown-field", _E, "the API has no field of this name here"),
    _rule("DRA006", "wrong-type", _E, "the value has a type the field does not take"),
    _rule("DRA007", "missing-field", _E, "a required field is missing"),
    _rule("DRA008", "misplaced-field", _E, "the field belongs one level up or down"),
    _rule("DRA009", "invalid-object-name", _E, "the object's name is not a legal one"),
    _rule("DRA010", "unused-ignore", _W, "an ignore comment that hides nothing"),
    _rule("DRA011", "invalid-metadata", _E, "labels, annotations or other metadata"),
    _rule("DRA012", "status-in-manifest", _I, "the API server empties the status", "objects.status_in_manifest"),
    _rule("DRA099", "internal-error", _E, "dradsl failed while it checked the file"),
    # 1: CEL as upstream compiles it
    _rule("DRA101", "cel-syntax", _E, "the expression is not CEL"),
    _rule("DRA102", "cel-type", _E, "the expression does not type-check"),
    _rule("DRA103", "cel-not-bool", _E, "the expression's result is not true or false"),
    _rule("DRA104", "cel-too-long", _E, "the expression is longer than 10 KiB"),
    _rule("DRA105", "cel-too-costly", _E, "the estimated cost exceeds the limit"),
    _rule("DRA106", "cel-not-in-release", _E, "needs a function the release lacks"),
    # 2: CEL against driver schemas
    _rule("DRA201", "unknown-attribute", _E, "the driver publishes no attribute of this name"),
    _rule("DRA202", "unknown-domain", _E, "no device has attributes or capacity in this domain"),
    _rule("DRA203", "unknown-driver", _E, "there is no such driver, but one with a similar name"),
    _rule("DRA204", "unknown-capacity", _E, "the driver publishes no capacity of this name"),
    _rule("DRA205", "attribute-capacity-confusion", _E, "a capacity is read as an attribute, or the other way round"),
    _rule("DRA206", "wrong-type-comparison", _E, "an attribute is compared with a value of another type"),
    _rule("DRA207", "unguarded-optional-attribute", _W, "a name that some devices lack is read without a guard"),
    _rule("DRA208", "version-compared-as-text", _E, "a version is compared as text"),
    _rule("DRA209", "value-outside-enumeration", _E, "an attribute or capacity is compared with a value that it never has"),
    _rule("DRA210", "capacity-equality", _W, "an amount is compared with `==`"),
    _rule("DRA211", "always-true", _I, "every device meets the condition"),
    _rule("DRA212", "never-true", _E, "the selector lets no device through"),
    _rule("DRA213", "contradicts-class", _E, "what the selector asks for was filtered out by the class"),
    _rule("DRA214", "attribute-not-in-driver-version", _E, "the driver version in use does not publish the name"),
    _rule("DRA215", "selector-without-driver", _W, "devices of other drivers make the selector fail"),
    _rule("DRA216", "pinned-to-one-device", _I, "the selector names one particular device"),
    _rule("DRA217", "implausible-amount", _W, "an amount of the wrong order of magnitude"),
    _rule("DRA218", "just-misses-devices", _W, "the limit leaves out parts that are probably meant"),
    _rule("DRA219", "driver-without-schema", _I, "no schema of this driver is known, so its names are not checked"),
    _rule("DRA220", "field-of-value", _E, "an attribute's value is used as if it had fields"),
    _rule("DRA221", "attribute-of-other-device-type", _E, "the device type selected before does not have the name"),
    _rule("DRA222", "deprecated-attribute", _I, "the driver announces the end of this name"),
    _rule("DRA223", "capacity-request-over-policy", _E, "a request takes more of a capacity than one may"),
    _rule("DRA224", "mixed-device-types", _I, "the request takes devices of several kinds"),
    _rule("DRA225", "part-of-a-whole", _W, "devices that are claimed together are asked for one by one"),
    _rule("DRA226", "takes-the-whole-device", _I, "a device made to be shared is taken whole"),
    _rule("DRA227", "unsatisfiable-constraint", _E, "no devices can meet the constraint on this attribute"),
    _rule("DRA228", "constraint-without-effect", _I, "a constraint that leaves the scheduler no less choice"),
    # 3: requests and constraints
    _rule("DRA301", "request-shape", _E, "not exactly one of exactly, firstAvailable"),
    _rule("DRA302", "duplicate-item", _E, "two items of a list have the same name"),
    _rule("DRA303", "missing-request-field", _E, "a required part of a request is missing"),
    _rule("DRA304", "invalid-count", _E, "the count contradicts the allocation mode"),
    _rule("DRA305", "unsupported-value", _E, "the value is not one of those allowed"),
    _rule("DRA306", "invalid-name", _E, "a request, class or driver name is not legal"),
    _rule("DRA307", "too-many-items", _E, "a list is longer than the API allows"),
    _rule("DRA308", "unknown-request-reference", _E, "names a request the claim lacks"),
    _rule("DRA309", "empty-constraint", _E, "a constraint that constrains nothing"),
    _rule("DRA310", "invalid-attribute-name", _E, "not a fully qualified attribute name"),
    _rule("DRA311", "invalid-toleration", _E, "a toleration's parts contradict each other"),
    _rule("DRA312", "invalid-extended-resource-name", _E, "not an extended resource name"),
    _rule("DRA313", "invalid-derived-attribute", _E, "a derived attribute is not usable"),
    _rule("DRA314", "immutable-field", _E, "an update may not change this", None, "old"),
    _rule("DRA315", "admin-access-namespace", _E, "the namespace lacks the admin label"),
    _rule("DRA316", "invalid-claim-status", _W, "the claim's status contradicts itself"),
    _rule("DRA317", "zero-count", _W, "count: 0 becomes 1", "requests.zero_count"),
    _rule("DRA318", "two-attributes", _W, "the second attribute is ignored", "requests.two_attributes"),
    # 4: references and workloads
    _rule("DRA401", "claim-source", _E, "a pod claim names no claim, or two"),
    _rule("DRA402", "duplicate-pod-claim", _E, "a claim is listed twice"),
    _rule("DRA403", "unknown-pod-claim", _E, "a container uses a claim the pod lacks"),
    _rule("DRA404", "invalid-pod-claim-name", _E, "a claim name or request is not legal"),
    _rule("DRA405", "claims-not-allowed-here", _E, "claims where the API refuses them"),
    _rule("DRA406", "extended-resource-quantity", _E, "requests and limits do not agree"),
    _rule("DRA410", "missing-claim-template", _E, "no such ResourceClaimTemplate", "references.missing_template"),
    _rule("DRA411", "missing-claim", _W, "no such ResourceClaim", "references.missing_claim"),
    _rule("DRA412", "missing-device-class", _W, "no such DeviceClass", "references.missing_device_class", "classes"),
    _rule("DRA413", "missing-alternative-class", _W, "an alternative's DeviceClass is missing", "references.missing_alternative_class", "classes"),
    _rule("DRA414", "unknown-request", _E, "the claim has no such request", "references.unknown_request"),
    _rule("DRA415", "unused-pod-claim", _W, "no container uses the claim", "references.unused_pod_claim"),
    _rule("DRA416", "claim-in-other-namespace", _E, "the claim is in another namespace", "references.claim_in_other_namespace"),
    _rule("DRA417", "node-name-with-claims", _E, "the scheduler is bypassed", "references.node_name_with_claims"),
    _rule("DRA418", "shared-claim-replicas", _W, "all replicas share one claim", "references.shared_claim_replicas"),
    _rule("DRA419", "claim-named-twice", _E, "two entries of a pod name one claim", "references.claim_named_twice"),
    # 5: releases and feature gates
    _rule("DRA501", "version-not-served", _E, "the release does not serve this API version"),
    _rule("DRA502", "opt-in-version", _W, "the API version must be turned on", "releases.opt_in_version"),
    _rule("DRA503", "dropped-field", _E, "the API server drops the field", "releases.dropped_field"),
    _rule("DRA504", "field-not-in-release", _E, "the field is newer or older than the release"),
    _rule("DRA505", "shape-of-other-version", _E, "fields of another API version's shape"),
    # 6: slices and inventories
    _rule("DRA601", "missing-slice-field", _E, "a required part of a slice is missing"),
    _rule("DRA602", "node-selection", _E, "not exactly one way to say which nodes"),
    _rule("DRA603", "attribute-value", _E, "an attribute needs exactly one legal value"),
    _rule("DRA604", "request-policy", _E, "a capacity's request policy contradicts itself"),
    _rule("DRA605", "slice-limit", _E, "more items than a slice may hold"),
    _rule("DRA606", "invalid-slice-name", _E, "a driver, pool, device or key name is illegal"),
    _rule("DRA607", "invalid-taint", _E, "a device taint is not legal"),
    _rule("DRA608", "counters-and-devices", _E, "counter sets and devices share a slice"),
    _rule("DRA609", "binding-conditions", _E, "binding conditions contradict each other"),
    _rule("DRA610", "duplicate-slice-item", _E, "two items of a slice have the same name"),
    _rule("DRA611", "immutable-slice-field", _E, "an update may not change this", None, "old"),
    _rule("DRA612", "slice-number", _E, "a pool number is out of range"),
    _rule("DRA613", "invalid-skip-operations", _E, "node operations cannot be skipped so"),
    _rule("DRA614", "node-allocatable-resource", _E, "a node resource mapping is not legal"),
    _rule("DRA615", "upper-case-driver", _W, "driver names should be lower case", "slices.upper_case_driver"),
    # 7: feasibility on recorded slices (allocator/feasibility.py, by way of a group check)
    _rule("DRA701", "unsatisfiable-claim", _W, "no recorded node can meet the claim", None, "inventory"),
    _rule("DRA702", "count-above-any-node", _W, "more devices than any node has", None, "inventory"),
    _rule("DRA703", "selector-matches-no-device", _W, "no recorded device matches", None, "inventory"),
    _rule("DRA704", "constraint-never-satisfiable", _W, "no node has such a group", None, "inventory"),
    _rule("DRA705", "alternative-never-reached", _W, "an earlier alternative always fits", None, "inventory"),
    _rule("DRA706", "all-mode-over-limit", _E, "All finds more than a claim can hold", None, "inventory"),
    _rule("DRA707", "search-may-time-out", _W, "the scheduler may run out of time", None, "inventory"),
    # 8: driver configuration
    _rule("DRA801", "unknown-config-kind", _E, "the driver knows no parameters of this apiVersion and kind"),
    _rule("DRA802", "unknown-config-field", _E, "the parameters have no field of this name"),
    _rule("DRA803", "wrong-config-value", _E, "a parameter has a value that the driver refuses"),
    _rule("DRA804", "missing-config-field", _E, "a required parameter is missing"),
    _rule("DRA805", "config-for-other-driver", _W, "no request of the config can get a device of its driver"),
    _rule("DRA806", "config-for-other-device-type", _E, "the parameters are for another device type than requested"),
    _rule("DRA807", "config-not-in-driver-version", _E, "the driver version in use does not know the parameter"),
    _rule("DRA850", "invalid-parameters", _E, "opaque parameters are not a JSON object"),
    _rule("DRA851", "missing-opaque", _E, "a config entry without opaque parameters"),
    # 9: migration and coexistence
    _rule("DRA901", "limit-and-claim", _W, "a limit and a claim for the same devices", "coexistence.limit_and_claim"),
    _rule("DRA902", "shared-extended-resource-name", _W, "two classes carry one extended resource", "coexistence.shared_extended_name"),
    _rule("DRA903", "toleration-without-devices", _I, "made ready for devices, asks for none", "coexistence.toleration_without_devices"),
    _rule("DRA904", "stale-node-label", _I, "selects nodes by labels of feature discovery", "coexistence.stale_node_label"),
    _rule("DRA905", "visible-devices-with-claim", _W, "a variable shows devices beside the claim's", "coexistence.visible_devices"),
    _rule("DRA906", "quota-without-claims", _W, "the quota does not count the claims", "coexistence.quota_without_claims"),
    _rule("DRA907", "queue-without-claims", _W, "the queue does not count the claims", "coexistence.queue_without_claims"),
    _rule("DRA908", "dropped-with-limit", _W, "a chart or operator drops more than the limit", "coexistence.dropped_with_limit"),
)  # fmt: skip

RULES: Mapping[str, Rule] = MappingProxyType(dict(sorted(_OWN)))

# Modules under `dradsl.lint.rules` whose `check(run)` gives findings of several codes.
GROUP_CHECKS: tuple[tuple[str, str], ...] = (
    ("drivers.selectors", "DRA2"),
    ("drivers.requests", "DRA2"),
    ("drivers.configs", "DRA8"),
    ("feasibility.claims", "DRA7"),
)


def find_rule(text: str) -> Rule | None:
    """The rule of a code or name, however it is written."""
    rule = RULES.get(text.upper())
    if rule is not None:
        return rule
    return next((r for r in RULES.values() if r.name == text.lower()), None)
