"""Each key of a recipe's file is read, is missed where it must be there, and is named where it holds something else."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.text.paths import value_at
from dradsl.tree.charts.recipes import (
    Amount,
    Computed,
    Drop,
    ObjectsAt,
    Recipe,
    RecipeError,
    RecipePlace,
    read_recipe,
)

if TYPE_CHECKING:
    from pathlib import Path

# Each key of a recipe, with a value that is not the default.
WHOLE: dict[str, Any] = {
    "recipe": "own",
    "title": "Own",
    "source": "here",
    "kinds": ["Own.example.com"],
    "values": ["own.image"],
    "charts": ["own"],
    "rendered": ["1.2.3"],
    "since": {"version": "1.0.0", "earlier": "it has no place for claims"},
    "objects": [
        {
            "at": "extra.{name}",
            "form": {"spec": "{spec}"},
            "since": "1.0.0",
            "before": "2.0.0",
            "unless": ["off"],
        }
    ],
    "pods": [
        {
            "at": "own",
            "containers": ["."],
            "init-containers": ["init"],
            "pod": "pod",
            "defaults": "defaults",
            "merged": {"a": [1]},
            "per-node": {"b": [2]},
            "fields": {"nodeSelector": "where"},
            "resources": [{"limits": "limits", "requests": "requests"}],
            "amounts": [{"key": "gpus", "resource": "r", "resource-key": "k", "number": 1}],
            "counts": "replicas",
            "computed": {
                "product": ["a"],
                "type": ["kind"],
                "default": "nvidia",
                "resources": {"nvidia": "nvidia.com/gpu"},
                "overrides": "resources",
                "without": "cpu",
            },
            "enabled-by": ["enabled"],
            "unless": ["unless"],
            "when": {"c": [3]},
            "blocked": "because",
            "blocked-if": {"d": "because"},
            "needs": ["a place"],
            "carries-claims": False,
            "set-values": {"template": "{template}"},
            "chart-writes-template": True,
            "keep-zero-limits": ["nvidia.com/gpu"],
            "count-fields": {"count": "{count}"},
            "count-resources": ["nvidia.com/gpu"],
            "claimed-by": ["claims"],
            "drops": [
                {
                    "what": "limit",
                    "instead": "a quota",
                    "while": ["nvidia.com/gpu"],
                    "when": {"e": [4]},
                    "having": ["f"],
                    "unless": ["g"],
                    "key": True,
                }
            ],
            "pod-fields": True,
            "rendered": False,
            "notes": ["a note"],
        }
    ],
}


# The parts of a recipe, the path to each in the file, and the keys that it must have.
PARTS: list[tuple[type, tuple[str | int, ...], set[str]]] = [
    (Recipe, (), {"recipe", "title", "source", "pods"}),
    (RecipePlace, ("pods", 0), {"at"}),
    (Amount, ("pods", 0, "amounts", 0), {"key", "resource"}),
    (Computed, ("pods", 0, "computed"), {"product", "type", "default", "resources"}),
    (Drop, ("pods", 0, "drops", 0), {"what", "instead"}),
    (ObjectsAt, ("objects", 0), {"at", "form"}),
]


def test_each_key_is_read(tmp_path: Path) -> None:
    """A recipe with all keys is taken, and each of its values arrives."""
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(WHOLE))
    found = read_recipe(path)
    (pods,) = found.places
    assert pods.computed is not None
    assert pods.resources == (("limits", "requests"),)
    for item in (found, pods, pods.amounts[0], pods.computed, pods.drops[0], found.objects[0]):
        for field in dataclasses.fields(item):
            assert getattr(item, field.name) != field.default, (type(item), field.name)
            assert getattr(item, field.name) not in ((), None, frozenset()), field.name


@pytest.mark.parametrize(
    ("part", "where", "must"), PARTS, ids=lambda each: getattr(each, "__name__", "")
)
def test_a_key_that_must_be_there_is_named(
    part: type, where: tuple[str | int, ...], must: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "own.yaml"
    extra = {"earlier"} if part is Recipe else set()  # below `since` in the file
    held = value_at(WHOLE, where)
    assert len(held) == len(dataclasses.fields(part)) - len(extra)
    for key in held:
        data = copy.deepcopy(WHOLE)
        del value_at(data, where)[key]
        path.write_text(yaml.safe_dump(data))
        if key in must:
            with pytest.raises(RecipeError, match=rf"{key} is missing"):
                read_recipe(path)
        else:
            read_recipe(path)


@pytest.mark.parametrize(
    ("part", "where", "must"), PARTS, ids=lambda each: getattr(each, "__name__", "")
)
@pytest.mark.parametrize("odd", [3.5, None, [[]], {"x": {}}])
def test_values_of_another_shape_are_named(
    part: type, where: tuple[str | int, ...], must: set[str], odd: object, tmp_path: Path
) -> None:
    """Whatever a key holds, it is taken or the message names the key."""
    path = tmp_path / "own.yaml"
    for key in value_at(WHOLE, where):
        data = copy.deepcopy(WHOLE)
        value_at(data, where)[key] = odd
        path.write_text(yaml.safe_dump(data))
        if (part, key) == (ObjectsAt, "form"):
            read_recipe(path)
            continue
        if isinstance(odd, dict) and key == "set-values":
            read_recipe(path)
            continue
        with pytest.raises(RecipeError, match=key):
            read_recipe(path)
