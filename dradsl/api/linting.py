"""`dradsl.lint`: the rules on apps, objects and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.api.objects import documents, sorted_out
from dradsl.dsl.building.app import App
from dradsl.dsl.checking.results import LintResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.api.fleet import Fleet
    from dradsl.api.objects import Objects, Path_
    from dradsl.dsl.checking.results import SeverityName
    from dradsl.lint.engine.session import Session
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.report import Report
    from dradsl.releases import ReleaseName

__all__ = ["lint"]


def lint(
    *objects: Objects,
    kube_version: ReleaseName | Sequence[str] | None = None,
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
    extend_select: Iterable[str] = (),
    severity: SeverityName | None = None,
    custom_rules: Iterable[Path_] = (),
    substitute: Mapping[str, str] | None = None,
    namespace: str | None = None,
    exclude: Iterable[str] = (),
    include: Iterable[str] = (),
    baseline: Path_ | None = None,
    since: str | None = None,
    each_file: bool = False,
    build_with: Iterable[str] = (),
    timeout: float | None = None,
) -> LintResult:
    """What `dradsl lint` finds in apps, objects and files. Nothing is printed, nothing is written.

    A configuration counts as for the command: that of the working directory for apps and objects,
    the nearest one for each file. What is given here goes before it, as options of the command do.

    Args:
        objects: apps, objects, plain data, and paths of files or folders.
        kube_version: the release or releases to check for, such as "1.36"; those of the apps if None.
        feature_gates: gates that differ from the release's defaults.
        fleet: the devices that there are: what no device fulfils is found (`--slices`).
        context: what is in the cluster besides: looked into, not reported on.
        driver_schemas: files with schemas of further drivers.
        driver_versions: the version of a driver that is installed.
        select: report these rules only, by code, beginning of a code, or name.
        ignore: do not report these rules.
        preset: severities for who you are: "default", "strict", "platform", "workload".
        config: the only configuration file that counts.
        isolated: no configuration file counts.
        extend_select: report these rules too.
        severity: the least severity that is reported.
        custom_rules: files with rules of your own.
        substitute: values of variables such as ${NAME} in files.
        namespace: where objects of files go that name none.
        exclude: patterns of files to leave out.
        include: patterns of files to read although git ignores them.
        baseline: a file of accepted findings, which are left out.
        since: a revision or folder with the files as they were: also report what the API server would
            reject as an update.
        each_file: look at each file alone.
        build_with: programs that render charts and overlays: "helm", "kustomize", or "helm=/path".
        timeout: end after so many seconds; `unfinished` then says what was not looked at.

    Raises:
        ValueError: for a rule, release, gate or file that is not known or cannot be used.
        OSError: for a file that cannot be read, if it is not among `objects`: there it is a finding.
    """
    from dradsl.lint.engine.session import Session, overrides_of

    apps, plain, paths = sorted_out(objects)
    if plain:
        apps.append(App())
        apps[-1].extend(plain)
    others, loose, looked_into = sorted_out([context])
    around = [data for _, each in documents([*others, *loose]) for data in each]
    releases = [kube_version] if isinstance(kube_version, str) else list(kube_version or ())
    overrides = overrides_of(
        preset=preset,
        custom_rules=custom_rules,
        select=select,
        ignore=ignore,
        extend_select=extend_select,
        kube_version=releases,
        feature_gates=feature_gates,
        driver_versions=driver_versions,
        severity=severity,
        context=looked_into,
        driver_schema=driver_schemas,
        substitute=[f"{name}={value}" for name, value in (substitute or {}).items()],
        namespace=namespace,
        exclude=exclude,
        include=include,
        baseline=baseline,
        timeout=None if timeout is None else _duration(timeout),
    )
    session = Session(
        tuple(paths),
        overrides,
        config,
        isolated,
        since=since,
        each_file=each_file,
        build_with=tuple(build_with),
    )
    reports, read = [], []
    if paths:
        built = [data for app in apps for data in app.to_dicts()]
        work, report = _of_files(session, [*around, *built], fleet)
        read = list(_objects_in(work))
        reports.append(report)
    if apps:
        reports.insert(0, _of_apps(apps, session, [*around, *read], fleet))
    return LintResult.of(*reports)


def _duration(seconds: float) -> str:
    """Seconds as a configuration spells them."""
    return f"{seconds:.0f}" if seconds >= 1000 else f"{seconds:.5f}"


def _of_apps(
    apps: Sequence[App],
    session: Session,
    context: Sequence[Mapping[str, object]],
    fleet: Fleet | None,
) -> Report:
    from dradsl.dsl.checking.check import check_apps
    from dradsl.records import replace

    # The configuration of the working directory, wherever the files of the call are.
    config = replace(session, paths=()).confined_config()
    if fleet is not None:
        config = replace(config, slices=())
    return check_apps(
        apps,
        config,
        releases_of_config=bool(session.overrides.get("kube-version")),
        context=context,
        inventory=() if fleet is None else fleet.documents,
    )


def _of_files(
    session: Session, context: Sequence[Mapping[str, object]], fleet: Fleet | None
) -> tuple[RunInput, Report]:
    """What was read, and what is found in it: the same steps as those of the command."""
    from dradsl.dsl.objects.yaml_text import to_yaml
    from dradsl.records import replace
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.deadline import Deadline

    deadline = Deadline.after(session.config().timeout)
    work = session.read(deadline)
    if context:
        seen = SourceText("<context>", load(to_yaml(context).encode()), context=True)
        work = replace(work, context=(*work.context, seen))
    if fleet is not None:
        work = replace(work, inventory=fleet.documents)
    return work, session.without_known(session.lint(work, deadline=deadline))


def _objects_in(work: RunInput) -> Iterator[dict[str, object]]:
    """The objects in the files that were read."""
    for source in work.sources:
        for document in source.stream.documents:
            data = document.data
            if isinstance(data, dict) and "apiVersion" in data and "kind" in data:
                yield data
