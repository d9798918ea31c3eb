"""What devices of several requests must have in common, and how requests are referred to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dradsl.dsl.data.fragment import Fragment
from dradsl.dsl.data.places import PythonPlace, place_of_caller
from dradsl.dsl.expressions.attributes import Attribute
from dradsl.dsl.objects.requests import AnyRequest, FirstAvailable, Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.values.json_types import JsonObject


__all__ = ["Constraint", "distinct", "references", "same"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Constraint(Fragment):
    """What devices must have in common, or must not; made by `same` and `distinct`."""

    rule: Literal["matchAttribute", "distinctAttribute"]
    attribute: str
    requests: tuple[AnyRequest | str, ...]
    place: PythonPlace | None = field(default_factory=place_of_caller, init=False, repr=False)

    def to_dict(self) -> JsonObject:
        """The constraint; requests by name."""
        return self.among(tuple(one for one in self.requests if not isinstance(one, str)))

    def among(self, requests: Iterable[AnyRequest], claim: str = "the claim") -> dict[str, object]:
        """The constraint in a claim with `requests`."""
        return references(self.requests, requests, claim) | {self.rule: self.attribute}


def same(attribute: Attribute | str, *requests: AnyRequest | str) -> Constraint:
    """All devices of `requests` (of the whole claim, without any) have one value of `attribute`."""
    return Constraint(
        rule="matchAttribute", attribute=_qualified(attribute), requests=_checked(requests)
    )


def distinct(attribute: Attribute | str, *requests: AnyRequest | str) -> Constraint:
    """No two devices of `requests` (of the whole claim, without any) share a value of `attribute`."""
    return Constraint(
        rule="distinctAttribute", attribute=_qualified(attribute), requests=_checked(requests)
    )


def _qualified(attribute: Attribute | str) -> str:
    if isinstance(attribute, Attribute):
        return attribute.qualified
    if not isinstance(attribute, str):
        raise TypeError(f"constraints compare attributes, not {attribute!r}")
    if "/" not in attribute:
        raise ValueError(f'"{attribute}" needs its domain, as in "resource.kubernetes.io/pcieRoot"')
    return attribute


def _checked(requests: tuple[AnyRequest | str, ...]) -> tuple[AnyRequest | str, ...]:
    for one in requests:
        if not isinstance(one, Request | FirstAvailable | str):
            raise TypeError(f"a constraint is over requests, not {one!r}")
    return requests


def references(
    chosen: Iterable[AnyRequest | str], requests: Iterable[AnyRequest], claim: str = "the claim"
) -> dict[str, list[str]]:
    """`requests` of a constraint or configuration: the names that `chosen` have in the claim.

    Raises:
        ValueError: if one of `chosen` is not in the claim, or twice.
    """
    there: list[tuple[str, AnyRequest]] = []
    for request in requests:
        there.append((request.name, request))
        if isinstance(request, FirstAvailable):
            there += [(f"{request.name}/{one.name}", one) for one in request.alternatives]
    names = [one if isinstance(one, str) else _name_of(one, there, claim) for one in chosen]
    return {"requests": names} if names else {}


def _name_of(request: AnyRequest, there: list[tuple[str, AnyRequest]], claim: str) -> str:
    # The very object first; an equal one (built again, or read from a file) is as good.
    names = [name for name, one in there if one is request]
    names = names or [name for name, one in there if one == request]
    if not names:
        known = ", ".join(name for name, _ in there) or "none"
        raise ValueError(
            f"request {request.name!r} is not among the requests of {claim} (its requests: {known})"
        )
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} are one request: give the name that is meant")
    return names[0]
