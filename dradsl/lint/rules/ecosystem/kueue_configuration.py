"""DRA922 to DRA924 and DRA926: Kueue's mappings of DeviceClasses, and the quotas that are to count them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.rules.ecosystem.kueue import (
    GROUP,
    configurations,
    has_unknown_values,
    is_configured,
    mappings,
)
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import list_at, mapping_at, member

CODE_CONTRADICTION = "DRA922"
CODE_CLASS = "DRA923"
CODE_QUOTA = "DRA924"
CODE_FLAVOR = "DRA926"

_PATH = ("resources", "deviceClassMappings")
_MOST_MAPPINGS = 16
_MOST_CLASSES = 8
# What containers can ask for without a domain in the name (kubernetes pkg/apis/core/helper/helpers.go).
_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage", "pods", "storage"})
_HUGEPAGES = "hugepages-"
WORDS = ((GROUP, "ClusterQueue"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest in run.manifests:
        if manifest.kind == "Configuration" and manifest.group == GROUP:
            items = member(manifest.data, "resources", "deviceClassMappings")
            rows = [mapping_at(item) for item in items] if isinstance(items, list) else []
            yield from _contradictions(manifest, rows)
            yield from _classes(run, manifest, rows)
        elif manifest.kind == "ClusterQueue" and manifest.group == "kueue.x-k8s.io":
            yield from _quotas(run, manifest)
            yield from _flavors(run, manifest)


def _contradictions(
    manifest: Manifest, rows: Sequence[Mapping[str, object]]
) -> Iterator[RuleFinding]:
    """What `validateDeviceClassMappings` rejects: then Kueue's manager does not start."""

    def found(path: FieldPath, message: str, help_: str) -> RuleFinding:
        return RuleFinding(CODE_CONTRADICTION, manifest, path, message, help=help_)

    if len(rows) > _MOST_MAPPINGS:
        most = f"there are {len(rows)} mappings of classes; Kueue takes {_MOST_MAPPINGS} at most"
        yield found(_PATH, most, "put classes that share a quota into one mapping")
    seen: dict[str, int] = {}
    homes: dict[str, tuple[str, frozenset[str]]] = {}
    for index, row in enumerate(rows):
        path: FieldPath = (*_PATH, index)
        name, classes = row.get("name"), row.get("deviceClassNames")
        if isinstance(name, str):
            if name in seen:
                yield found(
                    (*path, "name"),
                    f'two mappings have the name "{name}": Kueue does not start',
                    "put their classes into one mapping",
                )
            seen.setdefault(name, index)
        if not isinstance(classes, list) or not classes:
            yield found(
                path if classes is None else (*path, "deviceClassNames"),
                "a mapping without classes: Kueue does not start",
                "write deviceClassNames: […], the DeviceClasses that the resource stands for",
            )
        names = list_at(classes)
        if len(names) > _MOST_CLASSES:
            yield found(
                (*path, "deviceClassNames"),
                f"the mapping has {len(names)} classes; Kueue takes {_MOST_CLASSES} at most",
                "make two mappings",
            )
        counters = _counters(row)
        for number, each in enumerate(names):
            place = (*path, "deviceClassNames", number)
            if not isinstance(each, str):
                continue
            if each in names[:number]:
                yield found(
                    place, f'class "{each}" twice in one mapping: Kueue does not start', "keep one"
                )
            home = homes.get(each)
            if home is not None and home[0] != name and (not counters or not home[1] - counters):
                yield found(
                    place,
                    f'class "{each}" is mapped to "{home[0]}" already: Kueue does not start',
                    "leave the class in one mapping; two are taken only with different counters",
                )
            homes.setdefault(each, (str(name), counters))


def _counters(row: Mapping[str, object]) -> frozenset[str]:
    names = [member(source, "counter", "name") for source in list_at(row, "sources")]
    return frozenset(name for name in names if isinstance(name, str))


def _classes(
    run: Run, manifest: Manifest, rows: Sequence[Mapping[str, object]]
) -> Iterator[RuleFinding]:
    """Classes that are not found, where another name is so near that it was meant."""
    for index, row in enumerate(rows):
        for number, name in enumerate(list_at(row, "deviceClassNames")):
            if not isinstance(name, str) or not name:
                continue
            if run.has_class(name, manifest):
                continue
            from dradsl.drivers.schema.suggest import near_domain

            known = sorted({*run.index.names("DeviceClass"), *run.installed_classes()})
            near = near_domain(name, known)
            if near is not None:
                yield RuleFinding(
                    CODE_CLASS,
                    manifest,
                    (*_PATH, index, "deviceClassNames", number),
                    f'no DeviceClass "{name}": claims for "{near}" have no quota',
                    help=f'did you mean "{near}"?',
                )


def _quotas(run: Run, queue: Manifest) -> Iterator[RuleFinding]:
    """Covered resources that nothing can ask for."""
    if not is_configured(run, queue) or has_unknown_values(run):
        return
    known = _asked_for(run)
    for index, group in enumerate(list_at(queue.data, "spec", "resourceGroups")):
        for number, name in enumerate(list_at(group, "coveredResources")):
            if not isinstance(name, str) or not name or name in known:
                continue
            if name in _STANDARD or name.startswith(_HUGEPAGES):
                continue
            from difflib import get_close_matches

            near = next(iter(get_close_matches(name, known, n=1, cutoff=0.85)), None)
            # With a domain it may be the resource of a device plugin; without one nothing but Kueue knows it.
            if near is None and "/" in name:
                continue
            yield RuleFinding(
                CODE_QUOTA,
                queue,
                ("spec", "resourceGroups", index, "coveredResources", number),
                f'Kueue\'s configuration maps nothing to "{name}": the quota counts nothing',
                help=f'did you mean "{near}"?'
                if near
                else "add a mapping of that name to resources.deviceClassMappings",
                severity=Severity.INFO if "/" in name else None,
            )


def _asked_for(run: Run) -> Sequence[str]:
    """The resources that mappings and transformations of Kueue bring, and that classes and pods name."""
    found = {name for names in mappings(run).values() for name in names}
    for configuration in configurations(run):
        for row in list_at(configuration, "resources", "transformations"):
            found |= {str(member(row, "input")), *mapping_at(row, "outputs")}
    for manifest in run.index.kind("DeviceClass"):
        found.add(str(member(manifest.data, "spec", "extendedResourceName")))
    return sorted(found)


def _flavors(run: Run, queue: Manifest) -> Iterator[RuleFinding]:
    """Flavors with a quota for devices whose nodes, as recorded, have none."""
    nodes = [each for each in run.inventory if each.get("kind") == "Node"]
    if not nodes or not mappings(run):
        return
    for index, group in enumerate(list_at(queue.data, "spec", "resourceGroups")):
        for number, flavor in enumerate(list_at(group, "flavors")):
            labels = _labels_of_flavor(run, queue, member(flavor, "name"))
            if not labels:
                continue
            selected = {
                str(member(node, "metadata", "name"))
                for node in nodes
                if labels.items() <= mapping_at(node, "metadata", "labels").items()
            }
            for resource in _device_resources(run, flavor):
                drivers = _drivers_of(run, resource)
                where = _nodes_of(run, drivers)
                if drivers and where is not None and selected.isdisjoint(where):
                    yield RuleFinding(
                        CODE_FLAVOR,
                        queue,
                        ("spec", "resourceGroups", index, "flavors", number, "name"),
                        f'no recorded node of flavor "{mapping_at(flavor).get("name")}" has devices for '
                        f'"{resource}"',
                        help="leave the resource to flavors of nodes with these devices",
                    )


def _labels_of_flavor(run: Run, queue: Manifest, name: object) -> Mapping[str, object]:
    found = run.index.meant("ResourceFlavor", name, queue) if isinstance(name, str) else ()
    if len(found) != 1:
        return {}
    return mapping_at(found[0].data, "spec", "nodeLabels")


def _device_resources(run: Run, flavor: object) -> Iterator[str]:
    """The resources of a flavor that stand for classes, and of which it has some."""
    known = {name for names in mappings(run).values() for name in names}
    for row in list_at(flavor, "resources"):
        name = member(row, "name")
        if name in known and str(mapping_at(row).get("nominalQuota", "0")) != "0":
            yield str(name)


def _drivers_of(run: Run, resource: str) -> frozenset[str]:
    """The drivers of all classes that are mapped to a resource; none if one of them is not known."""
    lists = [drivers_of_class(run, each) for each, to in mappings(run).items() if resource in to]
    return frozenset().union(*lists) if lists and all(lists) else frozenset()


def _nodes_of(run: Run, drivers: frozenset[str]) -> frozenset[str] | None:
    """The nodes with recorded devices of some drivers; None if they are not of single nodes."""
    specs = [
        mapping_at(each, "spec") for each in run.inventory if each.get("kind") == "ResourceSlice"
    ]
    own = [spec for spec in specs if spec.get("driver") in drivers]
    if not own or any(not isinstance(spec.get("nodeName"), str) for spec in own):
        return None
    return frozenset(str(spec.get("nodeName")) for spec in own)
