"""DRA909: a ResourceQuota allows fewer devices of a class than a claim of its namespace asks for, or no claim."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.kube.quota import CLAIM_COUNT, Charge
from dradsl.lint.rules.coexistence.quotas import is_near, limits, place, usage
from dradsl.lint.view.index import is_elsewhere
from dradsl.lint.view.pages import are_apart
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.limits import MOST_QUOTAS

CODE = "DRA909"
WORDS = ("ResourceQuota",)


def check(run: Run) -> Iterator[RuleFinding]:
    if not run.index.kind("ResourceQuota"):
        return
    found = limits(run)
    for claim in run.claims() if found else ():
        manifest = claim.manifest
        told: set[str] = set()
        itself = Charge(1, ("metadata", "name"), is_all=False)
        for key, charge in {**usage(run, claim), CLAIM_COUNT: itself}.items():
            # One that is too small is enough, and of very many no more are read.
            for limit in found.get((place(manifest), key), ())[:MOST_QUOTAS]:
                quota = limit.quota
                if (
                    charge.number <= limit.most
                    or is_elsewhere(quota, manifest)
                    or str(charge.path) in told
                ):
                    continue
                if are_apart(run, quota, manifest):
                    continue
                told.add(str(charge.path))
                what = (
                    "All counts as 32" if charge.is_all else f"the claim counts as {charge.number}"
                )
                yield RuleFinding(
                    CODE,
                    manifest,
                    claim.written(charge.path),
                    f'{what} of "{key}", and the quota "{quota.name}" allows {limit.most}: '
                    "the claim is rejected",
                    help="raise the quota, or ask for less",
                    upstream=f"exceeded quota: {quota.name}",
                    severity=None if is_near(quota, manifest) else Severity.WARNING,
                    related=(RelatedField("the quota", quota, limit.path, on_key=True),),
                )
                break
