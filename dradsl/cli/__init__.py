"""The command line: `dradsl COMMAND`; each command's module is imported only when it is run.

Private: names may change in any version.
"""

from __future__ import annotations

import errno
import gc
import os
import sys

from dradsl.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

__all__ = ["main", "start"]

# Command -> (module that holds `command`, one line for the overview).
_COMMANDS: dict[str, tuple[str, str]] = {
    "lint": (
        "dradsl.cli.lint",
        "Find mistakes that the API server rejects, or that leave pods pending.",
    ),
    "rule": ("dradsl.cli.rule", "Explain a rule, list all of them, or test your own."),
    "cel": ("dradsl.cli.cel", "Check, evaluate, explain and format CEL device selectors."),
    "schema": ("dradsl.cli.schema", "Show, infer, compare and check driver schemas."),
    "simulate": ("dradsl.cli.simulate", "Allocate claims against recorded ResourceSlices."),
    "why": ("dradsl.cli.why", "Say why a pod is pending, or which devices it has."),
    "devices": ("dradsl.cli.devices", "Show devices, claims and who holds them."),
    "record": ("dradsl.cli.record", "Record a cluster for simulations."),
    "new": ("dradsl.cli.new", "Write claims and a workload from a recipe."),
    "build": ("dradsl.cli.build", "Write the manifests that Python modules build."),
    "to-python": ("dradsl.cli.to_python", "Turn manifests into Python that builds them."),
    "migrate": ("dradsl.cli.migrate", "Turn device-plugin requests into resource claims."),
    "lsp": ("dradsl.cli.lsp", "Run the language server for editors."),
    "completion": (
        "dradsl.cli.completion",
        "Print the script that completes commands in your shell.",
    ),
    "convert": (
        "dradsl.cli.convert",
        "Rewrite manifests in another API version.",
    ),
}


def start() -> NoReturn:
    """`main` as a process of its own: once all is written it ends, without taking itself apart."""
    start_as("dradsl", _COMMANDS)


def start_as(name: str, commands: Iterable[str]) -> NoReturn:
    """`start` under another name, with some of the commands."""
    from dradsl.import_path import keep_tree_out

    try:
        # What `build` runs may import its neighbours; all else is never of the tree.
        keep_tree_out(last=sys.argv[1:2] == ["build"])
    except OSError as error:
        say.say_lines(f"{name}: the working directory cannot be read: {error.strerror}", err=True)
        sys.exit(2)
    from dradsl.cli.stopping import Stopped

    code = 0
    try:
        main(name, commands)
    except SystemExit as end:
        if isinstance(end.code, str):
            raise
        code = end.code or 0
    try:
        code = _flushed(code)
    except Stopped as stopped:
        code = stopped.exit_code
    finally:
        # As mypy does: freeing every object first is a twentieth of a short run.
        os._exit(code)


def _flushed(code: int) -> int:
    """Bring what was printed to where it goes; the exit code, which says if that failed."""
    try:
        say.flush()
    except BrokenPipeError:
        return 2
    except OSError as error:
        return _unwritten(error)
    return code


def main(name: str = "dradsl", commands: Iterable[str] = tuple(_COMMANDS)) -> None:
    """Run the command line; `name` is that of the program, with some of the commands.

    Exit codes: 0 nothing found, 1 findings, 2 usage or internal failure, 128 and the number of the
    signal that ended the run.
    """
    from dradsl.cli.stopping import Stopped, listen

    # A start makes many objects and no garbage: collecting while it runs is a tenth of its time.
    gc.set_threshold(500_000, 50, 100)
    say.prepare()
    listen()
    try:
        _run(sys.argv[1:], name, commands)
    except Stopped as stopped:
        say.say_lines("\nAborted!", err=True)  # in click's words
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): silence Python's own complaint at exit.
        say.silence()
        sys.exit(2)
    except MemoryError as error:
        error.__traceback__ = error.__context__ = None  # their frames hold what was read
        sys.exit(_without_memory())
    except Exception as error:
        if os.environ.get("DRADSL_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            sys.exit(_unwritten(error))
        say.say(f"dradsl: internal error: {type(error).__name__}: {error}", err=True)
        from dradsl.cli.isolation import PLEASE

        say.say(PLEASE, err=True)
        sys.exit(2)


def _without_memory() -> int:
    """Say that there is not enough memory; the exit code."""
    say.say("dradsl: not enough memory: give the run more, or name fewer files", err=True)
    return 2


def _unwritten(error: OSError) -> int:
    """Say that standard output could not be written; the exit code."""
    say.say(f"dradsl: the output cannot be written: {error.strerror or error}", err=True)
    say.silence()  # or the rest of it would fail again
    return 2


# No space left on the device, or for this user, or in one file; or the caller closed the stream.
_FULL = frozenset(getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EBADF")) - {
    None
}


def _reject_files_as_options(words: list[str]) -> None:
    """Reject an option that is also the name of a file: `dradsl lint *` hands over both alike."""
    for word in words:
        if word == "--":
            return
        if word.startswith("-") and word != "-" and os.path.lexists(word):
            say.say(
                f"dradsl: {word!r} is an option, and a file is called so: put -- before the names"
                " of files, or ./ before this one",
                err=True,
            )
            sys.exit(2)


def _run(words: list[str], name: str, commands: Iterable[str]) -> None:
    """Run a command; only the plain calls of `lint` do without click, whose import they would wait for."""
    _reject_files_as_options(words)
    if words[:1] == ["lint"] and os.name == "posix" and "_DRADSL_COMPLETE" not in os.environ:
        from dradsl.cli.lint_options import OPTIONS
        from dradsl.cli.options import read_plainly

        options = read_plainly(words[1:], OPTIONS)
        if options is not None:
            from dradsl.cli.linting import run_lint

            try:
                run_lint(options)
            finally:
                say.flush()  # here a reader that went away can still be noticed
    from dradsl.cli.group import group_of

    group_of({each: _COMMANDS[each] for each in commands})(prog_name=name)
