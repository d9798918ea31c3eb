"""Constraints that no devices can meet, by what the selectors of their requests say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.expressions.expression import values_where
from dradsl.dsl.expressions.handle import Handle
from dradsl.dsl.objects.classes import DeviceClass
from dradsl.dsl.objects.requests import FirstAvailable, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.dsl.objects.constraints import Constraint
    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["contradiction", "wrong_family"]

_WITH_FAMILIES = "gpu.nvidia.com"  # the driver whose products have an architecture

_Values = frozenset[str | int | bool]


def contradiction(constraint: Constraint, requests: Sequence[AnyRequest]) -> str | None:
    """Why no devices can meet the constraint; None if some may, or it is not known."""
    chosen = [one for one in constraint.requests or requests if not isinstance(one, str)]
    if len(chosen) != len(constraint.requests or requests):
        return None
    found = {one.name: _values(one, constraint.attribute) for one in chosen}
    known = {name: values for name, values in found.items() if values is not None}
    if constraint.rule == "matchAttribute":
        if known and not frozenset.intersection(*known.values()) and all(known.values()):
            each = "; ".join(f"{name} has {_shown(values)}" for name, values in known.items())
            return f"no value of {constraint.attribute} is the same for all: {each}"
        return None
    if len(known) < len(found):
        return None
    possible = frozenset[str | int | bool]().union(*known.values())
    devices = sum(_count(one) for one in chosen)
    if possible and devices > len(possible):
        return (
            f"{devices} devices cannot have distinct values of {constraint.attribute}: "
            f"the selectors leave {_shown(possible)}"
        )
    return None


def wrong_family(request: Request) -> str | None:
    """Why no device is of the products and of the families that the selectors leave; None if some may be."""
    families = _values(request, f"{_WITH_FAMILIES}/architecture")
    products = _values(request, f"{_WITH_FAMILIES}/productName") if families else None
    if not families or not products:
        return None
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(_WITH_FAMILIES)
    lists = [one.products for _, one in schema.attributes() if one.products] if schema else []
    known = {name: family for one in lists for name, family in one.families.items()}
    found = {known.get(str(product), "") for product in products}
    if "" in found or found & families:
        return None
    return f"{_shown(products)} is {_shown(found)}, and never {_shown(families)}"


def _values(one: AnyRequest, attribute: str) -> _Values | None:
    """The values that the attribute can have on devices of a request; None if it is not known."""
    if isinstance(one, FirstAvailable):
        each = [_values(alternative, attribute) for alternative in one.alternatives]
        known = [values for values in each if values is not None]
        return frozenset.union(*known) if len(known) == len(each) else None
    conditions = [*one.expressions]
    if isinstance(one.device_class, DeviceClass):
        conditions += one.device_class.expressions
    elif isinstance(one.device_class, Handle):
        conditions.append(one.device_class)
    given = [values_where(condition, attribute) for condition in conditions]
    known = [values for values in given if values is not None]
    return frozenset.intersection(*known) if known else None


def _count(one: AnyRequest) -> int:
    """How many devices a request takes at least."""
    if isinstance(one, Request):
        return one.count or 1
    return min(_count(alternative) for alternative in one.alternatives)


def _shown(values: Iterable[str | int | bool]) -> str:
    return " or ".join(sorted(map(repr, values)))
