"""Random CEL expressions over a device: mostly well typed, sometimes not.

Deterministic for a seed, so a disagreement with upstream can be found again.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["DEVICES", "Generator"]

DEVICES: list[dict[str, Any]] = [
    {
        "driver": "gpu.nvidia.com",
        "attributes": {
            "type": {"string": "gpu"},
            "productName": {"string": "NVIDIA A100-SXM4-80GB"},
            "driverVersion": {"version": "550.54.15"},
            "index": {"int": 3},
            "ok": {"bool": True},
            "example.com/name": {"string": "Ünïcode-名前"},
            "example.com/empty": {"string": ""},
        },
        "capacity": {
            "memory": {"value": "80Gi"},
            "cores": {"value": "108"},
            "example.com/half": {"value": "0.5"},
        },
    },
    {
        "driver": "d",
        "attributes": {"index": {"int": -7}, "pre": {"version": "1.0.0-rc.1+b"}},
        "allowMultipleAllocations": True,
    },
    {"driver": "net.example.com", "capacity": {"memory": {"value": "1500m"}}},
]

_STRINGS = [
    "", "a", "gpu", "GPU", "NVIDIA", "1.2.3", "10Gi", "x y", "é", "名", "a.b.c", "true", "12",
    "-1", "0x1F", "1e3", "80", "nope", "10.0.0.1", "10.0.0.0/8", "::1", "https://a.b/c?d=e",
    "1h", "2024-01-02T03:04:05Z", "^N.*$", "[a-z]+", "%s-%d", "b",
]  # fmt: skip
_INTS = ["0", "1", "2", "-1", "7", "42", "-3", "9223372036854775807", "-9223372036854775808"]
_DOUBLES = ["0.0", "1.5", "-2.25", "1e10", "1e300", "0.1", "3.0"]


class Generator:
    """Makes expressions; `noise` is the chance of a part of a random type."""

    def __init__(self, seed: int, noise: float = 0.04) -> None:
        self.random = random.Random(seed)
        self.noise = noise
        self.variables: list[tuple[str, str]] = []
        self._makers: dict[str, list[Callable[[int], str]]] = {
            "bool": self._bools(),
            "int": self._ints(),
            "uint": self._uints(),
            "double": self._doubles(),
            "string": self._strings(),
            "bytes": [lambda d: f"bytes({self.make('string', d)})", lambda d: 'b"ab\\xff"'],
            "quantity": self._quantities(),
            "semver": self._semvers(),
            "duration": self._durations(),
            "timestamp": self._timestamps(),
            "ip": [lambda d: f"ip({self._literal(['10.0.0.1', '::1', '300.1.1.1'])})",
                   lambda d: f"{self.make('cidr', d)}.ip()"],
            "cidr": [lambda d: f"cidr({self._literal(['10.0.0.0/8', 'fd00::/8', '10.1.2.3/33'])})",
                     lambda d: f"{self.make('cidr', d)}.masked()"],
            "url": [lambda d: f"url({self._literal(['https://a.b:80/c?d=e', '/x', 'bad'])})"],
            "attribute": self._attributes(),
            "strings": self._lists("string"),
            "ints": self._lists("int"),
            "optional": self._optionals(),
            "map": self._maps(),
        }  # fmt: skip

    def expression(self, depth: int = 4) -> str:
        """A whole expression, mostly of type bool."""
        self.variables = []
        kind = "bool" if self.random.random() < 0.93 else self._any_kind()
        return self.make(kind, depth)

    def make(self, kind: str, depth: int) -> str:
        if self.random.random() < self.noise:
            kind = self._any_kind()
        usable = [name for name, type_ in self.variables if type_ == kind]
        if usable and self.random.random() < 0.4:
            return self.random.choice(usable)
        makers = self._makers[kind]
        if depth <= 0:
            makers = makers[:2]
        return self.random.choice(makers)(depth - 1)

    def _any_kind(self) -> str:
        return self.random.choice(list(self._makers))

    def _literal(self, values: Sequence[str]) -> str:
        text = self.random.choice(values)
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def _string(self) -> str:
        text = self._literal(_STRINGS)
        return text if self.random.random() < 0.9 else "'" + text[1:-1] + "'"

    def _in_scope(self, name: str, kind: str, body: Callable[[], str]) -> str:
        self.variables.append((name, kind))
        try:
            return body()
        finally:
            self.variables.pop()

    def _name(self) -> str:
        return self.random.choice("xyzkv")

    # -- kinds ---------------------------------------------------------------------------

    def _bools(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: pick(["true", "false", "true"]),
            lambda d: f"device.driver == {self._string()}",
            lambda d: f"{make('bool', d)} && {make('bool', d)}",
            lambda d: f"({make('bool', d)} || {make('bool', d)})",
            lambda d: f"!{self._paren('bool', d)}",
            lambda d: f"{make('attribute', d)} == {make(pick(['string', 'int', 'bool']), d)}",
            lambda d: f"{make('attribute', d)} {self._order()} {make(pick(['int', 'string']), d)}",
            lambda d: f"{make('string', d)} {self._compare()} {make('string', d)}",
            lambda d: f"{make('int', d)} {self._compare()} {make('int', d)}",
            lambda d: f"{make('double', d)} {self._order()} {make(pick(['double', 'int']), d)}",
            lambda d: f"{make('uint', d)} {self._order()} {make(pick(['uint', 'int']), d)}",
            lambda d: f"{make('string', d)} in {make('strings', d)}",
            lambda d: f"{make('attribute', d)} in {make(pick(['strings', 'ints']), d)}",
            lambda d: f"{make('int', d)} in {make('ints', d)}",
            lambda d: f"{make('string', d)} in {make('map', d)}",
            lambda d: f"{make('string', d)} in device.attributes[{self._domain()}]",
            lambda d: (
                f"{self._paren('string', d)}.{pick(['startsWith', 'endsWith', 'contains'])}"
                f"({make('string', d)})"
            ),
            lambda d: f"{self._paren('string', d)}.matches({self._pattern(d)})",
            lambda d: (
                f"{make('attribute', d)}.{pick(['startsWith', 'matches', 'contains'])}"
                f"({self._string()})"
            ),
            lambda d: f"has(device.attributes[{self._domain()}].{self._id()})",
            lambda d: f"has({make('map', d)}.{self._id()})",
            lambda d: (
                f"{make('quantity', d)}.{pick(['isGreaterThan', 'isLessThan'])}"
                f"({make('quantity', d)})"
            ),
            lambda d: f"{make('quantity', d)} {pick(['==', '!='])} {make('quantity', d)}",
            lambda d: f"{make('quantity', d)}.isInteger()",
            lambda d: (
                f"{make('semver', d)}.{pick(['isGreaterThan', 'isLessThan'])}({make('semver', d)})"
            ),
            lambda d: f"{make('semver', d)} == {make('semver', d)}",
            lambda d: (
                f"{pick(['isQuantity', 'isSemver', 'isIP', 'isCIDR', 'isURL'])}"
                f"({make('string', d)})"
            ),
            lambda d: f"{make('duration', d)} {self._compare()} {make('duration', d)}",
            lambda d: f"{make('timestamp', d)} {self._compare()} {make('timestamp', d)}",
            lambda d: self._quantifier(d),
            lambda d: self._quantifier(d),
            lambda d: self._two_variables(d),
            lambda d: f"{self._paren('bool', d)} ? {make('bool', d)} : {make('bool', d)}",
            lambda d: f"{make('optional', d)}.hasValue()",
            lambda d: f"{make('optional', d)}.orValue({make('string', d)}) == {make('string', d)}",
            lambda d: self._bind("bool", d),
            lambda d: (
                f"sets.{pick(['contains', 'intersects', 'equivalent'])}"
                f"({make('strings', d)}, {make('strings', d)})"
            ),
            lambda d: f"{make(pick(['strings', 'ints']), d)}.isSorted()",
            lambda d: f"{make('cidr', d)}.containsIP({make('ip', d)})",
            lambda d: f"{make('cidr', d)}.containsCIDR({make('cidr', d)})",
            lambda d: f"{make('ip', d)}.{pick(['isLoopback', 'isGlobalUnicast'])}()",
            lambda d: f"{make(k := self._any_kind(), d)} == {make(k, d)}",
            lambda d: f"{make('map', d)} == {make('map', d)}",
            lambda d: f"type({make(self._any_kind(), d)}) == {pick(['string', 'int', 'list'])}",
            lambda d: f"bool({make('string', d)})",
            lambda d: f"{make('attribute', d)}.includes({make('string', d)})",
            lambda d: "device.allowMultipleAllocations",
            lambda d: (
                f"format.{pick(['dns1123Label', 'uuid', 'date'])}()"
                f".validate({make('string', d)}).hasValue()"
            ),
            lambda d: f"dyn({make(self._any_kind(), d)}) == dyn({make(self._any_kind(), d)})",
        ]

    def _ints(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: pick(_INTS),
            lambda d: pick(_INTS[:6]),
            lambda d: f"{make('int', d)} {pick('+-*/%')} {make('int', d)}",
            lambda d: f"-{self._paren('int', d)}",
            lambda d: f"size({make(pick(['string', 'strings', 'map', 'ints']), d)})",
            lambda d: f"{make(pick(['strings', 'ints']), d)}.size()",
            lambda d: f"int({make(pick(['string', 'double', 'uint', 'int', 'attribute']), d)})",
            lambda d: f"{make('quantity', d)}.compareTo({make('quantity', d)})",
            lambda d: f"{make('semver', d)}.{pick(['major', 'minor', 'patch'])}()",
            lambda d: f"{make('semver', d)}.compareTo({make('semver', d)})",
            lambda d: f"{make('quantity', d)}.asInteger()",
            lambda d: f"sign({make('quantity', d)})",
            lambda d: f"{make('ints', d)}[{make('int', d)}]",
            lambda d: f"{make('ints', d)}.{pick(['sum', 'min', 'max'])}()",
            lambda d: (
                f"{self._paren('string', d)}.{pick(['indexOf', 'lastIndexOf'])}"
                f"({make('string', d)})"
            ),
            lambda d: f"{self._paren('string', d)}.indexOf({make('string', d)}, {make('int', d)})",
            lambda d: f"{make('strings', d)}.indexOf({make('string', d)})",
            lambda d: f"{make('duration', d)}.{pick(['getHours', 'getSeconds'])}()",
            lambda d: f"{make('timestamp', d)}.{pick(['getFullYear', 'getDayOfWeek'])}()",
            lambda d: f"{make('attribute', d)} + {make('int', d)}",
            lambda d: self._bind("int", d),
            lambda d: f"({make('bool', d)} ? {make('int', d)} : {make('int', d)})",
            lambda d: f"{make('cidr', d)}.prefixLength()",
            lambda d: f"{make('map', d)}.size()",
        ]

    def _uints(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: pick(["0u", "1u", "7u", "18446744073709551615u"]),
            lambda d: pick(["1u", "2u"]),
            lambda d: f"uint({make(pick(['int', 'string', 'double']), d)})",
            lambda d: f"{make('uint', d)} {pick('+-*/%')} {make('uint', d)}",
        ]

    def _doubles(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: pick(_DOUBLES),
            lambda d: pick(_DOUBLES),
            lambda d: f"double({make(pick(['int', 'string', 'uint']), d)})",
            lambda d: f"{make('double', d)} {pick('+-*/')} {make('double', d)}",
            lambda d: f"{make('quantity', d)}.asApproximateFloat()",
        ]

    def _strings(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: self._string(),
            lambda d: "device.driver",
            lambda d: self._string(),
            lambda d: f"{make('string', d)} + {make('string', d)}",
            lambda d: f"string({make(pick(['int', 'double', 'bool', 'uint', 'bytes']), d)})",
            lambda d: f"string({make(pick(['duration', 'timestamp', 'ip', 'attribute']), d)})",
            lambda d: f"{self._paren('string', d)}.{pick(['lowerAscii', 'upperAscii', 'trim'])}()",
            lambda d: (
                f"{self._paren('string', d)}.replace({make('string', d)}, {make('string', d)})"
            ),
            lambda d: f"{self._paren('string', d)}.substring({make('int', d)})",
            lambda d: f"{self._paren('string', d)}.substring({make('int', d)}, {make('int', d)})",
            lambda d: f"{self._paren('string', d)}.charAt({make('int', d)})",
            lambda d: f"{make('strings', d)}.join({self._string()})",
            lambda d: f"{make('strings', d)}[{make('int', d)}]",
            lambda d: f"{self._paren('string', d)}.find({self._pattern(d)})",
            lambda d: (
                f"{pick(['%s-%d', '%s', '%.2f', '%x', '%%'])!r}".replace("'", '"')
                + f".format([{make(pick(['string', 'int', 'double']), d)}, {make('int', d)}])"
            ),
            lambda d: f"{make('optional', d)}.orValue({make('string', d)})",
            lambda d: f"{make('optional', d)}.value()",
            lambda d: f"{make('url', d)}.{pick(['getHost', 'getScheme', 'getEscapedPath'])}()",
            lambda d: self._bind("string", d),
            lambda d: f"({make('bool', d)} ? {make('string', d)} : {make('string', d)})",
            lambda d: f"strings.quote({make('string', d)})",
            lambda d: f"{make('attribute', d)}.lowerAscii()",
            lambda d: f"{make('map', d)}[{make('string', d)}]",
        ]

    def _quantities(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        values = ["80Gi", "40Gi", "1500m", "1k", "0", "-1", "1e3", "0.5", "bad", "108"]
        return [
            lambda d: f"quantity({self._literal(values)})",
            lambda d: f"device.capacity[{self._domain()}].{pick(['memory', 'cores', 'half'])}",
            lambda d: f'device.capacity[{self._domain()}]["{pick(["memory", "cores"])}"]',
            lambda d: (
                f"{make('quantity', d)}.{pick(['add', 'sub'])}"
                f"({make(pick(['quantity', 'int']), d)})"
            ),
        ]

    def _semvers(self) -> list[Callable[[int], str]]:
        make = self.make
        values = ["1.2.3", "550.54.15", "1.0.0-rc.1", "1.0.0+b", "v1", "1.2", "bad"]
        return [
            lambda d: f"semver({self._literal(values)})",
            lambda d: f"device.attributes[{self._domain()}].driverVersion",
            lambda d: f"semver({self._literal(values)}, {make('bool', 0)})",
        ]

    def _durations(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: f"duration({self._literal(['1h', '1.5s', '-3m', '100h1ms'])})",
            lambda d: 'duration("1s")',
            lambda d: f"{make('duration', d)} {pick('+-')} {make('duration', d)}",
            lambda d: f"{make('timestamp', d)} - {make('timestamp', d)}",
            lambda d: f"duration({make('string', d)})",
        ]

    def _timestamps(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        values = ["2024-01-02T03:04:05Z", "1999-12-31T23:59:59.5+02:00", "0001-01-01T00:00:00Z"]
        return [
            lambda d: f"timestamp({self._literal(values)})",
            lambda d: f"timestamp({pick(['0', '1700000000', '-5'])})",
            lambda d: f"{make('timestamp', d)} {pick('+-')} {make('duration', d)}",
        ]

    def _attributes(self) -> list[Callable[[int], str]]:
        return [
            lambda d: f"device.attributes[{self._domain()}].{self._id()}",
            lambda d: f'device.attributes[{self._domain()}]["{self._id()}"]',
            lambda d: f"device.attributes[{self._domain()}].{self._id()}",
        ]

    def _optionals(self) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        return [
            lambda d: f"device.attributes[{self._domain()}].?{self._id()}",
            lambda d: "optional.none()",
            lambda d: f"optional.of({make('string', d)})",
            lambda d: f"device.attributes[?{self._domain()}].{self._id()}",
            lambda d: f"{make('strings', d)}[?{make('int', d)}]",
            lambda d: f"{make('map', d)}[?{make('string', d)}]",
            lambda d: f"{make('strings', d)}.{pick(['first', 'last'])}()",
            lambda d: f"{make('optional', d)}.or({make('optional', d)})",
            lambda d: f"{make('optional', d)}.optMap(x, x + {self._string()})",
            lambda d: f"{make('optional', d)}.optFlatMap(y, optional.of(y))",
            lambda d: f"optional.ofNonZeroValue({make('string', d)})",
        ]

    def _maps(self) -> list[Callable[[int], str]]:
        make = self.make
        return [
            lambda d: f'{{"a": {make("string", d)}, "b": {make("string", d)}}}',
            lambda d: "{}",
            lambda d: f"device.attributes[{self._domain()}]",
            lambda d: f'{{{make("string", d)}: {make("string", d)}, ?"b": {make("optional", d)}}}',
            lambda d: f"{make('map', d)}.transformMap(k, v, {make('string', d)})",
            lambda d: f"{make('strings', d)}.transformMapEntry(k, v, {{v: {make('string', d)}}})",
        ]

    def _lists(self, item: str) -> list[Callable[[int], str]]:
        make, pick = self.make, self.random.choice
        own = f"{item}s"
        makers = [
            lambda d: f"[{make(item, d)}, {make(item, d)}]",
            lambda d: f"[{make(item, d)}]",
            lambda d: "[]",
            lambda d: f"[{make(item, d)}, {make(item, d)}, {make(item, d)}]",
            lambda d: f"{make(own, d)} + {make(own, d)}",
            lambda d: self._comprehension(item, own, d),
            lambda d: self._comprehension(item, own, d),
            lambda d: f"{make(own, d)}.{pick(['reverse', 'distinct', 'sort'])}()",
            lambda d: f"{make(own, d)}.slice({make('int', d)}, {make('int', d)})",
            lambda d: f"[{make(own, d)}].flatten()",
            lambda d: (
                f"{make(own, d)}.sortBy(x, {self._in_scope('x', item, lambda: make('int', d))})"
            ),
        ]
        if item == "string":
            makers += [
                lambda d: f"{self._paren('string', d)}.split({self._string()})",
                lambda d: f"{self._paren('string', d)}.split({self._string()}, {make('int', d)})",
                lambda d: f"{self._paren('string', d)}.findAll({self._pattern(d)})",
                lambda d: f"[?{make('optional', d)}, {make('string', d)}]",
            ]
        else:
            makers.append(lambda d: f"lists.range({pick(['3', '0', '5'])})")
        return makers

    # -- parts ---------------------------------------------------------------------------

    def _paren(self, kind: str, depth: int) -> str:
        made = self.make(kind, depth)
        return f"({made})" if " " in made or made.startswith("-") else made

    def _order(self) -> str:
        return self.random.choice(["<", "<=", ">", ">="])

    def _compare(self) -> str:
        return self.random.choice(["<", "<=", ">", ">=", "==", "!="])

    def _domain(self) -> str:
        return self.random.choice(['"gpu.nvidia.com"', '"example.com"', '"d"', "device.driver"])

    def _id(self) -> str:
        names = [
            "type",
            "index",
            "productName",
            "driverVersion",
            "ok",
            "name",
            "empty",
            "pre",
            "no",
        ]
        return self.random.choice(names)

    def _pattern(self, depth: int) -> str:
        if self.random.random() < 0.8:
            return self._literal(["^N.*$", "[a-z]+", "A100|H100", "\\d+", "(", "a{2,", ""])
        return self.make("string", depth)

    def _quantifier(self, depth: int) -> str:
        source, item = self.random.choice(
            [("strings", "string"), ("ints", "int"), ("map", "string"), ("attribute", "string")]
        )
        name = self._name()
        macro = self.random.choice(["all", "exists", "exists_one"])
        over = self._paren(source, depth)
        body = self._in_scope(name, item, lambda: self.make("bool", depth))
        return f"{over}.{macro}({name}, {body})"

    def _two_variables(self, depth: int) -> str:
        source, item = self.random.choice([("strings", "string"), ("map", "string")])
        macro = self.random.choice(["all", "exists", "existsOne"])
        over = self._paren(source, depth)
        key = "int" if source == "strings" else "string"
        body = self._in_scope(
            "k", key, lambda: self._in_scope("v", item, lambda: self.make("bool", depth))
        )
        return f"{over}.{macro}(k, v, {body})"

    def _comprehension(self, item: str, own: str, depth: int) -> str:
        name = self._name()
        over = self._paren(own, depth)
        if self.random.random() < 0.5:
            body = self._in_scope(name, item, lambda: self.make("bool", depth))
            return f"{over}.filter({name}, {body})"
        body = self._in_scope(name, item, lambda: self.make(item, depth))
        if self.random.random() < 0.3:
            test = self._in_scope(name, item, lambda: self.make("bool", depth))
            return f"{over}.map({name}, {test}, {body})"
        return f"{over}.map({name}, {body})"

    def _bind(self, kind: str, depth: int) -> str:
        name = self._name()
        bound = self.random.choice(["string", "int", "attribute", "bool"])
        value = self.make(bound, depth)
        body = self._in_scope(name, bound, lambda: self.make(kind, depth))
        return f"cel.bind({name}, {value}, {body})"
