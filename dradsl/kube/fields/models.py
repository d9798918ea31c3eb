"""Pydantic models of resource.k8s.io objects in the shape of v1, for Python programs, made from the field table.

Every field of every release; camelCase aliases, snake_case names; frozen; unknown fields and wrong
types are errors, as the API server has them. Validation beyond the shape is `dradsl.kube.validation`.
`model_dump()` gives plain data back. dradsl itself works on plain data and never imports this module.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    Strict,
    create_model,
    model_serializer,
)
from pydantic.alias_generators import to_camel

from dradsl.kube.fields.shape import VERSION, every_field, is_required
from dradsl.kube.fields.table import GROUP, KINDS, Category, FieldType


def _quantity(value: object) -> str:
    """The text of a quantity, which may be written as a number."""
    from dradsl.values.quantity import Quantity

    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a quantity is text or a number")
    quantity = Quantity.decode(value)
    return value.strip() if isinstance(value, str) else str(quantity)


Text = Annotated[str, Strict()]
Bool = Annotated[bool, Strict()]
Int = Annotated[int, Strict()]
QuantityText = Annotated[str, BeforeValidator(_quantity)]


class Model(BaseModel):
    """What the models have in common."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _as_json(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As JSON has it: without what is not set, and with lists."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in fields(self).items()
            if value is not None
        }


_TYPES: Mapping[Category, Any] = {
    Category.STRING: Text,
    Category.TIME: Text,
    Category.BOOL: Bool,
    Category.INT32: Int,
    Category.INT64: Int,
    Category.QUANTITY: QuantityText,
    Category.RAW: Any,
}
_RESERVED = frozenset({"int", "bool"})


def __getattr__(name: str) -> Any:
    """The model of a type, by its name in the API."""
    raise AttributeError(f"{GROUP}/{VERSION} has no type {name}", name=name)


@functools.cache
def _model(name: str) -> type[Model]:
    fields: dict[str, Any] = {}
    for key, field in every_field(name).items():
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
        if name in KINDS and key in ("apiVersion", "kind"):
            value = name if key == "kind" else f"{GROUP}/{VERSION}"
            fields[snake] = Literal[value], value
            continue
        type_ = _type(field.type)
        default = Field(alias=key) if is_required(field) else Field(default=None, alias=key)
        optional = type_ if is_required(field) else type_ | None if type_ is not Any else Any
        fields[f"{snake}_" if snake in _RESERVED else snake] = optional, default
    made = create_model(name, __base__=Model, __module__=__name__, **fields)
    made.__doc__ = f"{name} of {GROUP}/{VERSION}."
    globals()[name] = made  # where pickle and users find it
    return made


def _type(of: FieldType) -> Any:
    if of.category is Category.STRUCT:
        return _model(of.name)
    if of.item is not None:
        item = _type(of.item)
        many: Any = tuple if of.category is Category.LIST else Mapping
        return many[(item, ...) if many is tuple else (Text, item)]
    return _TYPES[of.category]


for _kind in KINDS:
    if _kind != "ResourcePoolStatusRequest":  # a question that programs ask, and has no v1
        _model(_kind)
