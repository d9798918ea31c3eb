"""Values within a helmfile: each release has its own, under `releases[].values[]`.

Fields: helmfile docs/index.md (releases). Files that it names there are values of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.tree.inputs.sources import SourceText

__all__ = ["helmfile_values"]


def helmfile_values(source: SourceText) -> Iterator[Manifest]:
    """The values of each release of a helmfile, in the form of an object."""
    for document in source.stream.documents:
        data: Any = document.data
        releases = member(data, "releases")
        if not isinstance(releases, list) or "kind" in data:
            continue
        for index, release in enumerate(releases):
            if not (isinstance(release, dict) and isinstance(release.get("chart"), str)):
                continue
            for number, each in enumerate(list_at(release, "values")):
                if isinstance(each, dict):
                    yield Manifest(
                        source=source,
                        document=document,
                        prefix=("releases", index, "values", number),
                        data=each,
                        api_version="",
                        group="",
                        kind="values of helmfile",
                        namespace=string_at(release, "namespace"),
                        name=string_at(release, "name"),
                    )
