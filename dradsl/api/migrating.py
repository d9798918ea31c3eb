"""`dradsl.migrate`: from device-plugin requests to claims, as values; nothing is written."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dradsl.api.objects import sorted_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.api.fleet import Fleet
    from dradsl.api.objects import Objects, Path_
    from dradsl.lint.input.sources import SourceText

__all__ = ["MigratedFile", "MigrationItem", "MigrationResult", "migrate"]


@dataclass(frozen=True, slots=True)
class MigrationItem:
    """One request for devices, and what became of it.

    Args:
        path: the file.
        line: the line of the request.
        object: the workload, such as "Deployment ml/server".
        where: the container or field in it.
        before: what was asked for.
        outcome: "translated", "refused", or "left" where nothing is open about it.
        reason: why.
        question: the id of the question that is open; `answers` takes it.
    """

    path: str
    line: int
    object: str
    where: str
    before: str
    outcome: Literal["translated", "refused", "left"]
    reason: str
    question: str | None = None


@dataclass(frozen=True, slots=True)
class MigratedFile:
    """A file before and after.

    Args:
        path: its path.
        before: its text.
        after: the text with claims.
    """

    path: str
    before: str = field(repr=False)
    after: str = field(repr=False)

    @property
    def changed(self) -> bool:
        """Whether the text differs."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """What `migrate` made.

    Args:
        files: the files, in the order of the call.
        items: what was found, and what became of it.
        evidence: sentences that prove the result sound.
        faults: proofs that failed: the result is not to be used.
    """

    files: tuple[MigratedFile, ...]
    items: tuple[MigrationItem, ...]
    evidence: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether everything was translated, and no proof failed."""
        return not self.faults and all(one.outcome != "refused" for one in self.items)

    @property
    def questions(self) -> tuple[str, ...]:
        """The ids of questions that are open, each once."""
        return tuple(dict.fromkeys(one.question for one in self.items if one.question))

    def __iter__(self) -> Iterator[MigratedFile]:
        return iter(self.files)

    def __bool__(self) -> bool:
        raise TypeError("ask .complete: a result has no truth value")


def migrate(
    *objects: Objects,
    strategy: Literal["claims", "extended-resource"] = "claims",
    answers: Mapping[str, object] | None = None,
    fleet: Fleet | None = None,
    kube_version: str | None = None,
    driver_schemas: Iterable[Path_] = (),
) -> MigrationResult:
    """What `dradsl migrate` makes of manifests. Nothing is written.

    Args:
        objects: paths of files and folders; or apps, objects and plain data, which become one file
            called "objects.yaml".
        strategy: claims in pods, or DeviceClasses that answer the requests as they are.
        answers: answers to questions by their id, such as `{"mig-strategy": "mixed"}`.
        fleet: recorded objects to prove the result with.
        kube_version: the release to migrate for.
        driver_schemas: files with schemas of further drivers.

    Raises:
        ValueError: for an answer, release or file that cannot be used.
        OSError: for a file that cannot be read.
    """
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.run import Options
    from dradsl.migrate.run import migrate as run
    from dradsl.repository.surrounding import look_around

    sources, paths = _sources(objects)
    options = Options(
        strategy=strategy,
        answers=Answers({}).over(dict(answers or {})),
        kube_version=kube_version,
        inventory=() if fleet is None else tuple(dict(one) for one in fleet.documents),
        around=look_around([one.name for one in sources], []) if paths else None,
    )
    made = run(sources, options, Catalogue([Path(os.fspath(one)) for one in driver_schemas]))
    for name, error in made.failed:
        raise ValueError(f"{name}: {error}") from error
    return MigrationResult(
        files=tuple(
            MigratedFile(one.path, one.before, _with_added(one.text, one.added))
            for one in made.files
        ),
        items=tuple(
            MigrationItem(
                one.path,
                one.span.line,
                one.object,
                one.where,
                one.before,
                one.outcome.value,
                one.reason,
                one.question,
            )
            for one in made.items()
        ),
        evidence=made.evidence,
        faults=made.faults,
    )


def _with_added(text: str, added: Iterable[Mapping[str, object]]) -> str:
    """The text with the objects that belong in a file of their own."""
    from dradsl.dsl.objects.yaml_text import to_yaml

    more = to_yaml(added)
    return f"{text.rstrip()}\n---\n{more}" if more else text


def _sources(objects: Iterable[object]) -> tuple[list[SourceText], list[str]]:
    from dradsl.dsl.objects.yaml_text import to_yaml
    from dradsl.lint.engine.session import Session
    from dradsl.lint.input.reading import read_paths
    from dradsl.lint.input.sources import SourceText
    from dradsl.text.documents import load

    apps, plain, paths = sorted_out(objects)
    found: list[SourceText] = []
    if paths:
        session = Session(tuple(paths), isolated=True)
        reading = read_paths(tuple(paths), session.config_of, "<stdin>")
        for failure in reading.failures:
            raise ValueError(f"{failure.path}:{failure.span.line}: {failure.message}")
        found += reading.sources
    data = [d for app in apps for d in app.to_dicts()] + [one.to_dict() for one in plain]
    if data:
        found.append(SourceText("objects.yaml", load(to_yaml(data).encode())))
    return found, paths
