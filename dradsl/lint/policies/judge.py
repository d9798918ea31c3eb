"""The rules of a team over the objects of a run: compiled for a release, evaluated, worded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dradsl.cel.admission import MAX_MESSAGE, PolicyCompileError, Result, compile_policy
from dradsl.cel.compile import Program
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.diagnostics import Severity
from dradsl.lint.custom.model import CustomRule, RuleExpression
from dradsl.lint.policies.partly import UnknownValueError
from dradsl.lint.policies.views import PolicyObject, views_of
from dradsl.lint.settings.config import LintConfig
from dradsl.lint.settings.problems import ConfigError
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.records import Record
from dradsl.releases import Release
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.deadline import Deadline
from dradsl.values.printable import printable

__all__ = ["Compiled", "PolicyVerdict", "compiled_rules", "judge", "judgements", "policy_findings"]

_AT = ("metadata", "name")  # where a finding stands whose rule names no field
_SHOWN_EXCERPT = 200


class Compiled(Record):
    """A rule with its expressions ready to evaluate."""

    rule: CustomRule
    condition: Program
    message: Program | None


class PolicyVerdict(Record):
    """What came of one object: `met` is None where it depends on what is not known, or `error` says why."""

    met: bool | None
    message: str = ""
    error: str = ""


def compiled_rules(rules: Sequence[CustomRule], release: Release) -> tuple[Compiled, ...]:
    """The rules as a release compiles them.

    Raises:
        ConfigError: for an expression that the release does not take, with its place in the rule file.
    """
    return tuple(
        Compiled(
            rule,
            _compile(rule, "cel", rule.condition, release, "bool"),
            None
            if rule.message_expression is None
            else _compile(rule, "messageExpression", rule.message_expression, release, "string"),
        )
        for rule in rules
    )


def _compile(
    rule: CustomRule, key: str, expression: RuleExpression, release: Release, result: Result
) -> Program:
    try:
        return compile_policy(expression.text, release, result)
    except PolicyCompileError as error:
        issue = error.issue
        undeclared = "undeclared reference to" in issue.message
        hint = " (a rule has the variable object alone)" if undeclared else ""
        said = issue.message if error.detail.startswith("compilation failed") else error.detail
        raise ConfigError(
            rule.source,
            f"{rule.code}: `{key}` does not compile for Kubernetes {release.name}:"
            f" {printable(said)}{hint}",
            expression.line_of(issue.start),
        ) from error


def judge(compiled: Compiled, view: PolicyObject) -> PolicyVerdict:
    """What a rule says of an object; of one that goes to several namespaces the first that is rejected."""
    unknown = False
    for value in view.values:
        found = _judge_one(compiled, value)
        if found.met is False or found.error:
            return found
        unknown = unknown or found.met is None
    return PolicyVerdict(None if unknown else True)


def _judge_one(compiled: Compiled, value: Value) -> PolicyVerdict:
    try:
        met = compiled.condition.evaluate({"object": value})
    except UnknownValueError:
        return PolicyVerdict(None)
    except CelRuntimeError as error:
        return PolicyVerdict(None, error=error.message)
    if met is not False:
        return PolicyVerdict(True)
    return PolicyVerdict(False, _message(compiled, value))


def _message(compiled: Compiled, value: Value) -> str:
    """The words for an object; as in a policy the plain ones where the expression gives none."""
    if compiled.message is not None:
        try:
            text = compiled.message.evaluate({"object": value})
        except (UnknownValueError, CelRuntimeError):
            text = ""
        text = text.strip() if isinstance(text, str) else ""
        if text and "\n" not in text and len(text.encode()) <= MAX_MESSAGE:
            return text
    return compiled.rule.message


def judgements(
    run: Run, compiled: Compiled, manifest: Manifest
) -> Iterator[tuple[PolicyObject, PolicyVerdict]]:
    """What a rule says of each thing that it looks at in a manifest."""
    for view in _seen(run, manifest):
        if (compiled.rule.templates or not view.from_template) and compiled.rule.looks_at(
            view.api_version, view.kind
        ):
            yield view, judge(compiled, view)


def _seen(run: Run, manifest: Manifest) -> Sequence[PolicyObject]:
    return run.remember(("policies.views", manifest.key), lambda: tuple(views_of(run, manifest)))


def policy_findings(
    run: Run, config_of: Callable[[str], LintConfig], deadline: Deadline
) -> Iterator[RuleFinding]:
    """What the rules of the configuration of each file find in it."""
    ready: dict[int, tuple[Compiled, ...]] = {}
    silent: set[str] = set()
    for manifest in run.manifests:
        config = config_of(manifest.path)
        if not config.own:
            continue
        if deadline.is_over:
            return
        key = id(config.own)
        if key not in ready:
            ready[key] = compiled_rules(config.own, run.release)
        for compiled in ready[key]:
            rule = compiled.rule
            if not config.enabled(rule.code, rule.name):
                continue
            for view, judgement in judgements(run, compiled, manifest):
                if judgement.met is False:
                    yield _violation(rule, view, judgement)
                elif judgement.error and rule.code not in silent:
                    silent.add(rule.code)
                    yield _failure(rule, view, judgement)


def _violation(rule: CustomRule, view: PolicyObject, judgement: PolicyVerdict) -> RuleFinding:
    return RuleFinding(
        rule.code,
        view.manifest,
        view.written(rule.path or _AT),
        judgement.message,
        help=rule.help,
        why=rule.why,
        severity=rule.severity,
        own=rule,
    )


def _failure(rule: CustomRule, view: PolicyObject, judgement: PolicyVerdict) -> RuleFinding:
    """A rule that cannot judge an object is at fault itself: said once, and never as an error."""
    severity = Severity.WARNING if rule.severity is Severity.ERROR else rule.severity
    return RuleFinding(
        rule.code,
        view.manifest,
        view.written(rule.path or _AT),
        f"rule {rule.code} cannot judge this object: {judgement.error}",
        help="test in the rule whether the field is there, with has(), or fix the expression"
        f" ({rule.source}:{rule.condition.line}); said of the first such object only",
        why="a policy with this expression rejects such objects, as it does whatever it cannot judge",
        severity=severity,
        upstream=f"expression '{_excerpt(rule.condition.text)}' resulted in error: {judgement.error}",
        own=rule,
    )


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_EXCERPT else f"{line[:_SHOWN_EXCERPT]}..."
