"""The release of a DRA driver in the form that the tree uses, with values from what the tree says of its plugin."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.migrate.edits.operations import Append, Put, edit_text, on_data
from dradsl.migrate.output import rendered_objects
from dradsl.migrate.rollout.plugins import keys, read_words
from dradsl.records import dataclass, field
from dradsl.text.render import render_block
from dradsl.tree.kustomize.kustomization import NAMES, is_kustomization
from dradsl.values.plain import list_at, mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.migrate.rollout.plugins import Facts, InstalledPlugin
    from dradsl.migrate.rollout.work_copy import WorkCopy
    from dradsl.values.json_types import JsonMapping

__all__ = ["DriverRelease", "driver_values", "install", "selector_of"]


@dataclass(frozen=True, slots=True)
class DriverRelease:
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
