"""Values of parameters as their annotations want them, by pydantic: models, dataclasses, enums and collections of them.

Imported only for a factory that has annotations and is called: pydantic takes longer to import than dradsl.
"""

from __future__ import annotations

import json
import types
import typing
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic_core import CoreSchema
    from pydantic_core.core_schema import ErrorType

__all__ = ["ConversionError", "from_data", "from_text", "schema"]


class ConversionError(ValueError):
    """A value that is not what its annotation wants.

    Args:
        problems: each with its place in the value (`.team.gpus`, `[2]`) and the end of a sentence.
    """

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(f"{path}: {text}" for path, text in problems))
        self.problems = problems


def from_data(value: object, wanted: object) -> Any:
    """A value of a file or a program as the annotation `wanted` wants it: text is no number there.

    Raises:
        ConversionError: if it cannot be that.
    """
    try:
        text = json.dumps(value, default=_text_of_date)
    except (TypeError, ValueError):  # a program may give what the annotation names, such as a model
        return _made(lambda model: model.model_validate({"value": value}, strict=True), wanted)
    return _made(
        lambda model: model.model_validate_json(f'{{"value": {text}}}', strict=True), wanted
    )


def from_text(text: str, wanted: object) -> Any:
    """A text of the command line as the annotation `wanted` wants it: `a,b` for a list, YAML in braces for a model.

    Raises:
        ConversionError: if it cannot be that.
    """
    problem: ConversionError | None = None
    for read in _readings(text):
        for each in _narrow(wanted):
            try:
                return _made(read, each)
            except ConversionError as error:
                problem = problem or error
    raise problem or ConversionError((("", f"cannot be {text!r}"),))


def schema(parameters: Mapping[str, tuple[object, object]], missing: object) -> dict[str, object]:
    """The JSON schema of parameters: the annotation and the default of each, which may be `missing`."""
    fields: dict[str, Any] = {
        name: (wanted, ... if default is missing else default)
        for name, (wanted, default) in parameters.items()
    }
    model = create_model(
        "Parameters", __config__=ConfigDict(**_ANY_CLASS, extra="forbid"), **fields
    )
    made = model.model_json_schema(schema_generator=_Schema)
    del made["title"]
    return {"$schema": GenerateJsonSchema.schema_dialect, **made}


_ANY_CLASS = ConfigDict(arbitrary_types_allowed=True)


class _Schema(GenerateJsonSchema):
    """As pydantic's, and a class of the user's own is anything."""

    def handle_invalid_for_json_schema(
        self, schema: CoreSchema | ErrorType, error_info: str
    ) -> JsonSchemaValue:
        return {}


def _readings(text: str) -> Iterator[Callable[[type[BaseModel]], BaseModel]]:
    """The ways in which a text can be a value, the most likely one first."""
    if text[:1] in ("{", "["):
        from dradsl.text.documents import load

        stream = load(text.encode())
        if not list(stream.all_problems()) and len(stream.documents) == 1:
            data = stream.documents[0].data
            yield lambda model: model.model_validate({"value": data})
    yield lambda model: model.model_validate_strings({"value": text})
    if text == "":
        yield lambda model: model.model_validate({"value": None})
    yield lambda model: model.model_validate({"value": text.split(",")})


def _narrow(wanted: object) -> list[object]:
    """The annotation; of one that takes text too, first what else it takes."""
    if get_origin(wanted) not in (Union, types.UnionType) or str not in get_args(wanted):
        return [wanted]
    others = tuple(each for each in get_args(wanted) if each not in (str, types.NoneType))
    return [*others, wanted]


def _made(read: Callable[[type[BaseModel]], BaseModel], wanted: object) -> Any:
    try:
        field: Any = (wanted, ...)
        model = create_model("Parameter", __config__=_ANY_CLASS, value=field)
        return read(model).__dict__["value"]
    except ValidationError as error:
        raise ConversionError(tuple(_problems(error))) from None
    except PydanticUserError as error:
        raise ConversionError((("", error.message.splitlines()[0]),)) from None


def _problems(error: ValidationError) -> Iterator[tuple[str, str]]:
    for each in error.errors(include_url=False):
        path = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in each["loc"][1:])
        text = each["msg"].replace("Input should be", "expected", 1)
        given = each["input"]
        shown = f", not {given!r}" if isinstance(given, str | int | float | bool) else ""
        yield path, f"{text[:1].lower()}{text[1:]}{shown}"


def _text_of_date(value: object) -> str:
    """Dates and times of YAML and TOML, as JSON has them.

    Raises:
        TypeError: for anything else.
    """
    isoformat = getattr(value, "isoformat", None)
    if isoformat is None:
        raise TypeError(f"{value!r} is no plain data")
    return str(isoformat())
