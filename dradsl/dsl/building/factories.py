"""Functions that make an app: their parameters from text and files, converted by their annotations."""

from __future__ import annotations

import inspect
import typing
from typing import TYPE_CHECKING

from dradsl.errors import DradslError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["Factory", "ParameterError", "read_parameters", "text_parameters"]


class ParameterError(DradslError, ValueError):
    """Parameters that a factory does not take, or that are missing; the message says which."""


class Text(str):
    """A value from the command line: the annotation says what it is."""

    __slots__ = ()


def text_parameters(texts: Sequence[str]) -> dict[str, object]:
    """The values of `--set NAME=VALUE`.

    Raises:
        ParameterError: for text of another form, and for a name that is given twice.
    """
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"--set: expected NAME=VALUE, not {text!r}")
        if name in found:
            raise ParameterError(f"--set: {name} is given twice")
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
            self._types = typing.get_type_hints(make, include_extras=True)
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
            says = " ".join(f"--set {name}=..." for name in needed)
            raise ParameterError(f"{self.name} needs a value for {', '.join(needed)}: say {says}")
        return self._make(**self._converted(given))

    def schema(self) -> dict[str, object]:
        """A JSON schema of the parameters."""
        from dradsl.dsl.building import parameter_types

        parameters = {
            name: (self._types.get(name, typing.Any), one.default)
            for name, one in self._named().items()
        }
        return parameter_types.schema(parameters, missing=inspect.Parameter.empty)

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

    def _converted(self, given: Mapping[str, object]) -> dict[str, object]:
        """The values as the annotations want them; a value without an annotation as it is."""
        made = {
            name: str(value) if isinstance(value, Text) else value for name, value in given.items()
        }
        typed = {name: self._types[name] for name in given if name in self._types}
        if not typed:
            return made
        from dradsl.dsl.building import parameter_types

        problems: list[str] = []
        for name, wanted in typed.items():
            value = given[name]
            try:
                made[name] = (
                    parameter_types.from_text(str(value), wanted)
                    if isinstance(value, Text)
                    else parameter_types.from_data(value, wanted)
                )
            except parameter_types.ConversionError as error:
                problems += [f"parameter {name}{path}: {text}" for path, text in error.problems]
        if problems:
            raise ParameterError("\n".join((f"{self.name}: {problems[0]}", *problems[1:])))
        return made
