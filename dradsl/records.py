"""Frozen slotted dataclasses that cost nothing before they are used.

`dataclasses.dataclass(slots=True)` writes and compiles six functions for each class and makes the
class twice: half a millisecond, and a lint run starts with 150 of them, most never made. This
`dataclass` gives the same classes; each method is written and compiled when it is first
called. Type checkers see the original, and `dataclasses.fields`, `replace` and `asdict` work on
these classes too.

A subclass of `Record` is a frozen record without a decorator, and without slots: these need the class to be
made twice. It is for records of which a run makes few.

Only what the start path needs exists here: `frozen`, `slots` (always on), `eq`, `order`, `repr`;
`field` with `default`, `default_factory`, `repr` and `compare`. `cached` is a property of a record that
is worked out once, also of a frozen one: no field, so neither copied nor compared nor shown. `once` does the same
by keys.
"""

from __future__ import annotations

# ruff: noqa: A002 - parameters are called as those of dataclasses
# ruff: noqa: F821 - what `_0`, `_1`, … are is said where their code is used, in `_init_of`

__all__ = ["Record", "cached", "dataclass", "field", "once", "replace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from functools import cached_property as cached
    from typing import Any, ClassVar, TypeVar, dataclass_transform

    K = TypeVar("K")
    V = TypeVar("V")

    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    class Record:
        """Makes each subclass a frozen record, without slots."""

        __dataclass_fields__: ClassVar[dict[str, Any]]

else:
    from functools import partial
    from itertools import repeat
    from types import FunctionType

    _MISSING = object()
    _FIELDS = "__record_fields__"
    _CACHED = "__record_cached__"

    class _Field:
        """What is known of one field; `annotation` is its text."""

        __slots__ = ("annotation", "compare", "default", "factory", "name", "repr")

        def __init__(self, default, factory, repr, compare) -> None:
            self.default = default
            self.factory = factory
            self.repr = repr
            self.compare = compare
            self.name = self.annotation = ""

    def field(*, default=_MISSING, default_factory=_MISSING, repr=True, compare=True):
        """As `dataclasses.field`."""
        return _Field(default, default_factory, repr, compare)

    def replace(record, /, **changes):
        """As `dataclasses.replace`."""
        names = getattr(type(record), _FIELDS)
        if not changes.keys() <= names.keys():
            raise TypeError(f"no fields of {type(record).__qualname__}: {changes.keys() - names}")
        return type(record)(*map(changes.get, names, map(getattr, repeat(record), names)))

    class cached:  # noqa: N801 - it is written as a decorator
        """As `functools.cached_property`, for records: the value has a slot of that name, which is
        empty until `_fill` is asked for what is not there. So the second look is one of C."""

        __slots__ = ("function",)

        def __init__(self, function) -> None:
            self.function = function

    def _fill(self, name):
        """`__getattr__` of records with cached properties."""
        known = self.__record_cached__.get(name)  # `_CACHED`
        if known is None:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self)
        function, to_slot = known
        value = function(self)
        to_slot(self, value)
        return value

    def dataclass(cls=None, /, *, frozen=False, slots=True, eq=True, order=False, repr=True):
        """As `dataclasses.dataclass`, with slots."""
        if not slots:
            raise TypeError("a record has slots")
        if cls is None:
            return lambda cls: _record(cls, frozen, eq, order, repr)
        return _record(cls, frozen, eq, order, repr)

    def _record(cls, frozen, eq, order, shown, in_place=False):
        if _FIELDS in cls.__dict__:  # it is one by its base
            return cls
        own = _own_fields(cls)
        fields, slots = own, tuple(own)
        bases = () if cls.__bases__ == (Record,) else cls.__mro__[1:-1]
        if bases:
            fields = {}
            for base in reversed(bases):
                fields.update(base.__dict__.get(_FIELDS, ()))
            fields.update(own)
            inherited = {slot for base in bases for slot in base.__dict__.get("__slots__", ())}
            slots = tuple(name for name in own if name not in inherited)
        body = dict(cls.__dict__)
        kept = {name: each.function for name, each in body.items() if type(each) is cached}
        for name in ("__dict__", "__weakref__", *own, *kept):
            body.pop(name, None)
        body[_FIELDS] = fields
        body["__slots__"] = slots
        if kept:
            # A mapping gives the slots the words of their functions.
            words = {name: each.__doc__ for name, each in kept.items()}
            body["__slots__"] = dict.fromkeys(slots) | words
            body["__getattr__"] = _fill
        body["__match_args__"] = tuple(fields)
        body["__dataclass_fields__"] = _STANDARD
        body.setdefault("__getstate__", _get_state)
        body.setdefault("__setstate__", _set_state)
        body.setdefault("__init__", _UNUSED["__init__"])
        if shown:
            body.setdefault("__repr__", _show)
        if frozen:
            body["__setattr__"] = _reject_setting
            body["__delattr__"] = _reject_deleting
        if eq:
            body.setdefault("__eq__", _UNUSED["__eq__"])
            if body.get("__hash__") is None:
                body["__hash__"] = _UNUSED["__hash__"] if frozen else None
        if order:
            body.update((name, _UNUSED[name]) for name in ("__lt__", "__le__", "__gt__", "__ge__"))
        if in_place:
            del body["__slots__"]
            made = _in_place(cls, body, (*own, *kept))
        else:
            made = type(cls)(cls.__name__, cls.__bases__, body)
            made.__qualname__ = cls.__qualname__
        if kept:
            merged = {}
            for base in reversed(bases):
                merged.update(base.__dict__.get(_CACHED, ()))
            for name, each in kept.items():
                merged[name] = each, _writer(made, name)
            setattr(made, _CACHED, merged)
        return made

    def _in_place(cls, body, gone):
        before = cls.__dict__
        for name in gone:
            if name in before:
                delattr(cls, name)
        for name, value in body.items():
            if name in before and before[name] is value:
                continue
            if name not in _INHERITED or getattr(cls, name) is not value:
                setattr(cls, name, value)
        return cls

    def _writer(cls, name):
        """Sets a field, also of what is frozen; through its slot, where it has one, which is faster."""
        return _to_dict(name) if issubclass(cls, Record) else getattr(cls, name).__set__

    def _to_dict(name):
        return lambda record, value: object.__setattr__(record, name, value)

    def _own_fields(cls):
        own = {}
        for name, annotation in cls.__annotations__.items():
            if annotation.startswith("ClassVar"):
                continue
            value = cls.__dict__.get(name, _MISSING)
            if not isinstance(value, _Field):
                value = _Field(value, _MISSING, True, True)
            value.name = name
            value.annotation = annotation
            own[name] = value
        return own

    def _until_used(name, write):
        """Stands for a method in every class: once called, it puts the written one into its place."""

        def method(self, /, *values, **named):
            cls = next((c for c in type(self).__mro__ if c.__dict__.get(name) is method), None)
            if cls is None:  # another thread was faster
                return getattr(self, name)(*values, **named)
            written = write(cls)
            written.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, written)
            return written(self, *values, **named)

        method.__name__ = name
        return method

    def _compiled(name, text, known):
        exec(text, known)  # noqa: S102 - the text is made of field names, as in dataclasses
        return known[name]

    # How an object of so many fields is made: each function `_0`, `_1`, … sets one, and gives None.
    # Kept here as compiled code; `_init_of` puts in the names.
    # fmt: off
    _INITS = (
        lambda _self: None,
        lambda self, a: _0(self, a),
        lambda self, a, b: _0(self, a) or _1(self, b),
        lambda self, a, b, c: _0(self, a) or _1(self, b) or _2(self, c),
        lambda self, a, b, c, d: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d),
        lambda self, a, b, c, d, e: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e),
        lambda self, a, b, c, d, e, f: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f),
        lambda self, a, b, c, d, e, f, g: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g),
        lambda self, a, b, c, d, e, f, g, h: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h),
        lambda self, a, b, c, d, e, f, g, h, i: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i),
        lambda self, a, b, c, d, e, f, g, h, i, j: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i) or _9(self, j),
        lambda self, a, b, c, d, e, f, g, h, i, j, k: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i) or _9(self, j) or _10(self, k),
        lambda self, a, b, c, d, e, f, g, h, i, j, k, m: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i) or _9(self, j) or _10(self, k) or _11(self, m),
        lambda self, a, b, c, d, e, f, g, h, i, j, k, m, n: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i) or _9(self, j) or _10(self, k) or _11(self, m) or _12(self, n),
        lambda self, a, b, c, d, e, f, g, h, i, j, k, m, n, o: _0(self, a) or _1(self, b) or _2(self, c) or _3(self, d) or _4(self, e) or _5(self, f) or _6(self, g) or _7(self, h) or _8(self, i) or _9(self, j) or _10(self, k) or _11(self, m) or _12(self, n) or _13(self, o),
    )
    # fmt: on

    # With more fields; they are the locals, once `_init_of` has put in their names.
    def _init_of_many(self):
        return _all(self, locals())

    def _init_of(cls):
        fields = getattr(cls, _FIELDS)
        setters = [_setter(cls, each) for each in fields.values()]
        if len(fields) < len(_INITS):
            code = _INITS[len(fields)].__code__
            known = {f"_{i}": each for i, each in enumerate(setters)}
        else:
            code = _init_of_many.__code__
            known = {"_all": _set_all(dict(zip(fields, setters, strict=True)))}
        # With a factory, the default that is missing asks for it: see `_setter`.
        optional = [f for f in fields.values() if f.default is not f.factory]
        names = ("self", *fields)
        code = code.replace(
            co_varnames=names,
            co_argcount=len(names),
            co_nlocals=len(names),
            co_name="__init__",
        )
        init = FunctionType(code, known, "__init__", tuple(f.default for f in optional))
        return _then_post_init(init) if hasattr(cls, "__post_init__") else init

    def _set_all(setters):
        def set_all(record, values) -> None:
            for name, setter in setters.items():
                setter(record, values[name])

        return set_all

    def _setter(cls, each):
        write = _writer(cls, each.name)
        make = each.factory
        if make is _MISSING:
            return write
        return lambda record, value: write(record, make() if value is _MISSING else value)

    def _then_post_init(plain):
        def __init__(self, /, *values, **named) -> None:  # noqa: N807 - the name is shown
            plain(self, *values, **named)
            self.__post_init__()

        return __init__

    def _eq_of(cls, name="__eq__", sign="=="):
        text = (
            f"def {name}(self, other):\n"
            " if other.__class__ is self.__class__:\n"
            f"  return {_tuple_text(cls, 'self')} {sign} {_tuple_text(cls, 'other')}\n"
            " return NotImplemented"
        )
        return _compiled(name, text, {})

    def _hash_of(cls):
        text = f"def __hash__(self):\n return hash({_tuple_text(cls, 'self')})"
        return _compiled("__hash__", text, {})

    def _tuple_text(cls, of):
        compared = [name for name, each in getattr(cls, _FIELDS).items() if each.compare]
        return "(" + "".join(f"{of}.{name}, " for name in compared) + ")"

    def _show(self):
        parts = [
            f"{name}={getattr(self, name)!r}"
            for name, each in getattr(type(self), _FIELDS).items()
            if each.repr
        ]
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def _reject_setting(_self, name, _value):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _reject_deleting(_self, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in getattr(type(self), _FIELDS)]

    def _set_state(self, state) -> None:
        for name, value in zip(getattr(type(self), _FIELDS), state, strict=True):
            object.__setattr__(self, name, value)

    _UNUSED = {
        name: _until_used(name, write)
        for name, write in (
            ("__init__", _init_of),
            ("__hash__", _hash_of),
            ("__eq__", _eq_of),
            ("__lt__", partial(_eq_of, name="__lt__", sign="<")),
            ("__le__", partial(_eq_of, name="__le__", sign="<=")),
            ("__gt__", partial(_eq_of, name="__gt__", sign=">")),
            ("__ge__", partial(_eq_of, name="__ge__", sign=">=")),
        )
    }

    class _StandardFields:
        """`__dataclass_fields__`, by which `dataclasses` knows its classes: made when first asked for.

        The class then holds them itself, in place of this descriptor.
        """

        def __get__(self, instance, owner):
            import dataclasses

            rows = []
            for name, each in getattr(owner, _FIELDS).items():
                options = {"repr": each.repr, "compare": each.compare}
                if each.factory is not _MISSING:
                    options["default_factory"] = each.factory
                elif each.default is not _MISSING:
                    options["default"] = each.default
                rows.append((name, each.annotation, dataclasses.field(**options)))
            made = dataclasses.make_dataclass(
                owner.__name__, rows, init=False, repr=False, eq=False
            ).__dataclass_fields__
            owner.__dataclass_fields__ = made
            return made

    _STANDARD = _StandardFields()

    class Record:
        """Makes each subclass a frozen record, without slots."""

        __slots__ = ()
        __setattr__ = _reject_setting
        __delattr__ = _reject_deleting
        __getstate__ = _get_state
        __setstate__ = _set_state
        __repr__ = _show

        def __init_subclass__(cls) -> None:
            super().__init_subclass__()
            _record(cls, True, True, False, True, in_place=True)

    # What a subclass need not have for itself.
    _INHERITED = frozenset(Record.__dict__)


def once(kept: dict[K, V], key: K, make: Callable[[K], V]) -> V:
    """What `make` gives for a key, worked out when it is first asked for: `kept` holds it from then on."""
    if key not in kept:
        kept[key] = make(key)
    return kept[key]
