"""Which version of such a project a run shows: by the images of its pods, and by the objects that install its chart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dradsl.lint.view.view import Run
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at, mapping_at, member

__all__ = ["image_of", "shown", "version_of", "words_of"]

Version = tuple[int, int, int]

_VERSION = pattern(r"v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})", re.ASCII)


def version_of(run: Run, image: str, chart: str) -> Version | None:
    """The one version of a project that the run shows; None if it shows none, or several."""
    found = run.remember(("version", image, chart), lambda: frozenset(_versions(run, image, chart)))
    return next(iter(found)) if len(found) == 1 else None


def shown(version: Version) -> str:
    """A version as messages have it: without the last number where that is 0."""
    return ".".join(str(part) for part in (version if version[2] else version[:2]))


def image_of(container: Mapping[str, object]) -> tuple[str, Version | None]:
    """The last part of the name of a container's image, and the version that its tag starts with."""
    whole = str(container.get("image")).partition("@")[0]
    name, _, tag = whole.rpartition("/")[2].partition(":")
    match = _VERSION.match(tag)
    return name, None if match is None else _numbers(match)


def words_of(container: Mapping[str, object]) -> list[str]:
    """The words of a container's command line."""
    return [str(each) for key in ("command", "args") for each in list_at(container, key)]


def _versions(run: Run, image: str, chart: str) -> Iterator[Version]:
    for pod in run.pods:
        for _, container in pod.containers:
            name, version = image_of(container)
            if name == image and version is not None:
                yield version
    for manifest in run.index.kind("HelmRelease"):
        spec = mapping_at(manifest.data, "spec", "chart", "spec")
        if spec.get("chart") == chart:
            yield from _parsed(spec.get("version"))
    for manifest in run.index.kind("OCIRepository"):
        oci = mapping_at(manifest.data, "spec")
        if str(oci.get("url")).rpartition("/")[2] == chart:
            yield from _parsed(member(oci, "ref", "tag"))
    for manifest in run.index.kind("Application"):
        whole = mapping_at(manifest.data, "spec")
        for source in (whole.get("source"), *(list_at(whole, "sources"))):
            if member(source, "chart") == chart:
                yield from _parsed(member(source, "targetRevision"))


def _parsed(text: object) -> Iterator[Version]:
    match = _VERSION.fullmatch(text) if isinstance(text, str) else None
    if match is not None:
        yield _numbers(match)


def _numbers(match: re.Match[str]) -> Version:
    major, minor, patch = (int(part) for part in match.groups())
    return major, minor, patch
