"""What the check of a selector can find (family DRA2): a class a reason, its fields are the data.

`access` is CEL as it is in the selector; of two observations that differ in it alone, one is
enough. A name of None for what filters devices before the selector means: not a class.
"""

from __future__ import annotations

from dradsl.observations import Facts
from dradsl.records import field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.abstract.observations import LiteralType, ValueType
    from dradsl.drivers.schema.shapes import Name


class Cause(Facts):
    """A mistake that explains why nothing, or everything, comes through the selector."""


# Names ----------------------------------------------------------------------------------------


class DomainWithSlash(Cause):
    """A qualified name is where a domain belongs; `known` are the names of its driver, if it has none like that."""

    domain: str
    meant: Name
    known: tuple[str, ...] = ()


class DottedDomain(Cause):
    """A domain is written without brackets: each of its dots is a step of its own."""

    meant: Name


class NameAsDomain(Cause):
    """A name is where its domain belongs, with the field of a slice behind it: `["model"].string`."""

    word: str
    meant: Name | None


class UnknownDomain(Cause):
    """No driver publishes anything in a domain, but one in a similar one; `amount` if the name is a capacity there."""

    domain: str
    meant: str
    amount: str | None = None


class DomainNotOfDriver(Cause):
    """Devices of the driver have nothing in the domain; those of `other_class` have the name in it."""

    driver: str
    domain: str
    is_class: bool
    domains: tuple[str, ...]
    meant: str | None
    amount: str | None = None
    other_class: str | None = None


class MistakenDomain(Cause):
    """A domain that others may add to, often confused with that of the driver."""

    driver: str
    domain: str
    meant: str


class NotStandard(Cause):
    """An attribute in the domain of Kubernetes that Kubernetes does not define."""

    attribute: str
    meant: str


class UnknownName(Cause):
    """The driver publishes nothing of the name; `known` are the names in the domain.

    `newest` is the version that this is known of, where the version in use is not given.
    """

    driver: str
    name: Name
    types: tuple[str, ...]
    known: tuple[str, ...]
    meant: Name | None
    is_counter: bool
    newest: str | None = None


class UnknownAttribute(UnknownName):
    """The driver publishes no attribute of the name."""


class UnknownCapacity(UnknownName):
    """The driver publishes no capacity of the name."""


class MistakenAttribute(Cause):
    """A name in a domain that others may add to, often confused with one of the driver's."""

    driver: str
    name: Name
    meant: str
    why_open: str | None


class NameOfOtherType(Cause):
    """Devices of the types at hand do not have the name; those of others do."""

    name: Name
    types: tuple[str, ...]
    having: tuple[str, ...]


class NameFilteredOut(Cause):
    """The device types that have the name do not come here; `other_class` lets them through."""

    name: Name
    types: tuple[str, ...]
    having: tuple[str, ...]
    class_name: str | None
    other_class: str | None


class NameNotInVersion(Cause):
    """The driver versions in use do not publish the name.

    It is gone since `removed_in`, or comes with `since`. `pinned` are the versions that the
    configuration names, `versions` those that there are. It is `certain` if one is named, or the
    devices were recorded: else an older driver may be in use.
    """

    driver: str
    name: Name
    removed_in: str | None
    since: str | None
    pinned: tuple[str, ...]
    versions: tuple[str, ...]
    successor: Name | None
    certain: bool
    known: tuple[str, ...] = ()


class SwappedKind(Cause):
    """A capacity is read as an attribute, or the other way round; `meant` is right."""

    driver: str
    meant: Name


class DeprecatedName(Facts):
    """The driver announces the end of an attribute."""

    driver: str
    name: str
    successor: Name | None


class ListName(Facts):
    """The driver publishes an attribute as a list alone, which the API server keeps only behind a gate."""

    driver: str
    name: str


# Values ---------------------------------------------------------------------------------------


class ConstantFails(Cause):
    """A constant that cannot be computed; `error` is what the evaluator says.

    `function` is the call that fails, `meant` the argument that was probably meant.
    """

    function: str
    error: str
    meant: tuple[str, ...]


class FailsForKnownValues(Cause):
    """A part that takes a text to pieces, or converts it, and fails for every value that is known."""

    name: str
    part: str = field(compare=False)
    error: str
    values: tuple[str, ...]


class VersionAsText(Cause):
    """A version is compared with a text, or searched like one; `instead` is what to write."""

    name: str
    operator: str
    instead: str | None = field(default=None, compare=False)


class OperatorNotDefined(Cause):
    """An amount or version stands to a constant in an operator that CEL does not have for it."""

    name: str
    type: ValueType
    operator: str
    literal: LiteralType
    access: str = field(compare=False)


class ListCompared(Cause):
    """A list is compared with a single value, which is written as `element`."""

    name: str
    operator: str
    literal: LiteralType
    element: str | None = field(compare=False)
    access: str = field(compare=False)


class TextAsVersion(Cause):
    """A text is compared by the methods of versions."""

    name: str
    operator: str
    access: str = field(compare=False)


class TypesDiffer(Cause):
    """An attribute is compared with a literal of another type."""

    name: str
    type: ValueType
    operator: str
    literal: LiteralType
    instead: str | None = field(default=None, compare=False)


class SearchedInValue(Cause):
    """A plain value stands to the right of `in`, which takes a list."""

    name: str
    type: ValueType


class FieldOfValue(Cause):
    """An attribute's value is used as if it had the field `used`; `key` is missing, if it is a capacity."""

    type: ValueType
    used: str
    key: str | None = None


class ValueNotPublished(Cause):
    """A comparison with a value that the attribute never has.

    `values` are those known, all of them if `closed`, and `candidates` those of many products that may be
    meant; `note` says more where they are few. `newest` is the version that this is known of, where
    the version in use is not given. Of a `rare` value there are hardly any devices.
    """

    name: str
    operator: str
    value: object
    closed: bool
    values: tuple[str | int, ...]
    meant: object
    note: str | None
    newest: str | None = None
    candidates: tuple[str, ...] = ()
    rare: str | None = None


class ValueOfOther(Cause):
    """A value that another attribute has; `condition` asks for it, on devices that `other_class` lets through."""

    name: str
    operator: str
    value: object
    other: str
    condition: str
    other_class: str | None


class ValueFilteredOut(Cause):
    """The device types that have the value do not come here; `other_class` lets them through."""

    name: str
    value: object
    types: tuple[str, ...]
    having: tuple[str, ...]
    class_name: str | None
    other_class: str | None


class WrongEnd(Cause):
    """No known value starts (or ends) so, but some contain the text."""

    name: str
    operator: str
    value: str
    containing: tuple[str, ...]


class PinnedToDevice(Facts):
    """The value is that of one particular device."""

    name: str


class WordsInAnyOrder(Facts):
    """A joined value compared as a whole, although its words come in any order."""

    name: str
    value: str
    instead: str = field(compare=False)


class VersionOrderedAsText(Cause):
    """A text attribute that holds a version, ordered as text."""

    name: str
    operator: str
    access: str = field(compare=False)


class AmountAlwaysMet(Facts):
    """Every device has one of few amounts, and all of them pass the comparison."""

    name: str
    amounts: tuple[str, ...]
    meaning: str | None


class AmountNeverMet(Cause):
    """Every device has one of few amounts, and none of them passes the comparison."""

    name: str
    amounts: tuple[str, ...]
    meaning: str | None


class EqualAmount(Facts):
    """A measured amount is compared for equality."""

    name: str
    instead: str = field(compare=False)


class ImplausibleAmount(Cause):
    """An amount far outside what devices have."""

    name: str
    amount: str
    lowest: str
    highest: str
    meant: str | None


class PartAtLimit(Facts):
    """A part that has exactly the amount is left out by `>`."""

    part: str
    amount: str


class PartBelowNominal(Facts):
    """A part has a little less than the gigabytes in its name."""

    part: str
    amount: str
    nominal: int


# The selector as a whole ----------------------------------------------------------------------


class UnknownDriver(Cause):
    """There is no such driver, but one with a similar name; `is_class`: a class is called so."""

    driver: str
    meant: str
    is_class: bool


class DriverWithoutSchema(Facts):
    """No schema of the driver is known, so its names are not checked."""

    driver: str


class UnguardedName(Facts):
    """Some device lacks the name, which makes the selector fail.

    `lacking` are the types of which no device has it, where these are all that fail; `behind_gate`
    if there are such devices behind a feature gate only. `gate` and `note` are the schema's. A class that is
    not known (`class_known`) may let none of them through.
    """

    name: Name
    lacking: tuple[str, ...]
    behind_gate: bool
    gate: str | None
    note: str | None
    class_known: bool


class DriverNotTested(Facts):
    """A device of another driver makes the selector fail; `driver` is the one that was meant."""

    name: Name
    in_class: bool
    driver: str | None


class AlwaysTrue(Facts):
    """Every device that comes to the selector passes it."""

    filtered_by_class: bool


class AlternativeAlwaysTrue(Facts):
    """A constant condition, joined by `||`, that holds: the other alternatives change nothing."""

    text: str
    computed: bool


class ContradictsBefore(Facts):
    """What passes the selectors before cannot meet this condition."""

    class_name: str | None
    class_known: bool
    condition: str


class ContradictsEarlier(Facts):
    """What passes an earlier selector of the same list, the one of a number, cannot pass this one."""

    number: int
    together: str | None


class NeverTrue(Facts):
    """No device passes; `fails`: on every device the selector ends in an error."""

    fails: bool


class AlternativeNeverTrue(Facts):
    """An alternative (`||`) whose conditions exclude each other."""


# Those that tell the class of the request.
OF_CLASS = (NameFilteredOut, ValueFilteredOut, ContradictsBefore)
