"""CEL for device selectors: the environment that names `device`, and selectors ready to match.

The only module of this package that knows devices. Source: dynamic-resource-allocation
`cel/compile.go` and the limits of the API (`resource/v1/types.go`).
"""

from __future__ import annotations

import functools

from dradsl.cel.checker.environment import Environment, Sized
from dradsl.cel.checker.functions import FunctionTable
from dradsl.cel.compile import CelCompileError, Program, compile_expression
from dradsl.cel.cost.ranges import MAX
from dradsl.cel.dialects import DIALECTS, base_declarations
from dradsl.cel.library.declarations import declarations
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Value, well_formed
from dradsl.cel.syntax.deep import SHALLOW
from dradsl.cel.syntax.macro_names import ALL_MACROS
from dradsl.cel.types import (
    ANY,
    BOOL,
    DYN,
    INT,
    STRING,
    Type,
    list_of,
    map_of,
    parse_type,
    struct,
)
from dradsl.records import Record
from dradsl.releases import get_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    from dradsl.cel.checker.errors import Issue
    from dradsl.cel.reads import Read
    from dradsl.releases import Features, Release
    from dradsl.releases.server import CelLibraries
    from dradsl.values import semver as versions
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "COST_LIMIT",
    "MAX_LENGTH",
    "CompileFailure",
    "CompiledSelector",
    "DeviceView",
    "Mode",
    "SelectorCache",
    "capacity_view",
    "compile_selector",
    "device_environment",
    "device_view",
]

COST_LIMIT = 1_000_000
"""CELSelectorExpressionMaxCost: of the estimate on create, and of each evaluation."""

MAX_LENGTH = 10 * 1024
"""CELSelectorExpressionMaxLength, in bytes."""

Mode: TypeAlias = "Literal['new', 'stored', 'derived', 'stored-derived']"
"""Whether a selector is just being written, or was accepted before; "derived": the expression of a
derived attribute, as written, which yields a value to compare instead of a verdict
("stored-derived" once it was accepted)."""

_DEVICE = "kubernetes.DRADevice"
_ENTRIES, _DOMAIN, _ID, _DRIVER, _VALUE = 32, 63, 32, 63, 64


class CompileFailure(Record):
    """Why a selector is rejected: type and detail as the API server gives them; `reason` is ours.

    It does not parse, its parts do not fit together, its value is of another type than is asked
    for, or a constant part of it cannot be computed.
    """

    type: str
    detail: str
    reason: Literal["cel-syntax", "cel-does-not-compile", "cel-not-bool", "cel-internal-error"]


# Upstream: GetCompiler, newCompiler (dynamic-resource-allocation/cel/compile.go)
def device_environment(
    release: Release | str, features: Features | None = None, mode: Mode = "new"
) -> Environment:
    """The environment that a release compiles device selectors in.

    `features` are the gates that are on (the release's defaults, if None).
    """
    if isinstance(release, str):
        release = get_release(release)
    on = release.features() if features is None else features
    return _environment(
        release.cel,
        release.name,
        "DRAConsumableCapacity" in on,
        "DRAListTypeAttributes" in on,
        mode,
    )


# Upstream: newCompiler, withMaxElements, includesFunc (dynamic-resource-allocation/cel/compile.go)
@functools.cache
def _environment(
    libraries: CelLibraries, name: str, consumable: bool, lists: bool, mode: Mode
) -> Environment:
    stored = mode.startswith("stored")
    dialect = DIALECTS[libraries.cel_go]
    dyn = lists or (stored and libraries.dyn_in_stored)
    attribute = DYN if dyn else ANY
    results: tuple[Type, ...] = (BOOL, attribute)
    if lists and not libraries.dyn_in_stored:
        results = (BOOL, ANY, DYN)
    results_text = "bool or the unknown type"
    if mode.endswith("derived"):
        results_text = "a primitive scalar (string, integer, boolean, semver)"
        results = (BOOL, INT, STRING, ANY, DYN, parse_type("kubernetes.Semver"))
        if lists or stored:
            results_text += " or a list of these scalars"
            results += tuple(list_of(scalar) for scalar in results)
    list_library = stored or libraries.lists_in_new
    macros = ALL_MACROS
    if not list_library:
        macros = frozenset(key for key in ALL_MACROS if key[0] != "sortBy")
    # The version of the list library that has `includes` is added after that of texts.
    late = stored and libraries.includes == "library"
    tables = base_declarations(lists=list_library, own_lists_last=late)
    if libraries.includes is not None and (stored or lists):
        form = " of 1.36" if libraries.includes == "bounded" else ""
        tables.append(declarations()[f"includes{form}"])
    return Environment(
        name=f"{name}/{mode}{'+capacity' if consumable else ''}{'+lists' if lists else ''}",
        functions=FunctionTable(tables, dialect.without),
        variables={"device": struct(_DEVICE)},
        dialect=dialect,
        structs={_DEVICE: _fields(attribute, allocations=stored or consumable)},
        sizes={"device": _sizes()},
        macros=macros,
        results=results,
        results_text=results_text,
        list_values=lists or libraries.dyn_in_stored,
        cost_limit=COST_LIMIT,
    )


def _fields(attribute: Type, *, allocations: bool) -> dict[str, Type]:
    fields = {
        "driver": STRING,
        "attributes": map_of(STRING, map_of(STRING, attribute)),
        "capacity": map_of(STRING, map_of(STRING, struct("kubernetes.Quantity"))),
    }
    if allocations:
        fields["allowMultipleAllocations"] = BOOL
    return fields


# Upstream: sizeEstimator.EstimateSize, draCostEstimator.* (dynamic-resource-allocation/cel/compile.go)
# Upstream: compiler.newCostEstimator, compiler.getTypesFromEnv (dynamic-resource-allocation/cel/compile.go)
# Upstream: compiler.getDeclType (dynamic-resource-allocation/cel/compile.go)
def _sizes() -> Sized:
    domain, name, value = Sized(_DOMAIN), Sized(_ID), Sized(_VALUE)
    attributes = Sized(_ENTRIES, keys=name, items=value, any_field=value)
    capacities = Sized(_ENTRIES, keys=name, items=Sized(0))
    return Sized(
        0,
        fields={
            "driver": Sized(_DRIVER),
            "attributes": Sized(_ENTRIES, keys=domain, items=attributes),
            "capacity": Sized(_ENTRIES, keys=domain, items=capacities),
            "allowMultipleAllocations": Sized(1),
        },
    )


# -- devices -------------------------------------------------------------------------------


class DeviceView(Record):
    """A device as CEL sees it.

    `problem` is set if upstream cannot make one of its attributes; `list_attribute` names one
    that holds a list, on which environments without lists fail.
    """

    value: Mapping[str, Value]
    problem: str | None = None
    list_attribute: str | None = None


# Upstream: parseQualifiedName, newStringInterfaceMapWithDefault (dynamic-resource-allocation/cel/compile.go)
# Upstream: mapper.Find (dynamic-resource-allocation/cel/compile.go)
def device_view(
    driver: str, device: JsonMapping, capacity: Mapping[Value, Value] | None = None
) -> DeviceView:
    """The view of a device of a v1 ResourceSlice, given as plain data, published by `driver`.

    `capacity` is the `capacity_view` of the device if it is known already.

    Raises:
        QuantityError: for a capacity that is no quantity, which no API server lets pass.
    """
    from dradsl.cel.runtime.operations import DefaultMap, NativeMap

    attributes: DefaultMap = DefaultMap()
    problem = list_attribute = None
    for name, attribute in (device.get("attributes") or {}).items():
        try:
            value = _attribute(attribute or {})
        except ValueError as error:
            problem = problem or f"attribute {name}: {error}"
            continue
        if type(value) is list:
            list_attribute = list_attribute or name
        domain, key = _qualified(name, driver)
        attributes.setdefault(domain, NativeMap())[key] = value
    if capacity is None:
        capacity = capacity_view(driver, device.get("capacity") or {})
    view = NativeMap(
        driver=driver,
        allowMultipleAllocations=bool(device.get("allowMultipleAllocations")),
        attributes=attributes,
        capacity=capacity,
    )
    return DeviceView(view, problem, list_attribute)


def capacity_view(driver: str, capacity: JsonMapping) -> Mapping[Value, Value]:
    """The capacities of a device as CEL sees them; QuantityError as in `device_view`."""
    from dradsl.cel.runtime.operations import DefaultMap, NativeMap
    from dradsl.values.quantity import Quantity

    found: DefaultMap = DefaultMap()
    for name, one in capacity.items():
        domain, key = _qualified(name, driver)
        amount = (one or {}).get("value")
        found.setdefault(domain, NativeMap())[key] = Quantity.decode(
            "0" if amount is None else amount
        )
    return found


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, key = name.partition("/")
    return (domain, key) if slash else (driver, name)


# Upstream: getAttributeValue (dynamic-resource-allocation/cel/compile.go)
# Upstream: CompilationResult.getAttributeValue (dynamic-resource-allocation/cel/compile.go)
def _attribute(attribute: JsonMapping) -> Value:
    if (text := attribute.get("string")) is not None and len(attribute) == 1:
        return well_formed(text)
    for kind in ("ints", "bools", "strings", "versions"):
        values = attribute.get(kind)
        if values is not None:
            return [_value(kind[:-1], value) for value in values]
    for kind in ("int", "bool", "string", "version"):
        value = attribute.get(kind)
        if value is not None:
            return _value(kind, value)
    raise ValueError("unsupported attribute value")


def _value(kind: str, value: Any) -> Value:
    if kind == "version":
        return _version(value)
    return well_formed(value) if kind == "string" else value


def _version(text: str) -> versions.Semver:
    try:
        from dradsl.values import semver as versions

        return versions.Semver.parse(text)
    except versions.SemverError as error:
        raise ValueError(f"parse semantic version: {error}") from None


# -- selectors -----------------------------------------------------------------------------


class CompiledSelector:
    """A selector compiled for a release and mode: rejected (`error`), or ready to `match`.

    `max_cost` is the estimated cost, 2**64 - 1 if there is none.
    """

    __slots__ = (
        "_code",
        "_lists",
        "_places",
        "_plain",
        "environment",
        "error",
        "issues",
        "max_cost",
        "program",
        "text",
    )

    def __init__(self, text: str, environment: Environment) -> None:
        self.text = text = well_formed(text)
        self.environment = environment
        self.error: CompileFailure | None = None
        self.issues: tuple[Issue, ...] = ()
        self.program: Program | None = None
        self.max_cost = MAX
        self._plain: bool | None = None  # of no use to those who never match
        try:
            program = compile_expression(text, environment)
        except CelCompileError as error:
            self.issues = error.issues
            self.error = _failure(text, error)
            return
        self.program = program
        self.max_cost = program.estimate.max
        self._lists = environment.list_values

    @property
    def result_type(self) -> str | None:
        """The type of the expression as upstream prints it."""
        return None if self.program is None else str(self.program.checked.result)

    @property
    def reads(self) -> frozenset[Read] | None:
        """What of a device decides the outcome, None if anything may."""
        from dradsl.cel.reads import reads

        return None if self.program is None else reads(self.program.checked)

    def match(self, device: DeviceView) -> bool:
        """Whether the device matches.

        Raises:
            CelRuntimeError: if the evaluation fails, which aborts scheduling.
        """
        self._reject(device)
        if self._plain is None:
            program = self._require()
            self._plain = program.bounded and program.checked.levels < SHALLOW
            self._code = program.code
            self._places = program.locals
        if not self._plain:
            return self._truth(self._run_carefully(device))
        try:
            result = self._code([device.value, *self._places])
        except CelPanicError as panic:
            raise CelRuntimeError(str(panic), 0, len(self.text)) from None
        return result if result is True or result is False else self._truth(result)

    # Upstream: CompilationResult.DeviceMatches (dynamic-resource-allocation/cel/compile.go)
    def match_with_cost(self, device: DeviceView) -> tuple[bool | CelRuntimeError, int]:
        """The outcome, which may be an error, and its cost as upstream counts it."""
        value, cost = self.evaluate_with_cost(device)
        try:
            return value if isinstance(value, CelRuntimeError) else self._truth(value), cost
        except CelRuntimeError as error:
            return error, cost

    # Upstream: CompilationResult.EvaluateDerivedAttribute (dynamic-resource-allocation/cel/compile.go)
    # Upstream: valToDeviceAttribute (dynamic-resource-allocation/cel/compile.go)
    def evaluate_with_cost(self, device: DeviceView) -> tuple[Value | CelRuntimeError, int]:
        """The value, which may be an error, and its cost as upstream counts it.

        Raises:
            CelRuntimeError: if the evaluation cannot even begin.
        """
        from dradsl.cel.cost.actual import Meter

        self._reject(device)
        program = self._require()
        meter = Meter(self.environment.cost_limit)
        try:
            value, _ = program.measure([device.value], meter)
        except CelRuntimeError as error:
            return error, meter.cost
        return value, meter.cost

    def evaluate(self, device: DeviceView) -> Value:
        """The value of a derived attribute.

        Raises:
            CelRuntimeError: if the evaluation fails, which aborts scheduling.
        """
        self._reject(device)
        return self._run_carefully(device)

    def _reject(self, device: DeviceView) -> None:
        """Fails where upstream cannot even hand the device to the expression."""
        if device.problem is not None:
            raise CelRuntimeError(device.problem)
        if device.list_attribute is not None and not self._lists:
            name = device.list_attribute
            raise CelRuntimeError(f"attribute {name}: unsupported attribute value")

    def _run_carefully(self, device: DeviceView) -> Value:
        program = self._require()
        if program.bounded:
            return program.run([device.value, *program.locals])
        return program.measure([device.value])[0]

    def _require(self) -> Program:
        if self.program is None:
            raise CelRuntimeError(self.error.detail if self.error else "not compiled")
        return self.program

    def _truth(self, result: Value) -> bool:
        if result is True or result is False:
            return bool(result)
        raise CelRuntimeError(_not_bool(result), 0, len(self.text))


def _failure(text: str, error: CelCompileError) -> CompileFailure:
    if error.kind == "result":
        return CompileFailure("RuleInvalid", error.issues[0].message, "cel-not-bool")
    if error.kind == "instantiation":
        detail = f"program instantiation failed: {error.issues[0].message}"
        return CompileFailure("InternalError", detail, "cel-internal-error")
    from dradsl.cel.checker.display import render

    shown = render(text, [(issue.start, issue.message) for issue in error.issues])
    detail = f"compilation failed: {shown}"
    if error.kind == "syntax":
        return CompileFailure("RuleInvalid", detail, "cel-syntax")
    return CompileFailure("RuleInvalid", detail, "cel-does-not-compile")


# Upstream: compiler.validateOutputType (dynamic-resource-allocation/cel/compile.go)
# Upstream: compiler.isAllowedDerivedAttribute* (dynamic-resource-allocation/cel/compile.go)
def _not_bool(result: Value) -> str:
    from dradsl.cel.runtime.operations import type_name

    name = type_name(result)
    return f"CEL result of type {name} could not be converted to bool: {_conversion(name)}"


def _conversion(name: str) -> str:
    """What upstream's ConvertToNative says about a type that is no bool."""
    if name == "string":
        return "unsupported native conversion from string to 'bool'"
    if name in ("int", "uint"):
        return f"unsupported type conversion from '{name}' to bool"
    shown = {
        "double": "Double", "bytes": "Bytes", "list": "list", "map": "map",
        "google.protobuf.Duration": "'Duration'", "google.protobuf.Timestamp": "'Timestamp'",
        "kubernetes.Semver": "'Semver'", "kubernetes.Quantity": "'Quantity'",
    }.get(name, f"'{name}'")  # fmt: skip
    return f"type conversion error from {shown} to 'bool'"


# Upstream: compiler.CompileCELExpression (dynamic-resource-allocation/cel/compile.go)
def compile_selector(
    text: str,
    release: Release | str,
    features: Features | None = None,
    mode: Mode = "stored",
    cache: SelectorCache | None = None,
) -> CompiledSelector:
    """Compiles a selector as the API server (mode "new") or the scheduler ("stored") does.

    Never fails: see `CompiledSelector.error`. The caller's `cache` holds what was compiled.
    """
    environment = device_environment(release, features, mode)
    if cache is None:
        return CompiledSelector(text, environment)
    return cache.get(text, environment)


# Upstream: Cache.*, NewCache (dynamic-resource-allocation/cel/cache.go)
class SelectorCache:
    """Selectors compiled before, by text and environment; the oldest go first."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._selectors: dict[tuple[str, str], CompiledSelector] = {}

    def get(self, text: str, environment: Environment) -> CompiledSelector:
        """The compiled selector; compiled now if it is not kept."""
        key = (text, environment.name)
        found = self._selectors.get(key)
        if found is None:
            found = CompiledSelector(text, environment)
            if len(self._selectors) >= self._size:
                self._selectors.pop(next(iter(self._selectors)))
            self._selectors[key] = found
        return found
