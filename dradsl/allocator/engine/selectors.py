"""Selectors in CEL, as the allocator asks for them: compiled once, matched against plain devices."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, TypeVar

from dradsl.allocator.engine.eligibility import Derivation, SelectorExpression, SelectorFailureError
from dradsl.cel.dra import capacity_view, compile_selector, device_view
from dradsl.cel.runtime.operations import NativeMap, type_name
from dradsl.cel.runtime.values import CelRuntimeError, Optional, TypeValue, Uint
from dradsl.data import text_beside
from dradsl.values.quantity import Quantity, QuantityError
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.allocator.inventory.slices import Attribute
    from dradsl.cel.dra import CompiledSelector, DeviceView, Mode
    from dradsl.cel.runtime.values import Value
    from dradsl.kube.fields.typed_dicts import DeviceDict
    from dradsl.releases import Features, Release

__all__ = ["CelSelectors", "attribute_of"]

T = TypeVar("T")


class CelSelectors:
    """Compiles expressions in the environment for stored expressions, as the scheduler does."""

    def __init__(self, release: Release, features: Features) -> None:
        self._release = release
        self._features = features
        self._selectors: dict[str, SelectorExpression] = {}
        self._derivations: dict[str, Derivation] = {}

    def compile(self, expression: str) -> SelectorExpression:
        found = self._selectors.get(expression)
        if found is None:
            compiled = self._compiled(expression, "stored")
            found = self._selectors[expression] = _CelSelector(compiled)
        return found

    def compile_derived(self, expression: str) -> Derivation:
        found = self._derivations.get(expression)
        if found is None:
            compiled = self._compiled(expression, "stored-derived")
            found = self._derivations[expression] = _CelDerivation(compiled)
        return found

    def _compiled(self, expression: str, mode: Mode) -> CompiledSelector:
        return compile_selector(expression, self._release, self._features, mode)


class _CelExpression:
    def __init__(self, compiled: CompiledSelector) -> None:
        self._compiled = compiled
        # Of equal devices the mapping is one object; it is kept, so that its identity is not given away.
        self._capacities: dict[tuple[str, int], tuple[object, Mapping[Value, Value]]] = {}

    @property
    def error(self) -> str | None:
        failure = self._compiled.error
        return None if failure is None else failure.detail

    def _request_data(
        self, question: Callable[[DeviceView], T], driver: str, device: DeviceDict
    ) -> T:
        given = device.get("capacity")
        key = driver, id(given)
        try:
            if key not in self._capacities:
                self._capacities[key] = given, capacity_view(driver, given or {})
            return question(device_view(driver, device, self._capacities[key][1]))
        except (CelRuntimeError, QuantityError) as error:
            raise SelectorFailureError(str(error)) from error


class _CelSelector(_CelExpression):
    @property
    def reads(self) -> frozenset[str] | None:
        paths = self._compiled.reads
        if paths is None:
            return None
        names = set()
        for kind, *keys in paths:
            if kind == "attributes":
                if not keys:
                    return None
                names.add("/".join(keys[:2]) if len(keys) > 1 else f"{keys[0]}/*")
        return frozenset(names)

    def match(self, driver: str, device: DeviceDict) -> bool:
        return self._request_data(self._compiled.match, driver, device)


class _CelDerivation(_CelExpression):
    def value(self, driver: str, device: DeviceDict) -> Attribute:
        evaluate = self._compiled.evaluate
        return self._request_data(lambda view: attribute_of(evaluate(view)), driver, device)


def attribute_of(value: Value) -> Attribute:
    """A CEL value as attribute of a device (valToDeviceAttribute of upstream's package cel).

    Raises:
        SelectorFailureError: for a value that no attribute can hold.
    """
    kind = _kind(value)
    if kind is not None:
        return kind, _plain(value)
    if not isinstance(value, list | tuple):
        raise SelectorFailureError(f"unsupported CEL return type: {_go_type(value)}")
    if not value:
        return "strings", ()
    kind = _kind(value[0])
    if kind is None:
        raise SelectorFailureError(f"unsupported list element type: {_go_type(value[0])}")
    for i, element in enumerate(value):
        if _kind(element) != kind:
            expected = "semver" if kind == "version" else kind
            text = f"expected list element at index {i} to be {expected}, got {_go_type(element)}"
            raise SelectorFailureError(text)
    return f"{kind}s", tuple(_plain(element) for element in value)


def _held(value: Value) -> Value:
    """What Go finds in the value: optionals and types are no more than what is in them."""
    while isinstance(value, Optional) and value.present:
        value = value.value
    return value.name if isinstance(value, TypeValue) else value


def _plain(value: Value) -> Any:
    held = _held(value)
    return held if isinstance(held, bool | int | str) else str(held)


def _kind(value: Value) -> str | None:
    value = _held(value)
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, Semver):
        return "version"
    return "int" if isinstance(value, int) and not isinstance(value, Uint) else None


def _go_type(value: Value) -> str:
    """The Go type of what the value holds."""
    value = _held(value)
    if isinstance(value, Optional):
        return "<nil>"
    if isinstance(value, NativeMap):
        quantities = value and all(isinstance(item, Quantity) for item in value.values())
        return "map[string]cel.Quantity" if quantities else "map[string]interface {}"
    name = type_name(value)
    return _go_types().get(name, name)


@functools.cache
def _go_types() -> Mapping[str, str]:
    """The types of Go behind those of CEL."""
    found: Mapping[str, str] = json.loads(text_beside(__file__, "go_types.json"))
    return found
