"""Consumable capacity: what a request takes of a device, by the device's request policies.

Follows `structured/internal/*/consumable_capacity.go`. The checks hold for every device while the
feature is on, shared or not: a request for more than a device has rules it out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dradsl.allocator.inventory.slices import Amount, billionths
from dradsl.records import Record
from dradsl.values.quantity import Format, Quantity, QuantityError, wrap_int64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.fields.typed_dicts import (
        CapacityRequestPolicyDict,
        CapacityRequestPolicyRangeDict,
        DeviceCapacityDict,
    )
    from dradsl.kube.pods.typed_dicts import ResourceListDict


__all__ = ["CapacityCrashError", "CapacityFaultError", "Demand", "CapacityRejection", "demand_of"]

_MAX = 2**63 - 1
_NOT_REPRESENTABLE = "capacity request cannot be represented in the device's range arithmetic"


class CapacityFaultError(ValueError):
    """An amount that the release does not compute with; aborts the scheduling attempt."""


class CapacityCrashError(ValueError):
    """An input on which upstream panics: a request policy whose step is zero."""


class Demand(Record):
    """What a request takes of a device: per capacity the amount wanted and the amount there is.

    `consumed` is what the result records for a device that is shared.
    """

    amounts: tuple[tuple[str, Amount, Amount], ...]
    consumed: tuple[tuple[str, str], ...]

    @property
    def fits_empty(self) -> bool:
        """Whether the device has room if nothing of it is used."""
        return all(wanted <= whole for _, wanted, whole in self.amounts)


class CapacityRejection(Record):
    """Why a request can never be met by a device."""

    capacity: str
    why: str


# Upstream: CmpRequestOverCapacity (structured/internal/*/consumable_capacity.go)
# Upstream: requestsContainNonExistCapacity (structured/internal/*/consumable_capacity.go)
def demand_of(
    requests: ResourceListDict | None,
    capacity: Mapping[str, DeviceCapacityDict],
    *,
    fractional: bool,
    strict: bool,
    step_format: bool,
) -> Demand | CapacityRejection:
    """What `requests` (name to quantity; None for no capacity request) takes of a device.

    Names are matched literally. `fractional` is the gate DRAFractionalCapacityRange; `strict` and
    `step_format` are switches of the release.

    Raises:
        CapacityFaultError: where `strict` and an amount is negative or cannot be computed.
        CapacityCrashError: for a step of zero.
    """
    wanted = requests or {}
    for name in wanted:
        if name not in capacity:
            return CapacityRejection(name, "the device has no such capacity")
    rules = _Rules(fractional, strict, step_format)
    taken = []
    for name in sorted(capacity):
        entry = capacity[name]
        try:
            asked = Quantity.decode(wanted[name]) if name in wanted else None
            taken.append((name, entry, rules.consumed(asked, entry, name)))
        except QuantityError as error:
            return CapacityRejection(name, str(error))
    amounts, texts = [], []
    for name, entry, amount in taken:
        try:
            if reason := rules.violation(amount, entry.get("requestPolicy") or {}):
                return CapacityRejection(name, reason)
            whole = billionths(Quantity.decode(_value(entry)))
            amounts.append((name, billionths(amount), whole))
        except QuantityError as error:
            return CapacityRejection(name, str(error))
        texts.append((name, str(amount)))
    return Demand(tuple(amounts), tuple(texts))


def _value(entry: DeviceCapacityDict) -> Any:
    value = entry.get("value")
    return 0 if value is None else value


class _Rules(Record):
    fractional: bool
    strict: bool
    step_format: bool

    # Upstream: calculateConsumedCapacity (structured/internal/*/consumable_capacity.go)
    # Upstream: GetConsumedCapacityFromRequest (structured/internal/*/consumable_capacity.go)
    def consumed(self, asked: Quantity | None, entry: DeviceCapacityDict, name: str) -> Quantity:
        try:
            amount = self._consumed(asked, entry)
        except CapacityFaultError as error:
            raise CapacityFaultError(f"capacity {json.dumps(name)}: {error}") from None
        if self.strict and amount.sign() < 0:
            raise CapacityFaultError(f"capacity {json.dumps(name)}: capacity value is negative")
        return amount

    # Upstream: fillEmptyRequest (structured/internal/*/consumable_capacity.go)
    def _consumed(self, asked: Quantity | None, entry: DeviceCapacityDict) -> Quantity:
        policy: CapacityRequestPolicyDict = entry.get("requestPolicy") or {}
        if asked is None:
            default = policy.get("default")
            return Quantity.decode(_value(entry) if default is None else default)
        valid = policy.get("validRange")
        if valid is not None and valid.get("min") is not None:
            return self._rounded(asked, valid)
        if policy.get("validValues") is not None:
            for value in map(Quantity.decode, policy["validValues"]):
                if asked <= value:
                    return value
        return asked

    # Upstream: roundUpRange, roundUpValidValues (structured/internal/*/consumable_capacity.go)
    def _rounded(self, asked: Quantity, valid: CapacityRequestPolicyRangeDict) -> Quantity:
        low = Quantity.decode(valid["min"])
        if asked < low:
            return low
        if valid.get("step") is None:
            return asked
        step = Quantity.decode(valid["step"])
        if self._in_milli(valid):
            return _rounded_milli(asked, low, step)
        if self.strict and asked > Quantity(_MAX):
            raise CapacityFaultError(f"{_NOT_REPRESENTABLE}: request {asked} exceeds MaxInt64")
        first, width = low.value(), step.value()
        count = _steps(wrap_int64(asked.value() - first), width)
        if self.strict and first >= 0 and count > _divide(_MAX - first, width):
            raise CapacityFaultError(
                f"{_NOT_REPRESENTABLE}: rounding request {asked} up to the next step passes MaxInt64"
            )
        notation: Format = step.format if self.step_format else "BinarySI"
        return Quantity.from_int(wrap_int64(first + width * count), notation)

    # Upstream: violatesPolicy, violateValidValues (structured/internal/*/consumable_capacity.go)
    def violation(self, amount: Quantity, policy: CapacityRequestPolicyDict) -> str | None:
        """How the amount goes against the policy; None if it does not."""
        default = policy.get("default")
        if default is not None and amount.is_identical(Quantity.decode(default)):
            return None
        valid = policy.get("validRange")
        if valid is not None:
            return self._outside(amount, valid)
        values = policy.get("validValues") or ()
        if values and not any(amount == Quantity.decode(value) for value in values):
            return f"{amount} is not one of the valid values"
        return None

    # Upstream: violateValidRange (structured/internal/*/consumable_capacity.go)
    def _outside(self, amount: Quantity, valid: CapacityRequestPolicyRangeDict) -> str | None:
        highest = valid.get("max")
        if highest is not None and amount > Quantity.decode(highest):
            return f"{amount} is more than the maximum {highest}"
        if valid.get("step") is None:
            return None
        low, step = Quantity.decode(valid.get("min") or 0), Quantity.decode(valid["step"])
        if self._in_milli(valid):
            number = _exact_milli(amount)
            if number is None:
                return f"{amount} is not a whole number of thousandths"
            rest = _remainder(number - low.milli_value(), step.milli_value())
        else:
            rest = _remainder(wrap_int64(amount.value() - low.value()), step.value())
        return f"{amount} is not a whole number of steps of {step}" if rest else None

    # Upstream: useMilli (structured/internal/*/consumable_capacity.go)
    def _in_milli(self, valid: CapacityRequestPolicyRangeDict) -> bool:
        if not self.fractional:
            return False
        for key in ("min", "max", "step"):
            if valid.get(key) is not None and _exact_milli(Quantity.decode(valid[key])) is None:
                return False
        return Quantity.decode(valid["step"]).milli_value() >= 1


def _rounded_milli(asked: Quantity, low: Quantity, step: Quantity) -> Quantity:
    number = _exact_milli(asked)
    if number is None:
        raise CapacityFaultError(
            f"{_NOT_REPRESENTABLE}: request {asked} is not a representable milli value"
        )
    first, width = low.milli_value(), step.milli_value()
    count = _steps(number - first, width)
    if count > _divide(_MAX - first, width):
        raise CapacityFaultError(
            f"{_NOT_REPRESENTABLE}: rounding request {asked} up to the next step "
            "passes the milli-value range"
        )
    total = first + width * count
    if total % 1000 == 0:
        return Quantity.from_int(total // 1000, step.format)
    return Quantity(total, -3, step.format)


# Upstream: safeMilliValue (structured/internal/*/consumable_capacity.go)
def _exact_milli(amount: Quantity) -> int | None:
    number = amount.milli_value()
    return number if amount == Quantity(number, -3) else None


def _steps(distance: int, width: int) -> int:
    """How many steps reach `distance`, with the integer division of Go."""
    count = _divide(distance, width)
    return count + 1 if _remainder(distance, width) else count


def _divide(a: int, b: int) -> int:
    if not b:
        raise CapacityCrashError("a request policy has a step of zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _divide(a, b)
