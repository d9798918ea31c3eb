"""Capacities of devices and the policies of what may be requested of them.

Source: kubernetes pkg/apis/resource/validation/validation.go (validateRequestPolicy and below) at
1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.errors import FieldError, Path, forbidden, internal, invalid, required
from dradsl.kube.validation.lists import check_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        CapacityRequestPolicyDict,
        DeviceCapacityDict,
    )
    from dradsl.values.json_types import JsonMapping
    from dradsl.values.quantity import Quantity

__all__ = ["check_capacity", "sign"]

_MAX_VALUES = 10
_MAX_INT64 = 2**63 - 1


def _quantity(text: str | float) -> Quantity:
    from dradsl.values.quantity import Quantity

    return Quantity.parse(str(text))


def sign(text: str | float) -> int:
    """-1, 0 or 1 for a decoded quantity."""
    return _quantity(text).sign()


def check_capacity(
    capacity: DeviceCapacityDict, path: Path, context: Context, *, shared: bool
) -> list[FieldError]:
    """A capacity; only one of a device that can be `shared` may have a request policy."""
    policy, at = capacity.get("requestPolicy"), (*path, "requestPolicy")
    if policy is None:
        return []
    if not shared:
        return [forbidden(at, "policy-without-sharing", "allowMultipleAllocations must be true")]
    return _check_policy(policy, capacity.get("value", "0"), at, context)


# Upstream: validateRequestPolicy, validateValidRequestValues (pkg/apis/resource/validation/validation.go)
def _check_policy(
    policy: CapacityRequestPolicyDict, capacity: str | float, path: Path, context: Context
) -> list[FieldError]:
    values, range_ = policy.get("validValues") or (), policy.get("validRange")
    if values and range_ is not None:
        detail = (
            'exactly one policy can be specified, cannot specify "validValues" and "validRange" at'
            " the same time"
        )
        return [forbidden(path, "policy-ambiguous", detail)]
    chosen = "validValues" if values else "validRange"
    if not values and range_ is None:
        return []
    if policy.get("default") is None:
        detail = f"required when {chosen} is defined"
        return [required((*path, "default"), "policy-default-required", detail)]
    default, total = _quantity(policy["default"]), _quantity(capacity)
    if values:
        amounts = [_quantity(value) for value in values]
        return _check_values(amounts, default, total, (*path, chosen), context)
    return _Range(range_ or {}, default, total, (*path, chosen), context).check()


# Upstream: validateRequestPolicyValidValues (pkg/apis/resource/validation/validation.go)
def _check_values(
    values: list[Quantity], default: Quantity, total: Quantity, path: Path, context: Context
) -> list[FieldError]:
    errors = [
        invalid(
            (*path, index + 1),
            "valid-values-not-sorted",
            str(values[index + 1]),
            "values must be sorted in ascending order",
        )
        for index in range(len(values) - 1)
        if values[index] > values[index + 1]
    ]

    def check(option: Quantity, at: Path) -> list[FieldError]:
        if option.cmp(total) <= 0:
            return []
        detail = f"option is larger than capacity value: {total}"
        return [invalid(at, "policy-beyond-capacity", str(option), detail)]

    exact = "DRAFractionalCapacityRange" in context.features
    errors += check_set(
        values,
        _MAX_VALUES,
        check,
        path,
        context.rules,
        key=lambda option: str(option.as_fraction() if exact else option.value()),
        reason="too-many-valid-values",
        duplicate_reason="duplicate-valid-value",
        covered=False,
    )
    # Upstream compares with the default on the way, which too long a list cuts short.
    seen = () if context.rules.stops_at_limit and len(values) > _MAX_VALUES else values
    if not any(value == default for value in seen):
        detail = "default value is not valid according to the requestPolicy"
        errors.append(invalid(path, "policy-default-not-allowed", str(default), detail))
    return errors


class _Range:
    """The check of one `validRange`."""

    def __init__(
        self,
        range_: JsonMapping,
        default: Quantity,
        total: Quantity,
        path: Path,
        context: Context,
    ) -> None:
        bounds = {name: range_.get(name) for name in ("min", "max", "step")}
        self.bounds = {n: None if text is None else _quantity(text) for n, text in bounds.items()}
        self.default = default
        self.total = total
        self.path = path
        self.context = context
        self.errors: list[FieldError] = []

    def _add(self, field: str, reason: str, value: Quantity, detail: str) -> None:
        self.errors.append(invalid((*self.path, field), reason, str(value), detail))

    # Upstream: validateRequestPolicyRange (pkg/apis/resource/validation/validation.go)
    def check(self) -> list[FieldError]:
        low, high, step = self.bounds["min"], self.bounds["max"], self.bounds["step"]
        if low is None:
            at: Path = (*self.path, "min")
            return [required(at, "range-min-required", "required when validRange is defined")]
        self._check_bounds(low, high)
        milli = self._counts_in_milli()
        if milli and not self._check_milli():
            return self.errors
        if step is not None:
            self._check_step(low, high, step, milli)
        return self.errors

    def _check_bounds(self, low: Quantity, high: Quantity | None) -> None:
        total, default, moved = self.total, self.default, self.context.rules.default_path
        if low > total:
            detail = f"min is larger than capacity value: {total}"
            self._add("min", "policy-beyond-capacity", low, detail)
        if default < low:
            field = "default" if moved else "min"
            self._add(
                field, "policy-default-not-allowed", default, f"default is less than min: {low}"
            )
        if high is None:
            return
        if low > high:
            self._add("max", "range-min-above-max", low, f"min is larger than max: {high}")
        if high > total:
            detail = f"max is larger than capacity value: {total}"
            self._add("max", "policy-beyond-capacity", high, detail)
        if default > high:
            field = "default" if moved else "max"
            self._add(
                field, "policy-default-not-allowed", default, f"default is more than max: {high}"
            )

    def _amounts(self) -> dict[str, Quantity]:
        amounts = {"default": self.default}
        amounts.update((n, bound) for n, bound in self.bounds.items() if bound is not None)
        return amounts

    # Upstream: rangeHasFractional, isFractionalQuantity (pkg/apis/resource/validation/validation.go)
    def _counts_in_milli(self) -> bool:
        if "DRAFractionalCapacityRange" not in self.context.features:
            return False
        return any(amount.as_fraction().denominator != 1 for amount in self._amounts().values())

    def _check_milli(self) -> bool:
        safe = True
        for name, amount in self._amounts().items():
            if amount.as_fraction() * 1000 != amount.milli_value():
                detail = "value cannot be represented as a milli value"
                self._add(name, "range-bound-not-countable", amount, detail)
                safe = False
        return safe

    # Upstream: validateRequestPolicyRangeStep (pkg/apis/resource/validation/validation.go)
    def _check_step(
        self, low: Quantity, high: Quantity | None, step: Quantity, milli: bool
    ) -> None:
        checked = self.context.rules.step_checked
        if checked and step.sign() <= 0:
            self._add("step", "range-step-not-positive", step, "must be greater than zero")
            return
        added = low + step
        if added > self.total:
            detail = f"one step {added} is larger than capacity value: {self.total}"
            self._add("step", "policy-beyond-capacity", step, detail)
        if checked and not milli and not self._check_int64():
            return
        if not milli and step.value() == 0:
            detail = "runtime error: integer divide by zero"
            self.errors.append(internal((*self.path, "step"), "range-step-crash", detail))
            return
        self._check_multiple(self.default, low, step, milli)
        if high is not None:
            self._check_multiple(high, low, step, milli)

    # Upstream: validateInt64Range (pkg/apis/resource/validation/validation.go)
    def _check_int64(self) -> bool:
        safe = True
        for name, amount in self._amounts().items():
            if amount.sign() < 0:
                detail = "must be greater than or equal to 0"
            elif amount.as_fraction() > _MAX_INT64:
                detail = f"must not be larger than {_MAX_INT64}"
            else:
                continue
            self._add(name, "range-bound-not-countable", amount, detail)
            safe = False
        return safe

    def _check_multiple(self, value: Quantity, low: Quantity, step: Quantity, milli: bool) -> None:
        def count(amount: Quantity) -> int:
            return amount.milli_value() if milli else amount.value()

        # Go's remainder is zero exactly where Python's is; the difference wraps like an int64.
        difference = (count(value) - count(low) + 2**63) % 2**64 - 2**63
        if difference % count(step) != 0:
            detail = f"value is not a multiple of a given step ({step}) from ({low})"
            self._add("step", "range-off-step", value, detail)
