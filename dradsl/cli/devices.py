"""`dradsl devices`: devices and claims of a cluster or a dump, and who holds them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FORMAT, FROM_CLUSTER, GATES, RELEASE, release_and_features
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.options import choice, flag, many, options_decorator, string
from dradsl.cli.say import note, put

if TYPE_CHECKING:
    from dradsl.allocator.inventory.slices import Inventory
    from dradsl.cli.options import OptionValues
    from dradsl.why.dump import Dump
    from dradsl.why.ledger import DeviceRow

__all__ = ["command"]

_OPTIONS = (
    choice(
        "--by",
        ("device", "model", "claim"),
        "A row for each device, model, or claim.  [default: device]",
        default="device",
    ),
    *FROM_CLUSTER,
    string("--namespace", "NAME", "Only claims of this namespace.", default="", short="-n"),
    many("--node", "NAME", "Only devices of this node. Repeatable.", name="nodes"),
    many("--driver", "NAME", "Only devices of this driver. Repeatable.", name="drivers"),
    flag("--free", "Only devices that are not allocated."),
    RELEASE,
    GATES,
    FORMAT,
)


@click.command(cls=Command, name="devices")
@click.argument("dumps", nargs=-1, metavar="[DUMP]...")
@options_decorator(_OPTIONS)
def command(**options: Any) -> None:
    """Show the devices of a dump or of the cluster, by node and pool, and who holds them.

    Each row has the claims and pods that hold the device, shares, partitions, taints and health. With
    `--by claim`, each row has the devices that a claim holds, and the pods that share it or wait for it. A
    DUMP is a file or directory, or "-" for standard input.

    \b
    Exit codes:
      0  printed
      2  wrong command line or input, or --timeout was reached
    """
    from dradsl.why.ledger import claim_rows
    from dradsl.why.report.tables import render_claims, render_devices

    by, wanted, form = options["by"], options["namespace"], options["output_format"]
    if by == "claim":
        for name in ("node", "driver", "free"):
            if options.get(name) or options.get(f"{name}s"):
                raise click.UsageError(f"--{name} is for devices, not for --by claim")
    dump, inventory = _read(options)
    out = io.StringIO()
    if by == "claim":
        claims = claim_rows(dump, inventory)
        render_claims([row for row in claims if not wanted or _is_in(wanted, row.claim)], form, out)
    else:
        render_devices(_rows(dump, inventory, options), form, out, summary=by == "model")
    put(out.getvalue())


def _rows(dump: Dump, inventory: Inventory, options: OptionValues) -> list[DeviceRow]:
    from dradsl.why.ledger import device_rows

    wanted = options["namespace"]
    return [
        row
        for row in device_rows(dump, inventory)
        if (not options["nodes"] or row.node in options["nodes"])
        and (not options["drivers"] or row.driver in options["drivers"])
        and (not options["free"] or row.state == "free")
        and (not wanted or _is_in(wanted, *(use.claim for use in row.uses)))
    ]


def _is_in(namespace: str, *labels: str) -> bool:
    return any(label.partition("/")[0] == namespace for label in labels)


def _read(options: OptionValues) -> tuple[Dump, Inventory]:
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.cli.cluster_objects import dump_of
    from dradsl.recordings import RecordingError
    from dradsl.why.world import build_cluster

    release, features = release_and_features(options)
    try:
        dump = dump_of(list(options["dumps"]), options, needed=["resourceslices"])
        cluster, _ = build_cluster(dump, (), (), release, features, None)
    except (InventoryError, RecordingError, OSError) as error:
        raise InputError(str(error)) from error
    if not dump.all("ResourceSlice"):
        note(
            "no ResourceSlice: no DRA driver publishes devices here; look at the pods of the driver"
        )
    for one in cluster.notes:
        if one.kind == "ignored":
            note(f"note: {one.subject}: {one.text}")
    return dump, cluster.inventory
