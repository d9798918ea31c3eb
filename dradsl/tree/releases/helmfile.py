"""Releases of helmfiles with all of their values, as far as the files are plain: without templates and secrets.

Upstream: helmfile pkg/state/create.go (Parse, loadBases), pkg/state/state.go (ReleaseSpec,
generateTemporaryReleaseValuesFilesCore), pkg/app/desired_state_file_loader.go. The values of environments, and those at
the top, go to templates alone: no chart gets them.
"""

from __future__ import annotations

import os

from dradsl.records import dataclass
from dradsl.tree.nodes import SourceDocument, SourcePlace, of, text_of
from dradsl.tree.releases.releases import merged_values
from dradsl.values.limits import MOST_HELMFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dradsl.tree.kustomize.parts.files import Files
    from dradsl.tree.nodes import ValueNode

__all__ = ["HelmfileRelease", "helmfiles_above", "releases_of"]

_MARKS = ("{{", "ref+")  # templates, and secrets that helmfile puts in

# What the state may say without changing what a release makes.
_PLAIN_STATE = frozenset(
    {"repositories", "releases", "environments", "values", "bases", "helmfiles", "namespace"}
    | {"commonLabels", "templates", "helmBinary", "kustomizeBinary", "lockFilePath", "llm"}
    | {"missingFileHandler", "missingFileHandlerConfig", "kubeContext", "apiVersions"}
    | {"kubeVersion", "helmDefaults"}
)
_PLAIN_DEFAULTS = frozenset(
    {"wait", "waitForJobs", "waitRetries", "timeout", "createNamespace", "atomic", "force"}
    | {"cleanupOnFail", "recreatePods", "verify", "keyring", "historyMax", "kubeContext", "devel"}
    | {"skipDeps", "skipRefresh", "skipCRDs", "disableValidation", "disableOpenAPIValidation"}
    | {"rollbackOnFailure", "deleteWait", "deleteTimeout", "takeOwnership", "syncReleaseLabels"}
    | {"insecureSkipTLSVerify", "plainHttp", "enableDNS", "skipSchemaValidation", "serverSide"}
    | {"suppressOutputLineRegex", "cascade", "trackMode", "forceConflicts"}
)
_PLAIN_RELEASE = _PLAIN_DEFAULTS | frozenset(
    {"name", "namespace", "chart", "version", "values", "labels", "needs", "description"}
    | {"installed", "condition", "kubeContext", "missingFileHandler", "suppressDiff", "unitTests"}
    | {"disableValidationOnInstall", "updateStrategy", "apiVersions", "kubeVersion"}
)


@dataclass(frozen=True, slots=True)
class HelmfileRelease:
    """A release of which all values are known: `values` is the mapping that the chart gets, `at` the place of the
    release, and `files` are the real paths of the files that hold values. `chart` is the name of the chart, None if
    it is not known."""

    name: str
    chart: str | None
    namespace: str | None
    values: ValueNode
    at: SourcePlace
    files: frozenset[str]


def helmfiles_above(
    paths: Iterable[str], files_of: Callable[[str], tuple[Files, str]]
) -> Iterator[tuple[Files, list[str]]]:
    """The helmfiles in the folders above some real paths, by tree, and those that they name. Those to which another
    one hands settings are left out."""
    trees: dict[str, tuple[Files, dict[str, bool]]] = {}
    looked: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        files, top = files_of(folder)
        _, found = trees.setdefault(top, (files, {}))
        while folder not in looked and files.is_inside(folder):
            looked.add(folder)
            found |= dict.fromkeys(_in_folder(folder, files), False)
            folder = os.path.dirname(folder)
    for files, found in trees.values():
        # Settings that go to files which cannot be told may go to any.
        hidden = any(_hands_down(path, files) for path in found)
        found = {path: hidden for path in found if path.endswith(_YAML)}
        waiting = list(found)
        while waiting and len(found) < MOST_HELMFILES:
            path = waiting.pop()
            for each in _named_by(path, files):
                if each[0] not in found:
                    waiting.append(each[0])
                found[each[0]] = found.get(each[0], False) or each[1]
        yield files, [path for path, is_given in found.items() if not is_given]


def _in_folder(folder: str, files: Files) -> Iterator[str]:
    """The helmfiles of a folder: those that helmfile takes by default."""
    below = os.path.join(folder, "helmfile.d")
    listed = next((sorted([*own, *names]) for _, own, names in files.walk(below)), [])[
        :MOST_HELMFILES
    ]
    own = [f"helmfile.{end}" for end in ("yaml", "yml", "yaml.gotmpl", "yml.gotmpl")]
    for name in (*own, *(os.path.join(below, each) for each in listed)):
        found = files.real(os.path.join(folder, name))
        if name.endswith((*_YAML, ".gotmpl")) and files.read(found) is not None:
            yield found


def _hands_down(path: str, files: Files) -> bool:
    """Whether a helmfile hands settings to others that it names by templates or patterns."""
    if b"inherits" not in (files.read(path) or b""):
        return False
    entries = [each for state in _documents(path, files) for each in _items(state.get("helmfiles"))]
    given = [each for each in entries if each.get("inherits") is not None]
    named = [_file(text_of(each.get("path")), os.path.dirname(path), files) for each in given]
    return not given or None in named


def _named_by(path: str, files: Files) -> Iterator[tuple[str, bool]]:
    """The files that a helmfile names as others, each with whether it hands them settings."""
    for state in _documents(path, files):
        for each in _items(state.get("helmfiles")):
            entry = each if each.is_scalar else each.get("path")
            real = _file(text_of(entry), os.path.dirname(path), files)
            if real is not None:
                yield real, each.get("inherits") is not None


_YAML = (".yaml", ".yml")


def releases_of(path: str, files: Files) -> Iterator[HelmfileRelease]:
    """The releases of a helmfile, its bases included, of which all values are known."""
    states = _states(path, files)
    if states is None:
        return
    space = ""
    for state in states:
        if not _PLAIN_STATE.issuperset(state.fields):
            return
        defaults = state.get("helmDefaults")
        if defaults is not None and not _PLAIN_DEFAULTS.issuperset(defaults.fields):
            return
        space = text_of(state.get("namespace")) or space
    folder = os.path.dirname(path)  # from which paths of bases count, too
    for state in states:
        for release in _items(state.get("releases"))[:MOST_HELMFILES]:
            made = _release(release, folder, space, files)
            if made is not None:
                yield made


def _states(path: str, files: Files) -> list[ValueNode] | None:
    """The documents of a helmfile and of its bases; None if one of them is not plain."""
    own = _documents(path, files)
    if len(own) != 1 or not own[0].is_map:  # of several parts a later one replaces the releases
        return None
    made: list[ValueNode] = []
    for each in _items(own[0].get("bases")):
        real = _file(text_of(each), os.path.dirname(path), files)
        base = _documents(real, files) if real is not None else []
        if len(base) != 1 or not base[0].is_map or base[0].get("bases") is not None:
            return None
        made += base
    return [*made, *own]


def _documents(path: str, files: Files) -> list[ValueNode]:
    """The documents of a file without templates."""
    text = files.text(path)
    if text is None or not path.endswith(_YAML):
        return []
    if any(mark in text.stream.text for mark in _MARKS):
        return []
    if any(each.fatal for each in text.stream.all_problems()):
        return []
    return [
        of(each.data, SourcePlace(SourceDocument(path, each))) for each in text.stream.documents
    ]


def _release(release: ValueNode, folder: str, space: str, files: Files) -> HelmfileRelease | None:
    at, listed = release.at, release.get("values")
    if at is None or listed is None or not _PLAIN_RELEASE.issuperset(release.fields):
        return None
    installed = release.get("installed")
    if installed is not None and installed.plain() is not True:
        return None
    parts: list[ValueNode | str] = []
    chart, beside = _chart(text_of(release.get("chart")), folder, files)
    if beside is not None:  # a chart in the tree has values of its own
        parts.append(beside)
    for each in _items(listed):
        if each.is_map:
            parts.append(each)
            continue
        real = _file(text_of(each), folder, files)
        data = files.read(real) if real is not None else None
        if real is None or data is None or b"ref+" in data:
            return None
        parts.append(real)
    if not parts or len(parts) > MOST_HELMFILES:
        return None
    values = merged_values(parts, files, at)
    if values is None:
        return None
    return HelmfileRelease(
        text_of(release.get("name")),
        chart,
        space or text_of(release.get("namespace")) or None,
        values,
        at,
        frozenset(each for each in parts if isinstance(each, str)),
    )


def _chart(text: str, folder: str, files: Files) -> tuple[str | None, str | None]:
    """The name of a chart, and its file of values: the name of a folder stands in its Chart.yaml."""
    local = files.real(os.path.join(folder, text))
    if text.startswith((".", "/")) or files.is_folder(local):
        described = _documents(os.path.join(local, "Chart.yaml"), files)
        name = text_of(described[0].get("name")) if described else ""
        return name or None, _file("values.yaml", local, files)
    return text.rstrip("/").rpartition("/")[2] or None, None


def _file(text: str, folder: str, files: Files) -> str | None:
    """The real path of a plain file that a helmfile names; None for patterns, templates and other places."""
    if not text.endswith(_YAML) or any(mark in text for mark in ("*", "?", "[", "{", "://", "::")):
        return None
    real = files.real(os.path.join(folder, text))
    return real if files.read(real) is not None else None


def _items(node: ValueNode | None) -> list[ValueNode]:
    return list(node.items) if node is not None else []
