"""The commands `dradsl devices` and `dradsl claims`: who holds what in a cluster or a dump."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FROM_CLUSTER, GATES, RELEASE, release_and_features
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.options import choice, options_decorator, string
from dradsl.cli.say import put, say
from dradsl.cli.time_limit import in_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.allocator.inventory.slices import Inventory
    from dradsl.cli.options import OptionValues
    from dradsl.why.dump import Dump

__all__ = ["claims_command", "devices_command"]


def _common(function: Callable[..., None]) -> Callable[..., None]:
    options = (
        *FROM_CLUSTER,
        string("--namespace", "NAME", "Only claims of this namespace.", default="", short="-n"),
        RELEASE,
        GATES,
        choice("--output-format", ("text", "json"), "Default: text.", default="text"),
    )
    dumps = click.argument("dumps", nargs=-1, metavar="[DUMP]...")
    return dumps(options_decorator(options)(function))


@click.command(cls=Command, name="devices", short_help="Show devices and who holds them.")
@_common
@click.option(
    "--node", "nodes", multiple=True, metavar="NAME", help="Only devices of this node. Repeatable."
)
@click.option(
    "--driver",
    "drivers",
    multiple=True,
    metavar="NAME",
    help="Only devices of this driver. Repeatable.",
)
@click.option("--summary", is_flag=True, help="Only the totals, by model.")
@click.option("--free", is_flag=True, help="Only devices that are not allocated.")
@in_time("the table of devices")
def devices_command(**options: Any) -> None:
    """Show the devices of a dump or of the cluster, by node and pool.

    Each row has the claims and pods that hold the device, shares, partitions, taints and health. A DUMP
    is a file or directory, or "-" for standard input.

    \b
    Exit codes:
      0  printed
      2  wrong command line or input, or --timeout was reached
    """
    from dradsl.why.ledger import device_rows
    from dradsl.why.report.tables import render_devices

    dump, inventory = _read(options)
    rows = [
        row
        for row in device_rows(dump, inventory)
        if (not options["nodes"] or row.node in options["nodes"])
        and (not options["drivers"] or row.driver in options["drivers"])
        and (not options["free"] or row.state == "free")
        and (
            not options["namespace"]
            or _is_in(options["namespace"], *(use.claim for use in row.uses))
        )
    ]
    out = io.StringIO()
    render_devices(rows, options["output_format"], out, summary=options["summary"])
    put(out.getvalue())


@click.command(cls=Command, name="claims", short_help="Show claims with their devices and pods.")
@_common
@in_time("the table of claims")
def claims_command(**options: Any) -> None:
    """Show the claims of a dump or of the cluster.

    Each row has the devices that the claim holds, and the pods that share it or wait for it. A DUMP is a
    file or directory, or "-" for standard input.

    \b
    Exit codes:
      0  printed
      2  wrong command line or input, or --timeout was reached
    """
    from dradsl.why.ledger import claim_rows
    from dradsl.why.report.tables import render_claims

    dump, inventory = _read(options)
    wanted = options["namespace"]
    rows = [row for row in claim_rows(dump, inventory) if not wanted or _is_in(wanted, row.claim)]
    out = io.StringIO()
    render_claims(rows, options["output_format"], out)
    put(out.getvalue())


def _is_in(namespace: str, *labels: str) -> bool:
    return any(label.partition("/")[0] == namespace for label in labels)


def _read(options: OptionValues) -> tuple[Dump, Inventory]:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.cli.cluster_objects import dump_documents
    from dradsl.recordings import RecordingError
    from dradsl.why.dump import Dump
    from dradsl.why.world import build_cluster

    release, features = release_and_features(options)
    try:
        dump = Dump(dump_documents(list(options["dumps"]), options, needed=["resourceslices"]))
        cluster, _ = build_cluster(dump, (), (), release, features, None)
    except (InventoryError, RecordingError, OSError) as error:
        raise InputError(str(error)) from error
    for note in cluster.notes:
        if note.kind == "ignored":
            say(f"note: {note.subject}: {note.text}", err=True)
    return dump, cluster.inventory
