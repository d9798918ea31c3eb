"""Objects of a cluster for `record`, `why`, `devices` and `simulate`: from files, standard input, or kubectl (`cluster_lists`)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError
from dradsl.cli.say import note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.cli.options import OptionValues
    from dradsl.why.dump import Document, Dump

__all__ = [
    "PLUGIN",
    "asks_cluster",
    "documents_in_files",
    "dump_of",
    "namespace_of_context",
]

_OF_CONTEXT, _NAME_BYTES = "jsonpath={.contexts[0].context.namespace}", 4096
PLUGIN = "kubectl dra"
"""The name of the program as a plugin of kubectl: there the cluster is asked unless a dump is named."""


def asks_cluster(dumps: Sequence[str], options: OptionValues) -> bool:
    """Whether a call asks the cluster."""
    import click

    context = click.get_current_context(silent=True)
    is_plugin = context is not None and context.find_root().info_name == PLUGIN
    return bool(options["from_cluster"]) or (is_plugin and not dumps)


def dump_of(
    dumps: Sequence[str],
    options: OptionValues,
    target: str = "",
    needed: Sequence[str] = (),
    manifests: Sequence[Document] | None = None,
) -> Dump:
    """Dumps, or the cluster, without what no answer about `target` reads of other pods.

    Of a cluster, what an answer about the target or `manifests` needs besides is read, unless they are None.
    """
    from dradsl.cli.cluster_lists import ClusterLists, kubectl, lists, short_name
    from dradsl.why.dump import Dump, lighter
    from dradsl.why.target import read_target

    meant = read_target(target, options["namespace"])

    def lighten(document: Document) -> Document:
        return lighter(document, meant.name)

    if not asks_cluster(dumps, options):
        if not dumps:
            raise InputError("name a dump, - for standard input, or --from-cluster")
        return Dump(map(lighten, documents_in_files(dumps)))
    if dumps:
        raise InputError("name a dump, or --from-cluster, not both")
    namespace, usual = meant.namespace, lists()["usual"]
    cluster = ClusterLists(options["kube_context"], needed, "not read", namespace, lighten)
    version, near = cluster.version(), namespace if target else ""
    if manifests is not None:
        cluster.discover()
    note(f"reads with {kubectl()} get, and writes nothing: {', '.join(map(short_name, usual))}")
    wanted = [
        f"{name}@{near}" if near and of["of"] == "namespace" else name for name, of in usual.items()
    ]
    dump = Dump(itertools.chain(version, cluster.read(wanted)))
    if manifests is not None:
        from dradsl.cli.cluster_needs import needed_lists

        cluster.unread.clear()
        while wanted := needed_lists(dump, meant, manifests, cluster):
            note(f"reads for this answer: {', '.join(map(short_name, wanted))}")
            dump.add(cluster.read(wanted))
        dump.hidden += cluster.unread
    return dump


def namespace_of_context(options: OptionValues) -> str:
    """The namespace of the context of kubectl; empty if it names none."""
    from dradsl.cli.cluster_lists import kubectl
    from dradsl.programs import ProgramError, ask, find_program

    context = options["kube_context"]
    words = ["config", "view", "--minify", *([f"--context={context}"] if context else [])]
    try:
        answer = ask([find_program(kubectl()), *words, "-o", _OF_CONTEXT], _NAME_BYTES)
    except ProgramError:
        return ""
    return "" if answer.code else answer.out.decode(errors="replace").strip()


def documents_in_files(paths: Sequence[str]) -> Iterator[dict[str, object]]:
    """The objects in files, directories, or (`-`) on standard input."""
    from dradsl.recordings import MAX_BYTES, documents_in, find_recordings, read_recording
    from dradsl.text.files import read_standard_input

    for path in paths:
        if path == "-":
            yield from documents_in(read_standard_input(MAX_BYTES))
            continue
        for found in find_recordings(Path(path)):
            yield from read_recording(found)
