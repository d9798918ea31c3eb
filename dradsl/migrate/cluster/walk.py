"""A walk over plain data and the YAML in its texts: it finds the settings of device plugins anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.values.limits import MOST_LEVELS_OF_SETTINGS
from dradsl.values.plain import list_at, mapping_at, mappings_at

if TYPE_CHECKING:
    from dradsl.text.paths import FieldPath

__all__ = ["mappings", "plugin_configs", "words_of"]

# A text is parsed only if it contains one of these.
_WORDS = ("sharing:", "migStrategy", "sharedDevNum", "groups:")


def mappings(
    data: object, path: FieldPath = (), depth: int = 0
) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Every mapping in plain data, and in its texts, with the path to it or to its text."""
    if depth > MOST_LEVELS_OF_SETTINGS:
        return
    if isinstance(data, Mapping):
        yield path, data
        for key, value in data.items():
            yield from mappings(value, (*path, str(key)), depth + 1)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from mappings(value, (*path, index), depth + 1)
    elif isinstance(data, str) and "\n" in data and any(word in data for word in _WORDS):
        from dradsl.text.documents import load

        for document in load(data.encode("utf-8", "replace")).documents:
            if isinstance(document.data, Mapping):
                for _, found in mappings(document.data, (), depth + 1):
                    yield path, found


def plugin_configs(data: object) -> Iterator[Mapping[str, object]]:
    """Configurations of NVIDIA's device plugin anywhere in plain data, those in texts too."""
    for _, found in mappings(data):
        if "sharing" in found or isinstance(found.get("flags"), Mapping):
            yield found


def words_of(container: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The settings of a container, by names without dashes: arguments (`--name=value`, `--name value`) and
    environment variables."""
    words: list[str] = []
    for key in ("command", "args"):
        words += map(str, list_at(container, key))
    for index, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, sign, value = word.lstrip("-").partition("=")
        if not sign and index + 1 < len(words) and not words[index + 1].startswith("-"):
            value = words[index + 1]
        yield name, value
    for each in mappings_at(container, "env"):
        if "name" in each and each.get("value") is not None:
            yield str(each["name"]), str(each["value"])
    for name, value in mapping_at(container, "env").items():
        if isinstance(value, str | int):
            yield str(name), str(value)
