"""The examples of a team's rules, run: each good one must pass its rule, and each bad one must not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dradsl.lint.custom.model import CustomRule, RuleExample
from dradsl.lint.engine.examine import run_of
from dradsl.lint.engine.run import releases_of
from dradsl.lint.engine.state import RunInput, read_state
from dradsl.lint.policies.judge import Compiled, compiled_rules, judgements
from dradsl.lint.settings.config import LintConfig
from dradsl.records import Record
from dradsl.releases import Release
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText

__all__ = ["ExampleRun", "try_rules"]


class ExampleRun(Record):
    """One example of a rule; `fault` says why it failed, and is empty where it did not."""

    rule: CustomRule
    example: RuleExample
    fault: str = ""


def try_rules(rules: Sequence[CustomRule], config: LintConfig) -> Iterator[ExampleRun]:
    """Every example of the rules, for every release that the configuration asks for.

    Raises:
        ConfigError: for an expression that one of the releases does not take.
    """
    releases = releases_of(config)
    ready = [(release, compiled_rules(rules, release)) for release in releases]
    for number, rule in enumerate(rules):
        for example in rule.examples:
            faults = [
                (release, _fault(compiled[number], example, config, release))
                for release, compiled in ready
            ]
            said = [
                f"{fault} (Kubernetes {release.name})" if len(releases) > 1 else fault
                for release, fault in faults
                if fault
            ]
            yield ExampleRun(rule, example, said[0] if said else "")


def _fault(compiled: Compiled, example: RuleExample, config: LintConfig, release: Release) -> str:
    stream = load(example.text.encode("utf-8", "surrogatepass"), variables=True)
    for problem in stream.all_problems():
        if problem.fatal:
            return f"is not YAML: {problem.message}"
    source = SourceText(f"{compiled.rule.source}:{example.line}", stream)
    state = read_state(RunInput((source,)), config)
    run = run_of(release, state, config)
    seen = [each for m in state.manifests for _, each in judgements(run, compiled, m)]
    if not seen:
        return "holds nothing of the rule's kinds, or nothing that can be decoded"
    errors = [each.error for each in seen if each.error]
    if errors:
        return f"cannot be judged: {errors[0]}"
    found = [each for each in seen if each.met is False]
    if example.bad:
        unknown = any(each.met is None for each in seen)
        if found:
            return ""
        return _UNKNOWN if unknown else "the rule finds nothing in it"
    if found:
        return f"the rule finds: {found[0].message}"
    return _UNKNOWN if any(each.met is None for each in seen) else ""


_UNKNOWN = (
    "depends on what is not known: a namespace that is not written, the name of a generated object,"
    " or a variable"
)
