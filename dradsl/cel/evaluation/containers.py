"""Closures of list, map and message literals."""

from __future__ import annotations

import copy

from dradsl.cel.checker.instantiation import InstantiationError
from dradsl.cel.evaluation.code import Code, Constant, Frame, constants
from dradsl.cel.evaluation.messages import build_message
from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import NONE, CelPanicError, CelRuntimeError, Optional, Value, key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cel.syntax.ast import Span

__all__ = ["list_of", "map_of", "message_of"]


def list_of(codes: Sequence[Code], optional: frozenset[int], span: Span) -> Code:
    """`[a, ?b]`; a constant if its elements are."""
    if optional:
        return _optional_list(codes, optional, span)
    found = constants(codes)
    if found is not None:
        folded = any(code.folded for code in found)
        return Constant([code.value for code in found], folded=folded)
    return lambda frame: [code(frame) for code in codes]


def _optional_list(codes: Sequence[Code], optional: frozenset[int], span: Span) -> Code:
    def build(frame: Frame) -> Value:
        result = []
        for position, code in enumerate(codes):
            value = code(frame)
            if position in optional:
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


def map_of(entries: Sequence[tuple[Code, Code, bool, type[Value]]], span: Span) -> Code:
    """`{key: value, ?key: value}`; a constant if keys and values are.

    An entry is the key, the value, whether it is optional, and the type that upstream wraps anew
    where it reads the key.

    Raises:
        InstantiationError: if a constant cannot be a key.
    """

    def build(frame: Frame) -> Value:
        result: dict[Value, Value] = {}
        for key_code, value_code, optional, wrapped in entries:
            key, value = key_code(frame), value_code(frame)
            runtime.check_hashable(key)
            if key is not NONE and (_is_made_anew(key_code) or isinstance(key, wrapped)):
                key = copy.copy(key)
            found = key_of(key)
            if not optional:
                result[found] = value
                continue
            _require_optional(runtime.shown(key), value, span)
            if value.present:
                result[found] = value.value
            else:
                result.pop(found, None)
        return result

    found = constants([code for key, value, *_ in entries for code in (key, value)])
    if found is not None and not any(_is_made_anew(key) for key, *_ in entries):
        folded = any(code.folded for code in found)
        try:
            return Constant(build([]), folded=folded)
        except CelRuntimeError:
            pass
        except CelPanicError as panic:
            if not folded:
                raise InstantiationError(str(panic)) from None
    return build


def _is_made_anew(key: Code) -> bool:
    """Whether upstream makes a key at each evaluation, and it may be the key of its own entry."""
    return isinstance(key, Constant) and key.folded and type(key.value) not in (str, int)


def _require_optional(name: str, value: Value, span: Span) -> None:
    if type(value) is not Optional:
        raise CelRuntimeError(
            f"cannot initialize optional entry '{name}' "
            f"from non-optional value {runtime.shown(value)}",
            *span,
        )


def message_of(name: str, fields: Sequence[tuple[str, Code, bool]], span: Span) -> Code:
    """`type{field: value}`."""

    def build(frame: Frame) -> Value:
        values: dict[str, Value] = {}
        for field, code, optional in fields:
            value = code(frame)
            if optional:
                _require_optional(field, value, span)
                if not value.present:
                    continue
                value = value.value
            values[field] = value
        try:
            return build_message(name, values)
        except CelRuntimeError as error:
            raise error.at(span) from None

    return build
