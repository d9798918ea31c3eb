"""What the checks of requests and constraints can find (family DRA2): a class a reason."""

from __future__ import annotations

from dradsl.observations import Facts

# Requests -------------------------------------------------------------------------------------


class CapacitySpeltOtherwise(Facts):
    """The slices spell the capacity with (or without) its domain."""

    drivers: tuple[str, ...]
    meant: str


class UnknownCapacityRequest(Facts):
    """An amount of a capacity that no device publishes; `known` are those that they do."""

    key: str
    drivers: tuple[str, ...]
    known: tuple[str, ...]
    meant: str | None


class AmountOverPolicy(Facts):
    """More than the request policy lets one request take."""

    key: str
    amount: str
    most: str


class AmountTooSmall(Facts):
    """An amount far below what devices have; `meant` has a suffix."""

    key: str
    amount: str
    lowest: str
    highest: str
    meant: str | None


class AmountTooLarge(Facts):
    """An amount far above what devices have."""

    key: str
    amount: str
    lowest: str
    highest: str


class AmountAboveAll(Facts):
    """More than any device has, of a capacity of which all publish one of a few amounts."""

    key: str
    amount: str
    published: tuple[str, ...]
    meaning: str | None


class AmountBelowAll(Facts):
    """No more than every device has, of a capacity that is not shared out."""

    key: str
    published: tuple[str, ...]
    meaning: str | None


class NamedAfterOther(Facts):
    """The name of a request says a value that only devices of another type have; they are of `other_class`."""

    said: str
    attribute: str
    types: tuple[str, ...]
    condition: str
    other_class: str


class MixedDeviceTypes(Facts):
    """The request takes devices of several types; `discriminator` selects the first.

    If the name of the class promises one of them, that is `promised`, and it is selected.
    """

    types: tuple[str, ...]
    discriminator: str
    promised: str | None = None


class PartOfWhole(Facts):
    """One of several devices that work together only; `why` is the schema's."""

    why: str


class WholeDeviceTaken(Facts):
    """Without an amount of these capacities the request takes a whole device made to be shared."""

    capacities: tuple[str, ...]


# Constraints ----------------------------------------------------------------------------------


class ConstraintOnUnknown(Facts):
    """No device of the request has the attribute.

    `newest` is the version with which a schema ends, if it is unknown which one is in use.
    """

    attribute: str
    request: str
    drivers: tuple[str, ...]
    meant: str | None = None
    newest: str | None = None
    shared: tuple[str, ...] = ()
    """Attributes that all devices under the constraint have."""


class ConstraintOnFixed(Facts):
    """Selectors of two requests, or of one for several devices, let one `value` and `other_value` of the attribute
    through."""

    attribute: str
    request: str
    other: str
    value: str
    other_value: str


class ConstraintOnForeign(Facts):
    """Another driver's own attribute, where only a webhook of the cluster could add it to the devices of the request."""

    attribute: str
    request: str
    drivers: tuple[str, ...]
    owner: str


class ConstraintOnCapacity(ConstraintOnUnknown):
    """What the constraint names is a capacity."""


class ConstraintOnOtherVersion(ConstraintOnUnknown):
    """The attribute is gone since `removed_in`, or comes with `since`; `meant` is its successor."""

    removed_in: str | None = None
    since: str | None = None


class ConstraintTypesDiffer(Facts):
    """Two requests have the attribute with different types, so the values never match."""

    attribute: str
    request: str
    types: tuple[str, ...]
    other: str
    other_types: tuple[str, ...]
    with_list: bool


class ConstraintOnUnique(Facts):
    """Several devices are to share a value that no two devices share."""

    attribute: str
    request: str
    count: int


class GroupTooSmall(Facts):
    """More devices are to share a value than ever do."""

    attribute: str
    driver: str
    size: int
    count: int


class SameOnNode(Facts):
    """All devices of a node share the value; `passes_over`: some device lacks the attribute."""

    attribute: str
    passes_over: bool


class SameOnModel(Facts):
    """All devices of a model share the value; `instead` tells the parents of parts apart."""

    attribute: str
    instead: str | None


class NeverDistinct(Facts):
    """Devices of one node are to differ in what all devices of a node share."""

    attribute: str


class OneDevice(Facts):
    """The constraint covers one device; `passes_over`: some device lacks the attribute."""

    attribute: str
    request: str
    passes_over: bool


class ConstraintOnDeprecated(Facts):
    """The driver announces the end of the attribute."""

    attribute: str
    successor: str | None
