"""Which devices a request's selectors pick, each selector evaluated once per distinct device.

Follows isSelectable and selectorsMatch of `structured/internal/*/allocator_*.go`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dradsl.allocator.inventory.slices import DeviceId
from dradsl.records import Record

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Sequence

    from dradsl.allocator.engine.plan import ClaimsPlan, RequestData
    from dradsl.allocator.inventory.slices import Attribute, DeviceRecord
    from dradsl.kube.fields.typed_dicts import DeviceDict

__all__ = [
    "Derivation",
    "Eligibility",
    "Fault",
    "Projection",
    "SelectorExpression",
    "SelectorFailureError",
    "Selectors",
]

_HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
    "with has() for optional fields"
)


class SelectorFailureError(Exception):
    """A selector that failed on a device; the message is upstream's."""


class SelectorExpression(Protocol):
    """A compiled selector expression.

    `error` is upstream's text if it does not compile. `reads` are the attributes ("domain/name", or
    "domain/*" for all of a domain) that decide its result besides driver, capacity and whether the
    device can be shared; None if that is not known.
    """

    @property
    def error(self) -> str | None: ...

    @property
    def reads(self) -> frozenset[str] | None: ...

    def match(self, driver: str, device: DeviceDict) -> bool:
        """Whether the device (v1 shape) matches; raises SelectorFailureError."""
        ...


class Derivation(Protocol):
    """The compiled expression of a derived attribute; `error` as for selectors."""

    @property
    def error(self) -> str | None: ...

    def value(self, driver: str, device: DeviceDict) -> Attribute:
        """The attribute for the device (v1 shape); raises SelectorFailureError."""
        ...


class Selectors(Protocol):
    """Compiles expressions, for one release."""

    def compile(self, expression: str) -> SelectorExpression: ...

    def compile_derived(self, expression: str) -> Derivation: ...


class Fault(Record):
    """A fatal error that the search meets at a device or pool.

    Its name is put between `before` and `after` where there is an `after`, so that like nodes have
    like faults; `short` takes the name of the device alone.
    """

    before: str
    after: str | None = None
    crash: bool = False
    short: bool = False

    def text(self, subject: DeviceId | str | None) -> str:
        """The error about this device or pool."""
        if self.after is None:
            return self.before
        if self.short and isinstance(subject, DeviceId):
            subject = subject.device
        return f"{self.before}{subject}{self.after}"


class _Check(Record):
    """One selector of one request, with the words that introduce its errors."""

    expression: str
    prefix: str


class Eligibility:
    """Answers, for the requests of one plan, which devices their selectors pick."""

    def __init__(
        self, plan: ClaimsPlan, selectors: Selectors, *, sees_shared: bool, names_device: bool
    ) -> None:
        self._selectors = selectors
        self._sees_shared = sees_shared
        self._names_device = names_device
        self._compiled: dict[str, SelectorExpression] = {}
        self._checks = tuple(
            self._checks_of(plan, request_data) for request_data in plan.all_requests
        )
        self._answers: dict[tuple[Any, ...], bool | str] = {}
        self._names_read: dict[tuple[str, str], frozenset[str] | None] = {}
        self._by_driver: dict[tuple[int, str], list[tuple[_Check, str | None, bool]]] = {}
        self._derivations: dict[str, Derivation] = {}
        self._derived: dict[tuple[Any, ...], Attribute | Fault] = {}
        self.reads = self._all_reads()

    def of(
        self, request_data: RequestData, driver: str, device: DeviceRecord, kind: Hashable
    ) -> bool | Fault:
        """True or False, or the fault that evaluating this device gives.

        `kind` stands for all that the selectors read of the device, see `Projection`.
        """
        for check, error, blind in self._asked(request_data.index, driver):
            if error is not None:
                return Fault(f"{check.prefix}: CEL compile error: {error}")
            key = (check.expression, driver, device.traits if blind and not device.odd else kind)
            answer = self._answers.get(key)
            if answer is None:
                answer = self._answers[key] = self._evaluate(check.expression, driver, device)
            if answer is False:
                return False
            if answer is not True:
                return self._fault(check, str(answer))
        return True

    def _asked(self, request: int, driver: str) -> Sequence[tuple[_Check, str | None, bool]]:
        """The checks of a request with their errors, and whether each reads no attribute.

        Most classes read nothing but the driver: devices that differ in attributes have one answer.
        """
        found = self._by_driver.get((request, driver))
        if found is None:
            found = self._by_driver[request, driver] = [
                (
                    check,
                    error,
                    error is None and self._names(check.expression, driver) == frozenset(),
                )
                for check in self._checks[request]
                for error in [self.compiled(check.expression).error]
            ]
        return found

    def explain(
        self, request_data: RequestData, driver: str, device: DeviceRecord
    ) -> list[tuple[str, bool | str]]:
        """Every selector of the request, class first, with its answer: True, False or the error."""
        found: list[tuple[str, bool | str]] = []
        for check in self._checks[request_data.index]:
            selector = self.compiled(check.expression)
            answer = selector.error or self._evaluate(check.expression, driver, device)
            found.append((check.expression, answer))
        return found

    # Upstream: allocator.lookupAttribute (structured/internal/*/allocator_*.go)
    def derived(
        self, name: str, expression: str, driver: str, device: DeviceRecord
    ) -> Attribute | Fault:
        """A derived attribute of the device, or the fault that it ends the search with."""
        key = (expression, driver, device)
        if key not in self._derived:
            self._derived[key] = self._derive(name, expression, driver, device)
        return self._derived[key]

    def _derive(
        self, name: str, expression: str, driver: str, device: DeviceRecord
    ) -> Attribute | Fault:
        derivation = self._derivations.get(expression)
        if derivation is None:
            derivation = self._selectors.compile_derived(expression)
            self._derivations[expression] = derivation
        if derivation.error is not None:
            return Fault(f"compile derived attribute {name} failed: {derivation.error}")
        try:
            return derivation.value(driver, device.as_v1())
        except SelectorFailureError as error:
            return Fault(f"evaluate derived attribute {name} on device ", f" failed: {error}")

    def compiled(self, expression: str) -> SelectorExpression:
        selector = self._compiled.get(expression)
        if selector is None:
            selector = self._compiled[expression] = self._selectors.compile(expression)
        return selector

    def _names(self, expression: str, driver: str) -> frozenset[str] | None:
        """The attributes, as devices of a driver name them, that decide an answer; None if only all of them do."""
        key = expression, driver
        if key not in self._names_read:
            reads = self.compiled(expression).reads
            names = None
            if reads is not None and not any(one.endswith("/*") for one in reads):
                # A driver may leave out its own domain.
                own = [one for one in reads if one.startswith(f"{driver}/")]
                names = reads | {one.removeprefix(f"{driver}/") for one in own}
            self._names_read[key] = names
        return self._names_read[key]

    # Upstream: allocator.selectorsMatch (structured/internal/*/allocator_*.go)
    def _evaluate(self, expression: str, driver: str, device: DeviceRecord) -> bool | str:
        expression_reads = None if device.odd else self._names(expression, driver)
        document = device.as_v1(expression_reads)
        if not self._sees_shared:
            document.pop("allowMultipleAllocations", None)
        try:
            return self.compiled(expression).match(driver, document)
        except SelectorFailureError as error:
            return str(error)

    def _fault(self, check: _Check, text: str) -> Fault:
        if not self._names_device:
            return Fault(f"{check.prefix}: CEL runtime error: {text}")
        hint = _HINT if "no such key:" in text else ""
        return Fault(f"{check.prefix} on device ", f": CEL runtime error: {text}{hint}")

    def _checks_of(self, plan: ClaimsPlan, request_data: RequestData) -> tuple[_Check, ...]:
        checks = []
        if request_data.device_class is not None:
            name = request_data.device_class.name
            for i, expression in enumerate(request_data.device_class.selectors):
                checks.append(_Check(expression or "", f"class {name}: selector #{i}"))
        label = (
            plan.claims[request_data.claim].label if request_data.claim < len(plan.claims) else ""
        )
        for i, expression in enumerate(request_data.selectors):
            checks.append(_Check(expression or "", f"claim {label}: selector #{i}"))
        return tuple(checks)

    def _all_reads(self) -> tuple[str, ...] | None:
        names: set[str] = set()
        for checks in self._checks:
            for check in checks:
                selector = self.compiled(check.expression)
                if selector.error is not None:
                    continue
                if selector.reads is None:
                    return None
                names |= selector.reads
        return tuple(sorted(names))


class Projection:
    """What selectors read of the devices of one driver, as a hashable value.

    `names` are the attributes read; None if only the whole device tells. `published` are the names
    under which devices have any. Equal attributes are mostly one object, so that it is compared.
    """

    __slots__ = ("_domains", "_own", "_whole", "keys")

    def __init__(self, names: Sequence[str] | None, driver: str, published: Container[str]) -> None:
        keys, domains = [], []
        for name in names or ():
            domain, _, short = name.partition("/")
            if short == "*":
                domains.append(f"{domain}/")
                continue
            keys.append(name)
            if domain == driver:
                # A driver may leave out its own domain.
                keys.append(short)
        self._whole = names is None
        self.keys = tuple(key for key in keys if key in published)
        self._domains = tuple(domains)
        self._own = f"{driver}/" in domains

    def of(self, device: DeviceRecord) -> Hashable:
        """Equal for devices that the selectors cannot tell apart."""
        attributes = device.attributes
        if self._domains or device.odd or self._whole:
            return self._unusual(device)
        return (device.traits, *map(id, map(attributes.get, self.keys)))

    def _unusual(self, device: DeviceRecord) -> Hashable:
        if self._whole:
            return device
        attributes = device.attributes
        if device.odd:
            # Upstream fails on such a device whatever is read of it.
            return device.traits, *attributes.items()
        return (
            device.traits,
            *map(id, map(attributes.get, self.keys)),
            *[
                (key, value)
                for key, value in attributes.items()
                if key.startswith(self._domains) or (self._own and "/" not in key)
            ],
        )
