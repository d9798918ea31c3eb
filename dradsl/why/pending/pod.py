"""What keeps a pod without a node: the steps before the scheduler, its filters, allocation, binding.

The order is that of a cluster: scheduling gates are looked at first, then the claims that the claim controller
has to make (PreEnqueue of the scheduler's plugin), then classes, nodes and devices, then what the plugin waits
for before it binds.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from dradsl.simulate.extended import extended_resources
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.simulate.pods import the_pod
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer, TriedChange
from dradsl.why.dropped import dropped_fields
from dradsl.why.dump import key_of
from dradsl.why.lives import leftovers_of
from dradsl.why.observed.controllers import about_pod, kueue_words
from dradsl.why.observed.pods import observe, short_reason
from dradsl.why.pending.binding import binding
from dradsl.why.pending.claims import missing_claims
from dradsl.why.pending.nodes import explain_placement
from dradsl.why.pending.volumes import where_volumes_are
from dradsl.why.verdict import compatible

if TYPE_CHECKING:
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.pods import Pod
    from dradsl.why.dump import Document
    from dradsl.why.world import RecordedCluster

__all__ = ["explain_pending"]

_KUEUE = "kueue.x-k8s.io/"
_OWN = re.compile(r"request container-\d+-request-\d+")  # of the claim of extended resources


def explain_pending(world: RecordedCluster, document: Document) -> Answer:
    """What stops a pod of the dump that has no node."""
    workload = world.asked.get(key_of(document))
    subject = "Pod {}".format("/".join(key_of(document)))
    seen = observe(world.dump, document)
    if workload is None:
        name = key_of(document)[1]
        told = next((text for one, text in world.rejected if one.endswith(name)), "")
        cause = f"an API server took it, and Kubernetes {world.release.name} rejects it: {told}"
        hint, reason = "--kube-version names another release", short_reason(seen.rejection)
        step, details = ("rejected", (cause, hint)) if reason else ("unknown", (hint,))
        return Answer(subject, "pending", step, reason or cause, details, facts=seen.facts)
    pod = the_pod(workload)
    found = _gated(world, document)
    if found is None:
        found = missing_claims(world, pod, document, seen.rejection)
        if found is None:
            near, volumes = where_volumes_are(world, document)
            found = explain_placement(near, pod)
            if volumes and found.step != "none":
                text = f"{volumes}; there {found.cause}".replace("; there there are no nodes", "")
                other = explain_placement(world, pod)
                text += f"; without it {other.cause}" if other.step == "none" else ""
                found = replace(found, cause=text)
            if len(names := [*extended_resources(pod.spec)]) == 1:
                change = found.change
                change = change and replace(change, text=_OWN.sub(names[0], change.text))
                found = replace(found, cause=_OWN.sub(names[0], found.cause), change=change)
            found = binding(world, pod) or found
            own = (world.dump.claims.get(entry.key) for entry in pod.claims)
            left = tuple(line for one in own if one for line in leftovers_of(one, world.dump)[:8])
            found = replace(found, details=(*found.details, *left))
            if found.step in ("allocation", "class") and "feature gate" not in found.cause:
                texts = (found.cause, *itertools.islice(dropped_fields(world, pod), 1))
                found = replace(found, cause="; ".join(texts))
            found = _renewed(world, pod, found) or found
        found = compatible(world, document, found, seen, explain_placement)
    return replace(found, subject=subject, state="pending", facts=(*seen.facts, *found.facts))


def _renewed(world: RecordedCluster, pod: Pod, found: Answer) -> Answer | None:
    """That the template of a claim was made anew since, if the pod fits with a claim that is made from it now."""
    entries = mappings_at(pod.spec, "resourceClaims")
    names = {one.get("name"): str(one.get("resourceClaimTemplateName")) for one in entries}
    for entry in pod.claims if found.step in ("allocation", "class") else ():
        key, claim = (pod.namespace, names.get(entry.name, "")), world.dump.claims.get(entry.key)
        template = world.dump.get("ResourceClaimTemplate", key)
        if template is None or claim is None or allocation_of(claim):
            continue
        both = (str(mapping_at(o, "metadata").get("creationTimestamp")) for o in (claim, template))
        born, made = both
        spec, other = mapping_at(template, "spec", "spec"), world.simulation.fresh()
        other.claims[entry.key] = cast("ResourceClaimDict", {**claim, "spec": spec})
        if made > born and (report := other.place(pod, commit=False)).fits:
            text = f"{found.cause}; claim {'/'.join(entry.key)} is of {born}, and its template {key[1]} was made anew at {made}"
            then = f"delete the pod, so that its claim is made from the template {key[1]} that is there now (node {report.node})"
            commands = (f"kubectl delete pod {pod.name} -n {pod.namespace}",)
            return replace(found, cause=text, change=TriedChange(then, patch=commands))
    return None


def _gated(world: RecordedCluster, document: Document) -> Answer | None:
    gates = [str(one.get("name")) for one in mappings_at(document, "spec", "schedulingGates")]
    if not gates:
        return None
    if any(gate.startswith(_KUEUE) for gate in gates):
        cause, details = kueue_words(world.dump, document)
        return Answer("", "", "kueue", cause, details)
    text = f"scheduling gate {', '.join(gates)}: its owner has not removed it"
    said = list(about_pod(world.dump, document))
    return Answer("", "", "gate", "; ".join((text, *said[:1])), tuple(said[1:]))
