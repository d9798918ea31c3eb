"""Reading the files of a run; what cannot be read becomes a finding, never an exception."""

from __future__ import annotations

import os

from dradsl.lint.input.failures import internal_error, unreadable
from dradsl.lint.input.sources import STDIN, Input, SourceText, find_inputs
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.diagnostics import Finding
    from dradsl.lint.settings.config import Config

__all__ = ["Reading", "read_inputs", "read_paths"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The files that could be read, a finding for each that could not, and the names of the links out
    of the tree, which nobody followed."""

    sources: tuple[SourceText, ...]
    failures: tuple[Finding, ...]
    outside: tuple[str, ...] = ()


def read_paths(
    paths: Sequence[str],
    config_of: Callable[[str], Config],
    stdin_name: str = "<stdin>",
) -> Reading:
    """Read everything under `paths`; "-" is standard input, called `stdin_name` in findings.

    Raises:
        UsageProblem: if a path does not exist.
    """
    inputs = [path for path in paths if path != STDIN]
    found = [
        each
        for each in find_inputs(inputs)
        if each.explicit or not config_of(each.name).excluded(each.path)
    ]
    reading = read_inputs(found)
    if STDIN in paths:
        from dradsl.text.documents import load
        from dradsl.text.files import read_standard_input

        stream = load(read_standard_input())
        return replace(reading, sources=(SourceText(stdin_name, stream), *reading.sources))
    return reading


def read_inputs(inputs: Sequence[Input], *, context: bool = False) -> Reading:
    """Read files; one that cannot be read (gone, no permission, too large) is a DRA003 finding."""
    from dradsl.text.documents import load
    from dradsl.text.files import FileError, read_bytes

    sources: list[SourceText] = []
    failures: list[Finding] = []
    outside: list[str] = []
    for each in inputs:
        if each.outside:
            outside.append(each.name)
            continue
        try:
            stream = load(read_bytes(each.path))
        except FileError as error:
            failures.append(unreadable(each.name, error))
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            failures.append(internal_error(each.name, error))
        else:
            sources.append(SourceText(each.name, stream, context=context, top=each.top))
    return Reading(tuple(sources), tuple(failures), tuple(outside))
