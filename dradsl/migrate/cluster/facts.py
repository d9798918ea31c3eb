"""The facts of a run: every place that configures how device plugins hand out devices, and the conclusions from them.

Follows NVIDIA/k8s-device-plugin v0.20.0 (api/config/v1, cmd/nvidia-device-plugin/main.go),
NVIDIA/gpu-operator v26.7.0 (api/nvidia/v1/clusterpolicy_types.go, values.yaml),
intel/intel-device-plugins-for-kubernetes (cmd/gpu_plugin, deviceplugin.intel.com/v1) and
squat/generic-device-plugin (a device group's `count`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from dradsl.migrate.cluster.releases import (
    GPU_OPERATOR,
    INTEL_PLUGIN,
    NVIDIA_PLUGIN,
    fetched_by,
    place_of,
    releases_of,
)
from dradsl.migrate.places import is_extended
from dradsl.records import Record, replace
from dradsl.text.documents import load
from dradsl.tree.manifests.manifest import manifests_of
from dradsl.values.digits import whole_number
from dradsl.values.limits import MOST_LEVELS_OF_SETTINGS
from dradsl.values.plain import list_at, mapping_at, mappings_at, member, string_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.migrate.cluster.releases import Release
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "Cluster",
    "Mig",
    "gather_facts",
    "mappings",
    "plugin_configs",
    "profile_of_layout",
    "words_of",
]

# A text is parsed only if it contains one of these.
_WORDS = ("sharing:", "migStrategy", "sharedDevNum", "groups:")


def mappings(
    data: object, path: FieldPath = (), depth: int = 0
) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Every mapping in plain data, and in its texts, with the path to it or to its text."""
    if depth > MOST_LEVELS_OF_SETTINGS:
        return
    if isinstance(data, Mapping):
        yield path, data
        for key, value in data.items():
            yield from mappings(value, (*path, str(key)), depth + 1)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from mappings(value, (*path, index), depth + 1)
    elif isinstance(data, str) and "\n" in data and any(word in data for word in _WORDS):
        for document in load(data.encode("utf-8", "replace")).documents:
            if isinstance(document.data, Mapping):
                for _, found in mappings(document.data, (), depth + 1):
                    yield path, found


def plugin_configs(data: object) -> Iterator[Mapping[str, object]]:
    """Configurations of NVIDIA's device plugin anywhere in plain data, those in texts too."""
    for _, found in mappings(data):
        if "sharing" in found or isinstance(found.get("flags"), Mapping):
            yield found


def words_of(container: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The settings of a container, by names without dashes: arguments (`--name=value`, `--name value`) and
    environment variables."""
    words: list[str] = []
    for key in ("command", "args"):
        words += map(str, list_at(container, key))
    for index, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, sign, value = word.lstrip("-").partition("=")
        if not sign and index + 1 < len(words) and not words[index + 1].startswith("-"):
            value = words[index + 1]
        yield name, value
    for each in mappings_at(container, "env"):
        if "name" in each and each.get("value") is not None:
            yield str(each["name"]), str(each["value"])
    for name, value in mapping_at(container, "env").items():
        if isinstance(value, str | int):
            yield str(name), str(value)


# `replicas`: this many pods share a device of `resource` ("" where the number is not known); `mig-strategy`:
# that of the device plugin; `mig-layout`: the profile that GPUs are divided into, or `none`; `taint`: nodes have
# a taint by the name of `resource`.
Subject = Literal["replicas", "mig-strategy", "mig-layout", "taint"]


class Fact(Record):
    """A fact from one place of the run; `text` is a sentence that begins with file and line. `quiet` facts are
    defaults of a chart: they count if nothing is written. `file` is the name of the file that states the fact."""

    subject: Subject
    value: str
    text: str
    resource: str = ""
    quiet: bool = False
    file: str = ""


def both(facts: Sequence[Fact]) -> str:
    """The sentences of facts, one for each value."""
    first: dict[str, str] = {}
    for fact in facts:
        first.setdefault(fact.value, fact.text)
    return "; but ".join(first.values())


class Cluster(Record):
    """The conclusions from the facts of a run."""

    facts: tuple[Fact, ...] = ()

    def sharing(self, resource: str) -> str | None:
        """Why devices of a resource are shared, or may be; sources that differ are all named."""
        found = self._about("replicas", resource)
        return both(found) if any(fact.value != "1" for fact in found) else None

    def sharers(self, resource: str) -> tuple[str, ...]:
        """The numbers of pods that share a device, each once."""
        found = dict.fromkeys(fact.value for fact in self._about("replicas", resource))
        return tuple(value for value in found if value not in ("", "1"))

    def unshared(self, resource: str) -> str | None:
        """The sentence that states explicitly that devices of a resource are not shared."""
        found = self._about("replicas", resource)
        return found[0].text if found and all(fact.value == "1" for fact in found) else None

    def taint(self, resource: str) -> str | None:
        """The sentence that nodes have a taint by the name of a resource."""
        return next((fact.text for fact in self._about("taint", resource)), None)

    def mig(self) -> Mig:
        """How GPUs are divided as far as the run says."""
        strategies = self._about("mig-strategy")
        strategies = [f for f in strategies if not f.quiet] or strategies
        layouts = self._about("mig-layout")
        divided = [fact for fact in layouts if fact.value != "none"]
        values = {fact.value for fact in strategies}
        if not values or (strategies[0].quiet and not divided):
            return Mig()
        profiles = {fact.value for fact in divided}
        profile = next(iter(profiles)) if len(profiles) == 1 else None
        if "single" not in values:
            return Mig(whole=both(strategies))
        if len(values) > 1:
            return Mig(differ=both(strategies), layout=profile)
        if layouts and not divided:
            return Mig(whole=layouts[0].text)
        single = strategies[0].text + (f"; {both(divided)}" if divided else "")
        return Mig(single=f"{single}: nvidia.com/gpu is a MIG device there", layout=profile)

    def _about(self, subject: Subject, resource: str | None = None) -> list[Fact]:
        return [
            fact
            for fact in self.facts
            if fact.subject == subject and resource in (None, fact.resource)
        ]


class Mig(Record):
    """What nvidia.com/gpu is: the one field that is true has a sentence. `layout` is the profile of the layout
    that nodes have by default."""

    single: str | None = None
    whole: str | None = None
    differ: str | None = None
    layout: str | None = None


INTEL = ("gpu.intel.com/i915", "gpu.intel.com/xe")
_GPU = "nvidia.com/gpu"
# Of nodes, Karpenter's pools, Kueue's flavors, Cluster API and eksctl.
_TAINTS = frozenset({"taints", "nodeTaints", "startupTaints"})
# Labels with which pods choose accelerators on GKE; its nodes with GPUs and TPUs have a taint of the resource.
_GKE = ("cloud.google.com/gke-accelerator", "cloud.google.com/gke-gpu", "cloud.google.com/gke-tpu")
_STRATEGIES = ("none", "single", "mixed")
_LAYOUT = re.compile(r"all-([0-9]+g\.[0-9]+gb(?:[+.][a-z.+-]+)?)")


def gather_facts(sources: Iterable[SourceText]) -> tuple[Fact, ...]:
    """Every fact of a run, in the order of its files."""
    known = list(sources)
    fetched = fetched_by(known)
    found: dict[Fact, None] = {}
    for source in known:
        facts: dict[Fact, None] = {}
        for document in source.stream.documents:
            facts |= dict.fromkeys(_anywhere(source, document))
        for manifest in manifests_of(source):
            facts |= dict.fromkeys(_of_object(manifest))
        for release in releases_of(source, fetched):
            facts |= dict.fromkeys(_of_release(release))
        found |= dict.fromkeys(replace(fact, file=source.name) for fact in facts)
    return tuple(found)


def profile_of_layout(layout: str) -> str | None:
    """The MIG profile of all devices of a layout such as `all-1g.10gb`."""
    match = _LAYOUT.fullmatch(layout)
    return match[1] if match else None


def _anywhere(source: SourceText, document: Document) -> Iterator[Fact]:
    """Configurations of NVIDIA's plugin, and containers of plugins, in objects, values and texts."""
    for path, data in mappings(document.data):
        sharing, flags = data.get("sharing"), data.get("flags")
        if isinstance(sharing, Mapping):
            place = place_of(source, document, (*path, "sharing"))
            yield from _replicas(sharing, place)
        if isinstance(flags, Mapping) and flags.get("migStrategy") in _STRATEGIES:
            place = place_of(source, document, (*path, "flags", "migStrategy"))
            yield _strategy(str(flags["migStrategy"]), f"{place} sets migStrategy")
        for key in _TAINTS & data.keys():
            yield from _taints(data[key], place_of(source, document, (*path, key)))
        gke = next((key for key in data if str(key).startswith(_GKE)), None)
        if gke is not None:
            place = place_of(source, document, (*path, str(gke)))
            for resource in (_GPU, "google.com/tpu"):
                text = f"{place} selects nodes of GKE, which have a taint for {resource}"
                yield Fact("taint", "gke", text, resource)
        if ("args" in data or "command" in data or "env" in data) and path:
            yield from _of_container(data, place_of(source, document, path))


def _taints(taints: object, place: str) -> Iterator[Fact]:
    for taint in list_at(taints):
        key = member(taint, "key")
        if (
            isinstance(key, str)
            and is_extended(key)
            and member(taint, "effect") in (None, "NoSchedule")
        ):
            yield Fact("taint", "", f"{place} has the taint {key}", key)


def _replicas(sharing: Mapping[str, object], place: str) -> Iterator[Fact]:
    for strategy in ("timeSlicing", "mps"):
        found = sharing.get(strategy)
        all_renamed = member(found, "renameByDefault") is True
        for item in mappings_at(found, "resources"):
            name, renamed = string_at(item, "name"), string_at(item, "rename")
            if name is None:
                continue
            if renamed is not None:
                name = renamed
            elif all_renamed and not name.endswith(".shared"):
                name = f"{name}.shared"
            number = _number(item.get("replicas"))
            said = f"{place} configures {strategy}: "
            if number == "":
                said += f"{item.get('replicas')} is no usable number of replicas of {name}"
            else:
                said += f"{number} pods share a device of {name}"
            yield Fact("replicas", number, said, name)


def _number(value: object) -> str:
    """The number of pods that share a device; "" if a plugin does not accept the value."""
    text = str(value).strip()
    return text if text.isdecimal() and (whole_number(text) or 0) > 1 else ""


def _strategy(value: str, said: str, *, quiet: bool = False) -> Fact:
    return Fact("mig-strategy", value, f"{said}: {value}", _GPU, quiet)


def _of_container(container: Mapping[str, object], place: str) -> Iterator[Fact]:
    groups = ""
    domain = "squat.ai"
    for name, value in words_of(container):
        if name in ("mig-strategy", "MIG_STRATEGY") and value in _STRATEGIES:
            yield _strategy(value, f"{place} gives {name}")
        elif name == "shared-dev-num":
            yield from _intel(value, f"{place} gives -shared-dev-num")
        elif name == "domain":
            domain = value
        elif name == "device" and "groups" in value:
            groups += f"---\n{value}\n"
    if groups:
        yield from _generic(groups, domain, place)


def _generic(text: str, domain: str, place: str) -> Iterator[Fact]:
    for document in load(text.encode("utf-8", "replace")).documents:
        name = member(document.data, "name")
        for group in list_at(document.data, "groups"):
            number = _number(member(group, "count"))
            if isinstance(name, str) and number:
                resource = f"{domain}/{name}"
                text = f"{place} gives a device of {resource} to {number} containers"
                yield Fact("replicas", number, text, resource)


def _intel(value: object, said: str) -> Iterator[Fact]:
    text = str(value).strip()
    is_one = text.isdecimal() and (whole_number(text) or 0) <= 1
    number = "1" if is_one else _number(value)
    words = f"{number} containers share a GPU" if number else "the number of sharers is open"
    if is_one:
        words = "no GPU is shared"
    for resource in INTEL:
        yield Fact("replicas", number, f"{said} {value}: {words}", resource)


def _of_object(manifest: Manifest) -> Iterator[Fact]:
    if manifest.kind == "GpuDevicePlugin" and manifest.group == "deviceplugin.intel.com":
        number = member(manifest.data, "spec", "sharedDevNum")
        if number is not None:
            place = _at(manifest, ("spec", "sharedDevNum"))
            yield from _intel(number, f"{place} sets sharedDevNum")
    elif manifest.kind == "ClusterPolicy" and manifest.group == "nvidia.com":
        strategy = member(manifest.data, "spec", "mig", "strategy")
        if strategy in _STRATEGIES:
            place = _at(manifest, ("spec", "mig", "strategy"))
            yield _strategy(str(strategy), f"{place} sets mig.strategy of the ClusterPolicy")
        layout = member(manifest.data, "spec", "migManager", "config", "default")
        yield from _layout(layout, _at(manifest, ("spec", "migManager", "config", "default")))


def _at(manifest: Manifest, path: FieldPath) -> str:
    return f"{manifest.path}:{manifest.span(path).line}"


def _layout(layout: object, place: str) -> Iterator[Fact]:
    if isinstance(layout, str) and layout:
        profile = profile_of_layout(layout)
        value = "none" if layout == "all-disabled" else profile or layout
        yield Fact("mig-layout", value, f"{place} sets the MIG layout {layout}", _GPU)


def _of_release(release: Release) -> Iterator[Fact]:
    what = release.title if release.title.startswith("values") else f"values of {release.title}"
    if release.chart == INTEL_PLUGIN:
        number = release.value("sharedDevNum")
        if number is not None:
            place = release.place("sharedDevNum")
            yield from _intel(number, f"{place} ({what}) sets sharedDevNum")
    elif release.chart in (NVIDIA_PLUGIN, GPU_OPERATOR):
        path = ("migStrategy",) if release.chart == NVIDIA_PLUGIN else ("mig", "strategy")
        strategy = release.value(*path)
        if strategy in _STRATEGIES:
            said = f"{release.place(*path)} ({what}) sets {'.'.join(path)}"
            yield _strategy(str(strategy), said)
        elif release.chart == GPU_OPERATOR:
            said = f"{release.place('mig')} ({what}) leaves mig.strategy to the chart, which has"
            yield _strategy("single", said, quiet=True)
        layout = release.value("migManager", "config", "default")
        yield from _layout(layout, release.place("migManager", "config", "default"))
