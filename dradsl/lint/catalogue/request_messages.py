"""Family 2, requests and constraints: the code and the words of what their judges find."""

from __future__ import annotations

from dradsl.diagnostics import Severity
from dradsl.drivers.judge import request_facts as facts
from dradsl.drivers.schema.suggest import listed
from dradsl.lint.catalogue.messages import Words, did_you_mean, explained, row, table
from dradsl.lint.catalogue.selector_messages import newer

__all__ = ["REQUEST_MESSAGES"]

_ONE_CLAIM = "a constraint holds inside one claim"


# dynamic-resource-allocation, matchAttributeConstraint.add and distinctAttributeConstraint.add.
_NOT_JOINED = (
    "a device without the attribute does not satisfy the constraint: the scheduler passes over it "
    "without an error, finds no other, and leaves the pod pending"
)
# dynamic-resource-allocation, CmpRequestOverCapacity.
_PASSED_OVER = (
    "a device without the capacity is passed over without an error: none is left, and the pod stays "
    "pending"
)

# dynamic-resource-allocation, matchAttributeConstraint.add.
_SAME_VALUE = "the scheduler compares the values alone: devices with the same one meet the constraint, wherever they are on the node"


# Requests -------------------------------------------------------------------------------------


def _too_small(found: facts.AmountTooSmall) -> Words:
    message = (
        f'{found.amount} of "{found.key}" is next to nothing, '
        f"devices have {found.lowest} to {found.highest}"
    )
    if found.meant is not None:
        message += f"; did you mean {found.meant}?"
    return Words(message, "a number without suffix counts single bytes")


def _mixed(found: facts.MixedDeviceTypes) -> Words:
    message = f"the request takes devices of type {' and '.join(found.types)} alike"
    severity = None
    if found.promised is not None:
        message += f", although its class is named after {found.promised}"
        severity = Severity.WARNING
    return Words(message, f"choose: {found.discriminator}", severity=severity)


# Constraints ----------------------------------------------------------------------------------


def _cannot_be_met(found: facts.ConstraintOnUnknown) -> str:
    return (
        f'no device of request "{found.request}" ({listed(found.drivers)}) has attribute '
        f'"{found.attribute}": the constraint cannot be met'
    )


def _on_other_version(found: facts.ConstraintOnOtherVersion) -> Words:
    when = f"it comes with {found.since}"
    if found.removed_in is not None:
        when = f"it is gone since {found.removed_in}"
    return Words(f"{_cannot_be_met(found)}; {when}", why=_NOT_JOINED)


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


def _types_differ(found: facts.ConstraintTypesDiffer) -> Words:
    types, other_types = " or ".join(found.types), " or ".join(found.other_types)
    return Words(
        f'"{found.attribute}" is {types} for request "{found.request}" and {other_types} for '
        f'"{found.other}": the values never match',
        "a list and a single value match only where Kubernetes has DRAListTypeAttributes"
        if found.with_list
        else None,
    )


def _on_one_node(attribute: str) -> str:
    return f'all devices of a node have the same "{attribute}", and a claim is met on one node'


def _passes_over(attribute: str) -> str:
    return f"; all it does is to pass over devices without {attribute.partition('/')[2]}"


def _same_on_node(found: facts.SameOnNode) -> Words:
    end = _passes_over(found.attribute) if found.passes_over else ": any of them match"
    return Words(
        _on_one_node(found.attribute) + end,
        f"{_ONE_CLAIM}; to bring pods together use pod affinity on a node label",
    )


def _same_on_model(found: facts.SameOnModel) -> Words:
    helped = "leave it out"
    if found.instead is not None:
        helped = f"for parts of one device match {found.instead}"
    return Words(
        f'all devices of one model have the same "{found.attribute}": devices of different parents match',
        helped,
        why=_SAME_VALUE,
    )


def _one_device(found: facts.OneDevice) -> Words:
    message = (
        f'the constraint covers one device, that of request "{found.request}": '
        "there is nothing to compare"
    )
    if found.passes_over:
        message += _passes_over(found.attribute)
    return Words(message, f"{_ONE_CLAIM}: request together what is to match, or leave it out")


def _on_deprecated(found: facts.ConstraintOnDeprecated) -> Words:
    message = f'"{found.attribute}" is deprecated'
    if found.successor is not None:
        message += f"; its successor is {found.successor}"
    return Words(message)


REQUEST_MESSAGES = table(
    row(
        facts.ConstraintOnUnknown,
        "DRA201",
        lambda found: Words(
            _cannot_be_met(found) + did_you_mean(found.meant), newer(found.newest), why=_NOT_JOINED
        ),
    ),
    row(
        facts.ConstraintOnForeign,
        "DRA201",
        lambda found: Words(
            f'devices of request "{found.request}" ({listed(found.drivers)}) are not known to have '
            f'"{found.attribute}", which driver {found.owner} publishes',
            "compare an attribute that both have, such as resource.kubernetes.io/pcieRoot",
            severity=Severity.INFO,
            why=_NOT_JOINED,
        ),
    ),
    row(
        facts.CapacitySpeltOtherwise,
        "DRA204",
        lambda found: Words(
            f'the slices of {listed(found.drivers)} spell it "{found.meant}", and the scheduler takes '
            "keys as written: no device fits",
            why=_PASSED_OVER,
        ),
    ),
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
    row(
        facts.ConstraintOnCapacity,
        "DRA205",
        lambda found: Words(f"{_cannot_be_met(found)}; it is a capacity", why=_NOT_JOINED),
    ),
    row(
        facts.AmountBelowAll,
        "DRA211",
        lambda found: Words(
            f'every device has {listed(found.published)} of "{found.key}"{explained(found.meaning)}: '
            "the request asks nothing of it",
            "leave it out; the driver shares no device, so the request takes a whole one",
        ),
    ),
    row(facts.ConstraintOnOtherVersion, "DRA214", _on_other_version),
    row(facts.AmountTooSmall, "DRA217", _too_small),
    row(
        facts.AmountTooLarge,
        "DRA217",
        lambda found: Words(
            f'no device has {found.amount} of "{found.key}", '
            f"they have {found.lowest} to {found.highest}"
        ),
    ),
    row(facts.ConstraintOnDeprecated, "DRA222", _on_deprecated),
    row(
        facts.AmountOverPolicy,
        "DRA223",
        lambda found: Words(
            f'a request may take {found.most} of "{found.key}" at most, not {found.amount}: '
            "no device fits"
        ),
    ),
    row(
        facts.AmountAboveAll,
        "DRA223",
        lambda found: Words(
            f'no device has {found.amount} of "{found.key}": each has {listed(found.published)}'
            + explained(found.meaning)
        ),
    ),
    row(facts.MixedDeviceTypes, "DRA224", _mixed),
    row(
        facts.PartOfWhole,
        "DRA225",
        lambda found: Words(
            f"one device is asked for, but {found.why}",
            "use allocationMode All, or a count equal to the devices of the node",
        ),
    ),
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
    row(facts.ConstraintTypesDiffer, "DRA227", _types_differ),
    row(
        facts.ConstraintOnUnique,
        "DRA227",
        lambda found: Words(
            f'no two devices have the same "{found.attribute}", and request "{found.request}" '
            f"takes {found.count}"
        ),
    ),
    row(
        facts.GroupTooSmall,
        "DRA227",
        lambda found: Words(
            f'at most {found.size} devices of {found.driver} have the same "{found.attribute}", '
            f"and {found.count} are asked for",
            "a claim is met on one node: pods on several nodes have a claim each",
        ),
    ),
    row(
        facts.NeverDistinct,
        "DRA227",
        lambda found: Words(
            f"{_on_one_node(found.attribute)}: the constraint is never met",
            "to spread pods over nodes use pod anti-affinity or topologySpreadConstraints",
        ),
    ),
    row(facts.SameOnNode, "DRA228", _same_on_node),
    row(facts.SameOnModel, "DRA228", _same_on_model),
    row(facts.OneDevice, "DRA228", _one_device),
)
