"""Links that lead out of the tree, below folders that a configuration names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from dradsl.lint.settings.config import LintConfig
from dradsl.lint.settings.options import OPTIONS
from dradsl.lint.settings.problems import ConfigError
from dradsl.text.files import StrPath
from dradsl.tree.files import Tree
from dradsl.values.shown import shown

__all__ = ["expect_no_links_out"]


def expect_no_links_out(config: LintConfig, tree: StrPath, call: Mapping[str, object]) -> None:
    """Reject links out of `tree` in what a configuration that was found names, but not the `call`.

    Raises:
        ConfigError: with the first such link; the message does not name its target.
    """
    for option in OPTIONS.values():
        named = getattr(config, option.field)
        if call.get(option.key) is not None:
            continue
        for path in option.paths_in(named):
            for link in _links_out(path, Tree((os.path.realpath(tree),))):
                message = f"{option.key}: {shown(link)} is a link out of {tree}"
                raise ConfigError(config.source, f"{message}; the call may name it: --{option.key}")


def _links_out(path: str, tree: Tree) -> Iterator[str]:
    """The links out of a tree at a path, below it, and among what a pattern finds."""
    for each in tree.glob(path) if not os.path.lexists(path) else [path]:
        if tree.real(each) is None:
            yield each
        elif os.path.isdir(each):
            yield from (link for link in tree.files(each) if tree.real(link) is None)
