"""The table of a recipe's keys against the code that reads recipes: neither has a key that the other lacks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.charts import recipe_file, recipes
from dradsl.charts.recipes import Amount, Computed, Drop, ObjectsAt, Recipe, RecipePlace

if TYPE_CHECKING:
    from pathlib import Path

# Keys of a file whose fields have other names.
RENAMED = {
    Recipe: {"recipe": "name", "pods": "places"},
    Drop: {"while": "while_"},
}
TABLES: list[tuple[type, recipe_file._Keys]] = [
    (Recipe, recipe_file._RECIPE),
    (RecipePlace, recipe_file._PLACE),
    (Amount, recipe_file._AMOUNT),
    (Computed, recipe_file._COMPUTED),
    (Drop, recipe_file._DROP),
    (ObjectsAt, recipe_file._OBJECTS),
]
IDS = [read.__name__ for read, _ in TABLES]

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
            "puts": {"template": "{template}"},
            "own-template": True,
            "keep-as-zero": ["nvidia.com/gpu"],
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


def field_of(read: type, key: str) -> str:
    return RENAMED.get(read, {}).get(key, key.replace("-", "_"))


@pytest.mark.parametrize(("read", "table"), TABLES, ids=IDS)
def test_keys_are_fields(read: type, table: recipe_file._Keys) -> None:
    extra = {"earlier"} if read is Recipe else set()  # stands below `since` in the file
    fields = {field.name for field in dataclasses.fields(read)}
    assert {field_of(read, key) for key in table.known} == fields - extra


@pytest.mark.parametrize(("read", "table"), TABLES[1:], ids=IDS[1:])
def test_what_must_be_there_is_what_has_no_default(read: type, table: recipe_file._Keys) -> None:
    missing = dataclasses.MISSING
    needed = {
        field.name
        for field in dataclasses.fields(read)
        if field.default is missing and field.default_factory is missing
    }
    assert {field_of(read, key) for key in table.must} == needed


def test_each_key_is_read(tmp_path: Path) -> None:
    """A recipe with all keys is taken, and each of its values arrives."""
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(WHOLE))
    assert list(recipe_file.faults(WHOLE)) == []
    place = WHOLE["pods"][0]
    written = {
        Recipe: WHOLE,
        RecipePlace: place,
        Amount: place["amounts"][0],
        Computed: place["computed"],
        Drop: place["drops"][0],
        ObjectsAt: WHOLE["objects"][0],
    }
    for read, table in TABLES:
        assert written[read].keys() == table.known.keys()
    found = recipes.read_recipe(path)
    (pods,) = found.places
    assert pods.computed is not None
    within = (pods.amounts[0], pods.computed, pods.drops[0], found.objects[0])
    for item in (found, pods, *within):
        for field in dataclasses.fields(item):
            assert getattr(item, field.name) != field.default, (type(item), field.name)
            assert getattr(item, field.name) not in ((), None, frozenset()), field.name
