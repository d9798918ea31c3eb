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
    from dradsl.migrate.result import Migration
    from dradsl.releases import ReleaseName
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.deadline import Deadline

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
        outcome: "translated", "rejected", or "left" where nothing is open about it.
        reason: why.
        question: the id of the question that is open; `answers` takes it.
        doubt: why a translation is not proven.
    """

    path: str
    line: int
    object: str
    where: str
    before: str
    outcome: Literal["translated", "rejected", "left"]
    reason: str
    question: str | None = None
    doubt: str | None = None


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
        unread: files that could not be read, or parts of them, and why.
    """

    files: tuple[MigratedFile, ...]
    items: tuple[MigrationItem, ...]
    evidence: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    _migration: Migration | None = field(default=None, repr=False, compare=False)

    @property
    def complete(self) -> bool:
        """Whether everything was read, translated and proven: the command's exit code would be 0 or 3."""
        doubted = self._migration is not None and self._migration.open
        rejected = any(one.outcome == "rejected" for one in self.items)
        return not (self.unread or self.faults or rejected or doubted)

    @property
    def questions(self) -> tuple[str, ...]:
        """The ids of questions that are open, each once."""
        return tuple(dict.fromkeys(one.question for one in self.items if one.question))

    def __iter__(self) -> Iterator[MigratedFile]:
        return iter(self.files)

    def __bool__(self) -> bool:
        raise TypeError("ask .complete: a result has no truth value")

    def report(self, output_format: Literal["text", "json", "markdown"] = "text") -> str:
        """The report of `dradsl migrate --output-format`.

        Args:
            output_format: one of its formats.

        Raises:
            ValueError: for another format.
        """
        if output_format not in ("text", "json", "markdown"):
            raise ValueError(
                f"unknown output format {output_format!r} (known: text, json, markdown)"
            )
        from dradsl.migrate.report.sections import rendered
        from dradsl.migrate.result import Migration

        return rendered(self._migration or Migration(()), output_format)

    def __str__(self) -> str:
        return "\n".join((self.report().rstrip("\n"), *self.unread))


def migrate(
    *objects: Objects,
    answers: Mapping[str, object] | Path_ | None = None,
    fleet: Fleet | None = None,
    kube_version: ReleaseName | None = None,
    driver_schemas: Iterable[Path_] = (),
    build_with: Iterable[str] = (),
    timeout: float | None = None,
) -> MigrationResult:
    """What `dradsl migrate` makes of manifests. Nothing is written.

    Args:
        objects: paths of files and folders; or apps, objects and plain data, which become one file
            called "objects.yaml".
        answers: what an answers file holds under `answers`, such as `{"mig-strategy": "mixed"}`, or such a file.
        fleet: recorded objects to prove the result with.
        kube_version: the release to migrate for.
        driver_schemas: files with schemas of further drivers.
        build_with: programs that render both sides: "helm", "kustomize", or "helm=/path".
        timeout: fail after so many seconds.

    Raises:
        ValueError: for an answer, release or file that cannot be used.
        OSError: for a file that cannot be read.
        TimeoutError: if the time is over.
    """
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.call import options_of
    from dradsl.migrate.planning.answers import Answers, read_answers
    from dradsl.migrate.run import migrate as run
    from dradsl.values.deadline import Deadline, TimeOverError

    if isinstance(answers, str | os.PathLike):
        decided = read_answers(Path(os.fspath(answers)))
    else:
        decided = Answers({}).over(dict(answers or {}))
    deadline = Deadline.after(timeout)
    try:
        sources, on_disk, unread = _sources(objects, deadline)
        options = options_of(
            sources,
            decided,
            kube_version=kube_version,
            inventory=() if fleet is None else map(dict, fleet.documents),
            build_with=tuple(build_with),
            on_disk=on_disk,
            deadline=deadline,
        )
        schemas = [Path(os.fspath(one)) for one in driver_schemas]
        made = run(sources, options, Catalogue(schemas, outside="."))
    except TimeOverError as error:
        raise TimeoutError(str(error)) from error
    for name, failure in made.failed:
        raise ValueError(f"{name}: {failure}") from failure
    made = _with_next_steps(made, objects, answers, len(unread))
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
                one.doubt,
            )
            for one in made.items()
        ),
        evidence=made.evidence,
        faults=made.faults,
        unread=tuple(unread),
        _migration=made,
    )


def _with_next_steps(
    made: Migration,
    objects: Iterable[object],
    answers: Mapping[str, object] | Path_ | None,
    unread: int,
) -> Migration:
    """The migration with the commands that lead on, where it is of files and folders."""
    from dradsl.migrate.report.open_questions import next_steps
    from dradsl.records import replace

    paths = [os.fspath(each) for each in objects if isinstance(each, str | os.PathLike)]
    words: list[str] = []
    file = None
    if isinstance(answers, str | os.PathLike):
        file = os.fspath(answers)
    elif answers:
        words = [word for key, value in answers.items() for word in ("--set", f"{key}={value}")]
    steps = next_steps(made, paths, words, answers=file) if paths else ()
    return replace(made, unread=unread, next_steps=steps)


def _with_added(text: str, added: Iterable[Mapping[str, object]]) -> str:
    """The text with the objects that belong in a file of their own."""
    from dradsl.dsl.objects.yaml_text import to_yaml

    more = to_yaml(added)
    return f"{text.rstrip()}\n---\n{more}" if more else text


def _sources(
    objects: Iterable[object], deadline: Deadline
) -> tuple[list[SourceText], bool, list[str]]:
    """What is to be migrated, whether it is in files, and what could not be read."""
    from dradsl.dsl.objects.yaml_text import to_yaml
    from dradsl.migrate.call import is_usable, read_files
    from dradsl.migrate.output import unread
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    apps, plain, paths = sorted_out(objects)
    found: list[SourceText] = []
    messages: list[str] = []
    if paths:
        reading = read_files(paths, deadline=deadline)
        if reading.unread:
            deadline.check()
        messages += [f"{one.path}:{one.span.line}: {one.message}" for one in reading.failures]
        messages += [message for source in reading.sources for message in unread(source)]
        found += filter(is_usable, reading.sources)
    data = [d for app in apps for d in app.to_dicts()] + [one.to_dict() for one in plain]
    if data:
        found.append(SourceText("objects.yaml", load(to_yaml(data).encode())))
    return found, bool(paths), messages
