"""The checks of the rules that look at a whole run: written by `python -m dradsl.lint.pages.generate`.

Do not edit: change the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from dradsl.lint.view.found import Found
    from dradsl.lint.view.view import Run

    Check: TypeAlias = Callable[[Run], Iterator[Found]]

__all__ = ["CHECKS"]


def _objects_key_case() -> Check:
    from dradsl.lint.rules.objects.key_case import check

    return check


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


def _references_not_renamed() -> Check:
    from dradsl.lint.rules.references.not_renamed import check

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


def _slices_upper_case_driver() -> Check:
    from dradsl.lint.rules.slices.upper_case_driver import check

    return check


def _slices_name_published_twice() -> Check:
    from dradsl.lint.rules.slices.name_published_twice import check

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
    (_objects_key_case, ("DRA005",)),
    (_objects_status_in_manifest, ("DRA012",)),
    (_drivers_selectors, ("DRA107", "DRA201", "DRA202", "DRA203", "DRA204", "DRA205", "DRA206", "DRA207", "DRA208", "DRA209", "DRA210", "DRA211", "DRA212", "DRA213", "DRA214", "DRA215", "DRA216", "DRA217", "DRA218", "DRA219", "DRA220", "DRA221", "DRA222")),
    (_drivers_requests, ("DRA201", "DRA204", "DRA205", "DRA211", "DRA214", "DRA217", "DRA222", "DRA223", "DRA224", "DRA225", "DRA226", "DRA227", "DRA228")),
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
    (_references_not_renamed, ("DRA440",)),
    (_objects_wrong_group, ("DRA501",)),
    (_releases_opt_in_version, ("DRA502",)),
    (_releases_dropped_field, ("DRA503",)),
    (_slices_upper_case_driver, ("DRA615",)),
    (_slices_name_published_twice, ("DRA616",)),
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
