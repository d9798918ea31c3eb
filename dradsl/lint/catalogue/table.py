"""What a run needs of the rule documents: `table.json`, which `python -m maintenance.rule_tables` writes.

Severities: "error" = it will not work, or destroys something, and that follows from what is visible;
"warning" = it will surprise, and that follows too; a guess is an "info".
"""

from __future__ import annotations

import functools
import json

from dradsl.text.files import SETTINGS_BYTES, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from dradsl.lint.catalogue.traits import About, Compares, Editor, Elsewhere, Hides, Need, Shown

    Default: TypeAlias = Literal["error", "warning", "info"]
    Row: TypeAlias = tuple[str, str, Default, Sequence[Need], int]
    TraitRow: TypeAlias = tuple[
        About, Hides, Compares, Sequence[Elsewhere], bool, Shown, bool, Editor
    ]
    Words: TypeAlias = Sequence[Sequence[str | int]]
    When: TypeAlias = Literal["always", "otherwise", "pods"]

__all__ = ["CHECKS", "FOLLOWS", "REMEDIES", "ROWS", "TRAITS", "table_of"]


@functools.cache
def table_of(name: str) -> Any:
    """What a JSON file of this folder holds."""
    return json.loads(read_bytes(f"{__file__.removesuffix('table.py')}{name}.json", SETTINGS_BYTES))


_TABLE: Mapping[str, Any] = table_of("table")

TRAITS: Sequence[TraitRow] = _TABLE["traits"]
"""The traits that rules have."""

ROWS: Sequence[Row] = _TABLE["rules"]
"""Code, name, severity, what the rule needs, and which of the traits it has."""

FOLLOWS: Mapping[str, Sequence[tuple[str, str]]] = _TABLE["follows"]
"""The causes from which findings of a rule follow: the code of each, and where it stands from there."""

REMEDIES: Mapping[str, tuple[When, str]] = _TABLE["remedies in Python"]
"""Remedies for readers who wrote Python: when one is given (whatever lint says, where lint says nothing, for pods of plain
data), and its text."""

CHECKS: Sequence[tuple[str, Sequence[str], Words]] = _TABLE["checks"]
"""The modules below dradsl.lint.rules that look at a whole run, each with the codes that its `check` can find, and the
words without which it finds none (its `WORDS`)."""
