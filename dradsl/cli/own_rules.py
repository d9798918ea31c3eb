"""Rules of a team for `dradsl rule`: the configuration that names them, and how one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cli.options import OptionValues
    from dradsl.lint.custom.model import CustomRule, KindPattern
    from dradsl.lint.report.terminal import Style
    from dradsl.lint.settings.config import LintConfig

__all__ = [
    "configuration",
    "own_rule_as_text",
    "own_rule_to_json",
]


def configuration(
    options: OptionValues, *, overrides: Mapping[str, object] | None = None
) -> LintConfig:
    """The configuration of the working directory, or the one that `--config` names.

    Raises:
        InputError: if it cannot be used.
    """
    from dradsl.cli.lint_options import config_in
    from dradsl.lint.engine.session import Session
    from dradsl.lint.settings.problems import ConfigError

    try:
        file, values = config_in(options["config"])
        return Session((".",), {**values, **(overrides or {})}, file, options["isolated"]).config()
    except ConfigError as error:
        raise InputError(str(error)) from error


def own_rule_to_json(rule: CustomRule) -> dict[str, object]:
    """The rule as plain data, with the keys of our own rules."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": None,
        "severity": str(rule.severity),
        "releases": [],
        "fix": "none",
        "needs": [],
        "source": f"{rule.source}:{rule.line}",
        "url": rule.url,
        "title": rule.message,
        "kinds": [_kind(each) for each in rule.kinds],
        "cel": rule.condition.text,
        "why": rule.why,
        "help": rule.help,
        "examples": [
            {"kind": "bad" if example.bad else "good", "text": example.text}
            for example in rule.examples
        ],
    }


def _kind(pattern: KindPattern) -> str:
    return pattern.kind if pattern.api_version == "*" else f"{pattern.api_version} {pattern.kind}"


def own_rule_as_text(rule: CustomRule, style: Style) -> str:
    """The rule for a terminal; nothing in it commands one."""
    from dradsl.values.printable import printable

    def plain(text: str) -> str:
        return printable(text, keep_newlines=True)

    head = f"{rule.code} {rule.name} ({style(rule.severity, rule.severity)})"
    facts = {
        "kinds": ", ".join(map(_kind, rule.kinds)),
        "source": f"{rule.source}:{rule.line}",
        **({"url": rule.url} if rule.url else {}),
    }
    longest = max(map(len, facts))
    rows = "\n".join(f"  {key:<{longest}}  {value}" for key, value in facts.items())
    parts = [style("bold", head), plain(rows), plain(rule.message)]
    parts += [plain(each) for each in (rule.why, rule.help) if each]
    parts.append("What must hold:\n\n" + _indented(plain(rule.condition.text)))
    for example in rule.examples:
        kind = "Bad" if example.bad else "Good"
        parts.append(f"{kind}:\n\n{_indented(plain(example.text))}")
    return "\n\n".join(parts) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip().splitlines())
