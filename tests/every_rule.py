"""Asks rules also where the words that they name (`WORDS`) are not in the run: they must find nothing there.

In all tests and in the fuzz: so each example, each recorded output and each input that is made is a proof of what
the rules say of themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.lint.engine import examine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import Run

__all__ = ["ask_every_rule"]


def ask_every_rule(tell: Callable[[str], object]) -> None:
    """From now on; `tell` gets to know what a rule found without its words."""

    def asked(check: str, run: Run) -> Iterable[RuleFinding]:
        for each in examine.check_of(check)(run):
            what = f"{check} finds {each.code} in {each.manifest.title}"
            tell(f"{what} without its WORDS: name fewer, or none")
        return ()

    vars(examine)["_left_out"] = asked
