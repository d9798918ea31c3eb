"""`dradsl migrate --plan DIR`: a staged rollout; the work is in `dradsl.migrate.rollout`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.cli.say import put, say
from dradsl.cli.time_limit import limited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.cli.options import OptionValues
    from dradsl.migrate.planning.answers import Options
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["plan_rollout"]


def plan_rollout(
    paths: Sequence[str], given: OptionValues, options_for: Callable[[list[SourceText]], Options]
) -> int:
    """Write the plan and print its overview. The exit code: 0 if it leads to the end, 1 if work is left, 2 for an error,
    3 if nothing asks for devices."""
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.call import known_errors
    from dradsl.migrate.rollout.plan import expect_free, overview, write_rollout
    from dradsl.migrate.rollout.stages import roll_out

    written: list[str] = []
    folder: Path = given["plan"]
    try:
        expect_free(folder)
        options = options_for([])
        catalogue = Catalogue([Path(path) for path in given["driver_schema"]], outside=".")
        with limited(options.deadline, "the plan"):
            rollout = roll_out(paths, options, options_for, catalogue)
        if not rollout.stages and not rollout.unplanned:
            say("dradsl migrate: nothing in these files asks for devices: no plan", err=True)
            return 3
        written += write_rollout(rollout, folder)
    except known_errors() as error:
        say(f"dradsl migrate: {error}", err=True)
        return 2
    if not given["quiet"]:
        put(overview(rollout))
        say(f"wrote {len(written)} files into {folder}; start with {written[0]}", err=True)
    return 0 if rollout.complete else 1
