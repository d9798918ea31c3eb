"""Lists of a cluster through kubectl, as far as the server has them and the user may read them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from dradsl.cli.errors import InputError
from dradsl.cli.say import say
from dradsl.values.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.why.dump import Document

__all__ = ["ClusterLists", "ServedKind", "WantedList", "documents_of_cluster", "kubectl", "lists"]

_VARIABLE = "DRADSL_KUBECTL"


def kubectl() -> str:
    """The kubectl of the user: that on the PATH, or the one that the environment names."""
    return os.environ.get(_VARIABLE) or "kubectl"


@functools.cache
def lists() -> dict[str, Any]:
    """Which lists are read: the usual ones, those that words call for, and those of operators."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    found: dict[str, Any] = json.loads(
        read_bytes(str(Path(__file__).with_suffix(".json")), SETTINGS_BYTES)
    )
    return found


# How what kubectl says begins if no server answers it, whatever it is asked for (k8s.io/kubectl,
# pkg/cmd/util/helpers.go, StandardErrorMessage; k8s.io/client-go, tools/clientcmd).
_UNREACHABLE = (
    r"(?i)(error: )?(the connection to the server |unable to connect to the server|"
    r"you must be logged in|unauthorized|no configuration has been provided|invalid configuration|"
    r"error loading config file|(context|cluster) .* does not exist|stat .*: no such file|"
    r"getting credentials|tls: |net/http: |dial tcp)"
)
_LOGGED = r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] "
_PAGE = 500  # objects, as kubectl reads them
_AT_ONCE = 6  # programs
_NOT_SERVED = "the API server does not serve this"
_DISCOVERY = ("api-resources", "--verbs=list", "--no-headers")


class ServedKind(NamedTuple):
    """A kind that the API server serves: its path is that of the group and the version that the server prefers."""

    path: str
    namespaced: bool
    kind: str
    names: tuple[str, ...]


class WantedList(NamedTuple):
    """A list to read: RESOURCE or RESOURCE.GROUP, the paths of versions to try; `only`: the one namespace to read."""

    name: str
    paths: tuple[str, ...]
    namespaced: bool
    only: str = ""

    @property
    def resource(self) -> str:
        return self.name.partition(".")[0]


class _UnreadableError(Exception):
    """A kind that the cluster does not show; the message is what kubectl says."""


class _NotJsonError(InputError):
    """What kubectl prints is no list of objects."""


class ClusterLists:
    """The lists of a cluster; the user's kubectl is the only program that is started, and it only reads.

    It reads in pages, several lists at once. A list that cannot be read in all namespaces is read in
    `namespace`; one that cannot be read is said (`missing` and its name), and if it is `needed` an error.
    `lighten` is called with each object as it is read. `served` is empty if the server does not tell what it
    serves; `done` are the lists that were asked for, `unread` those of them that could not be read.
    """

    def __init__(
        self,
        context: str | None,
        needed: Sequence[str] = (),
        missing: str = "not read",
        namespace: str = "",
        lighten: Callable[[Document], Document] = lambda document: document,
    ) -> None:
        from dradsl.programs import ProgramError, find_program

        try:
            program = find_program(kubectl())
        except ProgramError as error:
            text = f"{error}: install it, name it in {_VARIABLE}, or read a dump"
            raise InputError(text) from error
        self._call = (program, *([f"--context={context}"] if context else []))
        self._words = (program, "get", *self._call[1:], "--raw")
        self._needed, self._missing, self._lighten = needed, missing, lighten
        self.namespace = namespace
        self.served: dict[str, ServedKind] = {}
        self.done: set[tuple[str, str]] = set()
        self.unread: list[str] = []
        self._unserved = _NOT_SERVED

    def version(self) -> Iterator[Document]:
        """The version of the API server, if it tells; a cluster that cannot be reached is an error at once."""
        with _failing(), contextlib.suppress(_UnreadableError, _NotJsonError):
            for version in list(_pages(self._words, "/version", "version")):
                if "gitVersion" in version:
                    yield {**version, "kind": "Version", "metadata": {"name": "version"}}

    def discover(self) -> None:
        """Learn in one call what the server serves, each kind in the version that it prefers."""
        from dradsl.programs import ask
        from dradsl.recordings import MAX_BYTES

        with _failing():
            answer = ask([*self._call, *_DISCOVERY], MAX_BYTES)
        for line in answer.out.decode(errors="replace").splitlines():
            resource, *short, version, namespaced, kind = ["", "", "", *line.split()][-5:]
            if not resource:  # no short names
                resource, short = short[0], []
            if namespaced in ("true", "false"):
                path = f"apis/{version}" if "/" in version else f"api/{version}"
                names = (kind.lower(), resource, *",".join(short).split(","))
                self.served[_name(resource, path)] = ServedKind(
                    path, namespaced == "true", kind, names
                )
        if answer.code:
            self._unserved = _said(answer.errors) or self._unserved

    def usual(self, kinds: Sequence[str], *, near: bool = False) -> Iterator[WantedList]:
        """Lists that are always read; `near`: only pods, claims, DaemonSets and what has no namespace of others."""
        for kind in kinds:
            paths, scope = lists()["usual"][kind]["paths"], lists()["usual"][kind]["scope"]
            name = _name(kind, paths[0])
            if self.served:
                paths = [self.served[name].path] if name in self.served else []
            only = self.namespace if near and scope == "namespace" else ""
            yield WantedList(name, tuple(paths), scope != "cluster", only)

    def read(self, wanted: Sequence[WantedList]) -> Iterator[Document]:
        """The objects of lists, and what was not read, or not as usual, on standard error."""
        from concurrent.futures import ThreadPoolExecutor

        # Older clusters know fewer kinds, and not everybody may read all of them.
        unusual: dict[tuple[str, str], list[str]] = {}
        with _failing(), ThreadPoolExecutor(_AT_ONCE) as pool:
            for one, (found, how) in zip(wanted, pool.map(self._list, wanted), strict=True):
                yield from found
                self.done.add((one.name, one.only))
                if how[0]:
                    unusual.setdefault(how, []).append(self.label(one))
        for (how_read, reason), these in unusual.items():
            say(f"{how_read}: {', '.join(these)}: {reason}", err=True)
            if how_read == self._missing and reason != _NOT_SERVED:
                self.unread.append(f"{', '.join(these)}: {reason}")

    def label(self, one: WantedList) -> str:
        """A list in words."""
        other = one.only not in ("", self.namespace)
        return f"{one.resource} of namespace {one.only}" if other else one.resource

    def _list(self, one: WantedList) -> tuple[list[Document], tuple[str, str]]:
        """The objects of a list; how they were read if not as usual, and why."""
        here = one.only or (self.namespace if one.namespaced else "")
        inside = f"/namespaces/{here}" if here else ""
        places = [inside] if one.only else list(dict.fromkeys(("", inside)))
        said: list[str] = []
        chosen = quote(lists()["selectors"].get(one.name, ""))
        for place, path in itertools.product(places, one.paths):
            url = f"/{path}{place}/{one.resource}"
            try:
                found = list(map(self._lighten, _pages(self._words, url, one.resource, chosen)))
            except _UnreadableError as error:
                said.append(str(error))
                continue
            if place and not one.only:
                return found, (f"only read in namespace {here}", _reason(said[0]))
            return found, ("", "")
        reason = _reason(said[0]) if said else self._unserved
        if one.resource in self._needed:
            raise InputError(f"{kubectl()} get {one.resource}: {reason}")
        return [], (self._missing, reason)


def documents_of_cluster(
    kinds: Sequence[str], context: str | None, needed: Sequence[str], missing: str
) -> Iterator[Document]:
    """The objects of these kinds, in all namespaces, and the version of the API server."""
    cluster = ClusterLists(context, needed, missing)
    yield from cluster.version()
    yield from cluster.read(list(cluster.usual(kinds)))


def _name(resource: str, path: str) -> str:
    """RESOURCE.GROUP, or RESOURCE in the core group."""
    return f"{resource}.{path.split('/')[1]}" if path.startswith("apis/") else resource


@contextlib.contextmanager
def _failing() -> Iterator[None]:
    """Errors of kubectl as a program as those of the input."""
    from dradsl.programs import ProgramError
    from dradsl.values.printable import one_line

    try:
        yield
    except ProgramError as error:
        raise InputError(f"{kubectl()} get: {one_line(str(error))}") from error


def _said(errors: bytes) -> str:
    """What kubectl says in the end, without the lines of its log; those only if there is nothing else."""
    from dradsl.values.printable import one_line

    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    logged = pattern(_LOGGED)
    last = [line for line in lines if not logged.match(line)]
    return one_line("\n".join(last or [logged.sub("", line) for line in lines[-1:]]))


def _reason(said: str) -> str:
    """What kubectl says of a kind, without the name of the kind; with what to do if it may not be read."""
    found = pattern(r'Error from server \(Forbidden\): .*?(User ".*?") cannot').match(said)
    if found is None:
        return said
    return f"{found[1]} may not list this: ask for `get` and `list`, or read a dump from somebody who has them"


def _pages(words: Sequence[str], path: str, kind: str, chosen: str = "") -> Iterator[Document]:
    """The objects of a list, page by page; `chosen`: by a selector of labels.

    Raises:
        _UnreadableError: if the API server gives no such list.
        InputError: if what is printed is no list, or no API server answers.
    """
    from dradsl.programs import ask
    from dradsl.recordings import MAX_BYTES, RecordingError, objects_in
    from dradsl.values.plain import mapping_at
    from dradsl.values.printable import one_line

    following = f"&labelSelector={chosen}" if chosen else ""
    begun = False
    while True:
        answer = ask([*words, f"{path}?limit={_PAGE}{following}"], MAX_BYTES)
        if answer.code:
            said = _said(answer.errors)
            if pattern(_UNREACHABLE).match(said):
                end = "" if said.endswith(("?", ".")) else "."
                raise InputError(
                    f"{words[0].rpartition('/')[2]} cannot reach the cluster: {said}{end} `kubectl config get-contexts` "
                    "lists your contexts; choose one with --kube-context"
                )
            raise _UnreadableError(said or f"ended with exit code {answer.code} and said nothing")
        try:
            page = json.loads(answer.out or b"[]")
            if not begun and kind != "version":
                listed = str(mapping_at({"page": page}, "page").get("kind")).removesuffix("List")
                yield {"kind": "ListRead", "metadata": {"name": listed}}
            yield from objects_in(page)
        except (ValueError, RecursionError, RecordingError) as error:
            raise _NotJsonError(f"kubectl get {kind}: {one_line(str(error))}") from error
        token = mapping_at(page, "metadata").get("continue")
        if not token:
            return
        begun = True
        following = f"{f'&labelSelector={chosen}' if chosen else ''}&continue={quote(str(token))}"
