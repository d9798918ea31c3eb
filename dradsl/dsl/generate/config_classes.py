"""Typed classes for a driver's opaque configuration, from its JSON Schema.

An object becomes a dataclass; what JSON Schema says beyond types (ranges, exclusions) is left to
lint, which checks the parameters against the very schema.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from dradsl.dsl.generate.python_text import Brackets, assignment, docstring
from dradsl.records import Record, dataclass, field

if TYPE_CHECKING:
    from dradsl.drivers.schema.model import ConfigKind
    from dradsl.values.json_types import JsonMapping

__all__ = ["ConfigClasses"]

Schema: TypeAlias = "JsonMapping"

_SCALARS = {"string": "str", "integer": "int", "boolean": "bool", "number": "float"}
_DECORATOR = "@dataclass(frozen=True, slots=True, kw_only=True, eq=False)"


@dataclass(slots=True)
class ConfigClasses:
    """The classes of one module; `texts` are their sources, in the order of use."""

    texts: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    """The names that users need, parts included."""

    def add(self, driver: str, kind: ConfigKind) -> None:
        """The classes for one kind of parameters."""
        constants = [
            f'    __driver__: ClassVar[str] = "{driver}"',
            f"    __api_version__: ClassVar[str | None] = {_quoted(kind.api_version)}",
            f'    __kind__: ClassVar[str] = "{kind.kind}"',
        ]
        of = f"devices of type {', '.join(kind.device_types)}" if kind.device_types else "devices"
        doc = docstring(
            f"Configuration for {of} of {driver}.", 1, _sentence(kind.note), _since(kind.since)
        )
        lines = [doc, "", *constants]
        fields = self._fields(kind.schema, kind.kind)
        self._define(kind.kind, "DriverConfig", lines + (["", *fields] if fields else []))

    def _define(self, name: str, base: str, lines: list[str]) -> str:
        text = "\n".join([_DECORATOR, f"class {name}({base}):", *lines])
        if self.texts.setdefault(name, text) != text:
            raise ValueError(f"two configurations want to be called {name}")
        if name not in self.names:
            self.names.append(name)
        return name

    def _fields(self, schema: Schema, prefix: str) -> list[str]:
        required = set(schema.get("required", ()))
        lines: list[str] = []
        for name, part in schema.get("properties", {}).items():
            if not name.isidentifier():
                continue  # who needs it gives the parameters as plain data
            type_ = self._type(part, prefix, name)
            optional = "" if name in required else " | None = None"
            if optional and type_ == "Any":
                optional = " = None"
            # A dataclass cannot have a field called `from`; ConfigPart takes the `_` off again.
            member = f"{name}_" if keyword.iskeyword(name) else name
            lines.append(f"    {member}: {type_}{optional}")
            about = [
                part.get("description"),
                _range(part),
                _default(part),
                _since(part.get("since")),
            ]
            if any(about):
                lines.append(docstring(" ".join(_sentence(one) for one in about if one), 1))
        return lines

    def _type(self, schema: Schema, prefix: str, name: str) -> str:
        if "enum" in schema:
            return f"Literal[{', '.join(_quoted(value) for value in schema['enum'])}]"
        if schema.get("properties") and all(name.isidentifier() for name in schema["properties"]):
            return self._object(schema, prefix, name)
        match schema.get("type"):
            case "array":
                return f"Sequence[{self._type(schema.get('items', {}), prefix, name)}]"
            case "object":
                values = schema.get("additionalProperties")
                inner = self._type(values, prefix, name) if isinstance(values, Mapping) else "Any"
                return f"Mapping[str, {inner}]"
            case str(one):
                return _SCALARS.get(one, "Any")
            case [*several]:
                return " | ".join(_SCALARS.get(str(one), "Any") for one in several)
        return "Any"

    def _object(self, schema: Schema, prefix: str, name: str) -> str:
        choice = _choice(schema)
        if choice is not None:
            return self._forms(schema, choice, prefix)
        class_name = name[:1].upper() + name[1:]
        fields = self._fields(schema, prefix)
        return self._part(class_name, prefix, [*self._about(schema, name), "", *fields])

    def _forms(self, schema: Schema, choice: _Choice, prefix: str) -> str:
        """One class a form: `TimeSlicing(interval=...)` for strategy TimeSlicing."""
        names = []
        for value, holder in choice.forms.items():
            inner = schema["properties"][holder] if holder is not None else {}
            lines = [
                docstring(f"The form of {choice.key} {value}.", 1),
                "",
                assignment(
                    "__tag__: ClassVar[tuple[str, str, str | None] | None]",
                    Brackets("(", (f'"{choice.key}"', f'"{value}"', _quoted(holder)), ")"),
                    1,
                ),
            ]
            fields = self._fields(inner, prefix)
            names.append(self._part(value, prefix, lines + (["", *fields] if fields else [])))
        return " | ".join(names)

    def _about(self, schema: Schema, name: str) -> list[str]:
        return [
            docstring(_sentence(schema.get("description")) or f"`{name}` of a configuration.", 1)
        ]

    def _part(self, name: str, prefix: str, lines: list[str]) -> str:
        """A class called `name`, or with the configuration's kind in front if that one differs."""
        text = "\n".join([_DECORATOR, f"class {name}(ConfigPart):", *lines])
        if self.texts.get(name, text) != text:
            name = prefix.removesuffix("Config") + name
        return self._define(name, "ConfigPart", lines)


class _Choice(Record):
    """An object that is one of several forms: the field that tells, and each value's holder."""

    key: str
    forms: Mapping[str, str | None]


def _choice(schema: Schema) -> _Choice | None:
    """`strategy: [A, B]` beside `aConfig` and `bConfig`, and nothing else."""
    properties = schema["properties"]
    keys = [name for name, part in properties.items() if "enum" in part]
    if len(keys) != 1 or len(properties) < 2:
        return None
    by_lower_case = {name.lower(): name for name in properties if name != keys[0]}
    forms = {
        str(value): by_lower_case.get(f"{str(value).lower()}config")
        for value in properties[keys[0]]["enum"]
    }
    holders = {holder for holder in forms.values() if holder is not None}
    return _Choice(keys[0], forms) if holders == set(by_lower_case.values()) else None


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _sentence(text: str | None) -> str:
    if not text:
        return ""
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _since(version: str | None) -> str:
    return f"Since {version}." if version else ""


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    return f"From {low} to {high}." if low is not None and high is not None else ""


def _default(schema: Schema) -> str:
    return f"The driver's default is {schema['default']}." if "default" in schema else ""
