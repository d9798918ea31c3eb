"""`dradsl new`: write claims and a workload from a recipe; the work is in `scaffolding`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dradsl.cli.cluster_options import GATES, RELEASE
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.options import flag, many, options_decorator, string
from dradsl.cli.say import Questions, put, say
from dradsl.scaffolding.recipes import ScaffoldError, recipe_named, recipe_names
from dradsl.scaffolding.values import checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.api.fleet import Fleet
    from dradsl.cli.options import OptionValues
    from dradsl.scaffolding.attaching import Target
    from dradsl.scaffolding.recipes import ParameterRow
    from dradsl.scaffolding.values import Offer
    from dradsl.scaffolding.writing import Scaffold
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = ["command"]

_OPTIONS = (
    many("--set", "KEY=VALUE", "A parameter of the recipe. Repeatable.", name="answers"),
    string("--for", "FILE", "Change a workload in FILE. Prints a diff."),
    flag("--write", "With --for: write the change."),
    flag("--check", "With --for: exit with 1 if the file would change."),
    string("--output", "FILE", "Write objects to FILE. Default: standard output.", short="-o"),
    string("--namespace", "NAMESPACE", "The namespace of the objects.", short="-n"),
    many("--slices", "PATH", "Recorded ResourceSlices and nodes to offer and try. Repeatable."),
    many("--driver-schema", "PATH", "A driver schema of your own. Repeatable."),
    RELEASE,
    GATES,
)
# What --for takes besides the parameters of the recipe.
_TARGET = ("workload", "container")


class _New(Command):
    """The command; with a recipe its help also shows the parameters of the recipe."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["dradsl.recipe"] = next((each for each in args if each in recipe_names()), None)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        name = ctx.meta.get("dradsl.recipe")
        if name is None:
            super().format_epilog(ctx, formatter)
            return
        from dradsl.drivers.schema.catalogue import Catalogue
        from dradsl.scaffolding.writing import Scaffold

        scaffold = Scaffold(recipe_named(name), {}, Catalogue())
        with formatter.section(f"Parameters of {name} (--set)"):
            formatter.write_dl(
                [
                    (row.key, _described(row, scaffold.offer(row)))
                    for row in scaffold.recipe.parameters
                ]
            )


@click.command("new", cls=_New)
@click.argument("recipe", required=False, metavar="[RECIPE]")
@options_decorator(_OPTIONS)
def command(recipe: str | None, **options: object) -> None:
    """Write a class, a claim or template, and a workload from a recipe.

    Without RECIPE it lists the recipes. `dradsl new RECIPE --help` shows the parameters of a recipe.
    With --for it gives the claim to a workload that exists, and keeps the rest of the file as it is.

    \b
    Exit codes:
      0  written, or with --check: the file has the claim
      1  lint reports an error, no recorded node fits, or with --check: the file would change
      2  the command line or a file cannot be used
    """
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.text.files import FileError
    from dradsl.tree.inputs.sources import UsageProblem

    if recipe is None:
        wide = max(map(len, recipe_names()))
        for name in recipe_names():
            say(f"{name:<{wide}}  {recipe_named(name).summary}")
        return
    try:
        code = _run(recipe, options)
    except (ScaffoldError, SchemaError, FileError, UsageProblem, OSError, ValueError) as error:
        raise InputError(str(error)) from error
    sys.exit(code)


def _described(row: ParameterRow, offer: Offer | None) -> str:
    words = [row.what]
    if row.required:
        words.append("must be given")
    if row.default is not None:
        words.append(f"default {row.default}")
    if offer is not None and offer.values:
        words.append(offer.words)
    return "; ".join(words)


def _run(name: str, options: OptionValues) -> int:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.scaffolding.writing import Scaffold

    recipe = recipe_named(name)
    given = _given(options["answers"])
    aimed = {key: given.pop(key, None) for key in _TARGET} if options["for"] else {}
    modes = [each for each in ("write", "check") if options[each]]
    if modes and not options["for"]:
        raise click.UsageError(f"--{modes[0]} needs --for FILE")
    if len(modes) > 1:
        raise click.UsageError("--write or --check, not both")
    fleet = _fleet(options["slices"])
    slices = [one for one in fleet.documents if one.get("kind") == "ResourceSlice"] if fleet else []
    catalogue = Catalogue(options["driver_schema"])
    scaffold = Scaffold(recipe, given, catalogue, slices, options["namespace"])
    scaffold.expect_known_keys()
    if not options["for"]:
        _ask(scaffold)
        return _write_new(scaffold, fleet, options)
    if "kind" in given:
        raise ScaffoldError("kind: the file of --for has the workload")
    source = _read(options["for"])
    target = _target(source, aimed)
    manifest = target.manifest
    if "name" not in given:
        metadata = manifest.data.get("metadata")
        own = metadata.get("name") if isinstance(metadata, dict) else None
        if not own:
            raise ScaffoldError(f"{target.workload} has no name yet: add --set name=NAME")
        given["name"] = str(own)
    there = manifest.namespace
    if there and options["namespace"] not in (None, there):
        raise ScaffoldError(
            f"{target.workload} is in the namespace {there}, not {options['namespace']}"
        )
    scaffold.namespace = there or options["namespace"]
    if recipe.namespace and not scaffold.namespace:
        raise ScaffoldError(f"{target.workload} names no namespace: add -n NAMESPACE")
    _ask(scaffold)
    return _change(scaffold, source, target, fleet, options)


def _given(words: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise ScaffoldError(f"--set: expected KEY=VALUE, not {word}")
        if key in given:
            raise ScaffoldError(f"--set: {key} is given twice")
        given[key] = value
    return given


def _fleet(paths: Sequence[str]) -> Fleet | None:
    if not paths:
        return None
    from dradsl.api.fleet import Fleet

    return Fleet.from_file(*paths)


def _read(path: str) -> SourceText:
    from dradsl.lint.input.reading import read_paths

    if Path(path).is_dir():
        raise ScaffoldError(f"--for: {path} is a folder: name the file of the workload")
    reading = read_paths([path])
    for failure in reading.failures:
        raise ScaffoldError(f"{failure.path}: {failure.message}")
    return reading.sources[0]


def _ask(scaffold: Scaffold) -> None:
    """Ask for what is missing, at a terminal; else name it.

    Raises:
        ScaffoldError: if there is nobody to ask.
    """
    for parameter, offer in list(scaffold.missing()):
        may = f": {offer.words}" if offer is not None and offer.values else ""
        if not _at_terminal():
            raise ScaffoldError(f"add --set {parameter.key}=VALUE, {parameter.what}{may}")
        question = f"{parameter.key} ({parameter.what}){may}"
        first = str(offer.values[0]) if offer is not None and offer.values else ""
        while True:
            text = Questions().ask(question, first)
            try:
                checked(parameter, text, offer, "")
            except ScaffoldError as error:
                say(str(error), err=True)
                continue
            scaffold.given[parameter.key] = text
            break


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _target(source: SourceText, aimed: dict[str, str | None]) -> Target:
    """The container that gets the devices; of several, somebody at a terminal is asked."""
    from dradsl.scaffolding.attaching import ChoiceNeeded, choose, targets_in

    targets = targets_in(source)
    while True:
        try:
            return choose(targets, aimed["workload"], aimed["container"])
        except ChoiceNeeded as needed:
            if not _at_terminal():
                raise
            aimed[needed.key] = Questions().choose(needed.key, needed.names, needed.names[0])


def _write_new(scaffold: Scaffold, fleet: Fleet | None, options: OptionValues) -> int:
    from dradsl.migrate.output import rendered_objects
    from dradsl.tree.replacing import write_bytes

    objects = [*scaffold.objects(), scaffold.workload()]
    code, usable = _judge(scaffold, objects, fleet, options)
    if not usable:
        return code
    words = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in scaffold.given.items()]
    if options["namespace"]:
        words.append(f"-n {shlex.quote(options['namespace'])}")
    made = " ".join(["# dradsl new", scaffold.recipe.name, *words]).replace("\n", " ")
    text = f"{made}\n{rendered_objects(objects)}"
    path = options["output"]
    if path in (None, "-"):
        put(text)
        return code
    if Path(path).exists():
        if _read(path).stream.text == text:
            return code
        raise ScaffoldError(f"{path} exists, with other content: name a new file")
    write_bytes(Path(path), text.encode())
    say(f"wrote {path}", err=True)
    return code


def _change(
    scaffold: Scaffold,
    source: SourceText,
    target: Target,
    fleet: Fleet | None,
    options: OptionValues,
) -> int:
    from dradsl.migrate.edits.operations import on_data
    from dradsl.migrate.output import rendered_objects
    from dradsl.scaffolding.attaching import attached, context_in, with_objects
    from dradsl.scaffolding.writing import pod_operations

    objects, pod = scaffold.objects(), scaffold.pod()
    text, notes = attached(target, pod, scaffold.catalogue)
    beside = options["output"]
    apart = beside is not None and Path(beside).exists()
    files: list[tuple[SourceText | None, str, str, str]] = []
    if beside is None:
        whole = with_objects(source, target, text, objects)
    else:
        other = _read(beside) if apart else None
        made = (
            rendered_objects(objects) if other is None else with_objects(other, None, "", objects)
        )
        files.append((other, beside, other.stream.text if other is not None else "", made))
        whole = with_objects(source, target, text, [])
    files.append((source, source.name, source.stream.text, whole))
    manifest = target.manifest
    operations = pod_operations(manifest.document.data, target.pod, target.container, pod)
    changed = on_data(manifest.document.data, operations)
    for step in manifest.prefix:
        changed = changed[step]
    for note in notes:
        say(f"note: {note}", err=True)
    code, usable = _judge(
        scaffold, [*objects, changed], fleet, options, context_in(source, objects)
    )
    if not usable:
        return code
    files = [each for each in files if each[2] != each[3]]
    if options["check"]:
        for _, name, _, _ in files:
            say(f"{name}: would change", err=True)
        return 1 if files else code
    _written(files, write=options["write"])
    return code


def _written(files: Sequence[tuple[SourceText | None, str, str, str]], *, write: bool) -> None:
    """Write the files, or print what would change; those with new objects first."""
    from dradsl.text.diff import unified_diff
    from dradsl.tree.replacing import write_bytes
    from dradsl.values.printable import diff_name

    for source, name, before, after in files:
        if not write:
            old = diff_name(name) if source is not None else "/dev/null"
            put(*unified_diff(before, after, old, diff_name(name)))
            continue
        if source is None:
            write_bytes(Path(name), after.encode(), expected=b"")
        elif name.startswith("<"):
            raise click.UsageError("--write changes files, not standard input")
        else:
            source.rewrite(after)
        say(f"wrote {name}", err=True)


def _judge(
    scaffold: Scaffold,
    objects: Sequence[JsonMapping],
    fleet: Fleet | None,
    options: OptionValues,
    context: Sequence[JsonMapping] = (),
) -> tuple[int, bool]:
    """Say what lint finds and where it fits; the exit code, and whether it can be used."""
    from dradsl.cli.cluster_options import parse_gates
    from dradsl.scaffolding.checking import answer

    gates = parse_gates(options["feature_gates"])
    found = answer(objects, fleet, options["kube_version"], gates or None, context)
    for finding in found.findings:
        say(f"{finding.code} {finding.severity.value}: {finding.message}", err=True)
    if any(finding.severity.value == "error" for finding in found.findings):
        say("dradsl new: nothing was written", err=True)
        return 1, False
    since = scaffold.recipe.since
    if since != "1.34" and options["kube_version"] is None:
        say(f"note: needs Kubernetes {since} or newer", err=True)
    if found.fitting is None:
        return 0, True
    say(f"fits on {found.fitting} of {found.nodes} recorded nodes", err=True)
    if not found.fitting and found.reason:
        say(f"  {found.reason}", err=True)
    return (0 if found.fitting else 1), True
