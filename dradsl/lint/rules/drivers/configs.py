"""Family 8: opaque parameters of classes and claims against their driver's configuration."""

from __future__ import annotations

import marshal

from dradsl.diagnostics import Severity
from dradsl.lint.rules.drivers.cases import shapes_behind
from dradsl.lint.rules.drivers.classes import expressions, shapes_of
from dradsl.lint.rules.observed import first_of_file, reported
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.values.plain import mapping_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.observations import Observation
    from dradsl.tree.manifests.manifest import Manifest

OBJECTS = (
    *("GpuConfig", "MigDeviceConfig", "GpuClaimParameters", "GpuClassParameters", "GPUClaim"),
    *("DeviceClassParameters", "GPUClaimParameters", "GPUConfig", "GpuSharingConfig", "MpsConfig"),
)
WORDS = (("config", *OBJECTS),)
_FLAT = 2  # the version of marshal that writes equal values alike


def check(run: Run) -> Iterator[RuleFinding]:
    found = list(_all(run))
    if found:
        from dradsl.lint.catalogue.config_messages import CONFIG_MESSAGES

        for manifest, path, observed in first_of_file(found, CONFIG_MESSAGES):
            yield reported(manifest, path, observed, CONFIG_MESSAGES)
    for word in OBJECTS:
        for manifest in run.index.kind(word):
            if manifest.name and "nvidia.com" in manifest.group and manifest in run.reported:
                yield RuleFinding(
                    "DRA801",
                    manifest,
                    ("kind",),
                    f"nothing reads an object of kind {word}: the driver takes parameters from the claim or class itself",
                    help="remove the object: write its parameters under config: [{opaque: {driver: gpu.nvidia.com, "
                    "parameters: …}}], and what devices must have as conditions in selectors",
                    severity=Severity.WARNING,
                )


def _all(run: Run) -> Iterator[tuple[Manifest, FieldPath, Observation]]:
    for manifest, admission in run.objects("DeviceClass"):
        spec = mapping_at(admission.spec)
        own = expressions(spec.get("selectors"))
        for path, opaque in _opaque(spec, ("spec",)):
            for observed in _check(run, opaque, shapes_behind(run, own)):
                yield manifest, (*path, *observed.path), observed
    for claim in run.claims:
        if not claim.devices.get("config"):
            continue
        path = claim.written((*claim.path, "devices"))
        for index, (place, opaque) in enumerate(_opaque(claim.devices, path)):
            for observed in _check(run, opaque, _reach(run, claim, index)):
                yield claim.manifest, (*place, *observed.path), observed


def _opaque(
    holder: Mapping[str, object], path: FieldPath
) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Each config entry, with its path; one without opaque parameters as an empty mapping."""
    from dradsl.kube.limits import MAX_CONFIG

    configs = holder.get("config")
    if not isinstance(configs, list) or len(configs) > MAX_CONFIG:
        return  # more are rejected for their number
    for index, config in enumerate(configs):
        yield (*path, "config", index, "opaque"), mapping_at(config, "opaque")


def _check(
    run: Run, opaque: Mapping[str, object], reach: Sequence[Shape] | None
) -> list[Observation]:
    driver = opaque.get("driver")
    if not isinstance(driver, str) or not driver:
        return []
    from dradsl.drivers.judge.configs import check_config

    parameters: Any = opaque.get("parameters")
    try:
        content = marshal.dumps(parameters, _FLAT)
    except ValueError:  # too deep
        return check_config(driver, parameters, run.drivers, reach)
    # Configurations repeat more than claims do.
    key = ("config", driver, content, None if reach is None else tuple(reach))
    return run.remember(
        key, lambda: check_config(driver, parameters, run.drivers, reach), by="schemas"
    )


def _reach(run: Run, claim: ClaimView, index: int) -> Sequence[Shape] | None:
    """The devices that the requests of a claim's config can get; None if a class is unknown."""
    configs = claim.devices.get("config")
    config = configs[index] if isinstance(configs, list) else None
    found: dict[Shape, None] = {}
    for request in claim.named(member(config, "requests")):
        shapes = shapes_of(run, request)
        if shapes is None:
            return None
        found.update(dict.fromkeys(shapes))
    return tuple(found)
