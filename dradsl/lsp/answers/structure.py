"""The text that a completed field brings along: its list, its first item, and the fields that it cannot be without."""

from __future__ import annotations

import functools
import json

from dradsl.data import text_beside
from dradsl.kube.fields.table import Category, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.kube.fields.table import FieldType

__all__ = ["POD_LISTS", "field_text", "item_text", "pod_list_text"]


@functools.cache
def _first_members() -> Mapping[str, Sequence[str]]:
    """Fields that the API does not require one by one, but without which an object of the type says nothing."""
    found: Mapping[str, Sequence[str]] = json.loads(text_beside(__file__, "first_members.json"))
    return found


POD_LISTS = {"resourceClaims": ("name", "resourceClaimTemplateName"), "claims": ("name",)}
"""Lists of a pod that name claims, with the fields of an item."""


def pod_list_text(name: str, column: int) -> str:
    """A list of a pod that names claims, with its first item, for a key at a column."""
    indent = " " * (column + 2)
    fields = f"\n{indent}  ".join(f"{each}: \0" for each in POD_LISTS[name])
    return f"{name}:\n{indent}- {fields}"


def field_text(name: str, type_: FieldType, version: str, release: str, column: int) -> str:
    """`name:` and what belongs below it, for a key at a column; empty values are `\\0`."""
    return "".join(_field(name, type_, version, release, column))


def item_text(type_: FieldType, version: str, release: str, column: int) -> str:
    """An item of a list: its dash is at a column."""
    return "- " + "".join(_value(type_, version, release, column + 2)).lstrip("\n ")


def _field(name: str, type_: FieldType, version: str, release: str, column: int) -> Iterator[str]:
    yield f"{name}:"
    if type_.name == "string" and name == "expression":
        yield f" |-\n{' ' * (column + 2)}\0"
    elif type_.category is Category.LIST and type_.item is not None:
        indent = column + 2
        yield f"\n{' ' * indent}{item_text(type_.item, version, release, indent)}"
    else:
        yield from _value(type_, version, release, column + 2)


def _value(type_: FieldType, version: str, release: str, column: int) -> Iterator[str]:
    if type_.category is Category.MAP:
        yield f"\n{' ' * column}\0"
    elif type_.category is not Category.STRUCT:
        yield " \0"
    else:
        fields = fields_of(type_.name, version, release)
        first = _first_members().get(type_.name, ())
        wanted = [
            each for each in fields.values() if each.required_in(release) or each.name in first
        ]
        for each in wanted:
            yield f"\n{' ' * column}"
            yield from _field(each.name, each.type, version, release, column)
        if not wanted:
            yield f"\n{' ' * column}\0"
