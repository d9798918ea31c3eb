"""Writes the catalogue's tables and the table of checks from the front matter of `rules/*.md`.

`python -m maintenance.rule_tables`. A run cannot read 165 Markdown files first, so what it needs
of them is kept as modules; a test says when the command was forgotten.

The severity of a rule follows one principle. Error: it will not work, or destroys something, and that
follows from what is visible. Warning: it will surprise, and that follows too. A guess is an info.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.lint.catalogue.traits import RuleTraits
    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["checks_text", "main", "python_text", "table_text"]

_RULES = "dradsl/lint/rules/"
# Modules there that no rule has to itself: the engine asks the API server's rules for each object.
_NOT_CHECKS = (f"{_RULES}api_server.py",)

_ROWS_HEAD = '''\
"""What a run needs of the rule documents: written by `python -m maintenance.rule_tables`.

Do not edit: change the front matter of `rules/*.md` and run the command.

Severities: "error" = it will not work, or destroys something, and that follows from what is visible;
"warning" = it will surprise, and that follows too; a guess is an "info".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from dradsl.lint.catalogue.traits import About, Compares, Editor, Elsewhere, Hides, Shown

    Need: TypeAlias = Literal["schema", "classes", "inventory", "old"]
    Default: TypeAlias = Literal["error", "warning", "info"]
    Row: TypeAlias = tuple[str, str, Default, tuple[Need, ...], tuple[str, ...], int]
    TraitRow: TypeAlias = tuple[
        About, Hides, Compares, tuple[Elsewhere, ...], bool, Shown, bool, Editor
    ]

__all__ = ["FOLLOWS", "ROWS", "TRAITS"]

# fmt: off
TRAITS: tuple[TraitRow, ...] = (
'''

_ROWS = """\
)

# Code, name, severity, what the rule needs, the modules that find the mistake, and which of the traits above it has.
ROWS: tuple[Row, ...] = (
"""

_FOLLOWS = """\
)

# The causes from which findings of a rule follow: the code of each, and where it stands from there.
FOLLOWS: dict[str, tuple[tuple[str, str], ...]] = {
"""

_PYTHON_HEAD = '''\
"""Remedies for readers who wrote Python: written by `python -m maintenance.rule_tables`.

Do not edit: change `python:` in the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    When: TypeAlias = Literal["always", "otherwise", "pods"]

__all__ = ["REMEDIES"]

# Code, when the remedy is given (whatever lint says, where lint says nothing, for pods of plain data), and its text.
# fmt: off
REMEDIES: Mapping[str, tuple[When, str]] = MappingProxyType({
'''

_CHECKS_HEAD = '''\
"""The checks of the rules that look at a whole run: written by `python -m maintenance.rule_tables`.

Do not edit: change the front matter of `rules/*.md` and run the command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.lint.view.triggers import Triggers

__all__ = ["CHECKS"]

# fmt: off
# The modules below dradsl.lint.rules, each with the codes that its `check` can find, and the words without which it
# finds none (its `WORDS`).
CHECKS: tuple[tuple[str, tuple[str, ...], Triggers], ...] = (
'''


_END = """\
)
# fmt: on
"""


def table_text(documents: Iterable[RuleDocument]) -> str:
    """What `lint/catalogue/table.py` should hold."""
    documents = tuple(documents)
    numbers: dict[tuple[object, ...], int] = {}
    for each in documents:
        numbers.setdefault(_values(each.traits), len(numbers))
    traits = (f"    ({', '.join(map(_written, values))}),\n" for values in numbers)
    rows = (
        f'    ("{each.code}", "{each.name}", "{each.severity}", '
        f"{_texts(each.needs)}, {_texts(each.where)}, {numbers[_values(each.traits)]}),\n"
        for each in documents
    )
    follows = (
        f"    {_quoted(each.code)}: {_row(map(_written, each.follows))},\n"
        for each in documents
        if each.follows
    )
    return "".join([_ROWS_HEAD, *traits, _ROWS, *rows, _FOLLOWS, *follows, "}\n# fmt: on\n"])


def python_text(documents: Iterable[RuleDocument]) -> str:
    """What `lint/catalogue/python_remedies.py` should hold."""
    rows = (
        f"    {_quoted(each.code)}: ({_quoted(kind)}, {_string(text)}),\n"
        for each in documents
        for kind, text in each.python.items()
    )
    return "".join([_PYTHON_HEAD, *rows, "})\n# fmt: on\n"])


def _values(traits: RuleTraits) -> tuple[object, ...]:
    return tuple(getattr(traits, name) for name in traits.__annotations__)


def _written(value: object) -> str:
    return _texts(value) if isinstance(value, tuple) else _quoted(value)


def _string(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


def checks_text(documents: Iterable[RuleDocument]) -> str:
    """What `lint/rules/table.py` should hold."""
    checks = dict[str, list[str]]()
    for each in documents:
        for module in each.where:
            if module.startswith(_RULES) and module not in _NOT_CHECKS:
                checks.setdefault(module, []).append(each.code)
    rows = (
        f"    ({_quoted(_dotted(module.removeprefix(_RULES)))}, {_texts(codes)}, {_words(module)}),\n"
        for module, codes in checks.items()
    )
    return "".join([_CHECKS_HEAD, *rows, _END])


def _words(module: str) -> str:
    """The words of a rule as the table has them; none of a rule that names none, which is always asked."""
    from importlib import import_module

    declared = getattr(import_module(_dotted(module)), "WORDS", ())
    rows = [tuple(each) if isinstance(each, tuple | frozenset) else (each,) for each in declared]
    return _row(_row(map(_quoted, sorted(row, key=str))) for row in rows)


def _row(items: Iterable[str]) -> str:
    written = list(items)
    return f"({written[0]},)" if len(written) == 1 else f"({', '.join(written)})"


def _quoted(word: object) -> str:
    return f'"{word}"' if isinstance(word, str) else repr(word)


def _dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def _texts(values: Iterable[str]) -> str:
    return _row(map(_quoted, values))


def main() -> None:
    """Write the tables anew."""
    from pathlib import Path

    from dradsl.lint import catalogue
    from dradsl.lint.pages.documents import all_documents

    lint = Path(catalogue.__file__).parents[1]
    documents = tuple(all_documents())
    (lint / "catalogue/table.py").write_text(table_text(documents), "utf-8")
    (lint / "catalogue/python_remedies.py").write_text(python_text(documents), "utf-8")
    (lint / "rules/table.py").write_text(checks_text(documents), "utf-8")


if __name__ == "__main__":
    main()
