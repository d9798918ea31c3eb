"""Values within a helmfile: each release has its own, under `releases[].values[]`.

Fields: helmfile docs/index.md (releases). Files that it names there are values of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.lint.input.manifests import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.input.sources import SourceText

__all__ = ["helmfile_values"]


def helmfile_values(source: SourceText) -> Iterator[Manifest]:
    """The values of each release of a helmfile, in the form of an object."""
    for document in source.stream.documents:
        data: Any = document.data
        releases = data.get("releases") if isinstance(data, dict) else None
        if not isinstance(releases, list) or "kind" in data:
            continue
        for index, release in enumerate(releases):
            if not (isinstance(release, dict) and isinstance(release.get("chart"), str)):
                continue
            values = release.get("values")
            for number, each in enumerate(values if isinstance(values, list) else ()):
                if isinstance(each, dict):
                    yield Manifest(
                        source=source,
                        document=document,
                        prefix=("releases", index, "values", number),
                        data=each,
                        api_version="",
                        group="",
                        kind="values of helmfile",
                        namespace=_text(release.get("namespace")),
                        name=_text(release.get("name")),
                    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
