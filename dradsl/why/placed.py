"""What keeps a pod that has a node: the driver's preparation, the health of its devices, taints put since."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.nodes import SelectorError
from dradsl.simulate.input.ailments import Published, results_of
from dradsl.simulate.kubelet import unknown_requests
from dradsl.simulate.plugin.reserved import Reserved, allocation_of
from dradsl.simulate.pod_claims import claims_of
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.answer import Answer
from dradsl.why.dump import conditions_of, key_of, label_of, socket_of, spec_of, status_of, words_of
from dradsl.why.holders import device_of, devices_by_id, owners_of, uses_of
from dradsl.why.lives import deletion_of, node_trouble
from dradsl.why.observed.controllers import put_in
from dradsl.why.observed.domains import DOMAIN, domain_ids, domain_trouble
from dradsl.why.observed.operators import driver_trouble
from dradsl.why.observed.plugins import behind, plugins_of, troubles_of, undelivered
from dradsl.why.observed.pods import container_trouble, event_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import DeviceRequestAllocationResultDict, ResourceClaimDict
    from dradsl.simulate.pod_claims import PodClaimEntry
    from dradsl.why.answer import DeviceUse
    from dradsl.why.dump import Document, Dump, Key
    from dradsl.why.world import RecordedCluster

__all__ = ["explain_claim_devices", "explain_deleted", "explain_placed"]

_CONTAINERS = ("status", "containerStatuses")
# Upstream: convertToAPIContainerStatuses (pkg/kubelet/kubelet_pods.go): a container that is not found any more
_LOST = ("Unknown", "ContainerStatusUnknown")
_DELETED = ": they were deleted, and other claims can get their devices, or they were not dumped"
_GATE, _PREPARE = "DynamicResourceAllocation", "FailedPrepareDynamicResources"
_NOT_REGISTERED = r"(?:driver|plugin name|plugin) (\S+) (?:is not registered|not found in)"
_CUT_OFF = re.compile(r"code = Unavailable|connection ref|no such file or directory")
_KUBELET = (  # why a kubelet does not start containers, as it says in events
    "FailedMount FailedAttachVolume FailedCreatePodSandBox NetworkNotReady FailedCreatePodContainer "
    "UnexpectedAdmissionError FailedMapVolume Failed InspectFailed ErrImageNeverPull "
    "FailedNodeDeclaredFeaturesCheck FailedMountOnFilesystemMismatch FailedPostStartHook "
    "FailedPodSandBoxStatus FailedSync BackOff Unhealthy Pulling"
)


def explain_placed(world: RecordedCluster, document: Document) -> Answer:
    """What stops a pod of the dump that has a node, and its devices."""
    namespace, name = key_of(document)
    spec, status = spec_of(document), status_of(document)
    node, phase = str(spec.get("nodeName")), str(status.get("phase") or "Pending")
    entries = _entries(document)
    claims = [(entry.name, world.dump.claims.get(entry.key)) for entry in entries]
    if own := _extended_claim(document):
        claims.append(("", world.dump.claims.get((namespace, own))))
    there = [claim for _, claim in claims if claim is not None]
    devices = tuple(use for claim in there for use in explain_claim_devices(world, claim))
    subject, state = f"Pod {namespace}/{name}", f"{phase.lower()} on {node}"
    facts = tuple(event_facts(world.dump, document, (_PREPARE, *_KUBELET.split())))
    step, cause, details = _step(world, document, there, devices, phase, node)
    cause += _alien(devices, cause) + _made_for(world, there) if step == "prepare" else ""
    lacking = _lacking(world, entries, (namespace, own), phase)
    if lacking and step == "none":
        step, cause = "claim" if world.dump.has("ResourceClaim") else step, lacking
    elif lacking:
        details = (*details, lacking)
    if step == "none" and phase not in ("Succeeded", "Failed"):
        step, cause, details = _beside_devices(world, document, claims, node, (cause, details))
    if step == "none" and phase == "Pending":
        by_entry = ((own, claim) for own, claim in claims if claim is not None)
        texts = list(unknown_requests(spec, by_entry))
        step, cause = ("kubelet", "; ".join(texts)) if texts else ("starting", cause)
        if step == "starting" and facts:
            text = f"{facts[0].text}{_unlike(world, devices, facts[0].text)}"
            step, cause, details = "kubelet", text, (cause, *details)
        drivers = dict.fromkeys(use.driver for use in devices)
        for one in drivers if step in ("kubelet", "starting") else ():
            told = itertools.islice(driver_trouble(world.dump, one, world.simulation, node), 1)
            cause = "; ".join((cause, *told))
    return Answer(subject, state, step, cause, details, devices, facts=facts)


def _lacking(world: RecordedCluster, entries: Iterable[PodClaimEntry], own: Key, phase: str) -> str:
    """Which claims of a pod that has not ended are not there; `own` is that of extended resources."""
    keys = [one.key for one in entries if not one.template] + [own] * bool(own[1])
    gone = ", ".join(name for space, name in keys if (space, name) not in world.dump.claims)
    why = _DELETED if world.dump.has("ResourceClaim") else ""
    texts = [f"its status names no claim for {one.name}" for one in entries if one.template]
    texts += [f"its claims are not in the dump: {gone}{why}"] if gone else []
    return "" if phase in ("Succeeded", "Failed") else "; ".join(texts)


def _unlike(world: RecordedCluster, devices: Iterable[DeviceUse], text: str) -> str:
    """That a text names a device of a pod which most others of its pool are unlike; empty if it names none."""
    for use in devices:
        known = devices_by_id(world.simulation.cluster.inventory, [(use.driver, use.pool)])
        given = next((dict(one.attributes) for one in known.values() if one.name == use.device), {})
        words = {str(value) for kind, value in given.values() if kind == "string"}
        named = sorted(words & set(re.findall(r"[\w.-]{4,}", text)))
        for name, (kind, value) in given.items() if named else ():
            others = sum(one.attributes.get(name) == ("bool", not value) for one in known.values())
            if kind == "bool" and 2 * others > len(known):
                key = name if "/" in name else f"{use.driver}/{name}"
                return f"; {named[0]} is device {use.device} of its claim, with {key} {str(value).lower()}, unlike {others} others there"
    return ""


def _disrupted(document: Document) -> str:
    """Who ends a pod, and why: a preemption, an eviction, a taint of a device or node."""
    found = conditions_of(document).get("DisruptionTarget", {})
    return words_of(found) if found.get("status") == "True" else ""


def _extended_claim(document: Document) -> str:
    """The claim that the scheduler made for the extended resources of a pod."""
    status = mapping_at(document, "status", "extendedResourceClaimStatus")
    return str(status.get("resourceClaimName") or "")


def _step(
    world: RecordedCluster,
    document: Document,
    claims: Sequence[ResourceClaimDict],
    devices: tuple[DeviceUse, ...],
    phase: str,
    node: str,
) -> tuple[str, str, tuple[str, ...]]:
    if phase in ("Succeeded", "Failed"):
        return _ended(document, phase)
    # After its node started anew, the kubelet prepares the devices of a pod again.
    states = [mapping_at(one, "state", "terminated") for one in mappings_at(document, *_CONTAINERS)]
    anew = phase == "Pending" or any(one.get("reason") in _LOST for one in states)
    if anew and (found := _unprepared(world, document, claims, node)):
        return found
    if not anew and (text := _unusable(world, document, claims, node)):
        return "claim", text, ()
    ending = [(use, one) for use in devices for one in use.taints if one.endswith(":NoExecute")]
    if ending:
        use, taint = ending[0]
        text = f"{use.name} has the taint {taint}, and no toleration of the claim {use.claim} has this effect"
        # Upstream: the controller of pkg/controller/devicetainteviction reads spec.resourceClaims alone.
        implicit = use.claim.partition("/")[2] == _extended_claim(document)
        who = "does not end pods with extended resources" if implicit else "ends the pod"
        return "taint", text, (f"the taint eviction controller {who}",)
    ill = [(use, one) for use in devices for one in use.trouble]
    if ill:
        return "device", f"{ill[0][0].name}: {ill[0][1]}", ()
    gone = [use for use in devices if use.published is False]
    if gone and not node_trouble(world.dump, node):
        text = f"{gone[0].name}: no slice publishes it any more"
        return "device", text, ("the pod keeps it; what comes after it cannot get it",)
    kept = "{} has the taint {}: no new pod gets it"
    taints = tuple(kept.format(use.name, one) for use in devices for one in use.taints)
    if not claims:
        return "none", f"it is on {node}, and has no claims", taints
    seen = "; no object shows whether its containers see the devices" if phase == "Running" else ""
    return "none", f"its claims are allocated on {node}{seen}", taints


def _ended(document: Document, phase: str) -> tuple[str, str, tuple[str, ...]]:
    """That a pod has ended, and why."""
    words = words_of(mapping_at(document, "status")) or _disrupted(document)
    told = [words] if words else []
    told += container_trouble(document) if phase == "Failed" else ()
    text = f"it has ended ({': '.join((phase, *told[:1]))})"
    return "failed" if phase == "Failed" else "none", text, tuple(told[1:])


def _unprepared(
    world: RecordedCluster, document: Document, claims: Sequence[ResourceClaimDict], node: str
) -> tuple[str, str, tuple[str, ...]] | None:
    """What keeps the devices of a pod from being prepared on its node."""
    # A daemon of a ComputeDomain does not wait for it.
    daemon = DOMAIN in mapping_at(document, "metadata", "labels")
    domain = "" if daemon else domain_trouble(world.dump, document, claims, world.simulation)
    failed = [text for reason, text in world.dump.events(document) if reason == _PREPARE]
    unusable = _unusable(world, document, claims, node)
    if domain and (not failed or "ComputeDomain" in failed[0]):
        return "prepare", domain, ()
    if unusable:
        return "claim", unusable, ()
    if not failed:
        return None
    driver = re.search(_NOT_REGISTERED, failed[0])
    results = (str(one.get("driver")) for claim in claims for one in results_of(claim))
    some = dict.fromkeys([driver[1]] if driver else results if _CUT_OFF.search(failed[0]) else ())
    found = (driver_trouble(world.dump, each, world.simulation, node) for each in some)
    troubles = list(itertools.chain(*found))
    if driver and not troubles:
        running = (label_of(one) for one in plugins_of(world.dump, driver[1], node))
        troubles = [f"{one} runs there: the kubelet has not seen its socket" for one in running]
    return "prepare", "; ".join(filter(None, (failed[0], *troubles[:1], domain))), (*troubles[1:],)


def _made_for(world: RecordedCluster, claims: Iterable[ResourceClaimDict]) -> str:
    """What keeps a workload from making pods that a driver has made for one of these claims, with its UID in the name."""
    uids = [str(mapping_at(one, "metadata").get("uid") or "?") for one in claims]
    both = (*world.dump.all("Deployment"), *world.dump.all("DaemonSet"))
    own = (one for one in both if any(uid in key_of(one)[1] for uid in uids))
    return next((f"; {text}" for text in troubles_of(world.dump, own)), "")


def _alien(uses: Sequence[DeviceUse], text: str) -> str:
    """That a device which a driver does not know is one of another driver, which publishes it; empty if it is not so."""
    for use in uses if re.search(r"not allocatable|not found|not exist|unknown", text) else ():
        others = {one.driver for one in uses if one.claim == use.claim} - {use.driver}
        says = f" {use.driver.partition('.')[0]} " in text.lower()  # as in: requested GPU
        if others and use.published and not says and use.device in re.findall(r"[\w-]+", text):
            return f"; {use.device} is a device of driver {use.driver}, which publishes it; the claim has devices of {', '.join(sorted(others))}, too, which may take it for its own"
    return ""


def _unusable(
    world: RecordedCluster, document: Document, claims: Sequence[ResourceClaimDict], node: str
) -> str:
    """Why a pod that has a node cannot use a claim: something placed it that did not look at claims."""
    name, uid = key_of(document)[1], mapping_at(document, "metadata").get("uid")
    there = [one for one in world.simulation.cluster.inventory.nodes if one.name == node]
    placed = str(conditions_of(document).get("PodScheduled", {}).get("lastTransitionTime") or "")
    for claim in claims:
        label = f"claim {'/'.join(key_of(claim))}"
        for one in mappings_at(claim, "metadata", "ownerReferences"):
            if uid and one.get("kind") == "Pod" and one.get("uid") != uid:
                return f"{label} was made for Pod {one.get('name')} (UID {one.get('uid')}), and not for this one"
        made = str(mapping_at(claim, "metadata").get("creationTimestamp") or "")
        if placed and made > placed:
            return f"{label} was made at {made}, after the pod was placed ({placed}): the claim that it got its devices with is gone"
        if allocation_of(claim) is None:
            return f"{label} is not allocated, and the pod has a node: {_bypassed(world, document, claim)}"
        where = None
        with suppress(SelectorError):
            where = Reserved.of(claim, conditions=False, operations=False).selector
        if where is not None and not all(map(where.matches, there)):
            pools = ", ".join(dict.fromkeys(str(one.get("pool")) for one in results_of(claim)))
            return f"{label} has its devices elsewhere (pool {pools}), and the pod is on {node}"
        reserved = mappings_at(claim, "status", "reservedFor")
        pods = [one.get("name") for one in reserved if one.get("resource") == "pods"]
        if len(pods) == len(reserved) and name not in pods:
            return f"{label} is not reserved for the pod: {_bypassed(world, document, claim)}"
    return ""


def _bypassed(world: RecordedCluster, document: Document, claim: ResourceClaimDict) -> str:
    """How a pod can have a node without a claim that it can use, without what the dump or the release rule out."""
    scheduler = mapping_at(document, "spec").get("schedulerName") or "default-scheduler"
    words = f"its scheduler ({scheduler}) did not look at claims"
    if scheduler == "default-scheduler":
        told = any(reason == "Scheduled" for reason, _ in world.dump.events(document))
        ways = [] if told else ["spec.nodeName was set"]
        if not world.release.gates[_GATE].locked:
            ways.append(f"the feature gate {_GATE} of kube-scheduler is off")
        words = f"nothing that looks at claims placed it ({', or '.join(ways)}), or the pod lost it since"
        words = words if ways else "the pod lost it after the scheduler placed it"
    head, own = mapping_at(claim, "metadata"), mapping_at(document, "metadata")
    entries = mappings_at(document, "spec", "resourceClaims")
    mine = [e.get("name") for e in entries if e.get("resourceClaimName") == head.get("name")]
    owners = [one.get("uid") for one in mappings_at(head, "ownerReferences")]
    if not mine or own.get("uid") in owners or "pod-claim-name" in str(head.get("annotations")):
        return words
    made, born = (str(one.get("creationTimestamp") or "") for one in (head, own))
    older = f", and is older than it ({made}, {born})" if "" < made < born else ""
    hook = put_in(world.dump, document, str(mine[0]))
    by = f"{hook}, and may have made it" if hook else "a user or a controller made it"
    return f"the ResourceClaim controller did not make it for this pod (it has no owner reference to the pod and no annotation{older}), {by}; {words}"


def _beside_devices(
    world: RecordedCluster,
    document: Document,
    claims: Sequence[tuple[str, ResourceClaimDict | None]],
    node: str,
    found: tuple[str, tuple[str, ...]],
) -> tuple[str, str, tuple[str, ...]]:
    """What stops a pod whose devices are in order: its node, a container, or a claim that is being deleted."""
    cause, details = found
    if trouble := node_trouble(world.dump, node):
        return "node", f"node {node} {trouble}", (cause, *details)
    fields = (mappings_at(document, "spec", one) for one in ("initContainers", "containers"))
    uses = (mappings_at(one, "resources", "claims") for boxes in fields for one in boxes)
    asked = {used.get("name") for some in uses for used in some}
    idle = [name for name, _ in claims if name and name not in asked]
    unused = f"; no container has the claim {idle[0]} in resources.claims" if idle else ""
    if troubles := [*container_trouble(document), *_ends_again(world.dump, document)]:
        text = f"{_of_container(world, document, troubles[0])}{unused}"
        return "container", text, (*troubles[1:], cause, *details)
    for claim in (one for _, one in claims if one is not None):
        if words := deletion_of(claim, world.dump):
            text = f"ResourceClaim {key_of(claim)[1]}: {words[0]}; no other pod can use it"
            return "deleted", text, (*words[1:], *details)
    there = {name: one for name, one in claims if one is not None and allocation_of(one)}
    runs = there and not idle and mapping_at(document, "status").get("phase") == "Running"
    if lost := list(undelivered(document, there.get(""))) if runs else []:
        return "injection", lost[0], (*lost[1:], cause, *details)
    return "none", f"{cause}{unused}", details


def _ends_again(dump: Dump, document: Document) -> Iterator[str]:
    """Containers that run, and have ended with an error before, of which the kubelet delays the next start."""
    told = any(reason == "BackOff" for reason, _ in dump.events(document))
    for status in mappings_at(document, "status", "containerStatuses") if told else ():
        last = mapping_at(status, "lastState", "terminated")
        if last.get("exitCode") and "running" in mapping_at(status, "state"):
            words = f"{words_of(last)} (exit code {last['exitCode']})"
            yield f"container {status.get('name')} runs again after {status.get('restartCount')} restarts; the last run: {words}"


def _of_container(world: RecordedCluster, document: Document, text: str) -> str:
    """What the kubelet says of a container, with what else the dump shows of it."""
    probes = [told for reason, told in world.dump.events(document) if reason == "Unhealthy"]
    if text.endswith("is not ready") and probes:
        text += f": {probes[0]}"
    text += behind(world.dump, document, text)
    if "has not ended" in text and socket_of(document):
        text = f"{label_of(document)} on {spec_of(document).get('nodeName')}: {text}"
    return text


# The kubelet ends a pod after the drivers have unprepared its claims: SyncTerminatingPod of pkg/kubelet/kubelet.go, and
# unprepareResources of pkg/kubelet/cm/dra/manager.go.


def explain_deleted(world: RecordedCluster, pod: Document) -> Answer:
    """The answer for a pod with a deletion timestamp."""
    dump = world.dump
    left = ", ".join(map(str, list_at(pod, "metadata", "finalizers"))) or "none"
    when = mapping_at(pod, "metadata")["deletionTimestamp"]
    node = str(mapping_at(pod, "spec").get("nodeName") or "")
    reasons = ("FailedKillPod", "FailedPrepareDynamicResources")
    facts = tuple(event_facts(dump, pod, reasons))
    first = [fact.text for fact in facts if reasons[0] in fact.about]
    trouble = node_trouble(dump, node) if node else ""
    last = [f"{node} {trouble}"] if trouble else []
    if node and left == "none" and not (first or trouble):
        why = next(_not_given_up(world, pod), "")
        first = [f"the kubelet of {node} has not ended it{f': {why}' if why else ''}"]
        first += [f"it reported: {fact.text}" for fact in facts if not why]
    if node and first and _CUT_OFF.search(first[0]):  # the plugin does not answer
        first += itertools.islice(_not_given_up(world, pod), 1)
    for kind, key in owners_of(dump, key_of(pod))[:1]:
        if dump.get(kind, key) is None and (dump.has(kind) or "job-tracking" in left):
            last.append(f"its {kind} {key[1]} is not in the dump")
    ended = "; ".join((_disrupted(pod), *_ended_for(world, pod))).removesuffix("; ")
    since = f"deleted at {when}{f' ({ended})' if ended else ''}; finalizers left: {left}"
    cause = "; ".join((*first, since, *last))
    state = f"terminating on {node}" if node else "terminating"
    return Answer(label_of(pod), state, "deleted", cause, facts=facts)


def _ended_for(world: RecordedCluster, pod: Document) -> Iterator[str]:
    """The taints of devices for which a pod is ended, and whether only its allocation does not tolerate them."""
    claims = [one for one in map(world.dump.claims.get, (one.key for one in _entries(pod))) if one]
    for claim in claims if "DeviceTaintManager" in _disrupted(pod) else ():
        for use in explain_claim_devices(world, claim):
            for taint in (one for one in use.taints if one.endswith(":NoExecute")):
                wants = mappings_at(claim, "spec", "devices", "requests")
                given = [one for want in wants for one in list_at(want, "exactly", "tolerations")]
                lost = "; its claim has tolerations that its allocation lacks: Kubernetes up to 1.34.1 does not copy them"
                has_lost = given and not any(one.get("tolerations") for one in results_of(claim))
                yield f"{use.name} has the taint {taint}{lost if has_lost else ''}"


def _entries(pod: Document) -> list[PodClaimEntry]:
    return list(claims_of(spec_of(pod), *key_of(pod), status_of(pod)))


def _not_given_up(world: RecordedCluster, pod: Document) -> Iterator[str]:
    """Why drivers cannot unprepare the claims of a pod."""
    dump = world.dump
    domains = {str(mapping_at(one, "metadata").get("uid")) for one in dump.all("ComputeDomain")}
    for entry in _entries(pod):
        if entry.template is not None:
            yield f"its status names no claim for the entry {entry.name}, and the kubelet asks for one"
        claim = dump.claims.get(entry.key)
        for domain in domain_ids(claim) if claim is not None and domains else ():
            if domain not in domains:
                yield f"the ComputeDomain of its claim {entry.key[1]} (UID {domain}) is not in the dump, without which the driver cannot unprepare it"
        for one in results_of(claim) if claim is not None else ():
            where, driver = str(spec_of(pod).get("nodeName")), str(one.get("driver"))
            for text in driver_trouble(dump, driver, world.simulation, where):
                yield f"driver {driver} has to unprepare its claim, and {text}"


def explain_claim_devices(world: RecordedCluster, claim: ResourceClaimDict) -> Iterator[DeviceUse]:
    """The devices of a claim."""
    inventory = world.simulation.cluster.inventory
    others: dict[str, list[str]] = {}
    own = set(map(_alone, results_of(claim))) - {""}
    for other in world.dump.claims.values() if own else ():
        for name in own & set(map(_alone, results_of(other))) if other is not claim else ():
            others.setdefault(name, []).append("/".join(key_of(other)))
    for use in uses_of(claim, world.dump, Published(inventory), devices_by_id(inventory)):
        names = ", ".join(others.get(use.name, ()) if not (use.share or use.admin) else ())
        twice = f"it is allocated twice: claim {names} has it, too"
        yield replace(use, trouble=(*([twice] if names else ()), *use.trouble))


def _alone(result: DeviceRequestAllocationResultDict) -> str:
    """The device of a result, if the claim has it for itself."""
    shared = result.get("shareID") or result.get("adminAccess")
    return "" if shared else str(device_of(result))
