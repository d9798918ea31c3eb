"""What a check against driver schemas can say: one row a kind of mistake, and the shape of an answer.

Positions are code point offsets in the checked expression, or a path below the checked parameters;
`dradsl.lint` turns them into places in a file.
"""

from __future__ import annotations

from types import MappingProxyType

from dradsl.diagnostics import Severity
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

__all__ = ["KINDS", "CelFinding", "ConfigFinding", "Kind", "Replacement", "RequestFinding"]

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mistake: its stable code and name, how bad it is by default, what it means."""

    code: str
    name: str
    severity: Severity
    summary: str


def _kinds(*rows: tuple[str, str, Severity, str]) -> Mapping[str, Kind]:
    return MappingProxyType({row[0]: Kind(*row) for row in rows})


KINDS = _kinds(
    ("DRA201", "unknown-attribute", _E, "the driver publishes no attribute of this name"),
    ("DRA202", "unknown-domain", _E, "no device has attributes or capacity in this domain"),
    ("DRA203", "unknown-driver", _E, "there is no such driver, but one with a similar name"),
    ("DRA204", "unknown-capacity", _E, "the driver publishes no capacity of this name"),
    ("DRA205", "attribute-capacity-confusion", _E, "a capacity is read as an attribute, or the other way round"),
    ("DRA206", "wrong-type-comparison", _E, "an attribute is compared with a value of another type"),
    ("DRA207", "unguarded-optional-attribute", _W, "a name that some devices lack is read without a guard"),
    ("DRA208", "version-compared-as-text", _E, "a version is compared as text"),
    ("DRA209", "value-outside-enumeration", _E, "an attribute or capacity is compared with a value that it never has"),
    ("DRA210", "capacity-equality", _W, "an amount is compared with `==`"),
    ("DRA211", "always-true", _I, "every device meets the condition"),
    ("DRA212", "never-true", _E, "the selector lets no device through"),
    ("DRA213", "contradicts-class", _E, "what the selector asks for was filtered out by the class"),
    ("DRA214", "attribute-not-in-driver-version", _E, "the driver version in use does not publish the name"),
    ("DRA215", "selector-without-driver", _W, "devices of other drivers make the selector fail"),
    ("DRA216", "pinned-to-one-device", _I, "the selector names one particular device"),
    ("DRA217", "implausible-amount", _W, "an amount of the wrong order of magnitude"),
    ("DRA218", "just-misses-devices", _W, "the limit leaves out parts that are probably meant"),
    ("DRA219", "driver-without-schema", _I, "no schema of this driver is known, so its names are not checked"),
    ("DRA220", "field-of-value", _E, "an attribute's value is used as if it had fields"),
    ("DRA221", "attribute-of-other-device-type", _E, "the device type selected before does not have the name"),
    ("DRA222", "deprecated-attribute", _I, "the driver announces the end of this name"),
    ("DRA223", "capacity-request-over-policy", _E, "a request takes more of a capacity than one may"),
    ("DRA224", "mixed-device-types", _I, "the request takes devices of several kinds"),
    ("DRA225", "part-of-a-whole", _W, "devices that are claimed together are asked for one by one"),
    ("DRA226", "takes-the-whole-device", _I, "a device made to be shared is taken whole"),
    ("DRA227", "unsatisfiable-constraint", _E, "no devices can meet the constraint on this attribute"),
    ("DRA228", "constraint-without-effect", _I, "a constraint that leaves the scheduler no less choice"),
    ("DRA801", "unknown-config-kind", _E, "the driver knows no parameters of this apiVersion and kind"),
    ("DRA802", "unknown-config-field", _E, "the parameters have no field of this name"),
    ("DRA803", "wrong-config-value", _E, "a parameter has a value that the driver refuses"),
    ("DRA804", "missing-config-field", _E, "a required parameter is missing"),
    ("DRA805", "config-for-other-driver", _W, "no request of the config can get a device of its driver"),
    ("DRA806", "config-for-other-device-type", _E, "the parameters are for another device type than requested"),
    ("DRA807", "config-not-in-driver-version", _E, "the driver version in use does not know the parameter"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `text` in place of the code points from `start` to `end` of the expression."""

    start: int
    end: int
    text: str
    applicability: Literal["safe", "unsafe"] = "unsafe"


@dataclass(frozen=True, slots=True)
class CelFinding:
    """A mistake in a selector, from `start` to `end` (code points, end exclusive).

    `once_per` is set where a reader wants to hear it once a file: equal texts are one finding.
    """

    code: str
    start: int
    end: int
    message: str
    help: str | None = None
    fix: Replacement | None = None
    severity: Severity | None = None
    """Overrides the kind's default."""
    upstream: str | None = None
    """What the scheduler would print."""
    once_per: str | None = None

    @property
    def kind(self) -> Kind:
        return KINDS[self.code]


@dataclass(frozen=True, slots=True)
class RequestFinding:
    """A mistake in a request or a constraint; `path` is relative to it."""

    code: str
    path: tuple[str | int, ...]
    message: str
    help: str | None = None
    at_key: bool = False
    """The finding is about the key that ends the path, not about its value."""
    suggestion: str | None = None
    """The key or value to write instead."""
    severity: Severity | None = None
    upstream: str | None = None

    @property
    def kind(self) -> Kind:
        return KINDS[self.code]


@dataclass(frozen=True, slots=True)
class ConfigFinding:
    """A mistake in opaque parameters; `path` is relative to `parameters`.

    With `at_key` the finding is about the key that ends the path, not about its value. With
    `about_driver` it is about the field `driver` beside `parameters`, and the path is empty.
    """

    code: str
    path: tuple[str | int, ...]
    message: str
    help: str | None = None
    at_key: bool = False
    suggestion: str | None = None
    """The key or value to write instead."""
    about_driver: bool = False
    severity: Severity | None = None
    upstream: str | None = None
    once_per: str | None = None

    @property
    def kind(self) -> Kind:
        return KINDS[self.code]
