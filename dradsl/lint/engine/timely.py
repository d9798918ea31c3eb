"""Reading the files of a run with a limit of time, so that there is some left to check them."""

from __future__ import annotations

from dradsl.lint.input.reading import Reading, read_inputs, read_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.lint.settings.config import Config
    from dradsl.values.deadline import Deadline

__all__ = ["read_timely"]

_SHARE = 0.75
"""Reading takes most of a run; what is read by then can be checked in the time that is left."""


def read_timely(
    paths: Sequence[str],
    config_of: Callable[[str], Config],
    stdin_name: str,
    deadline: Deadline,
) -> tuple[Reading, int]:
    """As `read_paths`; files whose turn comes too late for `deadline` are not read, but counted.

    Raises:
        UsageProblem: if a path does not exist.
    """
    if not deadline.is_set:
        return read_paths(paths, config_of, stdin_name), 0
    from dradsl.lint.input.sources import STDIN, find_inputs

    # Standard input has been waited for already, and is one file.
    readings = [read_paths([STDIN], config_of, stdin_name)] if STDIN in paths else []
    last = deadline.part(_SHARE)
    unread = 0
    for each in find_inputs([path for path in paths if path != STDIN]):
        if not each.explicit and config_of(each.name).excluded(each.path):
            continue
        if unread or last.is_over:
            unread += 1
        else:
            readings.append(read_inputs([each]))
    reading = Reading(
        tuple(source for one in readings for source in one.sources),
        tuple(failure for one in readings for failure in one.failures),
        tuple(name for one in readings for name in one.outside),
    )
    return reading, unread
