"""`dradsl simulate`: allocate claims against recorded ResourceSlices, as kube-scheduler would."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import GATES, RELEASE, release_and_features
from dradsl.cli.errors import InputError
from dradsl.cli.options import option_decorator

if TYPE_CHECKING:
    from dradsl.allocator.engine.plan import DeviceClass
    from dradsl.releases import Features, Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import ClusterBuilder
    from dradsl.simulate.report import Outcome
    from dradsl.values.deadline import Deadline

__all__ = ["command"]

_FORMATS = ("text", "json", "yaml", "html")
_ORDERS = ("score", "name", "pack", "spread")


@click.command(name="simulate", short_help="Allocate claims against recorded ResourceSlices.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--slices",
    "recordings",
    multiple=True,
    required=True,
    metavar="PATH",
    help="Recorded objects (slices, nodes, claims, classes): a file or directory. Repeatable.",
)
@click.option("--what-if", "additions", multiple=True, metavar="PATH", help="More slices or nodes.")
@option_decorator(RELEASE)
@option_decorator(GATES)
@click.option("--replicas", type=click.IntRange(0), default=None, help="Pods of each workload.")
@click.option("--fit", is_flag=True, help="How many replicas fit, and what stops the next one.")
@click.option("--allow-chance", is_flag=True, help="Fitting by chance is fitting.")
@click.option("--limit", type=click.IntRange(1), default=1000, help="Where --fit stops counting.")
@click.option(
    "--node-order", type=click.Choice(_ORDERS), default="score", help="Which node is taken."
)
@click.option(
    "--timeout", metavar="DURATION", help="End after this time (90, 30s, 5m) with what was found."
)
@click.option("--no-known-classes", is_flag=True, help="Do not take classes from driver schemas.")
@click.option("--output-format", type=click.Choice(_FORMATS), default="text")
@click.option("--output-file", type=click.Path(dir_okay=False), default=None, metavar="FILE")
def command(**options: Any) -> None:
    """Which nodes can run the pods in PATH (files, directories, - for standard input), with which
    devices, and why not.

    Exit codes: 0 every pod fits (with --fit: whatever the number), 1 one never starts, or only by
    chance (with --allow-chance that is 0), 2 wrong usage or input, or --timeout was reached.
    """
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.recordings import RecordingError
    from dradsl.simulate.prospect import Prospect
    from dradsl.simulate.replicas import place_workloads

    release, features = release_and_features(options)
    deadline = _deadline(options["timeout"])
    try:
        simulation = _simulation(release, features, options)
    except (InventoryError, RecordingError, OSError) as error:
        raise InputError(str(error)) from error
    workloads = simulation.cluster.workloads
    refused = any(note.kind == "refused" for note in simulation.cluster.notes)
    if not workloads and not refused:
        raise InputError("no pods or workloads in the input")
    from dradsl.simulate.report import FitReport, Outcome

    fits = []
    late = deadline.is_over  # before anything was placed
    for workload in workloads if options["fit"] else ():
        alone = simulation.fresh()
        count, stopped = alone.fit(
            workload, options["limit"], allow_chance=options["allow_chance"], deadline=deadline
        )
        late = late or (stopped is None and count < options["limit"])
        fits.append(FitReport(workload.label, count, stopped, options["limit"], alone))
    placed = () if options["fit"] else workloads
    reports = tuple(place_workloads(simulation, placed, options["replicas"], deadline=deadline))
    outcome = Outcome(simulation, release, reports, tuple(fits), options["node_order"])
    _write(outcome, options)
    unseen = sum(1 + report.alike for report in reports if report.unseen)
    if deadline.is_set and (late or unseen) and deadline.is_over:
        what = f"{unseen:,} pods" if unseen else "replicas beyond those that were counted"
        click.echo(f"dradsl simulate: {deadline.words}; not looked at: {what}", err=True)
        sys.exit(2)
    good = (Prospect.FITS, Prospect.CHANCE) if options["allow_chance"] else (Prospect.FITS,)
    sys.exit(0 if outcome.prospect in good else 1)


def _deadline(text: str | None) -> Deadline:
    from dradsl.values.deadline import NO_DEADLINE, Deadline, read_duration

    if text is None:
        return NO_DEADLINE
    try:
        return Deadline.after(read_duration(text))
    except ValueError as error:
        raise InputError(f"--timeout: {error}") from error


def _simulation(release: Release, features: Features, options: dict[str, Any]) -> Simulation:
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import ClusterBuilder

    builder = ClusterBuilder(
        ApiServer(release, features),
        known_class=None if options["no_known_classes"] else _known_class,
        known_resource=None if options["no_known_classes"] else _known_resource,
    )
    for path in (*options["recordings"], *options["additions"]):
        _record(builder, path)
    for path in options["paths"]:
        _read_manifests(builder, path)
    return Simulation(
        builder.build(),
        release,
        features,
        CelSelectors(release, features),
        node_order=options["node_order"],
    )


def _record(builder: ClusterBuilder, text: str) -> None:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.recordings import find_recordings, read_recording

    for path in find_recordings(Path(text)):
        for document in read_recording(path):
            try:
                builder.add_recorded(document, str(path))
            except InventoryError as error:
                raise InventoryError(f"{path}: {error}") from error


def _read_manifests(builder: ClusterBuilder, text: str) -> None:
    from dradsl.recordings import MAX_BYTES, documents_in, find_recordings, read_recording
    from dradsl.text.files import read_standard_input

    if text == "-":
        for document in documents_in(read_standard_input(MAX_BYTES)):
            builder.add_manifest(document, "standard input")
        return
    for path in find_recordings(Path(text)):
        for document in read_recording(path):
            builder.add_manifest(document, str(path))


def _known_class(name: str) -> DeviceClass | None:
    from dradsl.allocator.engine.plan import DeviceClass
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    found = shipped_catalogue().device_class(name)
    return None if found is None else DeviceClass(name, tuple(found[1].selectors))


def _known_resource(driver: str, resource: str) -> DeviceClass | None:
    from dradsl.allocator.engine.plan import DeviceClass
    from dradsl.drivers.schema.catalogue import shipped_catalogue

    schema = shipped_catalogue().get(driver)
    for known in schema.classes if schema is not None else ():
        if known.extended_resource_name == resource:
            return DeviceClass(known.name, tuple(known.selectors))
    return None


def _write(outcome: Outcome, options: dict[str, Any]) -> None:
    renderer = importlib.import_module(f"dradsl.simulate.report.{options['output_format']}")
    import io

    from dradsl.lint.report.terminal import printable
    from dradsl.text.files import FileError
    from dradsl.text.replacing import write_bytes

    out = io.StringIO()
    renderer.render(outcome, out)
    text = out.getvalue()
    if options["output_format"] in ("text", "html"):  # the others escape by their own rules
        text = printable(text, keep_newlines=True)
    target = options["output_file"]
    if target is None:
        sys.stdout.write(text)
        return
    try:
        write_bytes(target, text.encode("utf-8", "replace"))
    except FileError as error:
        raise InputError(str(error)) from error
