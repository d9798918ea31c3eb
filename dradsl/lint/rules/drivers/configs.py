"""Family 8: opaque parameters of classes and claims against their driver's configuration."""

from __future__ import annotations

from dradsl.drivers.judge.reachable import reachable
from dradsl.lint.rules.drivers.classes import expressions, selectors_of_class
from dradsl.lint.rules.drivers.reported import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.drivers.judge.findings import ConfigFinding
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.lint.input.manifests import Manifest
    from dradsl.lint.view.found import Found
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.text.paths import FieldPath


def check(run: Run) -> Iterator[Found]:
    heard: set[tuple[str, str]] = set()
    for manifest, path, finding in _all(run):
        if finding.once_per is not None:
            key = (manifest.path, finding.once_per)
            if key in heard:
                continue
            heard.add(key)
        yield _found(manifest, path, finding)


def _all(run: Run) -> Iterator[tuple[Manifest, FieldPath, ConfigFinding]]:
    for manifest, admission in run.objects("DeviceClass"):
        spec = (admission.object or {}).get("spec") or {}
        own = expressions(spec.get("selectors"))
        for path, opaque in _opaque(spec, ("spec",)):
            for finding in _check(run, opaque, _shapes(run, own)):
                yield manifest, path, finding
    for claim in run.claims():
        path = claim.written((*claim.path, "devices"))
        for index, (place, opaque) in enumerate(_opaque(claim.devices(), path)):
            for finding in _check(run, opaque, _reach(run, claim, index)):
                yield claim.manifest, place, finding


def _opaque(
    holder: Mapping[str, object], path: FieldPath
) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Each config entry, with its path; one without opaque parameters as an empty mapping."""
    configs = holder.get("config")
    for index, config in enumerate(configs if isinstance(configs, list) else ()):
        opaque = config.get("opaque") if isinstance(config, dict) else None
        yield (*path, "config", index, "opaque"), opaque if isinstance(opaque, dict) else {}


def _check(
    run: Run, opaque: Mapping[str, object], reach: Sequence[Shape] | None
) -> list[ConfigFinding]:
    driver = opaque.get("driver")
    if not isinstance(driver, str) or not driver:
        return []
    from dradsl.drivers.judge.configs import check_config

    return check_config(driver, opaque.get("parameters"), run.drivers, reach)


def _reach(run: Run, claim: ClaimView, index: int) -> Sequence[Shape] | None:
    """The devices that the requests of a claim's config can get; None if a class is unknown."""
    configs = claim.devices().get("config")
    config = configs[index] if isinstance(configs, list) else None
    named = config.get("requests") if isinstance(config, dict) else None
    wanted = frozenset(named) if isinstance(named, list) and named else None
    shapes: dict[Shape, None] = {}
    for request in claim.bodies():
        if wanted is not None and not wanted & {request.reference, request.parent or request.name}:
            continue
        name = request.body.get("deviceClassName")
        before = selectors_of_class(run, name) if isinstance(name, str) else None
        if before is None:
            return None
        shapes.update(
            dict.fromkeys(_shapes(run, (*before, *expressions(request.body.get("selectors")))))
        )
    return tuple(shapes)


def _shapes(run: Run, selectors: tuple[str, ...]) -> Sequence[Shape]:
    return run.remember(("reachable", selectors), lambda: reachable(selectors, run.drivers))


def _found(manifest: Manifest, path: FieldPath, finding: ConfigFinding) -> Found:
    if finding.about_driver:
        # Whether the driver or the class is the wrong one, a person must say.
        return reported(manifest, (*path, "driver"), finding, fixable=False)
    return reported(manifest, (*path, "parameters", *finding.path), finding)
