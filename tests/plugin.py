"""How a run of pytest gets our plugin: by itself where dradsl is installed, else by its name."""

from __future__ import annotations

from importlib.metadata import entry_points

INSTALLED = any(one.name == "dradsl" for one in entry_points(group="pytest11"))
# Given twice, a plugin is rejected.
OPTIONS = ["-p", "no:cacheprovider", "-q"] + ([] if INSTALLED else ["-p", "dradsl.testing.plugin"])
