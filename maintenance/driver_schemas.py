"""Writes what is made from the shipped driver schemas and recipes of charts: `python -m maintenance.driver_schemas`.

These are `_parsed/`, JSON beside the YAML (`dradsl/text/shipped.py` reads it), and `_index.json`, by which a DeviceClass,
an extended resource or a node label is found without all files. Tests hold both against the files.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import dradsl
from dradsl.data import data_path
from dradsl.drivers.schema.catalogue import Catalogue, build_index
from dradsl.drivers.schema.yaml_data import load_yaml
from dradsl.text.shipped import checksum, place_of_parsed

__all__ = ["DRIVERS", "RECIPES", "parsed_form", "write_index", "write_parsed"]

DRIVERS = Path(data_path("schemas", "drivers"))
RECIPES = Path(dradsl.__file__).parent / "tree" / "charts" / "recipes"


def parsed_form(path: Path) -> str:
    """What `_parsed/` should hold for the YAML file."""
    text = path.read_bytes()
    data = {"checksum": checksum(text), "data": load_yaml(text.decode(), str(path))}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_parsed(folder: Path) -> None:
    """Write the parsed form of every YAML file in `folder`, and remove what has none."""
    (folder / "_parsed").mkdir(exist_ok=True)
    made = {Path(place_of_parsed(path)): parsed_form(path) for path in folder.glob("*.yaml")}
    for old in (folder / "_parsed").iterdir():
        if old not in made:
            old.unlink()
    for place, text in made.items():
        place.write_text(text, "utf-8")


def write_index(folder: Path) -> None:
    """Write the index of the shipped schemas, `_index.json` in `folder`."""
    catalogue = Catalogue()
    schemas = [schema for name in catalogue.names() if (schema := catalogue.get(name)) is not None]
    plain = dataclasses.asdict(build_index(schemas))
    text = json.dumps(plain, indent=1, sort_keys=True) + "\n"
    (folder / "_index.json").write_text(text, "utf-8")


if __name__ == "__main__":
    write_parsed(DRIVERS)
    write_parsed(RECIPES)
    write_index(DRIVERS)
