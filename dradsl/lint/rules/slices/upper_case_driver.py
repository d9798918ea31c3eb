"""DRA615: a slice's driver name has upper-case letters; the API server warns, from 1.35 on."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA615"
WORDS = ("ResourceSlice",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, admission in run.objects("ResourceSlice"):
        spec = (admission.object or {}).get("spec") or {}
        driver = spec.get("driver")
        if isinstance(driver, str) and driver != driver.lower():
            yield RuleFinding(
                CODE,
                manifest,
                ("spec", "driver"),
                f'the driver name "{driver}" has upper-case letters',
                help=f'write "{driver.lower()}", everywhere: CEL compares names exactly',
            )
