"""Releases with values from references, on which Flux's own code was asked: what `record_flux` asks and tests replay."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

__all__ = ["RECORDED", "cases", "release_of"]

RECORDED = Path(__file__).with_name("flux_values.json")

# Texts of references, and the path each is written at ("" for a whole mapping); then the values of the release.
_TABLE: list[tuple[list[tuple[str, str]], dict[str, Any]]] = [
    ([("", "a: 1")], {}),
    ([("", "a: 1\nb: {c: 2}")], {"b": {"d": 3}}),
    ([("", "a: 1"), ("", "a: 2\nb: 3")], {}),
    ([("", "a: {b: 1}"), ("", "a: null")], {}),
    ([("", "a: {b: 1}"), ("", "a: [1]")], {"a": {"c": 1}}),
    ([("", "a: [1, 2]")], {"a": [3]}),
    ([("", "a: 1")], {"a": None}),
    ([("", "a: {b: 1}")], {"a": {"b": None}}),
    ([("", "")], {"a": 1}),
    ([("", "# nothing")], {}),
    ([("", "null")], {"a": 1}),
    ([("", "- a")], {}),
    ([("", "text")], {}),
    ([("", "a: [")], {}),
    ([("", "a: 1\n---\nb: 2")], {}),
    ([("", "a: &x {b: 1}\nc: *x")], {"c": {"d": 1}}),
    ([("", "a: yes\nb: 0x10\nc: 010\nd: 1e3\ne: 2024-01-01")], {}),
    ([("", "1: a\ntrue: b")], {}),
    ([("a", "1")], {}),
    ([("a.b", "text")], {}),
    ([("a.b", "1")], {"a": {"b": 2}}),
    ([("a.b", "1"), ("", "a: {b: 3}")], {}),
    ([("", "a: {b: 3}"), ("a.b", "1")], {}),
    ([("", "a: {b: 3}"), ("a.b", "1")], {"a": {"b": 2}}),
    ([("a.b", "1"), ("", "a: {b: 3}")], {"a": {"b": 2}}),
    ([("a.b", "1"), ("a.c", "2")], {"a": {"b": 2}, "d": 1}),
    ([("", "x: 1"), ("a.b", "1")], {"a": {"b": {"c": 1}}}),
    ([("a.b.c", "1")], {"a": {"b": None}}),
    ([("a.b.c", "1")], {"a": {"b": 2}}),
    ([("a.b.c", "1")], {"a": [1]}),
    ([("a[0]", "1")], {}),
    ([("a[2]", "1")], {}),
    ([("a[1]", "1")], {"a": [5, 6, 7]}),
    ([("a[1].b", "1")], {"a": [5, 6, 7]}),
    ([("a[0].b", "1")], {"a": [{"c": 1}]}),
    ([("a[0][1]", "1")], {}),
    ([("a[0][1]", "1")], {"a": [["x"]]}),
    ([("a[0][1]", "1")], {"a": ["x"]}),
    ([("a[0]", "1")], {"a": {"b": 1}}),
    ([("a[0]", "1")], {"a": None}),
    ([("a\\.b", "1")], {}),
    ([("a\\.b.c", "1")], {"a.b": {"d": 1}}),
    ([("a", "true")], {}),
    ([("a", "FALSE")], {}),
    ([("a", "null")], {"a": 1}),
    ([("a", "Null")], {}),
    ([("a", "0")], {}),
    ([("a", "007")], {}),
    ([("a", "-5")], {}),
    ([("a", "+5")], {}),
    ([("a", "1.5")], {}),
    ([("a", "99999999999999999999")], {}),
    ([("a", "'1'")], {}),
    ([("a", '"true"')], {}),
    ([("a", "'it''s'")], {}),
    ([("a", "'")], {}),
    ([("a", "''")], {}),
    ([("a", "")], {}),
    ([("a", " x ")], {}),
    ([("a", "x\n")], {}),
    ([("a", "a,b=c")], {}),
    ([("a", "a\\,b")], {}),
    ([("a", "a\\\\b")], {}),
    ([("a", "{1,2,x}")], {}),
    ([("a", "{}")], {}),
    ([("a", "{1")], {}),
    ([("a", "'{1,2}'")], {}),
    ([("a", "x=y")], {}),
    ([("a", "[1]")], {}),
    ([("a", "https://example.com/x?y={z}")], {}),
    ([("a", "p@ss w0rd!")], {}),
    ([("a.b[1].c.d", "deep")], {"a": {"b": [{"c": {"e": 1}}]}}),
]


def cases() -> list[dict[str, Any]]:
    """The questions: those of the table, and such as chance makes."""
    made = [_question(references, values) for references, values in _TABLE]
    draw = random.Random(19)
    for _ in range(200):
        references = [
            (draw.choice(_PATHS), draw.choice(_TEXTS))
            if draw.random() < 0.4
            else ("", json.dumps(_values(draw, 3)))
            for _ in range(draw.randint(1, 4))
        ]
        made.append(_question(references, _values(draw, 3)))
    return made


_PATHS = ("a", "a.b", "a.b.c", "b.a", "c[0]", "c[1].a", "b.c[0].a", "a.c")
_TEXTS = ("1", "text", "true", "'5'", "null", "{x,1}", "")


def _values(draw: random.Random, depth: int) -> dict[str, Any]:
    return {name: _value(draw, depth) for name in "abc" if draw.random() < 0.7}


def _value(draw: random.Random, depth: int) -> Any:
    kind = draw.random()
    if depth and kind < 0.5:
        return _values(draw, depth - 1)
    if depth and kind < 0.65:
        return [_value(draw, depth - 1) for _ in range(draw.randint(0, 2))]
    return draw.choice([None, 1, "x", True, "y: z"])


def _question(references: list[tuple[str, str]], values: dict[str, Any]) -> dict[str, Any]:
    return {
        "values": values,
        "references": [
            {
                "kind": "ConfigMap",
                "name": f"m{index}",
                **({"targetPath": path} if path else {}),
            }
            for index, (path, _) in enumerate(references)
        ],
        "objects": [
            {"kind": "ConfigMap", "name": f"m{index}", "data": {"values.yaml": text}}
            for index, (_, text) in enumerate(references)
        ],
    }


def release_of(question: dict[str, Any]) -> dict[str, Any]:
    """The HelmRelease of a question."""
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "r"},
        "spec": {"valuesFrom": question["references"], "values": question["values"]},
    }
