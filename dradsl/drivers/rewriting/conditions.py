"""Names with values, as other APIs and older versions select by them, as conditions in CEL on what drivers publish."""

from __future__ import annotations

import functools
import json
import re

from dradsl.drivers.schema.model import Presence
from dradsl.drivers.suggestions.literals import amounts, versions
from dradsl.drivers.suggestions.names import access_text
from dradsl.drivers.suggestions.products import written_parts
from dradsl.records import dataclass
from dradsl.text.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.drivers.schema.model import AttributeSchema, DriverSchema

    Drivers: TypeAlias = "tuple[DriverSchema | str, ...]"  # those without a schema by name

__all__ = ["Said", "joined", "operator", "product_in", "types_of", "words"]

_AT_LEAST = re.compile(r"(?i)^(min(imum)?|required|needed)[-_]?(?=.)")
_AT_MOST = re.compile(r"(?i)^max(imum)?[-_]?(?=.)")
_SIGNS = ("==", "!=", ">", ">=", "<", "<=", "has", "!has")


@functools.cache
def words() -> Mapping[str, tuple[str, ...]]:
    """The names of fields and kinds, by what they say."""
    from dradsl.data import data_path

    listed = json.loads(read_bytes(data_path("schemas", "field-words.json")))
    return {said: tuple(names) for said, names in listed.items()}


def operator(word: object) -> str:
    """How CEL writes an operator that is called by a word; "" if it is none."""
    letters = re.sub("[-_ ]", "", str(word)).lower()
    return next((sign for sign in _SIGNS if letters in words()[f"operator {sign}"]), "")


def joined(conditions: Sequence[str | None], by: str) -> str | None:
    """One condition, of which any or all others have to be met; None if one of them is not known."""
    known = [each for each in conditions if each is not None]
    if not known or len(known) < len(conditions):
        return None
    return known[0] if len(known) == 1 else f"({f' {by} '.join(known)})"


def types_of(texts: Iterable[str], schemas: Drivers) -> Iterator[str]:
    """The conditions on the types of device that alone have an attribute: others make the selector fail."""
    told = " ".join(texts)
    for schema in schemas:
        kinds = () if isinstance(schema, str) else schema.device_types
        for kind in kinds:
            others = [each for each in kinds if each is not kind]
            shared = {of.name for each in others for of in each.attributes.values()}
            own = {of.name for of in kind.attributes.values()} - shared
            is_read = any(re.search(rf"\]\.{name}\b", told) for name in own)
            if is_read and others and kind.discriminator and kind.discriminator not in told:
                yield kind.discriminator


def product_in(name: str, schemas: Drivers) -> list[str]:
    """The condition on a product that the name of a class has: `nvidia-a100` on A100."""
    words = re.findall(r"(?<![a-z0-9])[a-z]+[0-9]{2,}[a-z0-9]*", name.lower())
    found = {word: Said("model", word).condition(schemas) for word in words}
    return [text for word, text in found.items() if text and f'"{word}"' not in text][:1]


@dataclass(frozen=True, slots=True)
class Said:
    """A name with a value, and how it compares: `memory: 40Gi` is a condition on the capacity of that name."""

    name: str
    value: object
    operator: str = ""

    def condition(self, schemas: Drivers) -> str | None:
        """The condition, if one of the drivers publishes something of the name."""
        value, sign = self.value, None
        if isinstance(value, str):
            sign = re.match("[<>=!]=?", value.strip())  # `>=80Gi`
            value = value.strip()[sign.end() if sign else 0 :].strip("* ")
        plain = _AT_MOST.sub("", _AT_LEAST.sub("", self.name))
        least, most = _AT_LEAST.match(self.name), _AT_MOST.match(self.name)
        own = self.operator or (operator(sign[0]) if sign else "")
        own = own or (">=" if least else "<=" if most else "")
        said = Said(plain, value, own)
        for schema in schemas:
            found = said._of_unknown(schema) if isinstance(schema, str) else said._of(schema)
            if found is not None:
                return found
        return None

    def _of_unknown(self, driver: str) -> str:
        """Of a driver without a schema, whose own names are in its domain."""
        name = re.sub("[-.]+", "_", self.name)
        read, said = access_text(("attributes", driver, name)), amounts(str(self.value))
        if said and not said[-1].isdigit():
            return self._amount(access_text(("capacity", driver, name)), said[-1])
        return f"{read} {self._sign('==')} {json.dumps(self.value)}"

    def _of(self, schema: DriverSchema) -> str | None:
        bare = re.sub("[-_ ]", "", self.name).lower()
        mistaken = (*schema.mistaken.attributes.items(), *schema.mistaken.capacities.items())
        meant = {name.lower(): of for name, of in mistaken}.get(bare, bare)
        wanted = str(meant).lower()
        unit = re.search("(?i)(g|m)i?b?$", self.name) if isinstance(self.value, int) else None
        amount = amounts(f"{self.value}{unit[1].upper()}i" if unit else str(self.value))
        kinds = schema.device_types
        for entry in (each for kind in kinds for each in kind.capacities.values()):
            if wanted in (entry.name.lower(), entry.qualified.lower()) and amount:
                read = access_text(("capacity", entry.domain, entry.name))
                alike = (each for kind in kinds for each in kind.capacities.values())
                of = [each for each in alike if each.qualified == entry.qualified]
                rare = any(each.presence is Presence.SOMETIMES for each in of)
                guard = f"has({read}) && " if rare else ""
                return f"{guard}{self._amount(read, amount[-1])}"
        for attribute in (each for kind in kinds for each in kind.attributes.values()):
            if wanted in (attribute.name.lower(), attribute.qualified.lower()):
                found = self._of_attribute(attribute)
                if found is not None and attribute.lifetime.removed_in is None:
                    rare = attribute.presence is Presence.SOMETIMES and "has" not in self.operator
                    read = access_text(("attributes", attribute.domain, attribute.name))
                    return f"has({read}) && {found}" if rare else found
        return None

    def _of_attribute(self, attribute: AttributeSchema) -> str | None:
        read, value = access_text(("attributes", attribute.domain, attribute.name)), self.value
        if self.operator.endswith("has"):
            return f"{self.operator.removesuffix('has')}has({read})"
        names = attribute.products.names if attribute.products is not None else ()
        if isinstance(value, str) and value not in names and names:
            parts = written_parts(value, names) or (value,)
            return f"{'!' * (self.operator == '!=')}{read}.contains({json.dumps(parts[0])})"
        version = versions(str(value)) if attribute.type == "version" else []
        if version:
            return f'{read}.compareTo(semver("{version[0]}")) {self._sign(">=")} 0'
        if attribute.type == "int" and str(value).isdigit():
            return f"{read} {self._sign('==')} {value}"
        if attribute.type == "bool" and str(value).lower() in ("true", "false"):
            return f"{read} {self._sign('==')} {str(value).lower()}"
        for each in attribute.values or () if isinstance(value, str) else ():
            value = each if str(each).lower() == str(value).lower() else value
        value = (attribute.mistaken_values or {}).get(str(value), value)
        if isinstance(value, str | int) and self._sign("==") in ("==", "!="):
            return f"{read} {self._sign('==')} {json.dumps(value)}"
        return None

    def _amount(self, read: str, amount: str) -> str:
        sign = self._sign(">=")
        return f'{read}.compareTo(quantity("{amount}")) {">=" if sign == "==" else sign} 0'

    def _sign(self, usual: str) -> str:
        return usual if self.operator.endswith("has") else self.operator or usual
