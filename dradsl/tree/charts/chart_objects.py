"""What a chart makes of its values, as data: workloads with their pods, and objects that the values hold."""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.records import Record
from dradsl.text.paths import FieldPath

__all__ = ["RELEASE_NAME", "ChartObject"]

RELEASE_NAME = "{{ .Release.Name }}"
"""Placeholder in names for the name of a release that is not known."""


class ChartObject(Record):
    """One object that a chart makes of its values.

    `places` say where parts of `data` are in the values; () is the object as a whole. A workload has no
    `names`; other objects have the likeliest name first. `used` are claims that other workloads of the same
    values use. `known` says that the templates of the chart are known: the chart makes nothing else. `by_key` says
    that this follows from the name of a key alone, such as `extraObjects`.
    """

    title: str
    data: Mapping[str, object]
    places: Mapping[FieldPath, FieldPath]
    names: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()
    known: bool = True
    by_key: bool = False
