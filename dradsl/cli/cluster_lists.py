"""Lists of a cluster through kubectl, as far as the server has them and the user may read them (`cluster_lists.json`)."""

from __future__ import annotations

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

    from dradsl.programs import ProgramOutput
    from dradsl.why.dump import Document

__all__ = ["ClusterLists", "WantedList", "documents_of_cluster", "kubectl", "lists"]

WantedList = tuple[str, str]
"""RESOURCE or RESOURCE.GROUP, and the one namespace to read, or nothing for all."""


@functools.cache
def lists() -> dict[str, Any]:
    """The lists that are always read, those that words call for, and those of operators."""
    from dradsl.text.files import SETTINGS_BYTES, read_bytes

    text = read_bytes(str(Path(__file__).with_suffix(".json")), SETTINGS_BYTES)
    found: dict[str, Any] = json.loads(text)
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
_VARIABLE = "DRADSL_KUBECTL"
_NOT_SERVED = "the API server does not serve this"


class _Served(NamedTuple):
    """A kind that the API server serves, under the path of its group and of the version that the server prefers."""

    path: str
    namespaced: bool
    kind: str
    names: tuple[str, ...]


class _UnreadableError(Exception):
    """A kind that the cluster does not show; the message is what kubectl says."""


class _NotJsonError(InputError):
    """What kubectl prints is no list of objects."""


class ClusterLists:
    """The lists of a cluster; the user's kubectl is the only program that is started, and it only reads.

    It reads in pages, several lists at once. A list that cannot be read in all namespaces is read in
    `namespace`; one that cannot be read is said (`missing` and its name), and if it is `needed` an error.
    `lighten` is called with each object as it is read. `served` is empty unless the server tells what it
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
        self._call = [program, *([f"--context={context}"] if context else [])]
        self._needed, self._missing, self._lighten = needed, missing, lighten
        self.namespace = namespace
        self.served: dict[str, _Served] = {}
        self.done: set[WantedList] = set()
        self.unread: list[str] = []
        self._unserved = _NOT_SERVED

    def version(self) -> list[Document]:
        """The version of the API server, if it tells; a cluster that cannot be reached is an error at once."""
        try:
            found = [one for one in self._pages("/version", "") if "gitVersion" in one]
        except (_UnreadableError, _NotJsonError):
            return []
        return [{**one, "kind": "Version", "metadata": {"name": "version"}} for one in found]

    def discover(self) -> None:
        """Learn in one call what the server serves, each kind in the version that it prefers."""
        answer = _ask([*self._call, "api-resources", "--verbs=list", "--no-headers"])
        for line in answer.out.decode(errors="replace").splitlines():
            *words, version, namespaced, kind = ["", "", "", *line.split()]
            if words[3:] and namespaced in ("true", "false"):
                resource, group = words[3], version.rpartition("/")[0]
                path = f"apis/{version}" if group else f"api/{version}"
                names = ",".join((kind.lower(), *words[3:])).split(",")
                served = _Served(path, namespaced == "true", kind, tuple(names))
                self.served[f"{resource}.{group}".rstrip(".")] = served
        if answer.code:
            self._unserved = _said(answer.errors)

    def read(self, wanted: Sequence[WantedList]) -> Iterator[Document]:
        """The objects of lists; what was not read, or not as usual, is said on standard error."""
        from concurrent.futures import ThreadPoolExecutor

        # Older clusters know fewer kinds, and not everybody may read all of them.
        unusual: dict[tuple[str, str], list[str]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for one, (found, how) in zip(wanted, pool.map(self._list, wanted), strict=True):
                yield from found
                self.done.add(one)
                if how[0]:
                    unusual.setdefault(how, []).append(self.label(one))
        for (how_read, reason), these in unusual.items():
            say(f"{how_read}: {', '.join(these)}: {reason}", err=True)
            if how_read == self._missing and reason != _NOT_SERVED:
                self.unread.append(f"{', '.join(these)}: {reason}")

    def label(self, one: WantedList) -> str:
        """A list in words."""
        resource, other = one[0].partition(".")[0], one[1] not in ("", self.namespace)
        return f"{resource} of namespace {one[1]}" if other else resource

    def _list(self, one: WantedList) -> tuple[list[Document], tuple[str, str]]:
        """The objects of a list; how they were read if not as usual, and why."""
        (name, only), usual, said = one, lists()["usual"].get(one[0], {}), list[str]()
        served, resource = self.served.get(name), name.partition(".")[0]
        paths = [served.path] if served else () if self.served else usual.get("paths", ())
        of_cluster = not served.namespaced if served else usual.get("of") == "cluster"
        here = only or ("" if of_cluster else self.namespace)
        inside = f"/namespaces/{here}" if here else ""
        for place, path in itertools.product(
            [inside] if only else dict.fromkeys(("", inside)), paths
        ):
            try:
                found = list(map(self._lighten, self._pages(f"/{path}{place}/{resource}", name)))
            except _UnreadableError as error:
                said.append(str(error))
                continue
            fell_back = place and not only
            return found, (f"only read in namespace {here}", _reason(said[0])) if fell_back else (
                "",
                "",
            )
        reason = _reason(said[0]) if said else self._unserved
        if resource in self._needed:
            raise InputError(f"{kubectl()} get {resource}: {reason}")
        return [], (self._missing, reason)

    def _pages(self, path: str, name: str) -> Iterator[Document]:
        """The objects of a list, page by page.

        Raises:
            _UnreadableError: if the API server gives no such list.
            InputError: if what is printed is no list, or no API server answers.
        """
        from dradsl.recordings import RecordingError, objects_in
        from dradsl.values.plain import mapping_at
        from dradsl.values.printable import one_line

        chosen, token = quote(lists()["selectors"].get(name, "")), ""
        query = f"?limit={_PAGE}{f'&labelSelector={chosen}' if chosen else ''}"
        while True:
            following = f"&continue={quote(token)}" if token else ""
            answer = _ask([*self._call, "get", "--raw", f"{path}{query}{following}"])
            if answer.code:
                said = _said(answer.errors)
                if pattern(_UNREACHABLE).match(said):
                    end = "" if said.endswith(("?", ".")) else "."
                    raise InputError(
                        f"{self._call[0].rpartition('/')[2]} cannot reach the cluster: {said}{end} `kubectl config "
                        "get-contexts` lists your contexts; choose one with --kube-context"
                    )
                raise _UnreadableError(
                    said or f"ended with exit code {answer.code} and said nothing"
                )
            try:
                page = json.loads(answer.out or b"[]")
                if name and not token:
                    listed = str(mapping_at({"page": page}, "page").get("kind")).removesuffix(
                        "List"
                    )
                    yield {"kind": "ListRead", "metadata": {"name": listed}}
                yield from objects_in(page)
            except (ValueError, RecursionError, RecordingError) as error:
                raise _NotJsonError(f"kubectl get {name}: {one_line(str(error))}") from error
            token = str(mapping_at(page, "metadata").get("continue") or "")
            if not token:
                return


def documents_of_cluster(
    kinds: Sequence[str], context: str | None, needed: Sequence[str], missing: str
) -> Iterator[Document]:
    """The objects of these kinds, in all namespaces, and the version of the API server."""
    cluster = ClusterLists(context, needed, missing)
    yield from cluster.version()
    yield from cluster.read([(kind, "") for kind in kinds])


def kubectl() -> str:
    """The kubectl of the user: that on the PATH, or the one that the environment names."""
    return os.environ.get(_VARIABLE) or "kubectl"


def _ask(words: Sequence[str]) -> ProgramOutput:
    """What kubectl prints."""
    from dradsl.programs import ProgramError, ask
    from dradsl.recordings import MAX_BYTES
    from dradsl.values.printable import one_line

    try:
        return ask(words, MAX_BYTES)
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
