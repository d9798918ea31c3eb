"""Device requests in Helm values, by recipes and templates, and in objects whose pods are not visible in the manifest.

Objects may be complete within others: in the values of a chart, such as its `extraObjects`, and in Templates of OpenShift.
A Template is a list of objects, which OpenShift makes in the namespace of whoever processes it (openshift/api template/v1).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.cluster.releases import about, fetched_by
from dradsl.migrate.detection.charts.folders import (
    ChartFolders,
    chart_folders,
    question_of,
    reason_of,
    template_pods,
)
from dradsl.migrate.detection.charts.installs import (
    charts_of_kustomizations,
    namespaces_of_charts,
    plain,
)
from dradsl.migrate.detection.pods import (
    container_at,
    devices_of,
    pods_of,
    switched_off,
    uses_in,
    words_of_path,
)
from dradsl.migrate.detection.texts import FIGURES, LABELS, is_condition
from dradsl.migrate.mapping.kind_table import counting_kinds
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.places import BUILT_IN, ContainerAt, PodAt, Role, Use, is_extended, whole
from dradsl.records import Record, field, replace
from dradsl.tree.charts.installed import UNKNOWN, Fetched, Installed, installed_by
from dradsl.tree.charts.recipes import find, is_values, shipped_recipes
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.tree.values.values import INSTALLERS, NAMING, namespace_in, releases_of_values_files
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import find_at, list_at, mapping_at, mappings_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.cluster.releases import AboutValues
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.recipes import Computed, Recipe, RecipePlace, Spot
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.values.values import ValuesReference

__all__ = [
    "RecipeBook",
    "all_pods",
    "is_template_object",
    "kind_of",
    "objects_of",
    "recipe_book",
]

# Fields of pods that recipes find; the maps among them are completed if defaults are merged.
_FIELDS = (
    "resourceClaims", "tolerations", "nodeSelector", "affinity", "nodeName", "schedulerName",
    "runtimeClassName", "priorityClassName",
)  # fmt: skip
_MAPS = ("nodeSelector", "affinity")


class RecipeBook(Record):
    """The recipes of a run, the user's own first, which chart the values of each file are for, the charts
    that are among its files, and the kustomizations that take a file of values (`taken`); and the namespaces to which
    the files of values go, where the run shows it. `texts` are values in ConfigMaps, by name and key of these."""

    own: tuple[Recipe, ...] = ()
    fetched: Fetched = field(default_factory=Fetched)
    files: Mapping[str, Installed] = field(default_factory=dict)
    folders: ChartFolders = field(default_factory=ChartFolders)
    taken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[tuple[str, str], AboutValues] = field(default_factory=dict)

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        return (*self.own, *shipped_recipes())

    def installed(self, manifest: Manifest) -> Installed:
        """The chart that values are for."""
        if manifest.api_version:
            return UNKNOWN
        if not manifest.prefix:
            return self.files.get(manifest.source.name, UNKNOWN)
        depth = 2 if manifest.prefix[0] == "items" else 0
        above = find_at(manifest.document.data, manifest.prefix[:depth])
        return installed_by(above, manifest.prefix[depth:], self.fetched)

    def lacking(self, manifest: Manifest) -> str | None:
        """Why the version of the chart that values are for cannot carry claims, whatever its values look like."""
        chart = self.installed(manifest)
        reasons = (each.rejected(chart) for each in self.recipes)
        return next((reason for reason in reasons if reason is not None), None)

    def spots(self, manifest: Manifest) -> Iterator[Spot]:
        """The places in an object, or in values, of which a recipe knows what they ask for."""
        kind = manifest.kind if manifest.api_version else ""
        chart = self.installed(manifest).chart
        # The known chart takes precedence over the shape of the values.
        for recipe in sorted(self.recipes, key=lambda each: chart not in each.charts):
            yield from recipe.spots(
                kind,
                manifest.group,
                manifest.data,
                at=manifest.prefix,
                by_name=chart in recipe.charts,
            )

    def inside(self, manifest: Manifest, prefix: FieldPath) -> Installed:
        """The chart within the chart of a file of values that those at `prefix` are for."""
        if manifest.api_version or manifest.prefix or len(prefix) != 1:
            return UNKNOWN
        chart = self.folders.charts.get(posixpath.dirname(plain(manifest.source.name)))
        return UNKNOWN if chart is None else chart.depends.get(str(prefix[0]), UNKNOWN)


def recipe_book(
    sources: Sequence[SourceText],
    own: tuple[Recipe, ...] = (),
    outside: Sequence[SourceText] = (),
) -> RecipeBook:
    """The recipes for a run over some files. Those `outside` of the run say what charts are fetched and installed, too."""
    fetched = Fetched({**fetched_by(outside).charts, **fetched_by(sources).charts})
    every = (*sources, *outside)
    naming = [each for each in every if any(sign in each.stream.text for sign in NAMING)]
    named = releases_of_values_files(naming, [each.name for each in sources]) if naming else {}
    charts = {
        name: {installed_by(each.by.data, each.path, fetched) for each in releases}
        for name, releases in named.items()
    }
    by: dict[str, tuple[str, ...]] = {}
    taken = charts_of_kustomizations(sources)
    for source in sources if taken else ():
        given = taken.get(plain(source.name))
        if given is not None:
            charts.setdefault(source.name, set()).update(chart for chart, _ in given)
            by[source.name] = tuple(dict.fromkeys(name for _, name in given))
    files = {name: found.pop() if len(found) == 1 else UNKNOWN for name, found in charts.items()}
    spaces = dict(_namespaces(sources, named))
    texts = dict(_in_config_maps(sources, fetched))
    return RecipeBook(own, fetched, files, chart_folders(sources), by, spaces, texts)


def _in_config_maps(
    sources: Sequence[SourceText], fetched: Fetched
) -> Iterator[tuple[tuple[str, str], AboutValues]]:
    """The ConfigMaps from which releases of Flux take values, by name and key."""
    for source in sources:
        for manifest in manifests_of(source) if "valuesFrom" in source.stream.text else ():
            if f"{manifest.kind}.{manifest.group}" != "HelmRelease.helm.toolkit.fluxcd.io":
                continue
            said = about(manifest, ("spec", "values"), fetched)
            for reference in mappings_at(manifest.data, "spec", "valuesFrom"):
                if reference.get("kind") == "ConfigMap":
                    key = str(reference.get("valuesKey") or "values.yaml")
                    yield (str(reference.get("name")), key), said


def _namespaces(
    sources: Sequence[SourceText], named: Mapping[str, Sequence[ValuesReference]]
) -> Iterator[tuple[str, str]]:
    """The files of values whose releases all go to one namespace, with that."""
    charts = namespaces_of_charts(sources)
    for source in sources if charts or named else ():
        if not any(is_values(document.data) for document in source.stream.documents):
            continue
        folder = posixpath.dirname(plain(source.name))
        found = {_goes_to(each.by) for each in named.get(source.name, ())}
        for path, spaces in charts.items():
            if folder and (folder == path or folder.endswith(f"/{path}")):
                found |= spaces
        if len(found) == 1 and "" not in found:
            yield source.name, found.pop()


def _goes_to(release: Manifest) -> str:
    """The namespace to which an object installs charts; "" if it is not written."""
    places = INSTALLERS.get(f"{release.kind}.{release.group}", ((), ()))[1]
    space = namespace_in(release, places) or ""
    return "" if "{{" in space else space


def apply_recipes(manifest: Manifest, book: RecipeBook) -> Iterator[PodAt]:
    """The pods that recipes find in an object, or in values."""
    for spot in book.spots(manifest):
        prefix = spot.root_path[len(manifest.prefix) :]
        inside = book.inside(manifest, prefix) if prefix else book.installed(manifest)
        yield from _pods(manifest, inside, spot)


def _pods(manifest: Manifest, installed: Installed, spot: Spot) -> Iterator[PodAt]:
    every = [each for each in _containers(spot) if each.uses]
    for container in every:
        if container.path != spot.path and container.data.get("enabled") is False:
            off = f"{container.name}.enabled is false: there is no such container"
            yield _pod(manifest, installed, spot, container.path, (container,), off)
    containers = [
        each for each in every if each.path == spot.path or each.data.get("enabled") is not False
    ]
    if containers:
        yield _pod(manifest, installed, spot, spot.path, tuple(containers), None)


def _pod(
    manifest: Manifest,
    installed: Installed,
    spot: Spot,
    path: FieldPath,
    containers: tuple[ContainerAt, ...],
    off_already: str | None,
) -> PodAt:
    place, recipe = spot.place, spot.recipe
    turned_off = [k for k in place.enabled_by if any(v is False for _, v in spot.find(k))]
    why_off = off_already
    if turned_off:
        why_off = f"{turned_off[0]} is false: nothing is deployed from this"
    if not manifest.api_version:
        why_off = why_off or switched_off(manifest.data, spot.path[len(manifest.prefix) :])
    rejected = recipe.rejected(installed)
    reasons = [] if rejected is None else [rejected]
    reasons += [why for key, why in place.blocked_if if any(v for _, v in spot.find(key))]
    reasons += _disagreements(spot, containers)
    spec, fields, shared = _spec(spot)
    return PodAt(
        manifest,
        path,
        spec,
        mapping_at(manifest.data, "metadata", "annotations"),
        containers,
        _role(path[len(manifest.prefix) :], manifest, place),
        blocked=next(iter(reasons), place.blocked),
        off=why_off,
        set_values=place.set_values,
        chart_writes_template=place.chart_writes_template,
        keep_zero_limits=place.keep_zero_limits,
        count_fields=place.count_fields,
        count_resources=place.count_resources,
        pod_fields=place.pod_fields or place.pod is not None or bool(place.fields),
        rendered=place.rendered and not manifest.api_version,
        notes=(*place.notes, *filter(None, (recipe.doubt(installed),))),
        replicas=None if place.per_node and spot.agrees(place.per_node) else 1,
        needs=place.needs if rejected is None else (f"version {recipe.since} or newer",),
        fields=fields,
        shared=shared,
        match=None if manifest.api_version else recipe.match(installed),
        objects=recipe.objects_at(installed, spot.root),
        root=spot.root_path,
    )


def _spec(spot: Spot) -> tuple[Mapping[str, object], Mapping[str, FieldPath], frozenset[str]]:
    """The fields of the pod, where they are or belong, and which of them are defaults of all pods."""
    place = spot.place
    if place.pod is None and not place.fields:
        return spot.data, {}, frozenset()
    pod = place.pod or ""
    below = (*spot.path, *pod.split(".")) if pod else spot.path
    fields = {name: (*below, name) for name in _FIELDS}
    spec: dict[str, object] = {}
    own: Any = next((each for _, each in spot.find(pod)), None)
    for name, elsewhere in place.fields:
        start = spot.root_path if elsewhere.startswith("/") else spot.path
        fields[name] = (*start, *elsewhere.removeprefix("/").split("."))
    single = dict(place.fields)
    given = spot.find(place.defaults) if place.defaults else ()
    defaults: Any = next((each for _, each in given), None)
    merged = bool(place.merged) and spot.agrees(place.merged)
    shared: set[str] = set()
    for name in _FIELDS:
        value = spot.first(single[name]) if name in single else member(own, name)
        default = member(defaults, name)
        if value and merged and name in _MAPS and default:
            value = {**default, **value}
            shared.add(name)
        elif not value and default:
            value = default
            shared.add(name)
        if value:
            spec[name] = value
    return spec, fields, frozenset(shared)


def _containers(spot: Spot) -> Iterator[ContainerAt]:
    place, data, path = spot.place, spot.data, spot.path
    lists: tuple[tuple[tuple[str, ...], Role], ...] = (
        (place.init_containers, "init"),
        (place.containers, "main"),
    )
    for patterns, role in lists:
        for at, value in spot.containers(patterns):
            container = container_at(value, at, role)
            computed = place.computed
            yield container if computed is None else _computed(spot, computed, container)
    for limits, requests in place.resources:
        uses = tuple(_pair(data, path, limits, requests))
        yield ContainerAt(path, limits.rpartition(".")[2], "main", data, uses)
    if place.amounts or place.counts:
        yield ContainerAt(path, "", "main", data, tuple(_counted(place, data, path)))


def _computed(spot: Spot, computed: Computed, container: ContainerAt) -> ContainerAt:
    """The container with the amount that the chart adds where the values have none."""
    if computed.without and computed.without in str(container.data.get("image")):
        return container
    named = str(spot.first(*computed.type) or computed.default)
    own = spot.first(computed.overrides) if computed.overrides else None
    resource = string_at(own, named) or computed.resources.get(named)
    if resource is None or any(use.resource == resource for use in container.uses):
        return container
    factors = [found for key in computed.product for found in spot.find(key)]
    amount = 1
    for _, value in factors:
        amount *= whole(value) or 0 if value is not None else 1
    place = (*spot.path, *factors[0][0]) if factors else container.path
    return replace(container, uses=(*container.uses, Use(resource, amount, None, place)))


def _disagreements(spot: Spot, containers: tuple[ContainerAt, ...]) -> Iterator[str]:
    """Why a chart that counts devices itself would not give the pod what it has now."""
    computed = spot.place.computed
    if computed is None or not containers or not spot.place.chart_writes_template:
        return
    if len(containers) > 1:
        yield (
            f"each of {len(containers)} containers gets devices of its own from the chart, and with "
            "claims they would share those of one"
        )
    bare = _computed(spot, computed, replace(containers[0], uses=()))
    counted = {use.resource: use.amount for use in bare.uses}
    for use in containers[0].uses:
        if whole(use.amount) != counted.get(use.resource):
            yield (
                f"{use.text} is here, and with claims the chart counts by "
                f"{' times '.join(computed.product)}: that is {counted.get(use.resource, 0)}"
            )


def _pair(data: Mapping[str, object], path: FieldPath, limits: str, requests: str) -> Iterator[Use]:
    """Uses in two separate mappings whose names are not limits and requests."""
    found = {name: next((v for _, v in find(data, name)), None) for name in (limits, requests)}
    resources = {"limits": found[limits], "requests": found[requests]}
    for use in uses_in(resources, path):
        sections = [n for n in (limits, requests) if use.resource in (found[n] or ())]
        places = [(*path, *name.split("."), use.resource) for name in sections]
        yield replace(use, path=places[0], beside=places[1] if len(places) > 1 else ())


def _counted(place: RecipePlace, data: Mapping[str, object], path: FieldPath) -> Iterator[Use]:
    for amount in place.amounts:
        for below, value in find(data, amount.key):
            number = value if amount.number is None else amount.number
            if number not in (None, ""):
                named = find(data, amount.resource_key) if amount.resource_key else ()
                resource = next((str(v) for _, v in named if v), amount.resource)
                yield Use(resource, number, None, (*path, *below))
    for below, value in find(data, place.counts) if place.counts else ():
        # `1g.10gb: 2`: the profile is the key.
        if isinstance(value, int | str) and not isinstance(value, bool):
            yield Use(f"nvidia.com/mig-{below[-1]}", value, None, (*path, *below))


def _role(path: FieldPath, manifest: Manifest, place: RecipePlace) -> str:
    if manifest.api_version and "*" not in place.at:
        return ""
    if place.pod is not None:  # the last key is the name of the pod
        return "" if path[-1] == manifest.name else str(path[-1])
    return ".".join(words_of_path(path, manifest.data))


def kind_of(data: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and the group of an object; two empty texts for anything else."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "", ""
    return kind, version.rpartition("/")[0]


def is_template_object(data: object) -> bool:
    """Whether a document is a Template of OpenShift."""
    return isinstance(data, dict) and kind_of(data) == ("Template", "template.openshift.io")


def objects_of(source: SourceText) -> Iterator[Manifest]:
    """The objects of a file; those in a Template take its place."""
    for manifest in manifests_of(source):
        if not is_template_object(manifest.data):
            yield manifest
            continue
        for index, data in enumerate(list_at(manifest.data, "objects")):
            if isinstance(data, dict) and kind_of(data)[0]:
                kind, group = kind_of(data)
                yield replace(
                    manifest, prefix=(*manifest.prefix, "objects", index), data=data, kind=kind, group=group,
                    api_version=str(data["apiVersion"]), name=string_at(data, "metadata", "name"),
                    namespace=string_at(data, "metadata", "namespace"),
                )  # fmt: skip


_UNKNOWN_CHART = (
    "no recipe and no templates beside them say what makes pods of these values: whether claims reach the pod as "
    "well as the container cannot be seen here"
)
# Kinds that count device requests of other objects, or hold none themselves.
_NOT_PODS = frozenset(
    {"ResourceQuota", "LimitRange", "ClusterQueue", "ConfigMap", "Node", "Secret", "ResourceSlice"}
)


def all_pods(manifest: Manifest, catalogue: Catalogue, recipes: RecipeBook) -> Iterator[PodAt]:
    """Pod specs, pods that recipes find (the user's own first), and device requests anywhere else."""
    if f"{manifest.kind}.{manifest.group}" in INSTALLERS:
        return  # requests in its values belong to the values
    found = _of_object(manifest) if manifest.api_version else {}
    seen = {use.path for pod in found.values() for c in pod.containers for use in c.uses}
    for sure, pod in (
        *((True, pod) for pod in apply_recipes(manifest, recipes)),
        *((True, pod) for pod in template_pods(manifest, recipes.folders)),
        *((False, pod) for pod in _elsewhere(manifest, catalogue, recipes)),
    ):
        fresh = tuple(c for c in pod.containers if not any(use.path in seen for use in c.uses))
        known = found.get(pod.path)
        if known is not None and (sure or fresh):
            found[pod.path] = _joined(known, pod, fresh)
        elif known is None and len(fresh) == len(pod.containers):
            found[pod.path] = pod
        seen |= {at for c in fresh for use in c.uses for at in (use.path, use.beside)}
    space = recipes.namespaces.get(manifest.source.name) if manifest.kind == "values" else None
    yield from (
        found.values() if space is None else (replace(pod, goes_to=space) for pod in found.values())
    )


def _of_object(manifest: Manifest) -> dict[FieldPath, PodAt]:
    """The pods of an object by their paths, with devices that its kind asks for elsewhere."""
    found = {pod.path: pod for pod in pods_of(manifest)}
    for pod in devices_of(manifest):
        known = found.get(pod.path)
        found[pod.path] = pod if known is None else _joined(known, pod, pod.containers)
    return found


def _joined(known: PodAt, pod: PodAt, fresh: tuple[ContainerAt, ...]) -> PodAt:
    """The same pod that was found twice: with containers in two shapes, or with more fields from a recipe."""
    return replace(
        known,
        containers=known.containers + fresh,
        blocked=known.blocked or pod.blocked,
        keep_zero_limits=known.keep_zero_limits or pod.keep_zero_limits,
        notes=tuple(dict.fromkeys((*known.notes, *pod.notes))),
    )


def _elsewhere(manifest: Manifest, catalogue: Catalogue, recipes: RecipeBook) -> Iterator[PodAt]:
    if manifest.kind in _NOT_PODS or (manifest.kind, manifest.group) in counting_kinds():
        return
    if manifest.api_version and manifest.group in BUILT_IN:
        return
    folders = recipes.folders
    blocked = recipes.lacking(manifest) or _UNKNOWN_CHART
    if manifest.api_version:
        blocked = (
            f"how {manifest.kind} makes pods of this, and whether it hands claims on, is unknown"
        )
    for path, data in _mappings(manifest.data, ()):
        if is_condition(manifest.group, path):
            continue
        reason: str | None = None
        full = (*manifest.prefix, *path)
        for container in _requests(full, data, catalogue):
            reason = reason or reason_of(manifest, folders, path) or blocked
            yield PodAt(
                manifest,
                full,
                data,
                {},
                (container,),
                ".".join(map(str, path)),
                blocked=reason,
                question=question_of(manifest, folders, path),
                pod_fields=False,
                off=None if manifest.api_version else switched_off(manifest.data, path),
                rendered=not manifest.api_version,
            )


def _requests(
    path: FieldPath, data: Mapping[str, object], catalogue: Catalogue
) -> Iterator[ContainerAt]:
    """The requests of a mapping: in `resources`, in limits and requests of its own, or in an entry
    with the name of a known device."""
    resources = data.get("resources")
    if isinstance(resources, Mapping) and resources.keys() & {"limits", "requests"}:
        container = container_at(data, path, "main")
        if container.uses:
            yield container
    name = str(path[-1]) if path else ""
    uses = () if name == "resources" else uses_in(data, path)
    if not uses and name not in ("limits", "requests", *FIGURES):
        uses = tuple(
            Use(key, value, None, (*path, key))
            for key, value in data.items()
            if isinstance(key, str)
            and is_extended(key)
            and whole(value) is not None
            and is_device(key, catalogue)
        )
    if uses:
        yield ContainerAt(path, name, "main", data, uses)


def _mappings(value: object, path: FieldPath) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Every mapping that may hold device requests."""
    if len(path) > MOST_LEVELS:
        return
    if isinstance(value, Mapping):
        if path and kind_of(value) in counting_kinds():
            return
        yield path, value
        for key, item in value.items():
            if isinstance(key, str) and key != "status" and key not in LABELS:
                yield from _mappings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _mappings(item, (*path, index))
