"""What the check of opaque parameters can find (family DRA8): a class a reason."""

from __future__ import annotations

from dradsl.drivers.judge.selector_facts import UnknownDriver as UnknownDriver
from dradsl.observations import Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class ParametersNotChecked(Facts):
    """No schema of the driver is known, so its parameters are not checked."""

    driver: str


class ConfigForOtherDriver(Facts):
    """The requests of the config get devices of other drivers only."""

    driver: str
    drivers: tuple[str, ...]


class NoParameters(Facts):
    """The driver takes no parameters."""

    driver: str


class ConfigTypeMissing(Facts):
    """The parameters do not say of which apiVersion or kind they are; `known` are the lines to write."""

    driver: str
    field: str
    known: tuple[str, ...]


class UnknownConfigKind(Facts):
    """The driver knows no parameters of this apiVersion, or of this kind.

    It is `certain` where it is a slip of what was `meant`, or the schema is that of the driver in use: else another
    version of the driver, or another driver of that name, may know it.
    """

    driver: str
    unknown: Literal["apiVersion", "kind"]
    api_version: str
    kind: str
    known: tuple[str, ...]
    meant: str | None
    certain: bool


class ConfigForOtherType(Facts):
    """The parameters are for other device types than the requests get; `right` are fitting kinds."""

    kind: str
    device_types: tuple[str, ...]
    requested: tuple[str, ...]
    right: tuple[str, ...]


class ConfigNotInVersion(Facts):
    """A kind (or, if `is_field`, a field) that the driver version in use does not know."""

    name: str
    is_field: bool
    since: str
    in_use: str


class MissingConfigField(Facts):
    """A mapping (None: the parameters of `kind` themselves) lacks a required field."""

    kind: str
    parent: str | int | None
    field: str


class UnknownConfigField(Facts):
    """No field of this name here; there is one at the path `elsewhere`.

    `path` are the mappings around it, `known` the fields that there are. It is `rejected`, or passed over in silence.
    """

    kind: str
    path: tuple[str | int, ...]
    field: str
    known: tuple[str, ...]
    meant: str | None
    elsewhere: tuple[str, ...] | None
    rejected: bool = True
    help: str | None = None


class ConfigTypeNotCarried(Facts):
    """apiVersion or kind in parameters that have neither."""

    driver: str
    field: str


class WrongConfigValue(Facts):
    """A value that the driver rejects.

    `rule` is the keyword of JSON Schema that it breaks, `limits` what the keyword demands, `value`
    the value as JSON, `described` what the schema says of the field.
    """

    field: str | int | None
    rule: str
    limits: tuple[object, ...]
    value: str
    described: str | None
    meant: str | None


class ExcludedConfigField(Facts):
    """A field that is not allowed beside another one; `why` is the schema's."""

    why: str
