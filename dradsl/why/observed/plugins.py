"""Plugins of drivers: which workloads they are, and what keeps them from running."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from dradsl.simulate.nodes.placement import why_not
from dradsl.values.counted import first_of
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.dump import conditions_of, is_plugin, key_of, label_of, words_of
from dradsl.why.observed.controllers import below
from dradsl.why.observed.pods import container_trouble, missing_labels, short_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.why.dump import Document, Dump

__all__ = [
    "left_out",
    "behind",
    "no_node",
    "not_created",
    "plugins_named",
    "plugins_of",
    "text_of",
    "troubles_of",
    "undelivered",
    "unnamed_trouble",
    "vendors_of",
]

# Upstream: AddOrUpdateDaemonPodTolerations (pkg/controller/daemon/util/daemonset_util.go)
_KEPT = "not-ready unreachable disk-pressure memory-pressure pid-pressure unschedulable"
_EXTENDED = re.compile(r"deviceclass\.resource\.kubernetes\.io/|(?!.*kubernetes\.io/).*/")
_NO_VENDORS = {"com", "net", "org", "io", "sh", "gpu", "dra", "k8s", "cpu", "node", "kubernetes"}


def vendors_of(driver: str) -> set[str]:
    """The words of a driver's name that tell whose it is."""
    return {*driver.split("."), driver.replace(".", "")} - _NO_VENDORS


def plugins_named(dump: Dump, driver: str) -> Sequence[Document]:
    """Pods and DaemonSets that by their names, or if there are none by their images, are plugins of a DRA driver."""
    parts, mine = set(driver.split(".")), vendors_of(driver)
    some = [one for one in (*dump.all("Pod"), *dump.all("DaemonSet")) if is_plugin(one)]
    found = []
    for one in some:
        name = "/".join(key_of(one))
        words = set(re.split(r"[/-]", name))
        alike = words >= parts or any(len(word) > 4 and word in driver for word in words)
        found += [one] if alike or any(part in name for part in mine) else []
    return found or [one for one in some if any(len(p) > 4 and p in text_of(one) for p in mine)]


def text_of(workload: Document) -> str:
    """The names and images of a workload or pod."""
    spec = mapping_at(workload, "spec")
    boxes = mappings_at(mapping_at(spec, "template", "spec") or spec, "containers")
    return " ".join((*key_of(workload), *(str(one.get("image")) for one in boxes)))


def plugins_of(dump: Dump, driver: str, node: str) -> Iterator[Document]:
    """The plugins of a driver that run on a node."""
    for one in plugins_named(dump, driver):
        is_there = mapping_at(one, "spec").get("nodeName") == node
        runs = mapping_at(one, "status").get("phase") == "Running"
        if is_there and runs and not any(container_trouble(one)):
            yield one


def unnamed_trouble(dump: Dump, simulation: Simulation | None, node: str = "") -> str:
    """Trouble of a plugin, on a node or on any, that by its name is of no driver with slices, and so may be of any other; empty if none has any.

    A node for which another driver publishes slices has that one's hardware: what leaves it out may be right.
    """
    if node and any(
        mapping_at(one, "spec").get("nodeName") == node for one in dump.all("ResourceSlice")
    ):
        return ""
    drivers = {str(mapping_at(one, "spec").get("driver")) for one in dump.all("ResourceSlice")}
    known = [one for driver in drivers for one in plugins_named(dump, driver)]
    others = [one for one in dump.all("DaemonSet") if is_plugin(one) and one not in known]
    pods = (one for other in others for one in dump.owned_by(other) if one.get("kind") == "Pod")
    texts = troubles_of(dump, (*others, *pods), node, simulation)
    # A DaemonSet that makes pods for no node can be for nodes that are not there.
    found = min(texts, key=lambda text: "makes pods for no node" in text, default="")
    return found.replace(": ", ", which looks like a plugin of the kubelet: ", 1)


def troubles_of(
    dump: Dump, some: Iterable[Document], node: str = "", simulation: Simulation | None = None
) -> Iterator[str]:
    """What keeps these workloads from making pods, and those of these pods from running that are on a node, or on any."""
    for one in some:
        spec, status, kind = mapping_at(one, "spec"), mapping_at(one, "status"), one.get("kind")
        if kind in ("DaemonSet", "Deployment"):
            texts = list(not_created(dump, one))
            texts += _podless(dump, one, simulation, node) if kind == "DaemonSet" else ()
            for text in texts[:1]:
                yield f"{label_of(one)}: {text}{_near_account(dump, key_of(one)[0], text)}"
            continue
        where, phase = str(spec.get("nodeName") or ""), status.get("phase")
        words = list(container_trouble(one))
        # A pod of a DaemonSet that has no node yet names it in its affinity.
        is_there = node in ("", where) or (not where and node in str(spec.get("affinity") or ""))
        if is_there and (words or phase not in ("Running", "Succeeded", None)):
            events = dump.events(one)
            rejected = str(conditions_of(one).get("PodScheduled", {}).get("message") or "")
            told = [text for reason, text in events if reason.startswith("Failed")]
            ended = words_of(status) if phase == "Failed" else ""
            text = next(filter(None, (*words, short_reason(rejected), *told, ended, str(phase))))
            probes = [text for reason, text in events if reason == "Unhealthy"]
            text += f": {probes[0]}" if text.endswith("is not ready") and probes else ""
            yield f"{label_of(one)} on {where or 'no node'}: {text}{behind(dump, one, text)}"


def behind(dump: Dump, pod: Document, text: str) -> str:
    """What a pod and its node show of an init container that has not ended."""
    spec = mapping_at(pod, "spec")
    for one in mappings_at(spec, "initContainers"):
        if f"container {one.get('name')} runs and has not" in text:
            words = " ".join(map(str, (*list_at(one, "command"), *list_at(one, "args"))))
            env = [f" {each.get('name')}={each.get('value')}" for each in mappings_at(one, "env")]
            node = str(spec.get("nodeName"))
            info = mapping_at(dump.get("Node", ("default", node)) or {}, "status", "nodeInfo")
            told = f"; the kernel of {node} is {info.get('kernelVersion')}"
            runs = f"{' '.join(words.split())[:80]}{''.join(e for e in env if 'ROOT=' in e)}"
            return f"{f' (it runs {runs})' if words else ''}{told if 'WSL' in str(info) else ''}"
    return ""


def undelivered(pod: Document, claim: ResourceClaimDict | None) -> Iterator[str]:
    """Why containers of a pod get no devices by the mappings for `claim`, that of extended resources."""
    names = [str(one.get("name")) for one in mappings_at(claim, "spec", "devices", "requests")]
    fields = ("initContainers", "containers")
    boxes = {one.get("name"): one for field in fields for one in mappings_at(pod, "spec", field)}
    path = ("status", "extendedResourceClaimStatus", "requestMappings")
    for one in mappings_at(pod, *path) if claim else ():
        name, wanted = one.get("containerName"), one.get("requestName")
        resource = str(one.get("resourceName"))
        asked = mapping_at(boxes.get(name, {}), "resources", "requests")
        lacks = {
            f"{resource} is no extended resource": not _EXTENDED.match(resource),
            f"the container does not request {resource}": resource not in asked,
            f"the claim has no request {wanted} (it has {', '.join(names)})": wanted not in names,
        }
        if texts := "; ".join(text for text, is_so in lacks.items() if is_so):
            yield f"container {name} gets no device by requestMappings in extendedResourceClaimStatus of the pod: {texts}"


def not_created(dump: Dump, document: Document) -> Iterator[str]:
    """Why the API server rejects pods of a workload: of events, the newest first, then of conditions."""
    both = list(below(dump, document))
    failed = (conditions_of(one).get("ReplicaFailure", {}) for one in both)
    yield from (text for one in both for why, text in dump.events(one) if why == "FailedCreate")
    yield from (str(said.get("message")) for said in failed if said.get("status") == "True")


def _near_account(dump: Dump, space: str, text: str) -> str:
    """The ServiceAccount of a name like that of one which is not there, by an event; empty if there is none."""
    missing = re.search(r'serviceaccount "(\S+)" not found', text)
    names = [one for other, one in dump.keys("ServiceAccount") if other == space]
    near = get_close_matches(missing[1], names, n=1, cutoff=0.8) if missing else []
    return f"; ServiceAccount {space}/{near[0]} is there" if near else ""


def _podless(dump: Dump, of: Document, simulation: Simulation | None, name: str) -> Iterator[str]:
    """Why a DaemonSet makes no pods, or none for a node."""
    if mapping_at(of, "status").get("desiredNumberScheduled") == 0:
        yield f"it {no_node(of, simulation)}"
    own = (one for one in dump.owned_by(of) if one.get("kind") == "Pod")
    if simulation and all(mapping_at(one, "spec").get("nodeName") != name for one in own):
        for reason, names in left_out(of, simulation).items():
            if name in names:
                yield f"it has no pod on {name}: {reason}"


def left_out(workload: Document, simulation: Simulation) -> dict[str, list[str]]:
    """For which nodes a DaemonSet makes no pod, by the reasons."""
    given = mapping_at(workload, "spec", "template", "spec")
    more = [{"key": f"node.kubernetes.io/{one}", "operator": "Exists"} for one in _KEPT.split()]
    tolerations = [*mappings_at(given, "tolerations"), *more]
    spec = cast("PodSpecDict", {**given, "tolerations": tolerations})
    said: dict[str, list[str]] = {}
    for node in simulation.cluster.inventory.nodes:
        if reason := why_not(spec, node, simulation.usage, {}):
            said.setdefault(reason.rstrip("."), []).append(node.name)
    return said


def no_node(workload: Document, simulation: Simulation | None) -> str:
    """That the controller of a workload makes no pods, and what each node lacks for them."""
    template = cast("PodSpecDict", mapping_at(workload, "spec", "template", "spec"))
    nodes = () if simulation is None else simulation.cluster.inventory.nodes
    said = {} if simulation is None else left_out(workload, simulation)
    texts = "; ".join(f"{reason} ({first_of(names)})" for reason, names in said.items())
    labels = list(missing_labels(template, nodes)) if nodes else []
    more = f"; no node has the label {first_of(labels)}" if labels else ""
    for key, node in ((one.partition("=")[0], node) for one in labels for node in nodes):
        if near := get_close_matches(key, node.labels, n=1, cutoff=0.95):
            more += f"; {node.name} has {near[0]}={node.labels[near[0]]}"
            break
    return f"makes pods for no node{f': {texts}' if texts else ''}{more}"
