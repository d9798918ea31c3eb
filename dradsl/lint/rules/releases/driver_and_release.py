"""DRA506: the driver's documents do not name the Kubernetes release for the version of the driver in use."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.drivers.schema.model import DriverVersion
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA506"
WORDS = ("deviceClassName",)


def check(run: Run) -> Iterator[RuleFinding]:
    told: set[tuple[str, str]] = set()
    known: dict[str, tuple[tuple[str, DriverVersion], ...]] = {}
    for claim in run.claims:
        for request in claim.bodies:
            name = request.class_name
            if name is not None and name not in known:
                known[name] = tuple(_unsupported_of(run, name))
            for driver, version in known.get(name or "", ()):
                if (claim.manifest.path, driver) in told:
                    continue
                told.add((claim.manifest.path, driver))
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written((*request.path, "deviceClassName")),
                    f"{driver} {version.name} is for Kubernetes {version.kubernetes}, by its documents; "
                    f"this is {run.release.name}",
                    help="use a version of the driver for this release, or name the one in use under "
                    "driver-versions",
                )


def _unsupported_of(run: Run, device_class: str) -> Iterator[tuple[str, DriverVersion]]:
    for driver in sorted(drivers_of_class(run, device_class)):
        version = _unsupported(run, driver)
        if version is not None:
            yield driver, version


def _unsupported(run: Run, driver: str) -> DriverVersion | None:
    """The newest version of the driver that may be in use, if none of them is for the release."""
    schema = run.drivers.get(driver)
    if schema is None:
        return None
    used = run.drivers.versions(driver)
    versions = [each for each in schema.versions if each.name in used]
    if not versions or any(each.supports(run.release.minor) for each in versions):
        return None
    return versions[-1]
