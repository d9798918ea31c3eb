"""The table of reasons against the code that gives them."""

from __future__ import annotations

import ast
from pathlib import Path

import dradsl.kube
from dradsl.kube.fields.decoding import _misplaced_fields, _other_kinds
from dradsl.kube.validation.declarative_reasons import reasons_by_rule
from tests.kube.reasons import reasons

_CONSTRUCTORS = {
    "required",
    "invalid",
    "not_supported",
    "duplicate",
    "too_many",
    "too_long",
    "forbidden",
    "not_found",
    "internal",
    "FieldError",
    "_unmatched",
}
_OTHER_FILES = ("declarative.py", "declarative_formats.py", "reasons.py")


def _literals() -> set[str]:
    """Every string in the package that has the form of a reason id."""
    found: set[str] = set()
    for file in Path(dradsl.kube.__file__).parent.rglob("*.py"):
        if file.name == "reasons.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    rows = [*_misplaced_fields().values(), *_other_kinds().values()]
    return found | {reason for reason, _ in rows}


def _given() -> set[str]:
    """Reasons that are written out where an error is made."""
    found: set[str] = set()
    for file in Path(dradsl.kube.__file__).parent.rglob("*.py"):
        if file.name in _OTHER_FILES:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in _CONSTRUCTORS and len(node.args) > 1:
                argument = node.args[1]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    found.add(argument.value)
            for keyword in node.keywords:
                if keyword.arg in ("reason", "duplicate_reason") and isinstance(
                    keyword.value, ast.Constant
                ):
                    found.add(str(keyword.value.value))
    return found


def test_every_given_reason_is_in_the_table() -> None:
    assert _given() <= set(reasons())


def test_every_row_is_given_somewhere() -> None:
    assert set(reasons()) <= {*_literals(), *reasons_by_rule().values()}


def test_reasons_of_declarative_rules_are_in_the_table() -> None:
    assert set(reasons_by_rule().values()) <= set(reasons())


def test_ids_are_kebab_case_and_rows_complete() -> None:
    for reason in reasons().values():
        assert reason.id == reason.id.lower()
        assert set(reason.id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert reason.meaning
        assert reason.types


def test_every_declarative_rule_has_a_reason() -> None:
    from dradsl.kube.validation import declarative_rules

    for type_name in declarative_rules._lines():
        block = declarative_rules._block(type_name)
        assert block is not None
        for field, rules in block.fields.items():
            for rule in rules:
                keys = {f"{field} {rule.name}", rule.name}
                assert keys & reasons_by_rule().keys(), (type_name, field, rule.name)
