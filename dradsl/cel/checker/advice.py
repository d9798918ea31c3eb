"""What to do about an issue, in words for someone who writes YAML and not CEL every day."""

from __future__ import annotations

import difflib
import functools
import json

from dradsl.cel.syntax.ast import Call, Expr, Ident, Literal, Select
from dradsl.data import text_beside
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.cel.checker.environment import Environment
    from dradsl.cel.checker.errors import Issue

__all__ = ["advise", "in_plain_words", "map_without_key", "otherwise", "word_for_domain"]


@functools.cache
def otherwise() -> Mapping[str, str]:
    """Methods and variables of other languages, as CEL writes them."""
    found: Mapping[str, str] = json.loads(text_beside(__file__, "otherwise.json"))
    return found


def advise(issue: Issue, env: Environment) -> str | None:
    """A hint for an issue, None if its message says all there is."""
    if issue.help:
        return issue.help
    rule = _RULES.get(issue.reason)
    return rule(issue, env) if rule else None


def in_plain_words(issue: Issue) -> str | None:
    """What an issue says without the names of overloads, None if upstream's words are as plain."""
    node = issue.node
    if issue.name == "kubernetes.Quantity" and isinstance(node, Select):
        return f"an amount has no field {node.field}"
    if issue.reason == "undeclared-reference":
        return f"no {'function' if isinstance(node, Call) else 'variable'} is called {issue.name}"
    if issue.reason != "no-matching-overload" or not isinstance(node, Call):
        return None
    if node.target is not None and node.function in _CONVERSIONS:
        return f"{node.function} is a function, and no method: write {node.function}(…)"
    kinds = [_KINDS.get(shown) for shown in issue.types]
    if _is_in_no_list(issue):
        return "the right side of `in` must be a list"
    if node.target is not None and kinds[0] is not None and issue.types[0].startswith("map("):
        return f"{kinds[0]} has no method {node.function}()"
    if node.target is not None and kinds[0] is not None and len(kinds) == 1:
        return f"{kinds[0]} has no method {node.function}()"
    if node.target is None and node.function.isidentifier() and None not in kinds:
        return f"{node.function}() does not take {' and '.join(map(str, kinds))}"
    if len(kinds) != 2 or None in kinds:
        return None
    one, other = (kind or "" for kind in kinds)
    symbol = _COMPARISONS.get(node.function)
    if symbol is not None:
        both = f"{one} and {other}" if one != other else f"two {one.partition(' ')[2]}s"
        return f"{both} cannot be compared by {symbol}".replace("quantitys", "quantities")
    if node.target is not None and node.function in _METHODS:
        return f"{node.function}() of {one} does not take {other}"
    return None


def _is_in_no_list(issue: Issue) -> bool:
    """Whether something is looked for in what is neither a list nor a map."""
    is_in = isinstance(issue.node, Call) and issue.node.function == "@in"
    return is_in and not issue.types[1].startswith(("list(", "map("))


def map_without_key(issue: Issue) -> tuple[int, int] | None:
    """The place of `device.attributes["x"]` that is used as if it were a value; None if it is none of the operands."""
    if issue.reason != "no-matching-overload" or not isinstance(issue.node, Call):
        return None
    target = issue.node.target
    operands = issue.node.args if target is None else (target, *issue.node.args)
    of_maps = (o for o, shown in zip(operands, issue.types, strict=False) if shown[:4] == "map(")
    return next((each.span for each in of_maps), None)


_CONVERSIONS = ("sign", "int", "uint", "string", "double", "bool")
_METHODS = ("compareTo", "isGreaterThan", "isLessThan")
_KINDS: Mapping[str, str] = {
    "kubernetes.Quantity": "a quantity",
    "kubernetes.Semver": "a version",
    "int": "a number",
    "uint": "a number",
    "double": "a number",
    "string": "a text",
    "bool": "a bool",
    "any": "an attribute",
    "map(string, any)": "a map of attributes",
    "map(string, dyn)": "a map of attributes",
    "map(string, kubernetes.Quantity)": "a map of capacities",
}
_ORDER: Mapping[str, str] = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_COMPARISONS: Mapping[str, str] = {**_ORDER, "_==_": "==", "_!=_": "!="}


def _undeclared(issue: Issue, env: Environment) -> str | None:
    name = issue.name
    if isinstance(issue.node, Call):
        if name.removeprefix(".") == "sortBy" or name in _LISTS:
            return f"{name}() is not there in new expressions of this release"
        if issue.node.target is not None and name in otherwise():
            return f"write {otherwise()[name]} for a.{name}({'b' if issue.node.args else ''})"
        if issue.node.target is not None and not issue.node.args and _READS.fullmatch(name):
            return f"the value is read without it: remove .{name}()"
        known = {known.rpartition(".")[2] for known in env.functions.names if known[0].isalpha()}
        return _near(name, known, "function", "()")
    if any(name in fields for fields in env.structs.values()):
        return f"write device.{name}"
    if name in otherwise() and "device" in env.variables:
        return f"write {otherwise()[name]} for {name}"
    if name == "devices" and "device" in env.variables:
        return "did you mean the variable device? It is one device: a constraint compares those of several requests"
    return _near(name, set(env.variables) | {"device"}, "variable", "") or (
        f'the only variable is {", ".join(env.variables)}; text goes in quotes: "{name}"'
    )


_READS = pattern(r"(?i)(?:as|to|get)?_?(?:bool|int|string|version|quantity)?_?(?:value)?")
_PARTS = pattern(r"[/_-]")
_NUMBERS = pattern(r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){0,2}")
_LISTS = frozenset({"slice", "flatten", "distinct", "reverse", "sort", "lists.range"})


def _near(name: str, known: set[str], what: str, suffix: str) -> str | None:
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.7)
    return f"did you mean the {what} {close[0]}{suffix}?" if close else None


_ELSEWHERE: Mapping[str, str] = {
    "name": "leave the condition out: no expression sees the names of devices, only their attributes",
    "count": "write count in the request: an expression sees one device",
    "taints": "write tolerations in the request: an expression sees no taints",
    "labels": "write a nodeSelector in the pod: an expression sees no labels",
    "annotations": "write a nodeSelector in the pod: an expression sees no annotations",
    "zone": "write a nodeSelector in the pod: an expression sees no nodes",
    "node": "write a nodeSelector in the pod: an expression sees no nodes",
    "nodeName": "write a nodeSelector in the pod: an expression sees no nodes",
}


def _undefined_field(issue: Issue, env: Environment) -> str | None:
    fields = next(iter(env.structs.values()), {})
    near = _near(issue.name, set(fields), "field", "")
    near = _ELSEWHERE.get(issue.name, near)
    return near or (
        f'write device.attributes["DRIVER"].{issue.name}, or device.capacity["DRIVER"].{issue.name} of an amount: '
        f"device itself has the fields {', '.join(fields)}"
    )


def _no_overload(issue: Issue, _: Environment) -> str | None:
    node = issue.node
    if not isinstance(node, Call):
        return None
    operands = node.args if node.target is None else (node.target, *node.args)
    word = next(filter(None, map(word_for_domain, operands)), None)
    of_amounts = any("kubernetes.Quantity" in shown for shown in issue.types)
    read = next(filter(None, map(_amount_read, operands)), None)
    if read is not None and of_amounts and node.function in (*_ORDER, *_METHODS):
        symbol = _ORDER.get(node.function)
        amount = next(filter(None, map(_amount_written, operands)), "…")
        ending = f"{node.function}({amount})"
        if symbol is not None:
            if _amount_read(operands[0]) is None:
                symbol = symbol.translate({60: ">", 62: "<"})  # the amount is on the left
            ending = f"compareTo({amount}) {symbol} 0"
        why = "amounts are capacities" if word is None else "the domain is missing"
        return (
            f'{why}: write device.capacity["DRIVER"].{read}.{ending}, with the name of the driver'
        )
    if node.function in _METHODS and issue.types == ("any", "string"):
        return _as_version(node.args[0])
    if of_amounts or any("kubernetes.Semver" in shown for shown in issue.types):
        if node.function in _ORDER:
            symbol = _ORDER[node.function]
            of = ", of device.capacity: no attribute is an amount" if "any" in issue.types else ""
            return (
                "quantities and versions have no such operator: write "
                f"a.compareTo(b) {symbol} 0, or isGreaterThan and isLessThan{of * of_amounts}"
            )
        if node.function in ("_+_", "_-_"):
            method = "add" if node.function == "_+_" else "sub"
            return f"write a.{method}(b)"
        if node.function in ("_==_", "_!=_"):
            return 'write the other side as quantity("...") or semver("..."); a text is in device.attributes'
        if issue.types[node.target is not None :] == ("string",):
            kind = "quantity" if of_amounts else "semver"
            return f'write the argument as {kind}("...")'
    for operand, shown in zip(operands, issue.types, strict=False):
        if isinstance(operand, Ident) and shown.startswith("type("):
            return f'write device.attributes["DRIVER"].{operand.name}: {operand.name} alone is a type of CEL'
    if _is_in_no_list(issue):
        return 'write a == "x" for one value, and a in ["x", "y"] for one of several'
    if word is not None:
        return (
            f'the domain is missing: write device.attributes["DRIVER"].{word}, with the name of the '
            "driver that publishes it"
        )
    if node.function in ("_==_", "_!=_") and _is_lookup(node.args[0]):
        return "the types of the two sides differ: compare with a value of the same type"
    return None


def _as_version(node: Expr) -> str:
    """How to write a text that an attribute is compared with: of those only versions have an order."""
    value = node.value if isinstance(node, Literal) else None
    if isinstance(value, str) and _NUMBERS.fullmatch(value):
        return f'write the argument as a version: semver("{".".join([*value.split("."), "0", "0"][:3])}")'
    return 'write the argument as semver("…"); amounts are in device.capacity, and compared with quantity("…")'


def _amount_read(node: Expr) -> str | None:
    """The name of what is read as an amount without its domain: `device.attributes["nvidia.com/gpu-memory"].quantity`."""
    if isinstance(node, Select) and _READS.fullmatch(node.field):
        node = node.operand
    match node:
        case Call(
            function="_[_]",
            args=(
                Select(operand=Ident(name="device"), field="attributes"),
                Literal(value=str() as word),
            ),
        ) if "/" in word or "." not in word:
            return _PARTS.split(word)[-1]
    return word_for_domain(node)


def _amount_written(node: Expr) -> str | None:
    if isinstance(node, Call) and node.function == "quantity" and node.target is None:
        [of] = node.args
        return f'quantity("{of.value}")' if isinstance(of, Literal) else None
    return None


def word_for_domain(node: Expr) -> str | None:
    """The name that is where a domain belongs: `device.attributes.model`."""
    match node:
        case Select(
            operand=Select(operand=Ident(name="device"), field="attributes" | "capacity"),
            field=word,
            test_only=False,
        ):
            return word
        case Call(
            function="_[_]",
            args=(
                Select(operand=Ident(name="device"), field="attributes" | "capacity"),
                Literal(value=str() as word),
            ),
        ) if "." not in word:
            return word
    return None


def _is_lookup(node: Expr) -> bool:
    return isinstance(node, Select) or (isinstance(node, Call) and node.function == "_[_]")


def _no_resolution(issue: Issue, _: Environment) -> str | None:
    if issue.name == "kubernetes.Quantity":
        return "a capacity has no fields: it is the quantity itself"
    return None


def _literal(issue: Issue, _: Environment) -> str | None:
    if not isinstance(issue.node, Literal):
        return None
    if issue.name == "matches":
        return "patterns are RE2: no lookahead, no backreferences"
    if issue.name == "duration":
        return 'write durations like "1h30m" or "10s"'
    if issue.name == "timestamp":
        return 'write timestamps like "2026-01-02T15:04:05Z"'
    return None


def _range(issue: Issue, _: Environment) -> str | None:
    if issue.types == ("any",):
        return "attributes hold lists only with the feature gate DRAListTypeAttributes"
    return "only lists and maps can be gone through"


def _mismatch(issue: Issue, _: Environment) -> str | None:
    if isinstance(issue.node, Literal) and "'bool' but" in issue.message:
        return 'both sides of && and || are conditions: write a == "x" || a == "y"'
    return None


def _result(issue: Issue, _: Environment) -> str | None:
    if isinstance(issue.node, Literal):
        return "remove the quotes around the expression: inside them it is a text"
    return "a selector says yes or no: compare the value with something"


_RULES: Mapping[str, Callable[[Issue, Environment], str | None]] = {
    "undeclared-reference": _undeclared,
    "undefined-field": _undefined_field,
    "no-matching-overload": _no_overload,
    "unresolved-type": _no_resolution,
    "invalid-literal": _literal,
    "not-a-range": _range,
    "result-type": _result,
    "type-mismatch": _mismatch,
}
