"""What a run needs of the rule documents, and the checks: written by `python -m dradsl.lint.catalogue.generate`.

Do not edit: change the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal, TypeAlias

    from dradsl.lint.view.found import Found
    from dradsl.lint.view.view import Run

    Need: TypeAlias = Literal["schema", "classes", "inventory", "old"]
    Default: TypeAlias = Literal["error", "warning", "info"]
    Row: TypeAlias = tuple[str, str, Default, tuple[Need, ...], tuple[str, ...]]
    Check: TypeAlias = Callable[[Run], Iterator[Found]]

__all__ = ["CHECKS", "ROWS"]

# Code, name, severity, what the rule needs, and the modules that find the mistake.
# fmt: off
ROWS: tuple[Row, ...] = (
    ("DRA001", "yaml-syntax", "error", (), ("dradsl/lint/engine/textual.py",)),
    ("DRA002", "duplicate-key", "error", (), ("dradsl/lint/engine/textual.py",)),
    ("DRA003", "unreadable-file", "error", (), ("dradsl/lint/engine/textual.py", "dradsl/lint/input/reading.py")),
    ("DRA004", "yaml-limit", "error", (), ("dradsl/lint/engine/textual.py", "dradsl/lint/input/reading.py")),
    ("DRA005", "unknown-field", "error", (), ("dradsl/kube/fields/decoding.py", "dradsl/kube/pods/claim_entries.py")),
    ("DRA006", "wrong-type", "error", (), ("dradsl/kube/fields/decoding.py", "dradsl/kube/pods/claim_entries.py", "dradsl/kube/pods/spec.py")),
    ("DRA007", "missing-field", "error", (), ("dradsl/kube/fields/decoding.py", "dradsl/kube/validation/declarative_reasons.py", "dradsl/lint/engine/textual.py")),
    ("DRA008", "misplaced-field", "error", (), ("dradsl/kube/fields/decoding.py", "dradsl/kube/pods/claim_entries.py", "dradsl/kube/pods/spec.py", "dradsl/kube/validation/metadata.py")),
    ("DRA009", "invalid-object-name", "error", (), ("dradsl/kube/validation/metadata.py",)),
    ("DRA010", "unused-ignore", "warning", (), ("dradsl/lint/engine/textual.py",)),
    ("DRA011", "invalid-metadata", "error", (), ("dradsl/kube/validation/metadata.py",)),
    ("DRA012", "status-in-manifest", "info", (), ("dradsl/lint/rules/objects/status_in_manifest.py",)),
    ("DRA099", "internal-error", "error", (), ("dradsl/lint/input/failures.py",)),
    ("DRA101", "cel-syntax", "error", (), ("dradsl/lint/rules/api_server.py",)),
    ("DRA102", "cel-type", "error", (), ("dradsl/kube/validation/selectors.py",)),
    ("DRA103", "cel-not-bool", "error", (), ("dradsl/lint/rules/api_server.py",)),
    ("DRA104", "cel-too-long", "error", (), ("dradsl/kube/validation/selectors.py",)),
    ("DRA105", "cel-too-costly", "error", (), ("dradsl/kube/validation/selectors.py",)),
    ("DRA106", "cel-not-in-release", "error", (), ("dradsl/lint/rules/api_server.py",)),
    ("DRA201", "unknown-attribute", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/constraints.py", "dradsl/drivers/judge/names.py")),
    ("DRA202", "unknown-domain", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/names.py")),
    ("DRA203", "unknown-driver", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/configs.py", "dradsl/drivers/judge/whole.py")),
    ("DRA204", "unknown-capacity", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/names.py", "dradsl/drivers/judge/requests.py")),
    ("DRA205", "attribute-capacity-confusion", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/constraints.py", "dradsl/drivers/judge/names.py")),
    ("DRA206", "wrong-type-comparison", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA207", "unguarded-optional-attribute", "warning", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/whole.py")),
    ("DRA208", "version-compared-as-text", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA209", "value-outside-enumeration", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA210", "capacity-equality", "warning", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA211", "always-true", "info", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/requests.py", "dradsl/drivers/judge/values.py", "dradsl/drivers/judge/whole.py")),
    ("DRA212", "never-true", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/whole.py")),
    ("DRA213", "contradicts-class", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/names.py", "dradsl/drivers/judge/values.py", "dradsl/drivers/judge/whole.py")),
    ("DRA214", "attribute-not-in-driver-version", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/constraints.py", "dradsl/drivers/judge/names.py")),
    ("DRA215", "selector-without-driver", "warning", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/whole.py")),
    ("DRA216", "pinned-to-one-device", "info", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA217", "implausible-amount", "warning", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/requests.py", "dradsl/drivers/judge/values.py")),
    ("DRA218", "just-misses-devices", "warning", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA219", "driver-without-schema", "info", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/configs.py", "dradsl/drivers/judge/whole.py")),
    ("DRA220", "field-of-value", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/values.py")),
    ("DRA221", "attribute-of-other-device-type", "error", (), ("dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/names.py")),
    ("DRA222", "deprecated-attribute", "info", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/lint/rules/drivers/selectors.py", "dradsl/drivers/judge/constraints.py", "dradsl/drivers/judge/names.py")),
    ("DRA223", "capacity-request-over-policy", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/requests.py")),
    ("DRA224", "mixed-device-types", "info", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/requests.py")),
    ("DRA225", "part-of-a-whole", "warning", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/requests.py")),
    ("DRA226", "takes-the-whole-device", "info", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/requests.py")),
    ("DRA227", "unsatisfiable-constraint", "error", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/constraints.py")),
    ("DRA228", "constraint-without-effect", "info", (), ("dradsl/lint/rules/drivers/requests.py", "dradsl/drivers/judge/constraints.py")),
    ("DRA301", "request-shape", "error", (), ("dradsl/kube/validation/claim.py",)),
    ("DRA302", "duplicate-item", "error", (), ("dradsl/kube/validation/claim.py", "dradsl/kube/validation/declarative_reasons.py")),
    ("DRA303", "missing-request-field", "error", (), ("dradsl/kube/validation/claim.py", "dradsl/kube/validation/formats.py", "dradsl/kube/validation/selectors.py")),
    ("DRA304", "invalid-count", "error", (), ("dradsl/kube/validation/claim.py",)),
    ("DRA305", "unsupported-value", "error", (), ("dradsl/kube/validation/claim.py", "dradsl/kube/validation/taints.py")),
    ("DRA306", "invalid-name", "error", (), ("dradsl/kube/validation/claim.py", "dradsl/kube/validation/formats.py", "dradsl/kube/validation/metadata.py")),
    ("DRA307", "too-many-items", "error", (), ("dradsl/kube/pods/pod_groups.py", "dradsl/kube/validation/claim.py", "dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/device_class.py", "dradsl/kube/validation/selectors.py", "dradsl/kube/validation/status.py")),
    ("DRA308", "unknown-request-reference", "error", (), ("dradsl/kube/validation/claim.py",)),
    ("DRA309", "empty-constraint", "error", (), ("dradsl/kube/validation/claim.py",)),
    ("DRA310", "invalid-attribute-name", "error", (), ("dradsl/kube/validation/formats.py",)),
    ("DRA311", "invalid-toleration", "error", (), ("dradsl/kube/validation/taints.py",)),
    ("DRA312", "invalid-extended-resource-name", "error", (), ("dradsl/kube/validation/device_class.py",)),
    ("DRA313", "invalid-derived-attribute", "error", (), ("dradsl/kube/validation/claim.py", "dradsl/kube/validation/declarative_reasons.py")),
    ("DRA314", "immutable-field", "error", ("old",), ("dradsl/kube/pods/pod_groups.py", "dradsl/kube/validation/claim.py", "dradsl/kube/validation/metadata.py", "dradsl/kube/validation/pool_request.py")),
    ("DRA315", "admin-access-namespace", "error", (), ("dradsl/kube/server/admission.py", "dradsl/kube/validation/claim.py", "dradsl/kube/validation/status.py")),
    ("DRA316", "invalid-claim-status", "warning", (), ("dradsl/kube/validation/declarative_formats.py", "dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/device.py", "dradsl/kube/validation/formats.py", "dradsl/kube/validation/metadata.py", "dradsl/kube/validation/pool_request.py", "dradsl/kube/validation/selectors.py", "dradsl/kube/validation/status.py", "dradsl/kube/validation/taints.py")),
    ("DRA317", "zero-count", "warning", (), ("dradsl/lint/rules/requests/zero_count.py",)),
    ("DRA318", "two-attributes", "warning", (), ("dradsl/lint/rules/requests/two_attributes.py",)),
    ("DRA401", "claim-source", "error", (), ("dradsl/kube/pods/pod_groups.py", "dradsl/kube/pods/spec.py")),
    ("DRA402", "duplicate-pod-claim", "error", (), ("dradsl/kube/pods/pod_groups.py", "dradsl/kube/pods/spec.py")),
    ("DRA403", "unknown-pod-claim", "error", (), ("dradsl/kube/pods/spec.py",)),
    ("DRA404", "invalid-pod-claim-name", "error", (), ("dradsl/kube/pods/pod_groups.py", "dradsl/kube/pods/spec.py")),
    ("DRA405", "claims-not-allowed-here", "error", (), ("dradsl/kube/pods/spec.py",)),
    ("DRA406", "extended-resource-quantity", "error", (), ("dradsl/kube/pods/spec.py",)),
    ("DRA410", "missing-claim-template", "error", (), ("dradsl/lint/rules/references/missing_template.py",)),
    ("DRA411", "missing-claim", "warning", (), ("dradsl/lint/rules/references/missing_claim.py",)),
    ("DRA412", "missing-device-class", "warning", ("classes",), ("dradsl/lint/rules/references/missing_device_class.py",)),
    ("DRA413", "missing-alternative-class", "warning", ("classes",), ("dradsl/lint/rules/references/missing_alternative_class.py",)),
    ("DRA414", "unknown-request", "error", (), ("dradsl/lint/rules/references/unknown_request.py",)),
    ("DRA415", "unused-pod-claim", "warning", (), ("dradsl/lint/rules/references/unused_pod_claim.py",)),
    ("DRA416", "claim-in-other-namespace", "error", (), ("dradsl/lint/rules/references/claim_in_other_namespace.py",)),
    ("DRA417", "node-name-with-claims", "error", (), ("dradsl/lint/rules/references/node_name_with_claims.py",)),
    ("DRA418", "shared-claim-replicas", "warning", (), ("dradsl/lint/rules/references/shared_claim_replicas.py",)),
    ("DRA419", "claim-named-twice", "error", (), ("dradsl/lint/rules/references/claim_named_twice.py",)),
    ("DRA501", "version-not-served", "error", (), ("dradsl/kube/fields/decoding.py", "dradsl/kube/pods/pod_groups.py")),
    ("DRA502", "opt-in-version", "warning", (), ("dradsl/lint/rules/releases/opt_in_version.py",)),
    ("DRA503", "dropped-field", "error", (), ("dradsl/lint/rules/releases/dropped_field.py", "dradsl/kube/validation/declarative_reasons.py")),
    ("DRA504", "field-not-in-release", "error", (), ("dradsl/kube/fields/decoding.py",)),
    ("DRA505", "shape-of-other-version", "error", (), ("dradsl/kube/fields/decoding.py",)),
    ("DRA601", "missing-slice-field", "error", (), ("dradsl/kube/validation/device.py", "dradsl/kube/validation/formats.py", "dradsl/kube/validation/slice.py")),
    ("DRA602", "node-selection", "error", (), ("dradsl/kube/validation/device.py", "dradsl/kube/validation/selectors.py", "dradsl/kube/validation/slice.py")),
    ("DRA603", "attribute-value", "error", (), ("dradsl/kube/validation/device.py", "dradsl/kube/validation/slice.py")),
    ("DRA604", "request-policy", "error", (), ("dradsl/kube/validation/capacity.py",)),
    ("DRA605", "slice-limit", "error", (), ("dradsl/kube/validation/capacity.py", "dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/device.py", "dradsl/kube/validation/slice.py", "dradsl/kube/validation/status.py")),
    ("DRA606", "invalid-slice-name", "error", (), ("dradsl/kube/validation/declarative_formats.py", "dradsl/kube/validation/formats.py")),
    ("DRA607", "invalid-taint", "error", (), ("dradsl/kube/validation/formats.py", "dradsl/kube/validation/metadata.py", "dradsl/kube/validation/taints.py")),
    ("DRA608", "counters-and-devices", "error", (), ("dradsl/kube/validation/slice.py",)),
    ("DRA609", "binding-conditions", "error", (), ("dradsl/kube/validation/device.py",)),
    ("DRA610", "duplicate-slice-item", "error", (), ("dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/device.py", "dradsl/kube/validation/slice.py")),
    ("DRA611", "immutable-slice-field", "error", ("old",), ("dradsl/kube/validation/slice.py",)),
    ("DRA612", "slice-number", "error", (), ("dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/slice.py")),
    ("DRA613", "invalid-skip-operations", "error", (), ("dradsl/kube/validation/declarative_reasons.py", "dradsl/kube/validation/device.py")),
    ("DRA614", "node-allocatable-resource", "error", (), ("dradsl/kube/validation/device.py",)),
    ("DRA615", "upper-case-driver", "warning", (), ("dradsl/lint/rules/slices/upper_case_driver.py",)),
    ("DRA701", "unsatisfiable-claim", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/causes.py")),
    ("DRA702", "count-above-any-node", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/causes.py")),
    ("DRA703", "selector-matches-no-device", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/causes.py")),
    ("DRA704", "constraint-never-satisfiable", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/causes.py")),
    ("DRA705", "alternative-never-reached", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/feasibility.py")),
    ("DRA706", "all-mode-over-limit", "error", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/feasibility.py")),
    ("DRA707", "search-may-time-out", "warning", ("inventory",), ("dradsl/lint/rules/feasibility/claims.py", "dradsl/allocator/explain/feasibility.py")),
    ("DRA801", "unknown-config-kind", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA802", "unknown-config-field", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA803", "wrong-config-value", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA804", "missing-config-field", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA805", "config-for-other-driver", "warning", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA806", "config-for-other-device-type", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA807", "config-not-in-driver-version", "error", (), ("dradsl/lint/rules/drivers/configs.py", "dradsl/drivers/judge/configs.py")),
    ("DRA850", "invalid-parameters", "error", (), ("dradsl/kube/validation/configs.py",)),
    ("DRA851", "missing-opaque", "error", (), ("dradsl/kube/validation/configs.py",)),
    ("DRA901", "limit-and-claim", "warning", (), ("dradsl/lint/rules/coexistence/limit_and_claim.py",)),
    ("DRA902", "shared-extended-resource-name", "warning", (), ("dradsl/lint/rules/coexistence/shared_extended_name.py",)),
    ("DRA903", "toleration-without-devices", "info", (), ("dradsl/lint/rules/coexistence/toleration_without_devices.py",)),
    ("DRA904", "stale-node-label", "info", (), ("dradsl/lint/rules/coexistence/stale_node_label.py",)),
    ("DRA905", "visible-devices-with-claim", "warning", (), ("dradsl/lint/rules/coexistence/visible_devices.py",)),
    ("DRA906", "quota-without-claims", "warning", (), ("dradsl/lint/rules/coexistence/quota_without_claims.py",)),
    ("DRA907", "queue-without-claims", "warning", (), ("dradsl/lint/rules/coexistence/queue_without_claims.py",)),
    ("DRA908", "dropped-with-limit", "warning", (), ("dradsl/lint/rules/coexistence/dropped_with_limit.py",)),
)
# fmt: on


def _objects_status_in_manifest() -> Check:
    from dradsl.lint.rules.objects.status_in_manifest import check

    return check


def _drivers_requests() -> Check:
    from dradsl.lint.rules.drivers.requests import check

    return check


def _drivers_selectors() -> Check:
    from dradsl.lint.rules.drivers.selectors import check

    return check


def _drivers_configs() -> Check:
    from dradsl.lint.rules.drivers.configs import check

    return check


def _requests_zero_count() -> Check:
    from dradsl.lint.rules.requests.zero_count import check

    return check


def _requests_two_attributes() -> Check:
    from dradsl.lint.rules.requests.two_attributes import check

    return check


def _references_missing_template() -> Check:
    from dradsl.lint.rules.references.missing_template import check

    return check


def _references_missing_claim() -> Check:
    from dradsl.lint.rules.references.missing_claim import check

    return check


def _references_missing_device_class() -> Check:
    from dradsl.lint.rules.references.missing_device_class import check

    return check


def _references_missing_alternative_class() -> Check:
    from dradsl.lint.rules.references.missing_alternative_class import check

    return check


def _references_unknown_request() -> Check:
    from dradsl.lint.rules.references.unknown_request import check

    return check


def _references_unused_pod_claim() -> Check:
    from dradsl.lint.rules.references.unused_pod_claim import check

    return check


def _references_claim_in_other_namespace() -> Check:
    from dradsl.lint.rules.references.claim_in_other_namespace import check

    return check


def _references_node_name_with_claims() -> Check:
    from dradsl.lint.rules.references.node_name_with_claims import check

    return check


def _references_shared_claim_replicas() -> Check:
    from dradsl.lint.rules.references.shared_claim_replicas import check

    return check


def _references_claim_named_twice() -> Check:
    from dradsl.lint.rules.references.claim_named_twice import check

    return check


def _releases_opt_in_version() -> Check:
    from dradsl.lint.rules.releases.opt_in_version import check

    return check


def _releases_dropped_field() -> Check:
    from dradsl.lint.rules.releases.dropped_field import check

    return check


def _slices_upper_case_driver() -> Check:
    from dradsl.lint.rules.slices.upper_case_driver import check

    return check


def _feasibility_claims() -> Check:
    from dradsl.lint.rules.feasibility.claims import check

    return check


def _coexistence_limit_and_claim() -> Check:
    from dradsl.lint.rules.coexistence.limit_and_claim import check

    return check


def _coexistence_shared_extended_name() -> Check:
    from dradsl.lint.rules.coexistence.shared_extended_name import check

    return check


def _coexistence_toleration_without_devices() -> Check:
    from dradsl.lint.rules.coexistence.toleration_without_devices import check

    return check


def _coexistence_stale_node_label() -> Check:
    from dradsl.lint.rules.coexistence.stale_node_label import check

    return check


def _coexistence_visible_devices() -> Check:
    from dradsl.lint.rules.coexistence.visible_devices import check

    return check


def _coexistence_quota_without_claims() -> Check:
    from dradsl.lint.rules.coexistence.quota_without_claims import check

    return check


def _coexistence_queue_without_claims() -> Check:
    from dradsl.lint.rules.coexistence.queue_without_claims import check

    return check


def _coexistence_dropped_with_limit() -> Check:
    from dradsl.lint.rules.coexistence.dropped_with_limit import check

    return check


# fmt: off
# The checks, each with the codes that it can find.
CHECKS: tuple[tuple[Callable[[], Check], tuple[str, ...]], ...] = (
    (_objects_status_in_manifest, ("DRA012",)),
    (_drivers_requests, ("DRA201", "DRA204", "DRA205", "DRA211", "DRA214", "DRA217", "DRA222", "DRA223", "DRA224", "DRA225", "DRA226", "DRA227", "DRA228")),
    (_drivers_selectors, ("DRA201", "DRA202", "DRA203", "DRA204", "DRA205", "DRA206", "DRA207", "DRA208", "DRA209", "DRA210", "DRA211", "DRA212", "DRA213", "DRA214", "DRA215", "DRA216", "DRA217", "DRA218", "DRA219", "DRA220", "DRA221", "DRA222")),
    (_drivers_configs, ("DRA203", "DRA219", "DRA801", "DRA802", "DRA803", "DRA804", "DRA805", "DRA806", "DRA807")),
    (_requests_zero_count, ("DRA317",)),
    (_requests_two_attributes, ("DRA318",)),
    (_references_missing_template, ("DRA410",)),
    (_references_missing_claim, ("DRA411",)),
    (_references_missing_device_class, ("DRA412",)),
    (_references_missing_alternative_class, ("DRA413",)),
    (_references_unknown_request, ("DRA414",)),
    (_references_unused_pod_claim, ("DRA415",)),
    (_references_claim_in_other_namespace, ("DRA416",)),
    (_references_node_name_with_claims, ("DRA417",)),
    (_references_shared_claim_replicas, ("DRA418",)),
    (_references_claim_named_twice, ("DRA419",)),
    (_releases_opt_in_version, ("DRA502",)),
    (_releases_dropped_field, ("DRA503",)),
    (_slices_upper_case_driver, ("DRA615",)),
    (_feasibility_claims, ("DRA701", "DRA702", "DRA703", "DRA704", "DRA705", "DRA706", "DRA707")),
    (_coexistence_limit_and_claim, ("DRA901",)),
    (_coexistence_shared_extended_name, ("DRA902",)),
    (_coexistence_toleration_without_devices, ("DRA903",)),
    (_coexistence_stale_node_label, ("DRA904",)),
    (_coexistence_visible_devices, ("DRA905",)),
    (_coexistence_quota_without_claims, ("DRA906",)),
    (_coexistence_queue_without_claims, ("DRA907",)),
    (_coexistence_dropped_with_limit, ("DRA908",)),
)
# fmt: on
