"""What validation of one object needs to know besides the object: gates, release rules, CEL.

The differences between releases are data: one column a release, one row a rule that changed. The
rest of validation asks the row and never compares release numbers.

Sources: kubernetes pkg/apis/resource/validation/validation.go, pkg/apis/resource/types.go and
pkg/registry/resource/*/strategy.go at 1.34.10, 1.35.8, 1.36.4 and 1.37.1; apimachinery
pkg/api/validation and pkg/apis/meta/v1/validation at 0.34.12 to 0.37.2.
"""

from __future__ import annotations

from types import MappingProxyType

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.expressions import Expressions
    from dradsl.releases import Features

__all__ = ["Context", "Rules", "rules_of"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What one release does differently from another.

    Of the lists: `stops_at_limit` = too long a list is not looked into; `duplicate_at_key` = a
    duplicate is reported at the key field of the item; `map_key_at_entry` = a bad key is reported at
    its entry and not at the map. `counters_in_total` = 1.34's limits over all counters of a slice,
    with counter references checked. `stored_cel` = expressions that were stored before are compiled
    again, in the lenient environment. `names_embedded` = decoding errors name embedded structs.
    `declarative` = the declarative rules of DRA types decide. `new_effect_new_time` = a
    DeviceTaintRule whose effect changes gets the time of now. `group_versions` = the API versions of
    PodGroups and Workloads, the best first.
    """

    stops_at_limit: bool = True
    duplicate_at_key: bool = False
    map_key_at_entry: bool = False
    union_members_always: bool = False
    counters_in_total: bool = False
    driver_required_only: bool = True
    qualified_name_required: bool = False
    class_name_declared: bool = True
    class_update_twice: bool = False
    claim_update_in_full: bool = False
    template_update_spec: bool = False
    taint_unchanged_tolerated: bool = True
    capacity_unchanged_tolerated: bool = False
    attribute_missing_required: bool = False
    stored_cel: bool = True
    default_path: bool = False
    step_checked: bool = False
    tolerations_in_results: bool = False
    declarative: bool = False
    label_unit: str = "bytes"
    label_key_phrase: str = "a valid label key"
    owners_indexed: bool = False
    conditions_required: bool = False
    warns_of_driver_case: bool = True
    names_embedded: bool = True
    new_effect_new_time: bool = True
    max_taints: int = 16
    max_devices_with_extras: int = 64
    effects: tuple[str, ...] = ("NoExecute", "NoSchedule", "None")
    group_versions: tuple[str, ...] = ()


_RULES: Mapping[str, Rules] = MappingProxyType(
    {
        "1.34": Rules(
            stops_at_limit=False,
            duplicate_at_key=True,
            map_key_at_entry=True,
            union_members_always=True,
            counters_in_total=True,
            driver_required_only=False,
            qualified_name_required=True,
            class_name_declared=False,
            class_update_twice=True,
            claim_update_in_full=True,
            template_update_spec=True,
            taint_unchanged_tolerated=False,
            attribute_missing_required=True,
            warns_of_driver_case=False,
            names_embedded=False,
            new_effect_new_time=False,
            label_unit="characters",
            label_key_phrase="a qualified name",
            max_taints=4,
            max_devices_with_extras=128,
            effects=("NoExecute", "NoSchedule"),
        ),
        "1.35": Rules(
            map_key_at_entry=True, new_effect_new_time=False, group_versions=("v1alpha1",)
        ),
        "1.36": Rules(group_versions=("v1alpha2",)),
        "1.37": Rules(
            capacity_unchanged_tolerated=True,
            stored_cel=False,
            default_path=True,
            step_checked=True,
            tolerations_in_results=True,
            declarative=True,
            owners_indexed=True,
            conditions_required=True,
            group_versions=("v1beta1", "v1alpha3"),
        ),
    }
)


def rules_of(release: str) -> Rules:
    """The row of a release."""
    return _RULES[release]


@dataclass(frozen=True, slots=True)
class Context:
    """Gates and rules of the release, and the judge of its CEL expressions."""

    features: Features
    rules: Rules
    expressions: Expressions

    @property
    def release(self) -> str:
        return self.features.release
