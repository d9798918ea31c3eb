"""The checks of the rules that look at a whole run: written by `python -m dradsl.lint.pages.generate`.

Do not edit: change the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import Run
    from dradsl.lint.view.words import Words

    Check: TypeAlias = Callable[[Run], Iterator[RuleFinding]]

__all__ = ["CHECKS"]


def _objects_status_in_manifest() -> Check:
    from dradsl.lint.rules.objects.status_in_manifest import check

    return check


def _drivers_selectors() -> Check:
    from dradsl.lint.rules.drivers.selectors import check

    return check


def _drivers_requests() -> Check:
    from dradsl.lint.rules.drivers.requests import check

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


def _requests_amounts_too_many_devices() -> Check:
    from dradsl.lint.rules.requests.amounts.too_many_devices import check

    return check


def _requests_amounts_all_of_every_driver() -> Check:
    from dradsl.lint.rules.requests.amounts.all_of_every_driver import check

    return check


def _requests_amounts_all_in_shared_claim() -> Check:
    from dradsl.lint.rules.requests.amounts.all_in_shared_claim import check

    return check


def _requests_amounts_all_with_constraint() -> Check:
    from dradsl.lint.rules.requests.amounts.all_with_constraint import check

    return check


def _requests_access_admin_access_in_workload() -> Check:
    from dradsl.lint.rules.requests.access.admin_access_in_workload import check

    return check


def _requests_access_admin_access_unlabelled() -> Check:
    from dradsl.lint.rules.requests.access.admin_access_unlabelled import check

    return check


def _requests_tolerations_any_key() -> Check:
    from dradsl.lint.rules.requests.tolerations.any_key import check

    return check


def _requests_tolerations_effect_none() -> Check:
    from dradsl.lint.rules.requests.tolerations.effect_none import check

    return check


def _requests_tolerations_every_taint() -> Check:
    from dradsl.lint.rules.requests.tolerations.every_taint import check

    return check


def _requests_tolerations_seconds_ignored() -> Check:
    from dradsl.lint.rules.requests.tolerations.seconds_ignored import check

    return check


def _requests_tolerations_many() -> Check:
    from dradsl.lint.rules.requests.tolerations.many import check

    return check


def _requests_lists_no_requests() -> Check:
    from dradsl.lint.rules.requests.lists.no_requests import check

    return check


def _requests_lists_equal_alternatives() -> Check:
    from dradsl.lint.rules.requests.lists.equal_alternatives import check

    return check


def _requests_lists_equal_requests() -> Check:
    from dradsl.lint.rules.requests.lists.equal_requests import check

    return check


def _requests_lists_constraint_on_one_alternative() -> Check:
    from dradsl.lint.rules.requests.lists.constraint_on_one_alternative import check

    return check


def _requests_lists_config_on_one_alternative() -> Check:
    from dradsl.lint.rules.requests.lists.config_on_one_alternative import check

    return check


def _requests_lists_distinct_not_enforced() -> Check:
    from dradsl.lint.rules.requests.lists.distinct_not_enforced import check

    return check


def _requests_lists_equal_config() -> Check:
    from dradsl.lint.rules.requests.lists.equal_config import check

    return check


def _requests_amounts_class_of_every_driver() -> Check:
    from dradsl.lint.rules.requests.amounts.class_of_every_driver import check

    return check


def _requests_amounts_invalid_capacity_request() -> Check:
    from dradsl.lint.rules.requests.amounts.invalid_capacity_request import check

    return check


def _requests_amounts_rounded_up() -> Check:
    from dradsl.lint.rules.requests.amounts.rounded_up import check

    return check


def _ecosystem_kubevirt() -> Check:
    from dradsl.lint.rules.ecosystem.kubevirt import check

    return check


def _values_lost_claims() -> Check:
    from dradsl.lint.rules.values.lost_claims import check

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


def _references_consumption_too_many_pods() -> Check:
    from dradsl.lint.rules.references.consumption.too_many_pods import check

    return check


def _references_consumption_init_container_only() -> Check:
    from dradsl.lint.rules.references.consumption.init_container_only import check

    return check


def _references_consumption_part_of_a_device() -> Check:
    from dradsl.lint.rules.references.consumption.part_of_a_device import check

    return check


def _references_consumption_long_class_name() -> Check:
    from dradsl.lint.rules.references.consumption.long_class_name import check

    return check


def _references_not_renamed() -> Check:
    from dradsl.lint.rules.references.not_renamed import check

    return check


def _references_replaced_claims() -> Check:
    from dradsl.lint.rules.references.replaced_claims import check

    return check


def _objects_wrong_group() -> Check:
    from dradsl.lint.rules.objects.wrong_group import check

    return check


def _releases_opt_in_version() -> Check:
    from dradsl.lint.rules.releases.opt_in_version import check

    return check


def _releases_dropped_field() -> Check:
    from dradsl.lint.rules.releases.dropped_field import check

    return check


def _releases_driver_and_release() -> Check:
    from dradsl.lint.rules.releases.driver_and_release import check

    return check


def _slices_upper_case_driver() -> Check:
    from dradsl.lint.rules.slices.upper_case_driver import check

    return check


def _slices_name_published_twice() -> Check:
    from dradsl.lint.rules.slices.name_published_twice import check

    return check


def _slices_pools_duplicate_device() -> Check:
    from dradsl.lint.rules.slices.pools.duplicate_device import check

    return check


def _slices_pools_slice_count() -> Check:
    from dradsl.lint.rules.slices.pools.slice_count import check

    return check


def _slices_pools_old_generation() -> Check:
    from dradsl.lint.rules.slices.pools.old_generation import check

    return check


def _slices_pools_missing_counter_set() -> Check:
    from dradsl.lint.rules.slices.pools.missing_counter_set import check

    return check


def _slices_pools_shared_pool_name() -> Check:
    from dradsl.lint.rules.slices.pools.shared_pool_name import check

    return check


def _slices_taint_rules_selects_everything() -> Check:
    from dradsl.lint.rules.slices.taint_rules.selects_everything import check

    return check


def _slices_taint_rules_without_selector() -> Check:
    from dradsl.lint.rules.slices.taint_rules.without_selector import check

    return check


def _slices_taint_rules_half_a_name() -> Check:
    from dradsl.lint.rules.slices.taint_rules.half_a_name import check

    return check


def _feasibility_claims() -> Check:
    from dradsl.lint.rules.feasibility.claims import check

    return check


def _feasibility_no_common_node() -> Check:
    from dradsl.lint.rules.feasibility.no_common_node import check

    return check


def _feasibility_no_open_node() -> Check:
    from dradsl.lint.rules.feasibility.no_open_node import check

    return check


def _feasibility_device_gone() -> Check:
    from dradsl.lint.rules.feasibility.device_gone import check

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


def _ecosystem_queue_without_claims() -> Check:
    from dradsl.lint.rules.ecosystem.queue_without_claims import check

    return check


def _coexistence_dropped_with_limit() -> Check:
    from dradsl.lint.rules.coexistence.dropped_with_limit import check

    return check


def _coexistence_quota_below_claim() -> Check:
    from dradsl.lint.rules.coexistence.quota_below_claim import check

    return check


def _coexistence_quota_below_claims() -> Check:
    from dradsl.lint.rules.coexistence.quota_below_claims import check

    return check


def _ecosystem_kueue_workloads() -> Check:
    from dradsl.lint.rules.ecosystem.kueue_workloads import check

    return check


def _ecosystem_kueue_configuration() -> Check:
    from dradsl.lint.rules.ecosystem.kueue_configuration import check

    return check


def _ecosystem_compute_domain() -> Check:
    from dradsl.lint.rules.ecosystem.compute_domain import check

    return check


def _ecosystem_monitoring() -> Check:
    from dradsl.lint.rules.ecosystem.monitoring import check

    return check


def _ecosystem_autoscalers() -> Check:
    from dradsl.lint.rules.ecosystem.autoscalers import check

    return check


def _ecosystem_node_overlay() -> Check:
    from dradsl.lint.rules.ecosystem.node_overlay import check

    return check


def _values_charts() -> Check:
    from dradsl.lint.rules.values.charts import check

    return check


def _values_needs() -> Check:
    from dradsl.lint.rules.values.needs import check

    return check


def _values_kernel_drivers() -> Check:
    from dradsl.lint.rules.values.kernel_drivers import check

    return check


def _ecosystem_nodes() -> Check:
    from dradsl.lint.rules.ecosystem.nodes import check

    return check


def _ecosystem_batch() -> Check:
    from dradsl.lint.rules.ecosystem.batch import check

    return check


# fmt: off
# The checks, each with the codes that it can find, and the words without which it finds none (its `WORDS`).
CHECKS: tuple[tuple[Callable[[], Check], tuple[str, ...], Words], ...] = (
    (_objects_status_in_manifest, ("DRA012",), (("status",), ("DeviceTaintRule", "ResourceClaim", "ResourcePoolStatusRequest"))),
    (_drivers_selectors, ("DRA107", "DRA201", "DRA202", "DRA203", "DRA204", "DRA205", "DRA206", "DRA207", "DRA208", "DRA209", "DRA210", "DRA211", "DRA212", "DRA213", "DRA214", "DRA215", "DRA216", "DRA217", "DRA218", "DRA219", "DRA220", "DRA221", "DRA222", "DRA229"), (("selectors",),)),
    (_drivers_requests, ("DRA201", "DRA204", "DRA205", "DRA211", "DRA214", "DRA217", "DRA222", "DRA223", "DRA224", "DRA225", "DRA226", "DRA227", "DRA228"), (("constraints", "deviceClassName"),)),
    (_drivers_configs, ("DRA203", "DRA219", "DRA801", "DRA802", "DRA803", "DRA804", "DRA805", "DRA806", "DRA807"), (("config",),)),
    (_requests_zero_count, ("DRA317",), (("count",), (0,))),
    (_requests_two_attributes, ("DRA318",), (("matchAttribute",), ("distinctAttribute",))),
    (_requests_amounts_too_many_devices, ("DRA319",), (("count",),)),
    (_requests_amounts_all_of_every_driver, ("DRA320",), (("All",),)),
    (_requests_amounts_all_in_shared_claim, ("DRA321",), (("All",), ("resourceClaimName",))),
    (_requests_amounts_all_with_constraint, ("DRA322",), (("All",), ("constraints",))),
    (_requests_access_admin_access_in_workload, ("DRA323",), (("adminAccess",), ("resourceClaims",))),
    (_requests_access_admin_access_unlabelled, ("DRA324",), (("adminAccess",),)),
    (_requests_tolerations_any_key, ("DRA325",), (("tolerations",),)),
    (_requests_tolerations_effect_none, ("DRA326",), (("tolerations",), ("None",))),
    (_requests_tolerations_every_taint, ("DRA327",), (("tolerations",), ("Exists",))),
    (_requests_tolerations_seconds_ignored, ("DRA328",), (("tolerations",), ("tolerationSeconds",))),
    (_requests_tolerations_many, ("DRA329",), (("tolerations",),)),
    (_requests_lists_no_requests, ("DRA330",), (("ResourceClaim", "ResourceClaimTemplate"),)),
    (_requests_lists_equal_alternatives, ("DRA331",), (("firstAvailable",),)),
    (_requests_lists_equal_requests, ("DRA332",), (("ResourceClaim", "ResourceClaimTemplate"),)),
    (_requests_lists_constraint_on_one_alternative, ("DRA333",), (("firstAvailable",), ("constraints",))),
    (_requests_lists_config_on_one_alternative, ("DRA334",), (("firstAvailable",), ("config",))),
    (_requests_lists_distinct_not_enforced, ("DRA335",), (("distinctAttribute",),)),
    (_requests_lists_equal_config, ("DRA336",), (("config",), ("opaque",))),
    (_requests_amounts_class_of_every_driver, ("DRA337",), (("DeviceClass",),)),
    (_requests_amounts_invalid_capacity_request, ("DRA338",), (("capacity",), ("requests",))),
    (_requests_amounts_rounded_up, ("DRA339",), (("capacity",), ("requests",))),
    (_ecosystem_kubevirt, ("DRA403", "DRA414", "DRA415", "DRA930", "DRA931", "DRA932"), (("VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet", "VirtualMachinePool"),)),
    (_values_lost_claims, ("DRA403",), (("(document that is not an object, as the values of a chart)",),)),
    (_references_missing_template, ("DRA410",), (("resourceClaimTemplateName",),)),
    (_references_missing_claim, ("DRA411",), (("resourceClaimName",),)),
    (_references_missing_device_class, ("DRA412",), (("deviceClassName",),)),
    (_references_missing_alternative_class, ("DRA413",), (("firstAvailable",),)),
    (_references_unknown_request, ("DRA414",), (("claims",), ("request",))),
    (_references_unused_pod_claim, ("DRA415",), (("resourceClaims",),)),
    (_references_claim_in_other_namespace, ("DRA416",), (("resourceClaims",),)),
    (_references_node_name_with_claims, ("DRA417",), (("resourceClaims",), ("nodeName",))),
    (_references_shared_claim_replicas, ("DRA418",), (("resourceClaimName",),)),
    (_references_claim_named_twice, ("DRA419",), (("resourceClaimName",),)),
    (_references_consumption_too_many_pods, ("DRA420",), (("resourceClaimName",),)),
    (_references_consumption_init_container_only, ("DRA421",), (("resourceClaims",), ("initContainers",))),
    (_references_consumption_part_of_a_device, ("DRA422",), (("deviceclass.resource.kubernetes.io/",),)),
    (_references_consumption_long_class_name, ("DRA423",), (("DeviceClass",),)),
    (_references_not_renamed, ("DRA440",), (("(built by a kustomization)", "namePrefix", "nameSuffix"),)),
    (_references_replaced_claims, ("DRA441",), (("resourceClaims",), ("(built by a kustomization)",))),
    (_objects_wrong_group, ("DRA501",), (("DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest", "ResourceSlice"),)),
    (_releases_opt_in_version, ("DRA502",), (("resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"),)),
    (_releases_dropped_field, ("DRA503",), (("resource.k8s.io", "scheduling.k8s.io"),)),
    (_releases_driver_and_release, ("DRA506",), (("deviceClassName",),)),
    (_slices_upper_case_driver, ("DRA615",), (("ResourceSlice",),)),
    (_slices_name_published_twice, ("DRA616",), (("ResourceSlice",),)),
    (_slices_pools_duplicate_device, ("DRA617",), (("ResourceSlice",),)),
    (_slices_pools_slice_count, ("DRA618",), (("ResourceSlice",),)),
    (_slices_pools_old_generation, ("DRA619",), (("ResourceSlice",),)),
    (_slices_pools_missing_counter_set, ("DRA620",), (("ResourceSlice",), ("consumesCounters",))),
    (_slices_pools_shared_pool_name, ("DRA621",), (("ResourceSlice",), ("sharedCounters",))),
    (_slices_taint_rules_selects_everything, ("DRA640",), (("DeviceTaintRule",),)),
    (_slices_taint_rules_without_selector, ("DRA641",), (("DeviceTaintRule",),)),
    (_slices_taint_rules_half_a_name, ("DRA642",), (("DeviceTaintRule",),)),
    (_feasibility_claims, ("DRA701", "DRA702", "DRA703", "DRA704", "DRA705", "DRA706", "DRA707"), ()),
    (_feasibility_no_common_node, ("DRA708",), ()),
    (_feasibility_no_open_node, ("DRA709",), ()),
    (_feasibility_device_gone, ("DRA710",), ()),
    (_coexistence_limit_and_claim, ("DRA901",), (("resourceClaims",), ("/",))),
    (_coexistence_shared_extended_name, ("DRA902",), (("extendedResourceName",),)),
    (_coexistence_toleration_without_devices, ("DRA903",), (("runtimeClassName", "tolerations"),)),
    (_coexistence_stale_node_label, ("DRA904",), (("resourceClaims",), ("nodeAffinity", "nodeSelector"))),
    (_coexistence_visible_devices, ("DRA905",), (("resourceClaims",), ("AMD_VISIBLE_DEVICES", "HABANA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"))),
    (_coexistence_quota_without_claims, ("DRA906",), (("ResourceQuota",),)),
    (_ecosystem_queue_without_claims, ("DRA907",), (("resourceClaims",), ("batch.volcano.sh", "kueue.x-k8s.io/queue-name"))),
    (_coexistence_dropped_with_limit, ("DRA908",), (("(document that is not an object, as the values of a chart)", "(object of a group that is not of Kubernetes itself)", "Application", "ApplicationSet", "ConfigMap", "HelmRelease"),)),
    (_coexistence_quota_below_claim, ("DRA909",), (("ResourceQuota",),)),
    (_coexistence_quota_below_claims, ("DRA910",), (("ResourceQuota",),)),
    (_ecosystem_kueue_workloads, ("DRA920", "DRA921", "DRA925"), (("resourceClaims",), ("kueue.x-k8s.io/queue-name",))),
    (_ecosystem_kueue_configuration, ("DRA922", "DRA923", "DRA924", "DRA926"), (("ClusterQueue", "config.kueue.x-k8s.io"),)),
    (_ecosystem_compute_domain, ("DRA935", "DRA936", "DRA937"), (("ComputeDomain", "compute-domain-default-channel.nvidia.com", "compute-domain.nvidia.com"),)),
    (_ecosystem_monitoring, ("DRA940", "DRA941"), (("dcgm-exporter",),)),
    (_ecosystem_autoscalers, ("DRA945", "DRA946", "DRA947"), (("resourceClaims",), ("InferencePool", "NodePool", "cluster-autoscaler"))),
    (_ecosystem_node_overlay, ("DRA948",), (("NodeOverlay",),)),
    (_values_charts, ("DRA950", "DRA951", "DRA952"), (("(document that is not an object, as the values of a chart)", "Application", "ClusterPolicy", "GPUCluster", "HelmRelease"),)),
    (_values_needs, ("DRA953",), (("(document that is not an object, as the values of a chart)", "Application", "HelmRelease"),)),
    (_values_kernel_drivers, ("DRA953",), (("(document that is not an object, as the values of a chart)", "Application", "ClusterPolicy", "HelmRelease", "NVIDIADriver"),)),
    (_ecosystem_nodes, ("DRA960",), (("(recorded objects)", "Node"),)),
    (_ecosystem_batch, ("DRA965", "DRA966", "DRA967"), (("kai-scheduler", "scheduling.volcano.sh"),)),
)
# fmt: on
