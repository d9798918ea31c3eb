"""Objects of a cluster for `record`, `why`, `devices` and `claims`: from files, standard input, or kubectl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError
from dradsl.cli.say import say
from dradsl.values.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.cli.options import OptionValues

__all__ = [
    "PLUGIN",
    "asks_cluster",
    "documents_in_files",
    "documents_of_cluster",
    "dump_documents",
]

PLUGIN = "kubectl dra"
"""The name of the program as a plugin of kubectl: there the cluster is asked unless a dump is named."""


def asks_cluster(dumps: Sequence[str], options: OptionValues) -> bool:
    """Whether a call asks the cluster."""
    import click

    context = click.get_current_context(silent=True)
    is_plugin = context is not None and context.find_root().info_name == PLUGIN
    return bool(options["from_cluster"]) or (is_plugin and not dumps)


def dump_documents(dumps: Sequence[str], options: OptionValues) -> list[dict[str, object]]:
    """The objects of dumps, or of the cluster."""
    from dradsl.why.dump import READ

    if not asks_cluster(dumps, options):
        if not dumps:
            raise InputError("name a dump, - for standard input, or --from-cluster")
        return list(documents_in_files(dumps))
    if dumps:
        raise InputError("name a dump, or --from-cluster, not both")
    kubectl, context = options["kubectl"], options["context"]
    say(f"reads with {kubectl} get, and writes nothing: {', '.join(READ)}", err=True)
    return list(documents_of_cluster(READ, kubectl, context, ["resourceslices"], "not read"))


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


# How what kubectl says begins if no server answers it, whatever it is asked for (k8s.io/kubectl,
# pkg/cmd/util/helpers.go, StandardErrorMessage; k8s.io/client-go, tools/clientcmd).
_UNREACHABLE = (
    r"(?i)(error: )?(the connection to the server |unable to connect to the server|"
    r"you must be logged in|unauthorized|no configuration has been provided|invalid configuration|"
    r"error loading config file|(context|cluster) .* does not exist|stat .*: no such file|"
    r"getting credentials|tls: |net/http: |dial tcp)"
)
_LOGGED = r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] "


def _without_log(said: str) -> str:
    """What kubectl says in the end, without the lines of its log; those only if there is nothing else."""
    lines = [line for line in said.splitlines() if line.strip()]
    logged = pattern(_LOGGED)
    last = [line for line in lines if not logged.match(line)]
    return "\n".join(last or [logged.sub("", line) for line in lines[-1:]])


def documents_of_cluster(
    kinds: Sequence[str], kubectl: str, context: str | None, needed: Sequence[str], missing: str
) -> Iterator[dict[str, object]]:
    """The objects of the cluster; the user's kubectl is the only program that is started, and it only reads.

    A kind that cannot be read is said (`missing` and its name), and if it is `needed` an error. A
    cluster that cannot be reached is an error at once.
    """
    from dradsl.programs import ProgramError, ask, find_program
    from dradsl.recordings import MAX_BYTES, RecordingError, documents_in
    from dradsl.values.printable import one_line

    try:
        program = find_program(kubectl)
    except ProgramError as error:
        raise InputError(f"{error}: install it, name it with --kubectl, or read a dump") from error
    for kind in kinds:
        words = ["get", kind, "--all-namespaces", "-o", "json"]
        if context:
            words.append(f"--context={context}")
        try:
            answer = ask([program, *words], MAX_BYTES)
        except ProgramError as error:
            raise InputError(f"{kubectl} get {kind}: {one_line(str(error))}") from error
        if answer.code:
            said = _without_log(answer.errors.decode(errors="replace"))
            if pattern(_UNREACHABLE).match(said):
                raise InputError(
                    f"{kubectl} cannot reach the cluster: {one_line(said)}. `kubectl config get-contexts` "
                    "lists your contexts; choose one with --context"
                )
            text = one_line(said) or f"ended with exit code {answer.code} and said nothing"
            if kind in needed:
                raise InputError(f"{' '.join([kubectl, *words])}: {text}")
            # Older clusters know fewer kinds, and not everybody may read all of them.
            say(f"{missing}: {kind}: {text}", err=True)
            continue
        try:
            yield from documents_in(answer.out)
        except RecordingError as error:
            raise InputError(f"{kubectl} get {kind}: {one_line(str(error))}") from error
