"""Reading the files of a run; what cannot be read becomes a finding, never an exception."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Span
from dradsl.lint.catalogue.rules import RULES
from dradsl.lint.input.sources import STDIN, Input, SourceText, find_inputs
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.lint.settings.config import Config
    from dradsl.text.files import FileError

__all__ = ["Reading", "read_inputs", "read_paths"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The files that could be read, and a finding for each that could not."""

    sources: tuple[SourceText, ...]
    failures: tuple[Finding, ...]


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
        return Reading((SourceText(stdin_name, stream), *reading.sources), reading.failures)
    return reading


def read_inputs(inputs: Sequence[Input], *, context: bool = False) -> Reading:
    """Read files; one that cannot be read (gone, no permission, too large) is a DRA003 finding."""
    from dradsl.text.documents import load
    from dradsl.text.files import FileError, read_bytes

    sources: list[SourceText] = []
    failures: list[Finding] = []
    for each in inputs:
        try:
            data = read_bytes(each.path)
        except FileError as error:
            failures.append(_unreadable(each.name, error))
            continue
        sources.append(SourceText(each.name, load(data), context=context))
    return Reading(tuple(sources), tuple(failures))


def _unreadable(name: str, error: FileError) -> Finding:
    rule = RULES["DRA004" if error.reason == "too-large" else "DRA003"]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=f"the file cannot be read: {str(error).partition(': ')[2]}",
        path=name,
        span=Span.point(1, 1),
    )
