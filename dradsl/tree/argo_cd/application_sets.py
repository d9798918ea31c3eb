"""What the generators of an ApplicationSet give to its template: lists, and folders and files of the same tree.

Upstream: argo-cd applicationset/generators (list.go, git.go), applicationset/utils/utils.go (Replace),
reposerver/repository/repository.go (GetGitDirectories), util/git/client.go (LsFiles).
"""

from __future__ import annotations

import fnmatch
import os
import re
from functools import cached_property

from dradsl.tree.files import Tree
from dradsl.values.limits import MOST_APPLICATIONS, MOST_FOLDERS_OF_A_SET
from dradsl.values.plain import list_at, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from dradsl.text.documents import Stream

__all__ = ["RepositoryTree", "filled", "filled_text", "parameters_of"]

_GO = ""  # the parameter that says how the template is written


class RepositoryTree:
    """The tree that git generators look at, listed once: its top, and how its files are read."""

    def __init__(self, top: str, read: Callable[[str], Stream | None]) -> None:
        self.top = top
        self._read = read

    @property
    def folders(self) -> list[str]:
        """The folders from the top, hidden ones left out."""
        return [each for each in self._all[0] if not f"/{each}".count("/.")]

    @property
    def files(self) -> list[str]:
        return self._all[1]

    def read(self, path: str) -> object:
        """The data of a file; None if it cannot be read, or holds several documents."""
        real = Tree((self.top,)).real(os.path.join(self.top, path))
        stream = None if real is None else self._read(real)
        if stream is None or any(each.fatal for each in stream.all_problems()):
            return None
        documents = stream.documents
        return documents[0].data if len(documents) == 1 else None

    @cached_property
    def _all(self) -> tuple[list[str], list[str]]:
        folders: list[str] = []
        files: list[str] = []
        for number, (folder, below, names) in enumerate(Tree((self.top,)).walk(self.top)):
            below[:] = (each for each in below if each != ".git")
            path = os.path.relpath(folder, self.top).replace(os.sep, "/")
            if number:
                folders.append(path)
            files += [each if not number else f"{path}/{each}" for each in names]
            if number > MOST_FOLDERS_OF_A_SET:
                break
        return folders, sorted(files)


def parameters_of(
    spec: Mapping[str, object], tree: RepositoryTree | None
) -> tuple[list[Mapping[str, str]], list[str]]:
    """The parameters of each application that the generators of a set make, as far as they are plain, and what is
    not known."""
    if spec.get("templatePatch"):
        return [], ["the template is patched"]
    go = spec.get("goTemplate") is True
    made: list[Mapping[str, str]] = []
    unknown: list[str] = []
    for generator in list_at(spec, "generators"):
        if not isinstance(generator, dict):
            continue
        selected = generator.get("selector") is not None
        for name, own in generator.items():
            found = None
            if isinstance(own, dict) and not selected and not own.get("template"):
                if name == "list":
                    found = _listed(own, go=go)
                elif name == "git" and tree is not None and _is_same(own, spec):
                    found = _of_git(own, tree, go=go)
            if found is None:
                unknown += [] if name == "selector" else [f"the generator {name} is not run"]
            else:
                made += found
    return [{**each, _GO: "go" if go else ""} for each in made[:MOST_APPLICATIONS]], unknown


def _is_same(own: Mapping[str, object], spec: Mapping[str, object]) -> bool:
    """Whether the template takes its files from the repository in which a generator looks; of another one nothing
    here is known."""
    inner = mapping_at(spec, "template", "spec")
    every = [inner.get("source"), *list_at(inner, "sources")]
    found = [each.get("repoURL") for each in every if isinstance(each, dict)]
    return own.get("repoURL") in found


def _listed(own: Mapping[str, object], *, go: bool) -> list[dict[str, str]] | None:
    elements = own.get("elements")
    if own.get("elementsYaml") or not isinstance(elements, list):
        return None
    made = []
    for each in elements:
        if not isinstance(each, dict):
            return None
        flat = dict(_flat(each))
        # Without Go templates, all are texts, and those of `values` alone stand deeper.
        texts = all(
            isinstance(value, str)
            for key, one in each.items()
            for value in (one.values() if key == "values" and isinstance(one, dict) else (one,))
        )
        if not go and not texts:
            return None
        made.append(flat)
    return made


def _flat(data: object, before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in mapping_at(data).items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, str | int):
            yield name, str(value)


def _of_git(
    own: Mapping[str, object], tree: RepositoryTree, *, go: bool
) -> list[dict[str, str]] | None:
    if own.get("values") or own.get("pathParamPrefix"):
        return None
    for key, find in (("directories", _directories), ("files", _files)):
        entries = own.get(key)
        if isinstance(entries, list) and entries:
            if not all(isinstance(each, dict) for each in entries):
                return None
            wanted = [str(each.get("path")) for each in entries if each.get("exclude") is not True]
            rejected = [str(each.get("path")) for each in entries if each.get("exclude") is True]
            return find(wanted, rejected, tree, go)
    return None


def _directories(
    wanted: list[str], rejected: list[str], tree: RepositoryTree, go: bool
) -> list[dict[str, str]]:
    return [
        _path_of(path, go=go)
        for path in tree.folders
        if any(_fits(path, each) for each in wanted)
        and not any(_fits(path, each) for each in rejected)
    ]


def _files(
    wanted: list[str], rejected: list[str], tree: RepositoryTree, go: bool
) -> list[dict[str, str]] | None:
    taken = _files_of(wanted, tree)
    dropped = _files_of(rejected, tree)
    if taken is None or dropped is None:
        return None
    made = []
    for path in sorted(taken - dropped):
        data = tree.read(path)
        for entry in data if isinstance(data, list) else [data]:
            if not isinstance(entry, dict):
                return None
            found = _path_of(os.path.dirname(path) or ".", go=go)
            name = os.path.basename(path)
            found |= {"path.filename": name, "path.filenameNormalized": _normalized(name)}
            made.append({**dict(_flat(entry)), **found})
    return made


def _files_of(patterns: list[str], tree: RepositoryTree) -> set[str] | None:
    """The files that fit; None where the two ways in which Argo CD may look for them differ: a star of git's
    takes slashes, too."""
    found: set[str] = set()
    for pattern in patterns:
        plain = pattern.strip("/")
        one = {each for each in tree.files if fnmatch.fnmatchcase(each, plain)}
        two = {each for each in one if _fits(each, plain)}
        if "**" in plain or "{" in plain or one != two:
            return None
        found |= one
    return found


def _fits(path: str, pattern: str) -> bool:
    """Whether a pattern fits, as path.Match of Go has it: a star stays within one step."""
    one, two = path.split("/"), pattern.split("/")
    return len(one) == len(two) and all(
        fnmatch.fnmatchcase(a, b.replace("[^", "[!")) for a, b in zip(one, two, strict=True)
    )


def _path_of(path: str, *, go: bool) -> dict[str, str]:
    steps = path.split("/")
    made = {"path.basename": steps[-1], "path.basenameNormalized": _normalized(steps[-1])}
    made["path.path" if go else "path"] = path
    for index, step in enumerate(steps):
        made[f"path.segments[{index}]" if go else f"path[{index}]"] = step
    return made


def _normalized(name: str) -> str:
    made = re.sub(r"[^-a-z0-9.]", "-", name.lower())
    return made[:253].strip("-.")


_PLACE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_FIELD = re.compile(r"\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_INDEX = re.compile(r"index\s+\.path\.segments\s+([0-9]+)")


def filled_text(text: str, parameters: Mapping[str, str]) -> str:
    """A text of the template with the parameters put in; what is not plain stays."""
    go = bool(parameters.get(_GO))

    def value(match: re.Match[str]) -> str:
        inner = match[1].strip()
        name: str | None = inner
        if go:
            field, index = _FIELD.fullmatch(inner), _INDEX.fullmatch(inner)
            name = field[1] if field else f"path.segments[{index[1]}]" if index else None
        return match[0] if not name else parameters.get(name, match[0])

    return _PLACE.sub(value, text)


def filled(data: Any, parameters: Mapping[str, str]) -> Any:
    """Plain data of the template with the parameters put in."""
    if isinstance(data, dict):
        return {key: filled(each, parameters) for key, each in data.items()}
    if isinstance(data, list):
        return [filled(each, parameters) for each in data]
    return filled_text(data, parameters) if isinstance(data, str) and "{{" in data else data
