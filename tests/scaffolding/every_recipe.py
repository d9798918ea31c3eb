"""All recipes with all their kinds, as objects; as a command it writes them into a folder.

`python -m tests.scaffolding.every_recipe DIR` writes `RECIPE--N--KIND.yaml` for each combination of `try` and `kinds` in the
recipes, for a real API server (tests/oracle/controlplane) or anything else that reads manifests.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.scaffolding.recipes import recipe_named, recipe_names
from dradsl.scaffolding.writing import Scaffold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.values.json_types import JsonMapping, JsonObject

ROOT = Path(__file__).parents[2]


class Written(NamedTuple):
    """A recipe with the values of one of its `try`, for a kind."""

    recipe: JsonMapping
    number: int
    kind: str
    objects: list[JsonObject]
    recordings: list[str]

    @property
    def name(self) -> str:
        return f"{self.recipe['recipe']}--{self.number}--{self.kind}"


def every_recipe() -> Iterator[Written]:
    catalogue = Catalogue()
    for name in recipe_names():
        recipe = recipe_named(name)
        for number, one in enumerate(recipe["try"]):
            for kind in recipe["kinds"]:
                given = {key: str(value) for key, value in one["set"].items()}
                scaffold = Scaffold(recipe, {**given, "kind": kind}, catalogue)
                scaffold.check()
                objects = [*scaffold.objects(), scaffold.workload()]
                recordings = [str(ROOT / path) for path in one["recordings"]]
                yield Written(recipe, number, kind, objects, recordings)


def main(folder: str) -> None:
    from dradsl.migrate.output import rendered_objects

    Path(folder).mkdir(parents=True, exist_ok=True)
    for written in every_recipe():
        text = rendered_objects(written.objects)
        Path(folder, f"{written.name}.yaml").write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
