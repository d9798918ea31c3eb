"""The text of a first configuration: each line with the reason for it, and what could not be found out."""

from __future__ import annotations

from dradsl.values.printable import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.lint.adoption.survey import Named, Survey

__all__ = ["configuration_text"]

_MOST_NAMED = 3


def configuration_text(found: Survey, catalogue: Catalogue, preset: str | None = None) -> str:
    """A configuration as YAML, with comments."""
    parts = [
        [
            f"# Written by `dradsl init` from {_counted(found.files, 'file')}. Check it, then keep it in the repository."
        ],
        _releases(found),
        _gates(found),
        _preset(found, preset),
        _drivers(found, catalogue),
        _recorded(found),
        _notes(found),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _releases(found: Survey) -> list[str]:
    from dradsl.releases import RELEASES, newest_release

    known = [int(name.partition(".")[2]) for name in RELEASES]
    named = sorted({int(each.value) for each in found.releases})
    usable = [minor for minor in named if minor in known]
    lines = []
    for minor in named:
        lines.append(
            f"# Kubernetes 1.{minor}: {_places([n for n in found.releases if int(n.value) == minor])}"
        )
        if minor not in known:
            lines.append(
                f"#   dradsl knows 1.{known[0]} to 1.{known[-1]}, so this one is left out."
            )
    if not usable:
        why = "No file names a" if not named else "No file names a known"
        return [
            *lines,
            f"# {why} release of Kubernetes, so the newest that dradsl knows counts: {newest_release().name}.",
            '# kube-version: "1.36"',
        ]
    text = ", ".join(f"1.{minor}" for minor in usable)
    return [*lines, f'kube-version: "{text}"']


def _gates(found: Survey) -> list[str]:
    from dradsl.releases import known_gates

    usable = _usable(found)
    lines: list[str] = []
    entries: list[str] = []
    for name, places in sorted(found.gates.items()):
        if name not in known_gates():
            continue
        values = {each.value for each in places}
        if len(values) > 1:
            lines.append(
                f"# {name} is true in some files and false in others, so it is left out: {_places(places)}"
            )
            continue
        value = values.pop()
        refused = _refused(usable, name, value == "true")
        if refused:
            lines.append(f"# {name}: {value}, which {refused}: {_places(places)}")
        else:
            entries += [f"  # {_places(places)}", f"  {name}: {value}"]
    return [*lines, *(["feature-gates:", *entries] if entries else [])]


def _usable(found: Survey) -> list[str]:
    """The releases that the configuration names, the newest if it names none."""
    from dradsl.releases import RELEASES, newest_release

    named = {f"1.{each.value}" for each in found.releases}
    return [name for name in RELEASES if name in named] or [newest_release().name]


def _refused(releases: Sequence[str], name: str, on: bool) -> str:
    """What keeps a release from taking a gate so; empty if nothing does."""
    from dradsl.releases import UnknownGateError, get_release

    for each in releases:
        release = get_release(each)
        if name in release.gates:
            try:
                release.features({name: on})
            except UnknownGateError:
                return f"Kubernetes {each} does not take"
    return ""


def _preset(found: Survey, preset: str | None) -> list[str]:
    if preset is not None:
        return ["# As the call asked for.", f"preset: {preset}"]
    cluster, workloads = found.cluster_kinds, found.workloads
    if cluster and not workloads:
        return [f"# Only objects of a platform are here: {_places(cluster)}", "preset: platform"]
    if workloads and not cluster:
        return [
            f"# Claims and pods are here, classes are not: {_places(workloads)}",
            "preset: workload",
        ]
    if workloads and cluster:
        why = "# Classes and workloads are both here. If all that the cluster gets is, `strict` finds more."
    else:
        why = "# No objects of DRA were found, so nothing says whose tree this is."
    return [why, "# preset: strict"]


def _drivers(found: Survey, catalogue: Catalogue) -> list[str]:
    lines: list[str] = []
    entries: list[str] = []
    for driver in sorted({*found.drivers, *found.versions, *found.unversioned}):
        schema = catalogue.get(driver)
        places = found.versions.get(driver, [])
        versions = {
            name: each
            for each in reversed(places)
            if schema is not None and (name := schema.find_version(each.value)) is not None
        }
        if len(versions) == 1:
            ((name, each),) = versions.items()
            entries += [
                f"  # {each.by} says {one_line(each.value)}: {_shown(each.path)}",
                f'  {driver}: "{name}"',
            ]
            continue
        if len(versions) > 1:
            said = ", ".join(
                f"{name} ({_shown(each.path)})" for name, each in sorted(versions.items())
            )
            lines.append(f"# {driver}: several versions are named, choose one: {said}")
        elif places:
            said = ", ".join(dict.fromkeys(one_line(each.value) for each in places))
            lines.append(f"# {driver}: no schema of the version {said}: {_places(places)}")
        elif driver in found.unversioned:
            lines.append(
                f"# {driver}: {found.unversioned[driver].by} installs it, but does not say which version of the"
                f" driver that is: {_shown(found.unversioned[driver].path)}"
            )
        else:
            each = found.drivers[driver]
            lines.append(
                f"# {driver}: used ({each.by} in {_shown(each.path)}), and no file says which version runs."
            )
        if schema is not None and schema.version_order:
            lines.append(f"#   known versions: {', '.join(schema.version_order)}")
    if entries:
        return [*lines, "driver-versions:", *entries]
    if lines:
        lines += ["# driver-versions:", '#   DRIVER: "VERSION"']
    return lines


def _recorded(found: Survey) -> list[str]:
    if not found.recorded:
        return [
            "# No recorded ResourceSlices were found. With them dradsl says whether claims can be met:",
            "# `dradsl record --from-cluster -o inventory.yaml`",
            "# slices: [inventory.yaml]",
        ]
    return [
        "# Slices that were read from a cluster: dradsl says whether claims can be met.",
        "slices:",
        *(f"  - {_quoted(path)}" for path in found.recorded),
    ]


def _notes(found: Survey) -> list[str]:
    lines = []
    if found.charts:
        shown = _paths(found.charts)
        lines.append(
            f"# Charts are here ({shown}). Their templates are not read: `helm template CHART | dradsl lint -`."
        )
    if found.kustomizations:
        lines.append(
            f"# {_counted(len(found.kustomizations), 'kustomization')}: names, namespaces and patches are followed."
        )
    lines += [
        "# Not known: which feature gates the API server is started with, unless a file above says so, and which",
        "# classes and namespaces the cluster has beside these files (context names manifests that live elsewhere).",
    ]
    return lines


def _places(places: Sequence[Named]) -> str:
    said = dict.fromkeys(f"{each.by} ({_shown(each.path)})" for each in places)
    return _few(list(said))


def _paths(paths: Sequence[str]) -> str:
    return _few([_shown(path) for path in paths])


def _few(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more


def _shown(path: str) -> str:
    return one_line(path)


def _quoted(path: str) -> str:
    import json

    return json.dumps(path)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
