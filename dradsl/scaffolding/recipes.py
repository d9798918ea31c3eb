"""The recipes of claims, `schemas/recipes/*.yaml`, and the workloads that they are written with.

`schemas/recipe.schema.json` describes the files; a test holds them against it.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from dradsl.data import data_path
from dradsl.errors import DradslError
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.values.json_types import JsonMapping

__all__ = [
    "DeviceRow",
    "ParameterRow",
    "Recipe",
    "ScaffoldError",
    "Workload",
    "nearest",
    "recipe_named",
    "recipe_names",
    "workloads",
]


_NAME = r"[a-z0-9]([a-z0-9.-]{0,200}[a-z0-9])?"


class ScaffoldError(DradslError, ValueError):
    """What was asked for cannot be written; `str()` says why, and what can be given instead."""


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """Devices that a request of a recipe can have: a type of a driver, and the class for it.

    `select_type`: the class takes other types, too. `class_selects`: the recipe writes a class of its own, so that
    selectors have to say all. `names` are those of attributes, where drivers have different ones.
    """

    driver: str
    type: str
    device_class: str
    select_type: bool
    class_selects: bool
    config: str
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """A parameter, as its recipe has it.

    `type` is "attribute" (equal, or with `at_least` not less), "capacity" (the least), "consumed" (a share),
    "config" (a value in opaque parameters), "number", "text" or "choice".
    """

    key: str
    type: str
    what: str
    of: str = ""
    name: str = ""
    required: bool = False
    default: str | int | None = None
    at_least: bool = False
    least: int = 0
    most: int = 0
    pattern: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: its devices, its parameters, and the objects and parts of the pod that it writes."""

    name: str
    summary: str
    explain: str
    since: str
    namespace: str | None
    kinds: tuple[str, ...]
    devices: Mapping[str, tuple[DeviceRow, ...]]
    parameters: tuple[ParameterRow, ...]
    objects: tuple[JsonMapping, ...]
    pod: JsonMapping
    tries: tuple[JsonMapping, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of workload: the object, the way to its pod spec, and the container that gets the devices."""

    kind: str
    pod: tuple[str | int, ...]
    container: str
    object: JsonMapping


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message: the known word that is near, or all of them."""
    from difflib import get_close_matches

    names = tuple(known)
    found = get_close_matches(word[:100], names, n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else f"expected one of: {', '.join(names)}"


@cache
def recipe_names() -> tuple[str, ...]:
    """The names of all recipes, sorted."""
    folder = data_path("schemas", "recipes")
    return tuple(sorted(name.removesuffix(".yaml") for name in os.listdir(folder)))


def recipe_named(name: str) -> Recipe:
    """The recipe of that name.

    Raises:
        ScaffoldError: if there is none.
    """
    if name not in recipe_names():
        raise ScaffoldError(f"no recipe {name}; {nearest(name, recipe_names())}")
    return _read(name)


@cache
def _read(name: str) -> Recipe:
    plain = _plain("recipes", f"{name}.yaml")
    devices = {
        device: tuple(_device_row(row) for row in rows) for device, rows in plain["devices"].items()
    }
    kinds = tuple(plain.get("kinds") or (kind for kind in workloads() if kind != "DaemonSet"))
    own = [_parameter(key, row) for key, row in plain.get("parameters", {}).items()]
    drivers = tuple(row.driver for row in next(iter(devices.values())))
    if len(drivers) > 1:
        what = "the driver of the devices"
        own.insert(0, ParameterRow("driver", "choice", what, default=drivers[0], choices=drivers))
    return Recipe(
        name,
        plain["summary"],
        plain["explain"],
        plain.get("since", "1.34"),
        plain.get("namespace"),
        kinds,
        devices,
        (*own, *_of_all(kinds)),
        tuple(plain["objects"]),
        plain["pod"],
        tuple(plain["try"]),
    )


def _of_all(kinds: tuple[str, ...]) -> tuple[ParameterRow, ...]:
    """The parameters of every recipe."""
    return (
        ParameterRow("kind", "choice", "the kind of workload", default=kinds[0], choices=kinds),
        ParameterRow("name", "text", "the name of the workload", default="example", pattern=_NAME),
        ParameterRow(
            "image", "text", "the image", default="registry.example.com/app:1", pattern=r"\S+"
        ),
    )


def _device_row(row: JsonMapping) -> DeviceRow:
    return DeviceRow(
        row["driver"],
        row["type"],
        row["class"],
        row.get("select-type", False),
        row.get("class-selects", False),
        row.get("config", ""),
        row.get("names", {}),
    )


def _parameter(key: str, row: JsonMapping) -> ParameterRow:
    given = {name: value for name, value in row.items() if name != "compare"}
    return ParameterRow(key, **given, at_least=row.get("compare") == "at-least")


@cache
def workloads() -> Mapping[str, Workload]:
    """The kinds of workloads, by kind."""
    rows = _plain("recipe-workloads.yaml")
    return {
        row["kind"]: Workload(row["kind"], tuple(row["pod"]), row["container"], row["object"])
        for row in rows
    }


def _plain(*parts: str) -> Any:
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    return load(read_bytes(data_path("schemas", *parts))).documents[0].data
