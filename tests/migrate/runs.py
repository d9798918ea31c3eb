"""Running migrations on texts and files, as the tests of this folder do."""

from __future__ import annotations

import difflib
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.migrate.planning.answers import Answers
from dradsl.migrate.run import Options, migrate
from dradsl.recordings import read_recording
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.migrate.result import Item, Migration

HERE = Path(__file__).parent
INPUTS = sorted((HERE / "inputs").glob("*.yaml"))


@functools.cache
def fleet() -> tuple[Any, ...]:
    """The recorded objects of fleet.yaml."""
    return tuple(read_recording(HERE / "fleet.yaml"))


def run(
    text: str | bytes,
    name: str = "a.yaml",
    answers: Mapping[str, object] | None = None,
    **options: Any,
) -> Migration:
    """The migration of one file's text."""
    data = text.encode() if isinstance(text, str) else text
    source = SourceText(name, load(data))
    return migrate([source], Options(answers=Answers(dict(answers or {})), **options))


def data_of(text: str | bytes) -> list[Any]:
    """The plain data of each document in a text."""
    data = text.encode() if isinstance(text, str) else text
    return [document.data for document in load(data).documents]


def only(migration: Migration) -> Item:
    """The one use of a migration."""
    (item,) = migration.items()
    return item


def diff(before: str, after: str) -> list[str]:
    """The lines that went and those that came, with their sign."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def pod(containers: str, rest: str = "", name: str = "a") -> str:
    """A Pod with containers and more fields of its spec, both indented by two."""
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n{containers}{rest}"


def with_gpu(amount: str = "1", resource: str = "nvidia.com/gpu", rest: str = "") -> str:
    """A Pod with one container that asks for devices."""
    container = (
        "  containers:\n  - name: main\n    image: i\n    resources:\n      limits:\n"
        f"        {resource}: {amount}\n"
    )
    return pod(container, rest)
