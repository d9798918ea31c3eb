"""What a run needs of the rule documents: `table.json`, which `python -m maintenance.rule_tables` writes.

Severities: "error" = it will not work, or destroys something, and that follows from what is visible;
"warning" = it will surprise, and that follows too; a guess is an "info".
"""

from __future__ import annotations

import json
from types import MappingProxyType

from dradsl.text.files import SETTINGS_BYTES, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    from dradsl.lint.catalogue.traits import About, Compares, Editor, Elsewhere, Hides, Shown

    Need: TypeAlias = Literal["schema", "classes", "inventory", "old"]
    Default: TypeAlias = Literal["error", "warning", "info"]
    Row: TypeAlias = tuple[str, str, Default, tuple[Need, ...], tuple[str, ...], int]
    TraitRow: TypeAlias = tuple[
        About, Hides, Compares, tuple[Elsewhere, ...], bool, Shown, bool, Editor
    ]
    Words: TypeAlias = tuple[tuple[str | int, ...], ...]
    When: TypeAlias = Literal["always", "otherwise", "pods"]

__all__ = ["CHECKS", "FOLLOWS", "REMEDIES", "ROWS", "TRAITS"]


def _tuples(value: Any) -> Any:
    """Rows that nobody can change."""
    return tuple([_tuples(each) for each in value]) if isinstance(value, list) else value


_TABLE: dict[str, Any] = {
    name: MappingProxyType({code: _tuples(row) for code, row in part.items()})
    if isinstance(part, dict)
    else _tuples(part)
    for name, part in json.loads(
        read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES)
    ).items()
}

TRAITS: tuple[TraitRow, ...] = _TABLE["traits"]
"""The traits that rules have."""

ROWS: tuple[Row, ...] = _TABLE["rules"]
"""Code, name, severity, what the rule needs, the modules that find the mistake, and which of the traits it has."""

FOLLOWS: Mapping[str, tuple[tuple[str, str], ...]] = _TABLE["follows"]
"""The causes from which findings of a rule follow: the code of each, and where it stands from there."""

REMEDIES: Mapping[str, tuple[When, str]] = _TABLE["remedies in Python"]
"""Remedies for readers who wrote Python: when one is given (whatever lint says, where lint says nothing, for pods of plain
data), and its text."""

CHECKS: tuple[tuple[str, tuple[str, ...], Words], ...] = _TABLE["checks"]
"""The modules below dradsl.lint.rules that look at a whole run, each with the codes that its `check` can find, and the
words without which it finds none (its `WORDS`)."""
