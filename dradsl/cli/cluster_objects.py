"""Objects of a cluster for `record`, `why`, `devices` and `simulate`: from files, standard input, or kubectl.

`cluster_objects.json` has the lists that are read."""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from dradsl.cli.errors import InputError
from dradsl.cli.say import note, say
from dradsl.values.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.cli.options import OptionValues
    from dradsl.programs import ProgramOutput
    from dradsl.why.dump import Document, Dump
    from dradsl.why.target import WhyTarget

__all__ = [
    "PLUGIN",
    "Cluster",
    "asks_cluster",
    "documents_in_files",
    "documents_of_cluster",
    "dump_of",
    "lists",
    "namespace_of_context",
]

_OF_CONTEXT = "jsonpath={.contexts[0].context.namespace}"
PLUGIN = "kubectl dra"
"""The name of the program as a plugin of kubectl: there the cluster is asked unless a dump is named."""
_PAGE = 500  # objects, as kubectl reads them
_AT_ONCE = 6  # programs
_VARIABLE = "DRADSL_KUBECTL"
_NOT_SERVED = "the API server does not serve this"


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
    needs: Callable[[Dump, WhyTarget, Cluster], list[str]] | None = None,
) -> Dump:
    """Dumps, or the cluster, without what no answer about `target` reads of other pods.

    Of a cluster, the lists that `needs` names are read besides, until it names none.
    """
    from dradsl.why.dump import Dump, lighter
    from dradsl.why.target import read_target

    meant = read_target(target, options["namespace"])
    lighten = functools.partial(lighter, name=meant.name)
    if not asks_cluster(dumps, options):
        if not dumps:
            raise InputError("name a dump, - for standard input, or --from-cluster")
        return Dump(map(lighten, documents_in_files(dumps)))
    if dumps:
        raise InputError("name a dump, or --from-cluster, not both")
    usual, near = lists()["usual"], f"@{meant.namespace}" if target and meant.namespace else ""
    cluster = Cluster(options["kube_context"], needed, "not read", meant.namespace, lighten)
    version = cluster.version()
    if needs is not None:
        cluster.discover()
    note(f"reads with {kubectl()} get, and writes nothing: {', '.join(map(short_name, usual))}")
    wanted = [f"{name}{near if of['of'] == 'namespace' else ''}" for name, of in usual.items()]
    dump = Dump(itertools.chain(version, cluster.read(wanted)))
    if needs is not None:
        cluster.unread.clear()
        while wanted := needs(dump, meant, cluster):
            note(f"reads for this answer: {', '.join(map(short_name, wanted))}")
            dump.add(cluster.read(wanted))
        dump.hidden += cluster.unread
    return dump


def namespace_of_context(options: OptionValues) -> str:
    """The namespace of the context of kubectl; empty if it names none."""
    try:
        words = ("config", "view", "--minify", "-o", _OF_CONTEXT)
        answer = Cluster(options["kube_context"]).ask(*words)
    except InputError:
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


@functools.cache
def lists() -> dict[str, Any]:
    """The lists that are always read, those that words call for and those of operators, and words of kubectl."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    text = read_bytes(f"{__file__.removesuffix('.py')}.json", SETTINGS_BYTES)
    found: dict[str, Any] = json.loads(text)
    return found


def kubectl() -> str:
    """The kubectl of the user: that on the PATH, or the one that the environment names."""
    return os.environ.get(_VARIABLE) or "kubectl"


def short_name(name: str) -> str:
    """RESOURCE.GROUP@NAMESPACE without the group."""
    return re.sub(r"\.[^@]*", "", name)


class ServedKind(NamedTuple):
    """A kind that the API server serves, under the path of its group and of the version that the server prefers."""

    path: str
    namespaced: bool
    kind: str
    names: Sequence[str]


class _UnreadableError(Exception):
    """A kind that the cluster does not show; the message is what kubectl says."""


@dataclass
class Cluster:
    """The lists of a cluster; the user's kubectl is the only program that is started, and it only reads.

    A list is RESOURCE.GROUP, of one namespace if @NAMESPACE follows. What cannot be read in all is read in `namespace`, or is
    said (`missing` and its name); if it is `needed`, it is an error. `served` is empty unless the server tells what it serves.
    """

    context: str | None
    needed: Sequence[str] = ()
    missing: str = "not read"
    namespace: str = ""
    lighten: Callable[[Document], Document] = lambda document: document
    served: dict[str, ServedKind] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    unserved: str = _NOT_SERVED

    def version(self) -> list[Document]:
        """The version of the API server, if it tells; a cluster that cannot be reached is an error at once."""
        try:
            found = [one for one in self._pages("/version", "") if "gitVersion" in one]
        except _UnreadableError:
            return []
        return [{**one, "kind": "Version", "metadata": {"name": "version"}} for one in found]

    def discover(self) -> None:
        """Learn in one call what the server serves, each kind in the version that it prefers."""
        answer = self.ask("api-resources", "--verbs=list", "--no-headers")
        for line in answer.out.decode(errors="replace").splitlines():
            *names, version, namespaced, kind = ["", "", *line.split()]
            if names[2:] and namespaced in ("true", "false"):
                path = f"apis/{version}" if "/" in version else f"api/{version}"
                words = ",".join((kind.lower(), *names[2:])).split(",")
                name = f"{names[2]}.{version.rpartition('/')[0]}".rstrip(".")
                self.served[name] = ServedKind(path, namespaced == "true", kind, words)
        if answer.code:
            self.unserved = _said(answer.errors)

    def read(self, wanted: Sequence[str]) -> Iterator[Document]:
        """The objects of lists, several at once; what was not read, or not as usual, is said on standard error."""
        from concurrent.futures import ThreadPoolExecutor

        # Older clusters know fewer kinds, and not everybody may read all of them.
        unusual: dict[tuple[str, str], list[str]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for one, (found, how) in zip(wanted, pool.map(self._list, wanted), strict=True):
                yield from found
                self.done.add(one)
                label = short_name(one).removesuffix(f"@{self.namespace}")
                unusual.setdefault(how, []).append(label)
        for (how_read, reason), these in unusual.items():
            if how_read:
                say(f"{how_read}: {', '.join(these)}: {reason}", err=True)
            if how_read == self.missing and reason != _NOT_SERVED:
                self.unread.append(f"{', '.join(these)}: {reason}")

    def unasked(self, entries: Iterable[str], namespace: str) -> list[str]:
        """The lists that entries (RESOURCE.GROUP of this namespace, @NAMESPACE, or @* for all) mean, and that are not done."""
        found: dict[str, str] = {}
        for name, _, given in (entry.partition("@") for entry in entries):
            served = self.served.get(name)
            everywhere = given == "*" or (served is not None and not served.namespaced)
            found[f"{name}@{'' if everywhere else given or namespace}".rstrip("@")] = name
        return [one for one, name in found.items() if self.done.isdisjoint((one, name))]

    def _list(self, wanted: str) -> tuple[list[Document], tuple[str, str]]:
        """The objects of a list; how they were read if not as usual, and why."""
        name, _, only = wanted.partition("@")
        usual, served = lists()["usual"].get(name, {}), self.served.get(name)
        paths = [served.path] if served else () if self.served else usual.get("paths", ())
        of_cluster = not served.namespaced if served else usual.get("of") == "cluster"
        here = only or ("" if of_cluster else self.namespace)
        places = ([] if only else [""]) + ([f"/namespaces/{here}"] if here else [])
        said: list[str] = []
        for place, path in itertools.product(places, paths):
            try:
                url = f"/{path}{place}/{short_name(name)}"
                found = list(map(self.lighten, self._pages(url, name)))
            except _UnreadableError as error:
                said.append(str(error))
                continue
            how = f"only read in namespace {here}" if place and not only else ""
            return found, (how, _reason(said[0]) if how else "")
        reason = _reason(said[0]) if said else self.unserved
        if short_name(name) in self.needed:
            raise InputError(f"{kubectl()} get {short_name(name)}: {reason}")
        return [], (self.missing, reason)

    def _pages(self, path: str, name: str) -> Iterator[Document]:
        """The objects of a list, page by page.

        Raises:
            _UnreadableError: if the API server gives no such list.
            InputError: if what is printed is no list, or no API server answers.
        """
        from dradsl.recordings import RecordingError, objects_in
        from dradsl.values.plain import mapping_at
        from dradsl.values.printable import one_line

        following = ""
        while True:
            answer = self.ask("get", "--raw", f"{path}?limit={_PAGE}{following}")
            if answer.code:
                said = _said(answer.errors)
                if pattern(lists()["unreachable"]).match(said):
                    end = "" if said.endswith(("?", ".")) else "."
                    raise InputError(
                        f"{kubectl().rpartition('/')[2]} cannot reach the cluster: {said}{end} `kubectl config "
                        "get-contexts` lists your contexts; choose one with --kube-context"
                    )
                raise _UnreadableError(
                    said or f"ended with exit code {answer.code} and said nothing"
                )
            try:
                page = json.loads(answer.out or b"[]")
                if name and not following:
                    kind = str(mapping_at({"page": page}, "page").get("kind")).removesuffix("List")
                    yield {"kind": "ListRead", "metadata": {"name": kind}}
                yield from objects_in(page)
            except (ValueError, RecursionError, RecordingError) as error:
                text = f"kubectl get {short_name(name)}: {one_line(str(error))}"
                raise (InputError if name else _UnreadableError)(text) from error
            if not (token := mapping_at(page, "metadata").get("continue")):
                return
            following = f"&continue={quote(str(token))}"

    def ask(self, *words: str) -> ProgramOutput:
        """What kubectl prints."""
        from dradsl.programs import ProgramError, ask, find_program
        from dradsl.recordings import MAX_BYTES
        from dradsl.values.printable import one_line

        try:
            program = find_program(kubectl())
        except ProgramError as error:
            text = f"{error}: install it, name it in {_VARIABLE}, or read a dump"
            raise InputError(text) from error
        context = [f"--context={self.context}"] if self.context else []
        try:
            return ask([program, words[0], *context, *words[1:]], MAX_BYTES)
        except ProgramError as error:
            raise InputError(f"{kubectl()} get: {one_line(str(error))}") from error


def documents_of_cluster(of: str, context: str | None, missing: str) -> Iterator[Document]:
    """The objects of the kinds that are "recorded" or "simulated", of all namespaces, and the version of the API server."""
    cluster = Cluster(context, ["resourceslices"], missing)
    yield from itertools.chain(cluster.version(), cluster.read(lists()[of]))


def _said(errors: bytes) -> str:
    """What kubectl says in the end, without the lines of its log; those only if there is nothing else."""
    from dradsl.values.printable import one_line

    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    logged = pattern(lists()["logged"])
    last = [line for line in lines if not logged.match(line)]
    return one_line("\n".join(last or [logged.sub("", line) for line in lines[-1:]]))


def _reason(said: str) -> str:
    """What kubectl says of a kind, without the name of the kind; with what to do if it may not be read."""
    found = pattern(r'Error from server \(Forbidden\): .*?(User ".*?") cannot').match(said)
    if found is None:
        return said
    return f"{found[1]} may not list this: ask for `get` and `list`, or read a dump from somebody who has them"
