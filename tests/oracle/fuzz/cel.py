"""CEL expressions grown from a grammar over real attributes, well typed more often than not.

Every production asks for a type and may answer with an `any` (an attribute), so that overloads,
costs and run-time errors are met in combinations that nobody writes by hand.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cel.expressions import DEVICES, Generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["generate", "generate_derived", "generate_wide"]

Json = dict[str, Any]

_INPUTS = Path(__file__).parents[2] / "verdicts" / "inputs"
_DOMAINS = ("gpu.nvidia.com", "dra.net", "d.example.com", "resource.kubernetes.io", "d")
_ATTRIBUTES = {
    "string": ("type", "productName", "architecture", "ifName", "ip", "cidr", "pcieRoot", "s"),
    "int": ("index", "parentIndex", "mtu", "i"),
    "bool": ("addressingModeATS", "rdma"),
    "version": ("driverVersion", "cudaComputeCapability", "fw", "w"),
    "list": ("l", "n", "b", "v"),
}
_CAPACITIES = ("memory", "multiprocessors", "bandwidth", "slots")
_STRINGS = (
    "",
    "a",
    "gpu",
    "NVIDIA A100-SXM4-80GB",
    "10.0.0.7",
    "é",
    "1.2.3",
    "80Gi",
    "a,b",
    "^a.*$",
    "[",
)
_QUANTITIES = ("0", "1", "1500m", "40Gi", "80Gi", "10G", "x", "1e3")
_VERSIONS = ("1.2.3", "550.54.15", "8.0.0", "1.2.3-rc.1", "1.2", "v1.2.3")
_OF_STRING = ("size()", "indexOf('a')", "lastIndexOf('a')")
_OF_QUANTITY = ("asInteger()", "compareTo(quantity('1'))")
_OF_VERSION = ("major()", "minor()", "patch()", "compareTo(semver('1.2.3'))")


class _Grower:
    """Grows one expression to a depth."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[tuple[str, str]] = []

    def pick(self, *choices: Callable[[], str]) -> str:
        return self.rng.choice(choices)()

    def quoted(self, text: str) -> str:
        quote = self.rng.choice("\"'")
        body = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return f"{quote}{body}{quote}"

    def of(self, kind: str, depth: int) -> str:
        """An expression of a type; now and then of another one."""
        if self.rng.random() < 0.04:
            kind = self.rng.choice(("bool", "int", "string", "list", "quantity", "version", "any"))
        named = [name for name, its_kind in self.names if its_kind == kind]
        if named and self.rng.random() < 0.5:
            return self.rng.choice(named)
        grow: Callable[[int], str] = getattr(self, f"_{kind}")
        return grow(max(depth, 0))

    # The device

    def domain(self) -> str:
        return self.rng.choice(_DOMAINS)

    def attribute(self, kind: str) -> str:
        name = self.rng.choice(_ATTRIBUTES[kind]) if self.rng.random() < 0.95 else "nope"
        base = f"device.attributes[{self.quoted(self.domain())}]"
        turn = self.rng.random()
        if turn < 0.6:
            return f"{base}.{name}"
        if turn < 0.75:
            return f"{base}[{self.quoted(name)}]"
        default = {
            "string": '""',
            "int": "0",
            "bool": "false",
            "list": "[]",
            "version": 'semver("0.0.0")',
        }
        return f"{base}.?{name}.orValue({default[kind]})"

    def _any(self, depth: int) -> str:
        return self.attribute(self.rng.choice(tuple(_ATTRIBUTES)))

    # Types

    def _bool(self, depth: int) -> str:
        r, d = self.rng, depth - 1
        if depth <= 0:
            return self.pick(
                lambda: r.choice(("true", "false")),
                lambda: f"device.driver == {self.quoted(self.domain())}",
                lambda: self.attribute("bool"),
                lambda: "device.allowMultipleAllocations",
            )
        return self.pick(
            lambda: f"{self.of('bool', d)} {r.choice(('&&', '||'))} {self.of('bool', d)}",
            lambda: f"{self.of('bool', d)} {r.choice(('&&', '||'))} {self.of('bool', d)}",
            lambda: f"!{self._atom(self.of('bool', d))}",
            lambda: f"({self.of('bool', d)})",
            lambda: (
                f"{self.of('int', d)} {r.choice(('==', '!=', '<', '<=', '>', '>='))} {self.of('int', d)}"
            ),
            lambda: (
                f"{self.of('string', d)} {r.choice(('==', '!=', '<', '>='))} {self.of('string', d)}"
            ),
            lambda: (
                f"{self.of('quantity', d)} {r.choice(('==', '==', '!=', '<'))} {self.of('quantity', d)}"
            ),
            lambda: f"{self.of('version', d)} == {self.of('version', d)}",
            lambda: f"{self.of('list', d)} == {self.of('list', d)}",
            lambda: (
                f"{self.of('any', d)} {r.choice(('==', '!=', '<'))} {self.of(r.choice(('string', 'int', 'bool', 'version', 'any')), d)}"
            ),
            lambda: (
                f"{self._target('string', d)}.{r.choice(('contains', 'startsWith', 'endsWith', 'matches'))}({self.of('string', d)})"
            ),
            lambda: (
                f"{self._target('quantity', d)}.{r.choice(('isGreaterThan', 'isLessThan'))}({self.of('quantity', d)})"
            ),
            lambda: (
                f"{self._target('version', d)}.{r.choice(('isGreaterThan', 'isLessThan'))}({self.of('version', d)})"
            ),
            lambda: f"{self.of(r.choice(('int', 'string')), d)} in {self.of('list', d)}",
            lambda: (
                f"{self.quoted(self.domain())} in device.{r.choice(('attributes', 'capacity'))}"
            ),
            lambda: f"has({self.attribute_path()})",
            lambda: f"{self.optional()}.hasValue()",
            lambda: self._comprehension(d),
            lambda: self._bind(d),
            lambda: f"{self.of('bool', d)} ? {self.of('bool', d)} : {self.of('bool', d)}",
            lambda: (
                f"{r.choice(('isQuantity', 'isSemver', 'isIP', 'isCIDR', 'isURL'))}({self.of('string', d)})"
            ),
            lambda: (
                f"sets.{r.choice(('contains', 'intersects', 'equivalent'))}({self.of('list', d)}, {self.of('list', d)})"
            ),
            lambda: f"{self.of('list', d)}.isSorted()",
            lambda: f"{self._target('list', d)}.includes({self.of('any', d)})",
            lambda: f"cidr({self.of('string', d)}).containsIP({self.of('string', d)})",
            lambda: f"{self._target('quantity', d)}.isInteger()",
        )

    def _int(self, depth: int) -> str:
        r, d = self.rng, depth - 1
        if depth <= 0:
            return self.pick(
                lambda: str(r.choice((0, 1, 2, 3, 7, 80, 1500, -1, 9223372036854775807))),
                lambda: self.attribute("int"),
            )
        return self.pick(
            lambda: (
                f"{self._atom(self.of('int', d))} {r.choice('+-*/%')} {self._atom(self.of('int', d))}"
            ),
            lambda: f"-{self._atom(self.of('int', d))}",
            lambda: f"size({self.of(r.choice(('string', 'list')), d)})",
            lambda: f"{self._target('string', d)}.{r.choice(_OF_STRING)}",
            lambda: f"{self._target('quantity', d)}.{r.choice(_OF_QUANTITY)}",
            lambda: f"sign({self.of('quantity', d)})",
            lambda: f"{self._target('version', d)}.{r.choice(_OF_VERSION)}",
            lambda: f"int({self.of(r.choice(('string', 'int', 'any')), d)})",
            lambda: f"{self.of('list', d)}[{r.choice((0, 1, 5))}]",
            lambda: f"{self.of('bool', d)} ? {self.of('int', d)} : {self.of('int', d)}",
            lambda: f"{self.of('list', d)}.{r.choice(('sum()', 'min()', 'max()', 'size()'))}",
        )

    def _string(self, depth: int) -> str:
        r, d = self.rng, depth - 1
        if depth <= 0:
            return self.pick(
                lambda: self.quoted(r.choice(_STRINGS)),
                lambda: self.attribute("string"),
                lambda: "device.driver",
            )
        return self.pick(
            lambda: f"{self._atom(self.of('string', d))} + {self._atom(self.of('string', d))}",
            lambda: (
                f"{self._target('string', d)}.{r.choice(('lowerAscii()', 'upperAscii()', 'trim()', 'charAt(0)', 'substring(1)'))}"
            ),
            lambda: (
                f"{self._target('string', d)}.replace({self.of('string', d)}, {self.of('string', d)})"
            ),
            lambda: f"{self._target('string', d)}.find({self.of('string', d)})",
            lambda: f"{self.of('list', d)}.join({self.quoted('-')})",
            lambda: f"string({self.of(r.choice(('int', 'string', 'bool', 'any')), d)})",
            lambda: (
                f"{self.quoted(r.choice(('%s', '%d', '%s-%s', '%.1f')))}.format([{self.of('any', d)}])"
            ),
            lambda: f"{self.of('bool', d)} ? {self.of('string', d)} : {self.of('string', d)}",
        )

    def _list(self, depth: int) -> str:
        r, d = self.rng, depth - 1
        kind = r.choice(("int", "string"))
        if depth <= 0:
            return self.pick(
                lambda: "[" + ", ".join(self.of(kind, 0) for _ in range(r.randrange(4))) + "]",
                lambda: self.attribute("list"),
            )
        return self.pick(
            lambda: "[" + ", ".join(self.of(kind, d) for _ in range(r.randrange(4))) + "]",
            lambda: f"{self._target('string', d)}.split({self.quoted(r.choice((',', '.', '')))})",
            lambda: f"{self.of('list', d)} + {self.of('list', d)}",
            lambda: (
                f"{self._target('list', d)}.{r.choice(('sort()', 'distinct()', 'reverse()', 'slice(0, 1)', 'flatten()'))}"
            ),
            lambda: self._over(d, "map", "int"),
            lambda: self._over(d, "filter", "bool"),
            lambda: f"lists.range({r.choice((0, 3, 50))})",
            lambda: f"device.attributes.map(k{len(self.names)}, k{len(self.names)})",
        )

    def _quantity(self, depth: int) -> str:
        r, d = self.rng, depth - 1
        capacity = f"device.capacity[{self.quoted(self.domain())}]"
        name = r.choice(_CAPACITIES)
        if depth <= 0 or r.random() < 0.5:
            return self.pick(
                lambda: f"quantity({self.quoted(r.choice(_QUANTITIES))})",
                lambda: f"{capacity}.{name}",
                lambda: f'{capacity}.?{name}.orValue(quantity("0"))',
            )
        return self.pick(
            lambda: (
                f"{self._target('quantity', d)}.{r.choice(('add', 'sub'))}({self.of(r.choice(('quantity', 'int')), d)})"
            ),
            lambda: f"quantity({self.of('string', d)})",
        )

    def _version(self, depth: int) -> str:
        return self.pick(
            lambda: f"semver({self.quoted(self.rng.choice(_VERSIONS))})",
            lambda: f"semver({self.quoted(self.rng.choice(_VERSIONS))}, true)",
            lambda: self.attribute("version"),
            lambda: self.attribute("version"),
        )

    # Pieces

    def attribute_path(self) -> str:
        kind = self.rng.choice(tuple(_ATTRIBUTES))
        base = f"device.attributes[{self.quoted(self.domain())}]"
        return self.rng.choice(
            (f"{base}.{self.rng.choice(_ATTRIBUTES[kind])}", f"{base}.nope", "device.driver", base)
        )

    def optional(self) -> str:
        base = f"device.attributes[{self.quoted(self.domain())}]"
        return self.rng.choice(
            (
                f"{base}.?type",
                f"{base}[?{self.quoted('index')}]",
                f"{base}.?nope",
                "optional.of(1)",
                "optional.none()",
            )
        )

    def _atom(self, text: str) -> str:
        return f"({text})" if " " in text or text.startswith("-") else text

    def _target(self, kind: str, depth: int) -> str:
        return self._atom(self.of(kind, depth))

    def _over(self, depth: int, macro: str, wanted: str) -> str:
        name = f"v{len(self.names)}"
        over = self._target("list", depth)
        self.names.append((name, self.rng.choice(("int", "string"))))
        body = self.of(wanted, depth)
        self.names.pop()
        return f"{over}.{macro}({name}, {body})"

    def _comprehension(self, depth: int) -> str:
        macro = self.rng.choice(("all", "exists", "exists_one"))
        if self.rng.random() < 0.8:
            return self._over(depth, macro, "bool")
        first, second = f"i{len(self.names)}", f"v{len(self.names)}"
        over = self._target("list", depth)
        self.names += [(first, "int"), (second, "string")]
        body = self.of("bool", depth)
        del self.names[-2:]
        return (
            f"{over}.{self.rng.choice(('all', 'exists', 'existsOne'))}({first}, {second}, {body})"
        )

    def _bind(self, depth: int) -> str:
        name = f"b{len(self.names)}"
        kind = self.rng.choice(("int", "string", "list", "quantity"))
        value = self.of(kind, depth)
        self.names.append((name, kind))
        body = self.of("bool", depth)
        self.names.pop()
        return f"cel.bind({name}, {value}, {body})"


def _garbled(text: str, rng: random.Random) -> str:
    """One character removed, doubled or replaced: what syntax errors are made of."""
    if not text:
        return text
    at = rng.randrange(len(text))
    middle = rng.choice(("", text[at] * 2, rng.choice("()[]{}.,:?&|\"'`\\ =!<>+-@#$%^~;\n")))
    return text[:at] + middle + text[at + 1 :]


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `cel` without end."""
    devices = list(json.loads((_INPUTS / "cel_devices.json").read_text("utf-8")).values())
    lists = list(json.loads((_INPUTS / "cel_lists.json").read_text("utf-8")).values())
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        expression = _Grower(one).of("bool", one.choice((0, 1, 1, 2, 2, 3)))
        if one.random() < 0.12:
            expression = _garbled(expression, one)
        with_lists = one.random() < 0.25
        yield {
            "id": f"cel-{seed:x}",
            "expression": expression,
            "env": one.choice(("new", "stored")),
            "features": "all" if with_lists else "defaults",
            "devices": devices + lists if with_lists else devices,
        }


def generate_derived(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `cel` about derived attributes, which may be of most types, without end."""
    kinds = ("any", "bool", "int", "list", "quantity", "string", "version")
    for question in generate(rng):
        one = random.Random(question["id"])
        expression = _Grower(one).of(one.choice(kinds), one.choice((0, 1, 1, 2)))
        yield {
            **question,
            "id": question["id"].replace("cel-", "derived-"),
            "derived": True,
            "expression": f"dyn({expression})" if one.random() < 0.2 else expression,
        }


def generate_wide(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `cel` over all of the libraries, without end."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        yield {
            "id": f"wide-{seed:x}",
            "expression": Generator(seed).expression(one.choice((2, 3, 4, 5))),
            "env": one.choice(("new", "stored")),
            "features": one.choice(("defaults", "defaults", "all", "none")),
            "devices": DEVICES,
        }
