"""`dradsl simulate`: allocate claims against recorded ResourceSlices, as kube-scheduler would."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FROM_CLUSTER, GATES, RELEASE, release_and_features
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.lint_options import CONFIG, ISOLATED
from dradsl.cli.options import choice, flag, integer, many, options_decorator
from dradsl.cli.own_rules import configuration
from dradsl.cli.say import put, say
from dradsl.cli.time_limit import TIMEOUT, deadline_of, limited
from dradsl.records import Record
from dradsl.values.counted import first_of
from dradsl.values.digits import whole_number
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from dradsl.cli.isolation import Isolated
    from dradsl.cli.options import OptionValues
    from dradsl.releases import Features, Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.changes.objects import ClusterChange
    from dradsl.simulate.cluster import Cluster, ClusterBuilder, Workload
    from dradsl.simulate.input.notes import Note
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.report import Before, FitReport, SimulationOutcome
    from dradsl.values.deadline import Deadline

    T = TypeVar("T")
    Document = dict[str, object]

__all__ = ["command"]

_MOVED = "--without"
"""The origin of pods that have to move."""
_FORMATS = ("text", "json", "yaml", "html")


_OPTIONS = (
    many(
        "--slices",
        "PATH",
        "Recorded slices, nodes, claims and classes: a file or directory. Repeatable.",
        name="recordings",
    ),
    *FROM_CLUSTER,
    many(
        "--what-if",
        "PATH|DRIVER@VERSION",
        "Objects to add, or to take the place of those of the same name. Repeatable.",
        name="additions",
    ),
    many(
        "--shape",
        "DRIVER/TYPE:COUNT[,NAME=VALUE]...",
        "Add a node with COUNT devices, as the driver schema describes them. Repeatable.",
        name="shapes",
    ),
    many(
        "--copies",
        "[NODE=]N",
        "Add N nodes like NODE, or like each node of --what-if and --shape. Repeatable.",
    ),
    many(
        "--without",
        "NODE",
        "Remove this node; its pods move. Repeatable.",
        name="leaving",
    ),
    RELEASE,
    GATES,
    integer(
        "--replicas",
        "Place this number of pods of each workload. With --fit: the highest number to count, by default 1000.",
        least=0,
    ),
    flag("--fit", "Count how many replicas fit, and say what stops the next one."),
    many(
        "--given",
        "NAME=N",
        "With --fit: count what fits once N pods of this workload run. Repeatable.",
    ),
    flag("--verbose", "Show each pod, also if there are many."),
    choice(
        "--fail-on",
        ("chance", "pending"),
        "Exit with 1 for pods that start by chance or never, or only for pods that never start.  [default: chance]",
        default="chance",
    ),
    CONFIG,
    ISOLATED,
    TIMEOUT,
    choice("--output-format", _FORMATS, "Default: text.", default="text"),
)


@click.command("simulate", cls=Command)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options_decorator(_OPTIONS)
def command(**options: Any) -> None:
    """Say which nodes can run the pods in PATH, with which devices, and why not.

    PATH is a file, a directory, or "-" for standard input.

    \b
    Exit codes:
      0  every pod fits (with --fit: any number of replicas)
      1  a pod never starts, or only by chance (with --fail-on pending: 0); a running claim would
         not match again
      2  wrong command line or input, or --timeout was reached
    """
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.cli.isolation import Isolated
    from dradsl.recordings import RecordingError
    from dradsl.simulate.changes.objects import changed
    from dradsl.simulate.prospect import Prospect
    from dradsl.simulate.report import SimulationOutcome

    release, features = release_and_features(options)
    config = configuration(options)
    options |= {"node_order": config.node_order, "known_classes": config.known_classes}
    options["allow_chance"] = options["fail_on"] == "pending"
    deadline = deadline_of(options["timeout"])
    broken = Isolated()  # the other manifests are simulated all the same
    before: Before | None = None
    with limited(deadline, "the simulation"):
        try:
            given = _given_objects(options, broken)
            clusters = [_simulation(given, release, features, options, broken, None)]
            if given.changes:
                change = changed(
                    [one for _, one in given.recorded], options["leaving"], given.others
                )
                clusters.append(_simulation(given, release, features, options, broken, change))
        except (InventoryError, RecordingError, OSError) as error:
            raise InputError(str(error)) from error
        if given.changes:
            before = _before(clusters[0], change, clusters[1], release, options, deadline)
        simulation = clusters[-1]
        rejected = any(note.kind == "rejected" for note in simulation.cluster.notes)
        if not simulation.cluster.workloads and not rejected and before is None:
            raise InputError("no pods or workloads in the input")
        reports, fits, late = _answers(simulation, options, deadline, broken)
    verbose = options["verbose"] or options["output_format"] != "text"
    order = options["node_order"]
    outcome = SimulationOutcome(
        simulation, release, tuple(reports), tuple(fits), order, verbose, before, _source(options)
    )
    _write(outcome, options)
    unseen = sum(1 + report.alike for report in reports if report.unseen)
    if deadline.is_set and (late or unseen) and deadline.is_over:
        what = f"{unseen:,} pods" if unseen else "replicas beyond those that were counted"
        say(f"dradsl simulate: {deadline.words}; not looked at: {what}", err=True)
        sys.exit(2)
    good = (Prospect.FITS, Prospect.CHANCE) if options["allow_chance"] else (Prospect.FITS,)
    sys.exit(2 if broken.names else 0 if outcome.prospect in good else 1)


def _source(options: OptionValues) -> str:
    """Where the cluster is from, in words."""
    if options["recordings"]:
        return first_of([Path(one).name or one for one in options["recordings"]])
    if options["shapes"]:
        return "shapes"
    context = options["kube_context"]
    return f"context {context}" if context else "the current context of kubectl"


def _before(
    simulation: Simulation,
    change: ClusterChange,
    after: Simulation,
    release: Release,
    options: OptionValues,
    deadline: Deadline,
) -> Before:
    """What was before a change: the pods of the manifests, and the claims that it costs their devices."""
    from dradsl.cli.isolation import Isolated
    from dradsl.simulate.changes.rematch import claims_that_no_longer_match
    from dradsl.simulate.report import Before, SimulationOutcome

    lost = tuple(claims_that_no_longer_match(simulation, after, change))
    placed: list[PodReport] = []
    fits: list[FitReport] = []
    with contextlib.suppress(InputError):  # what is given fits only after the change
        placed, fits, _ = _answers(simulation, options, deadline, Isolated(), before=True)
    order = options["node_order"]
    outcome = SimulationOutcome(simulation, release, tuple(placed), tuple(fits), order)
    return Before(change, outcome, lost)


def _answers(
    simulation: Simulation,
    options: OptionValues,
    deadline: Deadline,
    broken: Isolated,
    *,
    before: bool = False,
) -> tuple[list[PodReport], list[FitReport], bool]:
    """What each workload gets, and whether the deadline came before all were counted. `before` a change, the workloads
    that are given may be others."""
    reports: list[PodReport] = []
    fits: list[FitReport] = []
    late = deadline.is_over  # before anything was placed
    workloads = simulation.cluster.workloads
    given = _given(workloads, options, strict=not before)
    for workload in workloads:
        name = f"{workload.origin}: {workload.label}"
        if options["fit"] and workload.origin != _MOVED:
            if workload in given:
                continue
            count_them = partial(_fit, simulation, workload, options, deadline, given)
            known = (InputError,) if before else ()
            fit = broken.attempt(name, partial(_as_time_allows, count_them), known, "it")
            fits += [] if fit is None else [fit]
            late = late or (
                fit is not None
                and fit.stopped_by is None
                and not fit.whole
                and fit.count < fit.limit
            )
        else:
            placed = sum(1 for report in reports if not report.unseen)
            place = partial(_place, simulation, workload, options, placed, deadline)
            reports += broken.attempt(name, partial(_as_time_allows, place), what="it") or []
    return reports, fits, late


def _as_time_allows(work: Callable[[], T]) -> T:
    """What `work` gives. If it is interrupted, it says in a second call that the deadline is over."""
    from dradsl.values.deadline import TimeIsUp

    try:
        return work()
    except TimeIsUp:
        return work()


def _place(
    simulation: Simulation,
    workload: Workload,
    options: OptionValues,
    before: int,
    deadline: Deadline,
) -> list[PodReport]:
    from dradsl.cli.progress import pods_placed
    from dradsl.simulate.replicas import place_workloads

    # A pod that moves is one, whatever is asked of the manifests.
    count = None if workload.origin == _MOVED else options["replicas"]
    found = place_workloads(simulation, (workload,), count, before, deadline=deadline)
    reports = []
    with pods_placed() as advance:
        for report in found:
            reports.append(report)
            advance(1)
    return reports


def _given(
    workloads: Sequence[Workload], options: OptionValues, *, strict: bool
) -> dict[Workload, int]:
    """The workloads of which pods run before others are counted."""
    found: dict[Workload, int] = {}
    for text in options["given"]:
        name, equals, number = text.rpartition("=")
        meant = [
            one for one in workloads if name in (one.name, one.label, f"{one.kind}/{one.name}")
        ]
        if not options["fit"]:
            raise InputError("--given needs --fit")
        count = whole_number(number)
        if not equals or count is None or count < 0:
            raise InputError(f"--given: expected NAME=N, not {text}")
        if not meant and not strict:
            continue
        if len(meant) != 1:
            which = ", ".join(one.label for one in workloads)
            raise InputError(f"--given {text}: expected the name of one workload of: {which}")
        found[meant[0]] = count
    return found


def _fit(
    simulation: Simulation,
    workload: Workload,
    options: OptionValues,
    deadline: Deadline,
    given: dict[Workload, int],
) -> FitReport:
    from dradsl.api._cluster import GivenError, count_fitting
    from dradsl.cli.progress import pods_placed
    from dradsl.values.limits import REPLICAS_THAT_FIT

    with pods_placed() as advance:

        def placed(_: PodReport) -> None:
            advance(1)

        try:
            return count_fitting(
                simulation,
                workload,
                REPLICAS_THAT_FIT if options["replicas"] is None else options["replicas"],
                given,
                allow_chance=options["allow_chance"],
                deadline=deadline,
                progress=placed,
                moved=[one for one in simulation.cluster.workloads if one.origin == _MOVED],
            )
        except GivenError as error:
            raise InputError(f"--given {error}") from error


class _Objects(Record):
    """The objects of a call, read once: those of the cluster, what is added or put in the place of others, nodes that
    the call describes, and manifests by file."""

    recorded: list[tuple[str, Document]]
    others: list[Document]
    shapes: list[Document]
    manifests: list[tuple[str, list[Document]]]
    notes: list[Note]
    changes: bool

    @property
    def documents(self) -> list[Document]:
        """All that may be a node to copy."""
        return [*(one for _, one in self.recorded), *self.others, *self.shapes]


def _given_objects(options: OptionValues, broken: Isolated) -> _Objects:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.cli.shapes import as_version, shape_of
    from dradsl.recordings import RecordingError
    from dradsl.simulate.input.notes import Note

    recorded = [("", one) for one in _of_cluster(options)]
    recorded += [pair for path in options["recordings"] for pair in _objects_in(path)]
    plain = [one for _, one in recorded]
    shapes: list[Document] = []
    notes: list[Note] = []
    known = (InventoryError, RecordingError, OSError, click.ClickException)
    manifests = list(_manifests(options["paths"], broken, known, notes))
    read = " ".join(_selecting(([one for _, own in manifests for one in own], plain)))
    for number, text in enumerate(options["shapes"], 1):
        documents, missing = shape_of(text, number, lambda: plain)
        shapes += documents
        if unset := [one for one in missing if re.search(rf"\b{one.rpartition('/')[2]}\b", read)]:
            told = f"--shape does not say, so that selectors on it fail: {', '.join(unset)}"
            notes.append(Note("assumed", f"node shape-{number}", told))
    others: list[Document] = []
    for text in options["additions"]:
        if "@" in text and not os.path.lexists(text):
            documents, told = as_version(text, plain)
            others += documents
            notes.append(Note("assumed", text, told))
        else:
            others += [one for _, one in _objects_in(text)]
    change = (options["additions"], options["shapes"], options["copies"], options["leaving"])
    return _Objects(recorded, others, shapes, manifests, notes, bool(recorded) and any(change))


def _selecting(data: object) -> Iterator[str]:
    """The expressions in objects, and the attributes that constraints compare."""
    if isinstance(data, dict):
        texts = (data.get(key) for key in ("expression", "matchAttribute", "distinctAttribute"))
        yield from filter(lambda each: isinstance(each, str), texts)
    if isinstance(data, dict | list | tuple):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _selecting(each)


def _objects_in(text: str) -> Iterator[tuple[str, Document]]:
    """The objects of recordings, with their files."""
    from dradsl.cli.isolation import internal_text, please_report
    from dradsl.recordings import RecordingError, find_recordings, read_recording

    for path in find_recordings(Path(text)):
        try:
            for document in read_recording(path):
                yield str(path), document
        except (RecordingError, OSError):
            raise
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            # Without these objects the cluster would be another one, and every answer of it a guess.
            text = f"{path}: {internal_text(error)}; nothing is simulated without it."
            raise InputError(f"{text} {please_report(error)}".rstrip()) from error


def _simulation(
    given: _Objects,
    release: Release,
    features: Features,
    options: OptionValues,
    broken: Isolated,
    change: ClusterChange | None,
) -> Simulation:
    """The simulation before any pod is placed: of the cluster as recorded, or after a change."""
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.api._cluster import cluster_builder, simulation_on
    from dradsl.kube.server.api_server import ApiServer
    from dradsl.recordings import RecordingError
    from dradsl.simulate.changes.objects import key_of
    from dradsl.values.failing import apart_from_failing

    known = (InventoryError, RecordingError, OSError, click.ClickException)
    manifests = given.manifests
    recorded = given.recorded
    if change is not None:
        recorded = [("", one) for one in change.rest]
        taken = {key_of(one) for one in given.others}
        manifests = [
            (name, [one for one in each if key_of(one) not in taken]) for name, each in manifests
        ]
        added = [one for one in given.others if not _is_recorded(one)]
        manifests = [(_MOVED, change.moving), *manifests, ("--what-if", added)]

    def cluster(manifests: Sequence[tuple[str, list[Document]]]) -> Cluster:
        builder = cluster_builder(
            ApiServer(release, features), known_classes=options["known_classes"]
        )
        for origin, document in recorded:
            _add(builder, document, origin)
        if change is not None or not given.recorded:
            _add_nodes(builder, given, options)
        builder.notes += given.notes
        for name, documents in manifests:
            for document in documents:
                builder.add_manifest(document, name)
        return builder.build()

    built, failed = apart_from_failing(manifests, cluster, known)
    for (name, _), error in failed:
        if name not in broken.names:
            broken.add(name, error)
    return simulation_on(built, release, features, options["node_order"])


def _is_recorded(document: Document) -> bool:
    """Whether an object to add is one of a running cluster, or a node: no manifest that the API server has to judge."""
    kind = document.get("kind")
    if kind == "Pod":
        return bool(member(document, "spec", "nodeName"))
    if kind in ("ResourceSlice", "Node"):
        return True
    marks = member(document, "metadata", "uid"), member(document, "status", "allocation")
    return str(document.get("apiVersion")).startswith("resource.k8s.io/") and any(marks)


def _add_nodes(builder: ClusterBuilder, given: _Objects, options: OptionValues) -> None:
    """What the call adds to the cluster, and more nodes like some that are there."""
    from dradsl.cli.shapes import states_all
    from dradsl.simulate.input.copies import copies_of, nodes_in

    for document in given.others:
        if _is_recorded(document):
            _add(builder, document, "--what-if", new=True)
    for document in given.shapes:
        builder.add_recorded(document, "--shape", new=True, whole=states_all(document))
    for text in options["copies"]:
        name, _, number = text.rpartition("=")
        count = whole_number(number)
        if count is None or count < 0:
            raise InputError(f"--copies: expected N or NODE=N, not {text}")
        names = [name] if name else nodes_in([*given.others, *given.shapes])
        if not names:
            raise InputError(
                f"--copies {text}: no node in --what-if or --shape; name one of the recording, NODE={number}"
            )
        for each in names:
            for document in copies_of(given.documents, each, count):
                whole = each not in nodes_in(given.shapes) or states_all(document)
                builder.add_recorded(document, f"--copies {text}", new=True, whole=whole)


def _of_cluster(options: OptionValues) -> list[dict[str, object]]:
    """The objects of the cluster, if it is asked."""
    from dradsl.cli.cluster_objects import asks_cluster, documents_of_cluster
    from dradsl.why.dump import LIST_READ, VERSION

    if not asks_cluster([*options["recordings"], *options["shapes"]], options):
        if not options["recordings"] and not options["shapes"]:
            raise InputError("name recorded objects with --slices, a --shape, or --from-cluster")
        return []
    if options["recordings"]:
        raise InputError("--slices or --from-cluster, not both")
    found = documents_of_cluster("simulated", options["kube_context"], "not read")
    return [one for one in found if one.get("kind") not in (LIST_READ, VERSION)]


def _add(builder: ClusterBuilder, document: Document, origin: str, *, new: bool = False) -> None:
    """A recorded object; errors name its file."""
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.cli.isolation import internal_text, please_report

    try:
        builder.add_recorded(document, origin, new=new)
    except InventoryError as error:
        raise InventoryError(f"{origin}: {error}" if origin else str(error)) from error
    except Exception as error:
        if os.environ.get("DRADSL_DEBUG"):
            raise
        # Without this object the cluster would be another one, and every answer of it a guess.
        text = (
            f"{origin or 'the cluster'}: {internal_text(error)}; nothing is simulated without it."
        )
        raise InputError(f"{text} {please_report(error)}".rstrip()) from error


def _manifests(
    paths: Sequence[str],
    broken: Isolated,
    known: tuple[type[Exception], ...],
    notes: list[Note],
) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """The objects in the files of manifests, by file. Files of folders that hold templates, or nothing about claims,
    are a note if they cannot be read."""
    from dradsl.recordings import MAX_BYTES, documents_in, find_recordings, read_manifests
    from dradsl.simulate.input.notes import notes_on_files
    from dradsl.text.files import read_standard_input

    left_out: dict[str, list[str]] = {}
    for text in paths:
        if text == "-":
            yield "standard input", list(documents_in(read_standard_input(MAX_BYTES)))
            continue
        for path in find_recordings(Path(text)):
            work = partial(read_manifests, path, text, left_out)
            found = broken.attempt(str(path), work, known)
            if found is not None:
                yield str(path), found
    notes += notes_on_files(left_out)


def _write(outcome: SimulationOutcome, options: OptionValues) -> None:
    renderer = importlib.import_module(f"dradsl.simulate.report.{options['output_format']}")
    out = io.StringIO()
    renderer.render(outcome, out)
    put(out.getvalue())
