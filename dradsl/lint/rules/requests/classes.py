"""DRA337, DRA423: DeviceClasses that hold the devices of every driver, or whose name no resource can have."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, string_at

_OF_EVERY_DRIVER = "DRA337"
_LONG_NAME = "DRA423"
_MOST = 63  # the name part of a resource name
WORDS = ("DeviceClass",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, admission in run.objects("DeviceClass"):
        if manifest.is_patch or not admission.accepted:
            continue
        # Pages leave out what they do not mention.
        whole = not manifest.build_context.completed and not manifest.source.is_markdown
        if whole and not list_at(admission.spec, "selectors"):
            yield _of_every_driver(run, manifest)
        name = manifest.name or ""
        if len(name) > _MOST and "DRAExtendedResource" in run.features:
            yield RuleFinding(
                _LONG_NAME,
                manifest,
                ("metadata", "name"),
                f"the name has {len(name)} characters: pods cannot ask for the class as "
                f"deviceclass.resource.kubernetes.io/…, of which the last part has {_MOST} at most",
                help="choose a shorter name, or give the class an extendedResourceName",
            )


def _of_every_driver(run: Run, manifest: Manifest) -> RuleFinding:
    drivers = run.remember("recorded-drivers", lambda: _drivers(run))
    several = len(drivers) > 1
    among = f": {', '.join(drivers[:3])}" if several else ""
    return RuleFinding(
        _OF_EVERY_DRIVER,
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
