"""Generates the typed handles of `dradsl.devices`: a Python module from driver schemas.

One class a device type with what it publishes as members, the DeviceClasses that the driver ships,
and classes for its opaque configuration. A test generates the shipped modules anew and compares.
"""

from __future__ import annotations

import itertools
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.drivers.schema.model import AttributeSchema
from dradsl.dsl.expressions.nodes import Comparison, ConditionNode, DeviceType, Exists, Op, Operand
from dradsl.dsl.expressions.render import render
from dradsl.dsl.generate.config_classes import ConfigClasses
from dradsl.dsl.generate.python_text import (
    Brackets,
    Code,
    assignment,
    call,
    docstring,
    literal,
    named_item,
    sequence,
    statement,
)
from dradsl.dsl.generate.vocabulary import DeviceHandle, Member, Vocabulary, identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.drivers.schema.model import DeviceClassInfo, DriverSchema

__all__ = ["MODULES", "generate", "module_of"]

# Module of dradsl.devices -> the drivers whose handles it holds.
MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "amd": ("gpu.amd.com",),
        "aws": ("neuron.aws.com",),
        "cpu": ("dra.cpu",),
        "dranet": ("dra.net",),
        "example": ("gpu.example.com", "net.example.com", "cpu.example.com"),
        "furiosa": ("npu.furiosa.ai",),
        "google": ("tpu.google.com",),
        "hami": ("hami-core-gpu.project-hami.io", "ascend.project-hami.io"),
        "hygon": ("dra.hygon.com",),
        "ibm": ("spyre.ibm.com",),
        "intel": ("gpu.intel.com", "gaudi.intel.com", "qat.intel.com"),
        "memory": ("dra.memory",),
        "nvidia": ("gpu.nvidia.com", "compute-domain.nvidia.com"),
        "rebellions": ("npu.rebellions.ai",),
        "sriov": ("sriovnetwork.k8snetworkplumbingwg.io",),
        "tenstorrent": ("tenstorrent.com",),
    }
)

_CLASSES = {
    "string": "AttributeString",
    "int": "AttributeInt",
    "bool": "AttributeBool",
    "version": "AttributeVersion",
    "strings": "AttributeStrings",
    "ints": "AttributeInts",
    "bools": "AttributeBools",
    "versions": "AttributeVersions",
    "quantity": "Capacity",
}

_A = {
    "string": "a string",
    "int": "a whole number",
    "bool": "true or false",
    "version": "a version",
    "strings": "a list of strings",
    "ints": "a list of whole numbers",
    "bools": "a list of bools",
    "versions": "a list of versions",
    "quantity": "a quantity",
}


def module_of(driver: str) -> str | None:
    """The module of `dradsl.devices` that holds the handles of `driver`."""
    return next((name for name, drivers in MODULES.items() if driver in drivers), None)


def generate(schemas: Iterable[DriverSchema]) -> str:
    """The source of a module with the handles of `schemas`.

    Raises:
        ValueError: if two of them want one name in Python.
    """
    return _Module(tuple(schemas)).text()


class _Module:
    def __init__(self, schemas: tuple[DriverSchema, ...]) -> None:
        self._vocabularies = [Vocabulary(schema) for schema in schemas]
        self._configs = ConfigClasses()
        for schema in schemas:
            for kind in schema.configs:
                self._configs.add(schema.name, kind)
        self._used: set[str] = set()
        self._public: list[str] = []
        self._values: dict[str, str] = {}
        """Names of the sets of values that attributes have, and the sets."""

    def text(self) -> str:
        """The whole module."""
        body = [
            "\n".join(map(self._tokens, self._vocabularies)),
            *(self._handle(v, kind) for v in self._vocabularies for kind in v.kinds),
            *self._configs.texts.values(),
        ]
        if self._values:
            body[0] = "\n".join([body[0], "", *self._values.values()])
        classes = [
            self._shipped(known) for one in self._vocabularies for known in one.schema.classes
        ]
        objects = [
            f"{kind.name}: {kind.class_name} = {kind.class_name}()" for kind in self._kinds()
        ]
        names = [kind.name for kind in self._kinds()] + self._public
        names += self._configs.names + [kind.class_name for kind in self._kinds()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two things want to be called {', '.join(twice)}")
        tail = ["\n".join(objects), *(["\n".join(classes)] if classes else [])]
        head = "\n\n".join([self._head(), self._imports(), self._all(names)])
        return "\n\n\n".join([f"{head}\n\n{body[0]}", *body[1:], *tail]) + "\n"

    def _kinds(self) -> list[DeviceHandle]:
        return [kind for one in self._vocabularies for kind in one.kinds]

    def _head(self) -> str:
        about = "; ".join(f"{one.schema.name}: {one.schema.summary}" for one in self._vocabularies)
        made = "Generated by `dradsl schema handles`; names are spelled as the drivers spell them."
        doc = docstring(f"Handles for {_drivers(self._vocabularies)}.", 0, f"{about}.", made)
        exempt = self._exempt()
        return f"{doc}\n\n# ruff: noqa: {', '.join(exempt)} - {_why(exempt)}" if exempt else doc

    def _exempt(self) -> list[str]:
        """The lints that the drivers' spelling offends; imports for annotations are wanted here."""
        members = [member for kind in self._kinds() for member in kind.members if member.name]
        mixed = [one for one in members if one.name != str(one.name).lower()]
        body = "\n".join(self._configs.texts.values())
        offended = {
            "N802": any(one.is_gone for one in mixed),
            "N815": any(not one.is_gone for one in mixed) or _mixed_field(body),
            "TC003": "Mapping[" in body or "Sequence[" in body,
        }
        return [code for code, is_so in offended.items() if is_so]

    def _imports(self) -> str:
        body = "\n".join(self._configs.texts.values())
        lines = ["from __future__ import annotations", ""]
        abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
        if abstract:
            lines.append(f"from collections.abc import {', '.join(abstract)}")
        if body:
            lines.append("from dataclasses import dataclass")
        typing = [n for n in ("Any", "Literal") if _holds(body, n)]
        typing.insert(int("Any" in typing), "ClassVar")
        if self._values and "Literal" not in typing:
            typing.append("Literal")
        if "get_args" in self._used:
            typing.append("get_args")
        lines += [f"from typing import {', '.join(typing)}"] if typing else []
        if abstract or body or typing:
            lines.append("")
        if "deprecated" in self._used:
            lines += ["from typing_extensions import deprecated", ""]
        used = self._used - {"deprecated", "get_args"}
        used |= {name for name in ("ConfigPart", "DriverConfig") if f"({name})" in body}
        names = sorted(used | {"DeviceType", "Handle"})
        text = f"from dradsl.dsl import {', '.join(names)}"
        if len(text) > 100:
            text = "\n".join(["from dradsl.dsl import (", *(f"    {n}," for n in names), ")"])
        return "\n".join([*lines, text])

    def _all(self, names: list[str]) -> str:
        return "\n".join(["__all__ = [", *(f'    "{name}",' for name in names), "]"])

    def _tokens(self, vocabulary: Vocabulary) -> str:
        tokens = dict.fromkeys([vocabulary.driver, *(kind.type for kind in vocabulary.kinds)])
        return "\n".join(assignment(_token(one), _device_type(one)) for one in tokens)

    def _handle(self, vocabulary: Vocabulary, kind: DeviceHandle) -> str:
        schema = kind.schema
        summary = schema.summary or vocabulary.schema.summary
        lines = [
            f"class {kind.class_name}(Handle):",
            docstring(
                _sentence(summary),
                1,
                f"Driver {vocabulary.schema.name}"
                + (f", device type {schema.name}." if kind.condition is not None else "."),
                _sentence(schema.note),
                f"Only with {_sentence(schema.gate)}" if schema.gate else "",
            ),
            "",
            "    __slots__ = ()",
            f"    __device__: ClassVar[DeviceType] = {_token(kind.type)}",
        ]
        if kind.shipped is not None:
            lines.append(f'    __shipped__: ClassVar[str | None] = "{kind.shipped}"')
        if kind.condition is not None:
            self._used.add("Expression")
            lines += ["", "    def _condition(self) -> Expression:"]
            lines += self._condition(kind.condition)
        for member in kind.members:
            if member.name is not None and not member.is_gone:
                lines += ["", *self._member(member)]
        for member in kind.members:
            if member.name is not None and member.is_gone:
                lines += ["", *self._gone(vocabulary, member)]
        return "\n".join(lines)

    def _condition(self, condition: ConditionNode) -> list[str]:
        match condition:
            case Comparison(operand=operand, op=Op.EQ, value=str(value)) if operand.always:
                kind = assignment("kind", self._value(operand), 2)
                return [kind, f"        return kind == {literal(value)}"]
            case Exists(operand=operand, negated=False):
                value = assignment("value", self._value(operand), 2)
                return [value, "        return value.exists()"]
        self._used.add("raw_cel")
        return [statement(_returned(call("raw_cel", literal(render(condition, width=None)))), 2)]

    def _value(self, operand: Operand, member: Member | None = None) -> Code:
        name = _CLASSES[operand.type]
        self._used.add(name)
        keywords: dict[str, Code] = {}
        if operand.always is not None:
            keywords["always"] = _token(operand.always)
        alias = self._alias(member) if member is not None else None
        if alias is not None and member is not None and _closed(member):
            self._used.add("get_args")
            keywords["values"] = call("get_args", alias)
        return call(name, literal(operand.domain), literal(operand.name), **keywords)

    def _member(self, member: Member) -> list[str]:
        operand, entry = member.operand, member.entry
        value = self._value(operand, member)
        if isinstance(value, Brackets) and operand.source == "capacity":
            key = self._request_key(entry.domain, entry.name)
            if key != entry.name:
                value = call(
                    "Capacity",
                    *value.items[:2],
                    key=literal(key),
                    **({"always": _token(operand.always)} if operand.always else {}),
                )
        alias = self._alias(member)
        typed = _CLASSES[operand.type] + (f"[{alias}]" if alias is not None else "")
        if alias is not None and not _closed(member):
            typed = f"{_CLASSES[operand.type]}[{alias} | str]"
        annotated = f"{member.name}: {typed}"
        return [assignment(annotated, value, 1), docstring(_about(member), 1)]

    def _alias(self, member: Member) -> str | None:
        """The name of the Literal with the values that the attribute has, or has been seen to have."""
        entry = member.entry
        if not isinstance(entry, AttributeSchema) or member.operand.type != "string":
            return None
        values = tuple(entry.values or ())
        if not values and entry.unique is None and len(entry.examples) > 1:
            values = tuple(entry.examples)
        if not values or not all(isinstance(value, str) for value in values):
            return None
        text = Brackets("Literal[", tuple(map(literal, dict.fromkeys(values))), "]")
        stem = "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", entry.name))
        for number in itertools.count(1):
            name = f"_{stem}" if number == 1 else f"_{stem}{number}"
            made = assignment(name, text)
            if self._values.setdefault(name, made) == made:
                return name
        return None

    def _request_key(self, domain: str, name: str) -> str:
        qualified = any(
            one.schema.qualified_names for one in self._vocabularies if one.schema.name == domain
        )
        own = any(one.schema.name == domain for one in self._vocabularies)
        return f"{domain}/{name}" if qualified or not own else name

    def _gone(self, vocabulary: Vocabulary, member: Member) -> list[str]:
        self._used.add("deprecated")
        lifetime = member.entry.lifetime
        when = f"since {lifetime.removed_in}" if lifetime.removed_in else "some day"
        instead = f"; use {lifetime.replaced_by}" if lifetime.replaced_by else ""
        message = f"{vocabulary.schema.name} publishes no {member.entry.name} {when}{instead}"
        if not lifetime.removed_in:
            message = f"{member.entry.name} of {vocabulary.schema.name} is deprecated{instead}"
        return [
            "    @property",
            statement(call("deprecated", literal(message)), 1).replace("    ", "    @", 1),
            f"    def {member.name}(self) -> {_CLASSES[member.operand.type]}:",
            docstring(_about(member), 2),
            statement(_returned(self._value(member.operand)), 2),
        ]

    def _shipped(self, known: DeviceClassInfo) -> str:
        self._used.add("DeviceClass")
        name = identifier(known.name).upper()
        self._public.append(name)
        selectors = [literal(one) for one in known.selectors]
        keywords: dict[str, Code] = {}
        if selectors:
            keywords["select"] = selectors[0] if len(selectors) == 1 else sequence(selectors)
        if known.extended_resource_name:
            keywords["extended_resource_name"] = literal(known.extended_resource_name)
        about = " ".join(
            _sentence(text)
            for text in (
                f"The DeviceClass {known.name}, installed by {known.by or 'the driver'}",
                f"Since {known.since}" if known.since else None,
                known.condition,
                known.note,
            )
            if text
        )
        text = assignment(
            f"{name}: DeviceClass", call("DeviceClass", literal(known.name), **keywords)
        )
        return f"{text}\n{docstring(about)}"


def _closed(member: Member) -> bool:
    """Whether the attribute has no other values than those that are known."""
    return isinstance(member.entry, AttributeSchema) and bool(member.entry.values)


def _mixed_field(text: str) -> bool:
    fields = re.findall(r"^    ([A-Za-z_]+): ", text, re.MULTILINE)
    return any(name != name.lower() for name in fields)


def _drivers(vocabularies: Iterable[Vocabulary]) -> str:
    names = [one.schema.name for one in vocabularies]
    word = "the driver" if len(names) == 1 else "the drivers"
    return f"{word} {', '.join(names)}"


def _holds(text: str, name: str) -> bool:
    return any(f"{name}{end}" in text for end in ("[", " =", "\n", "]", " |"))


def _token(type_: DeviceType) -> str:
    return f"_{identifier(type_.driver).upper()}" + (
        f"_{identifier(type_.name).upper()}" if type_.name else ""
    )


def _device_type(type_: DeviceType) -> Code:
    parts = [literal(type_.driver), *([literal(type_.name)] if type_.name else [])]
    keywords = {"classes": literal(type_.classes)} if type_.classes else {}
    return call("DeviceType", *parts, **keywords)


def _returned(code: Code) -> Code:
    return named_item("return ", code)


def _about(member: Member) -> str:
    entry = member.entry
    parts: list[str | None] = [entry.meaning, entry.note]
    if isinstance(entry, AttributeSchema):
        if entry.values:
            parts.append(f"One of {', '.join(map(str, entry.values))}")
        elif entry.examples:
            parts.append(f"For example {', '.join(map(str, entry.examples[:4]))}")
        if entry.alternative is not None:
            parts.append(f"Some devices have {_A[entry.alternative.value]} instead")
    else:
        if entry.unit and entry.unit != "count":
            parts.append(f"In {entry.unit}")
        if entry.values:
            parts.append(f"Always {' or '.join(entry.values)}")
        if entry.examples:
            each = (f"{amount} ({part})" for part, amount in list(entry.examples.items())[:3])
            parts.append(f"For example {', '.join(each)}")
    if entry.domain != "" and "." in entry.domain and entry.domain.startswith("resource."):
        parts.append(f"Standard attribute {entry.qualified}")
    lifetime = entry.lifetime
    if lifetime.since:
        parts.append(f"Since {lifetime.since}")
    if lifetime.removed_in:
        parts.append(f"Gone since {lifetime.removed_in}")
    if entry.gate:
        parts.append(f"Only with the driver's gate {entry.gate}")
    if entry.presence.value != "always":
        parts.append(
            "Not on every device"
            if entry.presence.value == "sometimes"
            else "Missing on odd machines"
        )
    return " ".join(_sentence(part) for part in parts if part) or _sentence(_A[member.operand.type])


def _sentence(text: str | None) -> str:
    if not text:
        return ""
    text = " ".join(text.split())
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    return text[:1].upper() + text[1:]


def _why(exempt: list[str]) -> str:
    """The reason of the lints that are switched off."""
    reasons = [] if exempt == ["TC003"] else ["names are the drivers'"]
    return ", ".join([*reasons, *(["annotations are read"] if "TC003" in exempt else [])])
