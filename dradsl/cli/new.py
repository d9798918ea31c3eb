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
from dradsl.cli.say import Questions, note, put, say
from dradsl.scaffolding.recipes import ScaffoldError, recipe_named, recipe_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cli.options import OptionValues
    from dradsl.scaffolding.attaching import PodContainer
    from dradsl.scaffolding.writing import Scaffold
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = ["command"]

_OPTIONS = (
    many("--set", "KEY=VALUE", "A parameter of the recipe. Repeatable.", name="answers"),
    string("--for", "FILE", "Give the claim to a workload in FILE. Prints a diff."),
    flag("--write", "With --for: write the change."),
    flag("--check", "With --for: exit with 1 if the file would change."),
    string("--output", "FILE", "A new file for the objects. Default: standard output.", short="-o"),
    string("--namespace", "NAMESPACE", "The namespace of the objects.", short="-n"),
    many("--slices", "PATH", "Recorded ResourceSlices and nodes to offer and try. Repeatable."),
    many("--driver-schema", "PATH", "A driver schema of your own. Repeatable."),
    RELEASE,
    GATES,
)


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
        scaffold = _scaffold(recipe_named(name))
        with formatter.section(f"Parameters of {name} (--set)"):
            formatter.write_dl(
                [(key, _described(scaffold, key)) for key in scaffold.recipe["parameters"]]
            )


def _names(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in recipe_names() if name.startswith(incomplete)]


@click.command("new", cls=_New)
@click.argument("recipe", required=False, metavar="[RECIPE]", shell_complete=_names)
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
    if recipe is None:
        wide = max(map(len, recipe_names()))
        for name in recipe_names():
            say(f"{name:<{wide}}  {recipe_named(name)['summary']}")
        return
    modes = [each for each in ("write", "check") if options[each]]
    if modes and not options["for"]:
        raise click.UsageError(f"--{modes[0]} needs --for FILE")
    if options["for"] and (options["output"] or len(modes) > 1):
        raise click.UsageError("with --for, give --write, --check or neither, and no --output")
    try:
        code = _run(recipe_named(recipe), options)
    except (OSError, ValueError) as error:  # of a file, a recording, a release, or the recipe
        raise InputError(str(error)) from error
    sys.exit(code)


def _run(recipe: JsonMapping, options: OptionValues) -> int:
    given: dict[str, str] = {}
    for word in options["answers"]:
        key, equals, value = word.partition("=")
        if not (key and equals and value) or key in given:
            raise ScaffoldError(f"--set: expected KEY=VALUE, each key once, not {word}")
        given[key] = value
    scaffold = _scaffold(recipe, given, options)
    if not options["for"]:
        _ask(scaffold)
        return _write_new(scaffold, options)
    aimed = {key: given.pop(key, None) for key in ("workload", "container")}
    if "kind" in given:
        raise ScaffoldError("kind: the file of --for has the workload")
    target = _target(_read(options["for"]), aimed)
    return _change(scaffold, target, options)


def _scaffold(
    recipe: JsonMapping, given: dict[str, str] | None = None, options: OptionValues | None = None
) -> Scaffold:
    from dradsl.api.fleet import Fleet
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.scaffolding.writing import Scaffold

    options = options or {"slices": (), "driver_schema": (), "namespace": None}
    recorded = Fleet.from_file(*options["slices"]).documents
    slices = [one for one in recorded if one.get("kind") == "ResourceSlice"]
    catalogue = Catalogue(options["driver_schema"])
    return Scaffold(recipe, {} if given is None else given, catalogue, slices, options["namespace"])


def _described(scaffold: Scaffold, key: str) -> str:
    parameter, offer = scaffold.recipe["parameters"][key], scaffold.offer(key)
    words = [parameter["what"], "required" if "required" in parameter else ""]
    words.append(f"default {parameter['default']}" if "default" in parameter else "")
    words.append(offer.words if offer is not None and offer.values else "")
    return "; ".join(filter(None, words))


def _ask(scaffold: Scaffold) -> None:
    """Ask for what is missing, at a terminal; else name it. Then check all.

    Raises:
        ScaffoldError: if there is nobody to ask, or for a value that cannot be given.
    """
    scaffold.check()
    for key in list(scaffold.missing()):
        words = _described(scaffold, key)
        if not Questions.can_be_asked():
            raise ScaffoldError(f"add --set {key}=VALUE: {words}")
        offer = scaffold.offer(key)
        while key not in scaffold.given:
            first = str(offer.values[0]) if offer is not None and offer.values else ""
            scaffold.given[key] = Questions().ask(f"{key} ({words})", first)
            try:
                scaffold.check()
            except ScaffoldError as error:
                say(str(error), err=True)
                del scaffold.given[key]


def _read(path: str) -> SourceText:
    from dradsl.lint.input.reading import read_paths

    if Path(path).is_dir():
        raise ScaffoldError(f"--for: {path} is a folder: name the file of the workload")
    reading = read_paths([path])
    for failure in reading.failures:
        raise ScaffoldError(f"{failure.path}: {failure.message}")
    return reading.sources[0]


def _target(source: SourceText, aimed: dict[str, str | None]) -> PodContainer:
    """The container that gets the devices; of several, somebody at a terminal is asked."""
    from dradsl.scaffolding.attaching import ChoiceNeeded, choose, targets_in

    targets = targets_in(source)
    while True:
        try:
            return choose(targets, aimed["workload"], aimed["container"])
        except ChoiceNeeded as needed:
            if not Questions.can_be_asked():
                raise
            aimed[needed.key] = Questions().choose(needed.key, needed.names, needed.names[0])


def _write_new(scaffold: Scaffold, options: OptionValues) -> int:
    from dradsl.migrate.output import rendered_objects
    from dradsl.tree.replacing import write_bytes
    from dradsl.values.printable import printable

    objects = [*scaffold.objects(), scaffold.workload()]
    words = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in scaffold.given.items()]
    words += [f"-n {shlex.quote(options['namespace'])}"] if options["namespace"] else []
    made = " ".join(["# dradsl new", scaffold.recipe["recipe"], *words])
    text = f"{printable(made)}\n{rendered_objects(objects)}"
    path = options["output"]
    if path not in (None, "-") and Path(path).exists() and _read(path).stream.text != text:
        raise ScaffoldError(f"{path} exists, with other content: name a new file")
    code, usable = _judged(scaffold, objects, options)
    if usable and path in (None, "-"):
        put(text)
    elif usable:
        write_bytes(Path(path), text.encode())
        note(f"wrote {path}")
    return code


def _change(scaffold: Scaffold, target: PodContainer, options: OptionValues) -> int:
    from dradsl.scaffolding.attaching import aim, changed, notes_on
    from dradsl.text.diff import unified_diff
    from dradsl.tree.manifests.manifest import manifests_of
    from dradsl.values.printable import diff_name

    aim(scaffold, target)
    _ask(scaffold)
    manifest, objects = target.pod.manifest, scaffold.objects()
    source = manifest.source
    for line in notes_on(target, scaffold.pod(), scaffold.catalogue):
        note(f"note: {line}")
    before, after = source.stream.text, changed(scaffold, target)
    new = {(one["kind"], one["metadata"]["name"]) for one in objects}
    for each in manifests_of(type(source)(source.name, source.stream.reread(after))):
        if each.key[1:] == manifest.key[1:]:
            objects.append(dict(each.data))
    context = [
        each.data
        for each in manifests_of(source)
        if each.group.startswith("resource.") and (each.kind, each.name) not in new
    ]
    code, usable = _judged(scaffold, objects, options, context)
    if not usable or before == after:
        return code
    if options["check"]:
        say(f"{source.name}: would change", err=True)
        return 1
    if not options["write"]:
        name = diff_name(source.name)
        put(*unified_diff(before, after, name, name))
        return code
    if options["for"] == "-":
        raise click.UsageError("--write changes files, not standard input")
    source.rewrite(after)
    note(f"wrote {source.name}")
    return code


def _judged(
    scaffold: Scaffold,
    objects: Sequence[JsonMapping],
    options: OptionValues,
    context: Sequence[JsonMapping] = (),
) -> tuple[int, bool]:
    """Say what lint finds and on how many recorded nodes it fits; the exit code, and whether lint lets it pass."""
    from dradsl.api.fleet import Fleet
    from dradsl.api.linting import lint
    from dradsl.api.simulating import simulate
    from dradsl.cli.cluster_options import parse_gates

    release, gates = options["kube_version"], parse_gates(options["feature_gates"])
    fleet = Fleet.from_file(*options["slices"]) if options["slices"] else None
    found = lint(*objects, kube_version=release, feature_gates=gates, fleet=fleet, context=context)
    for finding in found.at_least("warning"):
        say(f"{finding.code} {finding.severity.value}: {finding.message}", err=True)
    if found.errors:
        say("dradsl new: nothing was written", err=True)
        return 1, False
    since = scaffold.recipe["since"]
    if since != "1.34" and release is None:
        note(f"note: needs Kubernetes {since} or newer")
    if fleet is None:
        return 0, True
    pods = simulate(
        [*context, *objects],
        fleet,
        kube_version=release,
        feature_gates=gates,
        replicas=1,
        pods_for_claims=False,
    )
    fitting = min((pod.fitting for pod in pods if pod.devices or not pod.fits), default=0)
    why = next((f": {pod.reason}" for pod in pods if not pod.fits), "")
    note(f"fits on {fitting} of {len(fleet.nodes)} recorded nodes{why}")
    return (0 if pods.fits else 1), True
