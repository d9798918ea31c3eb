"""Turns a checked expression into nested Python closures.

Every closure takes the frame, a sequence that holds the variables: those of the environment
first, then one slot for each variable of a macro. An error carries the span of the node that
raised it. `&&` and `||` absorb errors as upstream's do (cel-go `interpreter/interpretable.go`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from typing import TYPE_CHECKING

from dradsl.cel import arithmetic, runtime
from dradsl.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Span,
    StructExpr,
)
from dradsl.cel.dispatch import resolve
from dradsl.cel.values import (
    NONE,
    CelPanicError,
    CelRuntimeError,
    Optional,
    TypeValue,
    Uint,
    Value,
    key_of,
)

if TYPE_CHECKING:
    from dradsl.cel.check import Checked
    from dradsl.cel.environment import Environment
    from dradsl.cel.folds import Folds

__all__ = ["Code", "Compiler", "Constant", "Frame", "InstantiationError"]

Frame = MutableSequence[Value]
Code = Callable[[Frame], Value]


class InstantiationError(Exception):
    """A constant part that cannot be computed, which upstream finds before any evaluation."""


class Constant:
    """Code that gives the same value in every frame.

    `folded` marks what this compiler has computed beyond what upstream computes beforehand;
    rules about constants do not see it.
    """

    __slots__ = ("folded", "value")

    def __init__(self, value: Value, *, folded: bool = False) -> None:
        self.value = value
        self.folded = folded

    def __call__(self, _: Frame) -> Value:
        return self.value


_CONVERSIONS = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)

# Type names that upstream cannot give as values, though they pass the checker.
_VALUES_OF_TYPES = frozenset(
    {
        "bool", "bytes", "double", "google.protobuf.Duration", "google.protobuf.Empty",
        "google.protobuf.Timestamp", "int", "list", "map", "net.CIDR", "net.IP", "null_type",
        "optional_type", "string", "type", "uint",
    }
)  # fmt: skip


class Compiler:
    """Compiles the nodes of one checked expression."""

    def __init__(
        self,
        checked: Checked,
        env: Environment,
        bodies: Mapping[str, Callable[..., Value]],
        folds: type[Folds],
    ) -> None:
        self.checked = checked
        self.env = env
        self.bodies = bodies
        self.slots = {name: index for index, name in enumerate(env.variables)}
        self.width = len(self.slots)
        self.lazy: frozenset[int] = frozenset()
        self._scopes: list[tuple[str, int]] = []
        self._folds = folds(self)

    def compile(self, node: Expr) -> Code:
        return _METHODS[type(node)](self, node)

    # -- variables -----------------------------------------------------------------------

    def declare(self, name: str) -> int:
        """A new slot for a variable, visible until `forget`."""
        slot = self.width
        self.width += 1
        self._scopes.append((name, slot))
        return slot

    def forget(self, count: int = 1) -> None:
        del self._scopes[-count:]

    def slot_of(self, name: str) -> int | None:
        for known, slot in reversed(self._scopes):
            if known == name:
                return slot
        return self.slots.get(name)

    # -- leaves --------------------------------------------------------------------------

    def literal(self, node: Literal) -> Code:
        return Constant(node.value)

    def ident(self, node: Expr) -> Code:
        reference = self.checked.references[node]
        slot = self.slot_of(reference.name)
        if slot is None:
            return self._type_or_constant(node)
        code: Code
        if slot in self.lazy:
            code = self._folds.read_lazy(slot)
        else:
            code = _read(slot)
        if self.checked.types[node].is_optional:
            return _through_go(code)
        return code

    def _type_or_constant(self, node: Expr) -> Code:
        reference = self.checked.references[node]
        if self.checked.types[node].kind != "type":
            return Constant(reference.constant)
        if reference.name not in _VALUES_OF_TYPES:
            raise InstantiationError(f"reference to undefined type: {reference.name}")
        return Constant(TypeValue(reference.name))

    # -- selection -----------------------------------------------------------------------

    def select(self, node: Select) -> Code:
        if node in self.checked.references:
            return self.ident(node)
        if node.test_only:
            return _has(self.compile(node.operand), node.field, node.span)
        return self._constant_key(node, node.operand, node.field)

    def _constant_key(self, node: Expr, operand: Expr, key: str) -> Code:
        chain = self._chain(node)
        if chain is not None:
            return _lookup(*chain)
        return _step(self.compile(operand), key, node.span)

    def _chain(self, node: Expr) -> tuple[int, list[str], list[Span]] | None:
        """`variable.a["b"].c` as slot, keys and spans, if it is nothing but that."""
        keys: list[str] = []
        spans: list[Span] = []
        while node not in self.checked.references or not isinstance(node, Ident | Select):
            link = _link(node)
            if link is None:
                return None
            spans.append(node.span)
            node, key = link
            keys.append(key)
        slot = self.slot_of(self.checked.references[node].name)
        if slot is None or slot in self.lazy:
            return None
        return slot, keys[::-1], spans[::-1]

    # -- calls ---------------------------------------------------------------------------

    def call(self, node: Call) -> Code:
        reference = self.checked.references[node]
        name = reference.name
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, node)
        args = list(node.args)
        if node.target is not None and not reference.namespaced:
            args.insert(0, node.target)
        codes = [self.compile(arg) for arg in args]
        body = self._body(node)
        folded = self._fold(node, name, body, codes)
        if folded is not None:
            return folded
        code = _apply(body, codes, node.span)
        if reference.overloads[0] in COUNTED_LISTS and len(reference.overloads) == 1:
            return _counted_list(body, codes, node.span)
        return code

    def _body(self, node: Call) -> Callable[..., Value]:
        reference = self.checked.references[node]
        if reference.name in _OPERATORS:
            return _OPERATORS[reference.name]
        function = self.env.functions.find(reference.name)
        if function is None:
            raise AssertionError(f"the checker let {reference.name} pass")
        return resolve(function, reference.overloads, self.bodies)

    def _fold(
        self, node: Call, name: str, body: Callable[..., Value], codes: Sequence[Code]
    ) -> Code | None:
        """The value of a call whose arguments are constants.

        Upstream folds conversions of one constant and fails where they fail; what is folded
        beyond that is left to fail at run time.
        """
        constants = _constants(codes)
        if constants is None:
            return None
        upstream = name in _CONVERSIONS and len(constants) == 1 and not constants[0].folded
        try:
            return Constant(body(*[code.value for code in constants]), folded=not upstream)
        except CelRuntimeError as error:
            if upstream:
                raise InstantiationError(error.message) from None
            return None

    # -- containers ----------------------------------------------------------------------

    def list_literal(self, node: ListExpr) -> Code:
        codes = [self.compile(element) for element in node.elements]
        if node.optional:
            return _optional_list(codes, node)
        constants = _constants(codes)
        if constants is not None:
            folded = any(code.folded for code in constants)
            return Constant([code.value for code in constants], folded=folded)
        return lambda frame: [code(frame) for code in codes]

    def map_literal(self, node: MapExpr) -> Code:
        entries = [
            (self.compile(entry.key), self.compile(entry.value), entry.optional)
            for entry in node.entries
        ]
        span = node.span

        def build(frame: Frame) -> Value:
            result: dict[Value, Value] = {}
            for key_code, value_code, optional in entries:
                key, value = key_code(frame), value_code(frame)
                found = _map_key(key, span)
                if optional:
                    if type(value) is not Optional:
                        raise CelRuntimeError(
                            f"cannot initialize optional entry '{runtime.shown(key)}' "
                            f"from non-optional value {runtime.shown(value)}",
                            *span,
                        )
                    if not value.present:
                        result.pop(found, None)
                        continue
                    value = value.value
                result[found] = value
            return result

        return build

    def struct_literal(self, node: StructExpr) -> Code:
        from dradsl.cel.messages import build_message

        name = self.checked.references[node].name
        fields = [(f.name, self.compile(f.value), f.optional) for f in node.fields]
        span = node.span

        def build(frame: Frame) -> Value:
            values = {}
            for field, code, optional in fields:
                value = code(frame)
                if optional:
                    if type(value) is not Optional:
                        raise CelRuntimeError(
                            f"cannot initialize optional entry '{field}' "
                            f"from non-optional value {runtime.shown(value)}",
                            *span,
                        )
                    if not value.present:
                        continue
                    value = value.value
                values[field] = value
            try:
                return build_message(name, values)
            except CelRuntimeError as error:
                raise error.at(span) from None

        return build

    def comprehension(self, node: Comprehension) -> Code:
        return self._folds.compile(node)


def _constants(codes: Sequence[Code]) -> list[Constant] | None:
    """The codes as constants, None if one is none."""
    constants = [code for code in codes if isinstance(code, Constant)]
    return constants if len(constants) == len(codes) else None


def _link(node: Expr) -> tuple[Expr, str] | None:
    """Operand and key of a lookup by a constant string."""
    if isinstance(node, Select) and not node.test_only:
        return node.operand, node.field
    if isinstance(node, Call) and node.function == "_[_]":
        key = node.args[1]
        if isinstance(key, Literal) and isinstance(key.value, str):
            return node.args[0], key.value
    return None


# -- closures of lookups -------------------------------------------------------------------


def _read(slot: int) -> Code:
    return lambda frame: frame[slot]


def _lookup(slot: int, keys: Sequence[str], spans: Sequence[Span]) -> Code:
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


def _step(operand: Code, key: str, span: Span) -> Code:
    def step(frame: Frame) -> Value:
        value = operand(frame)
        try:
            return runtime.index(value, key)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return step


def _has(operand: Code, key: str, span: Span) -> Code:
    def has(frame: Frame) -> bool:
        value = operand(frame)
        try:
            return runtime.optional_step(value, key)[0]
        except CelRuntimeError as error:
            raise error.at(span) from None

    return has


def _map_key(key: Value, span: Span) -> Value:
    kind = type(key)
    if kind is bytes:
        raise CelPanicError("internal error: runtime error: hash of unhashable type types.Bytes")
    found = key_of(key)
    try:
        hash(found)
    except TypeError:
        raise CelRuntimeError(f"unsupported map key type {runtime.type_name(key)}", *span) from None
    return found


def _optional_list(codes: Sequence[Code], node: ListExpr) -> Code:
    span = node.span

    def build(frame: Frame) -> Value:
        result = []
        for position, code in enumerate(codes):
            value = code(frame)
            if position in node.optional:
                if type(value) is not Optional:
                    raise CelRuntimeError(
                        "cannot initialize optional list element from non-optional value "
                        f"{runtime.shown(value)}",
                        *span,
                    )
                if not value.present:
                    continue
                value = value.value
            result.append(value)
        return result

    return build


# -- closures of calls ---------------------------------------------------------------------


def _apply(body: Callable[..., Value], codes: Sequence[Code], span: Span) -> Code:
    """A call whose arguments are evaluated in turn."""
    if len(codes) == 1:
        return _apply_one(body, codes[0], span)
    if len(codes) == 2:
        return _apply_two(body, codes[0], codes[1], span)

    def call(frame: Frame) -> Value:
        args = [code(frame) for code in codes]
        try:
            return body(*args)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def _apply_one(body: Callable[..., Value], code: Code, span: Span) -> Code:
    def call(frame: Frame) -> Value:
        arg = code(frame)
        try:
            return body(arg)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def _apply_two(body: Callable[..., Value], left: Code, right: Code, span: Span) -> Code:
    if isinstance(right, Constant):
        constant = right.value

        def call_constant(frame: Frame) -> Value:
            first = left(frame)
            try:
                return body(first, constant)
            except CelRuntimeError as error:
                raise error.at(span) from None

        return call_constant

    def call(frame: Frame) -> Value:
        try:
            first = left(frame)
        except CelRuntimeError:
            _panic_of(right, frame)
            raise
        second = right(frame)
        try:
            return body(first, second)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


def _panic_of(code: Code, frame: Frame) -> None:
    """Evaluates for nothing but a panic: upstream looks at both operands before it fails."""
    with contextlib.suppress(CelRuntimeError):
        code(frame)


def _counted_list(body: Callable[..., Value], codes: Sequence[Code], span: Span) -> Code:
    """Functions that sort: upstream counts their cost before it looks whether the list failed,
    and panics over what is no list."""

    def call(frame: Frame) -> Value:
        try:
            args = [code(frame) for code in codes]
        except CelRuntimeError:
            raise CelPanicError(_NO_LIST.format("*types.Err")) from None
        if not isinstance(args[-1], list | tuple):
            raise CelPanicError(_NO_LIST.format(runtime.go_type(args[-1])))
        try:
            return body(*args)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return call


_NO_LIST = "internal error: interface conversion: {} is not traits.Lister: missing method Add"
COUNTED_LISTS = frozenset(
    {"list_distinct"}
    | {
        f"list_{kind}_{name}"
        for kind in (
            "int", "uint", "double", "bool", "string", "bytes",
            "google.protobuf.Duration", "google.protobuf.Timestamp",
        )
        for name in ("sort", "sortByAssociatedKeys")
    }
)  # fmt: skip


# -- logic ---------------------------------------------------------------------------------


def _terms(node: Expr, function: str) -> list[Expr]:
    """The operands of a chain of `&&` or `||`, left to right."""
    terms: list[Expr] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Call) and current.function == function and current.target is None:
            stack.extend(reversed(current.args))
        else:
            terms.append(current)
    return terms


def _logic(compiler: Compiler, node: Call) -> Code:
    """A chain of `&&` (decided by false) or of `||` (decided by true)."""
    decisive = node.function == "_||_"
    terms = _terms(node, node.function)
    spans = [term.span for term in terms]
    codes = [compiler.compile(term) for term in terms]
    if len(codes) == 2:
        return _logic_two(codes[0], codes[1], spans, decisive)

    def chain(frame: Frame) -> bool:
        failure: CelRuntimeError | None = None
        for code, span in zip(codes, spans, strict=True):
            try:
                value = code(frame)
            except CelRuntimeError as error:
                failure = failure or error
                continue
            if value is decisive:
                return bool(value)
            if value is not True and value is not False:
                failure = failure or runtime.no_overload().at(span)
        if failure is not None:
            raise failure
        return not decisive

    return chain


def _logic_two(left: Code, right: Code, spans: Sequence[Span], decisive: bool) -> Code:
    other = not decisive

    def after_failure(frame: Frame, failure: CelRuntimeError) -> bool:
        try:
            value = right(frame)
        except CelRuntimeError:
            raise failure from None
        if value is decisive:
            return bool(value)
        raise failure

    def two(frame: Frame) -> bool:
        try:
            value = left(frame)
        except CelRuntimeError as error:
            return after_failure(frame, error)
        if value is decisive:
            return bool(value)
        if value is not other:
            return after_failure(frame, runtime.no_overload().at(spans[0]))
        value = right(frame)
        if value is decisive or value is other:
            return bool(value)
        raise runtime.no_overload().at(spans[1])

    return two


def _not(compiler: Compiler, node: Call) -> Code:
    operand = compiler.compile(node.args[0])
    span = node.span

    def negated(frame: Frame) -> bool:
        value = operand(frame)
        if value is True:
            return False
        if value is False:
            return True
        raise runtime.no_overload("!_", value).at(span)

    return negated


def _conditional(compiler: Compiler, node: Call) -> Code:
    test, then, other = [compiler.compile(arg) for arg in node.args]
    span = node.args[0].span
    if compiler.checked.types[node].is_optional:
        then, other = [
            code if _is_path(arg) else _through_go(code)
            for code, arg in zip((then, other), node.args[1:], strict=True)
        ]

    def choose(frame: Frame) -> Value:
        value = test(frame)
        if value is True:
            return then(frame)
        if value is False:
            return other(frame)
        raise runtime.no_overload().at(span)

    return choose


def _is_path(node: Expr) -> bool:
    """What upstream resolves as an attribute: names and lookups."""
    lookups = ("_[_]", "_[?_]", "_?._", "_?_:_")
    return isinstance(node, Ident | Select) or (isinstance(node, Call) and node.function in lookups)


_GO_VALUES: Mapping[str, str] = {
    "kubernetes.Quantity": "*resource.Quantity",
    "kubernetes.Semver": "semver.Version",
    "kubernetes.URL": "*url.URL",
    "net.IP": "netip.Addr",
    "net.CIDR": "netip.Prefix",
}


def _through_go(code: Code) -> Code:
    """An optional that upstream unwraps to Go's own value and cannot wrap again.

    What it holds then is an error, which is met when the value is asked for.
    """

    def unwrapped(frame: Frame) -> Value:
        value = code(frame)
        if type(value) is Optional and value.present:
            name = _GO_VALUES.get(runtime.type_name(value.value))
            if name is not None:
                message = f"unsupported conversion to ref.Val: ({name}){value.value}"
                return Optional(True, CelRuntimeError(message))
        return value

    return unwrapped


# -- equality and membership ---------------------------------------------------------------


def _equality(compiler: Compiler, node: Call) -> Code:
    left, right = [compiler.compile(arg) for arg in node.args]
    span = node.span
    if isinstance(right, Constant) and type(right.value) in (str, int, bool):
        return _equals_constant(left, right.value, span)
    return _apply_two(runtime.equal, left, right, span)


def _equals_constant(left: Code, constant: Value, span: Span) -> Code:
    kind = type(constant)

    def equals(frame: Frame) -> bool:
        value = left(frame)
        if type(value) is kind:
            return bool(value == constant)
        try:
            return runtime.equal(value, constant)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return equals


def _differs(left: Value, right: Value) -> bool:
    """`!=`: what cannot be compared is different."""
    try:
        return not runtime.equal(left, right)
    except CelRuntimeError:
        return True


def _membership(compiler: Compiler, node: Call) -> Code:
    element, container = [compiler.compile(arg) for arg in node.args]
    only_list = compiler.checked.references[node].overloads == ("in_list",)
    if only_list and isinstance(container, Constant) and not container.folded:
        if not container.value:
            return Constant(False)
        if all(type(item) in _PRIMITIVES for item in container.value):
            return _in_constants(element, container.value)
    return _apply_two(runtime.contains, element, container, node.span)


_PRIMITIVES = frozenset({bool, int, Uint, float, str})


def _in_constants(element: Code, items: Sequence[Value]) -> Code:
    """Membership in a list of constants, which upstream looks up in a hash table."""
    strings = frozenset([item for item in items if type(item) is str])
    from dradsl.values.semver import Semver

    def contained(frame: Frame) -> bool:
        value = element(frame)
        kind = type(value)
        if kind is str:
            return bool(value in strings)
        if kind is Semver or kind is bytes:
            name = runtime.go_type(value)
            raise CelPanicError(f"internal error: runtime error: hash of unhashable type {name}")
        return kind in _PRIMITIVES and runtime.contains(value, items)

    return contained


# -- order ---------------------------------------------------------------------------------


def _ordering(function: str, test: Callable[[int], bool]) -> Callable[[Value, Value], bool]:
    def ordered(left: Value, right: Value) -> bool:
        if not runtime.is_ordered(left):
            raise runtime.no_overload(function)
        return test(runtime.compare(left, right))

    return ordered


def _fast_ordering(compiler: Compiler, node: Call) -> Code:
    left, right = [compiler.compile(arg) for arg in node.args]
    body = _OPERATORS[node.function]
    if not isinstance(right, Constant) or type(right.value) is not int:
        return _apply_two(body, left, right, node.span)
    constant, span = right.value, node.span
    quick = _INTEGERS[node.function]

    def ordered(frame: Frame) -> bool:
        value = left(frame)
        if type(value) is int:
            return bool(quick(value, constant))
        try:
            return bool(body(value, constant))
        except CelRuntimeError as error:
            raise error.at(span) from None

    return ordered


_INTEGERS: Mapping[str, Callable[[int, int], bool]] = {
    "_<_": int.__lt__,
    "_<=_": int.__le__,
    "_>_": int.__gt__,
    "_>=_": int.__ge__,
}


# -- the rest ------------------------------------------------------------------------------


def _index(compiler: Compiler, node: Call) -> Code:
    operand, key = node.args
    if isinstance(key, Literal) and isinstance(key.value, str):
        return compiler._constant_key(node, operand, key.value)  # noqa: SLF001
    container, wanted = compiler.compile(operand), compiler.compile(key)
    _check_key(wanted)
    return _apply_two(runtime.index, container, wanted, node.span)


def _check_key(key: Code) -> None:
    """A constant of a type that nothing is looked up by is refused beforehand."""
    if isinstance(key, Constant) and not key.folded and type(key.value) not in _PRIMITIVES:
        raise InstantiationError(f"invalid qualifier type: {runtime.go_type(key.value)}")


def _optional_lookup(compiler: Compiler, node: Call) -> Code:
    operand, key = [compiler.compile(arg) for arg in node.args]
    _check_key(key)

    def lookup(container: Value, wanted: Value) -> Value:
        found, value = runtime.optional_step(container, wanted)
        return Optional(True, value) if found else NONE

    return _apply_two(lookup, operand, key, node.span)


def _or_value(compiler: Compiler, node: Call) -> Code:
    """`or` and `orValue`: the other side is evaluated only where it is needed."""
    if node.target is None:
        raise AssertionError("orValue is a member")
    target, other = compiler.compile(node.target), compiler.compile(node.args[0])
    unwraps = node.function == "orValue"
    strict = compiler.env.dialect.strict_or_value
    span = node.span

    def choose(frame: Frame) -> Value:
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

    return choose


def _matches(compiler: Compiler, node: Call) -> Code:
    args = node.args if node.target is None else (node.target, *node.args)
    text, pattern = [compiler.compile(arg) for arg in args]
    from dradsl.cel.library import regex

    if isinstance(pattern, Constant) and not pattern.folded and isinstance(pattern.value, str):
        try:
            regex.compile_pattern(pattern.value)
        except CelRuntimeError as error:
            raise InstantiationError(error.message) from None

        def fixed(value: Value, source: str) -> bool:
            if type(value) is not str:
                raise runtime.no_overload()
            return regex.matches(value, source)

        return _apply_two(fixed, text, pattern, node.span)

    def dynamic(value: Value, source: Value) -> bool:
        if type(value) is not str:
            raise runtime.without_trait("matches", value)
        if type(source) is not str:
            raise runtime.no_overload()
        return regex.matches(value, source)

    return _apply_two(dynamic, text, pattern, node.span)


def _find(compiler: Compiler, node: Call) -> Code:
    """`find` and `findAll`: a constant pattern is compiled at once."""
    from dradsl.cel.library import regex

    if node.target is None:
        raise AssertionError("find is a member")
    args = (node.target, *node.args)
    codes = [compiler.compile(arg) for arg in args]
    pattern = codes[1]
    if isinstance(pattern, Constant) and not pattern.folded and isinstance(pattern.value, str):
        try:
            regex.compile_pattern(pattern.value)
        except CelRuntimeError as error:
            raise InstantiationError(error.message) from None
        return _apply(_unnamed(compiler._body(node)), codes, node.span)  # noqa: SLF001
    return _apply(compiler._body(node), codes, node.span)  # noqa: SLF001


def _unnamed(body: Callable[..., Value]) -> Callable[..., Value]:
    """A function whose errors of type do not name it, as those of compiled patterns do not."""

    def call(*args: Value) -> Value:
        try:
            return body(*args)
        except CelRuntimeError as error:
            if error.message.startswith("no such overload"):
                raise runtime.no_overload() from None
            raise

    return call


_OPERATORS: Mapping[str, Callable[..., Value]] = {
    "_+_": arithmetic.add,
    "_-_": arithmetic.subtract,
    "_*_": arithmetic.multiply,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "-_": arithmetic.negate,
    "_!=_": _differs,
    "_<_": _ordering("_<_", lambda order: order < 0),
    "_<=_": _ordering("_<=_", lambda order: order <= 0),
    "_>_": _ordering("_>_", lambda order: order > 0),
    "_>=_": _ordering("_>=_", lambda order: order >= 0),
    "size": runtime.size,
}

_SPECIAL: Mapping[str, Callable[[Compiler, Call], Code]] = {
    "_&&_": _logic,
    "_||_": _logic,
    "!_": _not,
    "_?_:_": _conditional,
    "_==_": _equality,
    "@in": _membership,
    "_<_": _fast_ordering,
    "_<=_": _fast_ordering,
    "_>_": _fast_ordering,
    "_>=_": _fast_ordering,
    "_[_]": _index,
    "_[?_]": _optional_lookup,
    "_?._": _optional_lookup,
    "or": _or_value,
    "orValue": _or_value,
    "matches": _matches,
    "find": _find,
    "findAll": _find,
}

_METHODS: Mapping[type, Callable[..., Code]] = {
    Literal: Compiler.literal,
    Ident: Compiler.ident,
    Select: Compiler.select,
    Call: Compiler.call,
    ListExpr: Compiler.list_literal,
    MapExpr: Compiler.map_literal,
    StructExpr: Compiler.struct_literal,
    Comprehension: Compiler.comprehension,
}
