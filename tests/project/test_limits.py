"""One table holds the limits of what input may cost; docs/limits.md is made from it, and no module has its own.

How it tells a limit from another number: by its name. A whole number with a name of its own that begins with one of
`_WORDS` bounds input, and belongs into the table. What a message shows is called `_SHOWN…`, what is kept in
memory `_KEPT…`, and neither changes an answer. Numbers of upstream stay beside the code that follows it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dradsl.values import limits
from maintenance.limits_page import PAGE, page, rows

PACKAGE = Path(__file__).parents[2] / "dradsl"
_WORDS = re.compile(
    r"_?(MOST|LARGEST|LONGEST|MAX|LEVELS|ROUNDS|PASSES|STEPS|BUDGET|SUBCHARTS|PATIENCE)(?![A-Z])"
)
# What a type of Go holds, and what bounds nothing but work within one answer of upstream.
_NO_LIMIT = re.compile(r"_?MAX_U?INT64")
# Numbers of Kubernetes, CEL and Go: of their files, with their names.
_OF_UPSTREAM = ("allocator", "cel", "kube", "regexp", "releases", "values")
# The sizes of files have a table of their own on the page, compared with it by tests/text/test_limits.py.
_SIZES = ("lint/settings/options.py", "recordings.py", "text/files.py")


def own_limits(path: Path) -> list[str]:
    """The names of the limits that a module has itself."""
    found = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign):
            names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            continue
        if node.value is not None and is_number(node.value):
            found += [n for n in names if _WORDS.match(n) and not _NO_LIMIT.fullmatch(n)]
    return found


def is_number(node: ast.expr) -> bool:
    return all(isinstance(each, ast.Constant | ast.BinOp | ast.operator) for each in ast.walk(node))


# Numbers that look like limits and limit no input, or stand elsewhere on the page; all others belong to the table.
_SHOWN = "how much of a text or list is shown: nothing is left out of the work"
_OF_OTHERS = "a number of Kubernetes, Kueue or GitHub, beyond which these reject"
_KEPT = "how much is remembered: what comes after is worked out each time"
_ON_THE_PAGE = "stands on the page by hand, held by tests/text/test_limits.py"
_OF_PYTHON = "what a program in Python nests or passes through"
ELSEWHERE: dict[str, str] = {
    "api/fleet.py": _OF_OTHERS,
    "cli/isolation.py": _SHOWN,
    "drivers/abstract/explore.py": _ON_THE_PAGE,
    "drivers/abstract/texts.py": "what strings of drivers hold at most: longer repetitions match none of them",
    "drivers/schema/read.py": _SHOWN,
    "drivers/schema/yaml_data.py": _SHOWN,
    "dsl/checking/check.py": _SHOWN,
    "dsl/data/frozen.py": _OF_PYTHON,
    "dsl/data/places.py": _OF_PYTHON,
    "dsl/expressions/nodes.py": _OF_PYTHON,
    "lint/catalogue/config_messages.py": _SHOWN,
    "lint/catalogue/feasibility_messages.py": _SHOWN,
    "lint/catalogue/server_words.py": _SHOWN,
    "lint/report/sarif.py": _ON_THE_PAGE,
    "lint/rules/drivers/cases.py": _KEPT,
    "lint/rules/ecosystem/kueue_configuration.py": _OF_OTHERS,
    "lint/rules/references/shared_claims.py": _OF_OTHERS,
    "lint/rules/requests/classes.py": _OF_OTHERS,
    "migrate/kustomize/tree.py": _SHOWN,
    "migrate/planning/plan.py": _OF_OTHERS,
    "migrate/report/sections.py": _SHOWN,
    "simulate/chance/orders.py": _ON_THE_PAGE,
    "simulate/plugin/scores.py": _OF_OTHERS,
    "simulate/relax.py": _ON_THE_PAGE,
    "simulate/report/html.py": _ON_THE_PAGE,
}


def test_no_module_has_limits_of_its_own() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.split("/")[0] not in _OF_UPSTREAM and name not in _SIZES:
            found += [name] if own_limits(path) else []
    assert found == list(ELSEWHERE)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("_MOST_FILES = 2_000", ["_MOST_FILES"]),
        ("LONGEST: int = 4 * 1024", ["LONGEST"]),
        ("_SHOWN = 3\n_KEPT = 64\n_MOSTLY = 1\n_MAX_INT64 = 2**63 - 1\n_MOST = names()", []),
    ],
)
def test_limits_are_told_by_their_names(text: str, own: list[str], tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text + "\n")
    assert own_limits(path) == own


def test_every_limit_has_a_row() -> None:
    assert sorted(rows()) == sorted(name for name in vars(limits) if name.isupper())


def test_the_page_is_made_from_the_table() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "python -m maintenance.limits_page"
