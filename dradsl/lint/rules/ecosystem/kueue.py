"""What Kueue's releases do with claims, as data, and what a run shows of its configuration and version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.lint.rules.ecosystem.versions import Version, version_of
from dradsl.lint.view.index import are_together
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.view import Run
from dradsl.records import Record
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, mapping_at, member, string_at

__all__ = [
    "CONSTRUCTS",
    "GROUP",
    "Construct",
    "Shown",
    "configurations",
    "is_configured",
    "has_unknown_values",
    "mappings",
    "queue_of",
    "shown_by",
]

GROUP = "config.kueue.x-k8s.io"
_QUEUE = "kueue.x-k8s.io/queue-name"
_GATE = "KueueDRAIntegration"  # on by default; before 0.18 it was DynamicResourceAllocation, off by default
_OLD_GATE = "DynamicResourceAllocation"
_RENAMED: Version = (0, 18, 0)
_FIRST: Version = (0, 14, 0)
NEWEST: Version = (0, 19, 2)


class Construct(Record):
    """Something in a claim that Kueue rejects in the releases from `since` to before `until` (None: in all later
    ones that were read), and before `since` does not count."""

    what: str
    since: Version
    until: Version | None = None
    uncounted: bool = True


# pkg/dra/claims.go, countDevicesPerClass, at every tag from v0.14.0 to v0.19.2.
CONSTRUCTS: Mapping[str, Construct] = {
    "all": Construct("allocationMode All", (0, 15, 0)),
    "first": Construct("firstAvailable", (0, 15, 0)),
    "admin": Construct("adminAccess", (0, 15, 0), uncounted=False),
    "constraints": Construct("constraints", (0, 15, 0), (0, 18, 2), uncounted=False),
    "config": Construct("config", (0, 15, 0), (0, 18, 2), uncounted=False),
    "selectors": Construct("CEL selectors", (0, 15, 0), (0, 18, 0), uncounted=False),
}


class Shown(Record):
    """The releases of Kueue that may be meant, from `first` to before `end`, and whether it looks at claims.

    `is_on` is None where that is not known: the gate was off by default before 0.18.
    """

    first: Version
    end: Version | None
    is_on: bool | None


def shown_by(run: Run) -> Shown:
    """What the run shows of Kueue."""
    return run.remember("kueue", lambda: _shown(run))


def _shown(run: Run) -> Shown:
    version = version_of(run, "kueue", "kueue")
    gates: dict[str, object] = {}
    for configuration in configurations(run):
        gates |= mapping_at(configuration, "featureGates")
    if version is not None:
        end = (*version[:2], version[2] + 1)
        by_default = version >= _RENAMED
        gate = gates.get(_GATE if by_default else _OLD_GATE)
        if gate is None and not by_default and not configurations(run):
            return Shown(version, end, None)  # its configuration is elsewhere
        return Shown(version, end, by_default if gate is None else gate is True)
    if _GATE in gates:
        return Shown(_RENAMED, None, gates[_GATE] is True)
    if _OLD_GATE in gates:
        return Shown(_FIRST, _RENAMED, gates[_OLD_GATE] is True)
    return Shown(_FIRST, None, None)


def queue_of(pod: PodView) -> str | None:
    """The LocalQueue of a workload, by the label of its object or of its pods."""
    data = pod.manifest.data
    spec = data.get("spec")
    job = mapping_at(spec, "jobTemplate") if isinstance(spec, dict) else {}
    for metadata in (pod.at.metadata, job.get("metadata"), data.get("metadata")):
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        if isinstance(labels, dict) and _QUEUE in labels:
            queue = labels[_QUEUE]
            return string_at(queue)
    return None


def configurations(run: Run) -> Sequence[Mapping[str, object]]:
    """Kueue's configurations in the run, those within ConfigMaps too."""
    return tuple(data for _, data in _every(run))


def is_configured(run: Run, queue: Manifest) -> bool:
    """Whether the run has the configuration of the very Kueue that a queue belongs to, with mappings."""
    return any(
        member(data, "resources", "deviceClassMappings") and are_together(host, queue)
        for host, data in _every(run)
    )


def has_unknown_values(run: Run) -> bool:
    """Whether a configuration of the run holds values that are not known, names perhaps."""
    return any(host.build_context.holes for host, _ in _every(run))


def _every(run: Run) -> Sequence[tuple[Manifest, Mapping[str, object]]]:
    return run.remember("kueue-configurations", lambda: tuple(_configurations(run)))


def _configurations(run: Run) -> Iterator[tuple[Manifest, Mapping[str, object]]]:
    read: set[str] = set()
    for manifest in run.index.kind("Configuration"):
        if manifest.group == GROUP:
            read.add(manifest.path)
            yield manifest, manifest.data
    for manifest in run.index.kind("ConfigMap"):
        if manifest.path in read:
            continue  # what is in the ConfigMaps of files that are reported on is among the objects
        for text in mapping_at(manifest.data, "data").values():
            if isinstance(text, str) and GROUP in text:
                from dradsl.text.documents import load

                for document in load(text.encode("utf-8", "replace")).documents:
                    if member(document.data, "kind") == "Configuration":
                        yield manifest, mapping_at(document.data)


def mappings(run: Run) -> Mapping[str, tuple[str, ...]]:
    """DeviceClass -> the resources that Kueue's configurations map it to."""
    found: dict[str, tuple[str, ...]] = {}
    for configuration in configurations(run):
        for item in list_at(configuration, "resources", "deviceClassMappings"):
            name, classes = member(item, "name"), member(item, "deviceClassNames")
            for each in list_at(classes):
                if isinstance(name, str) and isinstance(each, str):
                    found[each] = (*found.get(each, ()), name)
    return found
