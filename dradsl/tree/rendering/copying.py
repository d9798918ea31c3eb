"""A copy of a kustomization with all that its build reads, in which nothing leads elsewhere.

Each kustomization and each configuration of a transformer is read, checked and written anew. Of paths
the copy has those of the files in it. What charts give is in it as resources: Kustomize starts no program.
Upstream: kustomize 5.7 api/internal/target/kusttarget.go, api/internal/loader/fileloader.go,
api/internal/plugins/loader/loader.go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.files import FileError, is_below, read_bytes
from dradsl.text.paths import FieldPath
from dradsl.tree.kustomize.kustomization import NAMES
from dradsl.tree.kustomize.parts.files import is_remote
from dradsl.tree.kustomize.parts.shape import BASE, COMPONENT, KEYED_FILE, PATCH
from dradsl.tree.rendering.decoding import (
    KUSTOMIZATION,
    TRANSFORMERS,
    Decoded,
    decoded,
    json_text,
)
from dradsl.tree.rendering.programs import NotRenderedError
from dradsl.values.limits import (
    LARGEST_BUILT_FILE,
    MOST_COPIED_BYTES,
    MOST_COPIED_FILES,
    MOST_COPIED_KUSTOMIZATIONS,
)
from dradsl.values.plain import list_at, member, string_at

__all__ = ["ChartEntry", "TreeCopy", "copy_kustomization"]

_NAMES = frozenset(name.casefold() for name in NAMES)
_FUNCTIONS = ("config.kubernetes.io/function", "config.k8s.io/function")


class TreeCopy:
    """The files of a tree: nothing outside of it, no repository of git, and `texts`, by real paths, before what the
    files hold."""

    def __init__(self, top: str, texts: Mapping[str, bytes] | None = None) -> None:
        self.top = os.path.realpath(top)
        self.texts = texts or {}
        self._files, self._bytes = MOST_COPIED_FILES, MOST_COPIED_BYTES

    def place(self, entry: str, folder: str) -> str:
        """The real path to which an entry of a kustomization in the real path `folder` leads.

        Raises:
            NotRenderedError: if that is not in the tree.
        """
        if not entry or "\0" in entry:
            raise NotRenderedError("a path is empty")
        if is_remote(entry) or os.path.isabs(entry):
            raise NotRenderedError(f"{entry} is not of this tree")
        # Kustomize takes steps up out of the text before it looks at links.
        path = os.path.realpath(os.path.normpath(os.path.join(folder, entry)))
        if not is_below(path, self.top) or ".git" in path[len(self.top) :].split(os.sep):
            raise NotRenderedError(f"{entry} is outside of the tree")
        return path

    def is_folder(self, path: str) -> bool:
        """Whether a real path is that of a folder."""
        return os.path.isdir(path) or any(each.startswith(path + os.sep) for each in self.texts)

    def is_there(self, path: str) -> bool:
        """Whether something has this path."""
        return path in self.texts or os.path.lexists(path)

    def read(self, path: str) -> bytes:
        """The bytes at a real path.

        Raises:
            NotRenderedError: if they cannot be read, or are too many.
        """
        try:
            data = self.texts.get(path)
            if data is None:
                data = read_bytes(path, LARGEST_BUILT_FILE)
        except FileError as error:
            shown = str(error).removeprefix(f"{path}: ")
            raise NotRenderedError(f"{self.title(path)} {_sentence(shown)}") from error
        self._files -= 1
        self._bytes -= len(data)
        if self._files < 0 or self._bytes < 0:
            raise NotRenderedError("the build reads too many files")
        return data

    def title(self, path: str) -> str:
        """The file at a real path, as messages name it."""
        return os.path.relpath(path, self.top).replace(os.sep, "/")


class ChartEntry(Record):
    """A chart of a kustomization in the real path `folder`: the `fields` of `helmCharts`, and its home."""

    fields: Mapping[str, object]
    home: str
    folder: str


def copy_kustomization(
    tree: TreeCopy, folder: str, target: str, render: Callable[[ChartEntry], bytes]
) -> str:
    """Copy the kustomization in a real path, with all that it takes in, to the folder `target`; the folder to build.
    `render` gives the manifests of a chart.

    Raises:
        NotRenderedError: if something of it must not be read, or Kustomize could read it otherwise than dradsl.
    """
    return _Copy(tree, target, render).at(folder)


class _Copy:
    """All kustomizations that a build takes in, each copied once."""

    def __init__(self, tree: TreeCopy, target: str, render: Callable[[ChartEntry], bytes]) -> None:
        self._tree = tree
        self._target = target
        self._render = render
        self._written: set[str] = set()
        self._waiting: list[str] = []
        self._components = 0
        self._described = self._made_here = False

    def at(self, start: str) -> str:
        seen: set[str] = set()
        self._waiting = [start]
        while self._waiting:
            folder = self._waiting.pop()
            if folder in seen:
                continue
            if len(seen) >= MOST_COPIED_KUSTOMIZATIONS:
                raise NotRenderedError("the build takes in too many kustomizations")
            self._kustomization(folder, is_start=not seen)
            seen.add(folder)
        if self._described and self._made_here:
            raise NotRenderedError("buildMetadata beside charts or configurations is not supported")
        return self._place(start)

    def _place(self, path: str) -> str:
        """The place in the copy of a real path."""
        return os.path.normpath(
            os.path.join(self._target, "tree", os.path.relpath(path, self._tree.top))
        )

    def _write(self, path: str, data: bytes) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    # One kustomization

    def _kustomization(self, folder: str, *, is_start: bool) -> None:
        path, source = self._source(folder)
        for key in ("generators", "validators", "helmChartInflationGenerator"):
            if member(source.data, key):
                raise source.error((key,), f"{key} are not supported")
        data = source.checked(KUSTOMIZATION, self._strings(source, folder))
        charts, transformers = list(_charts(data, folder)), list_at(data, "transformers")
        self._made_here |= bool(charts or transformers)
        if transformers:
            data["transformers"] = self._transformers(source, transformers, folder)
        if charts:
            component = self._component(charts)
            if component is None:
                data.setdefault("resources", [])
            else:
                steps = os.path.relpath(component, self._place(folder))
                data["components"] = [_shown(steps), *list_at(data, "components")]
        if is_start:
            described = list_at(data, "buildMetadata")
            self._described = any(str(each).endswith("Annotations") for each in described)
        try:
            text = json_text(data)
        except ValueError as error:
            raise NotRenderedError(f"{source.title} cannot be written as JSON: {error}") from error
        self._write(os.path.join(self._place(folder), os.path.basename(path)), text.encode())

    def _source(self, folder: str) -> tuple[str, Decoded]:
        """The only kustomization of a folder: its path, and what it says."""
        paths = [os.path.join(folder, name) for name in NAMES]
        found = [path for path in paths if self._tree.is_there(path)]
        shown = self._tree.title(folder)
        if len(found) != 1:
            many = "more than one kustomization" if found else "no kustomization"
            raise NotRenderedError(f"{shown} has {many}")
        real = self._file_place(os.path.basename(found[0]), folder)
        return found[0], decoded(self._tree.read(real), self._tree.title(found[0]))

    def _strings(self, source: Decoded, folder: str) -> Callable[[str, str, FieldPath], object]:
        def rewritten(text: str, shape: str, path: FieldPath) -> object:
            try:
                return self._entry(text, shape, folder)
            except NotRenderedError as error:
                raise source.error(path, str(error)) from error

        return rewritten

    def _entry(self, text: str, shape: str, folder: str) -> str:
        """The text of an entry that leads to a file or folder, or holds a patch, as the copy has it."""
        if shape == PATCH and _is_inline(text):
            return text
        if shape == KEYED_FILE:
            key, equals, name = text.rpartition("=")
            if "=" in key or (equals and not key):
                raise NotRenderedError(f"{text} is not a path or key=path")
            return f"{key or name.rpartition('/')[2]}={self._file(name, folder)}"
        if shape in (BASE, COMPONENT):
            path = self._tree.place(text, folder)
            if self._tree.is_folder(path):
                self._waiting.append(path)
                return _shown(os.path.relpath(path, folder))
            if shape == COMPONENT:
                raise NotRenderedError(f"{text} is not a folder")
        return self._file(text, folder)

    def _file(self, entry: str, folder: str) -> str:
        """Copy a file; the entry that leads to it in the copy."""
        path = self._file_place(entry, folder)
        if (
            os.path.basename(path).casefold() in _NAMES
        ):  # nothing but what was checked has this name
            raise NotRenderedError(f"{entry} is a kustomization, not a file that one reads")
        if path not in self._written:
            self._written.add(path)
            self._write(self._place(path), self._tree.read(path))
        return _shown(os.path.relpath(path, folder))

    def _file_place(self, entry: str, folder: str) -> str:
        path = self._tree.place(entry, folder)
        if not is_below(path, folder):
            raise NotRenderedError(
                f"{entry} is not in or below {self._tree.title(folder)}, as Kustomize requires"
            )
        return path

    # Transformers

    def _transformers(self, source: Decoded, entries: Sequence[object], folder: str) -> list[str]:
        """Configurations as texts in the kustomization, in the order in which Kustomize takes them."""
        made: list[str] = []
        for entry in sorted(map(str, entries), key=lambda each: not _is_inline(each)):
            title, data = source.title, entry.encode()
            if not _is_inline(entry):
                try:
                    path = self._file_place(entry, folder)
                    title, data = self._tree.title(path), self._tree.read(path)
                except NotRenderedError as error:
                    raise source.error(("transformers",), str(error)) from error
            stream = load(data)
            for problem in stream.all_problems():
                raise NotRenderedError(f"{title}:{problem.span.line}: {problem.message}")
            for document in stream.documents:
                part = Decoded(title, document)
                kind = member(part.data, "kind")
                shapes = TRANSFORMERS.get(kind) if isinstance(kind, str) else None
                if shapes is None or stream.is_template or document.masked:
                    raise part.error(("kind",), f"{kind} may run something, or lead elsewhere")
                text = part.checked(shapes, self._strings(part, folder))
                if text.pop("apiVersion", None) != "builtin" or _is_function(text):
                    raise part.error(("kind",), f"{kind} may run something, or lead elsewhere")
                made.append(json_text({"apiVersion": "builtin", **text}))
        return made

    # Charts

    def _component(self, charts: Sequence[ChartEntry]) -> str | None:
        """A component of what charts give, as Kustomize would add it after its own generators; None for nothing."""
        folder = os.path.join(self._target, "charts", str(self._components))
        self._components += 1
        names = []
        for index, chart in enumerate(charts):
            made = self._render(chart)
            if load(made).documents:
                names.append(f"./{index}.yaml")
                self._write(os.path.join(folder, f"{index}.yaml"), made)
        if not names:
            return None
        data = {
            "apiVersion": "kustomize.config.k8s.io/v1alpha1",
            "kind": "Component",
            "resources": names,
        }
        self._write(os.path.join(folder, "kustomization.yaml"), json_text(data).encode())
        return folder


def _charts(data: dict[str, object], folder: str) -> Iterator[ChartEntry]:
    """The charts of a kustomization, which are taken out of it."""
    home = string_at(data.pop("helmGlobals", None), "chartHome") or "charts"
    for each in list_at(data.pop("helmCharts", None)):
        if isinstance(each, dict):
            yield ChartEntry(each, home, folder)


def _is_function(data: Mapping[str, object]) -> bool:
    notes = member(data, "metadata", "annotations")
    return isinstance(notes, dict) and any(each in notes for each in _FUNCTIONS)


def _is_inline(text: str) -> bool:
    """Whether an entry holds objects; no path and no address can look like that."""
    return "\n" in text or text.lstrip().startswith("{")


def _shown(path: str) -> str:
    """A path that is an address to nobody."""
    return "./" + path.replace(os.sep, "/")


def _sentence(text: str) -> str:
    return text if text.startswith(("is ", "has ")) else f"cannot be read: {text}"
