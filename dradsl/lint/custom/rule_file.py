"""Reading a file of a team's rules; whatever it holds, a mistake in it has a place and a reason.

Such files are found in whatever tree is checked, so they are read as warily as manifests are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from dradsl.diagnostics import FieldPath, Severity
from dradsl.errors import DradslError
from dradsl.lint.custom.model import CODE, CustomRule, KindPattern, RuleExample, RuleExpression
from dradsl.text.documents import SCHEMA_LIMITS, Document, load
from dradsl.text.files import SETTINGS_BYTES, FileError, StrPath, read_bytes
from dradsl.text.paths import PathError, locate, parse_path
from dradsl.values.limits import (
    LONGEST_RULE_EXPRESSION,
    LONGEST_RULE_TEXT,
    MOST_EXAMPLES,
    MOST_TEAM_RULES,
)
from dradsl.values.patterns import pattern
from dradsl.values.shown import shortened, shown

__all__ = ["RuleFileError", "read_rule_file"]

_SHOWN = 300

_NAME = pattern(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_KIND = pattern(r"[A-Za-z0-9*?]+")
_API_VERSION = pattern(r"[A-Za-z0-9*?./-]+")
_KEYS = (
    "code", "name", "severity", "kinds", "templates", "cel", "message", "messageExpression",
    "path", "why", "help", "url", "examples",
)  # fmt: skip
_REQUIRED = ("code", "name", "severity", "kinds", "cel", "message")
# Kinds that are meant where a plural or other capitals are written.
_KINDS = (
    "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "ResourceSlice",
    "Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Namespace",
)  # fmt: skip


class RuleFileError(DradslError, ValueError):
    """A file of rules that cannot be used: the file, the line if there is one, the reason."""

    def __init__(self, path: StrPath, message: str, line: int | None = None) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
        self.path = path
        self.message = message
        self.line = line


def read_rule_file(path: StrPath) -> tuple[CustomRule, ...]:
    """The rules in a file.

    Raises:
        RuleFileError: if it cannot be read, or holds what is no rule.
    """
    try:
        data = read_bytes(path, SETTINGS_BYTES)
    except FileError as error:
        reason = str(error).removeprefix(f"{error.path}: ")
        raise RuleFileError(path, f"cannot be read: {reason}") from error
    stream = load(data, SCHEMA_LIMITS)
    for problem in stream.all_problems():
        raise RuleFileError(path, shortened(problem.message, _SHOWN), problem.span.line)
    if len(stream.documents) != 1:
        line = stream.documents[1].span.line if stream.documents else None
        raise RuleFileError(path, "expected one document with a list `rules`", line)
    return _File(path, stream.documents[0]).rules()


class _File:
    """The document of a rule file, read field by field."""

    def __init__(self, path: StrPath, document: Document) -> None:
        self._path = path
        self._document = document

    def rules(self) -> tuple[CustomRule, ...]:
        data = self._document.data
        if not isinstance(data, dict) or not isinstance(data.get("rules"), list):
            raise self._error("expected a list `rules`", ())
        self._expect_keys(data, ("rules",), ())
        if len(data["rules"]) > MOST_TEAM_RULES:
            raise self._error(
                f"{len(data['rules'])} rules; the limit is {MOST_TEAM_RULES}", ("rules",)
            )
        found: list[CustomRule] = []
        for index, rule in enumerate(data["rules"]):
            at = ("rules", index)
            read = self._rule(rule, at)
            for other in found:
                if other.code == read.code:
                    raise self._error(f"the code {read.code} is used twice", (*at, "code"))
                if other.name == read.name:
                    raise self._error(f"the name {read.name} is used twice", (*at, "name"))
            found.append(read)
        return tuple(found)

    def _rule(self, data: object, at: FieldPath) -> CustomRule:
        if not isinstance(data, dict):
            raise self._error(f"a rule is a mapping, not {shown(data)}", at)
        self._expect_keys(data, _KEYS, at)
        for key in _REQUIRED:
            if key not in data:
                raise self._error(f"the rule has no `{key}`", at)
        code = self._text(data, at, "code")
        if CODE.fullmatch(code) is None:
            hint = "codes that begin with DRA are ours" if code.upper().startswith("DRA") else None
            raise self._error(
                f"{shown(code)} is not a code of a rule: {hint or 'capitals and digits, such as ACME001'}",
                (*at, "code"),
            )
        name = self._text(data, at, "name")
        if _NAME.fullmatch(name) is None or len(name) > 60:
            raise self._error(
                f"{shown(name)} is not a name of a rule: small letters, digits and hyphens, such as"
                " claim-owner",
                (*at, "name"),
            )
        templates = data.get("templates", True)
        if not isinstance(templates, bool):
            raise self._error("`templates` is true or false", (*at, "templates"))
        return CustomRule(
            code=code,
            name=name,
            severity=self._severity(data, at),
            kinds=self._kinds(data["kinds"], (*at, "kinds")),
            condition=self._expression(data, at, "cel"),
            message=self._line(data, at, "message"),
            message_expression=self._expression(data, at, "messageExpression")
            if "messageExpression" in data
            else None,
            templates=templates,
            path=self._field_path(data, at),
            why=self._text(data, at, "why") if "why" in data else None,
            help=self._line(data, at, "help") if "help" in data else None,
            url=self._url(data, at),
            examples=self._examples(data.get("examples"), (*at, "examples")),
            source=self._path,
            line=self._line_of(at),
        )

    # -- fields --

    def _severity(self, data: Mapping[str, object], at: FieldPath) -> Severity:
        value = data["severity"]
        if not isinstance(value, str) or value not in tuple(Severity):
            raise self._error(
                f"`severity` is one of error, warning, info, not {shown(value)}", (*at, "severity")
            )
        return Severity(value)

    def _kinds(self, value: object, at: FieldPath) -> tuple[KindPattern, ...]:
        if not isinstance(value, list) or not value or len(value) > 100:
            raise self._error("`kinds` is a list of kinds, such as [ResourceClaim]", at)
        return tuple(self._kind(each, (*at, index)) for index, each in enumerate(value))

    def _kind(self, value: object, at: FieldPath) -> KindPattern:
        kind, api_version = value, "*"
        if isinstance(value, dict):
            self._expect_keys(value, ("kind", "apiVersion"), at)
            kind, api_version = value.get("kind"), value.get("apiVersion", "*")
        if not isinstance(kind, str) or _KIND.fullmatch(kind) is None or len(kind) > 100:
            raise self._error(f"{shown(kind)} is not a kind", at)
        if (
            not isinstance(api_version, str)
            or _API_VERSION.fullmatch(api_version) is None
            or len(api_version) > 100
        ):
            raise self._error(f"{shown(api_version)} is not an apiVersion", at)
        for known in _KINDS:
            plural = f"{known}es" if known.endswith("s") else f"{known}s"
            if kind != known and kind.lower() in (known.lower(), plural.lower()):
                raise self._error(f"{shown(kind)} is not a kind; did you mean {known}?", at)
        return KindPattern(kind, api_version)

    def _expression(self, data: Mapping[str, object], at: FieldPath, key: str) -> RuleExpression:
        text = self._text(data, at, key, LONGEST_RULE_EXPRESSION)
        root = self._document.root
        found = None if root is None else locate(root, (*at, key))
        node = found.node if found is not None and found.exact else None
        return RuleExpression(text, self._line_of((*at, key)), node)

    def _field_path(self, data: Mapping[str, object], at: FieldPath) -> FieldPath:
        if "path" not in data:
            return ()
        try:
            return parse_path(self._line(data, at, "path"))
        except PathError as error:
            raise self._error(f"`path`: {shortened(str(error), _SHOWN)}", (*at, "path")) from error

    def _url(self, data: Mapping[str, object], at: FieldPath) -> str | None:
        if "url" not in data:
            return None
        url = self._line(data, at, "url")
        if not url.startswith(("https://", "http://")) or any(c.isspace() for c in url):
            raise self._error(f"{shown(url)} is not an address", (*at, "url"))
        return url

    def _examples(self, value: object, at: FieldPath) -> tuple[RuleExample, ...]:
        if value is None:
            return ()
        if not isinstance(value, dict):
            raise self._error("`examples` has lists `good` and `bad`", at)
        self._expect_keys(value, ("good", "bad"), at)
        found: list[RuleExample] = []
        for key in ("good", "bad"):
            items = value.get(key) or []
            if not isinstance(items, list) or len(items) > MOST_EXAMPLES:
                raise self._error(
                    f"`{key}` is a list of manifests, {MOST_EXAMPLES} at most", (*at, key)
                )
            for index, item in enumerate(items):
                place = (*at, key, index)
                if isinstance(item, dict):
                    item = json.dumps(item, indent=2)  # as a document: JSON is YAML
                if not isinstance(item, str) or not item.strip():
                    raise self._error("an example is a manifest, or the text of some", place)
                found.append(RuleExample(key == "bad", item, self._line_of(place)))
        return tuple(found)

    def _text(
        self, data: Mapping[str, object], at: FieldPath, key: str, most: int = LONGEST_RULE_TEXT
    ) -> str:
        value = data[key]
        if not isinstance(value, str) or not value.strip():
            raise self._error(f"`{key}` is a text, not {shown(value)}", (*at, key))
        if len(value) > most:
            raise self._error(
                f"`{key}` has {len(value)} characters; the limit is {most}", (*at, key)
            )
        return value

    def _line(self, data: Mapping[str, object], at: FieldPath, key: str) -> str:
        text = self._text(data, at, key).strip()
        if "\n" in text or "\r" in text:
            raise self._error(f"`{key}` is one line", (*at, key))
        return text

    # -- places --

    def _expect_keys(
        self, data: Mapping[str, object], known: tuple[str, ...], at: FieldPath
    ) -> None:
        for key in data:
            if key not in known:
                from difflib import get_close_matches

                near = get_close_matches(str(key), known, n=1) if len(str(key)) < 100 else ()
                hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
                raise self._error(f"unknown field {shown(key)}{hint}", (*at, str(key)))

    def _line_of(self, at: FieldPath) -> int:
        root = self._document.root
        return 1 if root is None else locate(root, at).best_span.line

    def _error(self, message: str, at: FieldPath) -> RuleFileError:
        return RuleFileError(self._path, message, self._line_of(at))
