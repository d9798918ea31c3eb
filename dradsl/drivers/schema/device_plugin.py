"""What device plugins and feature discovery offered, said in the names of a DRA driver.

An extended resource (`nvidia.com/mig-1g.5gb`) leads to a DeviceClass and a selector, a node label
(`nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB`) to a condition on devices. Where a value cannot be
carried over with certainty, the translation says so instead of guessing.
"""

from __future__ import annotations

import re

from dradsl.records import Record
from dradsl.text.render import render_flow
from dradsl.values.names import legal_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.drivers.schema.model import AttributeSchema, DriverSchema, NodeLabel, PluginResource

__all__ = [
    "LabelMatch",
    "LabelTranslation",
    "ResourceMatch",
    "class_advice",
    "class_meant",
    "find_labels",
    "find_resources",
    "label_form",
    "quote",
    "translate_label",
]


class ResourceMatch(Record):
    """An extended resource found in a driver's schema; `selector` has the word filled in."""

    driver: DriverSchema
    resource: PluginResource
    selector: str | None


class LabelMatch(Record):
    """A node label found in a driver's schema."""

    driver: DriverSchema
    label: NodeLabel


class LabelTranslation(Record):
    """A label value as a condition on devices.

    `selector` is CEL, or None if nothing on devices corresponds. `certain` is false where the value
    was carried over by a rule that may be wrong for it; `reason` then says what to check.
    `candidates` are the attribute values that the label value may stand for.
    """

    selector: str | None
    certain: bool
    reason: str | None = None
    candidates: tuple[str, ...] = ()


def find_resources(name: str, catalogue: Catalogue) -> tuple[ResourceMatch, ...]:
    """Every driver that takes the place of the extended resource `name`, exact names first."""
    index = catalogue.index().resources
    found: list[ResourceMatch] = []
    for pattern in sorted(index, key=lambda each: (each != name, "<" in each)):
        words = _words(pattern, name)
        if words is None:
            continue
        for driver in index[pattern]:
            schema = catalogue.get(driver)
            if schema is None:
                continue
            for resource in schema.device_plugin.resources:
                if resource.name == pattern:
                    selector = _fill(resource.selector, words, resource.replace or {})
                    found.append(ResourceMatch(schema, resource, selector))
        if found and "<" not in pattern:
            break
    return tuple(found)


def class_meant(name: str, catalogue: Catalogue) -> str | None:
    """The class of the driver that people mean by a name, such as that of an extended resource."""
    driver, own = catalogue.get(catalogue.index().mistaken.get(name, "")), None
    if driver is None and "/" in name:
        for each in find_resources(name, catalogue)[:1]:
            driver, own = each.driver, each.resource.device_class
    names = [e.name for e in driver.classes if e.by is None] if driver is not None else []
    head = name.partition(".")[0]
    names.sort(key=lambda e: (e.partition(".")[0] != head, driver is None or e != driver.name))
    return own or next(iter(names), None)


def class_advice(value: str, catalogue: Catalogue, known: Collection[str]) -> str | None:
    """What to write for a name of no class: the `known` one that is meant, else the legal name."""
    head, _, product = value.lower().partition("/")
    meant = head if head in known else class_meant(value, catalogue)
    if meant in known:
        written = f'did you mean "{meant}"?'
        if meant == head and product:
            written += f" {product} is a condition in selectors"
        for each in find_resources(value, catalogue)[:1]:
            if each.selector:
                condition = {"cel": {"expression": each.selector}}
                written = f"write {meant}, with selectors: {render_flow([condition])}"
        return written
    legal = legal_name(value, dots=True)
    return f"write {legal}, if that is the name of the class" if legal else None


def find_labels(key: str, catalogue: Catalogue) -> tuple[LabelMatch, ...]:
    """Every driver whose schema says what the node label `key` means for its devices."""
    index = catalogue.index().labels
    found: list[LabelMatch] = []
    for pattern in sorted(index):
        if _words(pattern, key) is None:
            continue
        for driver in index[pattern]:
            schema = catalogue.get(driver)
            if schema is not None:
                labels = schema.device_plugin.node_labels
                found.extend(LabelMatch(schema, each) for each in labels if each.label == pattern)
    return tuple(found)


def translate_label(match: LabelMatch, key: str, value: str) -> LabelTranslation:
    """The condition on devices that `key=value` stands for."""
    label, schema = match.label, match.driver
    if label.capacity is not None:
        return _capacity(schema, label, value)
    if label.attribute is None:
        return LabelTranslation(None, certain=True, reason=label.why)
    words = _words(label.label, key)
    if words:  # the value is in the key, such as device-id.0300-56a5.present
        value = next(iter(words.values()))
    domain, name, attribute = _attribute(schema, label.attribute)
    access = f"device.attributes[{quote(domain)}].{name}"
    table = label.values or {}
    if value in table:
        return LabelTranslation(f"{access} == {quote(table[value])}", certain=True)
    rule = label.translate or "same"
    if rule.startswith("version"):
        return _version(access, rule, value)
    if rule == "spaces-to-dashes":
        return _spaces(access, attribute, value)
    if rule == "table":
        reason = f"what {key}={value} stands for is not known"
        return LabelTranslation(None, certain=False, reason=reason)
    return _by_rule(access, rule, key, value)


def label_form(value: str) -> str:
    """An attribute's text as NVIDIA's feature discovery makes a label value of it.

    Source: NVIDIA/k8s-device-plugin internal/lm/resource.go (characters that labels cannot hold are
    dropped, fields joined by dashes).
    """
    kept = re.sub(r"[^A-Za-z0-9\-_. ]", "", value)
    return "-".join(kept.split())


def quote(text: str) -> str:
    """`text` as a CEL string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _by_rule(access: str, rule: str, key: str, value: str) -> LabelTranslation:
    if rule == "same":
        return LabelTranslation(f"{access} == {quote(value)}", certain=True)
    if rule == "underscores-to-spaces":
        return LabelTranslation(f"{access} == {quote(value.replace('_', ' '))}", certain=True)
    if rule == "prefix-0x":
        return LabelTranslation(
            f"{access} == {quote('0x' + value.removeprefix('0x'))}", certain=True
        )
    if rule == "integer" and re.fullmatch(r"[0-9]{1,18}", value):
        return LabelTranslation(f"{access} == {int(value)}", certain=True)
    if rule == "boolean" and value in ("true", "false"):
        return LabelTranslation(f"{access} == {value}", certain=True)
    return LabelTranslation(None, certain=False, reason=f"{key}={value} is not a value it can have")


def _version(access: str, rule: str, value: str) -> LabelTranslation:
    parts = value.split(".")
    if not all(re.fullmatch(r"[0-9]{1,18}", part) for part in parts) or len(parts) > 3:
        return LabelTranslation(None, certain=False, reason=f"{value} is not a version")
    numbers = [str(int(part)) for part in parts]
    if rule == "version":
        text = ".".join(([*numbers, "0", "0"])[:3])
        return LabelTranslation(f'{access}.compareTo(semver("{text}")) == 0', certain=True)
    if len(numbers) != 1:
        return LabelTranslation(None, certain=False, reason=f"{value} is not one part of a version")
    part = rule.removeprefix("version-")
    return LabelTranslation(f"{access}.{part}() == {numbers[0]}", certain=True)


def _spaces(access: str, attribute: AttributeSchema | None, value: str) -> LabelTranslation:
    """Undo `label_form` by looking for the example whose label form the value is."""
    examples = () if attribute is None else (*(attribute.values or ()), *attribute.examples)
    found = tuple(str(each) for each in examples if label_form(str(each)) == value)
    if len(found) == 1:
        return LabelTranslation(f"{access} == {quote(found[0])}", certain=True, candidates=found)
    reason = f"which spaces the product name has where the label {value!r} has dashes is not known"
    return LabelTranslation(None, certain=False, reason=reason, candidates=found)


def _capacity(schema: DriverSchema, label: NodeLabel, value: str) -> LabelTranslation:
    domain, _, name = f"{schema.name}/{label.capacity}".rpartition("/")
    access = f"device.capacity[{quote(domain)}].{name}"
    suffix = {"mebibytes": "Mi", "gibibytes": "Gi"}.get(label.translate or "", "")
    match = re.fullmatch(r"([0-9]{1,18})([GM]i?B?)?", value)
    if match is None or (match[2] and label.translate != "gibibytes"):
        return LabelTranslation(None, certain=False, reason=f"{value} is not an amount")
    operator = ">=" if label.comparison == "at-least" else "=="
    selector = f'{access}.compareTo(quantity("{int(match[1])}{suffix}")) {operator} 0'
    if label.comparison == "at-least":
        reason = "a device publishes a little more or less than the label's rounded number"
        return LabelTranslation(selector, certain=False, reason=reason)
    return LabelTranslation(selector, certain=True)


def _attribute(schema: DriverSchema, key: str) -> tuple[str, str, AttributeSchema | None]:
    domain, slash, name = key.partition("/")
    if not slash:
        domain, name = schema.name, key
    known = (kind.attribute(domain, name) for kind in schema.device_types)
    return domain, name, next((each for each in known if each is not None), None)


def _words(pattern: str, name: str) -> dict[str, str] | None:
    """The text for each `<word>` of `pattern` if `name` matches it; {} if it holds none."""
    if "<" not in pattern:
        return {} if pattern == name else None
    parts = re.split(r"<([a-z]+)>", pattern)
    regex = "".join(
        f"(?P<{part}>[^/]+)" if index % 2 else re.escape(part) for index, part in enumerate(parts)
    )
    match = re.fullmatch(regex, name)
    return None if match is None else match.groupdict()


def _fill(selector: str | None, words: Mapping[str, str], replace: Mapping[str, str]) -> str | None:
    if selector is None:
        return None
    for word, text in words.items():
        for old, new in replace.items():
            text = text.replace(old, new)
        selector = selector.replace(f"<{word}>", text)
    return selector
