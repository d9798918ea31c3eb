"""DRA423: a class name that is too long for the extended resource that is named after it."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA423"
_MOST = 63  # the name part of a resource name
WORDS = ("DeviceClass",)


def check(run: Run) -> Iterator[RuleFinding]:
    if "DRAExtendedResource" not in run.features:
        return
    for manifest, admission in run.objects("DeviceClass"):
        name = manifest.name
        if name is None or len(name) <= _MOST or manifest.is_patch or not admission.accepted:
            continue
        yield RuleFinding(
            CODE,
            manifest,
            ("metadata", "name"),
            f"the name has {len(name)} characters: pods cannot ask for the class as "
            f"deviceclass.resource.kubernetes.io/…, of which the last part has {_MOST} at most",
            help="choose a shorter name, or give the class an extendedResourceName",
        )
