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
from dradsl.cli.options import option_decorator
from dradsl.cli.say import Questions, put, say, stream
from dradsl.cli.time_limit import ALL_OR_NOTHING, deadline_of, limited

if TYPE_CHECKING:
    from dradsl.cli.options import OptionValues
    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.result import Migration
    from dradsl.migrate.run import Options
    from dradsl.values.deadline import Deadline

__all__ = ["command"]

_FORMATS = ("text", "json", "markdown")


@click.command("migrate", cls=Command)
@click.argument("paths", nargs=-1, metavar="PATH... | -")
@click.option("--scan", is_flag=True, help="Only report what asks for devices. Write nothing.")
@click.option("--check", is_flag=True, help="Write nothing. Exit with 1 if something would change.")
@click.option("--diff", is_flag=True, help="Print the changes. Write nothing.")
@click.option("--in-place", is_flag=True, help="Rewrite the files.")
@click.option(
    "--force",
    is_flag=True,
    help="With --in-place: also rewrite files with uncommitted changes.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the migrated files below DIR.",
)
@click.option(
    "--post-render",
    is_flag=True,
    help="Migrate standard input to standard output, as post-renderer of Helm.",
)
@click.option(
    "--kustomize",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write patches and a kustomization into DIR. The manifests stay.",
)
@click.option(
    "--flux",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write patches for post-renderers of a HelmRelease, and new objects, into DIR.",
)
@click.option(
    "--claims-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write new objects into FILE, not into the files of the manifests.",
)
@click.option(
    "--strategy",
    type=click.Choice(["claims", "extended-resource", "plan"]),
    default="claims",
    show_default=True,
    help="claims: claims in pods; extended-resource: DeviceClasses that answer the requests as they are; "
    "plan: claims, and classes for pods without a place for claims.",
)
@click.option(
    "--mig-strategy",
    type=click.Choice(["none", "single", "mixed"]),
    default=None,
    help="The MIG strategy of the device plugin on the nodes.",
)
@click.option(
    "--mig-profile", metavar="PROFILE", default=None, help="The MIG profile, with strategy single."
)
@click.option(
    "--sharing",
    type=click.Choice(
        ["exclusive", "consumable-shares", "unlimited-shares", "shared-claim", "admin-access"]
    ),
    default=None,
    help="Whether one unit is a whole device or a share, and how devices are shared.",
)
@click.option(
    "--claim-name",
    metavar="NAME",
    default=None,
    help="Name of the claim, with --sharing shared-claim.",
)
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="RESOURCE=CLASS",
    help="The DeviceClass that replaces a resource. Repeatable.",
)
@click.option(
    "--init-containers",
    type=click.Choice(["separate"]),
    default=None,
    help="Give init containers with another number their own devices.",
)
@click.option(
    "--visible-devices",
    type=click.Choice(["remove", "keep"]),
    default=None,
    help="What to do with NVIDIA_VISIBLE_DEVICES and similar variables.",
)
@click.option(
    "--fraction-driver",
    type=click.Choice(["hami", "nvidia"]),
    default=None,
    help="The driver that shares devices by memory and cores, instead of HAMi.",
)
@click.option(
    "--existing-claims",
    type=click.Choice(["other-devices"]),
    default=None,
    help="What the existing claims of pods are for.",
)
@click.option(
    "--operator",
    type=click.Choice(["standalone", "gpucluster"]),
    default=None,
    help="The target for values of the GPU operator and the device plugin.",
)
@click.option(
    "--chart-places",
    type=click.Choice(["write"]),
    default=None,
    help="Add places for claims to the templates of charts among the files.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="NAME",
    help="Confirm what the report calls unconfirmed. Repeatable.",
)
@click.option(
    "--node-labels",
    type=click.Choice(["translate", "keep"]),
    default=None,
    help="Turn node labels with a certain counterpart into selectors.  [default: translate]",
)
@click.option(
    "--tolerations",
    type=click.Choice(["shown", "add", "leave"]),
    default=None,
    help="Write out tolerations that an admission plugin added. shown: if the input shows the taint or GKE.  "
    "[default: shown]",
)
@click.option(
    "--answers",
    "answers_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read answers from FILE. --interactive writes them there.",
)
@click.option("--interactive", is_flag=True, help="Ask the open questions at the terminal.")
@click.option(
    "--slices",
    multiple=True,
    metavar="PATH",
    help="Recorded objects, to prove the result. Repeatable.",
)
@option_decorator(RELEASE)
@click.option(
    "--driver-schema",
    multiple=True,
    metavar="PATH",
    help="A driver schema of your own. Repeatable.",
)
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    metavar="FILE",
    help="A recipe for a chart of yours. Repeatable.",
)
@click.option(
    "--chart",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Add places for claims to your chart. PATHs are values to render it with.",
)
@click.option(
    "--build-with",
    metavar="helm|kustomize[=PATH]",
    multiple=True,
    help="Render both sides with this program, and compare. Repeatable.",
)
@click.option(
    "--output-format",
    type=click.Choice(_FORMATS),
    default="text",
    help="Format of the report.  [default: text]",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the report to FILE.",
)
@click.option("--stdin-filename", default="<stdin>", help="Name of standard input in messages.")
@ALL_OR_NOTHING
@click.option("-q", "--quiet", is_flag=True, help="Print no report.")
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
    modes = ("scan", "check", "diff", "in_place", "output", "post_render", "kustomize", "flux")
    if sum(bool(given[name]) for name in modes) > 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in modes)
        raise click.UsageError(f"choose one of {names}")
    if given["post_render"]:
        paths = paths or ("-",)
    if given["interactive"] and "-" in paths:
        raise click.UsageError("--interactive needs standard input for the answers")
    if given["in_place"] and "-" in paths:
        raise click.UsageError("--in-place changes files, not standard input")
    if given["force"] and not given["in_place"]:
        raise click.UsageError("--force is for --in-place")
    missing = missing_path(given, _NAMING_PATHS)
    if missing is not None:
        say(f"dradsl migrate: {missing}", err=True)
        sys.exit(2)
    if given["chart"] is not None:
        sys.exit(_chart(paths, given))
    for name in ("post_render", "kustomize", "flux"):
        if given["build_with"] and given[name]:
            raise click.UsageError(
                f"--build-with and --{name.replace('_', '-')} cannot be used together"
            )
    if not paths:
        raise click.UsageError("name files or folders, or - for standard input")
    sys.exit(_run(paths, given))


_NAMING_PATHS = {
    "slices": "--slices",
    "driver_schema": "--driver-schema",
    "recipes": "--recipe",
    "chart": "--chart",
}


def _run(paths: tuple[str, ...], given: OptionValues) -> int:
    from dradsl.cli.isolation import Isolated, is_internal, say_unread
    from dradsl.lint.input.sources import OUTSIDE
    from dradsl.migrate.call import is_usable, read_files
    from dradsl.migrate.known_errors import known_errors
    from dradsl.migrate.output import unread, write_migration

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
            unreadable: list[str] = []
            sources = []
            for source in reading.sources:
                messages = broken.attempt(source.name, functools.partial(unread, source))
                if messages is None:
                    continue
                unreadable += messages
                if is_usable(source):
                    sources.append(source)
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
    would_change = given["check"] and migration.changed
    if failures or broken.names or is_internal(reading.failures):
        return 2
    if reading.failures or unreadable or migration.open or would_change:
        return 1
    # Whoever only asks whether something is left to do, or renders charts, is content with nothing.
    content = given["check"] or given["post_render"]
    return 3 if migration.empty and not content else 0


def _chart(paths: tuple[str, ...], given: OptionValues) -> int:
    """The work on a chart of the user's own."""
    import json

    from dradsl.lint.input.sources import UsageProblem
    from dradsl.migrate.chart.work import work_on
    from dradsl.migrate.planning.answers import AnswersError
    from dradsl.repository.rendering.programs import BuildWithError
    from dradsl.text.diff import unified_diff
    from dradsl.text.files import FileError

    for name in ("scan", "post_render", "kustomize", "flux", "interactive", "claims_file"):
        if given[name]:
            raise click.UsageError(
                f"--chart and --{name.replace('_', '-')} cannot be used together"
            )
    written: list[str] = []
    try:
        decisions = _answers(given).decide(str(given["chart"]), "chart")
        files = [Path(path) for path in paths]
        work = work_on(given["chart"], given["build_with"], files, decisions)
        if given["diff"]:
            for name, text in sorted(work.plan.files.items()):
                before = work.before(name)
                put(*unified_diff(before, text, name if before else "/dev/null", name))
        if (given["in_place"] or given["output"]) and not work.is_wrong:
            written += work.write(given["output"], force=given["force"])
    except (UsageProblem, FileError, BuildWithError, AnswersError) as error:
        say(f"dradsl migrate: {error}", err=True)
        return 2
    if not given["quiet"]:
        as_json = given["output_format"] == "json"
        data = json.dumps(work.as_data(), indent=2).splitlines() if as_json else work.lines()
        for line in data:
            say(line, err=bool(given["diff"]))
    for path in written:
        say(f"wrote {path}", err=True)
    return int(work.is_wrong or (given["check"] and bool(work.plan.files)))


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
