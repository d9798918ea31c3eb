"""`dradsl lint --watch`: a run after each change of a file, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from dradsl.cli.lint_options import OPTIONS
from dradsl.cli.say import say
from dradsl.import_path import python_call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from dradsl.cli.options import OptionValues

__all__ = ["call_of", "watch"]

_PAUSE = 0.4  # seconds between two looks at the files
_CHANGING = (
    "fix",
    "diff",
    "add_ignores",
    "write_baseline",
    "output_file",
    "show_files",
    "show_settings",
)
_READ = ("context", "slices", "driver_schema", "custom_rules")


def watch(options: OptionValues) -> NoReturn:
    """Lint now and after each change, until the process is stopped.

    Raises:
        UsageProblem: for an option that makes no sense with it.
    """
    from dradsl.tree.inputs.sources import UsageProblem

    for name in _CHANGING:
        if options[name]:
            raise UsageProblem(f"--watch and --{name.replace('_', '-')} cannot be used together")
    if "-" in options["paths"]:
        raise UsageProblem("--watch needs files, not standard input")
    words, environment = python_call(".")
    call = [*words, "lint", *call_of(options)]
    while True:
        before = _state(options)
        subprocess.run(call, check=False, env=environment)  # noqa: S603 - this program, with the words of the call
        say("watching for changes; Ctrl-C stops", err=True)
        while _state(options) == before:
            time.sleep(_PAUSE)
        say("", err=True)


def call_of(options: OptionValues) -> list[str]:
    """The words that give the same values again, without --watch."""
    words: list[str] = []
    for option in OPTIONS:
        value = options[option.name]
        if option.name == "watch" or value == option.unset:
            continue
        flag = option.flags[-1]
        if option.kind == "flag":
            words.append(flag)
        elif option.kind == "many":
            words += [f"{flag}={each}" for each in value]
        else:
            words.append(f"{flag}={value}")
    return [*words, "--", *map(str, options["paths"])]


def _state(options: OptionValues) -> dict[str, tuple[int, int]]:
    """Size and time of every file that may matter."""
    paths = [*(options["paths"] or ["."]), *(each for name in _READ for each in options[name])]
    paths += [".dradsl.yaml", "pyproject.toml", str(options["config_file"] or "")]
    state: dict[str, tuple[int, int]] = {}
    for path in paths:
        for file in _files(str(path)):
            try:
                found = os.stat(file)  # noqa: PTH116 - many files, many times
            except OSError:
                continue  # gone, or no file at all
            state[file] = (found.st_size, found.st_mtime_ns)
    return state


def _files(path: str) -> Iterator[str]:
    if any(mark in path for mark in "*?["):
        import glob

        yield from glob.glob(path, recursive=True)  # noqa: PTH207 - many files, many times
        return
    yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118 - many files, many times
