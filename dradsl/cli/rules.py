"""`dradsl rules`: all rules in a table."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from dradsl.cli.rule import document_to_json
from dradsl.cli.say import say_json, stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["command"]

# What `dradsl rule` says of one, without the texts.
_IN_JSON = ("code", "name", "family", "severity", "releases", "fix", "needs", "title", "url")


@click.command("rules")
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    help="Only these: codes, prefixes or names, separated by commas.",
)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def command(select: tuple[str, ...], output_format: str, color: str) -> None:
    """List the rules: code, name, severity, fix, what each needs and finds."""
    from dradsl.lint.pages.documents import all_documents
    from dradsl.lint.report.terminal import wants_color

    selectors = _selectors(select)
    documents = [d for d in all_documents() if _chosen(d, selectors)]
    if output_format == "json":
        say_json([_row_to_json(document) for document in documents])
        return
    for line in _table(documents, wants_color(color, stream())):
        stream().write(f"{line}\n")


def _selectors(values: tuple[str, ...]) -> list[str]:
    from dradsl.lint.settings.selection import is_known, suggest_rule

    selectors = [part.strip() for value in values for part in value.split(",") if part.strip()]
    for selector in selectors:
        if not is_known(selector):
            near = suggest_rule(selector)
            hint = f"; did you mean {near}?" if near else ""
            raise click.BadParameter(f"no rule {selector!r}{hint}", param_hint="--select")
    return selectors


def _chosen(document: RuleDocument, selectors: list[str]) -> bool:
    from dradsl.lint.settings.selection import selects

    return not selectors or any(selects(s, document.code, document.name) for s in selectors)


def _row_to_json(document: RuleDocument) -> dict[str, object]:
    whole = document_to_json(document)
    return {key: whole[key] for key in _IN_JSON}


def _table(documents: Sequence[RuleDocument], colored: bool) -> Iterator[str]:
    from dradsl.lint.catalogue.rules import FAMILIES
    from dradsl.lint.report.terminal import Style

    style = Style(colored)
    longest = max((len(document.name) for document in documents), default=0)
    for family, members in groupby(documents, lambda document: document.family):
        yield style("bold", f"{family}xx {FAMILIES[family]}")
        for document in members:
            severity = style(document.severity, f"{document.severity:<7}")
            extras = [f"fix: {document.fix}"] if document.fix != "none" else []
            extras += [f"needs: {', '.join(document.needs)}"] if document.needs else []
            extra = f" [{'; '.join(extras)}]" if extras else ""
            name = f"{document.name:<{longest}}"
            yield f"  {document.code}  {name}  {severity}  {document.title}{extra}"
