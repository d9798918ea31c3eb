"""Objects that are right stay silent, whichever of their values is not known."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.lint.engine.run import lint_text

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = Path(__file__).parents[2] / "rules"
_GOOD = re.compile(r'```yaml title="good"[^\n]*\n(.*?)```', re.DOTALL)
# What says what an object is: without it there is none.
_IDENTITY = (("apiVersion",), ("kind",))
# Each takes its time; the codes of one family are alike.
_STEP = 5


def examples() -> Iterator[tuple[str, list[Any]]]:
    for path in sorted(RULES.glob("DRA*.md")):
        for number, match in enumerate(_GOOD.finditer(path.read_text(encoding="utf-8"))):
            try:
                documents = [each for each in yaml.safe_load_all(match[1]) if each]
            except yaml.YAMLError:
                continue  # a good example of something else than YAML
            if documents and all(isinstance(each, dict) and "kind" in each for each in documents):
                yield f"{path.stem}-{number}", documents


def scalars(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from scalars(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from scalars(each, (*path, index))
    else:
        yield path


def put(document: Any, path: tuple[Any, ...], value: str) -> Any:
    made = here = copy.deepcopy(document)
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return made


def codes(documents: list[Any]) -> set[str]:
    return {each.code for each in lint_text(yaml.safe_dump_all(documents)).findings}


CASES = dict(examples())


@pytest.mark.parametrize("name", CASES)
def test_good_examples_with_a_hole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRADSL_DEBUG", "1")
    documents = CASES[name]
    known = codes(documents)
    holes = [
        (index, path)
        for index, document in enumerate(documents)
        for path in scalars(document)
        if path not in _IDENTITY
    ]
    first = list(CASES).index(name) % _STEP
    for index, path in holes[first::_STEP]:
        for hole in ("${X}", "{{ .x }}"):
            changed = [*documents]
            changed[index] = put(documents[index], path, hole)
            assert codes(changed) <= known, (index, path, hole)
