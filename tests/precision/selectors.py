"""Claims as people write them, right and wrong, made at random from the driver schemas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.drivers.schema.device_plugin import quote
from tests.precision.fleets import CATALOGUE, POOL, Constants, Named, drivers, shapes

if TYPE_CHECKING:
    from random import Random

    from dradsl.drivers.schema.model import AttributeSchema

__all__ = ["Case", "constants_of", "make", "names_of"]


@dataclass(frozen=True)
class Case:
    """A class (None: one that the driver installs), and the selectors of a request for it."""

    driver: str
    class_name: str
    class_selectors: tuple[str, ...] | None
    selectors: tuple[str, ...]

    def manifest(self) -> str:
        parts = []
        if self.class_selectors is not None:
            parts += [
                "apiVersion: resource.k8s.io/v1",
                "kind: DeviceClass",
                f"metadata: {{name: {self.class_name}}}",
                "spec:",
                *_selectors("  ", self.class_selectors),
                "---",
            ]
        parts += [
            "apiVersion: resource.k8s.io/v1",
            "kind: ResourceClaim",
            "metadata: {name: c, namespace: ml}",
            "spec:",
            "  devices:",
            "    requests:",
            "    - name: a",
            "      exactly:",
            f"        deviceClassName: {self.class_name}",
            *_selectors("        ", self.selectors),
        ]
        return "\n".join(parts) + "\n"

    def texts(self) -> tuple[str, ...]:
        return (*(self.class_selectors or ()), *self.selectors)


def _selectors(indent: str, texts: tuple[str, ...]) -> list[str]:
    if not texts:
        return [f"{indent}selectors: []"]
    lines = [f"{indent}selectors:"]
    for text in texts:
        lines += [f"{indent}- cel:", f"{indent}    expression: |-", f"{indent}      {text}"]
    return lines


def make(random: Random) -> Case:
    """One case."""
    driver = random.choice(drivers())
    schema = CATALOGUE.get(driver)
    assert schema is not None
    shape = random.choice(shapes(driver))
    kind = shape.device_type
    assert kind is not None
    installed = [each for each in schema.classes if not each.since]
    draw = random.random()
    own: tuple[str, ...] | None = None
    name = "own"
    if installed and draw < 0.5:
        name = random.choice(installed).name
    elif draw < 0.6:
        own = (f'device.driver == "{driver}"',)
    elif draw < 0.7 and kind.discriminator:
        own = (f'device.driver == "{driver}" && {kind.discriminator}',)
    elif draw < 0.75:
        own = (f'device.driver == "{driver}"', _condition(random, driver, 1))
    elif draw < 0.8:
        own = (_condition(random, driver, 1),)
    elif draw < 0.85:
        own = (f'device.driver == "{driver}" && {_condition(random, driver, 1)}',)
    else:
        own = (f'device.driver in ["{driver}", "{random.choice(drivers())}"]',)
    count = random.choice((1, 1, 1, 2))
    texts = tuple(_condition(random, driver, 2) for _ in range(count))
    return Case(driver, name, own, texts)


def _condition(random: Random, driver: str, depth: int) -> str:
    if depth and random.random() < 0.55:
        one = _condition(random, driver, depth - 1)
        other = _condition(random, driver, depth - 1)
        form = random.choice(
            ("{} && {}", "{} && {}", "({}) || ({})", "!({})", "({}) ? ({}) : true",
             "({0}) ? ({1}) : ({0})", "({}) == false")
        )  # fmt: skip
        return form.format(one, other)
    return _atom(random, driver)


def _atom(random: Random, driver: str) -> str:
    draw = random.random()
    if draw < 0.06:
        wrong = random.choice(("nvidia.com", f"{driver}x", driver, random.choice(drivers())))
        return random.choice(
            (f'device.driver == "{wrong}"', f'device.driver != "{wrong}"',
             f'device.driver in ["{driver}", "{wrong}"]')
        )  # fmt: skip
    if draw < 0.1:
        return random.choice(("1/0 == 1", 'semver("8.0") == semver("8.0")', "true", "[1][2] == 1"))
    of = driver if draw < 0.9 else random.choice(drivers())
    shape = random.choice(shapes(of))
    kind = shape.device_type
    assert kind is not None
    capacities = list(kind.capacities.values())
    if capacities and random.random() < 0.3:
        amount = random.choice(capacities)
        return _amount(random, amount.domain, _key(random, amount.name))
    entries = list(kind.attributes.values())
    if not entries:
        return f'device.driver == "{of}"'
    return _attribute(random, random.choice(entries))


def _key(random: Random, name: str) -> str:
    """A name, now and then a wrong one."""
    name = name.replace("<N>", "1")
    draw = random.random()
    if draw < 0.06 and len(name) > 3:
        at = random.randrange(1, len(name) - 1)
        return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return "unheardOf" if draw < 0.09 else name


def _amount(random: Random, domain: str, key: str) -> str:
    kind = "attributes" if random.random() < 0.05 else "capacity"
    access = f'device.{kind}["{domain}"].{key}'
    amount = random.choice([*POOL["quantity"], *POOL["quantity"], "80GB", "80 Gi"])
    form = random.choice(
        ("{0}.compareTo({1}) >= 0", "{0}.compareTo({1}) < 0", "{0}.isGreaterThan({1})",
         "{0}.isLessThan({1})", "{0} == {1}", "has({0})", "!has({0})")
    )  # fmt: skip
    text = form.format(access, f'quantity("{amount}")')
    return f"has({access}) && {text}" if random.random() < 0.3 else text


FORMS: dict[str, tuple[str, ...]] = {
    "string": (
        "{0} == {1}", "{0} != {1}", "{0} in [{1}, {2}]", "!({0} in [{1}, {2}])",
        "{0}.startsWith({1})", "{0}.contains({1})", "{0}.lowerAscii() == {1}.lowerAscii()",
        "[{1}, {2}].exists(x, x == {0})", "[{1}, {2}].all(x, x != {0})", "{0} == 1",
        "cel.bind(v, {0}, v == {1} || v == {2})", "{0}.isGreaterThan(semver({1}))",
        "{0} < {1}", "{0}.string == {1}", "{0}.matches({1})",
    ),
    "int": ("{0} == {1}", "{0} >= {1}", "{0} in [{1}, {2}]", '{0} == "1"', "{1} > {0}",
            "{0} != {1}", "{0} % 0 == 1"),
    "bool": ("{0}", "!{0}", "{0} == {1}", '{0} == "true"', "{0} != {1}"),
    "version": (
        "{0} == semver({1})", "{0}.isGreaterThan(semver({1}))", "{0} == {1}", "{0} != {1}",
        "{0}.compareTo(semver({1})) >= 0", "{0}.major() >= 1", "{0}.isLessThan(semver({1}))",
    ),
}  # fmt: skip
VERSIONS = (*POOL["version"], "8.0", "580", "v1.2.3")


def _attribute(random: Random, entry: AttributeSchema) -> str:
    kind = entry.type.value.rstrip("s") if entry.type.is_list else entry.type.value
    key = _key(random, entry.name)
    domain = entry.domain if random.random() < 0.97 else entry.domain.partition(".")[2] or "x.io"
    path = f'device.attributes["{domain}"]'
    name = f"{path}.{key}"
    pool: list[Any] = [*(entry.values or ()), *(entry.values or ()), *entry.examples]
    pool += VERSIONS if kind == "version" else POOL[kind]
    one, two = (_literal(random.choice(pool)) for _ in range(2))
    if kind == "version":
        one, two = f'"{one}"'.replace('""', '"'), f'"{two}"'.replace('""', '"')
    forms = FORMS[kind]
    if entry.pattern is not None:  # what is inside a shape of text is not worked out
        forms = tuple(
            each for each in forms if not re.search(r"[)] ==|With|contains|matches|<", each)
        )
    if one == '""':  # nor that no text is below the empty one, where it may be no text
        forms = tuple(each for each in forms if not re.search(r"<|matches|With|contains", each))
    text = random.choice(forms).format(name, one, two)
    if (
        kind == "string"
        and entry.values is None
        and entry.pattern is None
        and not random.randrange(20)
    ):
        text = f'{name}.split("-")[0] == {one}'
    match random.randrange(9):
        case 0 if kind != "version":
            return f"{path}.?{key}.orValue({one}) == {two}"
        case 1 | 2:
            return f"has({name}) && {text}"
        case 3:
            return f"!has({name}) || {text}"
        case 4:
            return random.choice((f"has({name})", f"!has({name})", f'"{key}" in {path}'))
        case 5:
            return f"{path}.?{key}.hasValue() && ({text})"
    return text


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return quote(value) if isinstance(value, str) else str(value)


def names_of(case: Case) -> list[Named]:
    """The names that a case reads, with their domains."""
    text = " ".join(case.texts())
    read = re.findall(r'device[.](attributes|capacity)\["([^"]+)"\][.][?]?(\w+)', text)
    asked = re.findall(r'"(\w+)" in device[.](attributes|capacity)\["([^"]+)"\]', text)
    return sorted({*read, *((kind, domain, key) for key, kind, domain in asked)})


def constants_of(case: Case) -> Constants:
    """The literals of a case, for devices that have just these values."""
    text = " ".join(case.texts())
    strings = re.findall(r'"([^"\\]*)"', text)
    versions = [each for each in strings if re.fullmatch(r"[0-9]+[.][0-9]+[.][0-9]+", each)]
    amounts = [each for each in strings if re.fullmatch(r"[0-9]+(?:[kMGT]i?)?", each)]
    return {
        "string": [each for each in strings if len(each) <= 64],
        "int": [int(each) for each in re.findall(r"(?<![\w.\"])[0-9]{1,6}(?![\w.\"])", text)],
        "bool": [True, False],
        "version": versions,
        "quantity": amounts,
    }
