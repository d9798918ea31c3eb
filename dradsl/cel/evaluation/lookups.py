"""Closures of names and lookups: `device.attributes["gpu.nvidia.com"].model`, `has(...)`, `.?`.

Source: cel-go `interpreter/attributes.go`.
"""

from __future__ import annotations

from dradsl.cel.checker.instantiation import InstantiationError
from dradsl.cel.evaluation.code import Code, Constant, Frame
from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import (
    NONE,
    CelRuntimeError,
    Optional,
    TypeValue,
    Uint,
    Value,
)
from dradsl.cel.syntax.ast import Call, Expr, Ident, Literal, Select, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "PRIMITIVES",
    "check_key",
    "choose",
    "computed",
    "has",
    "is_path",
    "link",
    "lookup",
    "optional_index",
    "or_value",
    "read",
    "step",
    "through_go",
]

PRIMITIVES = frozenset({bool, int, Uint, float, str})
"""Classes of values that can be keys, and that upstream keeps in hash tables."""


def is_path(node: Expr) -> bool:
    """What upstream resolves as an attribute: names, lookups and conditionals of them."""
    lookups = ("_[_]", "_[?_]", "_?._", "_?_:_")
    return isinstance(node, Ident | Select) or (isinstance(node, Call) and node.function in lookups)


def link(node: Expr) -> tuple[Expr, str] | None:
    """Operand and key of a lookup by a constant string."""
    if isinstance(node, Select) and not node.test_only:
        return node.operand, node.field
    if isinstance(node, Call) and node.function == "_[_]":
        key = node.args[1]
        if isinstance(key, Literal) and isinstance(key.value, str):
            return node.args[0], key.value
    return None


def check_key(key: Code) -> None:
    """A constant of a type that nothing is looked up by is rejected beforehand."""
    if isinstance(key, Constant) and not key.folded and type(key.value) not in PRIMITIVES:
        raise InstantiationError(f"invalid qualifier type: {runtime.go_type(key.value)}")


def read(slot: int) -> Code:
    """The value of a variable."""
    return lambda frame: frame[slot]


def lookup(slot: int, keys: Sequence[str], spans: Sequence[Span]) -> Code:
    """`variable[k1][k2]...`: the common path is plain Python subscription."""

    def careful(frame: Frame) -> Value:
        value = frame[slot]
        for key, span in zip(keys, spans, strict=True):
            try:
                value = runtime.index(value, key)
            except CelRuntimeError as error:
                raise error.at(span) from None
        return value

    if len(keys) == 3:
        first, second, third = keys

        def three(frame: Frame) -> Value:
            try:
                return frame[slot][first][second][third]
            except (KeyError, TypeError, IndexError):
                return careful(frame)

        return three
    if len(keys) == 1:
        only = keys[0]

        def one(frame: Frame) -> Value:
            try:
                return frame[slot][only]
            except (KeyError, TypeError, IndexError):
                return careful(frame)

        return one

    def several(frame: Frame) -> Value:
        value = frame[slot]
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError, IndexError):
            return careful(frame)
        return value

    return several


def step(operand: Code, key: str, span: Span) -> Code:
    """A lookup by a constant in whatever `operand` gives."""

    def run(frame: Frame) -> Value:
        value = operand(frame)
        try:
            return runtime.index(value, key)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def computed(work: Callable[[Value, Value], Value], operand: Code, key: Code, span: Span) -> Code:
    """A lookup by a key that is computed; upstream does not ask for the key of nothing."""
    check_key(key)

    def run(frame: Frame) -> Value:
        container = operand(frame)
        if type(container) is Optional and not container.present:
            return NONE
        wanted = key(frame)
        try:
            return work(container, wanted)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def has(operand: Code, key: str, span: Span) -> Code:
    """`has(operand.key)`."""

    def run(frame: Frame) -> bool:
        value = operand(frame)
        try:
            return runtime.optional_step(value, key)[0]
        except CelRuntimeError as error:
            raise error.at(span) from None

    return run


def optional_index(container: Value, key: Value) -> Value:
    """`container.?key` and `container[?key]`."""
    found, value = runtime.optional_step(container, key)
    return Optional(True, value) if found else NONE


def choose(test: Code, then: Code, other: Code, span: Span) -> Code:
    """`test ? then : other`."""

    def run(frame: Frame) -> Value:
        value = test(frame)
        if value is True:
            return then(frame)
        if value is False:
            return other(frame)
        raise runtime.no_overload().at(span)

    return run


def or_value(target: Code, other: Code, span: Span, *, unwraps: bool, strict: bool) -> Code:
    """`target.or(other)` and, if it `unwraps`, `target.orValue(other)`."""

    def run(frame: Frame) -> Value:
        value = target(frame)
        if type(value) is not Optional:
            if strict:
                raise runtime.no_overload().at(span)
            return value
        if not value.present:
            return other(frame)
        if not unwraps:
            return value
        if type(value.value) is CelRuntimeError:
            raise CelRuntimeError(value.value.message, *span)
        return value.value

    return run


_GO_VALUES: Mapping[str, str] = {
    "kubernetes.Quantity": "*resource.Quantity",
    "kubernetes.Semver": "semver.Version",
    "kubernetes.URL": "*url.URL",
    "net.IP": "netip.Addr",
    "net.CIDR": "netip.Prefix",
}


def through_go(code: Code) -> Code:
    """An optional that upstream unwraps to Go's own value, and wraps again as far as it can.

    What it cannot wrap leaves an error, which is met when the value is asked for. Source: cel-go
    v0.26.0 `interpreter/attributes.go`, applyQualifiers.
    """

    def run(frame: Frame) -> Value:
        value = code(frame)
        return _rewrapped(value) if type(value) is Optional and value.present else value

    return run


def _rewrapped(optional: Optional) -> Optional:
    value = optional.value
    while type(value) is Optional:
        # Optionals within optionals are unwrapped together; none of them is null.
        value = value.value if value.present else None
    kind = type(value)
    if kind is TypeValue:
        return Optional(True, value.name)
    name = "*errors.errorString" if kind is CelRuntimeError else None
    if name is None:
        name = _GO_VALUES.get(runtime.type_name(value))
    if name is None:
        return optional if value is optional.value else Optional(True, value)
    shown = value.message if kind is CelRuntimeError else value
    return Optional(True, CelRuntimeError(f"unsupported conversion to ref.Val: ({name}){shown}"))
