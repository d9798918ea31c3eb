"""The device plugins that a tree installs, the changes that take one off some nodes or out of the cluster, and the release
of the driver in the form that the tree uses.

Facts of vendors and platforms, and the words of stages, are in `facts.yaml` and `stages.yaml`; each has its source there.
"""

from __future__ import annotations

import functools
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.cluster.releases import fetched_by, referred
from dradsl.migrate.edits.operations import Append, CannotEditError, Put, Remove, edit_text, on_data
from dradsl.migrate.output import rendered_objects
from dradsl.records import Record, field, replace
from dradsl.text.documents import SCHEMA_LIMITS, load
from dradsl.text.paths import locate
from dradsl.text.render import render_block
from dradsl.tree.charts.recipes import is_values
from dradsl.tree.kustomize.kustomization import NAMES, is_kustomization
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.plain import find_at, list_at, mapping_at, mappings_at, member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.migrate.edits.operations import Operation
    from dradsl.migrate.rollout.work_copy import WorkCopy
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.charts.installed import Fetched
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "DriverRelease",
    "Facts",
    "InstalledPlugin",
    "confined",
    "driver_values",
    "install",
    "platform_of",
    "plugins_in",
    "read_facts",
    "read_words",
    "selector_of",
    "turned_off",
]

Facts: TypeAlias = "Mapping[str, Any]"
"""One entry of the file; its comments say what the keys mean."""


@functools.cache
def _read(name: str) -> Facts:
    stream = load(Path(__file__).with_name(name).read_bytes(), SCHEMA_LIMITS)
    facts: Any = stream.documents[0].data
    return cast("Facts", facts)


def read_facts() -> Facts:
    """The drivers, plugins and platforms that this release of dradsl knows."""
    return _read("facts.yaml")


def read_words() -> Facts:
    """The stages in words, and the forms of releases."""
    return _read("stages.yaml")


def platform_of(sources: Iterable[SourceText]) -> tuple[Facts, str]:
    """The platform that the files show, with file and line; plain Kubernetes if they show none."""
    known = [each for each in sources if not each.is_template]  # a template is for any platform
    for platform in read_facts()["platforms"]:
        for source in known:
            line = _line_of(platform["sign"], source)
            if line is not None:
                return platform, f"{platform['platform']} ({source.name}:{line})"
    return {"platform": "Kubernetes"}, ""


def _line_of(sign: str, source: SourceText) -> int | None:
    """The line with a sign. Comments, and definitions of kinds that tell what users may write, are none."""
    for document in source.stream.documents:
        if member(document.data, "kind") == "CustomResourceDefinition":
            continue
        for match in re.finditer(sign, document.text, re.MULTILINE):
            before = document.text[: match.start()]
            if "#" not in before[before.rfind("\n") + 1 :]:
                return source.stream.lines.position(document.start + match.start())[0]
    return None


# Objects that install a chart: the form, where they name it, and where its values are, as data or as a text.
_RELEASES = {
    "HelmRelease.helm.toolkit.fluxcd.io": ("flux", "chart.spec.chart", ("values",)),
    "Application.argoproj.io": ("argo", "chart", ("helm.valuesObject", "helm.values")),
    "HelmChart.helm.cattle.io": ("k3s", "chart", ("valuesContent",)),
}
_EVICTION = "NODE_LABEL_FOR_GPU_POD_EVICTION"


class InstalledPlugin(Record):
    """A device plugin that a file installs, as the object `data` or an entry of a kustomization. `path` leads from the
    document to the values that configure it, or to the text that holds them (`in_text`). `form` is how it is installed:
    flux, argo, k3s, kustomize, values (a chart within a chart), or object."""

    facts: Facts
    file: str
    index: int
    at: FieldPath
    path: FieldPath
    values: Mapping[str, Any]
    place: str
    form: str
    data: Mapping[str, Any]
    in_text: bool = False

    @property
    def namespace(self) -> str | None:
        """Where its pods run, if that is written."""
        places = (
            "spec.targetNamespace",
            "spec.destination.namespace",
            "metadata.namespace",
            "namespace",
        )
        return next((n for p in places if isinstance(n := member(self.data, *keys(p)), str)), None)

    def value(self, fact: str) -> Any:
        """The value at the path that a fact gives."""
        path = self.facts.get(fact)
        return member(self.values, *keys(path)) if path else None

    @property
    def node_selector(self) -> dict[str, Any]:
        """The labels that its pods select."""
        return dict(mapping_at(self.value("nodeSelector")))


def keys(path: str) -> tuple[str, ...]:
    """The steps of a path with dots."""
    return tuple(path.split("."))


def plugins_in(sources: Sequence[SourceText]) -> tuple[InstalledPlugin, ...]:
    """The plugins that are installed and on."""
    fetched = fetched_by(sources)
    return tuple(
        plugin
        for source in sources
        for plugin in (
            *(_entries(source) if is_kustomization(source.name) else _objects(source, fetched)),
            *_subcharts(source),
        )
        if plugin.value("enabled") is not False
        and member(plugin.values, "clusterPolicy", "deployCR") is not False
    )


def _entries(source: SourceText) -> Iterator[InstalledPlugin]:
    """The charts of a kustomization."""
    for document in source.stream.documents:
        for number, entry in enumerate(list_at(document.data, "helmCharts")):
            if not isinstance(entry, dict):
                continue
            at = ("helmCharts", number)
            name = str(member(entry, "name"))
            yield from _of_chart(
                source, document, at, (*at, "valuesInline"), entry, name, "kustomize"
            )


def _objects(source: SourceText, fetched: Fetched) -> Iterator[InstalledPlugin]:
    for manifest in manifests_of(source):
        kind, data, prefix = f"{manifest.kind}.{manifest.group}", manifest.data, manifest.prefix
        if kind in _RELEASES:
            form, named, places = _RELEASES[kind]
            for steps, spec in _specs(data):
                name = member(spec, *keys(named)) or referred(member(spec, "chartRef"), fetched)
                place = next((p for p in places if member(spec, *keys(p)) is not None), places[0])
                path = (*prefix, *steps, *keys(place))
                yield from _of_chart(source, manifest.document, prefix, path, data, str(name), form)
            continue
        for facts in read_facts()["plugins"]:
            runs = kind == "DaemonSet.apps" and _runs(data, facts.get("images", ()))
            if runs or kind in facts.get("kinds", ()):
                path = prefix if runs else (*prefix, "spec")
                values = data if runs else member(data, "spec") or {}
                place = f"{source.name}:{manifest.span(('kind',)).line} ({manifest.title})"
                yield InstalledPlugin(
                    facts, source.name, manifest.index, prefix, path, values, place, "object", data
                )


def _subcharts(source: SourceText) -> Iterator[InstalledPlugin]:
    """The charts within a chart that its values configure."""
    for document in source.stream.documents:
        data: Any = document.data
        for key, values in data.items() if is_values(data) else ():
            if isinstance(values, dict):
                yield from _of_chart(source, document, (key,), (key,), {"name": key}, key, "values")


def _specs(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Any]]:
    """What may name a chart: the spec, and with Argo CD each source."""
    yield ("spec",), member(data, "spec")
    yield ("spec", "source"), member(data, "spec", "source")
    for number, source in enumerate(list_at(data, "spec", "sources")):
        yield ("spec", "sources", number), source


def _of_chart(
    source: SourceText,
    document: Document,
    at: FieldPath,
    path: FieldPath,
    data: Any,
    name: str,
    form: str,
) -> Iterator[InstalledPlugin]:
    chart = name.rstrip("/").rpartition("/")[2]
    for facts in read_facts()["plugins"]:
        if chart not in facts.get("charts", ()):
            continue
        values = find_at(document.data, path)
        in_text = isinstance(values, str)
        if isinstance(values, str):
            values = load(values.encode()).documents[0].data if values.strip() else {}
        line = 1 if document.root is None else locate(document.root, at).best_span.line
        own = member(data, "metadata", "name") or data.get("name")
        place = f"{source.name}:{line} ({data.get('kind', 'chart')} {own})"
        known = values if isinstance(values, dict) else {}
        yield InstalledPlugin(
            facts, source.name, document.index, at, path, known, place, form, data, in_text
        )


def _runs(daemon_set: Mapping[str, Any], images: Sequence[str]) -> bool:
    containers = list_at(daemon_set, "spec", "template", "spec", "containers")
    named = [str(member(each, "image")).partition("@")[0] for each in containers]
    return any(re.search(rf"(?:^|/){re.escape(i)}(?::|$)", n) for i in images for n in named)


def confined(text: str, plugin: InstalledPlugin, driver: Facts) -> str:
    """The text of the plugin's file, in which the plugin leaves nodes that the driver serves. None moves before it has
    the driver's label.

    Raises:
        CannotEditError: if the text cannot be edited safely.
    """
    facts, label = plugin.facts, driver["label"]
    made: list[Operation] = []
    if facts["confine"] == "affinity":
        made.append(Put(keys(facts["affinity"]), _avoiding(plugin, label)))
    elif facts["confine"] != "label":
        selector = keys(facts["nodeSelector"])
        if "switch" in facts and plugin.value("switch") is not True:
            made.append(Put(keys(facts["switch"]), True))
            made += [Put((*selector, key), None) for key in facts["switch_removes"]]
        made.append(Put((*selector, label), "plugin"))
    evictions = list_at(plugin.values, *keys(facts.get("eviction", "-")))
    told = any(member(each, "name") == _EVICTION for each in evictions)
    if "eviction" in facts and not told and member(plugin.values, "driver", "enabled") is not False:
        made.append(Append(keys(facts["eviction"]), {"name": _EVICTION, "value": label}))
    return _edited(text, plugin, made) if made else text


def _avoiding(plugin: InstalledPlugin, label: str) -> Any:
    """The plugin's affinity, in which every way to a node leaves out those with the label."""
    affinity = mapping_at(plugin.value("affinity"))
    avoid = {"key": label, "operator": "NotIn", "values": ["true", "dra"]}
    path = keys("nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")
    default = [{"matchExpressions": [each]} for each in plugin.facts.get("terms", ())] or [{}]
    terms = mappings_at(affinity, *path) or default
    made = [{**t, "matchExpressions": [*list_at(t, "matchExpressions"), avoid]} for t in terms]
    return on_data(affinity, [Put(path, made)])


def _edited(text: str, plugin: InstalledPlugin, operations: Sequence[Operation]) -> str:
    """The text of the plugin's file after changes to its values."""
    document = load(text.encode("utf-8", "surrogatepass")).documents[plugin.index]
    made = [replace(each, path=(*plugin.path, *each.path)) for each in operations]
    if plugin.in_text:
        made = [Put(plugin.path, edit_text(str(find_at(document.data, plugin.path)), [operations]))]
    return text[: document.start] + edit_text(document.text, [made]) + text[document.end :]


def turned_off(text: str, plugin: InstalledPlugin) -> str | None:
    """The text with the plugin off, by its switch or without its object; None if nothing is left.

    Raises:
        CannotEditError: if the text cannot be edited safely.
    """
    if "enabled" in plugin.facts and plugin.facts["confine"] != "pair":
        return _edited(text, plugin, [Put(keys(plugin.facts["enabled"]), False)])
    if plugin.form == "values":
        raise CannotEditError("take the chart out of the dependencies in Chart.yaml")
    documents = load(text.encode("utf-8", "surrogatepass")).documents
    document = documents[plugin.index]
    if plugin.at:
        removal = [[Remove(plugin.at, (plugin.at[:-1],))]]
        return text[: document.start] + edit_text(document.text, removal) + text[document.end :]
    others = [each.text for each in documents if each is not document and each.data is not None]
    return "---\n".join(others) if others else None


class DriverRelease(Record):
    """How the driver gets into the cluster: by the file `path` of the tree, or by a `command` with `values`, files of the
    plan. `by_hand` is left to people."""

    path: str = ""
    command: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    by_hand: tuple[str, ...] = ()


def selector_of(plugin: InstalledPlugin | None, driver: Facts, platform: Facts) -> dict[str, str]:
    """The node labels that the driver's pods select: only nodes that the plugin has left have all of them."""
    facts = plugin.facts if plugin else {}
    own = plugin.node_selector if plugin else {}
    for key in (driver["label"], *facts.get("switch_removes", ())):
        own.pop(key, None)
    pools = dict(each.split("=", 1) for each in platform.get("pool_labels", ()))
    left = {facts["label"]: "false"} if "label" in facts else {}
    return {**own, **pools, driver["label"]: driver["label_value"], **left}


def driver_values(
    plugin: InstalledPlugin | None, driver: Facts, platform: Facts, shares: str | None
) -> Any:
    """The values of the driver's chart. `shares` is the number of pods on a device, or "unlimited"."""
    values: dict[str, Any] = copy_plain(driver["values"])
    _merge(values, platform.get("values", {}).get(driver["driver"], {}))
    made = [Put(keys(driver["selector"]), selector_of(plugin, driver, platform))]
    root = platform.get("roots", {}).get(driver["driver"]) or (_root(plugin) if plugin else "/")
    if "root" in driver and root != "/":
        made.append(Put(keys(driver["root"]), root))
    tolerations = plugin.value("tolerations") if plugin else None
    if tolerations:
        made.append(Put(keys(driver["tolerations"]), tolerations))
    if shares is not None:
        made.append(Put(("featureGates", "ConsumableShares"), True))
        made.append(Put(("consumableShares",), shares))
    return on_data(values, made)


def _root(plugin: InstalledPlugin) -> str:
    """Where the kernel driver's files are on the nodes: its container puts them into a folder of the operator's."""
    folder = plugin.value("root") or member(plugin.values, "hostPaths", "driverInstallDir")
    in_container = (
        "eviction" in plugin.facts and member(plugin.values, "driver", "enabled") is not False
    )
    return str(folder or ("/run/nvidia/driver" if in_container else "/"))


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = copy_plain(value)


def install(
    plugin: InstalledPlugin | None,
    driver: Facts,
    values: JsonMapping,
    classes: Sequence[JsonMapping],
    tree: WorkCopy,
) -> DriverRelease:
    """Write the release of the driver, and the classes beside it, into the tree.

    Raises:
        CannotEditError: if the kustomization that lists the plugin cannot be edited safely.
    """
    words = _words(plugin, driver, values, tree)
    chart = driver["chart"]
    if plugin is None or plugin.form == "values":
        by_hand = tuple(f"apply the class:\n{rendered_objects([each])}" for each in classes)
        return DriverRelease(
            "", _command(words), {f"{chart}.values.yaml": words["values_text"]}, by_hand
        )
    if plugin.facts["confine"] == "pair":
        return _placed(plugin, f"{chart}.yaml", [_pair(plugin, driver), *classes], tree)
    form = plugin.form
    # Neither k3s nor Kustomize takes a chart out of a folder of a Git repository.
    if form == "object" or ("folder" in driver and form in ("k3s", "kustomize")):
        placed = _placed(plugin, f"{chart}-classes.yaml", classes, tree)
        files = {f"{chart}.values.yaml": words["values_text"]}
        return DriverRelease(placed.path, _command(words), files, placed.by_hand)
    objects = _filled(read_words()["forms"][form], words)
    if form == "kustomize":
        tree.write(
            plugin.file, edit_text(tree.read(plugin.file), [[Append(("helmCharts",), objects[0])]])
        )
        placed = _placed(plugin, f"{chart}-classes.yaml", classes, tree)
        return DriverRelease(plugin.file, by_hand=placed.by_hand)
    return _placed(plugin, f"{chart}.yaml", [*objects, *classes], tree)


def _words(
    plugin: InstalledPlugin | None, driver: Facts, values: JsonMapping, tree: WorkCopy
) -> dict[str, Any]:
    """What the forms of releases are filled with."""
    data: Any = plugin.data if plugin else {}
    spec, metadata = mapping_at(data, "spec"), mapping_at(data, "metadata")
    version, folder, repository = driver["version"], driver.get("folder"), driver["repository"]
    if "consumableShares" in values:
        version = driver["version_for_shares"]
    source_kind = "GitRepository" if folder else "HelmRepository"
    return {
        **driver,
        "api_version": data.get("apiVersion"),
        "address": f"{repository}/{driver['chart']}",
        "chart_in_repository": None if folder else driver["chart"],
        "chart_place": folder or driver["chart"],
        "destination": spec.get("destination"),
        "host": repository.removeprefix("oci://"),
        "interval": spec.get("interval") or "1h",
        "metadata": {**metadata, "name": driver["chart"]},
        "namespace": (plugin and plugin.namespace) or driver["namespace"],
        "own_namespace": metadata.get("namespace"),
        "project": spec.get("project"),
        "revision": version,
        "source_kind": source_kind,
        "source_version": tree.api_version("source.toolkit.fluxcd.io", source_kind),
        "sync_policy": spec.get("syncPolicy"),
        "tag": version if folder else None,
        "target_namespace": spec.get("targetNamespace"),
        "type": None if folder else "oci",
        "values": values,
        "values_text": render_block(values) + "\n",
        "version": None if folder else version,
    }


def _filled(form: Any, words: Mapping[str, Any]) -> Any:
    """A form with its words filled in; what is not known is left out, and mappings of nothing else."""
    if isinstance(form, list):
        return [_filled(each, words) for each in form]
    if isinstance(form, dict):
        made = {key: _filled(value, words) for key, value in form.items()}
        return {key: value for key, value in made.items() if value not in (None, {})}
    if isinstance(form, str) and form.startswith("<"):
        return words.get(form[1:-1])
    return form


def _command(words: Mapping[str, Any]) -> str:
    chart, revision = words["chart"], words["revision"]
    before, place = "", f"{words['address']} --version {revision}"
    if words.get("folder"):
        before = f"git clone --depth 1 --branch {revision} {words['repository']} {chart}\n"
        place = f"{chart}/{words['folder']}"
    return (
        f"{before}helm upgrade --install {chart} {place} --namespace {words['namespace']} "
        f"--create-namespace --values {chart}.values.yaml"
    )


def _pair(plugin: InstalledPlugin, driver: Facts) -> JsonMapping:
    """The object for nodes that have moved: the plugin's own, with the driver in the place of the plugin."""
    spec: dict[str, Any] = copy_plain(mapping_at(plugin.data, "spec"))
    _merge(spec, plugin.facts["pair"])
    made = [Put((*keys(plugin.facts["nodeSelector"]), driver["label"]), driver["label_value"])]
    if plugin.value("tolerations"):
        made.append(Put(keys(plugin.facts["pair_tolerations"]), plugin.value("tolerations")))
    metadata = mapping_at(plugin.data, "metadata")
    named = {"name": f"{metadata.get('name')}-dra", "namespace": metadata.get("namespace")}
    return {
        "apiVersion": plugin.data["apiVersion"],
        "kind": plugin.data["kind"],
        "metadata": {key: value for key, value in named.items() if value},
        "spec": on_data(spec, made),
    }


def _placed(
    plugin: InstalledPlugin, name: str, objects: Sequence[JsonMapping], tree: WorkCopy
) -> DriverRelease:
    """New objects in a file beside the plugin's, listed where that is listed."""
    if not objects:
        return DriverRelease()
    folder, own = posixpath.split(plugin.file)
    path, text = posixpath.join(folder, name), rendered_objects(objects)
    if tree.exists(path):
        return DriverRelease(by_hand=(f"{path} exists already: add these objects to it\n{text}",))
    found = tree.listing(plugin.file)
    if is_kustomization(own):
        found = plugin.file, 0
    beside = next((p for n in NAMES if tree.exists(p := posixpath.join(folder, n))), None)
    if found is None and beside is not None:
        said = f"{beside} does not list {own}: add these objects where it is listed"
        return DriverRelease(by_hand=(f"{said}\n{text}",))
    if found is not None:
        kustomization, _ = found
        listed = [str(each) for each in list_at(tree.data(kustomization), "resources")]
        shown = posixpath.relpath(path, posixpath.dirname(kustomization) or ".")
        shown = f"./{shown}" if any(each.startswith("./") for each in listed) else shown
        added = [[Append(("resources",), shown)]]
        tree.write(kustomization, edit_text(tree.read(kustomization), added))
    tree.write(path, text)
    return DriverRelease(path)
