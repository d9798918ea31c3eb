"""Opaque configuration of drivers: typed, as `dradsl.devices` offers it, or as plain data."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from dradsl.dsl.objects.frozen import freeze, thaw
from dradsl.dsl.objects.manifest import Fragment, Plain, check_name, set_field, without_none
from dradsl.dsl.objects.places import Place, place_of_caller

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from dataclasses import Field

    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["Config", "ConfigPart", "DriverConfig", "Opaque"]


class ConfigPart(Fragment):
    """A part of a driver's configuration: a dataclass whose fields are called as the driver calls them.

    `__tag__` is for a choice between forms: the field that tells which one it is, and the field that
    holds it.
    """

    __slots__ = ()

    __tag__: ClassVar[tuple[str, str, str | None] | None] = None

    if TYPE_CHECKING:  # its subclasses are dataclasses
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        """The part as plain data; what is None is left out."""
        names = [one.name for one in fields(self)]
        data = {spelled(name): _plain(getattr(self, name)) for name in names}
        data = without_none(data)
        if self.__tag__ is None:
            return data
        key, value, holder = self.__tag__
        return {key: value} | ({holder: data} if holder is not None and data else {})


def spelled(field_name: str) -> str:
    """The driver's name of a field: `from` is called `from_` in Python."""
    bare = field_name.removesuffix("_")
    return bare if keyword.iskeyword(bare) else field_name


def _plain(value: object) -> Any:
    if isinstance(value, Fragment):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return thaw(freeze(value, "a configuration"))


class DriverConfig(ConfigPart):
    """The parameters of one kind that a driver takes; subclasses are generated from its schema."""

    __slots__ = ()

    __driver__: ClassVar[str]
    __api_version__: ClassVar[str | None]
    __kind__: ClassVar[str]


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Fragment):
    """Parameters for the driver `driver`, as plain data.

    Args:
        driver: the name of the driver that reads them.
        parameters: what it reads.
    """

    driver: str
    data: Plain

    def __post_init__(self) -> None:
        check_name("driver_name", self.driver, "the driver of a configuration")
        set_field(self, "data", freeze(self.data, "the parameters"))

    def to_dict(self) -> dict[str, Any]:
        """The driver and its parameters."""
        return opaque_of(self)


AnyConfig = DriverConfig | Opaque


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Config(Fragment):
    """Configuration for some of a claim's requests; without any, for all of them.

    Args:
        parameters: typed (`GpuConfig(...)`) or plain (`Opaque(driver, {...})`).
        requests: the requests, or alternatives of a request, as objects.
    """

    parameters: AnyConfig
    requests: tuple[AnyRequest | str, ...]
    place: Place | None = field(repr=False)

    def __init__(self, parameters: AnyConfig, *requests: AnyRequest | str) -> None:
        if not isinstance(parameters, DriverConfig | Opaque):
            raise TypeError(
                f"{parameters!r} is no configuration; plain data is Opaque(driver, ...)"
            )
        set_field(self, "parameters", parameters)
        set_field(self, "requests", requests)
        set_field(self, "place", place_of_caller())

    def to_dict(self) -> dict[str, Any]:
        """The configuration; requests by name."""
        return self.among(tuple(one for one in self.requests if not isinstance(one, str)))

    def among(self, requests: Iterable[AnyRequest]) -> dict[str, Any]:
        """The configuration in a claim with `requests`."""
        from dradsl.dsl.objects.constraints import references

        return references(self.requests, requests) | {"opaque": opaque_of(self.parameters)}


def opaque_of(config: AnyConfig) -> dict[str, Any]:
    """`opaque` of a class's or claim's configuration."""
    if isinstance(config, Opaque):
        return {"driver": config.driver, "parameters": thaw(config.data)}
    version = config.__api_version__
    head = {} if version is None else {"apiVersion": version, "kind": config.__kind__}
    return {"driver": config.__driver__, "parameters": head | config.to_dict()}


def read_opaque(data: Mapping[str, Any]) -> Opaque:
    """The configuration in `opaque`."""
    return Opaque(data["driver"], data["parameters"])
