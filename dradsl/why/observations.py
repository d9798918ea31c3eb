"""What other components wrote about a pod, its ComputeDomain and its workload: facts with which an answer has to be compatible."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from dradsl.simulate.nodes.placement import GANGS, why_not
from dradsl.values.counted import first_of, plural
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.answer import ReadFact
from dradsl.why.dump import conditions_of, is_plugin, key_of, label_of, words_of
from dradsl.why.holders import owners_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.why.dump import Document, Dump, Key

__all__ = [
    "DOMAIN",
    "PodObservations",
    "about_groups",
    "about_pod",
    "below",
    "container_trouble",
    "domain_ids",
    "domain_of_template",
    "domain_trouble",
    "is_well",
    "event_facts",
    "kueue_words",
    "missing_labels",
    "not_created",
    "no_node",
    "observe",
    "plugins_named",
    "plugins_of",
    "said_by",
    "short_reason",
    "text_of",
    "troubles_of",
    "unnamed_trouble",
    "vendors_of",
    "volume_trouble",
]

_DEFAULT_SCHEDULER = "default-scheduler"
_WAITING = (
    "FailedScheduling",
    "FailedResourceClaimCreation",
    "BindingConditionsPending",
    "NotTriggerScaleUp",
    "TriggeredScaleUp",
    "Nominated",
)
_KARPENTER = "Failed to schedule pod, "  # its event has the reason of the scheduler's
_SCALING = ("NotTriggerScaleUp", "TriggeredScaleUp", "Nominated")
_STARTING = ("", "ContainerCreating", "PodInitializing")
_NODES_APART = re.compile(
    r"Insufficient|taint|affinity/selector|node selector|unschedulable|Too many pods"
)
_DEVICES = re.compile(r"claim|device|DynamicResources|timed out|resource pools|Insufficient \S+/")


_BINDS = ("ProvisioningFailed", "FailedBinding", "ExternalProvisioning", "WaitForFirstConsumer")


@dataclass(frozen=True, slots=True)
class PodObservations:
    """What the dump shows about a pod without a node.

    `rejection` is the scheduler's newest reason, with which it rejected the pod; `scheduler` is
    `spec.schedulerName` where it is not kube-scheduler's own profile; `nominated` the node that the
    scheduler wants to use; `scaling` what an autoscaler does for it; `facts` are all that was written.
    """

    rejection: str = ""
    scheduler: str = ""
    nominated: str = ""
    scaling: str = ""
    facts: tuple[ReadFact, ...] = ()

    def agree_with(self, step: str, cause: str = "") -> bool:
        """Whether the scheduler's reason is of the kind of a step that looks at nodes, or has the words of a cause.

        The words are those of kube-scheduler's plugins; what it says about preemption does not count.
        """
        words = short_reason(self.rejection)
        pattern = {"filter": _NODES_APART, "allocation": _DEVICES, "class": _DEVICES}.get(step)
        same = bool(cause) and cause.rpartition(": ")[2] in words
        return same or not words or pattern is None or pattern.search(words) is not None


def short_reason(rejection: str) -> str:
    """The scheduler's reason without what it says about preemption."""
    return re.sub(
        r"( still not schedulable,| no new claims to deallocate,)? preemption: .*", "", rejection
    )


def event_facts(dump: Dump, document: Document, reasons: Iterable[str]) -> Iterator[ReadFact]:
    """The newest event about an object for each of these reasons."""
    events = dump.events(document)
    for reason in reasons:
        for text in [text for one, text in events if one == reason][:1]:
            yield ReadFact(f"event {reason} of {label_of(document)}", text)


def observe(dump: Dump, pod: Document) -> PodObservations:
    """The observations of a pod without a node."""
    rejection, facts = "", []
    placed = conditions_of(pod).get("PodScheduled", {})
    if placed.get("status") == "False":
        rejection = str(placed.get("message") or placed.get("reason") or "")
        facts.append(ReadFact(f"condition PodScheduled of {label_of(pod)}", rejection))
    scheduler = str(mapping_at(pod, "spec").get("schedulerName") or _DEFAULT_SCHEDULER)
    # Other schedulers have reasons of their own.
    own = [one for one, _ in dump.events(pod) if one not in _WAITING]
    reasons = (*_WAITING, *(own if scheduler != _DEFAULT_SCHEDULER else ()))
    news = [fact for fact in event_facts(dump, pod, reasons) if fact.text != rejection]
    failing, events = ("FailedScheduling", *reasons[len(_WAITING) :]), dump.events(pod)
    failed = [one for why, one in events if why in failing and not one.startswith(_KARPENTER)]
    scaling = [one for one in events if one[0] in _SCALING or one[1].startswith(_KARPENTER)]
    told = [(f"adds {'a' if why in _SCALING[1:] else 'no'} node", one) for why, one in scaling[:1]]
    told = _awaited(dump, scaling) or told
    where = nominated = str(mapping_at(pod, "status").get("nominatedNodeName") or "")
    if nominated:
        nominated += next(_ending_on(dump, where), "")
        news.append(ReadFact(f"status.nominatedNodeName of {label_of(pod)}", where))
    return PodObservations(
        rejection or "".join(failed[:1]),
        "" if scheduler == _DEFAULT_SCHEDULER else scheduler,
        nominated,
        "".join(f"the autoscaler {does}: {text}" for does, text in told),
        (*facts, *news),
    )


def container_trouble(pod: Document) -> Iterator[str]:
    """What the kubelet reports of containers that wait, have failed, or keep others waiting."""
    inits = mappings_at(pod, "spec", "initContainers")
    sidecars = [one.get("name") for one in inits if one.get("restartPolicy") == "Always"]
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in mappings_at(pod, "status", field):
            name, ended = status.get("name"), mapping_at(status, "state", "terminated")
            waiting = mapping_at(status, "state", "waiting")
            if str(waiting.get("reason") or "") not in _STARTING:
                last = mapping_at(status, "lastState", "terminated")
                yield f"container {name}: {_words(waiting)}{f'; the last run: {_words(last)}' if last else ''}"
            elif ended.get("exitCode"):
                yield f"container {name}: {_words(ended)}"
            elif "running" not in mapping_at(status, "state"):
                continue
            elif field == "containerStatuses" and not status.get("ready"):
                yield f"container {name} runs and is not ready"
            elif field != "containerStatuses" and name not in sidecars:
                yield f"init container {name} runs and has not ended"


_NO_VENDORS = {"com", "net", "org", "io", "sh", "gpu", "dra", "k8s", "cpu", "node", "kubernetes"}


def unnamed_trouble(dump: Dump, simulation: Simulation | None, node: str = "") -> str:
    """Trouble of a plugin, on a node or on any, that by its name is of no driver with slices, and so may be of any other; empty if none has any."""
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
            failed = list(not_created(dump, one))
            if failed or (kind == "DaemonSet" and status.get("desiredNumberScheduled") == 0):
                text = failed[0] if failed else f"it {no_node(one, simulation)}"
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
            yield f"{label_of(one)} on {where or 'no node'}: {text}"


def not_created(dump: Dump, document: Document) -> Iterator[str]:
    """Why the API server rejects pods of a workload: of events, the newest first, then of conditions."""
    both = list(below(dump, document))
    for one in both:
        yield from (text for reason, text in dump.events(one) if reason == "FailedCreate")
    for one in both:
        failed = conditions_of(one).get("ReplicaFailure", {})
        if failed.get("status") == "True":
            yield str(failed.get("message"))


def _near_account(dump: Dump, space: str, text: str) -> str:
    """The ServiceAccount of a name like that of one which is not there, by an event; empty if there is none."""
    missing = re.search(r'serviceaccount "(\S+)" not found', text)
    names = [one for other, one in dump.keys("ServiceAccount") if other == space]
    near = get_close_matches(missing[1], names, n=1, cutoff=0.8) if missing else []
    return f"; ServiceAccount {space}/{near[0]} is there" if near else ""


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


def _words(state: Mapping[str, object]) -> str:
    code = state.get("exitCode")
    return words_of(state) + (f" (exit code {code})" if code is not None else "")


# ComputeDomains of NVIDIA's driver: api/nvidia.com/resource/v1beta1/computedomain.go of dra-driver-nvidia-gpu. A claim
# names the domain by its UID.


DOMAIN = "resource.nvidia.com/computeDomain"  # the label of its daemons, with the UID


def domain_trouble(dump: Dump, claims: Iterable[ResourceClaimDict], simulation: Simulation) -> str:
    """What keeps the ComputeDomain of these claims from being ready; empty if there is none, or it is."""
    domains = {
        str(mapping_at(one, "metadata").get("uid")): one for one in dump.all("ComputeDomain")
    }
    for claim in claims if domains else ():
        for one in domain_ids(claim):
            if one in domains and (words := _not_ready(dump, domains[one], simulation)):
                return words
    return ""


def domain_ids(claim: ResourceClaimDict) -> Iterator[str]:
    """The UIDs of the ComputeDomains that a claim names."""
    configs = mappings_at(claim, "status", "allocation", "devices", "config")
    for config in (*configs, *mappings_at(claim, "spec", "devices", "config")):
        if found := mapping_at(config, "opaque", "parameters").get("domainID"):
            yield str(found)


def _not_ready(dump: Dump, domain: Document, simulation: Simulation) -> str:
    wanted = mapping_at(domain, "spec").get("numNodes")
    nodes = mappings_at(domain, "status", "nodes")
    ready = sum(node.get("status") == "Ready" for node in nodes)
    if mapping_at(domain, "status").get("status") == "Ready":
        return ""
    names = [f"{node.get('name')} {node.get('status') or ''}".rstrip() for node in nodes]
    named = f"{len(names)}: {first_of(names)}" if len(names) > 3 else ", ".join(names) or "none yet"
    uid = str(mapping_at(domain, "metadata").get("uid"))
    daemons = (
        one
        for one in (*dump.all("DaemonSet"), *dump.all("Pod"))
        if mapping_at(one, "spec", "template", "spec", "nodeSelector").get(DOMAIN) == uid
        or mapping_at(one, "metadata", "labels").get(DOMAIN) == uid
    )
    texts = [f"; {text}" for text in troubles_of(dump, daemons, "", simulation)]
    count = f"{ready} of {wanted} nodes (spec.numNodes) are" if wanted else f"{ready} nodes are"
    lacks = isinstance(wanted, int) and len(nodes) < wanted
    texts = [*texts[:1], *(_gated(dump, domain) if lacks else ())]
    return f"{label_of(domain)} is not ready: {count}; it has {named}{''.join(texts)}"


def _gated(dump: Dump, domain: Document) -> Iterator[str]:
    """That pods which ask for a channel of a ComputeDomain are not looked at by the scheduler yet."""
    gates = [
        str(gate.get("name"))
        for pod in dump.all("Pod")
        for one in mappings_at(pod, "spec", "resourceClaims")
        for gate in mappings_at(pod, "spec", "schedulingGates")[:1]
        if domain_of_template(dump, (key_of(pod)[0], str(one.get("resourceClaimTemplateName"))))
        == label_of(domain)
    ]
    if gates:
        names = first_of(list(dict.fromkeys(gates)))
        yield f"; scheduling gate {names} keeps {plural(len(gates), 'pod')} with a claim for it"


def domain_of_template(dump: Dump, template: Key) -> str:
    """The ComputeDomain whose controller makes this template; empty if none does."""
    for domain in dump.all("ComputeDomain"):
        named = mapping_at(domain, "spec", "channel", "resourceClaimTemplate").get("name")
        if (key_of(domain)[0], named) == template:
            return label_of(domain)
    return ""


# What objects say about reasons of a scheduler that dradsl does not simulate: volumes, labels, gangs


def volume_trouble(dump: Dump, pod: Document) -> str:
    """What keeps the first PersistentVolumeClaim of a pod that is not bound; empty if none is known."""
    for volume in mappings_at(pod, "spec", "volumes"):
        name = mapping_at(volume, "persistentVolumeClaim").get("claimName")
        if name is None and volume.get("ephemeral"):
            name = f"{key_of(pod)[1]}-{volume.get('name')}"
        found = dump.get("PersistentVolumeClaim", (key_of(pod)[0], str(name)))
        if found is None or mapping_at(found, "status").get("phase") == "Bound":
            continue
        said = [text for reason, text in dump.events(found) if reason in _BINDS]
        state = mapping_at(found, "status").get("phase") or "Pending"
        return f"{label_of(found)} is {state}{f': {said[0]}' if said else ''}"
    return ""


def missing_labels(spec: PodSpecDict, nodes: Sequence[Node]) -> Iterator[str]:
    """The labels of which a pod selects or requires one, and that no node has; of required affinity, the keys."""
    for key, value in (spec.get("nodeSelector") or {}).items():
        if all(node.labels.get(key) != value for node in nodes):
            yield f"{key}={value}"
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = [
        mappings_at(t, "matchExpressions") for t in mappings_at(spec, *path, "nodeSelectorTerms")
    ]
    absent = [[one for one in term if _is_absent(one, nodes)] for term in terms]
    for one in itertools.chain(*(absent if all(absent) else ())):  # one term without any is enough
        values: Sequence[str] = one.get("values") or ()
        yield f"{one.get('key')}={values[0]}" if len(values) == 1 else str(one.get("key"))


def _is_absent(rule: Mapping[str, Any], nodes: Sequence[Node]) -> bool:
    """Whether no node has what a rule of an affinity asks for."""
    key, values = str(rule.get("key")), rule.get("values") or ()
    some = [node.labels[key] for node in nodes if key in node.labels]
    if rule.get("operator") == "In":
        return not any(each in values for each in some)
    return rule.get("operator") in ("Exists", "Gt", "Lt") and not some


def no_node(workload: Document, simulation: Simulation | None) -> str:
    """That the controller of a workload makes no pods, and what each node lacks for them."""
    template = cast("PodSpecDict", mapping_at(workload, "spec", "template", "spec"))
    nodes = () if simulation is None else simulation.cluster.inventory.nodes
    said: dict[str, list[str]] = {}
    for node in nodes:
        if simulation is not None and (reason := why_not(template, node, simulation.usage, {})):
            said.setdefault(reason.rstrip("."), []).append(node.name)
    texts = "; ".join(f"{reason} ({first_of(names)})" for reason, names in said.items())
    labels = list(missing_labels(template, nodes)) if nodes else []
    more = f"; no node has the label {first_of(labels)}" if labels else ""
    for key, node in ((one.partition("=")[0], node) for one in labels for node in nodes):
        if key in node.labels:
            more += f"; {node.name} has {key}={node.labels[key]}"
            break
    return f"makes pods for no node{f': {texts}' if texts else ''}{more}"


# Kueue


def kueue_words(dump: Dump, document: Document) -> tuple[str, tuple[str, ...]]:
    """What Kueue's Workload of a pod or job says."""
    owners = [
        dump.get(str(owner.get("kind")), (key_of(document)[0], str(owner.get("name"))))
        for owner in mappings_at(document, "metadata", "ownerReferences")
    ]
    owned = [
        one
        for owner in (document, *owners)
        for one in dump.owned_by(owner or {})
        if one.get("kind") == "Workload" and str(one.get("apiVersion")).startswith("kueue")
    ]
    if not owned:
        return "no Workload of Kueue belongs to it in the dump", ()
    workload = owned[0]
    conditions = conditions_of(workload)
    name = "Workload {}".format("/".join(key_of(workload)))
    queue = mapping_at(workload, "spec").get("queueName") or "(no queue)"
    if mapping_at(workload, "spec").get("active") is False:
        ended = conditions.get("Evicted", {})
        why = f": {words_of(ended)}" if "eactivat" in words_of(ended) else ""
        return f"{name} is not active (spec.active: false){why}", ()
    true = {kind for kind, one in conditions.items() if one.get("status") == "True"}
    reserved, checks = "QuotaReserved" in true, _checks(workload)
    held = "".join(f"; {text}" for text in _queue_trouble(dump, workload))
    # A Workload that is not requeued is not looked at: what QuotaReserved says of it is older.
    for kind in ("Evicted", "Requeued", "QuotaReserved"):
        bad = kind in conditions and (kind in true) == (kind == "Evicted")
        if bad and (kind != "Evicted" or not reserved):
            waits = "is not looked at (Requeued is False)" if kind == "Requeued" else "waits"
            return f"{name} in queue {queue} {waits}: {words_of(conditions[kind])}{held}", checks
    if "Admitted" in true:
        return f"{name} is admitted; Kueue takes the gate away next", ()
    if reserved:
        first = f": {checks[0]}" if checks else ""
        return (
            f"{name} in queue {queue} has its quota and waits for admission checks{first}{held}",
            checks[1:],
        )
    return f"{name} in queue {queue} was not looked at yet{held}", ()


def _checks(workload: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(
        f"admission check {one.get('name')}: {one.get('state')}: {one.get('message')}"
        for one in mappings_at(workload, "status", "admissionChecks")
        if one.get("state") != "Ready"
    )


# What controllers say in objects around a pod or workload, whatever their kinds


_DEPTH = 6
_BAD = re.compile(r"Fail|Error|Breach|Degrad|nschedul|Stalled|Conflict")  # True is bad of these
_WELL = re.compile(r"Ready|Available|Succeeded|Completed?|RayClusterProvisioned")
_TROUBLE = re.compile(
    r"(?i)fail|forbidden|denied|exceed|not found|n't exist|not exist|missing|invalid|error|cannot|can't|unable|"
    r"insufficient|overused|not enough|inactive|limit|violat|unschedulable|is clos(ed|ing)$"
)
# What follows from pods that wait, and does not say why they do.
_EFFECT = re.compile(
    r"(?i)(ready|available|scheduled|running) (pods|replicas)|minimum availability|timed out progressing|"
    r"vmi does not exist|guest vm is not"
)
# Labels and annotations that name the PodGroup of a pod; the last is KAI's.
_GROUPS = (*GANGS, "pod-group-name")


def said_by(dump: Dump, document: Document) -> Iterator[str]:
    """What is said against an object, the surest first: errors, failures, what is False, a state, events."""
    status, found = mapping_at(document, "status"), conditions_of(document)
    found |= conditions_of(document, "status", "schedulingConditions")
    bad = [one for kind, one in found.items() if _BAD.search(kind) and one.get("status") == "True"]
    no = [one for kind, one in found.items() if not _BAD.search(kind)]
    texts = [str(one.get("description")) for one in mappings_at(document, "status", "lastErrors")]
    texts += map(words_of, (*bad, status, *(one for one in no if one.get("status") == "False")))
    texts.append(f"status.state is {status.get('state')}")
    texts += [f"{reason}: {text}" for reason, text in dump.events(document)]
    for text in texts:
        if _TROUBLE.search(text) and not _EFFECT.search(text):
            yield f"{label_of(document)}: {text}"


def is_well(document: Document) -> bool:
    """Whether the conditions of an object say that all is well, so that older events about it no longer count."""
    true = [kind for kind, one in conditions_of(document).items() if one.get("status") == "True"]
    return any(map(_WELL.fullmatch, true)) and not any(map(_BAD.search, true))


def below(dump: Dump, document: Document, depth: int = _DEPTH) -> Iterator[Document]:
    """What an object owns, over all between, what is farthest first, and the object; neither pods nor claims."""
    for one in dump.owned_by(document) if depth else ():
        if one.get("kind") not in ("ResourceClaim", "Workload"):
            yield from below(dump, one, depth - 1)
    if document.get("kind") != "Pod":
        yield document


def about_groups(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against the PodGroups of a pod and their queues."""
    metadata = mapping_at(pod, "metadata")
    given = [mapping_at(metadata, field) for field in ("labels", "annotations")]
    names = [one.get(key) for one in given for key in _GROUPS]
    names.append(mapping_at(pod, "spec", "schedulingGroup").get("podGroupName"))
    for name in filter(None, dict.fromkeys(names)):
        group = dump.get("PodGroup", (key_of(pod)[0], str(name))) or {}
        yield from said_by(dump, group)
        queue = dump.get("Queue", ("default", str(mapping_at(group, "spec").get("queue"))))
        yield from said_by(dump, queue or {})


def about_pod(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against objects that belong to a pod, its groups and their queues, and its owners."""
    for one in dump.owned_by(pod):
        if one.get("kind") != "ResourceClaim":
            yield from said_by(dump, one)
    yield from about_groups(dump, pod)
    for owner in owners_of(dump, key_of(pod), every=True):
        yield from said_by(dump, dump.get(*owner) or {})


def _awaited(dump: Dump, events: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is said against the NodeClaim that the newest event of Karpenter names."""
    named = re.search(r"\bnodeclaim/([\w.-]+)", events[0][1]) if events else None
    found = dump.get("NodeClaim", ("default", named[1])) if named else None
    return [("waits", text) for text in said_by(dump, found or {})][:1]


def _ending_on(dump: Dump, node: str) -> Iterator[str]:
    """Pods on a node that are to end, as the end of a sentence."""
    for one in dump.all("Pod"):
        metadata = mapping_at(one, "metadata")
        if metadata.get("deletionTimestamp") and mapping_at(one, "spec").get("nodeName") == node:
            left = ", ".join(map(str, list_at(metadata, "finalizers"))) or "none"
            yield f", where {label_of(one)} is to end (finalizers left: {left})"


def _queue_trouble(dump: Dump, workload: Document) -> Iterator[str]:
    """What is said against the queues and admission checks of a Workload of Kueue."""
    name = str(mapping_at(workload, "spec").get("queueName"))
    local = dump.get("LocalQueue", (key_of(workload)[0], name)) or {}
    named = [("ClusterQueue", mapping_at(local, "spec").get("clusterQueue"))]
    states = mappings_at(workload, "status", "admissionChecks")
    named += [("AdmissionCheck", one.get("name")) for one in states if one.get("state") != "Ready"]
    for kind, one in named:
        active = conditions_of(dump.get(kind, ("default", str(one))) or {}).get("Active", {})
        if active.get("status") == "False":
            yield f"{kind} {one}: {words_of(active)}"
