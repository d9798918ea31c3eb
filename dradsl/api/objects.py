"""What the functions of the API take: apps, objects, plain data, and paths of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.dsl.building.app import App
from dradsl.dsl.objects.manifest import KubernetesObject, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["JsonValue", "Objects", "Path_", "documents", "sorted_out"]

Path_ = str | os.PathLike[str]
JsonValue = Mapping[str, object]
"""An object as plain data, such as `yaml.safe_load` and `to_dict()` give."""
Objects = App | Manifest | JsonValue | Path_ | Iterable[App | Manifest | JsonValue | Path_]
"""An app, an object, plain data, the path of a file or folder, or several of them. A text is a path."""


def sorted_out(given: Iterable[object]) -> tuple[list[App], list[Manifest], list[str]]:
    """Apps, objects and paths in what was given; lists in it are taken apart.

    Raises:
        TypeError: for anything else.
    """
    apps: list[App] = []
    objects: list[Manifest] = []
    paths: list[str] = []
    for one in given:
        if isinstance(one, App):
            apps.append(one)
        elif isinstance(one, Manifest):
            objects.append(one)
        elif isinstance(one, str | os.PathLike):
            paths.append(os.fspath(one))
        elif isinstance(one, Mapping):
            objects.append(KubernetesObject(one))
        elif isinstance(one, Iterable):
            more_apps, more_objects, more_paths = sorted_out(one)
            apps += more_apps
            objects += more_objects
            paths += more_paths
        else:
            raise TypeError(
                f"expected an App, an object, plain data or a path, not {type(one).__name__}"
            )
    return apps, objects, paths


def documents(
    given: Iterable[object], left_out: dict[str, list[str]] | None = None
) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Where objects are from, and the objects as plain data.

    With `left_out`, files of folders are manifests: see `read_manifests`.

    Raises:
        RecordingError, OSError: for a file that cannot be read.
    """
    from dradsl.recordings import find_recordings, read_manifests, read_recording

    apps, objects, paths = sorted_out(given)
    for app in apps:
        yield "an app", app.to_dicts()
    if objects:
        yield "objects", [one.to_dict() for one in objects]
    for path in paths:
        for file in find_recordings(Path(path)):
            if left_out is None:
                yield str(file), list(read_recording(file))
            else:
                yield str(file), read_manifests(file, path, left_out)
