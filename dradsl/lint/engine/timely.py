"""Reading the files of a run until its time is over."""

from __future__ import annotations

from dradsl.lint.input.reading import Reading, read_inputs, read_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.lint.settings.config import Config
    from dradsl.values.deadline import Deadline

__all__ = ["read_timely"]


def read_timely(
    paths: Sequence[str],
    config_of: Callable[[str], Config],
    stdin_name: str,
    deadline: Deadline,
) -> tuple[Reading, int]:
    """As `read_paths`; files whose turn comes after `deadline` are not read, but counted.

    Raises:
        UsageProblem: if a path does not exist.
    """
    if not deadline.is_set:
        return read_paths(paths, config_of, stdin_name), 0
    from dradsl.lint.input.sources import STDIN, find_inputs

    # Standard input has been waited for already, and is one file.
    readings = [read_paths([STDIN], config_of, stdin_name)] if STDIN in paths else []
    unread = 0
    for each in find_inputs([path for path in paths if path != STDIN]):
        if not each.explicit and config_of(each.name).excluded(each.path):
            continue
        if deadline.is_over:
            unread += 1
        else:
            readings.append(read_inputs([each]))
    reading = Reading(
        tuple(source for one in readings for source in one.sources),
        tuple(failure for one in readings for failure in one.failures),
        tuple(name for one in readings for name in one.outside),
    )
    return reading, unread
