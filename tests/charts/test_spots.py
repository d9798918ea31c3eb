"""The places that recipes find: in objects, in values, and in values of charts within charts."""

from __future__ import annotations

from typing import Any

import pytest

from dradsl.tree.charts.recipes import Recipe, RecipePlace

PLACE = RecipePlace(
    at="workers.*", containers=("containers.*", "."), when=(("mode", (None, "on")),)
)
WORKER = {"containers": [{"name": "a"}, "no container"], "image": "x"}
VALUES: dict[str, Any] = {
    "workers": {"one": WORKER, "off": {"mode": "off"}, "text": "x"},
    "sign": 1,
}


def recipe(**more: Any) -> Recipe:
    return Recipe(
        name="x", title="x", source="x", kinds=frozenset({"K.g"}), places=(PLACE,), **more
    )


@pytest.mark.parametrize(
    ("kind", "group", "data", "root"),
    [
        ("K", "g", VALUES, ()),
        ("", "", VALUES, ()),
        ("", "", {"inner": VALUES, "other": {"workers": {"one": WORKER}}}, ("inner",)),
        ("", "", {"a": {"b": VALUES}}, ("a", "b")),
    ],
)
def test_places_have_the_path_from_the_top(
    kind: str, group: str, data: object, root: tuple[str, ...]
) -> None:
    found = list(recipe(values=("sign",)).spots(kind, group, data, at=("spec", "values")))
    start = ("spec", "values", *root)
    assert [(each.path, each.root_path) for each in found] == [((*start, "workers", "one"), start)]
    assert found[0].root is VALUES
    assert [path[len(start) + 2 :] for path, _ in found[0].containers(PLACE.containers)] == [
        ("containers", 0),
        (),
    ]


@pytest.mark.parametrize(
    ("kind", "group", "data"),
    [
        ("K", "other", VALUES),
        ("", "", {"a": {"b": {"c": VALUES}}}),
        ("", "", {"workers": VALUES["workers"]}),
        ("", "", None),
    ],
)
def test_nothing_is_found_in_what_the_recipe_is_not_for(
    kind: str, group: str, data: object
) -> None:
    assert list(recipe(values=("sign",)).spots(kind, group, data)) == []


def test_values_without_signs_are_known_by_the_name_of_their_chart() -> None:
    assert not list(recipe(values=()).spots("", "", VALUES))
    assert len(list(recipe(values=()).spots("", "", VALUES, by_name=True))) == 1
    # Signs count, whatever the chart is called.
    assert not list(recipe(values=("missing",)).spots("", "", VALUES, by_name=True))


def test_a_path_may_lead_from_the_root() -> None:
    (spot,) = recipe(values=("sign",)).spots("", "", VALUES)
    assert [*spot.find("/sign")] == [((), 1)]
    assert spot.first("missing", "image") == "x"
    assert spot.agrees((("/sign", (1,)),))
    assert not spot.agrees((("/sign", (2,)),))
