"""Charts of a tree, rendered by helm: on a copy with what they depend on, or not at all.

helm follows links in a chart and hands the files to templates, so the copy takes none that leads out of the tree.
It loads what a schema refers to from other machines and files, so no schema that does gets into the copy; charts in
archives are unpacked, looked at and packed again. Upstream: helm 3.19 pkg/chart/loader/directory.go and archive.go,
pkg/action/dependency.go (CheckDependencies), pkg/chartutil/jsonschema.go.
"""

from __future__ import annotations

import io
import json
import os
import posixpath
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from dradsl.text.documents import load
from dradsl.text.files import FileError, is_below, read_bytes
from dradsl.tree.rendering.decoding import json_text
from dradsl.tree.rendering.programs import NotRenderedError, RenderedText, run
from dradsl.values.limits import LARGEST_CHART, LEVELS_OF_CHARTS, MOST_CHART_FILES
from dradsl.values.plain import mappings_at

__all__ = ["copy_chart", "render_chart"]

_METADATA = ("Chart.yaml", "requirements.yaml")
_SCHEMA = "values.schema.json"


class _CopyBudget:
    """What may still be copied, and the texts that files of it have instead of their own."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self.texts = texts
        self.files, self.bytes = MOST_CHART_FILES, LARGEST_CHART

    def take(self, size: int) -> None:
        self.files -= 1
        self.bytes -= size
        if self.files < 0 or self.bytes < 0:
            raise NotRenderedError("the chart is too large")


def render_chart(
    helm: str,
    folder: str,
    *,
    top: str,
    values: Sequence[Mapping[str, object] | bytes] = (),
    release: str | None = "release-name",
    namespace: str = "default",
    kube_version: str | None = None,
    api_versions: Sequence[str] = (),
    flags: Sequence[str] = ("--no-hooks", "--skip-tests"),
    texts: Mapping[str, bytes] | None = None,
    seconds: float,
    complete: bool = False,
) -> RenderedText:
    """What the chart in a folder of the tree `top` makes of some values, or files of values, of which the last win.
    `texts`, by real paths, go before what its files hold. A `complete` chart has all that it depends on within it."""
    home = tempfile.mkdtemp(prefix="dradsl-")
    try:
        chart = os.path.join(home, "chart")
        try:
            copy_chart(folder, chart, top, texts, complete=complete)
        except NotRenderedError as error:
            return RenderedText(unknown=str(error))
        except (OSError, RecursionError) as error:
            return RenderedText(unknown=f"the chart cannot be read: {error}")
        words = [helm, "template", *flags, f"--namespace={namespace}"]
        for index, each in enumerate(values):
            path = os.path.join(home, f"values-{index}.json")
            with open(path, "wb") as file:
                file.write(each if isinstance(each, bytes) else json_text(each).encode())
            words += ["--values", path]
        if kube_version is not None:
            words.append(f"--kube-version={kube_version}")
        words += [f"--api-versions={each}" for each in api_versions]
        names = [] if release is None else [release]
        return run([*words, "--", *names, chart], home, seconds)
    except (OSError, ValueError, RecursionError) as error:  # values that are no JSON
        return RenderedText(unknown=f"helm was not run: {error}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def copy_chart(
    folder: str,
    target: str,
    top: str,
    texts: Mapping[str, bytes] | None = None,
    *,
    complete: bool = False,
) -> None:
    """Copy a chart of the tree `top`, with the charts of the tree that it depends on put where helm looks.
    `texts`, by real paths, go before what the files hold; a file that is not there is added.

    Raises:
        NotRenderedError: if something of it leads out of the tree, or a chart that it depends on is not there.
    """
    # Nothing may be put into a complete chart: it is as deep as charts go.
    level = LEVELS_OF_CHARTS if complete else 0
    _copy(folder, target, os.path.realpath(top), _CopyBudget(texts or {}), level)


def _copy(folder: str, target: str, top: str, room: _CopyBudget, level: int) -> None:
    real = os.path.realpath(folder)
    if not is_below(real, top):
        raise NotRenderedError("the chart leads out of the tree")
    if level > LEVELS_OF_CHARTS:
        raise NotRenderedError("charts depend on charts too deep")
    if not os.path.isfile(os.path.join(real, "Chart.yaml")):
        raise NotRenderedError("there is no Chart.yaml")
    _copy_files(real, target, top, room, 0)
    _add_files(real, target, room)
    for name, repository, alias in _dependencies(target):
        if _is_there(target, name):
            continue
        if not repository.startswith("file://") or level == LEVELS_OF_CHARTS:
            shown = f"{name}, which the chart {os.path.basename(real)} depends on, is not there"
            raise NotRenderedError(shown + (f" (as {alias})" if alias else ""))
        below = os.path.join(real, repository.removeprefix("file://"))
        _copy(below, os.path.join(target, "charts", name), top, room, level + 1)


def _copy_files(folder: str, target: str, top: str, room: _CopyBudget, level: int) -> None:
    if level > 64:
        raise NotRenderedError("the chart has too many levels of folders")
    os.makedirs(target, exist_ok=True)
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda each: each.name)
    for entry in listed:
        if entry.name == ".git":
            continue
        path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
        if not is_below(path, top) or ".git" in path[len(top) :].split(os.sep):
            raise NotRenderedError(f"{entry.name} of the chart leads out of the tree")
        if os.path.isdir(path):
            _copy_files(path, os.path.join(target, entry.name), top, room, level + 1)
            continue
        try:
            data = room.texts.get(path)
            if data is None:
                data = read_bytes(path, max(room.bytes, 0))
        except FileError as error:
            raise NotRenderedError(f"{entry.name} of the chart: {error}") from error
        room.take(len(data))
        with open(os.path.join(target, entry.name), "wb") as file:
            file.write(_harmless(f"{os.path.basename(target)}/{entry.name}", data, room))


def _harmless(path: str, data: bytes, room: _CopyBudget) -> bytes:
    """A file of a chart, by its path from a folder on, as helm may read it.

    Raises:
        NotRenderedError: for a schema by which helm would load something.
    """
    folder, _, name = path.rpartition("/")
    if name.casefold() == _SCHEMA:
        reference = _outer_reference(data)
        if reference is not None:
            raise NotRenderedError(f"the chart's {_SCHEMA} {reference}, which is not loaded")
    if not name.endswith(".tgz") or folder.rpartition("/")[2] != "charts":
        return data  # a file of the chart's own, whatever is in it
    try:
        return _packed_again(data, lambda each, text: _harmless(each, text, room), room.take)
    except _ArchiveError as error:
        raise NotRenderedError(f"{name} of the chart {error}") from error


def _add_files(folder: str, target: str, room: _CopyBudget) -> None:
    """Write the texts of files that the chart does not have yet."""
    start = folder.rstrip(os.sep) + os.sep
    for path, data in room.texts.items():
        if path.startswith(start) and not os.path.lexists(path):
            own = os.path.join(target, path[len(start) :])
            room.take(len(data))
            os.makedirs(os.path.dirname(own), exist_ok=True)
            with open(own, "wb") as file:
                file.write(_harmless(own, data, room))


def _dependencies(chart: str) -> Iterator[tuple[str, str, str]]:
    """Name, repository and alias of the charts that a chart lists."""
    for name in _METADATA:
        try:
            documents = load(read_bytes(os.path.join(chart, name))).documents
        except FileError:
            continue
        data = documents[0].data if documents else None
        for each in mappings_at(data, "dependencies"):
            called = each.get("name")
            if isinstance(called, str) and os.path.basename(called) == called and called:
                yield called, str(each.get("repository") or ""), str(each.get("alias") or "")


def _is_there(chart: str, name: str) -> bool:
    """Whether a chart's folder of charts has one of this name, as a folder or an archive."""
    below = os.path.join(chart, "charts")
    if not os.path.isdir(below):
        return False
    return any(
        each == name or (each.startswith(f"{name}-") and each.endswith(".tgz"))
        for each in os.listdir(below)
    )


# Packed charts: helm reads only what was looked at


class _ArchiveError(ValueError):
    """A packed chart that cannot be used; the message continues its name."""


def _packed_again(
    data: bytes, checked: Callable[[str, bytes], bytes], take: Callable[[int], None]
) -> bytes:
    """An archive of the same files, each as `checked` gives it for its path; `take` is told the size of each.

    Raises:
        _ArchiveError: if it is no archive, unpacks to too much, or holds a link or a device.
    """
    made = io.BytesIO()
    try:
        with (
            tarfile.open(fileobj=io.BytesIO(_unpacked(data)), mode="r:") as source,
            tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as target,
        ):
            for member in source:
                if member.isdir():
                    continue
                reader = source.extractfile(member) if member.isreg() else None
                if reader is None or member.sparse is not None:
                    raise _ArchiveError("holds a link or a device")
                take(member.size)
                text = reader.read()
                # helm takes backslashes for steps too, and steps out of the name.
                name = posixpath.normpath(member.name.replace("\\", "/"))
                text = checked(name, text)
                plain = tarfile.TarInfo(name)
                plain.size = len(text)
                target.addfile(plain, io.BytesIO(text))
    except (tarfile.TarError, zlib.error, EOFError, UnicodeError) as error:
        raise _ArchiveError(f"is not an archive of a chart: {error}") from error
    return made.getvalue()


def _unpacked(data: bytes) -> bytes:
    """The content of a gz file, all its parts."""
    pieces: list[bytes] = []
    left = LARGEST_CHART
    while data.strip(b"\0"):
        unpacker = zlib.decompressobj(wbits=31)
        piece = unpacker.decompress(data, left + 1)
        left -= len(piece)
        if left < 0:
            raise _ArchiveError("unpacks to too much")
        if not unpacker.eof:
            raise _ArchiveError("is cut short")
        pieces.append(piece)
        data = unpacker.unused_data
    return b"".join(pieces)


# Schemas: what helm would load because one refers to it. Its library has the metaschemas of JSON Schema within it.

_REFERENCES = frozenset(("$ref", "$dynamicRef", "$recursiveRef", "$schema"))
_METASCHEMA = re.compile(
    r"https?://json-schema\.org/(?:draft-0[467]/schema|draft/(?:2019-09|2020-12)/schema)#?"
)


def _outer_reference(data: bytes) -> str | None:
    """Why a schema cannot be used by itself, or None: `refers to http://...`.

    Each key of each mapping counts, also of equal ones: what is a schema and what a value, its readers decide.
    """
    found: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> dict[str, object]:
        for key, value in pairs:
            if key in _REFERENCES and isinstance(value, str) and not _is_own(key, value):
                found.append(value)
        return dict(pairs)

    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        json.loads(text, object_pairs_hook=look)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        return f"cannot be read ({reason}): whether it refers to something is not known"
    return f"refers to {found[0]}" if found else None


def _is_own(key: str, value: str) -> bool:
    """Whether a reference leads to the schema itself or to what is within helm."""
    if key != "$schema" and (value.startswith("#") or not value):
        return True
    return _METASCHEMA.fullmatch(value) is not None
