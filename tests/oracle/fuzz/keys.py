"""CEL expressions about what a value is to Go: as the key of a map, as a type, bound to a name, in a message."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["generate"]

Json = dict[str, Any]

_DEVICES = Path(__file__).parents[2] / "verdicts" / "inputs" / "cel_devices.json"

# Left out: the text of a map of the device, which shows an address, and of a map with two entries,
# whose order is chance; the zone "+00:00", which is the zone of the machine if that is UTC.
_VALUES = (
    *("0", "1", "-1", "9223372036854775807", "0u", "1u", "18446744073709551615u"),
    *("0.0", "-0.0", "1.0", "1.5", "9.3e18", "-9.223372036854775808e18", "1e30", "(0.0/0.0)"),
    *('"a"', '"1"', "true", "false", "null", 'b"a"', "device.driver"),
    *(
        "int",
        "uint",
        "string",
        "list",
        "map",
        "type",
        "null_type",
        "net.IP",
        "google.protobuf.Duration",
    ),
    *("type(1)", "type([1])", "type(device)", "type(null)", 'type(quantity("1"))', "type(int)"),
    *(
        'duration("1s")',
        'duration("-1.5s")',
        'duration("100us")',
        'duration("90m")',
        'duration("0s")',
    ),
    *(
        'timestamp("2020-01-01T00:00:00Z")',
        "timestamp(0)",
        'timestamp("2020-01-01T00:00:00.5+01:00")',
    ),
    *('timestamp("2020-01-01T00:00:00+01:30")', 'timestamp("2020-01-01T01:00:00-12:00")'),
    *('ip("1.2.3.4")', 'ip("1::2")', 'cidr("1.2.3.0/24")', 'cidr("1.2.3.0/24").ip()'),
    *('quantity("1")', 'quantity("1Gi")', 'quantity("1").add(1)', 'url("http://a/b?c")'),
    *('semver("1.2.3-a+b")', "format.dns1123Label()", "format.named('uuid')"),
    *("[1]", "[]", '["a", "b"]', "[[1]]", '{"a": 1}', "{}", "{1: [2]}", '[duration("1h")]'),
    *("optional.of(1)", "optional.none()"),
)
_MAPS = ("device", "device.attributes", 'device.attributes["gpu.nvidia.com"]')
_SHAPES = (
    "X in {Y: 1}",
    "X in {X: 1}",
    "cel.bind(v, X, v in {v: 1})",
    "cel.bind(v, X, v in {Y: 1})",
    "{X: 1, Y: 2}.size() == 2",
    "{X: 1, X: 2}.size() == 1",
    "{X: 1}[Y] == 1",
    "{X: 1}[?Y].hasValue()",
    "{X: 1} == {Y: 1}",
    "cel.bind(v, X, {v: 1} == {v: 1})",
    "{X: 1}.all(k, k in {k: 1})",
    "cel.bind(m, {X: 2}, m.all(k, k in m))",
    "cel.bind(m, {X: 2}, m.exists(k, v, k == Y))",
    "[{X: 1}].exists(m, Y in m)",
    "{X: 1}.map(k, k) == [Y]",
    "[X].all(v, v in {v: 1})",
    "[[X]].all(v, v in {v: 1})",
    "cel.bind(v, [X], v[0] in {v[0]: 1})",
    "[X, Y].distinct().size() == 2",
    "X == Y",
    "[X] == [Y]",
    "[X] in {[X]: 1}",
    "cel.bind(t, X, true)",
    "cel.bind(t, X, t == Y)",
    "cel.bind(t, [X], t[0] == Y)",
    "[1].all(i, cel.bind(t, X, true))",
    "cel.bind(a, X, cel.bind(b, a, true))",
    "[X].all(t, true)",
    "[X].exists(t, t == Y)",
    "[X].filter(t, true).size() == 1",
    "[X].exists_one(t, true)",
    "optional.of(X).optMap(t, 1).hasValue()",
    "optional.of(X).optFlatMap(t, optional.of(t)).hasValue()",
    "type(X) in {type(Y): 1}",
    "(device.driver == 'x' ? X : X) in {X: 1}",
)
_TOLD = (
    "[1, 1].transformMapEntry(i, v, {X: i}).size() == 2",
    "cel.bind(x, X, [1, 1].transformMapEntry(i, v, {x: i}).size() == 2)",
    "[X, Y].transformMapEntry(i, v, {v: i}).size() == 2",
    "{X: 1, Y: 2}.transformMapEntry(k, v, {k: v}).size() == 2",
    "[[X], [X]].transformMapEntry(i, v, {v[0]: i}).size() == 2",
    "{1: X}[2] == X",
    "{'a': 1}[X] == 1",
    "[1][X] == 1",
)


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `cel` about such values, without end."""
    devices = [json.loads(_DEVICES.read_text("utf-8"))["gpu"]]
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        told = one.random() < 0.25
        shape = one.choice(_TOLD if told else _SHAPES)
        values = _VALUES if told else _VALUES + _MAPS
        left = one.choice(values)
        right = left if one.random() < 0.3 else one.choice(values)
        if one.random() < 0.6:
            left, right = f"dyn({left})", f"dyn({right})"
        expression = "".join({"X": left, "Y": right}.get(part, part) for part in shape)
        if one.random() < 0.03:
            depth = one.choice((248, 249, 250, 251, 300))
            wrong = one.choice(("", "$ ", "1 # + ", "a.all(1, b) || "))
            expression = (
                wrong + "(" * depth + expression + ")" * depth + one.choice(("", " $", " =="))
            )
        yield {
            "id": f"keys-{seed:x}",
            "expression": expression,
            "env": one.choice(("new", "stored")),
            "features": "defaults",
            "devices": devices,
        }
