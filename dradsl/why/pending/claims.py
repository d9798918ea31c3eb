"""What a pod waits for before the scheduler takes it up: claims and templates that are not there, or not made yet."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.simulate.pod_claims import claims_of, find_orphan, why_wait
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer
from dradsl.why.changes import CLAIM_FIELDS, similar_name
from dradsl.why.dump import key_of, status_of
from dradsl.why.fixes import more_quota
from dradsl.why.lives import consumers_of, deletion_of, leftovers_of
from dradsl.why.observed.controllers import put_in
from dradsl.why.observed.domains import DRIVER_OF_DOMAINS, domain_of_template
from dradsl.why.observed.operators import operator_trouble
from dradsl.why.pending.nodes import explain_placement
from dradsl.why.verdict import doubt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.pod_claims import Key, PodClaimEntry
    from dradsl.simulate.pods import Pod
    from dradsl.why.dump import Document
    from dradsl.why.world import RecordedCluster

__all__ = ["missing_claims"]

_QUOTA = "exceeded quota"


def missing_claims(
    world: RecordedCluster, pod: Pod, document: Document, rejection: str
) -> Answer | None:
    """What the pod waits for before the scheduler takes it up."""
    claims = {key_of(one): one for one in world.dump.claims.values()}
    for entry in claims_of(pod.spec, pod.namespace, pod.name, status_of(document)):
        claim = claims.get(entry.key)
        reason = why_wait(
            pod.owner, entry, claim, first_form=world.simulation.plugin.first_owner_texts
        )
        if reason is None:
            continue
        if entry.template is not None:
            return _not_generated(world, pod, entry, document, rejection)
        if claim is None:
            missing = ("ResourceClaim", entry.key)
            return _missing(world, pod, missing, "claim", (rejection,))
        cause = "; ".join((reason, *deletion_of(claim, world.dump)[1:]))
        return Answer("", "", "claim", cause, tuple(_about_claim(world, claim)))
    return None


def _not_generated(
    world: RecordedCluster, pod: Pod, entry: PodClaimEntry, document: Document, rejection: str
) -> Answer:
    template = entry.template or entry.key
    if world.dump.get("ResourceClaimTemplate", template) is None:
        missing = ("ResourceClaimTemplate", template)
        events = _controller_events(world, document)
        found = _missing(world, pod, missing, "claim-controller", (rejection, *events))
        if domain := domain_of_template(world.dump, template):
            text = f"{found.cause}: the controller of {domain} has not made it"
            text = "; ".join((text, *operator_trouble(world.dump, DRIVER_OF_DOMAINS)[:1]))
            found = replace(found, cause=text, change=None)
        elif told := put_in(world.dump, document, entry.name):
            found = replace(found, cause=f"{found.cause}; {told}")
        return replace(found, details=(*found.details, *events))
    events = _controller_events(world, document)
    if any(_QUOTA in text for text in events):
        change = more_quota(events[0], pod.namespace, world.dump)
        return Answer("", "", "quota", events[0], change=change)
    claims = ((key_of(one), one) for one in world.dump.claims.values())
    made = find_orphan(pod.owner, entry, claims)
    if made is not None:
        text = f"ResourceClaim {'/'.join(made)} is made, and the pod's status does not name it yet"
        return Answer("", "", "claim-controller", text)
    text = (
        f"no ResourceClaim was made from the template {template[1]} for the entry {entry.name} yet"
    )
    text += f": {events[0]}" if events else ""
    after = explain_placement(world, pod)
    fits = "fits" if after.step == "none" else "still does not fit"
    details = (*events[1:], f"once it is made the pod {fits}: {after.cause}")
    return Answer("", "", "claim-controller", text, details)


def _controller_events(world: RecordedCluster, document: Document) -> tuple[str, ...]:
    name = mapping_at(document, "spec", "schedulingGroup").get("podGroupName")
    group = world.dump.get("PodGroup", (key_of(document)[0], str(name)))
    events = [*world.dump.events(document), *(world.dump.events(group) if group else ())]
    return tuple(text for reason, text in events if reason == "FailedResourceClaimCreation")[:2]


def _missing(
    world: RecordedCluster, pod: Pod, missing: tuple[str, Key], step: str, said: Sequence[str]
) -> Answer:
    """The answer for a missing claim or template; `said` is what the scheduler and the claim controller wrote."""
    kind, key = missing
    known = list(world.dump.keys(kind))
    elsewhere = sorted({other for other, name in known if name == key[1] and other != key[0]})
    change = similar_name(world.simulation, pod, missing, world.dump)
    # The scheduler takes up no pod whose claims are missing.
    named = re.search(rf"(?<![\w.-]){re.escape(key[1])}(?![\w.-])", " ".join(said))
    cause = f"{'' if named else doubt(world.dump, kind)}{kind} {'/'.join(key)} is not there"
    cause += f"; one of this name is in namespace {first_of(elsewhere)}" if elsewhere else ""
    other = next((one for one in CLAIM_FIELDS if one != kind and world.dump.get(one, key)), "")
    if other:
        text = f"{CLAIM_FIELDS[kind]} names {key[1]}, which is a {other}"
        return Answer("", "", step, f"{text}: no {kind} of this name is in the dump", change=change)
    has_tried = said[0] and named is None and not known
    return Answer("", "", "unknown" if has_tried else step, cause, change=change)


def _about_claim(world: RecordedCluster, claim: ResourceClaimDict) -> Iterator[str]:
    owners = mappings_at(claim, "metadata", "ownerReferences")
    if owners:
        yield f"it was made for {owners[0].get('kind')} {owners[0].get('name')} (UID {owners[0].get('uid')})"
    yield from deletion_of(claim, world.dump) or (
        f"reserved for {one.name}, which is {one.state}" for one in consumers_of(claim, world.dump)
    )
    yield from leftovers_of(claim, world.dump)
