"""Writes the table of the rules and their checks, `dradsl/lint/catalogue/table.json`, from the front matter of `rules/*.md`.

`python -m maintenance.rule_tables`. A run cannot read 165 Markdown files first, so what it needs
of them is kept as one table; a test says when the command was forgotten.

The severity of a rule follows one principle. Error: it will not work, or destroys something, and that
follows from what is visible. Warning: it will surprise, and that follows too. A guess is an info.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.lint.catalogue.traits import RuleTraits
    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["check_front_matter", "main", "table_text"]

_RULES = "dradsl/lint/rules/"
# Modules there that no rule has to itself: the engine asks the API server's rules for each object.
_NOT_CHECKS = (f"{_RULES}api_server.py",)


def table_text(documents: Iterable[RuleDocument]) -> str:
    """What `lint/catalogue/table.json` should hold."""
    documents = tuple(documents)
    numbers: dict[tuple[object, ...], int] = {}
    for each in documents:
        numbers.setdefault(_values(each.traits), len(numbers))
    parts = {
        "traits": _listed(numbers),
        "rules": _listed(
            (
                each.code,
                each.name,
                each.severity,
                each.needs,
                numbers[_values(each.traits)],
            )
            for each in documents
        ),
        "follows": _by_code((each.code, each.follows) for each in documents if each.follows),
        "remedies in Python": _by_code(
            (each.code, remedy) for each in documents for remedy in each.python.items()
        ),
        "checks": _listed(_checks(documents)),
    }
    return "{\n" + ",\n".join(f"{_json(name)}: {text}" for name, text in parts.items()) + "\n}\n"


def _checks(documents: Iterable[RuleDocument]) -> Iterator[tuple[object, ...]]:
    """The modules that check a whole run, each with its codes and words."""
    checks = dict[str, list[str]]()
    for each in documents:
        for module in each.where:
            if module.startswith(_RULES) and module not in _NOT_CHECKS:
                checks.setdefault(module, []).append(each.code)
    for module, codes in checks.items():
        yield _dotted(module.removeprefix(_RULES)), codes, _words(module)


def _words(module: str) -> list[list[object]]:
    """The words of a rule as the table has them; none of a rule that names none, which is always asked."""
    from importlib import import_module

    declared = getattr(import_module(_dotted(module)), "WORDS", ())
    rows = [each if isinstance(each, tuple | frozenset) else (each,) for each in declared]
    return [sorted(row, key=str) for row in rows]


def _values(traits: RuleTraits) -> tuple[object, ...]:
    return tuple(getattr(traits, name) for name in traits.__annotations__)


def _listed(rows: Iterable[object]) -> str:
    return "[\n  " + ",\n  ".join(map(_json, rows)) + "\n]"


def _by_code(rows: Iterable[tuple[str, object]]) -> str:
    return "{\n  " + ",\n  ".join(f"{_json(code)}: {_json(row)}" for code, row in rows) + "\n}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def check_front_matter(text: str, file_name: str) -> None:
    """See to it that the front matter of a document has the form of `schemas/rule.schema.json`.

    Raises:
        DocumentError: for the first key that has not.
    """
    from pathlib import Path

    import yaml
    from jsonschema import Draft202012Validator

    from dradsl.data import data_folder
    from dradsl.lint.pages.documents import DocumentError
    from dradsl.releases import UnknownReleaseError, parse_releases

    try:
        matter = yaml.load(text.split("---\n", 2)[1], yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise DocumentError(f"{file_name}: front matter: {error}") from error
    schema = json.loads(Path(data_folder("schemas"), "rule.schema.json").read_text("utf-8"))
    for fault in Draft202012Validator(schema).iter_errors(matter):
        place = "".join(f"{each}: " for each in fault.absolute_path)
        raise DocumentError(f"{file_name}: {place}{fault.message}")
    if str(matter["family"]) != matter["code"][3]:
        raise DocumentError(f"{file_name}: family is the first digit of the code")
    try:
        if matter["releases"] != "all":
            parse_releases(matter["releases"])
    except UnknownReleaseError as error:
        raise DocumentError(f"{file_name}: releases: {error}") from error


def main() -> None:
    """Write the table anew."""
    from pathlib import Path

    from dradsl.lint import catalogue
    from dradsl.lint.pages.documents import all_documents, document_paths

    for page in document_paths().values():
        check_front_matter(page.read_text("utf-8"), page.name)
    path = Path(catalogue.__file__).with_name("table.json")
    path.write_text(table_text(all_documents()), "utf-8")


if __name__ == "__main__":
    main()
