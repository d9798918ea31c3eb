"""Names written as they must be: the access with another name, and the comparison around it where needed."""

from __future__ import annotations

import re

from dradsl.cel.syntax.ast import Call, Ident, ListExpr, Literal, Select
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.drivers.suggestions.literals import amounts
from dradsl.observations import Replacement
from dradsl.values.quantity import Quantity, exact_amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import NameAccess
    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.drivers.schema.shapes import Name, Shape
    from dradsl.drivers.suggestions.tree import ExpressionTree

__all__ = [
    "AMOUNTS",
    "VALUE_FIELDS",
    "access_text",
    "attribute_names",
    "attributes_called",
    "is_comparable",
    "is_far_above",
    "is_name_as_domain",
    "rewritten",
]

AMOUNTS = 'amounts compare with compareTo(quantity("…"))'
"""What is said beside the access to a capacity that was taken for an attribute."""

VALUE_FIELDS = frozenset(
    [
        "bool",
        "string",
        "int",
        "version",
        "value",
        "bools",
        "ints",
        "strings",
        "capacity",
        "quantity",
        "boolValue",
        "stringValue",
        "intValue",
        "versionValue",
        "quantityValue",
    ]
)
"""What a slice, or its Go type, writes beside a value; in CEL the attribute is the value."""

_FITTING = {bool: {"bool"}, int: {"int"}, str: {"string", "version"}}
_OPERATORS = {"_==_": "==", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}


def access_text(name: Name) -> str:
    """CEL that reads a name."""
    kind, domain, key = name
    read = f".{key}" if key.isidentifier() else f'["{key}"]'
    return f'device.{kind}["{domain}"]{read}'


def in_camel_case(name: str) -> str:
    """`mig-profile` as drivers write their names."""
    head, *tail = name.replace("_", "-").split("-")
    return head + "".join(each.title() for each in tail)


def attributes_called(name: str, schemas: Iterable[DriverSchema]) -> set[str]:
    """The attributes, with their domains, that drivers publish under a name, or under the one that it is mistaken for."""
    wanted = name.lower()
    return {
        entry.qualified
        for schema in schemas
        for kind in schema.device_types
        for entry in kind.attributes.values()
        if {wanted, str(schema.mistaken.attributes.get(name)).lower()}
        & {entry.name.lower(), entry.qualified.lower()}
        and entry.lifetime.removed_in is None
    }


def attribute_names(value: str, whole: str, published: Iterable[str]) -> list[str]:
    """How an attribute is called that is written as in CEL, without its domain, or (as part of `whole`) with hyphens."""
    read = re.fullmatch(
        r"""device\.attributes\[["']([^"'\]]+)["']\]\.?\[?["']?(\w+)["']?\]?""", value
    )
    names = ["/".join(read.groups())] if read else sorted(published)
    return names or ([whole.replace(value, in_camel_case(value))] if "-" in value else [])


def is_name_as_domain(access: NameAccess) -> bool:
    """Whether a name is where its domain belongs, as old tutorials have it: `["model"].string`."""
    _, domain, key = access.name
    return "." not in domain and key in VALUE_FIELDS


def rewritten(
    tree: ExpressionTree, access: NameAccess, meant: Name, shapes: Iterable[Shape]
) -> Replacement | None:
    """The access with the name `meant`; None where more would have to change than can be told.

    An attribute that is a capacity has methods instead of operators, so the comparison changes with it;
    `shapes` say which amounts are plausible.
    """
    node = access.node
    if is_name_as_domain(access):
        if access.guarded:
            return None
    elif not access.guarded:
        node = _with_field(tree, node)
    if meant[0] != access.name[0] and meant[0] == "capacity":
        parent = tree.parents.get(node)
        if access.guarded and not (isinstance(node, Select) and node.test_only):
            return None  # the default beside it is no amount
        if isinstance(parent, Call) and parent.function in _OPERATORS and not access.guarded:
            return _compared(tree, parent, node, meant, shapes)
        if isinstance(parent, Call) and parent.function in ("_!=_", "@in"):
            return None
    if node is access.node and not is_name_as_domain(access):
        pieces = _pieces(tree, access, meant)
        if pieces is not None:
            return pieces
    return None if access.guarded else Replacement(*node.span, access_text(meant))


def is_far_above(amount: Quantity, highest: Quantity) -> bool:
    """Whether no device will have the amount, if none that is known has more than `highest`."""
    twice = highest + highest  # four times the most, newer products will not have soon
    return amount > twice + twice


def is_comparable(tree: ExpressionTree, node: Expr, meant: Name, shapes: Iterable[Shape]) -> bool:
    """Whether values of the name `meant`, in the place of a node, have a type like the literal beside it."""
    parent = tree.parents.get(node)
    args = parent.args if isinstance(parent, Call) else ()
    beside = [e.elements[0] if isinstance(e, ListExpr) and e.elements else e for e in args]
    fitting = [_FITTING.get(type(e.value)) for e in beside if isinstance(e, Literal)]
    if meant[0] == "capacity":
        values = [str(each.value) for each in beside if isinstance(each, Literal)]
        return all(exact_amount(value) is not None or amounts(value) for value in values)
    if not fitting or fitting[0] is None:
        return True
    entries = [shape.entry(meant) for shape in shapes]
    types = {
        t.value.rstrip("s") for e in entries if isinstance(e, AttributeSchema) for t in e.types
    }
    return not types.isdisjoint(fitting[0])


def _with_field(tree: ExpressionTree, node: Expr) -> Expr:
    """The access with the field of a slice behind it: `….model.string`."""
    parent = tree.parents.get(node)
    if (
        isinstance(parent, Select)
        and parent.operand is node
        and not parent.test_only
        and parent.field in VALUE_FIELDS
    ):
        return parent
    return node


def _compared(
    tree: ExpressionTree, comparison: Call, node: Expr, meant: Name, shapes: Iterable[Shape]
) -> Replacement | None:
    left, right = comparison.args
    amount = _amount(tree, right, meant, shapes) if left is node else None
    if amount is None:
        return None
    operator = _OPERATORS[comparison.function]
    text = f"{access_text(meant)}.compareTo({amount}) {operator} 0"
    return Replacement(*comparison.span, text)


def _amount(tree: ExpressionTree, node: Expr, meant: Name, shapes: Iterable[Shape]) -> str | None:
    """The other side of a comparison as a quantity."""
    if isinstance(node, Call) and node.function == "quantity":
        return tree.source(node)
    from dradsl.drivers.suggestions.operators import amount_text

    entries = (shape.entry(meant) for shape in shapes)
    capacities = (each for each in entries if isinstance(each, CapacitySchema))
    return amount_text(node, [each.range for each in capacities if each.range is not None])


def _pieces(tree: ExpressionTree, access: NameAccess, meant: Name) -> Replacement | None:
    """Only the parts that change, from the first to the last; None if they are not all written there."""
    kind_span = _kind_span(access.node)
    places = (kind_span, access.domain_span, access.name_span)
    changes = [
        (place, new)
        for place, old, new in zip(places, access.name, meant, strict=True)
        if old != new
    ]
    if not changes or any(place is None for place, _ in changes):
        return None
    spans = sorted((place, new) for place, new in changes if place is not None)
    if access.name[1] != meant[1] and tree.text[access.domain_span[0] - 1] not in "\"'":
        return None
    start, end = spans[0][0][0], spans[-1][0][1]
    text, at = "", start
    for (first, last), new in spans:
        if first < at:
            return None
        text += tree.text[at:first] + new
        at = last
    return Replacement(start, end, text)


def _kind_span(node: Expr) -> tuple[int, int] | None:
    """Where `attributes` or `capacity` is in an access."""
    while True:
        match node:
            case Select(operand=Ident(name="device"), field="attributes" | "capacity"):
                return node.field_span
            case Select():
                node = node.operand
            case Call(function="@in", args=(_, last)):
                node = last
            case Call(args=(first, *_), target=None):
                node = first
            case _:
                return None
