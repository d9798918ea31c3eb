"""Family 2, requests and constraints: the code and the words of what their judges find."""

from __future__ import annotations

from dradsl.drivers.judge import request_facts as facts
from dradsl.drivers.schema.suggest import listed
from dradsl.lint.catalogue.messages import Words, did_you_mean, plain, row, table
from dradsl.lint.catalogue.selector_messages import newer
from dradsl.records import replace

__all__ = ["REQUEST_MESSAGES"]

# dynamic-resource-allocation, CmpRequestOverCapacity.
_PASSED_OVER = (
    "a device without the capacity is passed over without an error: none is left, and the pod stays "
    "pending"
)


# Requests -------------------------------------------------------------------------------------


# Constraints ----------------------------------------------------------------------------------


def _on_unknown(found: facts.ConstraintOnUnknown) -> Words:
    instead = "remove the constraint"
    if found.shared:
        instead = f"write an attribute that all of these devices have ({listed(found.shared)}), or {instead}"
    parts = (None if found.meant else instead, newer(found.newest))
    return replace(plain(found), help="; ".join(filter(None, parts)) or None)


def _on_fixed(found: facts.ConstraintOnFixed) -> Words:
    if found.value == found.other_value:
        return Words(
            f'all devices of "{found.request}" and "{found.other}" have the same '
            f'"{found.attribute}" ("{found.value}"), as their selectors say: they never differ'
            if found.request != found.other
            else f'all devices of "{found.request}" have the same "{found.attribute}" ("{found.value}"), as its '
            "selectors say: they never differ"
        )
    return Words(
        f'"{found.attribute}" is "{found.value}" for request "{found.request}" and "{found.other_value}" for '
        f'"{found.other}", as their selectors say: the values never match'
    )


REQUEST_MESSAGES = table(
    row(facts.ConstraintOnUnknown, "DRA201", _on_unknown),
    row(facts.ConstraintOnForeign, "DRA201", plain),
    row(facts.CapacitySpeltOtherwise, "DRA204", plain),
    row(
        facts.UnknownCapacityRequest,
        "DRA204",
        lambda found: Words(
            f'devices of {listed(found.drivers)} have no capacity "{found.key}": no device fits'
            + did_you_mean(found.meant),
            f"they have {listed(found.known)}" if found.known else "they have no capacity",
            why=_PASSED_OVER,
        ),
    ),
    row(facts.ConstraintOnCapacity, "DRA205", plain),
    row(facts.AmountBelowAll, "DRA211", plain),
    row(facts.ConstraintOnOtherVersion, "DRA214", plain),
    row(facts.AmountTooSmall, "DRA217", plain),
    row(facts.AmountTooLarge, "DRA217", plain),
    row(facts.ConstraintOnDeprecated, "DRA222", plain),
    row(facts.AmountOverPolicy, "DRA223", plain),
    row(facts.AmountAboveAll, "DRA223", plain),
    row(facts.MixedDeviceTypes, "DRA224", plain),
    row(facts.PartOfWhole, "DRA225", plain),
    row(
        facts.WholeDeviceTaken,
        "DRA226",
        lambda found: Words(
            f"without an amount of {listed(found.capacities)} the request takes the whole device, "
            "which others could share",
            f"say how much: capacity.requests.{found.capacities[0]}",
        ),
    ),
    row(facts.ConstraintOnFixed, "DRA227", _on_fixed),
    row(facts.ConstraintTypesDiffer, "DRA227", plain),
    row(facts.ConstraintOnUnique, "DRA227", plain),
    row(facts.GroupTooSmall, "DRA227", plain),
    row(facts.NeverDistinct, "DRA227", plain),
    row(facts.SameOnNode, "DRA228", plain),
    row(facts.SameOnModel, "DRA228", plain),
    row(facts.OneDevice, "DRA228", plain),
)
