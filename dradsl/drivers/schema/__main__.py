"""Renews what is made from the shipped schemas and recipes of charts: `_parsed/` and `_index.json` beside them."""

from __future__ import annotations

import os

import dradsl
from dradsl.data import data_path
from dradsl.drivers.schema.catalogue import write_index
from dradsl.drivers.schema.parsed import write_parsed

if __name__ == "__main__":
    write_parsed(data_path("schemas", "drivers"))
    write_parsed(os.path.join(os.path.dirname(dradsl.__file__), "tree", "charts", "recipes"))
    write_index(data_path("schemas", "drivers"))
