"""`dradsl rule CODE`: a rule's document, readable on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dradsl.cli.commands import Command
from dradsl.cli.own_rules import (
    config_option,
    configuration,
    isolated_option,
    own_rule_as_text,
    own_rule_to_json,
)
from dradsl.cli.say import say_json, stream

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["command", "document_to_json"]


def _complete(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Codes and names that begin so, for shell completion."""
    from dradsl.lint.catalogue.rules import RULES

    words = [word for rule in RULES.values() for word in (rule.code, rule.name)]
    return [word for word in words if word.lower().startswith(incomplete.lower())]


@click.command("rule", cls=Command)
@click.argument("rule", metavar="CODE", shell_complete=_complete)
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", help="Default: text."
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Default: auto."
)
@config_option
@isolated_option
def command(
    rule: str, output_format: str, color: str, config_file: Path | None, isolated: bool
) -> None:
    """Explain a rule. CODE is its code (DRA301) or its name (request-shape).

    Rules of your own are those in the configuration.
    """
    from dradsl.lint.pages.documents import UnknownRuleError, load_document
    from dradsl.lint.settings.selection import suggest_rule

    try:
        document = load_document(rule)
    except UnknownRuleError:
        rules = configuration(config_file, isolated=isolated).own
        own = next((r for r in rules if rule.upper() == r.code or rule.lower() == r.name), None)
        if own is not None:
            _say_own(own, output_format, color)
            return
        near = suggest_rule(rule, rules)
        hint = f"; did you mean {near}?" if near else "; `dradsl rules` lists them all"
        raise click.BadParameter(f"unknown rule {rule!r}{hint}", param_hint="CODE") from None
    if output_format == "json":
        say_json(document_to_json(document))
    else:
        stream().write(_as_text(document, color))


def _say_own(rule: CustomRule, output_format: str, color: str) -> None:
    if output_format == "json":
        say_json(own_rule_to_json(rule))
        return
    from dradsl.lint.report.terminal import Style, wants_color

    text = own_rule_as_text(rule, Style(wants_color(color, stream())))
    stream().write(text)


def document_to_json(document: RuleDocument) -> dict[str, object]:
    """The document as plain data."""
    from dradsl.lint.report.places import rule_url

    return {
        "code": document.code,
        "name": document.name,
        "family": document.family,
        "severity": str(document.severity),
        "releases": list(document.releases),
        "fix": document.fix,
        "needs": list(document.needs),
        "source": document.source,
        "url": rule_url(document.code),
        "title": document.title,
        "body": document.body,
    }


def _as_text(document: RuleDocument, color: str) -> str:
    from dradsl.lint.catalogue.rules import FAMILIES
    from dradsl.lint.report.markdown import render_markdown
    from dradsl.lint.report.terminal import Style, terminal_width, wants_color

    colored = wants_color(color, stream())
    width = min(terminal_width(stream()) or 100, 100)
    style = Style(colored)
    head = f"{document.code} {document.name} ({style(document.severity, document.severity)})"
    facts = {
        "family": FAMILIES[document.family],
        "kubernetes": ", ".join(document.releases),
        "fix": document.fix,
        "needs": ", ".join(document.needs) or "nothing but the manifests",
        "source": document.source,
    }
    longest = max(map(len, facts))
    rows = "\n".join(f"  {key:<{longest}}  {value}" for key, value in facts.items())
    body = render_markdown(f"# {document.title}\n\n{document.body}", width, colored)
    return f"{style('bold', head)}\n\n{rows}\n\n{body}"
