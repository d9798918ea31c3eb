"""`dradsl migrate`: device-plugin requests to resource claims; the work is in `dradsl.migrate`."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import RELEASE
from dradsl.cli.commands import Command
from dradsl.cli.named_paths import missing_path
from dradsl.cli.options import choice, file, flag, folder, many, options_decorator, string
from dradsl.cli.say import Questions, put, say, stream
from dradsl.cli.time_limit import ALL_OR_NOTHING, deadline_of, limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dradsl.cli.isolation import Isolated
    from dradsl.cli.options import OptionValues
    from dradsl.diagnostics import Finding
    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.result import Migration
    from dradsl.migrate.run import Options
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.deadline import Deadline

__all__ = ["command"]

_FORMATS = ("text", "json", "markdown")


_OPTIONS = (
    flag("--scan", "Only report what asks for devices. Write nothing."),
    flag("--check", "Write nothing. Exit with 1 if something would change."),
    flag("--diff", "Print the changes. Write nothing."),
    flag("--in-place", "Rewrite the files."),
    flag("--force", "With --in-place: also rewrite files with uncommitted changes."),
    folder("--output", "Write the migrated files below DIR."),
    folder("--plan", "Write a staged rollout into DIR: patches, checks and ways back."),
    flag("--post-render", "Migrate standard input to standard output, as post-renderer of Helm."),
    folder("--kustomize", "Write patches and a kustomization into DIR. The manifests stay."),
    folder(
        "--flux", "Write patches for post-renderers of a HelmRelease, and new objects, into DIR."
    ),
    file("--claims-file", "Write new objects into FILE, not into the files of the manifests."),
    choice(
        "--strategy",
        ("claims", "extended-resource", "plan"),
        "claims: claims in pods; extended-resource: DeviceClasses that answer the requests as they are; "
        "plan: claims, and classes for pods without a place for claims.  [default: claims]",
        default="claims",
    ),
    choice(
        "--mig-strategy",
        ("none", "single", "mixed"),
        "The MIG strategy of the device plugin on the nodes.",
    ),
    string("--mig-profile", "PROFILE", "The MIG profile, with strategy single."),
    choice(
        "--sharing",
        ("exclusive", "consumable-shares", "unlimited-shares", "shared-claim", "admin-access"),
        "Whether one unit is a whole device or a share, and how devices are shared.",
    ),
    string("--claim-name", "NAME", "Name of the claim, with --sharing shared-claim."),
    many(
        "--class",
        "RESOURCE=CLASS",
        "The DeviceClass that replaces a resource. Repeatable.",
        name="classes",
    ),
    choice(
        "--init-containers",
        ("separate",),
        "Give init containers with another number their own devices.",
    ),
    choice(
        "--visible-devices",
        ("remove", "keep"),
        "What to do with NVIDIA_VISIBLE_DEVICES and similar variables.",
    ),
    choice(
        "--fraction-driver",
        ("hami", "nvidia"),
        "The driver that shares devices by memory and cores, instead of HAMi.",
    ),
    choice("--existing-claims", ("other-devices",), "What the existing claims of pods are for."),
    choice(
        "--operator",
        ("standalone", "gpucluster"),
        "The target for values of the GPU operator and the device plugin.",
    ),
    choice(
        "--chart-places",
        ("write",),
        "Let templates of charts among the files make claims of limits, by a switch.",
    ),
    many("--accept", "NAME", "Confirm what the report calls unconfirmed. Repeatable."),
    choice(
        "--node-labels",
        ("translate", "keep"),
        "Turn node labels with a certain counterpart into selectors.  [default: translate]",
    ),
    choice(
        "--tolerations",
        ("shown", "add", "leave"),
        "Write out tolerations that an admission plugin added. "
        "shown: if the input shows the taint or GKE.  [default: shown]",
    ),
    file(
        "--answers", "Read answers from FILE. --interactive writes them there.", name="answers_file"
    ),
    flag("--interactive", "Ask the open questions at the terminal."),
    many("--slices", "PATH", "Recorded objects, to prove the result. Repeatable."),
    RELEASE,
    many("--driver-schema", "PATH", "A driver schema of your own. Repeatable."),
    many("--recipe", "FILE", "A recipe for a chart of yours. Repeatable.", name="recipes"),
    many(
        "--build-with",
        "helm|kustomize[=PATH]",
        "Render both sides with this program, and compare. Repeatable.",
    ),
    choice("--output-format", _FORMATS, "Format of the report.  [default: text]", default="text"),
    file("--output-file", "Write the report to FILE."),
    string("--stdin-filename", "NAME", "Name of standard input in messages.", default="<stdin>"),
    ALL_OR_NOTHING,
    flag("--quiet", "Print no report.", short="-q"),
)


@click.command("migrate", cls=Command)
@click.argument("paths", nargs=-1, metavar="PATH... | -")
@options_decorator(_OPTIONS)
def command(paths: tuple[str, ...], **given: Any) -> None:
    """Turn requests for extended resources (nvidia.com/gpu: 1) into claims.

    dradsl does not guess: what the input does not say is refused, with the question to answer. By
    default, the migrated files go to standard output and the report to standard error. See "What to do"
    for other ways.

    \b
    Exit codes:
      0  everything is translated and proven
      1  a use was refused, a question is open, or values were translated by a recipe
         and not rendered (with --check also: something would change)
      2  the command line cannot be used, or --timeout was reached
      3  no use found (with --check and --post-render: 0)
    """
    modes = (
        "scan",
        "check",
        "diff",
        "in_place",
        "output",
        "plan",
        "post_render",
        "kustomize",
        "flux",
    )
    if sum(bool(given[name]) for name in modes) > 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in modes)
        raise click.UsageError(f"choose one of {names}")
    if given["post_render"]:
        paths = paths or ("-",)
    if given["interactive"] and "-" in paths:
        raise click.UsageError("--interactive needs standard input for the answers")
    if given["plan"] and "-" in paths:
        raise click.UsageError("--plan needs files and folders, not standard input")
    if given["in_place"] and "-" in paths:
        raise click.UsageError("--in-place changes files, not standard input")
    if given["force"] and not given["in_place"]:
        raise click.UsageError("--force is for --in-place")
    missing = missing_path(given, _NAMING_PATHS)
    if missing is not None:
        say(f"dradsl migrate: {missing}", err=True)
        sys.exit(2)
    for name in ("post_render", "kustomize", "flux"):
        if given["build_with"] and given[name]:
            raise click.UsageError(
                f"--build-with and --{name.replace('_', '-')} cannot be used together"
            )
    if not paths:
        raise click.UsageError("name files or folders, or - for standard input")
    if given["plan"]:
        from dradsl.cli.rollout import plan_rollout

        deadline = deadline_of(given["timeout"])
        sys.exit(plan_rollout(paths, given, functools.partial(_options, given, deadline=deadline)))
    sys.exit(_run(paths, given))


_NAMING_PATHS = {
    "slices": "--slices",
    "driver_schema": "--driver-schema",
    "recipes": "--recipe",
}


def _run(paths: tuple[str, ...], given: OptionValues) -> int:
    from dradsl.cli.isolation import Isolated, say_unread
    from dradsl.migrate.call import read_files
    from dradsl.migrate.known_errors import known_errors
    from dradsl.migrate.output import write_migration
    from dradsl.tree.inputs.sources import OUTSIDE

    written: list[str] = []
    broken = Isolated()  # the other files are migrated all the same
    deadline = deadline_of(given["timeout"])
    try:
        with limited(deadline, "the migration"):
            reading = read_files(
                paths,
                stdin_name=given["stdin_filename"],
                outputs=_written_folders(given),
                deadline=deadline,
            )
            if reading.unread:
                deadline.check()
            sources, unreadable = _usable(reading.sources, broken)
            migration = _migrated(sources, given, deadline)
        for name in reading.outside:
            say(f"skipped {name}: {OUTSIDE}", err=True)
        say_unread(reading.failures)
        for message in unreadable:
            say(message, err=True)
        for name, error in migration.failed:
            broken.add(name, error)
        sources = [source for source in sources if source.name not in broken.names]
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
    if (given["in_place"] or given["output"]) and not written:
        say("nothing to write", err=True)
    if given["in_place"] and written:
        from dradsl.migrate.in_place import way_back

        known = {file.path for file in migration.files if file.before}
        changed = [path for path in written if path in known]
        say(way_back(changed, [path for path in written if path not in known]), err=True)


def _migrated(sources: list[SourceText], given: OptionValues, deadline: Deadline) -> Migration:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.run import migrate

    options = _options(given, sources, deadline)
    catalogue = Catalogue([Path(path) for path in given["driver_schema"]])
    migration = migrate(sources, options, catalogue)
    if given["interactive"]:
        from dradsl.migrate.interview import interview

        def save(answers: Answers) -> None:
            from dradsl.migrate.planning.answers import write_answers

            if given["answers_file"] is not None:
                write_answers(given["answers_file"], answers, saved[-1])
                saved.append(answers)

        saved = [options.answers]
        migration = interview(sources, options, migration, catalogue, Questions(), save)
    return migration


def _options(given: OptionValues, sources: list[SourceText], deadline: Deadline) -> Options:
    from dradsl.migrate.call import options_of

    return options_of(
        sources,
        _answers(given),
        strategy=given["strategy"],
        kube_version=given["kube_version"],
        inventory=_inventory(given["slices"]),
        recipes=given["recipes"],
        separate=any(given[name] is not None for name in ("claims_file", "kustomize", "flux")),
        build_with=given["build_with"],
        outputs=_written_folders(given),
        deadline=deadline,
    )


def _written_folders(given: OptionValues) -> list[Path]:
    """The folders that the run writes."""
    folders = (given["output"], given["kustomize"], given["flux"])
    return [folder for folder in folders if folder is not None]


def _answers(given: OptionValues) -> Answers:
    from dradsl.migrate.planning.answers import Answers, read_answers

    path = given["answers_file"]
    missing_is_fine = given["interactive"] and path is not None and not path.exists()
    answers = Answers({}) if path is None or missing_is_fine else read_answers(path)
    names = (
        "mig_strategy", "mig_profile", "sharing", "init_containers", "visible_devices",
        "fraction_driver", "existing_claims", "operator", "chart_places", "node_labels", "tolerations",
        "claim_name",
    )  # fmt: skip
    options = {n.replace("_", "-"): given[n] for n in names if given[n] is not None}
    if given["accept"]:
        options["accept"] = list(given["accept"])
    if given["classes"]:
        options["class"] = list(given["classes"])
    try:
        return answers.over(options)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error


def _inventory(paths: tuple[str, ...]) -> tuple[Any, ...]:
    from dradsl.recordings import find_recordings, read_recording

    return tuple(
        recorded
        for path in paths
        for file in find_recordings(Path(path))
        for recorded in read_recording(file)
    )
