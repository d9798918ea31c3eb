"""Presets: what a configuration that names one changes of the rules, each row with its reason.

docs/configuration.md shows the same table; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.lint.catalogue.table import table_of
from dradsl.records import Record

__all__ = ["Preset", "PresetRow", "presets"]


class PresetRow(Record):
    """One rule: the severity that its findings get ("off": none), and why."""

    code: str
    severity: str
    reason: str


class Preset(Record):
    """Who it is for, and what it changes."""

    summary: str
    rows: tuple[PresetRow, ...] = ()


def presets() -> Mapping[str, Preset]:
    """The presets by their names, of `presets.json`."""
    return {
        name: Preset(each["summary"], tuple(PresetRow(c, *row) for c, row in each["rows"].items()))
        for name, each in table_of("presets").items()
    }
