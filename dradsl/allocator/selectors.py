"""Selectors in CEL, as the allocator asks for them: compiled once, matched against plain devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.allocator.eligibility import Selector, SelectorFailureError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.dra import CompiledSelector
    from dradsl.releases import Features, Release

__all__ = ["CelSelectors"]


class CelSelectors:
    """Compiles expressions in the environment for stored expressions, as the scheduler does."""

    def __init__(self, release: Release, features: Features) -> None:
        self._release = release
        self._features = features
        self._compiled: dict[str, Selector] = {}

    def compile(self, expression: str) -> Selector:
        found = self._compiled.get(expression)
        if found is None:
            from dradsl.cel.dra import compile_selector

            selector = compile_selector(expression, self._release, self._features, "stored")
            found = self._compiled[expression] = _CelSelector(selector)
        return found


class _CelSelector:
    def __init__(self, selector: CompiledSelector) -> None:
        self._selector = selector

    @property
    def error(self) -> str | None:
        failure = self._selector.error
        return None if failure is None else failure.detail

    @property
    def reads(self) -> frozenset[str] | None:
        paths = self._selector.reads
        if paths is None:
            return None
        names = set()
        for kind, *keys in paths:
            if kind == "attributes":
                if not keys:
                    return None
                names.add("/".join(keys[:2]) if len(keys) > 1 else f"{keys[0]}/*")
        return frozenset(names)

    def match(self, driver: str, device: Mapping[str, Any]) -> bool:
        from dradsl.cel.dra import device_view
        from dradsl.cel.values import CelRuntimeError
        from dradsl.values.quantity import QuantityError

        try:
            return self._selector.match(device_view(driver, device))
        except (CelRuntimeError, QuantityError) as error:
            raise SelectorFailureError(str(error)) from error
