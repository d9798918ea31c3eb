"""Records behave as the dataclasses that type checkers take them for."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from dradsl import records

if TYPE_CHECKING:
    from collections.abc import Callable


def classes(dataclass: Any, field: Any) -> dict[str, Any]:
    """The same classes, made by one of both decorators."""

    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        seen: list[int] = field(default_factory=list, compare=False, repr=False)
        KIND: ClassVar[str] = "point"

        @property
        def total(self) -> int:
            return self.x + self.y

    @dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = "p"

        def __post_init__(self) -> None:
            self.seen.append(self.x)

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        a: int
        b: tuple[int, ...]

    @dataclass(frozen=True, slots=True, eq=False)
    class Identity:
        a: int

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True, repr=False)
    class Own:
        a: float

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(slots=True)
    class Mutable:
        a: int = 0

    @dataclass(frozen=True, slots=True)
    class Wide:
        a: int
        b: int
        c: int
        d: int
        e: int
        f: int
        g: int
        h: int
        i: int
        j: int = 10
        k: list[int] = field(default_factory=list)
        m: int = 12

    return {c.__name__: c for c in (Wide, Point, Named, Ordered, Identity, Empty, Own, Mutable)}


def by_base(*, order: bool = False, eq: bool = True, frozen: bool = False, **_: object) -> Any:
    """In place of the decorator: the class with `Record` as a base, where that can stand for the options."""

    def made(cls: type) -> type:
        if order or not eq or not frozen:
            return records.dataclass(frozen=frozen, slots=True, order=order, eq=eq)(cls)
        if issubclass(cls, records.Record):
            return cls
        body = {k: v for k, v in vars(cls).items() if k not in {"__dict__", "__weakref__"}}
        return type(cls.__name__, (records.Record,), body | {"__qualname__": cls.__qualname__})

    return made


OURS = classes(records.dataclass, records.field)
BY_BASE = classes(by_base, records.field)
THEIRS = classes(dataclasses.dataclass, dataclasses.field)

NAN = float("nan")
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1,), {}),
    ("Point", (1,), {"y": 3}),
    ("Point", (1, 2, [7]), {}),
    ("Point", (), {}),
    ("Point", (1, 2, [], 4), {}),
    ("Point", (1,), {"z": 3}),
    ("Point", (1,), {"x": 1}),
    ("Named", (1,), {"name": "q"}),
    ("Named", (1, 2), {"seen": []}),
    ("Ordered", (1, (2,)), {}),
    ("Identity", (1,), {}),
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("Own", (NAN,), {}),
    ("Wide", tuple(range(9)), {}),
    ("Wide", tuple(range(9)), {"m": 1, "k": [2]}),
    ("Wide", tuple(range(11)), {}),
    ("Wide", tuple(range(8)), {}),
    ("Mutable", (), {}),
    ("Mutable", (5,), {}),
]


def outcome(made: Any) -> object:
    try:
        record = made()
    except TypeError as error:
        return type(error)
    shown = repr(record) if type(record).__name__ != "Identity" else ""
    return shown, [(n, getattr(record, n)) for n in type(record).__match_args__]


@pytest.mark.parametrize("made", [OURS, BY_BASE], ids=["decorated", "by base"])
@pytest.mark.parametrize(("name", "values", "named"), CALLS)
def test_made_alike(
    made: dict[str, Any], name: str, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours = outcome(lambda: made[name](*copy.deepcopy(values), **copy.deepcopy(named)))
    assert ours == outcome(lambda: THEIRS[name](*copy.deepcopy(values), **copy.deepcopy(named)))


@pytest.mark.parametrize("first", CALLS, ids=str)
def test_compared_alike(first: Any) -> None:
    def answers(made: dict[str, Any], second: Any) -> list[object]:
        try:
            a = made[first[0]](*first[1], **copy.deepcopy(first[2]))
            b = made[second[0]](*second[1], **copy.deepcopy(second[2]))
        except TypeError:
            return []
        found: list[object] = [a == b, a != b, a == a, a == 1]
        asks: list[Callable[[], object]] = [
            lambda: a < b,
            lambda: a >= b,
            lambda: a <= a,
            lambda: a > 1,
        ]
        for ask in asks:
            try:
                found.append(ask())
            except TypeError:
                found.append("rejected")
        try:
            found += [hash(a) == hash(b) or a != b, hash(a) == hash(a)]
        except TypeError:
            found.append("no hash")
        return found

    for second in CALLS:
        expected = answers(THEIRS, second)
        assert [answers(made, second) for made in (OURS, BY_BASE)] == [expected] * 2, second


@pytest.mark.parametrize("name", OURS)
def test_form(name: str) -> None:
    ours, based, theirs = OURS[name], BY_BASE[name], THEIRS[name]
    assert ours.__slots__ == theirs.__slots__
    assert based.__match_args__ == theirs.__match_args__
    assert based.__qualname__ == theirs.__qualname__
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__qualname__ == theirs.__qualname__
    assert ours.__doc__ == theirs.__doc__ or ours.__doc__ is None  # the original makes one up
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    rows = [
        [(f.name, f.type, f.default, f.repr, f.compare) for f in dataclasses.fields(each)]
        for each in (ours, based, theirs)
    ]
    assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize("made", [OURS, BY_BASE, THEIRS], ids=["ours", "by base", "theirs"])
def test_frozen(made: dict[str, Any]) -> None:
    point = made["Point"](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    mutable = made["Mutable"]()
    mutable.a = 3
    assert mutable.a == 3
    with pytest.raises(AttributeError):
        mutable.b = 1


@pytest.mark.parametrize("made", [OURS, BY_BASE], ids=["decorated", "by base"])
def test_the_standard_functions_work(made: dict[str, Any]) -> None:
    point = made["Named"](1, name="a")
    for replace in (records.replace, dataclasses.replace):
        assert replace(point, name="b") == made["Named"](1, name="b")
        with pytest.raises(TypeError):
            replace(point, nothing=1)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "seen": point.seen, "name": "a"}
    assert dataclasses.is_dataclass(point)
    assert copy.deepcopy(point) == copy.copy(point) == point


@pytest.mark.parametrize("name", OURS)
def test_fields_are_made_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And only when asked for: each is a class that `dataclasses` compiles."""
    made: list[str] = []
    make = dataclasses.make_dataclass

    def counted(cls_name: str, *args: Any, **named: Any) -> type:
        made.append(cls_name)
        return make(cls_name, *args, **named)

    monkeypatch.setattr(dataclasses, "make_dataclass", counted)
    cls = classes(records.dataclass, records.field)[name]
    record = cls(*next(values for each, values, _ in CALLS if each == name))
    records.replace(record)
    assert made == []
    for _ in range(3):
        assert [dataclasses.is_dataclass(each) for each in (cls, record)] == [True, True]
        assert dataclasses.fields(cls) == dataclasses.fields(record)
        assert dataclasses.asdict(record).keys() == {f.name for f in dataclasses.fields(cls)}
        dataclasses.replace(record)
    assert made == [name]
    assert cls.__dataclass_fields__ is cls.__dataclass_fields__


def test_a_plain_subclass_has_the_fields() -> None:
    sub: Any = type("Sub", (OURS["Point"],), {})
    assert [f.name for f in dataclasses.fields(sub)] == ["x", "y", "seen"]
    assert dataclasses.replace(sub(1), y=5).y == 5


def squares() -> tuple[Any, Any]:
    @records.dataclass(frozen=True, slots=True)
    class Square:
        side: int
        asked: list[str] = records.field(default_factory=list, compare=False, repr=False)

        @records.cached
        def area(self) -> int | None:
            """Its area."""
            self.asked.append("area")
            return self.side**2 or None

    @records.dataclass(frozen=True, slots=True)
    class Named(Square):
        name: str = "s"

        @records.cached
        def text(self) -> str:
            self.asked.append("text")
            return f"{self.name}: {self.area}"

    assert inspect.getdoc(Square.area) == "Its area."
    return Square, Named


def squares_by_base() -> tuple[Any, Any]:
    class Square(records.Record):
        side: int
        asked: list[str] = records.field(default_factory=list, compare=False, repr=False)

        @records.cached
        def area(self) -> int | None:
            self.asked.append("area")
            return self.side**2 or None

    class Named(Square):
        name: str = "s"

        @records.cached
        def text(self) -> str:
            self.asked.append("text")
            return f"{self.name}: {self.area}"

    return Square, Named


@pytest.mark.parametrize("made", [squares, squares_by_base])
def test_a_cached_property_is_worked_out_once(made: Callable[[], tuple[Any, Any]]) -> None:
    Square, Named = made()
    for side, area in ((3, 9), (0, None)):
        square, named = Square(side), Named(side)
        assert [square.area, square.area, named.text, named.text] == [
            area,
            area,
            *[f"s: {area}"] * 2,
        ]
        assert (square.asked, named.asked) == (["area"], ["text", "area"])
        assert repr(square).endswith(f"Square(side={side})")
        assert square == Square(side)
        assert hash(square) == hash(Square(side))
        assert [f.name for f in dataclasses.fields(named)] == ["side", "asked", "name"]
        with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
            square.area = 4
        copied = copy.deepcopy(named)
        assert (copied.text, copied.asked) == (named.text, ["text", "area", "text", "area"])
        changed = records.replace(square, side=5, asked=[])
        assert (changed.area, changed.asked) == (25, ["area"])
    missing = "text"
    with pytest.raises(AttributeError, match="'Square' object has no attribute 'text'"):
        getattr(Square(1), missing)


def test_pickled() -> None:
    from dradsl.allocator.explain.facts import UnsatisfiableClaim
    from dradsl.diagnostics import Edit, Span

    for each in (Edit(Span(1, 2, 3, 4), "text"), UnsatisfiableClaim(2, None)):
        assert pickle.loads(pickle.dumps(each)) == each


def test_by_base_with_or_without_the_decorator() -> None:
    class Plain(records.Record):
        x: int

    @records.dataclass(frozen=True, slots=True)
    class Decorated(Plain):
        y: int = 2

    assert Decorated.__mro__[1] is Plain
    assert (repr(Decorated(1)), Decorated(1)) == (
        f"{Decorated.__qualname__}(x=1, y=2)",
        Decorated(1, 2),
    )
    assert Plain(1) != Decorated(1)


def test_matched() -> None:
    match OURS["Ordered"](1, (2,)):
        case object(a=1, b=found):
            assert found == (2,)
        case _:
            raise AssertionError
