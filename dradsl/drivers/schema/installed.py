"""Files with driver schemas that installed packages bring: found by their entry points, read as data; none of their code runs."""

from __future__ import annotations

import functools
import os
import sys

from dradsl.text.files import SETTINGS_BYTES, FileError, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import Distribution

__all__ = ["installed_schema_files"]

_GROUP = "dradsl.drivers"
_PACKAGES = (".dist-info", "egg-info")


@functools.lru_cache(maxsize=8)
def installed_schema_files(outside: str) -> tuple[str, ...]:
    """The schema files of all installed packages, but for those in the tree `outside` or in the working directory."""
    # Finders that packages bring are code of theirs, so only folders are looked into.
    folders = [folder for folder in _folders(outside) if _may_have_schemas(folder)]
    if not folders:
        return ()
    from importlib.metadata import DistributionFinder, MetadataPathFinder

    packages = MetadataPathFinder.find_distributions(DistributionFinder.Context(path=folders))
    return tuple(file for package in packages for file in sorted(_files(package)))


def _may_have_schemas(path: str) -> bool:
    """Whether an entry of the search path is no folder, or some package in it has entry points of our group: what
    reads those of all packages costs as much as a small run."""
    try:
        names = os.listdir(path)
    except OSError as error:
        return isinstance(error, NotADirectoryError)  # an archive
    for name in names:
        if not name.lower().endswith(_PACKAGES):
            continue
        try:
            points = read_bytes(os.path.join(path, name, "entry_points.txt"), SETTINGS_BYTES)
        except FileError:  # as most packages have none
            continue
        if _GROUP.encode() in points:
            return True
    return False


def _folders(outside: str) -> Iterator[str]:
    """The folders where Python finds packages, without those of what is looked at: its files prove nothing."""
    import sysconfig

    own = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    trees = {os.path.realpath(one) for one in (outside, ".")}
    for entry in sys.path:
        path = os.path.realpath(entry or ".")
        if path in own or not any(os.path.commonpath([path, tree]) == tree for tree in trees):
            yield path


def _files(package: Distribution) -> Iterator[str]:
    """The YAML files in the packages that the entry points of a distribution name."""
    named = [one.value for one in package.entry_points if one.group == _GROUP]
    top = os.path.realpath(str(package.locate_file("")))
    for file in (package.files or ()) if named else ():
        folder, name = file.parent.as_posix(), file.name
        if not name.endswith(".yaml") or name.startswith("_"):
            continue
        if any(folder == one.replace(".", "/") for one in named):
            path = os.path.realpath(str(file.locate()))
            if path.startswith(top + os.sep):
                yield path
