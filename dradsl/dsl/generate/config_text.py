"""Plain parameters of a driver as its typed configuration, where that holds all of them."""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from dradsl.dsl.data.modules import module_of
from dradsl.dsl.generate.python_text import Code, call, literal, sequence
from dradsl.dsl.objects.parameters import ConfigPart, DriverConfig, opaque_of, spelled

if TYPE_CHECKING:
    from dradsl.dsl.objects.parameters import AnyConfig

__all__ = ["parts_of", "typed_config", "typed_text"]


def typed_config(config: AnyConfig) -> DriverConfig | None:
    """The configuration as its driver's class; None if there is none that gives it back."""
    if isinstance(config, DriverConfig):
        return config
    data = opaque_of(config)
    module = module_of(config.driver)
    if module is None or not isinstance(data["parameters"], Mapping):
        return None
    for known in _classes(module, config.driver):
        parameters = dict(data["parameters"])
        head = (parameters.pop("apiVersion", None), parameters.pop("kind", None))
        wanted = known.__kind__ if known.__api_version__ else None
        if head != (known.__api_version__, wanted):
            continue
        try:
            typed = _part(known, parameters)
        except (TypeError, ValueError):
            continue
        if isinstance(typed, DriverConfig) and opaque_of(typed) == data:
            return typed
    return None


def _classes(module: str, driver: str) -> list[type[DriverConfig]]:
    members = vars(importlib.import_module(f"dradsl.devices.{module}")).values()
    return [
        one
        for one in members
        if isinstance(one, type) and issubclass(one, DriverConfig) and one is not DriverConfig
        if one.__driver__ == driver
    ]


def _part(kind: type[ConfigPart], data: object) -> ConfigPart:
    """An instance of `kind` with `data`; TypeError if it does not fit."""
    if not isinstance(data, Mapping):
        raise TypeError(f"{kind.__name__} is a mapping")
    hints = typing.get_type_hints(kind)
    names = {spelled(one.name): one.name for one in fields(kind)}
    if not data.keys() <= names.keys():
        raise TypeError(f"{kind.__name__} has other fields")
    given = {names[key]: _value(hints[names[key]], value) for key, value in data.items()}
    return kind(**given)


def _value(hint: Any, value: Any) -> Any:
    """`value` with typed parts where `hint` asks for them."""
    kinds = [one for one in _alternatives(hint) if isinstance(one, type)]
    parts = [one for one in kinds if issubclass(one, ConfigPart)]
    if parts and isinstance(value, Mapping):
        return _chosen(parts, value)
    for one in _alternatives(hint):
        if typing.get_origin(one) is Sequence and isinstance(value, list):
            [item] = typing.get_args(one)
            return [_value(item, element) for element in value]
    return value


def _alternatives(hint: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if is_union else (hint,)


def _chosen(kinds: list[type[ConfigPart]], data: Mapping[str, object]) -> ConfigPart:
    for kind in kinds:
        if kind.__tag__ is None:
            return _part(kind, data)
        key, value, holder = kind.__tag__
        if data.get(key) == value and data.keys() <= {key, holder}:
            return _part(kind, data.get(holder, {}) if holder is not None else {})
    raise TypeError("no form of the configuration fits")


def typed_text(part: ConfigPart, name_of: Callable[[str], str]) -> Code:
    """The call that makes `part`; `name_of` gives the local name of a class."""

    def text(value: Any) -> Code:
        if isinstance(value, ConfigPart):
            return typed_text(value, name_of)
        if isinstance(value, list) and any(isinstance(item, ConfigPart) for item in value):
            return sequence(map(text, value))
        return literal(value)

    given = {one.name: getattr(part, one.name) for one in fields(part)}
    keywords = {name: text(value) for name, value in given.items() if value is not None}
    return call(name_of(type(part).__name__), **keywords)


def parts_of(part: ConfigPart) -> Iterator[str]:
    """The classes that `typed_text` names."""
    yield type(part).__name__
    for one in fields(part):
        value = getattr(part, one.name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ConfigPart):
                yield from parts_of(item)
