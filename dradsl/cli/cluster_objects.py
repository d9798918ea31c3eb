"""Objects of a cluster for `record`, `why`, `devices` and `simulate`: from files, standard input, or kubectl."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError
from dradsl.cli.say import note, say
from dradsl.values.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.cli.options import OptionValues

__all__ = [
    "PLUGIN",
    "asks_cluster",
    "documents_in_files",
    "documents_of_cluster",
    "dump_documents",
    "namespace_of_context",
]

_OF_CONTEXT, _NAME_BYTES = "jsonpath={.contexts[0].context.namespace}", 4096
_VARIABLE = "DRADSL_KUBECTL"
PLUGIN = "kubectl dra"
"""The name of the program as a plugin of kubectl: there the cluster is asked unless a dump is named."""


def _program() -> str:
    """The kubectl of the user: that on the PATH, or the one that the environment names."""
    return os.environ.get(_VARIABLE) or "kubectl"


def asks_cluster(dumps: Sequence[str], options: OptionValues) -> bool:
    """Whether a call asks the cluster."""
    import click

    context = click.get_current_context(silent=True)
    is_plugin = context is not None and context.find_root().info_name == PLUGIN
    return bool(options["from_cluster"]) or (is_plugin and not dumps)


def dump_documents(
    dumps: Sequence[str], options: OptionValues, target: str = "", needed: Sequence[str] = ()
) -> list[dict[str, object]]:
    """The objects of dumps, or of the cluster, without what no answer about `target` reads of other pods."""
    from dradsl.why.dump import READ, lighter
    from dradsl.why.target import read_target

    meant = read_target(target, options["namespace"])

    def lighten(document: dict[str, object]) -> dict[str, object]:
        return lighter(document, meant.name)

    if not asks_cluster(dumps, options):
        if not dumps:
            raise InputError("name a dump, - for standard input, or --from-cluster")
        return list(map(lighten, documents_in_files(dumps)))
    if dumps:
        raise InputError("name a dump, or --from-cluster, not both")
    namespace, near = meant.namespace, bool(target)
    found: list[dict[str, object]] = []
    for one in documents_of_cluster(
        READ, options["kube_context"], needed, "not read", namespace, near=near, lighten=lighten
    ):
        if not found:
            note(f"reads with {_program()} get, and writes nothing: {', '.join(READ)}")
        found.append(one)
    return found


def namespace_of_context(options: OptionValues) -> str:
    """The namespace of the context of kubectl; empty if it names none."""
    from dradsl.programs import ProgramError, ask, find_program

    context = options["kube_context"]
    words = ["config", "view", "--minify", *([f"--context={context}"] if context else [])]
    try:
        answer = ask([find_program(_program()), *words, "-o", _OF_CONTEXT], _NAME_BYTES)
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


_PAGE = 500  # objects, as kubectl reads them
_AT_ONCE = 6  # programs
_CORE = frozenset(
    {"pods", "nodes", "namespaces", "events", "resourcequotas", "persistentvolumeclaims"}
)
_GROUPS = {
    **dict.fromkeys(_CORE, ("api/v1",)),
    **dict.fromkeys(
        ("replicasets", "deployments", "statefulsets", "daemonsets"), ("apis/apps/v1",)
    ),
    "jobs": ("apis/batch/v1",),
    "workloads": ("apis/kueue.x-k8s.io/v1beta2", "apis/kueue.x-k8s.io/v1beta1"),
    "computedomains": ("apis/resource.nvidia.com/v1beta1",),
    "devicetaintrules": ("apis/resource.k8s.io/v1beta2", "apis/resource.k8s.io/v1alpha3"),
}
"""The API groups and versions of resources, the newest first."""
_DEVICES = tuple(f"apis/resource.k8s.io/{version}" for version in ("v1", "v1beta2", "v1beta1"))
_OF_CLUSTERS = frozenset(
    {"resourceslices", "deviceclasses", "devicetaintrules", "nodes", "namespaces"}
)
_EVERYWHERE = _OF_CLUSTERS | {"pods", "resourceclaims", "daemonsets"}


class _UnreadableError(Exception):
    """A kind that the cluster does not show; the message is what kubectl says."""


class _NotJsonError(InputError):
    """What kubectl prints is no list of objects."""


def documents_of_cluster(
    kinds: Sequence[str],
    context: str | None,
    needed: Sequence[str],
    missing: str,
    namespace: str = "",
    *,
    near: bool = False,
    lighten: Callable[[dict[str, object]], dict[str, object]] = lambda document: document,
) -> Iterator[dict[str, object]]:
    """The objects of the cluster; the user's kubectl is the only program that is started, and it only reads.

    It reads in pages, several kinds at once. A kind that cannot be read in all namespaces is read in
    `namespace`; one that cannot be read is said (`missing` and its name), and if it is `needed` an error.
    `near`: only pods, claims, DaemonSets and what has no namespace is read of other namespaces. `lighten` is called with
    each object as it is read. A cluster that cannot be reached is an error at once.
    """
    from concurrent.futures import ThreadPoolExecutor

    from dradsl.programs import ProgramError, find_program
    from dradsl.values.printable import one_line

    kubectl = _program()
    try:
        program = find_program(kubectl)
    except ProgramError as error:
        raise InputError(f"{error}: install it, name it in {_VARIABLE}, or read a dump") from error
    words = [program, "get", *([f"--context={context}"] if context else []), "--raw"]

    def read(kind: str) -> tuple[list[dict[str, object]], tuple[str, str]]:
        """The objects of a kind; how they were read if not as usual, and why."""
        inside = f"/namespaces/{namespace}" if namespace and kind not in _OF_CLUSTERS else ""
        only = near and bool(inside) and kind not in _EVERYWHERE
        places = [inside] if only else list(dict.fromkeys(("", inside)))
        said: list[str] = []
        for place in places:
            for group in _GROUPS.get(kind, _DEVICES):
                try:
                    found = list(map(lighten, _pages(words, f"/{group}{place}/{kind}", kind)))
                except _UnreadableError as error:
                    said.append(str(error))
                    continue
                if place and not only:
                    return found, (f"only read in namespace {namespace}", _reason(said[0]))
                return found, ("", "")
        if kind in needed:
            raise InputError(f"{kubectl} get {kind}: {_reason(said[0])}")
        return [], (missing, _reason(said[0]))

    try:
        with contextlib.suppress(_UnreadableError, _NotJsonError):
            for version in list(_pages(words, "/version", "version")):
                if "gitVersion" in version:
                    yield {**version, "kind": "Version", "metadata": {"name": "version"}}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # Older clusters know fewer kinds, and not everybody may read all of them.
            unusual: dict[tuple[str, str], list[str]] = {}
            for kind, (found, how) in zip(kinds, pool.map(read, kinds), strict=True):
                yield from found
                if how[0]:
                    unusual.setdefault(how, []).append(kind)
        for (how_read, reason), these in unusual.items():
            say(f"{how_read}: {', '.join(these)}: {reason}", err=True)
    except ProgramError as error:
        raise InputError(f"{kubectl} get: {one_line(str(error))}") from error


def _reason(said: str) -> str:
    """What kubectl says of a kind, without the name of the kind; with what to do if it may not be read."""
    found = pattern(r'Error from server \(Forbidden\): .*?(User ".*?") cannot').match(said)
    if found is None:
        return said
    return f"{found[1]} may not list this: ask for `get` and `list`, or read a dump from somebody who has them"


def _pages(words: Sequence[str], path: str, kind: str) -> Iterator[dict[str, object]]:
    """The objects of a list, page by page.

    Raises:
        _UnreadableError: if the API server gives no such list.
        InputError: if what is printed is no list, or no API server answers.
    """
    import json
    from urllib.parse import quote

    from dradsl.programs import ask
    from dradsl.recordings import MAX_BYTES, RecordingError, objects_in
    from dradsl.values.plain import mapping_at
    from dradsl.values.printable import one_line

    following = ""
    while True:
        answer = ask([*words, f"{path}?limit={_PAGE}{following}"], MAX_BYTES)
        if answer.code:
            said = one_line(_without_log(answer.errors.decode(errors="replace")))
            if pattern(_UNREACHABLE).match(said):
                end = "" if said.endswith(("?", ".")) else "."
                raise InputError(
                    f"{words[0].rpartition('/')[2]} cannot reach the cluster: {said}{end} `kubectl config get-contexts` "
                    "lists your contexts; choose one with --kube-context"
                )
            raise _UnreadableError(said or f"ended with exit code {answer.code} and said nothing")
        try:
            page = json.loads(answer.out or b"[]")
            if not following and kind != "version":
                listed = str(mapping_at({"page": page}, "page").get("kind")).removesuffix("List")
                yield {"kind": "ListRead", "metadata": {"name": listed}}
            yield from objects_in(page)
        except (ValueError, RecursionError, RecordingError) as error:
            raise _NotJsonError(f"kubectl get {kind}: {one_line(str(error))}") from error
        token = mapping_at(page, "metadata").get("continue")
        if not token:
            return
        following = f"&continue={quote(str(token))}"
