"""DRA334: a configuration names one alternative; another one of the same class has none."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.requests.lists.one_alternative import left_out, names_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run

CODE = "DRA334"
WORDS = ("firstAvailable", "config")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        configs = claim.devices().get("config")
        if not isinstance(configs, list):
            continue
        everywhere = tuple(name for each in configs for name in names_of(each))
        if any(isinstance(each, dict) and not names_of(each) for each in configs):
            continue  # one applies to all requests
        for number, config in enumerate(configs):
            for index, name, sibling in left_out(claim, names_of(config)):
                if sibling.reference in everywhere or not _same_class(
                    claim, name, sibling.reference
                ):
                    continue
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written((*claim.path, "devices", "config", number, "requests", index)),
                    f'only "{name}" is configured: if "{sibling.reference}" of the same class is taken, '
                    "its devices are used as they are",
                    help=f'name "{name.partition("/")[0]}", which stands for all its alternatives',
                )


def _same_class(claim: ClaimView, one: str, other: str) -> bool:
    names = {each.reference: each.body.get("deviceClassName") for each in claim.bodies()}
    return names.get(one) == names.get(other)
