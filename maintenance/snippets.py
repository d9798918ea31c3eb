"""Writes the snippets of the recipes for VS Code, `editors/vscode/snippets/recipes.json`.

`python -m maintenance.snippets`. A test says when the command was forgotten.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.migrate.output import rendered_objects
from dradsl.scaffolding.recipes import recipe_named, recipe_names
from dradsl.scaffolding.writing import Scaffold

__all__ = ["SNIPPETS", "main", "snippets_text"]

SNIPPETS = Path(__file__).parents[1] / "editors/vscode/snippets/recipes.json"


def snippets_text() -> str:
    """What the file should hold."""
    snippets = {
        f"Recipe {name}": {
            "prefix": [f"dra-{name}"],
            "description": recipe_named(name)["summary"],
            "body": _body(name),
        }
        for name in recipe_names()
    }
    return json.dumps(snippets, indent=2, ensure_ascii=False) + "\n"


def _body(name: str) -> list[str]:
    """The objects without the workload; the name and the values that were tried can be changed."""
    recipe = recipe_named(name)
    given = {"name": "my-app", **{k: str(v) for k, v in recipe["try"][0]["set"].items()}}
    scaffold = Scaffold(recipe, given, Catalogue())
    text = re.sub(r"[$}\\]", r"\\\g<0>", rendered_objects(scaffold.objects()))
    for number, value in enumerate(given.values(), 1):
        text = text.replace(value, f"${{{number}:{value}}}")
    return [*text.rstrip("\n").split("\n"), "$0"]


def main() -> None:
    """Write the file."""
    SNIPPETS.write_text(snippets_text(), "utf-8")


if __name__ == "__main__":
    main()
