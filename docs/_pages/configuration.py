"""The table of configuration keys, made of their JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs._pages.cells import cell

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["options"]

ROOT = Path(__file__).resolve().parents[2]


def options() -> Iterator[str]:
    schema = json.loads((ROOT / "schemas/config.schema.json").read_text(encoding="utf-8"))
    yield "| Option | Value | Meaning |"
    yield "| --- | --- | --- |"
    for key, described in schema["properties"].items():
        default = described.get("default")
        meaning = described["description"]
        if default is not None:
            meaning += f" Default: `{json.dumps(default)}`."
        yield f"| `{key}` | {cell(_value(described))} | {cell(meaning)} |"


def _value(described: dict[str, Any]) -> str:
    if "enum" in described:
        return " or ".join(f"`{value}`" for value in described["enum"])
    if isinstance(described.get("type"), list):
        return "number or text"
    if "oneOf" in described:
        return "text or list of texts"
    if described.get("type") == "object":
        return "table"
    return "path" if described.get("type") == "string" else "list of texts"
