"""Renews what is made from the shipped schemas: `_parsed/` and `_index.json` beside them."""

from __future__ import annotations

from dradsl.data import data_path
from dradsl.drivers.schema.catalogue import write_index
from dradsl.drivers.schema.parsed import write_parsed

if __name__ == "__main__":
    write_parsed(data_path("schemas", "drivers"))
    write_index(data_path("schemas", "drivers"))
