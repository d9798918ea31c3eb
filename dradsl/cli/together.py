"""Options of `dradsl lint` that cannot be used together: one of them would be ignored without a word."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["INSTEAD", "expect_options_that_go_together", "flag_of"]

# Each does something in the place of a report.
INSTEAD = ("show_settings", "show_files", "diff", "write")
_LISTS = ("show_settings", "show_files")
_FORMATS_OF_LISTS = ("text", "concise", "json")
_OF_REPORTS = ("output",)


def expect_options_that_go_together(options: dict[str, Any]) -> None:
    """Reject a pair of which one option would have no effect.

    Raises:
        UsageProblem: names both.
    """
    given = [name for name in INSTEAD if options[name]]
    if not given:
        return
    first, *others = given
    others += [name for name in _OF_REPORTS if options[name]]
    if first in _LISTS and options["fix"]:
        others.append("fix")
    if others:
        _reject(f"{flag_of(first)} and {flag_of(others[0])} cannot be used together")
    chosen = options["output_format"]
    if chosen is None:
        return
    if first not in _LISTS:
        _reject(f"{flag_of(first)} and --output-format cannot be used together")
    if chosen not in _FORMATS_OF_LISTS:
        _reject(f"{flag_of(first)}: there is no format {chosen} for it; use text or json")


def flag_of(name: str) -> str:
    """The option of a parameter, as it is written."""
    return f"--{name.replace('_', '-')}"


def _reject(message: str) -> None:
    from dradsl.tree.inputs.sources import UsageProblem

    raise UsageProblem(message)
