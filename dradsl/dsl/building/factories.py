"""Functions that make an app: their parameters from text and files, converted by their annotations."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Union

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Factory", "ParameterError", "read_parameters", "text_parameters"]


class ParameterError(ValueError):
    """Parameters that a factory does not take, or that are missing; the message says which."""


class Text(str):
    """A value from the command line: the annotation says what it is."""

    __slots__ = ()


def text_parameters(texts: Sequence[str]) -> dict[str, object]:
    """The values of `--param NAME=VALUE`.

    Raises:
        ParameterError: for text of another form, and for a name that is given twice.
    """
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"--param: expected NAME=VALUE, not {text!r}")
        if name in found:
            raise ParameterError(f"--param: {name} is given twice")
        found[name] = Text(value)
    return found


def read_parameters(path: Path) -> dict[str, object]:
    """The parameters in a YAML, JSON or TOML file, such as one file an environment.

    Raises:
        ParameterError: for a file that cannot be read, or holds no mapping.
    """
    from dradsl.text.documents import load

    try:
        data = path.read_bytes()
        if path.suffix == ".toml":
            import tomllib

            return dict(tomllib.loads(data.decode()))
    except (OSError, ValueError) as error:
        raise ParameterError(f"--params {path}: {error}") from error
    stream = load(data)
    for problem in (*stream.problems, *(p for one in stream.documents for p in one.problems)):
        raise ParameterError(f"--params {path}:{problem.span.line}: {problem.message}")
    values = [one.data for one in stream.documents if one.data is not None]
    if len(values) > 1 or not all(isinstance(one, dict) for one in values):
        raise ParameterError(f"--params {path}: expected one mapping of names to values")
    return {str(k): v for one in values if isinstance(one, dict) for k, v in one.items()}


class Factory:
    """A function whose call gives an app.

    Args:
        name: what the user calls it, for messages: `clusters.py:make`.
        make: the function.
    """

    def __init__(self, name: str, make: Callable[..., object]) -> None:
        self.name = name
        self._make = make
        self._signature = inspect.signature(make)
        try:
            self._types = typing.get_type_hints(make)
        except (NameError, TypeError, AttributeError):  # names that are there for checkers only
            self._types = {}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of what it takes."""
        return tuple(self._named())

    def takes(self, name: str) -> bool:
        """Whether it has a parameter of that name."""
        kinds = {one.kind for one in self._signature.parameters.values()}
        return name in self._named() or inspect.Parameter.VAR_KEYWORD in kinds

    def __call__(self, given: Mapping[str, object]) -> object:
        """What the function returns for `given`.

        Raises:
            ParameterError: for parameters that are missing, or have a value of another type.
        """
        needed = [
            name
            for name, one in self._named().items()
            if one.default is inspect.Parameter.empty and name not in given
        ]
        if needed:
            says = " ".join(f"--param {name}=..." for name in needed)
            raise ParameterError(f"{self.name} needs a value for {', '.join(needed)}: say {says}")
        return self._make(**{name: self._converted(name, value) for name, value in given.items()})

    def schema(self) -> dict[str, object]:
        """A JSON schema of the parameters."""
        properties = {}
        for name, one in self._named().items():
            described = _schema_of(self._types.get(name, object))
            if isinstance(one.default, str | int | float | bool):
                described["default"] = one.default
            properties[name] = described
        needed = [
            name for name, one in self._named().items() if one.default is inspect.Parameter.empty
        ]
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": properties,
            **({"required": needed} if needed else {}),
            "additionalProperties": False,
        }

    def unknown(self, name: str) -> str:
        """The message for a parameter that it does not take."""
        import difflib

        close = difflib.get_close_matches(name, self.parameters, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        known = ", ".join(self.parameters) or "none"
        return f"{self.name} has no parameter {name}{hint} (known: {known})"

    def _named(self) -> dict[str, inspect.Parameter]:
        by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {n: one for n, one in self._signature.parameters.items() if one.kind in by_name}

    def _converted(self, name: str, value: object) -> object:
        wanted = self._types.get(name, str if isinstance(value, Text) else object)
        try:
            return _convert(value, wanted)
        except ValueError as error:
            raise ParameterError(f"{self.name}: parameter {name}: {error}") from None


_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _convert(value: object, wanted: object) -> object:
    """`value` as the annotation wants it.

    Raises:
        ValueError: if it cannot be that; the message is the end of a sentence.
    """
    origin, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (Union, types.UnionType):
        return _one_of(value, parts)
    if origin is Literal:
        for one in parts:
            if value == one or (isinstance(value, Text) and str(value) == str(one)):
                return one
        raise ValueError(f"expected one of {', '.join(map(str, parts))}, not {_shown(value)}")
    if isinstance(wanted, type) and issubclass(wanted, enum.Enum):
        for member in wanted:
            if value in (member.name, member.value) or str(value) == str(member.value):
                return member
        known = ", ".join(str(member.value) for member in wanted)
        raise ValueError(f"expected one of {known}, not {_shown(value)}")
    if origin in (list, tuple, Sequence) or wanted in (list, tuple):
        items = str(value).split(",") if isinstance(value, Text) else value
        if not isinstance(items, list | tuple):
            raise ValueError(f"expected a list, not {_shown(value)}")
        kind = parts[0] if parts else str
        made = [_convert(Text(one) if isinstance(value, Text) else one, kind) for one in items]
        return tuple(made) if tuple in (origin, wanted) else made
    return _scalar(value, wanted)


def _one_of(value: object, parts: tuple[object, ...]) -> object:
    if types.NoneType in parts and (value is None or (isinstance(value, Text) and value == "")):
        return None
    problem = ValueError(f"cannot be {_shown(value)}")
    # Text fits everywhere: what is narrower goes first.
    for part in sorted((p for p in parts if p is not types.NoneType), key=lambda p: p is str):
        try:
            return _convert(value, part)
        except ValueError as error:
            problem = error
    raise problem


def _scalar(value: object, wanted: object) -> object:
    if isinstance(value, Text):
        text = str(value)
        if wanted is bool:
            if text.lower() not in _WORDS:
                raise ValueError(f"expected true or false, not {text!r}")
            return _WORDS[text.lower()]
        if wanted in (int, float):
            try:
                return int(text) if wanted is int else float(text)
            except ValueError:
                kind = "a whole number" if wanted is int else "a number"
                raise ValueError(f"expected {kind}, not {text!r}") from None
        if wanted in (str, object, typing.Any):
            return text
        raise ValueError("has a type that no text can give: write it into a --params file")
    plain = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    if isinstance(wanted, type) and wanted in plain:
        fits = isinstance(value, int | float) if wanted is float else isinstance(value, wanted)
        if not fits or (isinstance(value, bool) and wanted is not bool):
            raise ValueError(f"expected {plain[wanted]}, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return repr(str(value) if isinstance(value, Text) else value)


def _schema_of(wanted: object) -> dict[str, object]:
    origin, parts = typing.get_origin(wanted), typing.get_args(wanted)
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    if isinstance(wanted, type) and wanted in names:
        return {"type": names[wanted]}
    if isinstance(wanted, type) and issubclass(wanted, enum.Enum):
        return {"enum": [member.value for member in wanted]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, types.UnionType):
        each = [{"type": "null"} if part is types.NoneType else _schema_of(part) for part in parts]
        return {"anyOf": each}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": _schema_of(parts[0] if parts else object)}
    return {}
