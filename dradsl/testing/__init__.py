"""Asserts for the unit tests of manifests: clean to lint, placed on a fleet, as they were last time.

The pytest plugin `dradsl.testing.plugin`, which pytest finds by itself, adds the fixture
`dradsl_snapshot` and the option `--dradsl-update`. The asserts need no pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dradsl.api.fleet import Fleet
    from dradsl.api.objects import Objects
    from dradsl.api.simulating import SimulationResult
    from dradsl.dsl.building.app import App
    from dradsl.dsl.checking.results import LintResult, SeverityName
    from dradsl.releases import ReleaseName

__all__ = [
    "assert_fits",
    "assert_lint_clean",
    "assert_pending",
    "assert_snapshot",
    "load_app",
    "load_apps",
]


def assert_lint_clean(
    *objects: Objects,
    allow: Iterable[str] = (),
    severity: SeverityName = "warning",
    kube_version: ReleaseName | None = None,
    fleet: Fleet | None = None,
    context: Objects = (),
    driver_schemas: Iterable[str | Path] = (),
) -> LintResult:
    """Fail unless lint looks at something and finds nothing of `severity` or worse; what was found is returned.

    Args:
        objects: apps, objects, plain data, or paths of files.
        allow: rules that may find something, by code, beginning of a code, or name.
        severity: the least severity that fails: "error", "warning" or "info".
        kube_version: the release to check for; that of the apps if None.
        fleet: the devices that there are.
        context: what is in the cluster besides.
        driver_schemas: files with schemas of further drivers.

    Raises:
        AssertionError: with the report, as `dradsl lint` prints it; also if there is no object.
    """
    from dradsl.api.linting import lint

    found = lint(
        *objects,
        kube_version=kube_version,
        fleet=fleet,
        context=context,
        driver_schemas=driver_schemas,
    ).without(tuple(allow))
    if found.at_least(severity):
        raise AssertionError(f"lint finds something:\n{found}")
    if not found.findings and not found.ok:
        raise AssertionError(found.unfinished or "lint looked at nothing: there is no object")
    return found


def assert_fits(
    objects: Objects,
    fleet: Fleet,
    *,
    kube_version: ReleaseName | None = None,
    replicas: int | None = None,
    pods_for_claims: bool = True,
) -> SimulationResult:
    """Fail unless every pod of `objects` surely starts on `fleet`; the result is returned.

    Args:
        objects: an app, objects, plain data, or paths of files.
        fleet: the devices, such as `Fleet.of(gpu, count=8)` or `Fleet.from_file(path)`.
        kube_version: the release whose scheduler is followed; that of the app, else the newest.
        replicas: pods of each workload; as many as it says if None.
        pods_for_claims: also place a pod for each claim and template that no pod names.

    Raises:
        AssertionError: with the report, as `dradsl simulate` prints it.
    """
    from dradsl.api.simulating import simulate

    result = simulate(
        objects,
        fleet,
        kube_version=kube_version,
        replicas=replicas,
        pods_for_claims=pods_for_claims,
    )
    if not result.fits:
        names = ", ".join(f"{pod.namespace}/{pod.name}" for pod in result.pending)
        raise AssertionError(f"does not fit: {names or 'rejected objects'}\n{result}")
    return result


def assert_pending(
    objects: Objects,
    fleet: Fleet,
    *,
    because: str = "",
    kube_version: ReleaseName | None = None,
) -> SimulationResult:
    """Fail if every pod of `objects` starts on `fleet`: the counterpart of `assert_fits`.

    Args:
        objects: an app, objects, plain data, or paths of files.
        fleet: the devices.
        because: a text that the report has to hold, such as "count".
        kube_version: the release whose scheduler is followed; that of the app, else the newest.

    Raises:
        AssertionError: with the report.
    """
    from dradsl.api.simulating import simulate

    result = simulate(objects, fleet, kube_version=kube_version)
    if result.fits:
        raise AssertionError(f"every pod fits:\n{result}")
    if because not in str(result):
        raise AssertionError(f"the report does not hold {because!r}:\n{result}")
    return result


def assert_snapshot(app: App, path: str | Path, *, update: bool = False) -> None:
    """Fail unless the app's YAML is what the file at `path` holds.

    Args:
        app: the app.
        path: the file.
        update: write the file instead.

    Raises:
        AssertionError: with the difference, or if there is no such file or no object.
    """
    from pathlib import Path

    from dradsl.text.diff import unified_diff
    from dradsl.text.files import read_bytes
    from dradsl.tree.replacing import write_bytes

    file, text = Path(path), app.to_yaml()
    if not text:
        raise AssertionError("the app has no objects: app.add was never called")
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, text.encode())
        return
    if not file.exists():
        raise AssertionError(
            f"there is no snapshot {file}: run pytest with --dradsl-update to write it"
        )
    before = read_bytes(file).decode()
    if before != text:
        diff = "".join(unified_diff(before, text, str(file), "built now"))
        raise AssertionError(
            f"built otherwise than {file}; if that is meant, run pytest with --dradsl-update\n{diff}"
        )


def load_app(target: str, parameters: Mapping[str, object] | None = None) -> App:
    """The app of a module, as `dradsl build` takes it: `MODULE`, `MODULE:NAME`, `MODULE:FACTORY`.

    Args:
        target: the module, a file or a dotted name.
        parameters: what the factory is called with.

    Raises:
        Exception: of the type `BuildError`, with the line, if the module cannot be used.
    """
    from dradsl.dsl.building.loading import BuildError

    found = load_apps(target, parameters)
    if len(found) > 1:
        raise BuildError(f"{target} has several apps: load_apps gives them by name")
    return next(iter(found.values()))


def load_apps(target: str, parameters: Mapping[str, object] | None = None) -> dict[str, App]:
    """The apps of a module that has several, by name: of a `dict[str, App]`, or a function that returns one.

    Args:
        target: the module, a file or a dotted name; `MODULE:NAME` if it has several.
        parameters: what the function is called with.

    Raises:
        Exception: of the type `BuildError`, with the line, if the module cannot be used.
    """
    from dradsl.dsl.building.loading import load_apps as load

    found = load([target], parameters=parameters).apps
    return {one.stack or one.label: one.app for one in found}
