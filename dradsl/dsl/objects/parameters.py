"""Opaque configuration of drivers: typed, as `dradsl.devices` offers it, or as plain data."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from dradsl.dsl.data.fragment import Fragment, Plain, check_name, set_field, without_none
from dradsl.dsl.data.frozen import freeze, thaw

if TYPE_CHECKING:
    from dataclasses import Field

    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = [
    "AnyConfig",
    "ConfigPart",
    "DriverConfig",
    "Opaque",
    "opaque_of",
    "read_opaque",
    "spelled",
]


class ConfigPart(Fragment):
    """A part of a driver's configuration: a dataclass whose fields are called as the driver calls them.

    `__tag__` is for a choice between forms: the field that tells which one it is, and the field that
    holds it.
    """

    __slots__ = ()

    __tag__: ClassVar[tuple[str, str, str | None] | None] = None

    if TYPE_CHECKING:  # its subclasses are dataclasses
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> JsonObject:
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
        data: what it reads.
    """

    driver: str
    data: Plain

    def __post_init__(self) -> None:
        check_name("driver_name", self.driver, "the driver of a configuration")
        set_field(self, "data", freeze(self.data, "the parameters"))

    def to_dict(self) -> JsonObject:
        """The driver and its parameters."""
        return opaque_of(self)


AnyConfig = DriverConfig | Opaque


def opaque_of(config: AnyConfig) -> JsonObject:
    """`opaque` of a class's or claim's configuration."""
    if isinstance(config, Opaque):
        return {"driver": config.driver, "parameters": thaw(config.data)}
    version = config.__api_version__
    head = {} if version is None else {"apiVersion": version, "kind": config.__kind__}
    return {"driver": config.__driver__, "parameters": head | config.to_dict()}


def read_opaque(data: JsonMapping) -> Opaque:
    """The configuration in `opaque`."""
    return Opaque(data["driver"], data["parameters"])
