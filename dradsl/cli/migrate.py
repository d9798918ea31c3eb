"""`dradsl migrate`: device-plugin requests to resource claims; the work is in `dradsl.migrate`."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import DRIVER_SCHEMA, QUIET, RELEASE, STDIN_FILENAME
from dradsl.cli.commands import Command
from dradsl.cli.options import choice, file, flag, folder, many, options_decorator
from dradsl.cli.say import Questions, put, say, stream
from dradsl.cli.time_limit import TIMEOUT, deadline_of, limited
from dradsl.cli.together import flag_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.cli.isolation import Isolated
    from dradsl.cli.options import OptionValues
    from dradsl.diagnostics import Finding
    from dradsl.migrate.planning.answers import Answers, Options
    from dradsl.migrate.result import Migration
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.deadline import Deadline

__all__ = ["command"]

_FORMATS = ("text", "json", "markdown")


_OPTIONS = (
    flag("--scan", "Only report what asks for devices. Write nothing."),
    flag("--diff", "Print the changes. Write nothing."),
    flag("--check", "Write nothing. Exit with 1 if something would change."),
    flag("--write", "Rewrite the files."),
    folder(
        "--output",
        "Write the migrated files, or what the answer `form` says, below DIR.",
        short="-o",
    ),
    folder("--plan", "Write a staged rollout into DIR: patches, checks and ways back."),
    file("--questions", "Write an answers file with every open question. Write nothing else."),
    file("--answers", "Read answers from FILE. --interactive writes them there."),
    many("--set", "KEY=VALUE", "One answer, for everything. Repeatable.", name="answered"),
    flag("--interactive", "Ask the open questions at the terminal."),
    many("--slices", "PATH", "Recorded objects, to prove the result. Repeatable."),
    many(
        "--build-with",
        "helm|kustomize[=PATH]",
        "Render both sides with this program, and compare. Repeatable.",
    ),
    RELEASE,
    flag("--force", "With --write: also rewrite files with uncommitted changes."),
    flag("--post-render", "Migrate standard input to standard output, as post-renderer of Helm."),
    DRIVER_SCHEMA,
    choice("--output-format", _FORMATS, "Format of the report.  [default: text]", default="text"),
    file("--report", "Write the report to FILE."),
    STDIN_FILENAME,
    TIMEOUT,
    QUIET,
)


@click.command("migrate", cls=Command)
@click.argument("paths", nargs=-1, metavar="PATH... | -")
@options_decorator(_OPTIONS)
def command(paths: tuple[str, ...], **given: Any) -> None:
    """Turn requests for extended resources (nvidia.com/gpu: 1) into claims.

    dradsl does not guess: what the input does not say is rejected, with the question to answer. By
    default, the migrated files go to standard output and the report to standard error. See "What to do"
    for other ways.

    \b
    Exit codes:
      0  everything is translated and proven
      1  a use was rejected, a question is open, or values were translated by a recipe
         and not rendered (with --check also: something would change)
      2  the command line cannot be used, or --timeout was reached
      3  no use found (with --check and --post-render: 0)
    """
    modes = [n for n in ("scan", "write", "output", "plan", "questions", "post_render") if given[n]]
    modes += ["diff" if given["diff"] else "check"] if given["diff"] or given["check"] else []
    if len(modes) > 1:
        raise click.UsageError(f"choose one of {', '.join(map(flag_of, modes))}")
    if given["post_render"]:
        paths = paths or ("-",)
    if given["interactive"] and "-" in paths:
        raise click.UsageError("--interactive needs standard input for the answers")
    if given["plan"] and "-" in paths:
        raise click.UsageError("--plan needs files and folders, not standard input")
    if given["write"] and "-" in paths:
        raise click.UsageError("--write changes files, not standard input")
    if given["force"] and not given["write"]:
        raise click.UsageError("--force is for --write")
    if given["build_with"] and given["post_render"]:
        raise click.UsageError("--build-with and --post-render cannot be used together")
    if not paths:
        raise click.UsageError("name files or folders, or - for standard input")
    if given["plan"]:
        from dradsl.cli.rollout import plan_rollout

        deadline = deadline_of(given["timeout"])
        sys.exit(plan_rollout(paths, given, lambda sources: _options(sources, given, deadline)))
    sys.exit(_run(paths, given))


def _run(paths: tuple[str, ...], given: OptionValues) -> int:
    from dradsl.cli.isolation import Isolated, say_unread
    from dradsl.migrate.call import known_errors, read_files
    from dradsl.migrate.output import write_migration

    written: list[str] = []
    broken = Isolated()  # the other files are migrated all the same
    deadline = deadline_of(given["timeout"])
    try:
        with limited(deadline, "the migration"):
            reading = read_files(
                paths,
                stdin_name=given["stdin_filename"],
                outputs=() if given["output"] is None else (given["output"],),
                deadline=deadline,
            )
            if reading.unread:
                deadline.check()
            sources, unreadable = _usable(reading.sources, broken)
            migration = _migrated(sources, given, deadline)
        for each in reading.skipped:
            say(f"skipped {each.name}: {each.reason}", err=True)
        say_unread(reading.failures)
        for message in unreadable:
            say(message, err=True)
        for name, error in migration.failed:
            broken.add(name, error)
        sources = [source for source in sources if source.name not in broken.names]
        migration = _with_next_steps(migration, paths, len(unreadable) + len(broken.names), given)
        if given["questions"] is not None:
            _write_questions(migration, given)
            written.append(str(given["questions"]))
        failures = write_migration(migration, sources, given, written, _Printer())
        if failures or not given["quiet"]:
            _say_what_was_done(migration, written, given)
        for failure in failures:
            say(f"dradsl migrate: {failure}", err=True)
    except known_errors() as error:
        for path in written:
            say(f"wrote {path}", err=True)
        say(f"dradsl migrate: {error}", err=True)
        return 2
    if failures or broken.names:
        return 2
    return _exit_code(migration, reading.failures, unreadable, given)


def _usable(sources: Iterable[SourceText], broken: Isolated) -> tuple[list[SourceText], list[str]]:
    """The files that can be migrated, and messages on what cannot be read."""
    from dradsl.migrate.call import is_usable
    from dradsl.migrate.output import unread

    usable: list[SourceText] = []
    unreadable: list[str] = []
    for source in sources:
        messages = broken.attempt(source.name, functools.partial(unread, source))
        if messages is not None:
            unreadable += messages
            usable += [source] if is_usable(source) else []
    return usable, unreadable


def _exit_code(
    migration: Migration,
    not_read: Sequence[Finding],
    unreadable: Sequence[str],
    given: OptionValues,
) -> int:
    """The exit code of a run in which all files were written."""
    from dradsl.cli.isolation import is_internal

    if is_internal(not_read):
        return 2
    if not_read or unreadable or migration.open or (given["check"] and migration.changed):
        return 1
    # Whoever only asks whether something is left to do, or renders charts, is content with nothing.
    content = given["check"] or given["post_render"]
    return 3 if migration.empty and not content else 0


class _Printer:
    """Prints for the migration."""

    def contents(self, *texts: str) -> None:
        put(*texts)

    def report(self, text: str, *, err: bool) -> None:
        stream(err=err).write(text)


def _say_what_was_done(migration: Migration, written: list[str], given: OptionValues) -> None:
    """On standard error, since the report may be for machines."""
    if given["check"]:
        for file in migration.files:
            if file.changed:
                say(f"would change {file.path}", err=True)
    for path in written:
        say(f"wrote {path}", err=True)
    if (given["write"] or given["output"]) and not written:
        say("nothing to write", err=True)
    if given["write"] and written:
        from dradsl.migrate.edits.in_place import way_back

        known = {file.path for file in migration.files if file.before}
        changed = [path for path in written if path in known]
        say(way_back(changed, [path for path in written if path not in known]), err=True)


def _migrated(sources: list[SourceText], given: OptionValues, deadline: Deadline) -> Migration:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.run import migrate

    options = _options(sources, given, deadline)
    if options.separate:
        if given["output"] is None and not (given["scan"] or given["check"] or given["questions"]):
            raise click.UsageError("the answer form needs --output DIR for what is written")
        if given["build_with"]:
            raise click.UsageError("--build-with and the answer form cannot be used together")
    catalogue = Catalogue([Path(path) for path in given["driver_schema"]], outside=".")
    migration = migrate(sources, options, catalogue)
    if given["interactive"]:
        from dradsl.migrate.report.open_questions import interview
        from dradsl.records import replace

        def save(answers: Answers) -> None:
            from dradsl.migrate.planning.answers import write_answers

            if given["answers"] is not None:
                write_answers(given["answers"], answers, saved[-1])
                saved.append(answers)

        saved = [options.answers]
        migration = interview(
            migration,
            options.answers,
            lambda answers: migrate(sources, replace(options, answers=answers), catalogue),
            Questions(),
            save,
        )
    return migration


def _options(sources: list[SourceText], given: OptionValues, deadline: Deadline) -> Options:
    from dradsl.migrate.call import options_of

    return options_of(
        sources,
        _answers(given),
        kube_version=given["kube_version"],
        inventory=_inventory(given["slices"]),
        build_with=given["build_with"],
        outputs=() if given["output"] is None else (given["output"],),
        deadline=deadline,
    )


def _with_next_steps(
    migration: Migration, paths: tuple[str, ...], unread: int, given: OptionValues
) -> Migration:
    """The migration with the commands that lead on from this call."""
    from dradsl.migrate.report.open_questions import next_steps
    from dradsl.records import replace

    kept = {"--set": "answered", "--slices": "slices", "--build-with": "build_with"}
    words = [word for flag, name in kept.items() for each in given[name] for word in (flag, each)]
    files = {
        name: None if given[name] is None else str(given[name]) for name in ("answers", "questions")
    }
    written = bool(given["write"] or given["output"] or given["post_render"])
    steps = next_steps(migration, paths, words, **files, written=written)
    return replace(migration, unread=unread, next_steps=steps)


def _write_questions(migration: Migration, given: OptionValues) -> None:
    """Write the answers file with the open questions, after the answers that it holds."""
    from dradsl.migrate.report.open_questions import open_questions, questionnaire
    from dradsl.text.files import read_bytes
    from dradsl.tree.replacing import write_bytes

    path = given["questions"]
    known = b""
    if path.exists():
        if given["answers"] is None or not path.samefile(given["answers"]):
            raise click.UsageError(f"{path} is there already: add to it with --answers {path} too")
        known = read_bytes(path)
    asked = open_questions(migration.items())
    text = questionnaire(asked, _answers(given), known.decode("utf-8", "replace"))
    write_bytes(path, text.encode(), expected=known or None)


def _answers(given: OptionValues) -> Answers:
    from dradsl.migrate.planning.answers import Answers, answers_in, read_answers

    path = given["answers"]
    missing_is_fine = given["interactive"] and path is not None and not path.exists()
    answers = Answers({}) if path is None or missing_is_fine else read_answers(path)
    try:
        return answers.over(answers_in(given["answered"]))
    except ValueError as error:
        raise click.UsageError(f"--set {error}") from error


def _inventory(paths: tuple[str, ...]) -> tuple[Any, ...]:
    from dradsl.recordings import find_recordings, read_recording

    return tuple(
        recorded
        for path in paths
        for file in find_recordings(Path(path))
        for recorded in read_recording(file)
    )
