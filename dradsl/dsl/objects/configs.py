"""Configuration in a claim: parameters of a driver, for some of the claim's requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.dsl.data.fragment import Fragment, set_field
from dradsl.dsl.data.places import PythonPlace, place_of_caller
from dradsl.dsl.objects.constraints import references
from dradsl.dsl.objects.parameters import AnyConfig, DriverConfig, Opaque, opaque_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.dsl.objects.requests import AnyRequest
    from dradsl.values.json_types import JsonObject

__all__ = ["Config"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Config(Fragment):
    """Configuration for some of a claim's requests; without any, for all of them.

    Args:
        parameters: typed (`GpuConfig(...)`) or plain (`Opaque(driver, {...})`).
        requests: the requests, or alternatives of a request, as objects.
    """

    parameters: AnyConfig
    requests: tuple[AnyRequest | str, ...]
    place: PythonPlace | None = field(repr=False)

    def __init__(self, parameters: AnyConfig, *requests: AnyRequest | str) -> None:
        if not isinstance(parameters, DriverConfig | Opaque):
            raise TypeError(
                f"{parameters!r} is no configuration; plain data is Opaque(driver, ...)"
            )
        set_field(self, "parameters", parameters)
        set_field(self, "requests", requests)
        set_field(self, "place", place_of_caller())

    def to_dict(self) -> JsonObject:
        """The configuration; requests by name."""
        return self.among(tuple(one for one in self.requests if not isinstance(one, str)))

    def among(self, requests: Iterable[AnyRequest], claim: str = "the claim") -> dict[str, object]:
        """The configuration in a claim with `requests`."""
        return references(self.requests, requests, claim) | {"opaque": opaque_of(self.parameters)}
