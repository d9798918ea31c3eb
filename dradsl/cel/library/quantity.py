"""Quantities: `quantity("40Gi")`, comparison, sums (apiserver `pkg/cel/library/quantity.go`)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/quantity.go)

from __future__ import annotations

from dradsl.cel.runtime.operations import ComputedQuantity
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Value
from dradsl.values.quantity import Quantity, QuantityError

__all__ = ["FUNCTIONS"]


def _parse(text: str) -> Quantity:
    try:
        return Quantity.parse(text)
    except QuantityError as error:
        raise CelRuntimeError(str(error)) from None


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _as_integer(value: Quantity) -> int:
    try:
        return value.as_integer()
    except QuantityError as error:
        raise CelRuntimeError(str(error)) from None


def _add(left: Quantity, right: Quantity) -> Value:
    try:
        return ComputedQuantity.of(left + right)
    except QuantityError as error:  # upstream would write out numbers of a billion digits
        raise CelPanicError(str(error)) from None


def _sub(left: Quantity, right: Quantity) -> Value:
    try:
        return ComputedQuantity.of(left - right)
    except QuantityError as error:
        raise CelPanicError(str(error)) from None


FUNCTIONS = {
    "string_to_quantity": _parse,
    "is_quantity_string": _is_quantity,
    "quantity_sign": Quantity.sign,
    "quantity_is_greater_than": lambda left, right: left.cmp(right) > 0,
    "quantity_is_less_than": lambda left, right: left.cmp(right) < 0,
    "quantity_compare_to": Quantity.cmp,
    "quantity_get_float": Quantity.as_approximate_float,
    "quantity_get_int": _as_integer,
    "quantity_is_integer": Quantity.is_integer,
    "quantity_add": _add,
    "quantity_add_int": lambda left, right: _add(left, Quantity.from_int(right, "DecimalExponent")),
    "quantity_sub": _sub,
    "quantity_sub_int": lambda left, right: _sub(left, Quantity.from_int(right, "DecimalExponent")),
}
