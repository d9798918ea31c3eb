"""DRA337: a DeviceClass without a selector: it holds the devices of every driver."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import string_at

CODE = "DRA337"
WORDS = ("DeviceClass",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, admission in run.objects("DeviceClass"):
        if manifest.is_patch or manifest.build_context.completed or not admission.accepted:
            continue
        if manifest.source.is_markdown:
            continue  # pages leave out what they do not mention
        if ((admission.object or {}).get("spec") or {}).get("selectors"):
            continue
        drivers = run.remember("recorded-drivers", lambda: _drivers(run))
        several = len(drivers) > 1
        among = f": {', '.join(drivers[:3])}" if several else ""
        yield RuleFinding(
            CODE,
            manifest,
            ("metadata", "name"),
            f'class "{manifest.name}" has no selector: it holds the devices of every driver{among}',
            help='add a selector such as device.driver == "…"',
            severity=Severity.WARNING if several else None,
        )


def _drivers(run: Run) -> tuple[str, ...]:
    """The drivers whose devices are recorded, or published by slices of the run."""
    slices = [each for each in run.inventory if each.get("kind") == "ResourceSlice"]
    slices += [each.data for each in run.index.kind("ResourceSlice")]
    drivers = {string_at(each, "spec", "driver") for each in slices}
    return tuple(sorted(each for each in drivers if each is not None))
