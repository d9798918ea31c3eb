"""The declarative rules of the API types, and what of them holds for a release: `declarative_rules.txt`.

A block a type, a line a field, like the table of `fields`; rules in upstream's order. `!` in front
of a rule = stable, enforced always; without it the gate DeclarativeValidationBeta decides. Rules of
alpha maturity are never enforced and left out.

Sources: kubernetes pkg/apis/resource/{v1,v1beta2,v1beta1,v1alpha3}/zz_generated.validations.go at
1.37.1 (pool requests: 1.36.4 as well).
"""

from __future__ import annotations

import functools

from dradsl.data import text_beside
from dradsl.kube.fields.table import Category, fields_of
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.kube.fields.table import Field

__all__ = ["FieldRules", "DeclarativeRule", "declared_rules"]

_SHORT_CIRCUITS = frozenset({"required", "immutable", "no-modify", "max-items", "gated"})


class DeclarativeRule(Record):
    """A rule: its name, its argument, and whether it is enforced without the gate."""

    name: str
    argument: str
    stable: bool


class _Block(Record):
    """The rules of a type and of its fields."""

    union: DeclarativeRule | None
    fields: Mapping[str, tuple[DeclarativeRule, ...]]


def _rule(text: str) -> DeclarativeRule:
    name, _, argument = text.removeprefix("!").partition("=")
    return DeclarativeRule(name, argument, text.startswith("!"))


@functools.cache
def _lines() -> Mapping[str, list[str]]:
    """The lines of each type, its own first; they are read when the type is asked for."""
    table = text_beside(__file__, "declarative_rules.txt")
    types: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in filter(None, table.splitlines()):
        if not line.startswith(" "):
            lines = types[line.partition(" ")[0]] = []
        lines.append(line)
    return types


@functools.cache
def _block(type_name: str) -> _Block | None:
    """The rules of a type; None if the table does not have it."""
    lines = _lines().get(type_name)
    if lines is None:
        return None
    of_type, *of_fields = [line.split() for line in lines]
    fields = {name: tuple([_rule(text) for text in rules]) for name, *rules in of_fields}
    return _Block(_rule(of_type[1]) if of_type[1:] else None, fields)


class FieldRules(Record):
    """The rules of a field: those that end its check, the others as far as they are enforced.

    `silent` says that there is nothing to say where the field is not set, `inner` is the type of
    its value or items if that has rules, `keys` are what identifies an item.
    """

    field: Field
    first: Sequence[DeclarativeRule]
    rest: Sequence[DeclarativeRule]
    silent: bool
    inner: str | None
    keys: tuple[str, ...]


def _block_inside(name: str, kind: str) -> _Block | None:
    return _block(f"{name}@{kind}") or _block(name)


@functools.cache
def declared_rules(
    name: str, kind: str, version: str, release: str, beta: bool
) -> tuple[DeclarativeRule | None, Sequence[FieldRules]] | None:
    """The rules of a type inside an object of `kind`, of the type itself and of its fields.

    `beta` enforces those that are not stable.
    """
    block = _block_inside(name, kind)
    if block is None:
        return None
    fields = fields_of(name, version, release)
    union = block.union if block.union is not None and (block.union.stable or beta) else None
    return union, [
        _field_rules(fields[field], rules, kind, beta)
        for field, rules in block.fields.items()
        if field in fields
    ]


def _field_rules(
    field: Field, rules: tuple[DeclarativeRule, ...], kind: str, beta: bool
) -> FieldRules:
    type_ = field.type
    first, rest = [], []
    keys: tuple[str, ...] = ()
    silent = type_.pointer or type_.category is not Category.STRUCT
    for rule in rules:
        if rule.name in _SHORT_CIRCUITS:
            first.append(rule)
            silent = silent and rule.name != "required"
        elif rule.stable or beta:
            rest.append(rule)
        if rule.name == "unique" and rule.argument:
            keys = tuple(rule.argument.split(","))
    inner = type_.item or type_
    has_rules = inner.category is Category.STRUCT and _block_inside(inner.name, kind) is not None
    return FieldRules(field, first, rest, silent, inner.name if has_rules else None, keys)
