"""What a shell completes behind an option or as an argument: rules, gates, releases, drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

__all__ = ["COMPLETED", "drivers", "rules"]


def _behind_commas(incomplete: str, words: Iterable[str]) -> list[str]:
    """The words that the last part of a list with commas may become, each with what is before."""
    before, comma, last = incomplete.rpartition(",")
    head = before + comma
    return [head + word for word in words if word.lower().startswith(last.lower())]


def rules(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Codes and names of rules."""
    from dradsl.lint.catalogue.rules import RULES

    words = [*RULES, *(rule.name for rule in RULES.values())]
    return _behind_commas(incomplete, words)


def _gates(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from dradsl.releases import known_gates

    words = [f"{name}={value}" for name in sorted(known_gates()) for value in ("true", "false")]
    return _behind_commas(incomplete, words)


def _releases(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from dradsl.releases import RELEASES

    return _behind_commas(incomplete, [*RELEASES])


def drivers(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Names of drivers that have a schema."""
    from dradsl.drivers.schema.catalogue import Catalogue

    return [name for name in Catalogue().names() if name.startswith(incomplete)]


# By the name of an option, in every command that has it.
COMPLETED = {
    "select": rules,
    "ignore": rules,
    "feature_gates": _gates,
    "kube_version": _releases,
}
