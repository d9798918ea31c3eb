"""Each list and map that the table of fields names is made twice as long: the work of a run doubles.

Cases are read off the table, so that a new field has one too. Lists of pods and of groups, and lists
that refer to each other, are in `test_growth`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.kube.fields.table import GROUP, KINDS, Category, FieldType, fields_of, known_somewhere
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.counting import growth

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 2.3
"""Where `growth` is 2 for work that grows as its input does, and 4 for work that grows as its square."""

SIZE = 40
"""More than most lists may hold, so that the same is said of all sizes."""

# A type, a field of it; None for the items of a list and the values of a map.
Place = tuple[str | None, ...]

LONGER: dict[Place, int] = {("status", "allocation", "devices", "config"): 70}

_TEXTS = {
    "QualifiedName": "a{i}",
    "FullyQualifiedName": "d.example.com/a{i}",
    "Quantity": "{i}",
    "Time": "2026-01-01T00:00:00Z",
    "expression": "device.driver == 'd{i}'",
}


def places(
    type_: FieldType, release: str, seen: tuple[str, ...] = ()
) -> Iterator[tuple[Place, FieldType]]:
    """The ways to each list and map in a value of this type, and their types."""
    if type_.item is not None:
        yield (), type_
        for way, found in places(type_.item, release, seen):
            yield (None, *way), found
    elif type_.category is Category.STRUCT and type_.name not in seen:
        for name, field in fields_of(type_.name, "v1", release).items():
            for way, found in places(field.type, release, (*seen, type_.name)):
                yield (name, *way), found


def sample(type_: FieldType, release: str, name: str, i: int) -> Any:
    """A value of a type with what it requires; `i` tells one from the others."""
    match type_.category:
        case Category.LIST | Category.MAP:
            return [] if type_.category is Category.LIST else {}
        case Category.STRUCT:
            fields = fields_of(type_.name, "v1", release)
            return {
                key: sample(field.type, release, key, i)
                for key, field in fields.items()
                if field.required or key in ("opaque", "cel", "exactly")
            }
        case Category.BOOL:
            return True
        case Category.INT32 | Category.INT64:
            return i
        case Category.RAW:
            return {"a": i}
    return _TEXTS.get(name, _TEXTS.get(type_.name, "x{i}")).format(i=i)


def put(value: Any, way: Place, type_: FieldType, release: str, items: Any) -> Any:
    """`value` of this type with `items` at the end of the way; what is missing on it is made."""
    if not way:
        return items
    step, *rest = way
    if step is None:
        assert type_.item is not None
        inner = put(sample(type_.item, release, "", 0), tuple(rest), type_.item, release, items)
        return [inner] if type_.category is Category.LIST else {"a": inner}
    field = fields_of(type_.name, "v1", release)[step]
    old = value.get(step) if isinstance(value, dict) else None
    if old is None:
        old = sample(field.type, release, step, 0)
    return {**value, step: put(old, tuple(rest), field.type, release, items)}


def cases() -> Iterator[Any]:
    for kind in KINDS:
        known: set[Place] = set()
        for release in ("1.37", "1.36", "1.34"):
            for way, type_ in places(FieldType(Category.STRUCT, kind), release):
                if way not in known:
                    known.add(way)
                    name = ".".join(step or "*" for step in way)
                    yield pytest.param(kind, way, type_, release, id=f"{kind}.{name}")


CASES = list(cases())


def text_of(kind: str, way: Place, type_: FieldType, release: str, items: list[Any]) -> str:
    value: Any = items
    if type_.category is Category.MAP:
        value = {f"a{i}": item for i, item in enumerate(items)}
    whole = FieldType(Category.STRUCT, kind)
    document = {
        **sample(whole, release, "", 0),
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": {"name": "x", "uid": "x"},
    }
    plain = json.loads(json.dumps(put(document, way, whole, release, value)))  # without aliases
    return yaml.dump(plain, Dumper=yaml.CSafeDumper, width=10_000)


@pytest.mark.parametrize("items", ["different", "equal", "wrong"])
@pytest.mark.parametrize(("kind", "way", "type_", "release"), CASES)
def test_twice_the_list_is_twice_the_work(
    kind: str, way: Place, type_: FieldType, release: str, items: str
) -> None:
    item = type_.item
    assert item is not None

    def make(count: int) -> str:
        made = [sample(item, release, str(way[-1]), i) for i in range(count)]
        if items != "different":
            made = [[0] if items == "wrong" else made[-1]] * count
        return text_of(kind, way, type_, release, made)

    config = LintConfig(root=".", kube_version=(release,))
    assert growth(make, lambda text: lint_text(text, config=config), LONGER.get(way, SIZE)) < MOST


def test_the_table_is_walked() -> None:
    found = {case.id for case in CASES}
    assert "ResourceClaim.spec.devices.requests.*.exactly.tolerations" in found
    assert "ResourceSlice.spec.devices.*.attributes.*.strings" in found
    assert "DeviceTaintRule.spec.deviceSelector.selectors" in found
    assert known_somewhere("DeviceTaintSelector", "v1", "selectors") is not None
