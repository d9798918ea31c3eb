"""`dradsl rule`: all rules in a table, or the document of one; `dradsl rule test`: the examples of a team's own."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import FORMAT, RELEASES
from dradsl.cli.commands import BranchingCommand
from dradsl.cli.errors import InputError
from dradsl.cli.lint_options import CONFIG, ISOLATED
from dradsl.cli.options import many, options_decorator
from dradsl.cli.own_rules import configuration, own_rule_as_text, own_rule_to_json
from dradsl.cli.say import columns, say, say_json, stream, wants_color
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.cli.options import OptionValues
    from dradsl.lint.custom.model import CustomRule
    from dradsl.lint.pages.documents import RuleDocument

__all__ = ["command"]

# What the list says of a rule as JSON: its document without the texts.
_IN_JSON = ("code", "name", "family", "severity", "releases", "fix", "needs", "title", "url")


def _complete(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Codes and names that begin so, for shell completion."""
    from dradsl.lint.catalogue.rules import RULES

    words = ["test", *(word for rule in RULES.values() for word in (rule.code, rule.name))]
    return [word for word in words if word.lower().startswith(incomplete.lower())]


@click.command("rule", cls=BranchingCommand)
@click.argument("code", required=False, metavar="[CODE]", shell_complete=_complete)
@options_decorator((many("--select", "RULES", "List these rules only."), FORMAT, CONFIG, ISOLATED))
def command(code: str | None, **options: Any) -> None:
    """Explain a rule. CODE is its code (DRA301) or its name (request-shape).

    Without CODE: list the rules with code, name, severity, fix, what each needs and finds. Rules of your
    own, from the configuration, are at the end. RULES are codes, starts of codes, or names, with commas.
    """
    if code is None:
        _list(options["select"], options["output_format"], configuration(options).own)
        return
    if options["select"]:
        raise click.UsageError("--select is for the list of rules: leave CODE out")
    _explain(code, options["output_format"], options)


def _explain(code: str, output_format: str, options: OptionValues) -> None:
    from dradsl.lint.pages.documents import UnknownRuleError, load_document
    from dradsl.lint.settings.selection import suggest_rule

    try:
        document = load_document(code)
    except UnknownRuleError:
        rules = configuration(options).own
        own = next((r for r in rules if code.upper() == r.code or code.lower() == r.name), None)
        if own is not None:
            _say_own(own, output_format)
            return
        near = suggest_rule(code, rules)
        hint = f"; did you mean {near}?" if near else "; `dradsl rule` lists them all"
        raise click.BadParameter(f"unknown rule {code!r}{hint}", param_hint="CODE") from None
    if output_format == "json":
        say_json(_document_to_json(document))
    else:
        stream().write(_as_text(document))


def _list(select: tuple[str, ...], output_format: str, own: Sequence[CustomRule]) -> None:
    from dradsl.lint.pages.documents import all_documents

    selectors = _selectors(select, own)
    documents = [d for d in all_documents() if _chosen(d, selectors)]
    rules = [rule for rule in own if _chosen(rule, selectors)]
    if output_format == "json":
        rows = [*map(_document_to_json, documents), *map(own_rule_to_json, rules)]
        say_json([{key: row[key] for key in _IN_JSON} for row in rows])
        return
    for line in _table(documents, rules, wants_color()):
        stream().write(f"{line}\n")


def _say_own(rule: CustomRule, output_format: str) -> None:
    if output_format == "json":
        say_json(own_rule_to_json(rule))
        return
    from dradsl.lint.report.terminal import Style

    text = own_rule_as_text(rule, Style(wants_color()))
    stream().write(text)


def _document_to_json(document: RuleDocument) -> dict[str, object]:
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


def _as_text(document: RuleDocument) -> str:
    from dradsl.cli.markdown import render_markdown
    from dradsl.lint.catalogue.rules import FAMILIES
    from dradsl.lint.report.terminal import Style

    colored = wants_color()
    width = min(columns() or 100, 100)
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


@command.command("test")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@options_decorator((RELEASES, CONFIG, ISOLATED))
def test(files: tuple[Path, ...], kube_version: tuple[str, ...], **options: Any) -> None:
    """Run the examples of rules of your own.

    FILE holds such rules. Default: the rules that the configuration names.

    \b
    Exit codes:
      0  all examples do what they show
      1  some do not
      2  the rules or the command line cannot be used
    """
    from dradsl.lint.engine.trial import try_rules
    from dradsl.lint.settings.problems import ConfigError

    releases = [part.strip() for text in kube_version for part in text.split(",")] or None
    given = {"kube-version": releases, "custom-rules": [str(file) for file in files]}
    overrides = {key: value for key, value in given.items() if value}
    config = configuration(options, overrides=overrides)
    if not config.own:
        raise InputError("no rules to test: name a file, or custom-rules in the configuration")
    failed = total = 0
    try:
        for trial in try_rules(config.own, config):
            total += 1
            failed += bool(trial.fault)
            if trial.fault:
                kind = "bad" if trial.example.bad else "good"
                place = f"{trial.rule.source}:{trial.example.line}"
                fault = printable(trial.fault)
                stream().write(f"{place}: {trial.rule.code}: this {kind} example {_verb(fault)}\n")
    except ConfigError as error:
        raise InputError(str(error)) from error
    for rule in config.own:
        if not rule.examples:
            say(f"{rule.source}:{rule.line}: {rule.code} has no examples", err=True)
    said = f"{total} example{'' if total == 1 else 's'} of {len(config.own)} rule"
    said += "" if len(config.own) == 1 else "s"
    stream().write(f"{said}: {'all do what they show' if not failed else f'{failed} failed'}\n")
    raise SystemExit(1 if failed else 0)


def _verb(fault: str) -> str:
    return (
        fault if fault.startswith(("is ", "holds ", "cannot ", "depends ")) else f"fails: {fault}"
    )


def _selectors(values: tuple[str, ...], own: Sequence[CustomRule]) -> list[str]:
    from dradsl.lint.settings.selection import is_known, suggest_rule

    selectors = [part.strip() for value in values for part in value.split(",") if part.strip()]
    for selector in selectors:
        if not is_known(selector, own):
            near = suggest_rule(selector, own)
            hint = f"; did you mean {near}?" if near else ""
            raise click.BadParameter(f"no rule {selector!r}{hint}", param_hint="--select")
    return selectors


def _chosen(document: RuleDocument | CustomRule, selectors: list[str]) -> bool:
    from dradsl.lint.settings.selection import selects

    return not selectors or any(selects(s, document.code, document.name) for s in selectors)


def _table(
    documents: Sequence[RuleDocument], own: Sequence[CustomRule], colored: bool
) -> Iterator[str]:
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
    if own:
        yield style("bold", "your own")
        wide = max(len(rule.name) for rule in own)
        codes = max(len(rule.code) for rule in own)
        for rule in own:
            severity = style(rule.severity, f"{rule.severity:<7}")
            yield f"  {rule.code:<{codes}}  {rule.name:<{wide}}  {severity}  {printable(rule.message)}"
