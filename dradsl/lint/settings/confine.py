"""Links that lead out of the tree, below folders that a configuration names."""

from __future__ import annotations

import os

from dradsl.lint.settings.options import OPTIONS
from dradsl.lint.settings.problems import ConfigError
from dradsl.text.trees import leads_out
from dradsl.values.shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.lint.settings.config import LintConfig
    from dradsl.text.files import StrPath

__all__ = ["expect_no_links_out"]


def expect_no_links_out(config: LintConfig, tree: StrPath, call: Mapping[str, object]) -> None:
    """Refuse links out of `tree` in what a configuration that was found names, but not the `call`.

    Raises:
        ConfigError: with the first such link; the message does not name its target.
    """
    for option in OPTIONS.values():
        named = getattr(config, option.field)
        if call.get(option.key) is not None:
            continue
        for path in option.paths_in(named):
            for link in _links_below(path):
                if leads_out(link, tree):
                    message = f"{option.key}: {shown(link)} is a link out of {tree}"
                    raise ConfigError(
                        config.source, f"{message}; the call may name it: --{option.key}"
                    )


def _links_below(path: str) -> Iterator[str]:
    """The links to files below a folder, and those that a glob finds."""
    found = [path]
    if not os.path.lexists(path) and any(mark in path for mark in "*?["):
        import glob

        found = glob.glob(path, recursive=True, include_hidden=False)
    for each in found:
        yield each
        for folder, _, files in os.walk(each):
            for file in files:
                name = os.path.join(folder, file)
                if os.path.islink(name):
                    yield name
