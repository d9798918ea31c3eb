"""Expressions about optionals: every kind of value, put into an optional in every way, and asked.

Upstream unwraps an optional that a name stands for to Go's own value, and not all of these can be
wrapped again (cel-go v0.26.0); a name that stands for a type is taken for the type's own name.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["expressions", "questions"]

_VALUES = (
    "semver('1.2.3')",
    "quantity('1Gi')",
    "url('https://a.b/c')",
    "ip('1.2.3.4')",
    "cidr('1.2.3.0/24')",
    "1",
    "'s'",
    "[1]",
    "[semver('1.2.3')]",
    "{'a': 1}",
    "int",
    "null",
    "true",
    "duration('1s')",
    "timestamp('2020-01-01T00:00:00Z')",
    "b'x'",
    "1u",
    "1.5",
    "optional.none()",
    "optional.of(1)",
    "optional.of(semver('1.2.3'))",
    "optional.of(optional.of(1))",
    "optional.of(optional.none())",
    "format.named('dns1123Label')",
    "device.attributes['d']",
    "dyn(quantity('1'))",
)

_MADE = (
    "optional.of({v})",
    "cel.bind(o, optional.of({v}), o)",
    "(true ? optional.of({v}) : optional.none())",
    "[optional.of({v})].map(o, o)[0]",
    "optional.of({v}).optMap(y, y)",
    "optional.of({v}).optFlatMap(y, optional.of(y))",
    "[{v}][?0]",
    "{{'k': {v}}}.?k",
    "cel.bind(o, optional.of({v}), cel.bind(p, o, p))",
    "cel.bind(o, [optional.of({v})], o[0])",
    "cel.bind(o, optional.of({v}), true ? o : optional.none())",
    "optional.of({v}).or(optional.of({v}))",
)

_ASKED = (
    "{w}.hasValue()",
    "{w}.value() == {v}",
    "{w} == optional.of({v})",
    "optional.of({v}) == {w}",
    "{w} == {w}",
    "{w} != optional.of({v})",
    "[?{w}].size() == 1",
    "[?{w}][0] == {v}",
    "{{?'k': {w}}}.size() == 1",
    "{w} in [optional.of({v})]",
    "[{w}] == [optional.of({v})]",
    "type({w}.value()) == type({v})",
    "{w}.orValue({v}) == {v}",
    "optional.unwrap([{w}]).size() == 1",
    "optional.unwrap([{w}])[0] == {v}",
    "{w}.optMap(z, z == {v}).orValue(false)",
    "dyn({w}) == dyn(optional.of({v}))",
    "dyn({w}) == dyn(1)",
    "[{w}, {w}].exists(q, q.hasValue())",
    "string(type({w})) == 'x'",
    "{w}.value() in [{v}]",
    "{{'m': {w}}}.m.value() == {v}",
    "optional.ofNonZeroValue({w}).hasValue()",
)

_DEVICE = {"driver": "d", "attributes": {"x": {"version": "1.2.3"}}}


def expressions() -> Iterator[str]:
    """All of them, some thousands."""
    for value, made, asked in itertools.product(_VALUES, _MADE, _ASKED):
        optional = made.format(v=value)
        yield asked.format(w=optional, v=value)


def questions() -> Iterator[dict[str, Any]]:
    """A seeded share of them, for each kind of environment."""
    chosen = random.Random(20261120).sample(list(expressions()), 500)
    for number, expression in enumerate(chosen):
        yield {
            "id": f"optional-{number}",
            "expression": expression,
            "env": ("stored", "new")[number % 2],
            "features": "all",
            "devices": [_DEVICE],
        }
