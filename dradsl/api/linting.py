"""`dradsl.lint`: the rules on apps, objects and files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.api.objects import documents, sorted_out
from dradsl.dsl.building.app import App
from dradsl.dsl.checking.results import LintResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.api.fleet import Fleet
    from dradsl.api.objects import Objects, Path_
    from dradsl.lint.report import Report
    from dradsl.lint.settings.config import LintConfig

__all__ = ["lint"]


def lint(
    *objects: Objects,
    kube_version: str | Sequence[str] | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    fleet: Fleet | None = None,
    context: Objects = (),
    driver_schemas: Iterable[Path_] = (),
    driver_versions: Mapping[str, str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    preset: str | None = None,
    config: Path_ | None = None,
    isolated: bool = False,
) -> LintResult:
    """What `dradsl lint` finds in apps, objects and files. Nothing is printed, nothing is written.

    A configuration counts as for the command: that of the working directory for apps and objects,
    the nearest one for each file.

    Args:
        objects: apps, objects, plain data, and paths of files or folders.
        kube_version: the release or releases to check for, such as "1.36"; those of the apps if None.
        feature_gates: gates that differ from the release's defaults.
        fleet: the devices that there are: what no device fulfils is found.
        context: what is in the cluster besides: looked into, not reported on.
        driver_schemas: files with schemas of further drivers.
        driver_versions: the version of a driver that is installed.
        select: report these rules only, by code, beginning of a code, or name.
        ignore: do not report these rules.
        preset: severities for who you are: "default", "strict", "platform", "workload".
        config: the only configuration file that counts.
        isolated: no configuration file counts.

    Raises:
        ValueError: for a rule, release, gate or file that is not known or cannot be used.
        OSError: for a file that cannot be read.
    """
    apps, plain, paths = sorted_out(objects)
    releases = [kube_version] if isinstance(kube_version, str) else list(kube_version or ())
    overrides: dict[str, object] = {
        "kube-version": releases or None,
        "feature-gates": dict(feature_gates or {}) or None,
        "driver-schema": [os.fspath(one) for one in driver_schemas] or None,
        "driver-versions": dict(driver_versions or {}) or None,
        "select": list(select) or None,
        "ignore": list(ignore) or None,
        "preset": preset,
    }
    if plain:
        app = App()
        app.extend(plain)
        apps.append(app)
    around = [document for _, each in documents([context]) for document in each]
    files = [d for _, each in documents(paths) for d in each] if apps and paths else []
    inventory = () if fleet is None else fleet.documents
    reports = []
    if apps:
        found = _config(overrides, config, isolated=isolated)
        reports.append(_of_apps(apps, found, [*around, *files], inventory, bool(releases)))
    if paths:
        around += [data for app in apps for data in app.to_dicts()]
        reports.append(_of_files(paths, overrides, config, isolated, around, inventory))
    return LintResult.of(*reports)


def _config(overrides: Mapping[str, object], config: Path_ | None, *, isolated: bool) -> LintConfig:
    from dradsl.lint.settings.config import Configs, LintConfig, merge

    base = LintConfig(root=Path.cwd()) if isolated else Configs(config).for_folder(Path.cwd())
    return merge(base, overrides)


def _of_apps(
    apps: Sequence[App],
    config: LintConfig,
    context: Sequence[Mapping[str, object]],
    inventory: Sequence[Mapping[str, object]],
    of_config: bool,
) -> Report:
    from dradsl.dsl.checking.check import check_apps

    return check_apps(
        apps, config, releases_of_config=of_config, context=context, inventory=inventory
    )


def _of_files(
    paths: Sequence[str],
    overrides: Mapping[str, object],
    config: Path_ | None,
    isolated: bool,
    context: Sequence[Mapping[str, object]],
    inventory: Sequence[Mapping[str, object]],
) -> Report:
    from dradsl.dsl.objects.yaml_text import to_yaml
    from dradsl.lint.engine.run import lint as run
    from dradsl.lint.engine.session import Session
    from dradsl.lint.input.sources import SourceText
    from dradsl.records import replace
    from dradsl.text.documents import load

    session = Session(tuple(paths), overrides, config, isolated)
    work = session.read()
    seen = SourceText("<context>", load(to_yaml(context).encode()), context=True)
    work = replace(work, context=(*work.context, seen), inventory=(*work.inventory, *inventory))
    return run(work, session.config(), config_of=session.config_of)
