"""Reading a file of a team's rules; whatever it holds, a mistake in it has a place and a reason.

Such files are found in whatever tree is checked, so they are read as warily as manifests are. Their shape is in
`schemas/custom-rules.schema.json`; its descriptions are the words for what has another one.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from dradsl.data import data_path
from dradsl.diagnostics import FieldPath, Severity
from dradsl.drivers.json_schema import stand_in_for_rpds
from dradsl.lint.custom.model import CustomRule, KindPattern, RuleExample, RuleExpression
from dradsl.lint.settings.config_file import bytes_of, document_of
from dradsl.lint.settings.problems import ConfigError
from dradsl.text.documents import SCHEMA_LIMITS, Document
from dradsl.text.files import SETTINGS_BYTES, StrPath, read_bytes
from dradsl.text.paths import PathError, locate, parse_path
from dradsl.values.limits import (
    LONGEST_RULE_EXPRESSION,
    LONGEST_RULE_TEXT,
    MOST_EXAMPLES,
    MOST_TEAM_RULES,
)
from dradsl.values.shown import shortened, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["read_rule_file"]

_SHOWN = 300
_EXPRESSIONS = ("cel", "messageExpression")
_ONE_LINE = ("message", "path", "help", "url")
# Kinds that are meant where a plural or other capitals are written.
_KINDS = (
    "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "ResourceSlice",
    "Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Namespace",
)  # fmt: skip


def read_rule_file(path: StrPath) -> tuple[CustomRule, ...]:
    """The rules in a file.

    Raises:
        ConfigError: if it cannot be read, or holds what is no rule.
    """
    document = document_of(path, bytes_of(path), SCHEMA_LIMITS)
    if document is None:
        raise ConfigError(path, "expected one document with a list `rules`")
    return _File(path, document).rules()


class _File:
    """The document of a rule file."""

    def __init__(self, path: StrPath, document: Document) -> None:
        self._path = path
        self._document = document

    def rules(self) -> tuple[CustomRule, ...]:
        data: Any = self._document.data
        faults = sorted(_validator().iter_errors(data), key=_rank)
        if faults:
            raise self._error(*_in_words(faults[0]))
        self._expect_few(data["rules"], MOST_TEAM_RULES, ("rules",))
        found: dict[str, CustomRule] = {}
        for index, rule in enumerate(data["rules"]):
            at = ("rules", index)
            read = self._rule(rule, at)
            for key in ("code", "name"):
                if rule[key] in found:
                    raise self._error(f"the {key} {rule[key]} is used twice", (*at, key))
                found[rule[key]] = read
        return tuple(dict.fromkeys(found.values()))

    def _rule(self, rule: Mapping[str, Any], at: FieldPath) -> CustomRule:
        for key, value in rule.items():
            if isinstance(value, str):
                self._expect_text(key, value, (*at, key))
        later = rule.get("messageExpression")
        return CustomRule(
            code=rule["code"],
            name=rule["name"],
            severity=Severity(rule["severity"]),
            kinds=tuple(
                self._kind(each, (*at, "kinds", n)) for n, each in enumerate(rule["kinds"])
            ),
            condition=self._expression(rule["cel"], (*at, "cel")),
            message=rule["message"].strip(),
            message_expression=later and self._expression(later, (*at, "messageExpression")),
            templates=rule.get("templates", True),
            path=self._field_path(rule.get("path"), (*at, "path")),
            why=rule.get("why"),
            help=rule["help"].strip() if "help" in rule else None,
            url=rule["url"].strip() if "url" in rule else None,
            examples=tuple(self._examples(rule.get("examples") or {}, (*at, "examples"))),
            source=self._path,
            line=self._line_of(at),
        )

    def _expect_text(self, key: str, value: str, at: FieldPath) -> None:
        most = LONGEST_RULE_EXPRESSION if key in _EXPRESSIONS else LONGEST_RULE_TEXT
        if len(value) > most:
            raise self._error(f"`{key}` has {len(value)} characters; the limit is {most}", at)
        if not value.strip():
            raise self._error(f"`{key}` is a text, not {shown(value)}", at)
        if key in _ONE_LINE and len(value.strip().splitlines()) > 1:
            raise self._error(f"`{key}` is one line", at)

    def _expect_few(self, items: list[Any], most: int, at: FieldPath) -> None:
        if len(items) > most:
            raise self._error(f"`{at[-1]}` has {len(items)} entries; the limit is {most}", at)

    def _kind(self, value: Any, at: FieldPath) -> KindPattern:
        written = {"kind": value} if isinstance(value, str) else value
        kind = written["kind"]
        for known in _KINDS:
            plural = f"{known}es" if known.endswith("s") else f"{known}s"
            if kind != known and kind.lower() in (known.lower(), plural.lower()):
                raise self._error(f"{shown(kind)} is not a kind; did you mean {known}?", at)
        return KindPattern(kind, written.get("apiVersion", "*"))

    def _expression(self, text: str, at: FieldPath) -> RuleExpression:
        root = self._document.root
        found = None if root is None else locate(root, at)
        node = found.node if found is not None and found.exact else None
        return RuleExpression(text, self._line_of(at), node)

    def _field_path(self, text: str | None, at: FieldPath) -> FieldPath:
        try:
            return () if text is None else parse_path(text.strip())
        except PathError as error:
            raise self._error(f"`path`: {shortened(str(error), _SHOWN)}", at) from error

    def _examples(self, lists: Mapping[str, Any], at: FieldPath) -> Iterator[RuleExample]:
        for key in ("good", "bad"):
            items = lists.get(key) or []
            self._expect_few(items, MOST_EXAMPLES, (*at, key))
            for index, item in enumerate(items):
                # As a document: JSON is YAML.
                text = json.dumps(item, indent=2) if isinstance(item, dict) else item
                yield RuleExample(key == "bad", text, self._line_of((*at, key, index)))

    def _line_of(self, at: FieldPath) -> int:
        root = self._document.root
        return 1 if root is None else locate(root, at).best_span.line

    def _error(self, message: str, at: FieldPath) -> ConfigError:
        return ConfigError(self._path, message, self._line_of(at))


@functools.cache
def _validator() -> Any:
    stand_in_for_rpds()
    from jsonschema import Draft202012Validator

    schema = read_bytes(data_path("schemas", "custom-rules.schema.json"), SETTINGS_BYTES)
    return Draft202012Validator(json.loads(schema))


def _rank(fault: Any) -> tuple[list[int], bool]:
    """The order of faults: a name that is wrong goes before the one that is therefore missing, in each rule."""
    rule = [each for each in fault.absolute_path if isinstance(each, int)][:1]
    return rule, fault.validator != "additionalProperties"


def _in_words(fault: Any) -> tuple[str, FieldPath]:
    """What is wrong with the shape of a file, and where."""
    at, value, schema = tuple(fault.absolute_path), fault.instance, fault.schema
    if fault.validator == "additionalProperties":
        known = [*schema["properties"]]
        key = str(next(key for key in value if key not in known))
        near = get_close_matches(key[:100], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
        return f"unknown field {shown(key)}; {hint}", (*at, key)
    if fault.validator == "required":
        missing = next(key for key in schema["required"] if key not in value)
        return f"`{missing}` is missing: expected {schema['description']}", at
    name = "the file"
    if at:
        name = f"`{at[-1]}`" if isinstance(at[-1], str) else f"an entry of `{at[-2]}`"
    return f"{name} is {schema['description']}, not {shown(value)}", at
