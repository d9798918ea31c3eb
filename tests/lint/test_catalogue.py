"""The catalogue is what the documents say, and a document names the modules that find its mistake."""

from __future__ import annotations

import ast
import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import dradsl
from dradsl.lint.catalogue import table
from dradsl.lint.catalogue.config_messages import CONFIG_MESSAGES
from dradsl.lint.catalogue.feasibility_messages import FEASIBILITY_MESSAGES
from dradsl.lint.catalogue.request_messages import REQUEST_MESSAGES
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.catalogue.selector_messages import SELECTOR_MESSAGES
from dradsl.lint.catalogue.server_words import wordings
from dradsl.lint.engine.examine import check_of
from dradsl.lint.pages.documents import all_documents, load_document
from dradsl.observations import Facts
from maintenance.rule_tables import table_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.catalogue.messages import Rows

ROOT = Path(dradsl.__file__).parents[1]

# The check that words what a lower layer observes, with the layer's own facts.
OBSERVED: dict[str, Rows] = {
    "dradsl/lint/rules/drivers/selectors.py": SELECTOR_MESSAGES,
    "dradsl/lint/rules/drivers/requests.py": REQUEST_MESSAGES,
    "dradsl/lint/rules/drivers/configs.py": CONFIG_MESSAGES,
    "dradsl/lint/rules/feasibility/claims.py": FEASIBILITY_MESSAGES,
}


@functools.cache
def said(module: str) -> frozenset[str]:
    """The texts and names in a module's code, its documentation left out, and the texts of its table."""
    found = set()
    table = (ROOT / module).with_suffix(".json")
    if table.exists():
        pending = [json.loads(table.read_text("utf-8"))]
        while pending:
            value = pending.pop()
            if isinstance(value, dict | list):
                pending += value.values() if isinstance(value, dict) else value
            elif isinstance(value, str):
                found.add(value)
    for node in ast.walk(ast.parse((ROOT / module).read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return frozenset(found)


def reasons_of(code: str) -> Iterator[str]:
    """What must be in the source of a finding: the server's reason ids, or names of facts."""
    yield from {
        reason.removeprefix("slice:") for reason, row in wordings().items() if row.code == code
    }
    words = json.loads(Path(table.__file__).with_name("text_messages.json").read_text("utf-8"))
    yield from (reason for reason, row in words["reasons"].items() if row[0] == code)
    for rows in OBSERVED.values():
        yield from (facts.__name__ for facts, row in rows.items() if row.code == code)


def test_the_table_is_that_of_the_documents() -> None:
    text = Path(table.__file__).with_name("table.json").read_text("utf-8")
    assert text == table_text(all_documents()), "run python -m maintenance.rule_tables"


@pytest.mark.parametrize("code", RULES)
def test_a_rule_says_where_it_is_checked(code: str) -> None:
    where, reasons = load_document(code).where, set(reasons_of(code))
    names = {code, RULES[code].name}  # what no rule's own module gives goes by the rule's name
    for module in where:
        assert (ROOT / module).is_file(), module
        if module not in OBSERVED:
            assert said(module) & {*names, *reasons}, f"{module} has nothing to do with {code}"
    unexplained = {r for r in reasons if not any(r in said(m) for m in where)}
    assert not unexplained, f"no module under `where` can give {unexplained}"
    checks = {m for m, rows in OBSERVED.items() if any(r.code == code for r in rows.values())}
    assert checks <= set(where)
    assert reasons or any(names & said(module) for module in where)


@pytest.mark.parametrize(
    ("check", "codes"),
    [(check, codes) for check, codes, _ in table.CHECKS],
    ids=[check for check, _, _ in table.CHECKS],
)
def test_checks_are_those_of_their_module(check: str, codes: tuple[str, ...]) -> None:
    module = check_of(check).__module__.replace(".", "/") + ".py"
    assert module == f"dradsl/lint/rules/{check.replace('.', '/')}.py"
    rows = OBSERVED.get(module)
    own = {code for code in RULES if code in said(module)}
    assert set(codes) == (own if rows is None else {row.code for row in rows.values()})


@pytest.mark.parametrize("rows", OBSERVED.values(), ids=OBSERVED)
def test_every_reason_has_words(rows: Rows) -> None:
    """Whatever facts a layer can name have a row."""
    (module,) = {facts.__module__ for facts in rows if facts.__name__ != "UnknownDriver"}
    kinds = {
        each
        for each in vars(__import__(module, fromlist=["*"])).values()
        if isinstance(each, type) and issubclass(each, Facts) and each.__module__ == module
    }
    assert {kind for kind in kinds if not kind.__subclasses__()} <= set(rows)
    assert {row.code for row in rows.values()} <= set(RULES)


@pytest.mark.parametrize("part", ["allocator", "cel", "drivers", "kube", "simulate"])
def test_layers_below_know_no_codes(part: str) -> None:
    """They give reasons and facts; which rule that is, lint alone says."""
    modules = sorted((ROOT / "dradsl" / part).rglob("*.py"))
    assert modules
    for module in modules:
        assert not re.search(r"\bDRA[0-9]{3}\b", module.read_text("utf-8")), module
