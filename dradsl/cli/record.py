"""`dradsl record`: turn `kubectl get -o json` output into a compact inventory file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FROM_CLUSTER
from dradsl.cli.commands import Command
from dradsl.cli.errors import InputError
from dradsl.cli.options import many, options_decorator, string
from dradsl.cli.say import note, put
from dradsl.values.printable import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.allocator.inventory.sanitise import Sanitiser
    from dradsl.cli.options import OptionValues
    from dradsl.values.json_types import JsonObject

__all__ = ["command"]


_KEPT = {
    "nodes": "names of nodes",
    "devices": "UUIDs, serial numbers and addresses",
    "claims": "names of claims",
}
"""What can be kept, and how the summary names it where it is replaced."""

_OPTIONS = (
    *FROM_CLUSTER,
    many(
        "--keep",
        "nodes|devices|claims|labels[=KEY]",
        "Keep names of nodes; UUIDs, serial numbers and addresses of devices; names of claims; labels of nodes and "
        "values of taints (* in KEY for any characters). Several with commas. Repeatable.",
    ),
    string(
        "--prefix",
        "NAME",
        "Put NAME before replaced names, to use several recordings together.",
        default="",
    ),
)


@click.command("record", cls=Command)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options_decorator(_OPTIONS)
def command(**options: Any) -> None:
    """Write an inventory for `--slices` from recorded objects in PATH, or from the cluster.

    PATH is a file, a directory, or "-" for standard input. The inventory holds slices, classes,
    allocated claims, taint rules and nodes, as far as a simulation reads them. Opaque parameters are
    emptied, and labels of nodes are left out that no node selector in PATH uses. Names of nodes and
    claims, UUIDs, serial numbers and addresses are replaced. The same name always gets the same
    replacement. If the name of the output file ends in .gz, it is compressed.
    """
    from dradsl.allocator.inventory.sanitise import Sanitiser
    from dradsl.allocator.inventory.slices import InventoryError
    from dradsl.recordings import RecordingError

    known = (InventoryError, RecordingError, OSError, click.ClickException)

    keep, labels = _kept(options["keep"])

    def kept(documents: Iterable[dict[str, object]]) -> tuple[list[dict[str, object]], Sanitiser]:
        sanitiser = Sanitiser(
            nodes="nodes" not in keep,
            devices="devices" not in keep,
            claims="claims" not in keep,
            labels=labels,
            prefix=options["prefix"],
        )
        return list(sanitiser.apply(documents)), sanitiser

    try:
        documents, sanitiser = kept(_documents(options))
    except (InventoryError, RecordingError, OSError) as error:
        raise InputError(str(error)) from error
    except click.ClickException:
        raise
    except Exception as error:
        _blame(error, options, lambda files: kept(_in_files(files)), known)
        raise
    if not any(document["kind"] == "ResourceSlice" for document in documents):
        raise InputError("no ResourceSlice in the input")
    whole = {"apiVersion": "v1", "kind": "List", "items": documents}
    put(json_text(whole, indent=None, ascii_only=False), "\n")
    note(f"recorded: {_summary(documents, sanitiser, keep)}")


def _kept(texts: Iterable[str]) -> tuple[set[str], tuple[str, ...]]:
    """What `--keep` names, and the keys of labels among it.

    Raises:
        InputError: for another word.
    """
    words: set[str] = set()
    labels: list[str] = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, _, key = part.partition("=")
        if name == "labels":
            labels.append(key or "*")
        elif part in _KEPT:
            words.add(part)
        else:
            known = ", ".join((*_KEPT, "labels", "labels=KEY"))
            raise InputError(f"--keep: expected one of {known}, not {part}")
    return words, tuple(labels)


def _summary(documents: Sequence[JsonObject], sanitiser: Sanitiser, keep: set[str]) -> str:
    """What was kept, what was replaced and what was left out."""
    counts = dict.fromkeys(_NAMED_KINDS, 0)
    for document in documents:
        counts[document["kind"]] = counts.get(document["kind"], 0) + 1
    kept = ", ".join(
        f"{count} {_NAMED_KINDS.get(kind, kind)[count != 1]}"
        for kind, count in counts.items()
        if count
    )
    if sanitiser.kept_labels:
        kept += f", labels {_some(sanitiser.kept_labels)}"
    replaced = [what for name, what in _KEPT.items() if name not in keep]
    if sanitiser.replaced_taints:
        replaced.append("values of taints")
    left_out = []
    if sanitiser.emptied:
        left_out.append("opaque parameters")
    if sanitiser.dropped_labels:
        labels = _some(sanitiser.dropped_labels)
        left_out.append(f"labels that no selector uses ({labels}; --keep labels=KEY keeps one)")
    text = f"{kept}; replaced: {', '.join(replaced) or 'nothing'}"
    return f"{text}; left out: {', '.join(left_out)}" if left_out else text


def _some(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    listed = sorted(names)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


_SHOWN = 5
_NAMED_KINDS = {
    "Node": ("node", "nodes"),
    "ResourceSlice": ("slice", "slices"),
    "ResourceClaim": ("claim", "claims"),
    "ResourceClaimTemplate": ("template", "templates"),
    "DeviceClass": ("class", "classes"),
    "DeviceTaintRule": ("taint rule", "taint rules"),
}


def _blame(
    error: Exception,
    options: OptionValues,
    work: Callable[[Sequence[Path]], object],
    known: tuple[type[Exception], ...],
) -> None:
    """Name the files for which dradsl itself fails. What is left would be another fleet: no inventory.

    Raises:
        InputError: if there are such files.
    """
    from dradsl.cli.isolation import internal_text, please_report
    from dradsl.recordings import find_recordings
    from dradsl.values.failing import apart_from_failing

    if os.environ.get("DRADSL_DEBUG") or options["from_cluster"] or "-" in options["paths"]:
        return
    files = [found for path in options["paths"] for found in find_recordings(Path(path))]
    _, failed = apart_from_failing(files, work, known)
    if failed:
        lines = [f"{file}: {internal_text(each)}" for file, each in failed]
        please = please_report(*(each for _, each in failed))
        raise InputError(
            f"{'; '.join(lines)}; no inventory is written without it. {please}".rstrip()
        ) from error


def _in_files(files: Iterable[Path]) -> Iterator[dict[str, object]]:
    from dradsl.recordings import read_recording

    for file in files:
        yield from read_recording(file)


def _documents(options: OptionValues) -> Iterator[dict[str, object]]:
    from dradsl.cli.cluster_objects import documents_in_files, documents_of_cluster

    if options["from_cluster"]:
        context = options["kube_context"]
        yield from documents_of_cluster("recorded", context, "not recorded")
    elif not options["paths"]:
        raise InputError("name files, - for standard input, or --from-cluster")
    yield from documents_in_files(options["paths"])
