"""What an editor sets: recordings, releases, whether Python is run, which hints are shown."""

from __future__ import annotations

import os
from collections.abc import Mapping

from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Settings", "read_settings"]

_SECONDS = 2.0


class Settings(Record):
    """The settings of the editor; what they leave open, the configuration of each file says.

    `slices` are paths as written: relative ones are those of each folder. `seconds` is how long an answer
    with recorded devices may take. `build` allows the server to run Python modules that are open.
    """

    slices: tuple[str, ...] = ()
    kube_version: tuple[str, ...] = ()
    build: bool = False
    cost_hints: bool = True
    match_hints: bool = True
    seconds: float = _SECONDS

    def overrides(self, root: str) -> dict[str, object]:
        """The configuration keys for a folder, or a file without one."""
        from dradsl.lint.engine.session import overrides_of

        paths = [path for path in self.paths(root) if os.path.exists(path)]
        return overrides_of(slices=paths, kube_version=self.kube_version)

    def paths(self, root: str, slices: Sequence[str] | None = None) -> list[str]:
        """The recordings for a folder: all, or `slices`."""
        folder = root if os.path.isdir(root) else os.path.dirname(root)
        given = self.slices if slices is None else slices
        return [os.path.join(folder, os.path.expanduser(path)) for path in given]


def read_settings(given: object) -> tuple[Settings, tuple[str, ...]]:
    """The settings in what an editor sends, and what cannot be used of it; what is null counts as not given."""
    problems: list[str] = []
    section = given.get("dradsl", given) if isinstance(given, Mapping) else given
    if section is None:
        return Settings(), ()
    if not isinstance(section, Mapping):
        return Settings(), ("settings: expected an object",)
    flat = dict(_flat(section, ""))
    default = Settings()
    found = Settings(
        slices=_texts(flat, "slices", problems),
        kube_version=_texts(flat, "kubeVersion", problems),
        build=_flag(flat, "python.build", default.build, problems),
        cost_hints=_flag(flat, "inlayHints.cost", default.cost_hints, problems),
        match_hints=_flag(flat, "inlayHints.matches", default.match_hints, problems),
        seconds=_seconds(flat, "simulate.seconds", problems),
    )
    return found, tuple(problems)


def _flat(section: Mapping[object, object], before: str) -> Iterator[tuple[str, object]]:
    """The leaves by their way: `{"python": {"build": true}}` is the same as `{"python.build": true}`."""
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _texts(flat: Mapping[str, object], key: str, problems: list[str]) -> tuple[str, ...]:
    value = flat.get(key)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    problems.append(f"{key}: expected a string or a list of strings")
    return ()


def _flag(flat: Mapping[str, object], key: str, default: bool, problems: list[str]) -> bool:
    value = flat.get(key)
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    problems.append(f"{key}: expected true or false")
    return default


def _seconds(flat: Mapping[str, object], key: str, problems: list[str]) -> float:
    value = flat.get(key)
    if value is None:
        return _SECONDS
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 60:
        return float(value)
    problems.append(f"{key}: expected a number of seconds, at most 60")
    return _SECONDS
