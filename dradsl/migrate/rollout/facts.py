"""Facts of vendors and platforms, and the words of stages, from `facts.yaml` and `stages.yaml`; each has its source there."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Facts", "platform_of", "read_facts", "read_words"]

Facts: TypeAlias = "Mapping[str, Any]"
"""One entry of the file; its comments say what the keys mean."""


@functools.cache
def _read(name: str) -> Facts:
    from dradsl.text.documents import SCHEMA_LIMITS, load

    stream = load(Path(__file__).with_name(name).read_bytes(), SCHEMA_LIMITS)
    facts: Any = stream.documents[0].data
    return cast("Facts", facts)


def read_facts() -> Facts:
    """The drivers, plugins and platforms that this release of dradsl knows."""
    return _read("facts.yaml")


def read_words() -> Facts:
    """The stages in words, and the forms of releases."""
    return _read("stages.yaml")


def platform_of(sources: Iterable[SourceText]) -> tuple[Facts, str]:
    """The platform that the files show, with file and line; plain Kubernetes if they show none."""
    known = [each for each in sources if not each.is_template]  # a template is for any platform
    for platform in read_facts()["platforms"]:
        for source in known:
            line = _line_of(platform["sign"], source)
            if line is not None:
                return platform, f"{platform['platform']} ({source.name}:{line})"
    return {"platform": "Kubernetes"}, ""


def _line_of(sign: str, source: SourceText) -> int | None:
    """The line with a sign. Comments, and definitions of kinds that tell what users may write, are none."""
    for document in source.stream.documents:
        if member(document.data, "kind") == "CustomResourceDefinition":
            continue
        for match in re.finditer(sign, document.text, re.MULTILINE):
            before = document.text[: match.start()]
            if "#" not in before[before.rfind("\n") + 1 :]:
                return source.stream.lines.position(document.start + match.start())[0]
    return None
