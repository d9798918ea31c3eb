"""The recipes of claims, `schemas/recipes/*.yaml`, and the workloads that they are written with.

They are plain data: `schemas/recipe.schema.json` describes them, and a test holds them against it.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from dradsl.data import data_path
from dradsl.errors import DradslError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.values.json_types import JsonMapping

__all__ = ["ScaffoldError", "nearest", "recipe_named", "recipe_names", "workloads"]


class ScaffoldError(DradslError, ValueError):
    """What was asked for cannot be written; `str()` says why, and what can be given instead."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message: the known word that is near, or all of them."""
    from dradsl.drivers.schema.suggest import closest, listed

    names = tuple(known)
    found = closest(word, names)
    return f"did you mean {found}?" if found else f"expected one of: {listed(names)}"


@cache
def recipe_names() -> tuple[str, ...]:
    """The names of all recipes, sorted."""
    folder = data_path("schemas", "recipes")
    return tuple(sorted(name.removesuffix(".yaml") for name in os.listdir(folder)))


@cache
def recipe_named(name: str) -> JsonMapping:
    """The recipe of that name; its `parameters` are complete, and `since` and `kinds` are there.

    Raises:
        ScaffoldError: if there is none.
    """
    if name not in recipe_names():
        raise ScaffoldError(f"no recipe {name}; {nearest(name, recipe_names())}")
    plain = _plain("recipes", f"{name}.yaml")
    kinds = plain.get("kinds") or [kind for kind in workloads() if kind != "DaemonSet"]
    drivers = [row["driver"] for row in next(iter(plain["devices"].values()))]
    own: dict[str, JsonMapping] = {}
    if len(drivers) > 1:
        what = "the driver of the devices"
        own["driver"] = {
            "type": "choice",
            "choices": drivers,
            "default": drivers[0],
            "what": what,
        }
    own |= plain.get("parameters", {})
    own |= _plain("recipe-workloads.yaml")["parameters"]
    own["kind"] = {**own["kind"], "choices": kinds, "default": kinds[0]}
    return {"since": "1.34", "selectors": {}, **plain, "kinds": kinds, "parameters": own}


@cache
def workloads() -> Mapping[str, JsonMapping]:
    """The kinds of workloads, by kind."""
    return {row["kind"]: row for row in _plain("recipe-workloads.yaml")["workloads"]}


@cache
def _plain(*parts: str) -> Any:
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    return load(read_bytes(data_path("schemas", *parts))).documents[0].data
