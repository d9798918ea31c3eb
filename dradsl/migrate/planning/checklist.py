"""What else the migration affects, as far as the input shows it: autoscalers, exporters, queries, labels, quotas, groups of pods.

Follows kubernetes-sigs/karpenter v1.14.1 (pkg/operator/options/options.go, IgnoreDRARequests),
kubernetes/autoscaler cluster-autoscaler/FAQ.md, NVIDIA/dcgm-exporter (pkg/cmd/app.go,
deployment/templates/clusterrole.yaml). Groups of pods start together: Volcano
lets a group in once its queue has room for spec.minResources (pkg/scheduler/actions/enqueue/enqueue.go),
scheduler-plugins once the cluster has (pkg/coscheduling); both count extended resources only.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.cluster.facts import mappings, words_of
from dradsl.migrate.cluster.releases import place_of
from dradsl.migrate.detection.charts.installs import beside_applications
from dradsl.migrate.detection.pods import containers_of
from dradsl.migrate.detection.values import kind_of
from dradsl.migrate.mapping.kind_table import counting_kinds
from dradsl.migrate.mapping.resource import LABEL, is_device
from dradsl.migrate.planning.obstacles import VISIBLE, names_devices
from dradsl.migrate.result import Item, Outcome
from dradsl.records import replace
from dradsl.text.paths import format_path, values_named
from dradsl.tree.charts.recipes import find
from dradsl.tree.kustomize.kustomization import is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import list_at, mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.mapping.kind_table import CountingKind
    from dradsl.migrate.result import FileMigration, Migrated, Migration
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["checklist_of", "quota_notes", "with_waiting_groups"]

_VENDORS = ("nvidia", "intel", "amd")
_KARPENTER = ("karpenter.sh/", "karpenter.k8s.aws/", "karpenter.azure.com/")
_DCGM_OLD, _DCGM_NEW = "KUBERNETES_VIRTUAL_GPUS", "KUBERNETES_ENABLE_DRA"
# Metrics that count extended resources, and those of the exporter by pod.
_COUNTS = re.compile(r"(nvidia_com_gpu|amd_com_gpu|gpu_intel_com|requests\.nvidia\.com/gpu)")
_BY_POD = re.compile(r"\bDCGM_FI_\w+")
_QUERY_KINDS = {
    "ScaledObject": "keda.sh",
    "ScaledJob": "keda.sh",
    "HorizontalPodAutoscaler": "autoscaling",
    "PrometheusRule": "monitoring.coreos.com",
    "GrafanaDashboard": "grafana.integreatly.org",
}
_SPEAKING = frozenset({"args", "command", "env", "nodeSelector", "matchExpressions"})


def checklist_of(
    sources: Iterable[SourceText], migration: Migration, built: Iterable[Migrated] = ()
) -> tuple[str, ...]:
    """The sentences of the checklist, in the order of the work; none if nothing is migrated. `built` are pods
    with claims in built objects: pods that patches change are in no file."""
    if not any(item.outcome is Outcome.TRANSLATED for item in migration.items()):
        return ()
    known = list(sources)
    workloads = [*(each for file in migration.files for each in file.workloads), *built]
    claims = bool(workloads)
    vendors = _vendors(migration, workloads)
    found: dict[str, None] = {}
    for source in known:
        for sentence in _of_file(source, vendors, claims=claims):
            found.setdefault(sentence)
    labels = _admin_labels(known, workloads)
    return (*found, *labels, *_apart(known, migration), *_order(workloads))


def _vendors(migration: Migration, workloads: Iterable[Migrated]) -> frozenset[str]:
    """The vendors of the devices that are migrated: plugins and exporters of others are not concerned."""
    requests = [i.before for i in migration.items() if i.outcome is Outcome.TRANSLATED]
    drivers = [target.driver or "" for each in workloads for target in each.targets]
    return frozenset(map(_vendor, (*requests, *drivers)))


def _vendor(name: str) -> str:
    """The vendor in the name of a resource, a driver, a label or a metric; empty if there is none that is known."""
    return next((vendor for vendor in _VENDORS if vendor in name), "")


def _admin_labels(sources: list[SourceText], workloads: Iterable[Migrated]) -> Iterator[str]:
    """The namespaces of the run that must allow admin access, but do not."""
    wanted = {
        each.namespace
        for each in workloads
        if any(target.mode == "admin" for target in each.targets)
    }
    for source in sources if wanted else ():
        for manifest in manifests_of(source):
            has = member(manifest.data, "metadata", "labels", LABEL) == "true"
            if manifest.kind == "Namespace" and manifest.name in wanted and not has:
                place = f"{manifest.path}:{manifest.span(('kind',)).line}"
                yield f'{place}: {manifest.title} needs the label {LABEL}: "true" for admin access'


def _apart(sources: list[SourceText], migration: Migration) -> Iterator[str]:
    """Whether new objects are in files beside values, where they are not applied automatically as templates of a chart are."""
    charts = {
        posixpath.dirname(source.name)
        for source in sources
        if posixpath.basename(source.name) == "Chart.yaml"
    }
    applied = {*beside_applications(sources)}
    apart = [
        file.path
        for file in migration.files
        if file.kind == "values"
        and file.added
        and posixpath.dirname(file.path) not in charts
        and file.path not in applied
    ]
    built = {posixpath.dirname(each.name) for each in sources if is_kustomization(each.name)}
    classes = [
        file.path
        for file in migration.files
        if any(obj["kind"] == "DeviceClass" for obj in file.added)
        and file.kind == "manifests"
        and posixpath.dirname(file.path) in built
    ]
    for files, said in ((apart, _BESIDE), (classes, _UNLISTED)):
        more = f" and of {len(files) - 1} more" if len(files) > 1 else ""
        yield from (said.format(f"{name}{more}") for name in files[:1])


_BESIDE = (
    "claims: the new objects of {} are in files beside these values: add them to what is applied to the namespace of the "
    "release, such as the resources of a kustomization"
)
_UNLISTED = (
    "classes: the new DeviceClasses of {} are in files of their own, which no kustomization lists: apply them once for the "
    "cluster"
)


def _of_file(source: SourceText, vendors: frozenset[str], *, claims: bool) -> Iterator[str]:
    for manifest in manifests_of(source):
        if claims:
            yield from _autoscalers(manifest)
        yield from _queries(manifest, vendors)
    for document in source.stream.documents:
        for path, data in mappings(document.data):
            keys = data.keys()
            if not _SPEAKING & keys:
                continue
            words = dict(words_of(data))
            place = place_of(source, document, path)
            if "nvidia" in vendors and _DCGM_OLD in words and _DCGM_NEW not in words:
                yield (
                    f"{place}: the exporter finds pods by the device plugin ({_DCGM_OLD}); for claims it needs "
                    f"{_DCGM_NEW}=true, and a ClusterRole that may get, list and watch resourceslices"
                )
            if claims:
                yield from _karpenter(words, data, place)


def _karpenter(words: Mapping[str, str], data: Mapping[str, object], place: str) -> Iterator[str]:
    """Whether Karpenter itself, or a pod or values for its nodes, are affected."""
    name = "IGNORE_DRA_REQUESTS" if "IGNORE_DRA_REQUESTS" in words else "ignore-dra-requests"
    if words.get(name, "").lower() == "true" or (
        "karpenter/controller" in str(data.get("image")) and name not in words
    ):
        yield f"{place}: Karpenter gives up pods with claims while IGNORE_DRA_REQUESTS is true, the default"
    keys = [str(key) for key in mapping_at(data, "nodeSelector")]
    keys += [str(member(term, "key")) for term in list_at(data, "matchExpressions")]
    key = next((key for key in keys if key.startswith(_KARPENTER)), None)
    if key is not None:
        yield (
            f"{place}: nodes are selected by {key}: Karpenter gives up pods with claims unless it runs with "
            "IGNORE_DRA_REQUESTS=false"
        )


def _autoscalers(manifest: Manifest) -> Iterator[str]:
    place = f"{manifest.path}:{manifest.span(('kind',)).line}"
    if manifest.group.startswith("karpenter."):
        yield (
            f"{place}: {manifest.title} is Karpenter's, which gives up pods with claims unless it runs with "
            "IGNORE_DRA_REQUESTS=false: they get no new node"
        )
        return
    if manifest.kind == "ProvisioningRequest" and manifest.group == "autoscaling.x-k8s.io":
        yield (
            f"{place}: {manifest.title} asks for nodes for PodTemplates: the Cluster Autoscaler sees devices of "
            "claims by ResourceSlices alone, of a node group at zero by those of its template node"
        )
    if manifest.kind == "Deployment" and "cluster-autoscaler" in str(manifest.name):
        yield (
            f"{place}: the Cluster Autoscaler scales a group from zero for claims only if it knows the slices "
            "of a template node"
        )


def _queries(manifest: Manifest, vendors: frozenset[str]) -> Iterator[str]:
    if manifest.group != _QUERY_KINDS.get(manifest.kind, "-") and manifest.kind != "ConfigMap":
        return
    place = f"{manifest.path}:{manifest.span(('kind',)).line}"
    text = manifest.node.lines.text[manifest.node.start : manifest.node.end]
    counts = next((m for m in _COUNTS.finditer(text) if _vendor(m[0]) in vendors), None)
    by_pod = _BY_POD.search(text) if "nvidia" in vendors else None
    if counts:
        yield (
            f"{place}: a query of {manifest.title} counts {counts[0]}: requests by claims are not in it"
        )
    elif by_pod:
        yield (
            f"{place}: a query of {manifest.title} reads {by_pod[0]}: by pod there is a value only where the "
            f"exporter knows claims ({_DCGM_NEW}=true)"
        )


def _order(workloads: Iterable[Migrated]) -> Iterator[str]:
    """How to move a cluster from the device plugin to DRA while both are installed."""
    drivers = {target.driver for each in workloads for target in each.targets if target.driver}
    if drivers:
        yield (
            "order: nodes that still run the device plugin cannot run pods with claims of "
            f"{' and '.join(sorted(drivers))}, and nodes of the driver none that ask the plugin. dradsl migrate --plan DIR "
            "writes the stages: the driver, the workloads, then the plugin off"
        )


def quota_notes(manifest: Manifest, catalogue: Catalogue) -> Iterator[str]:
    """Sentences about an object that the migration of others concerns."""
    if manifest.kind == "ResourceQuota":
        for key in map(str, mapping_at(manifest.data, "spec", "hard")):
            resource = key.removeprefix("requests.")
            if key.startswith("requests.") and is_device(resource, catalogue):
                yield (
                    f"{manifest.title} limits {resource}: claims count there as "
                    "<class>.deviceclass.resource.k8s.io/devices"
                )
    elif manifest.kind == "LimitRange":
        keys = (str(key) for _, data in mappings(manifest.data) for key in data)
        if any(is_device(key, catalogue) for key in keys):
            yield f"{manifest.title} has defaults for a device: claims get none, and must not"
    elif manifest.group.endswith("kueue.x-k8s.io") and manifest.kind == "ClusterQueue":
        lists = map(list_at, values_named(manifest.data, "coveredResources"))
        for resource in sorted({str(each) for listed in lists for each in listed}):
            if is_device(resource, catalogue):
                yield (
                    f"{manifest.title} covers {resource}: Kueue counts claims only for classes "
                    "that deviceClassMappings maps to a covered name"
                )
    elif row := counting_kinds().get((manifest.kind, manifest.group)):
        yield from _amounts(manifest.title, manifest.data, row, catalogue)
    else:
        if not manifest.api_version:
            for path, data in mappings(manifest.data):
                row = counting_kinds().get(kind_of(data))
                if row is not None:
                    title = f"{row.kind} in {manifest.title}, {format_path(path)}"
                    yield from _amounts(title, data, row, catalogue)
        yield from _visible(manifest)


def _amounts(
    title: str, data: Mapping[str, object], row: CountingKind, catalogue: Catalogue
) -> Iterator[str]:
    for place in row.places:
        for path, held in find(data, place):
            for key in held if isinstance(held, Mapping) else ():
                resource = str(key).removeprefix("requests.")
                if is_device(resource, catalogue):
                    yield f"{title}, {format_path(path)} has {resource}: {row.why}"


def _visible(manifest: Manifest) -> Iterator[str]:
    for at in pod_specs(manifest.data):
        for container in containers_of(at.spec, at.path):
            names = [name for name in VISIBLE if names_devices(container, name)]
            if names and not container.uses and not container.claims:
                yield (
                    f"{manifest.title}: container {container.name} sees devices by {names[0]} "
                    "without asking for any; nothing here says which it should get"
                )


_GROUPS = ("scheduling.volcano.sh", "scheduling.x-k8s.io")
_REASON = (
    "found, not judged: pods of this run ask for it by claims now, which are not in the amount, and a group whose "
    "pods do that never starts while it waits for it"
)
_ROUTE = "if the pods of this group are among them, take the amount out of spec.minResources in the same change"


def with_waiting_groups(
    files: Sequence[FileMigration], sources: Sequence[SourceText], workloads: Sequence[Migrated]
) -> tuple[FileMigration, ...]:
    """The files, in which each amount of a PodGroup that claims replaced for some of the `workloads` is a use that is
    rejected: which pods a group gets is decided where it is built and by controllers, so nothing is taken out."""
    claimed = {resource for each in workloads for resource in each.before}
    if not claimed:
        return tuple(files)
    found = {source.name: tuple(_in_groups(source, claimed)) for source in sources}
    return tuple(replace(file, items=(*file.items, *found.get(file.path, ()))) for file in files)


def _in_groups(source: SourceText, claimed: set[str]) -> Iterator[Item]:
    for manifest in manifests_of(source) if "PodGroup" in source.stream.text else ():
        if manifest.kind != "PodGroup" or manifest.group not in _GROUPS:
            continue
        path = ("spec", "minResources")
        for name, amount in mapping_at(manifest.data, *path).items():
            if name in claimed:
                span = manifest.span((*path, name), on_key=True)
                yield Item(
                    source.name, span, manifest.title, ".".join(path), f"{name}: {amount}",
                    Outcome.REJECTED, _REASON, routes=(_ROUTE,), about="setting",
                )  # fmt: skip
